"""The data themselves: y alone, and y beside each of the most important columns, in some rows drawn at random.

Numbers beside numbers are points with the forests' out-of-bag curve; numbers by category or group are strips of points
with a box for the middle half; categories by group are bars of shares.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from markupsafe import Markup

from kmerf.core.safe_text import short
from kmerf.report.charts import COLOURS
from kmerf.report.svg import (
    Frame,
    axis_x,
    axis_y,
    below_levels,
    figure,
    group,
    level_axis,
    number,
    room_for,
    tag,
    text,
    ticks,
)
from kmerf.show.numbers import not_drawn

if TYPE_CHECKING:
    from kmerf.core.arrays import Bools, Floats, Ints
    from kmerf.results.views import DataPoints, Profile

LEVELS = 12  # categories in one drawing, those with most rows
WIDE, TALL = 310.0, 230.0
_OUTLYING = 8.0  # widths of the middle 96 % beyond which single values would squeeze all others
_GOLDEN = 0.6180339887498949


class Panel(NamedTuple):
    """A drawing, and what is left out of it."""

    chart: Markup
    note: str = ""


class Scale(NamedTuple):
    """The range of an axis, and whether only whole numbers are on it."""

    low: float
    high: float
    whole: bool
    outside: int = 0

    @property
    def limits(self) -> tuple[float, float]:
        """The range with a little air."""
        room = 0.05 * ((self.high - self.low) or 1.0)
        return self.low - room, self.high + room

    def marks(self, most: int = 4) -> list[float]:
        """Return round numbers within the range."""
        return ticks(*self.limits, most, whole=self.whole)


def scale_of(values: Floats) -> Scale:
    """Return the range to draw: all of it, unless a few values lie so far out that nothing else could be seen."""
    known = values[np.isfinite(values)]
    if not known.size:
        return Scale(0.0, 1.0, False)
    low, high = float(known.min()), float(known.max())
    whole = bool((known == np.round(known)).all())
    first, last = (float(v) for v in np.quantile(known, [0.02, 0.98]))
    middle = last - first
    if middle > 0.0 and high - low > _OUTLYING * middle:
        low, high = max(low, first - middle), min(high, last + middle)
    return Scale(low, high, whole, int(((known < low) | (known > high)).sum()))


def y_alone(points: DataPoints | None, groups: Mapping[str, int], name: str) -> Panel | None:
    """Draw the distribution of y: a histogram, or how many rows each group has."""
    if groups:
        return _counts(groups, name)
    if points is None:
        return None
    scale = scale_of(points.y)
    kept = points.y[(points.y >= scale.low) & (points.y <= scale.high)]
    distinct = np.unique(kept)
    if scale.whole and distinct.size <= 2 * LEVELS and scale.high - scale.low <= 2 * LEVELS:
        edges = np.arange(scale.low - 0.5, scale.high + 1.0)
    else:
        edges = np.linspace(scale.low, scale.high, int(np.clip(np.sqrt(kept.size), 6, 24)) + 1)
    counts, edges = np.histogram(kept, bins=edges)
    most = float(counts.max())
    left = room_for([number(v) for v in ticks(0.0, most, 4, whole=True)])
    wide = (min(scale.limits[0], float(edges[0])), max(scale.limits[1], float(edges[-1])))
    frame = Frame(WIDE, TALL, wide, (0.0, 1.08 * most), left=left, top=26.0)
    bars = [
        _bar(frame, float(a), float(b), float(c)) for c, a, b in zip(counts, edges[:-1], edges[1:], strict=True) if c
    ]
    axes = axis_y(frame, ticks(0.0, most, 4, whole=True), "rows"), axis_x(frame, name, scale.marks())
    drawn = figure(frame, f"Histogram of {name}.", axes[0], group(*bars, class_="bars"), axes[1], class_="chart small")
    return Panel(drawn, _outside_note(scale))


def panel(
    profile: Profile, points: DataPoints | None, groups: Sequence[str], y: str, *, scale: Scale | None = None
) -> Panel | None:
    """Draw y, or the groups, beside one column; None where there is nothing to draw it from."""
    j = None if points is None or profile.feature not in points.features else points.features.index(profile.feature)
    categories = bool(np.isnan(profile.at).all())
    if groups:
        if categories:
            return _shares(profile, groups, y)
        if points is None or j is None:
            return None
        return strips(points.x[:, j], points.y, groups, profile.feature, y, coloured=True)
    scale = scale or scale_of(profile.observed[:, 0] if points is None else points.y)
    if not categories:
        return _scatter(profile, None if j is None or points is None else (points.x[:, j], points.y), y, scale)
    if points is None or j is None:
        return None
    codes = np.where(np.isnan(points.x[:, j]), len(points.levels[j]), points.x[:, j])
    return strips(points.y, codes, (*points.levels[j], "missing"), y, profile.feature, scale=scale)


def strips(
    values: Floats,
    codes: Floats,
    names: Sequence[str],
    value_name: str,
    code_name: str,
    *,
    coloured: bool = False,
    scale: Scale | None = None,
) -> Panel:
    """Draw numbers by category: points, with a box for the middle half and a line for the median."""
    shown, left_out = _largest(np.bincount(codes.astype(np.int64), minlength=len(names)))
    scale = scale or scale_of(values)
    labels = [names[k] for k in shown]
    frame = _level_frame(labels, scale)
    drawn = []
    for place, k in enumerate(shown):
        mine = values[codes == k]
        held = mine[np.isfinite(mine) & (mine >= scale.low) & (mine <= scale.high)]
        class_ = f"strip c{min(int(k), COLOURS - 1)}" if coloured else "strip c0"
        if held.size:
            drawn.append(group(*_strip(frame, place, held), class_=class_))
    axis = level_axis(frame, code_name, range(len(shown)), labels)
    content = axis_y(frame, scale.marks(), value_name), *drawn, axis
    gaps = int(np.isnan(values).sum())
    notes = (
        not_drawn(left_out),
        f"{gaps} of the rows drawn have no value of {short(value_name)}." if gaps else "",
        _outside_note(scale),
    )
    label = f"{value_name} for each of {len(shown)} categories of {code_name}."
    return Panel(figure(frame, label, *content, class_="chart small"), " ".join(note for note in notes if note))


def _strip(frame: Frame, place: int, values: Floats) -> list[Markup]:
    slot = frame.across(1.0) - frame.across(0.0)
    half = min(0.28 * slot, 22.0)
    middle = frame.across(float(place))
    at = middle + half * 1.5 * (_scattered(values.size) - 0.5)
    dots = [tag("circle", cx=float(x), cy=frame.up(float(v)), r=1.7) for x, v in zip(at, values, strict=True)]
    low, median, high = (frame.up(float(v)) for v in np.quantile(values, [0.25, 0.5, 0.75]))
    box = tag("rect", x=middle - half, y=high, width=2 * half, height=max(low - high, 0.8), class_="box")
    line = tag("line", x1=middle - half, x2=middle + half, y1=median, y2=median, class_="median")
    return [group(*dots, class_="raw"), box, line]


def _scatter(profile: Profile, raw: tuple[Floats, Floats] | None, y: str, scale: Scale) -> Panel:
    """Draw numbers beside numbers: points, the out-of-bag curve and twice its standard error to both sides."""
    numeric = ~np.isnan(profile.at)
    gap = not numeric.all()
    across = scale_of(profile.at[numeric] if raw is None else raw[0])
    left = room_for([number(v) for v in scale.marks()])
    frame = Frame(WIDE, TALL, across.limits, scale.limits, left=left, right=64.0 if gap else 10.0, top=26.0)
    apart = frame.width - 30.0  # where rows without a value stand
    dots = [] if raw is None else _dots(frame, raw[0], raw[1], across, scale, apart)
    curve = _curve(frame, profile, numeric)
    aside = _aside(frame, profile, numeric, apart) if gap else Markup("")
    label = f"{y} against {profile.feature}, with what the forests predict."
    content = axis_y(frame, scale.marks(), y), group(*dots, class_="raw c0"), curve, aside
    axis = axis_x(frame, profile.feature, across.marks())
    notes = _outside_note(across._replace(outside=across.outside + scale.outside))
    return Panel(figure(frame, label, *content, axis, class_="chart small"), notes)


def _dots(frame: Frame, x: Floats, y: Floats, across: Scale, up: Scale, apart: float) -> list[Markup]:
    few = np.unique(x[np.isfinite(x)]).size <= LEVELS
    jitter = 12.0 * (_scattered(x.size) - 0.5)
    drawn = []
    for k, (a, b) in enumerate(zip(x.tolist(), y.tolist(), strict=True)):
        if not up.low <= b <= up.high or (a == a and not across.low <= a <= across.high):
            continue
        at = apart + 1.6 * jitter[k] if a != a else frame.across(a) + (jitter[k] if few else 0.0)
        drawn.append(tag("circle", cx=float(at), cy=frame.up(b), r=1.9))
    return drawn


def _curve(frame: Frame, profile: Profile, numeric: Bools) -> Markup:
    known = numeric & np.isfinite(profile.predicted[:, 0])
    at, mean = profile.at[known], profile.predicted[known, 0]
    if at.size < 2:
        return Markup("")
    points = [(frame.across(float(x)), float(v)) for x, v in zip(at, mean, strict=True)]
    line = tag("polyline", points=" ".join(f"{x:.1f},{_within(frame, v):.1f}" for x, v in points))
    error = np.zeros(at.size) if profile.error is None else np.nan_to_num(profile.error[known, 0])
    upper = [f"{x:.1f},{_within(frame, v + 2 * e):.1f}" for (x, v), e in zip(points, error, strict=True)]
    lower = [f"{x:.1f},{_within(frame, v - 2 * e):.1f}" for (x, v), e in zip(points, error, strict=True)]
    band = tag("polygon", points=" ".join([*upper, *lower[::-1]]))
    return group(band, line, class_="curve")


def _within(frame: Frame, value: float) -> float:
    return min(max(frame.up(value), frame.top), frame.floor)


def _aside(frame: Frame, profile: Profile, numeric: Bools, at: float) -> Markup:
    """Draw rows without a value apart from the axis of values."""
    edge = frame.width - frame.right + 4.0
    rule = tag("line", x1=edge, x2=edge, y1=frame.top, y2=frame.floor, class_="apart")
    name = text(at, frame.floor + 17, "missing", "tick", "middle")
    base = tag("line", x1=edge + 4, x2=frame.width, y1=frame.floor, y2=frame.floor, class_="axis")
    values = [float(v) for v in profile.predicted[~numeric, 0] if np.isfinite(v)]
    dashes = [tag("line", x1=at - 14, x2=at + 14, y1=frame.up(v), y2=frame.up(v)) for v in values]
    return group(rule, base, name, group(*dashes, class_="curve"))


def _shares(profile: Profile, groups: Sequence[str], y: str) -> Panel:
    """Draw the share of each group in every category, as bars from 0 to 100 %."""
    shown, left_out = _largest(profile.size)
    labels = [profile.labels[b] for b in shown]
    frame = _level_frame(labels, Scale(0.0, 1.0, False), top=1.0)
    bars = []
    for place, b in enumerate(shown):
        below = 0.0
        for k, share in enumerate(profile.observed[b].tolist()):
            if share > 0.0:
                title = tag("title", f"{short(groups[k])}: {100 * share:.0f} % of {profile.size[b]} rows")
                x0, y0 = frame.across(place - 0.36), frame.up(below + share)
                high = frame.up(below) - y0
                colour = f"c{min(k, COLOURS - 1)}"
                wide = frame.across(place + 0.36) - x0
                bars.append(tag("rect", title, x=x0, y=y0, width=wide, height=high, class_=colour))
            below += share
    marks = [0.0, 0.5, 1.0]
    lines = [tag("line", x1=frame.left, x2=WIDE - 10, y1=frame.up(v), y2=frame.up(v), class_="grid") for v in marks]
    names = [text(frame.left - 7, frame.up(v) + 4, f"{100 * v:.0f} %", "tick", "end") for v in marks]
    head = text(2.0, frame.top - 9.0, short(f"share of each {y or 'group'}", 44), "label")
    axis = level_axis(frame, profile.feature, range(len(shown)), labels)
    label = f"Shares of the groups in {len(shown)} categories of {profile.feature}."
    drawn = figure(frame, label, group(*lines, *names, head), group(*bars, class_="stack"), axis, class_="chart small")
    return Panel(drawn, not_drawn(left_out))


def _counts(groups: Mapping[str, int], name: str) -> Panel:
    """Draw how many rows each group has."""
    sizes = np.array(list(groups.values()))
    shown, left_out = _largest(sizes)
    labels = [list(groups)[k] for k in shown]
    scale = Scale(0.0, float(sizes.max()), True)
    frame = _level_frame(labels, scale, top=1.08 * scale.high)
    bars = [
        group(_bar(frame, place - 0.32, place + 0.32, float(sizes[k])), class_=f"stack c{min(int(k), COLOURS - 1)}")
        for place, k in enumerate(shown)
    ]
    axis = level_axis(frame, name, range(len(shown)), labels)
    content = axis_y(frame, ticks(0.0, scale.high, 4, whole=True), "rows"), *bars, axis
    drawn = figure(frame, f"Rows of each of {len(groups)} groups.", *content, class_="chart small")
    return Panel(drawn, not_drawn(left_out, "group", "groups"))


def _level_frame(labels: Sequence[str], scale: Scale, top: float | None = None) -> Frame:
    """Return a frame with categories 0, 1, ... across, and room for their names below."""
    limits = scale.limits if top is None else (0.0, top)
    left = room_for([number(v) for v in scale.marks()]) if top != 1.0 else 46.0
    below = below_levels(labels, WIDE - left - 10.0)
    across = (-0.6, len(labels) - 0.4)
    return Frame(WIDE, TALL + below - 40.0, across, limits, left=left, right=10.0, top=26.0, bottom=below)


def _bar(frame: Frame, start: float, end: float, count: float) -> Markup:
    x, y = frame.across(start), frame.up(count)
    return tag("rect", x=x, y=y, width=max(frame.across(end) - x - 0.7, 0.6), height=frame.floor - y)


def _largest(sizes: Ints) -> tuple[list[int], int]:
    """Return the categories to draw, in their order, and how many others have rows."""
    ranked = [int(k) for k in np.argsort(-sizes, kind="stable") if sizes[k] > 0]
    return sorted(ranked[:LEVELS]), max(0, len(ranked) - LEVELS)


def _scattered(size: int) -> Floats:
    """Return numbers between 0 and 1, evenly spread, for points that would cover each other."""
    return np.asarray((np.arange(1, size + 1) * _GOLDEN) % 1.0)


def _outside_note(scale: Scale) -> str:
    if not scale.outside:
        return ""
    return "1 row lies outside." if scale.outside == 1 else f"{scale.outside} rows lie outside."
