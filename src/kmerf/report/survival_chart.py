"""Kaplan-Meier curves in SVG: the share of rows without an event, by one column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from kmerf.report.charts import COLOURS
from kmerf.report.svg import Frame, axis_x, axis_y, figure, group, tag
from kmerf.show.numbers import counted, not_drawn

if TYPE_CHECKING:
    from kmerf.results.single_result import Result
    from kmerf.results.views import SurvivalCurve, SurvivalCurves


def survival_section(result: Result) -> dict[str, Any] | None:
    """Draw the curves, where the outcome has times and the forests were looked into."""
    curves = None if result.details is None else result.details.survival
    if curves is None:
        return None
    names = [f"{each.label} ({counted(each.size, 'row')}, {counted(each.events, 'event')})" for each in curves.curves]
    return {
        "chart": survival_chart(curves),
        "legend": [(f"c{k % COLOURS}", name) for k, name in enumerate(names)],
        "feature": curves.feature,
        "time": curves.time,
        "left_out": not_drawn(curves.left_out),
    }


def survival_chart(curves: SurvivalCurves) -> Markup:
    """Draw the share of rows without an event against time."""
    last = max(float(each.times[-1]) for each in curves.curves)
    frame = Frame(460.0, 260.0, (0.0, last), (0.0, 1.0), left=40.0, top=30.0)
    lines = [_line(frame, each, f"c{k % COLOURS}") for k, each in enumerate(curves.curves)]
    ends = "; ".join(f"{each.label}: {each.surviving[-1]:.2f} after {each.times[-1]:g}" for each in curves.curves)
    label = f"Share without an event by {curves.feature}. {ends}"
    grid = axis_y(frame, (0.0, 0.25, 0.5, 0.75, 1.0), "share without an event")
    return figure(frame, label, grid, *lines, axis_x(frame, curves.time))


def _line(frame: Frame, curve: SurvivalCurve, colour: str) -> Markup:
    """Draw one curve as steps."""
    points, height = [(0.0, 1.0)], 1.0
    for time, share in zip(curve.times.tolist(), curve.surviving.tolist(), strict=True):
        points += [(time, height), (time, share)]
        height = share
    path = " ".join(f"{frame.across(x):.1f},{frame.up(y):.1f}" for x, y in points)
    return group(tag("polyline", points=path), class_=f"series {colour}")
