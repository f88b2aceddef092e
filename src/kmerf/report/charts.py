"""The drawings of a test's page: the null distribution, bars of importance, profiles of y, and the map of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from kmerf.core.safe_text import short
from kmerf.report.svg import Frame, axis_x, axis_y, figure, group, number, tag, text
from kmerf.show.numbers import TYPESET

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats
    from kmerf.results.views import Profile, RowMap

COLOURS = 7  # of the style sheet, c0 to c6; groups beyond share the last
SHADES = 7  # of a numeric y, s0 to s6
DRAWN_GROUPS = 6  # in one profile, the largest


def null_histogram(values: Floats, observed: float, pvalue: float) -> Markup:
    """Draw the permuted statistics and the observed one."""
    low, high = min(float(values.min()), observed), max(float(values.max()), observed)
    part = float(np.ptp(values)) / ((high - low) or 1.0)  # of the drawing; bars must stay wide enough to be seen
    counts, edges = np.histogram(values, bins=int(np.clip(min(values.size // 7, 100 * part), 4, 30)))
    room = 0.05 * ((high - low) or 1.0)
    frame = Frame(460.0, 230.0, (low - room, high + room), (0.0, float(counts.max()) * 1.25), left=34.0, top=26.0)
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
    at = frame.across(observed)
    line = tag("line", x1=at, x2=at, y1=frame.top - 4, y2=frame.floor, class_="observed")
    anchor = "end" if at > frame.width * 0.7 else "start" if at < frame.width * 0.3 else "middle"
    mark = text(at, 14.0, f"observed, p = {TYPESET.p(pvalue)}", "observed", anchor)
    label = f"Histogram of {values.size} permuted statistics; the observed one is {observed:.4g}."
    return figure(
        frame, label, axis_y(frame), group(*bars, class_="bars"), line, mark, axis_x(frame, "statistic"), class_="chart"
    )


def bar(value: float, low: float, high: float, peak: float, chosen: bool) -> Markup:
    """Draw a bar with a line for the spread; all bars of a table have one peak."""
    frame = Frame(160.0, 18.0, (0.0, peak or 1.0), (0.0, 1.0), left=1.0, right=1.0, top=0.0, bottom=0.0)
    zero = frame.across(0.0)
    rect = tag("rect", x=zero, y=4.0, width=max(frame.across(max(value, 0.0)) - zero, 0.8), height=10.0, rx=1.5)
    start, end = frame.across(max(low, 0.0)), frame.across(max(high, 0.0))
    line = tag("line", x1=start, x2=end, y1=9.0, y2=9.0, class_="spread")
    label = f"{value:.3f}, in the middle 95 % of trees {low:.3f} to {high:.3f}"
    return figure(frame, label, group(rect, class_="bars chosen" if chosen else "bars"), line, class_="bar")


def peak_of(high: Sequence[float]) -> float:
    """Return what the longest bar of a table stands for."""
    return max([*high, 1e-12])


def profile_chart(profile: Profile, labels: Sequence[str], limits: tuple[float, float]) -> Markup:
    """Draw how y, or the share of each group, moves with a feature: points for means, lines for predictions."""
    numeric = np.flatnonzero(~np.isnan(profile.at))
    named = np.flatnonzero(np.isnan(profile.at))
    places = _places(profile, numeric, named)
    frame = Frame(300.0, 210.0, (-0.06, 1.06), limits, left=46.0, right=8.0, top=10.0)
    sizes = np.sqrt(profile.size / profile.size.max())
    drawn = []
    for k in _largest(profile, labels):
        colour = f"c{min(k, COLOURS - 1)}" if labels else "c0"
        guess = [(places[b], float(profile.predicted[b, k])) for b in numeric if np.isfinite(profile.predicted[b, k])]
        dots = [
            tag(
                "circle",
                tag("title", _bin_text(profile, b, k, labels)),
                cx=frame.across(places[b]),
                cy=frame.up(float(profile.observed[b, k])),
                r=float(2.0 + 2.4 * sizes[b]),
            )
            for b in range(len(places))
        ]
        ticks = [_dash(frame, places[b], float(profile.predicted[b, k])) for b in named]
        drawn.append(group(_line(frame, guess), *ticks, *dots, class_=f"series {colour}"))
    axis = _profile_axis(frame, profile, numeric, named, places)
    what = f"How {'the share of each group' if labels else 'y'} moves with {profile.feature}."
    return figure(frame, what, axis_y(frame), *drawn, axis, class_="chart small")


def profile_limits(profiles: Sequence[Profile], labels: Sequence[str]) -> tuple[float, float]:
    """Return the range that all profiles share, so that they can be compared."""
    if labels:
        return 0.0, 1.0
    values = np.concatenate([np.concatenate([each.observed[:, 0], each.predicted[:, 0]]) for each in profiles])
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    room = 0.06 * ((high - low) or 1.0)
    return low - room, high + room


def _largest(profile: Profile, labels: Sequence[str]) -> list[int]:
    """Return the columns of y to draw: the first, or the groups with most rows."""
    if not labels:
        return [0]
    weights = (profile.observed * profile.size[:, None]).sum(axis=0)
    return sorted(int(k) for k in np.argsort(-weights, kind="stable")[:DRAWN_GROUPS])


def _places(profile: Profile, numeric: NDArray[Any], named: NDArray[Any]) -> list[float]:
    """Return where each bin is, from 0 to 1: numbers to scale, categories side by side, "missing" at the right."""
    places = np.zeros(profile.at.size)
    if numeric.size:
        at = profile.at[numeric]
        places[numeric] = (at - at.min()) / (np.ptp(at) or 1.0) * (0.86 if named.size else 1.0)
        places[named] = 1.0
    else:
        places[named] = np.linspace(0.0, 1.0, named.size) if named.size > 1 else 0.5
    return [float(place) for place in places]


def _profile_axis(
    frame: Frame, profile: Profile, numeric: NDArray[Any], named: NDArray[Any], places: list[float]
) -> Markup:
    axis = axis_x(frame, profile.feature, at=())
    shown = [int(numeric[0]), int(numeric[-1])] if numeric.size > 1 else [int(b) for b in numeric]
    if numeric.size > 4:
        middle = float(np.mean([places[b] for b in shown]))
        shown.insert(1, int(numeric[np.argmin([abs(places[b] - middle) for b in numeric])]))
    marks = [(places[b], number(float(f"{profile.at[b]:.3g}"))) for b in shown]
    most = max(3, 30 // max(1, named.size)) if not numeric.size else 7
    marks += [(places[b], short(profile.labels[b], most)) for b in named] if named.size <= 8 else []
    ticks = [text(frame.across(place), frame.floor + 17, label, "tick", "middle") for place, label in marks]
    return group(axis, *ticks)


def _line(frame: Frame, points: Sequence[tuple[float, float]]) -> Markup:
    path = " ".join(f"{frame.across(x):.1f},{frame.up(y):.1f}" for x, y in points)
    return tag("polyline", points=path) if len(points) > 1 else Markup("")


def _dash(frame: Frame, place: float, value: float) -> Markup:
    if not np.isfinite(value):
        return Markup("")
    at, y = frame.across(place), frame.up(value)
    return tag("line", x1=at - 8, x2=at + 8, y1=y, y2=y)


def _bin_text(profile: Profile, b: int, k: int, labels: Sequence[str]) -> str:
    where = short(profile.labels[b]) or f"about {profile.at[b]:.4g}"
    whose = f"{short(labels[k])}: " if labels else ""
    guess = profile.predicted[b, k]
    foreseen = f", predicted {guess:.4g}" if np.isfinite(guess) else ""
    return f"{whose}{profile.observed[b, k]:.4g}{foreseen} ({profile.size[b]} rows, {where})"


def map_chart(embedding: RowMap, labels: Sequence[str]) -> Markup:
    """Draw the map of rows, coloured by group or by the rank of y."""
    low, high = embedding.points.min(axis=0), embedding.points.max(axis=0)
    room = 0.05 * float((high - low).max() or 1.0)
    across, up = (float(low[0]) - room, float(high[0]) + room), (float(low[1]) - room, float(high[1]) + room)
    tall = float(np.clip(460.0 * (up[1] - up[0]) / (across[1] - across[0]), 220.0, 460.0))
    frame = Frame(460.0, tall, across, up, left=4.0, right=4.0, top=4.0, bottom=4.0)
    classes = _classes(embedding, labels)
    dots = []
    for (x, y), class_, row, value in zip(embedding.points, classes, embedding.rows, embedding.y, strict=True):
        label = short(labels[int(value)]) if labels else f"y = {value:.4g}"
        title = tag("title", f"row {row + 1}, {label}")
        dots.append(tag("circle", title, cx=frame.across(float(x)), cy=frame.up(float(y)), r=3, class_=class_))
    return figure(frame, "Map of rows by out-of-bag proximity.", group(*dots, class_="map"), class_="chart")


def _classes(embedding: RowMap, labels: Sequence[str]) -> list[str]:
    if labels:
        return [f"c{min(int(code), COLOURS - 1)}" for code in embedding.y]
    order = embedding.y.argsort(kind="stable").argsort(kind="stable")
    return [f"s{int(rank * SHADES // embedding.y.size)}" for rank in order]
