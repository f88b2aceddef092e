"""The drawings of what a test did: the null distribution, bars of importance, and the map of rows.

Kaplan-Meier curves in SVG: the share of rows without an event, by one column.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from kmerf.core.arrays import without_rounding
from kmerf.core.safe_text import short
from kmerf.report.svg import Frame, axis_x, axis_y, figure, group, number, tag, text, ticks
from kmerf.show.numbers import counted, not_drawn

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats
    from kmerf.results.single_result import Result
    from kmerf.results.views import RowMap, SurvivalCurve, SurvivalCurves

COLOURS = 7  # of the style sheet, c0 to c6; groups beyond share the last
SHADES = 7  # of a numeric y, s0 to s6
FAR = 1.5  # ranges of the permuted statistics beyond which the axis is broken


def null_histogram(values: Floats, observed: float, pvalue: str) -> Markup:
    """Draw the permuted statistics and the observed one, with its p-value; the axis is broken where it is far away."""
    values, observed = without_rounding(values, observed)
    low, high, span = float(values.min()), float(values.max()), float(np.ptp(values))
    far = span > 0.0 and observed > high + FAR * span
    low, high = min(low, observed), high if far else max(high, observed)
    part = span / ((high - low) or 1.0)  # of the drawing; bars must stay wide enough to be seen
    counts, edges = np.histogram(values, bins=int(np.clip(min(values.size // 7, 100 * part), 4, 30)))
    room = 0.05 * ((high - low) or 1.0)
    limits = (low - room, high + room)
    margins = {"left": 34.0, "right": 160.0 if far else 12.0, "top": 40.0}
    frame = Frame(460.0, 240.0, limits, (0.0, float(counts.max()) * 1.1), **margins)
    bars = [
        tag(
            "rect",
            x=frame.across(float(a)),
            y=frame.up(float(c)),
            width=max(frame.across(float(b)) - frame.across(float(a)) - 0.7, 0.6),
            height=frame.floor - frame.up(float(c)),
        )
        for c, a, b in zip(counts, edges[:-1], edges[1:], strict=True)
        if c
    ]
    at = frame.width - 66.0 if far else frame.across(observed)
    line = tag("line", x1=at, x2=at, y1=frame.top - 8, y2=frame.floor, class_="observed")
    anchor = "end" if at > frame.width * 0.7 else "start" if at < frame.width * 0.3 else "middle"
    mark = text(frame.width - 8 if anchor == "end" else at, 14.0, f"your data, {pvalue}", "observed", anchor)
    label = f"Histogram of {values.size} permuted statistics; the observed one is {observed:.4g}."
    rest = _beyond(frame, at, observed) if far else Markup("")
    whole = [float(v) for v in ticks(*frame.y, most=4, whole=True)]
    content = axis_y(frame, whole, "shuffles"), group(*bars, class_="bars"), line, mark
    return figure(frame, label, *content, axis_x(frame, "statistic"), rest, class_="chart")


def _beyond(frame: Frame, at: float, observed: float) -> Markup:
    """Draw the axis beyond its break, with the value of the one line that stands there."""
    start, end, floor = frame.width - frame.right + 16.0, frame.width - 8.0, frame.floor
    breaks = [
        tag("line", x1=x - 4.0, x2=x + 4.0, y1=floor + 6.0, y2=floor - 6.0, class_="axis") for x in (start - 12, start)
    ]
    base = tag("line", x1=start, x2=end, y1=floor, y2=floor, class_="axis")
    return group(base, *breaks, text(at, floor + 17, number(float(f"{observed:.3g}")), "tick", "middle"))


def bar(value: float, low: float, high: float, peak: float, chosen: bool, spread: str) -> Markup:
    """Draw a bar with a line for the spread, which a word says what it is; all bars of a table have one peak."""
    frame = Frame(160.0, 18.0, (0.0, peak or 1.0), (0.0, 1.0), left=1.0, right=1.0, top=0.0, bottom=0.0)
    zero = frame.across(0.0)
    rect = tag("rect", x=zero, y=4.0, width=max(frame.across(max(value, 0.0)) - zero, 0.8), height=10.0, rx=1.5)
    start, end = frame.across(max(low, 0.0)), frame.across(max(high, 0.0))
    line = tag("line", x1=start, x2=end, y1=9.0, y2=9.0, class_="spread")
    label = f"{value:.3f}, {spread} {low:.3f} to {high:.3f}"
    return figure(frame, label, group(rect, class_="bars chosen" if chosen else "bars"), line, class_="bar")


def peak_of(high: Sequence[float]) -> float:
    """Return what the longest bar of a table stands for."""
    return max([*high, 1e-12])


def map_chart(embedding: RowMap, labels: Sequence[str], numbers: Sequence[int] | None = None, y: str = "y") -> Markup:
    """Draw the map of rows, coloured by group or by the rank of y; `numbers` are those of the rows in the file."""
    low, high = embedding.points.min(axis=0), embedding.points.max(axis=0)
    room = 0.05 * float((high - low).max() or 1.0)
    across, up = (float(low[0]) - room, float(high[0]) + room), (float(low[1]) - room, float(high[1]) + room)
    tall = float(np.clip(460.0 * (up[1] - up[0]) / (across[1] - across[0]), 220.0, 460.0))
    frame = Frame(460.0, tall, across, up, left=4.0, right=4.0, top=4.0, bottom=4.0)
    classes = _classes(embedding, labels)
    dots = []
    for (a, b), class_, row, value in zip(embedding.points, classes, embedding.rows, embedding.y, strict=True):
        label = short(labels[int(value)]) if labels else f"{short(y)} = {value:.4g}"
        title = tag("title", f"row {row + 1 if numbers is None else numbers[row]}, {label}")
        dots.append(tag("circle", title, cx=frame.across(float(a)), cy=frame.up(float(b)), r=3, class_=class_))
    return figure(frame, "Map of rows by out-of-bag proximity.", group(*dots, class_="map"), class_="chart")


def _classes(embedding: RowMap, labels: Sequence[str]) -> list[str]:
    if labels:
        return [f"c{min(int(code), COLOURS - 1)}" for code in embedding.y]
    order = embedding.y.argsort(kind="stable").argsort(kind="stable")
    return [f"s{int(rank * SHADES // embedding.y.size)}" for rank in order]


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
