"""Pictures of the data themselves: y alone, and y beside one column, in some rows drawn at random.

Numbers beside numbers are points with the forests' out-of-bag curve; numbers by category or group are strips of points
with a box for the middle half; categories by group are bars of shares.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kmerf.core.safe_text import short
from kmerf.pictures import vocabulary as v
from kmerf.show.numbers import not_drawn

if TYPE_CHECKING:
    from kmerf.core.arrays import Bools, Floats, Ints
    from kmerf.results.views import DataPoints, Profile

LEVELS = 12  # categories in one picture, those with most rows
_OUTLYING = 8.0  # widths of the middle 96 % beyond which single values would squeeze all others
_GOLDEN = 0.6180339887498949


class Scale(NamedTuple):
    """The range of an axis, whether only whole numbers are on it, and how many rows lie outside."""

    low: float
    high: float
    whole: bool
    outside: int = 0

    def axis(self, label: str) -> v.Axis:
        """Return the axis, with a little air at its ends."""
        room = 0.05 * ((self.high - self.low) or 1.0)
        return v.Axis((self.low - room, self.high + room), label, whole=self.whole, most=4)

    def holds(self, values: Floats) -> Bools:
        """Say which values are inside."""
        return np.asarray((values >= self.low) & (values <= self.high))


def scale_of(values: Floats) -> Scale:
    """Return the range to show: all of it, unless a few values lie so far out that nothing else could be seen."""
    finite = values[np.isfinite(values)]
    if not finite.size:
        return Scale(0.0, 1.0, False)
    low, high = float(finite.min()), float(finite.max())
    whole = bool((finite == np.round(finite)).all())
    first, last = (float(end) for end in np.quantile(finite, [0.02, 0.98]))
    middle = last - first
    if middle > 0.0 and high - low > _OUTLYING * middle:
        low, high = max(low, first - middle), min(high, last + middle)
    return Scale(low, high, whole, int(((finite < low) | (finite > high)).sum()))


def y_alone(points: DataPoints | None, groups: Mapping[str, int], name: str) -> v.Picture | None:
    """Show the distribution of y: a histogram, or how many rows each group has."""
    if groups:
        return _counts(groups, name)
    if points is None:
        return None
    scale = scale_of(points.y)
    inside = points.y[scale.holds(points.y)]
    edges: Floats
    if scale.whole and np.unique(inside).size <= 2 * LEVELS and scale.high - scale.low <= 2 * LEVELS:
        edges = np.arange(scale.low - 0.5, scale.high + 1.0)
    else:
        edges = np.linspace(scale.low, scale.high, int(np.clip(np.sqrt(inside.size), 6, 24)) + 1)
    axis = scale.axis(name)
    wide = (min(axis.limits[0], float(edges[0])), max(axis.limits[1], float(edges[-1])))
    bars, y, _ = v.histogram(inside, edges, "rows", 1.08)
    x = v.Axis(wide, name, axis.marks)
    return v.Picture(f"Histogram of {name}.", x, y, (bars,), note=_outside_note(scale.outside))


def beside(
    profile: Profile,
    points: DataPoints | None,
    groups: Sequence[str],
    y: str,
    *,
    scale: Scale | None = None,
    rows: bool = True,
) -> v.Picture:
    """Show y, or the groups, beside one column; with `rows` False, groups are shares and not rows."""
    j = None if points is None or profile.feature not in points.features else points.features.index(profile.feature)
    categories = bool(np.isnan(profile.at).all())
    if groups:
        if categories:
            return _shares(profile, groups, y)
        if points is None or j is None or not rows:
            return _share_lines(profile, groups, y)
        return strips(points.x[:, j], points.y, groups, profile.feature, y, coloured=True)
    scale = scale or scale_of(profile.observed[:, 0] if points is None else points.y)
    if not categories:
        return _scatter(profile, None if j is None or points is None else (points.x[:, j], points.y), y, scale)
    predicted = dict(zip(profile.labels, profile.predicted[:, 0].tolist(), strict=True))
    if points is None or j is None:  # all there is are the means
        at = np.arange(profile.size.size, dtype=np.float64)
        return strips(profile.observed[:, 0], at, profile.labels, y, profile.feature, scale=scale, predicted=predicted)
    codes = np.where(np.isnan(points.x[:, j]), len(points.levels[j]), points.x[:, j])
    names = (*points.levels[j], "missing")
    return strips(points.y, codes, names, y, profile.feature, scale=scale, predicted=predicted)


def strips(
    values: Floats,
    codes: Floats,
    names: Sequence[str],
    value_name: str,
    code_name: str,
    *,
    coloured: bool = False,
    scale: Scale | None = None,
    predicted: Mapping[str, float] | None = None,
) -> v.Picture:
    """Show numbers by category: points, a box for the middle half, the median, and what the forests predict."""
    largest, left_out = _largest(np.bincount(codes.astype(np.int64), minlength=len(names)))
    scale = scale or scale_of(values)
    marks: list[v.Mark] = []
    for place, k in enumerate(largest):
        mine = values[(codes == k) & scale.holds(values)]
        if mine.size:
            marks += _strip(place, mine, v.shared(k) if coloured else 0)
    known = [(place, predicted[names[k]]) for place, k in enumerate(largest) if predicted and names[k] in predicted]
    if known:
        at, mean = np.array(known).T
        marks.append(v.Segments(at - 0.4, at + 0.4, mean, mean, role="curve"))
    gaps = int(np.isnan(values).sum())
    missing = f"{gaps} of the rows drawn have no value of {short(value_name)}." if gaps else ""
    note = " ".join(filter(None, (not_drawn(left_out), missing, _outside_note(scale.outside))))
    text = f"{value_name} for each of {len(largest)} categories of {code_name}."
    x = _level_axis(code_name, [names[k] for k in largest])
    return v.Picture(text, x, scale.axis(value_name), tuple(marks), note=note)


def _strip(place: int, values: Floats, group: int) -> list[v.Mark]:
    low, median, high = np.quantile(values, [0.25, 0.5, 0.75])
    return [
        v.Points(place + 0.42 * (_scattered(values.size) - 0.5), values, 1.7, role="raw", group=group),
        v.Bars(place - 0.28, place + 0.28, low, high, role="box", group=group),
        v.Segments(place - 0.28, place + 0.28, median, median, role="median", group=group),
    ]


def _scatter(profile: Profile, raw: tuple[Floats, Floats] | None, y: str, scale: Scale) -> v.Picture:
    """Show numbers beside numbers: points, the out-of-bag curve and twice its standard error to both sides."""
    numeric = ~np.isnan(profile.at)
    a, b = (profile.at, profile.observed[:, 0]) if raw is None else raw
    across = scale_of(a)
    x, apart = _with_missing(across.axis(profile.feature), bool(numeric.all()))
    jitter = 0.05 * (x.limits[1] - x.limits[0]) * (_scattered(a.size) - 0.5)
    few = np.unique(a[np.isfinite(a)]).size <= LEVELS
    inside = scale.holds(b) & (across.holds(a) | (np.isnan(a) & (apart is not None)))
    beyond = (0.0 if apart is None else apart) + 1.4 * jitter
    place = np.where(np.isnan(a), beyond, a + (jitter if few and raw is not None else 0.0))
    marks: list[v.Mark] = [v.Points(place[inside], b[inside], role="raw", group=0)]
    up = scale.axis(y)
    curve = numeric & np.isfinite(profile.predicted[:, 0])
    if curve.sum() > 1:
        at, mean = profile.at[curve], profile.predicted[curve, 0]
        half = 2 * np.nan_to_num(0 * mean if profile.error is None else profile.error[curve, 0])
        marks.append(v.Band(at, np.clip(mean - half, *up.limits), np.clip(mean + half, *up.limits), role="curve"))
        marks.append(v.Line(at, np.clip(mean, *up.limits), role="curve"))
    if apart is not None and x.gap is not None:
        mean = profile.predicted[~numeric & np.isfinite(profile.predicted[:, 0]), 0]
        marks += _aside(apart, mean, x, "curve")
    text = f"{y} against {profile.feature}, with what the forests predict."
    return v.Picture(text, x, up, tuple(marks), note=_outside_note(across.outside + scale.outside))


def _with_missing(axis: v.Axis, complete: bool) -> tuple[v.Axis, float | None]:
    """Return an axis with a place apart for rows without a value, and where that is; nothing of it if complete."""
    if complete:
        return axis, None
    low, end = axis.limits
    wide = end - low
    names = (*axis.texts, "missing")
    apart = end + 0.16 * wide
    gap = (end, end + 0.04 * wide)
    return v.Axis((low, end + 0.28 * wide), axis.label, (*axis.marks, apart), names, gap=gap), apart


def _aside(apart: float, mean: Floats, x: v.Axis, role: str, group: int | None = None) -> list[v.Mark]:
    """Return what is predicted for rows without a value, apart from those with one."""
    assert x.gap is not None
    half = 0.5 * (apart - x.gap[1])
    dash = v.Segments(apart - half, apart + half, mean, mean, role=role, group=group)
    return [v.Rule(x.gap[0], upright=True, role="apart"), dash]


def _shares(profile: Profile, groups: Sequence[str], y: str) -> v.Picture:
    """Show the share of each group in every category, as bars from 0 to 100 %."""
    largest, left_out = _largest(profile.size)
    shares = profile.observed[largest]
    below = np.cumsum(shares, axis=1) - shares
    at = np.arange(len(largest), dtype=np.float64)
    marks = []
    for k, group in enumerate(groups):
        some = shares[:, k] > 0.0
        titles = tuple(
            f"{short(group)}: {100 * profile.observed[b, k]:.0f} % of {profile.size[b]} rows"
            for b in np.array(largest)[some]
        )
        ends = below[some, k], below[some, k] + shares[some, k]
        marks.append(
            v.Bars(at[some] - 0.36, at[some] + 0.36, *ends, titles, role="stack", group=v.shared(k), label=group)
        )
    text = f"Shares of the groups in {len(largest)} categories of {profile.feature}."
    x = _level_axis(profile.feature, [profile.labels[b] for b in largest])
    return v.Picture(text, x, _share_axis(y), tuple(marks), note=not_drawn(left_out), legend="")


def _share_lines(profile: Profile, groups: Sequence[str], y: str) -> v.Picture:
    """Show the share of each group along numbers: points for the rows of a bin, lines for what is predicted."""
    numeric = ~np.isnan(profile.at)
    x, apart = _with_missing(scale_of(profile.at).axis(profile.feature), bool(numeric.all()))
    at = np.where(numeric, profile.at, np.nan if apart is None else apart)
    marks: list[v.Mark] = []
    for k, group in enumerate(groups):
        predicted = profile.predicted[numeric, k]
        marks.append(v.Points(at, profile.observed[:, k], 3.4, role="raw", group=v.shared(k)))
        marks.append(v.Line(at[numeric], predicted, label=group, role="series", group=v.shared(k)))
        if apart is not None:
            marks += _aside(apart, profile.predicted[~numeric, k], x, "series", v.shared(k))
    text = f"Shares of {len(groups)} groups against {profile.feature}, with what the forests predict."
    return v.Picture(text, x, _share_axis(y), tuple(marks))


def _share_axis(y: str) -> v.Axis:
    return v.Axis((0.0, 1.04), f"share of each {y or 'group'}", (0.0, 0.5, 1.0), ("0 %", "50 %", "100 %"))


def _counts(groups: Mapping[str, int], name: str) -> v.Picture:
    """Show how many rows each group has."""
    sizes = np.array(list(groups.values()))
    largest, left_out = _largest(sizes)
    bars = tuple(
        v.Bars(place - 0.32, place + 0.32, 0.0, sizes[k], role="stack", group=v.shared(k))
        for place, k in enumerate(largest)
    )
    x, y = _level_axis(name, [list(groups)[k] for k in largest]), v.count_axis(float(sizes.max()), "rows", 1.08)
    return v.Picture(f"Rows of each of {len(groups)} groups.", x, y, bars, note=not_drawn(left_out, "group", "groups"))


def _level_axis(label: str, names: Sequence[str]) -> v.Axis:
    """Return an axis of categories 0, 1, ..."""
    return v.Axis((-0.6, len(names) - 0.4), label, tuple(map(float, range(len(names)))), tuple(names))


def _largest(sizes: Ints) -> tuple[list[int], int]:
    """Return the categories to show, in their order, and how many others have rows."""
    ranked = [int(k) for k in np.argsort(-sizes, kind="stable") if sizes[k] > 0]
    return sorted(ranked[:LEVELS]), max(0, len(ranked) - LEVELS)


def _scattered(size: int) -> Floats:
    """Return numbers between 0 and 1, evenly spread, for points that would cover each other."""
    return np.asarray((np.arange(1, size + 1) * _GOLDEN) % 1.0)


def _outside_note(outside: int) -> str:
    return {0: "", 1: "1 row lies outside."}.get(outside, f"{outside} rows lie outside.")
