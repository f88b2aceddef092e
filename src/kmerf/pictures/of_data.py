"""Pictures of the data themselves: y alone, and y beside one column, in some rows drawn at random.

Numbers beside numbers are points with a curve. Numbers by category, by group, or beside a column with a handful of
values are strips of points with the mean of each and its 95 % interval. Two values beside categories are shares with
intervals, several groups beside categories stacked shares. Given z, rows and means have z removed and say so; rows of
one block are joined by a line. A column of positive numbers that spans decades has a logarithmic axis. Means,
intervals and shares are those of all rows, not of the rows drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kmerf.core.calendar import date_text, date_ticks, is_dated, plain_name
from kmerf.core.safe_text import short
from kmerf.pictures import vocabulary as v
from kmerf.show.numbers import not_drawn

if TYPE_CHECKING:
    from kmerf.core.arrays import Bools, Floats, Ints
    from kmerf.results.views import DataPoints, DescribedColumn, Profile

LEVELS = 12  # categories in one picture, those with most rows
MAX_BLOCKS = 40  # whose rows are joined by lines
FEW_VALUES = 5  # numbers that are shown as categories are
MIN_ROWS = 4  # of an interval
_OUTLYING = 8.0  # widths of the middle 96 % beyond which single values would squeeze all others
_DECADES = 100.0  # largest over smallest, from which on a skewed column has a logarithmic axis
_SKEWED = 4.0  # how many times as far the upper end is from the median as the lower
_GOLDEN = 0.6180339887498949
_Z = 1.959963984540054  # the normal quantile of a 95 % interval

_THREADS = "Grey lines join the rows of one block, or their means."
_MOVED = "Points with equal values are moved apart a little."
_BOX = "The box holds the middle half, its line is the median."
_MEAN = "Diamond and bar: the mean and its 95 % interval."
_ADJUSTED = "Diamond and bar: the adjusted mean and its 95 % interval."
_WITHIN = "Diamond and bar: the mean and its 95 % interval, with differences between blocks removed."


class Scale(NamedTuple):
    """The range of an axis, whether only whole numbers are on it, how many rows lie outside, and if it is by ratios."""

    low: float
    high: float
    whole: bool
    outside: int = 0
    log: bool = False
    unit: str = ""

    def axis(self, label: str) -> v.Axis:
        """Return the axis, with a little air at its ends; one of dates has dates at its ticks."""
        if self.log:
            room = (self.high / self.low) ** 0.05
            return v.Axis((self.low / room, self.high * room), label, log=True, most=4)
        room = 0.05 * ((self.high - self.low) or 1.0)
        limits = (self.low - room, self.high + room)
        if is_dated(self.unit):
            ticks, names = date_ticks(*limits, self.unit)
            return v.Axis(limits, label, ticks, names)
        return v.Axis(limits, label, whole=self.whole, most=4)

    def holds(self, values: Floats) -> Bools:
        """Say which values are inside."""
        return np.asarray((values >= self.low) & (values <= self.high))


class Estimates(NamedTuple):
    """Means or shares with their intervals, and of how many rows they are."""

    mean: Floats
    low: Floats
    high: Floats
    rows: Ints
    says: str = _MEAN


class Look(NamedTuple):
    """How y is shown beside a column."""

    rows: bool = True
    """Whether groups beside numbers are rows; if not, they are shares along the numbers."""
    column: int = 0
    """Which column of y is shown, if it has several."""
    unit: str = "row"
    """What a point is."""
    counts: bool = False
    """Whether the number of rows stands above each category."""
    letters: Mapping[str, str] = {}
    """What stands above each group, after the number of its rows."""
    given: str = ""
    """The names of what was removed from y."""
    units: Mapping[str, str] = {}
    """The units of columns that have one, by their names."""

    def label(self, name: str) -> str:
        """Return what an axis of a column is called."""
        unit = self.units.get(name, "")
        if is_dated(unit):
            return plain_name(name, unit)
        return f"{short(name, 34)}, {unit}" if unit else name

    def value(self, name: str, value: float) -> str:
        """Return a value of a column as it stands on an axis."""
        unit = self.units.get(name, "")
        return date_text(value, unit) if is_dated(unit) else v.number(value)

    def scale(self, name: str, values: Floats) -> Scale:
        """Return the range of a column to show."""
        return scale_of(values, self.units.get(name, ""))


PLAIN = Look()


def scale_of(values: Floats, unit: str = "") -> Scale:
    """Return the range to show: all of it, unless a few values lie so far out that nothing else could be seen."""
    finite = values[np.isfinite(values)]
    if not finite.size:
        return Scale(0.0, 1.0, False)
    low, high = float(finite.min()), float(finite.max())
    whole = bool((finite == np.round(finite)).all())
    first, median, last = (float(end) for end in np.quantile(finite, [0.02, 0.5, 0.98]))
    if not is_dated(unit) and low > 0.0 and high >= _DECADES * low and last - median > _SKEWED * (median - first):
        return Scale(low, high, False, log=True)
    middle = last - first
    if middle > 0.0 and high - low > _OUTLYING * middle:
        low, high = max(low, first - middle), min(high, last + middle)
    return Scale(low, high, whole, int(((finite < low) | (finite > high)).sum()), unit=unit)


def interval_of(mean: Floats, error: Floats, rows: Ints, says: str = _MEAN) -> Estimates:
    """Return means with their 95 % intervals by Student's t; none of fewer than `MIN_ROWS` rows.

    The quantile is Fisher's expansion in the degrees of freedom, right to 1 % from 3 of them on.

    >>> interval_of(np.zeros(2), np.ones(2), np.array([11, 3])).high.round(2).tolist()  # scipy: 2.228
    [2.23, nan]
    """
    free = np.maximum(np.asarray(rows, dtype=np.float64) - 1.0, 1.0)
    z = _Z
    t = z + (z**3 + z) / (4 * free) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * free**2)
    t = t + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * free**3)
    half = np.where(np.asarray(rows) >= MIN_ROWS, t * error, np.nan)
    return Estimates(mean, mean - half, mean + half, rows, says)


def share_interval(share: Floats, rows: Ints, says: str = "") -> Estimates:
    """Return shares with their 95 % intervals by Wilson.

    >>> found = share_interval(np.array([0.1]), np.array([50]))  # statsmodels: 0.0435 to 0.2136
    >>> found.low.round(4).tolist(), found.high.round(4).tolist()
    ([0.0435], [0.2136])
    """
    n = np.maximum(np.asarray(rows, dtype=np.float64), 1.0)
    middle = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z / (1 + _Z**2 / n) * np.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2))
    return Estimates(share, np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0), rows, says)


def y_alone(points: DataPoints | None, groups: Mapping[str, int], name: str, look: Look = PLAIN) -> v.Picture | None:
    """Show the distribution of y: a histogram, or how many rows each group has."""
    if groups:
        return _counts(groups, name)
    if points is None:
        return None
    scale = look.scale(name, points.y)
    inside = points.y[scale.holds(points.y)]
    edges: Floats
    if scale.whole and np.unique(inside).size <= 2 * LEVELS and scale.high - scale.low <= 2 * LEVELS:
        edges = np.arange(scale.low - 0.5, scale.high + 1.0)
    else:
        spaced = np.geomspace if scale.log else np.linspace
        edges = spaced(scale.low, scale.high, int(np.clip(np.sqrt(inside.size), 6, 24)) + 1)
    axis = scale.axis(look.label(name))
    wide = (min(axis.limits[0], float(edges[0])), max(axis.limits[1], float(edges[-1])))
    bars, y, _ = v.histogram(inside, edges, "rows", 1.08)
    x = v.Axis(wide, axis.label, axis.marks, axis.names, log=scale.log)
    note = _notes(scale.outside, [name] if scale.log else [])
    return v.Picture(f"Histogram of {name}.", x, y, (bars,), note=note)


def column_alone(column: DescribedColumn, rows: int) -> v.Picture | None:
    """Show what a column of a table of some `rows` holds: a histogram, or how often each label occurs."""
    if not column.bars:
        return None
    counts, places = list(map(float, column.bars)), np.arange(len(column.bars), dtype=np.float64)
    label = f"{column.name}, {column.unit}" if column.unit else column.name
    if column.levels:
        other = rows - column.missing - sum(column.counts)
        names = [*column.levels, *(["others"] if other > 0 else [])]
        counts = [*map(float, column.counts), *([float(other)] if other > 0 else [])]
        x, left, right = _level_axis(label, names), -0.36, 0.36
        places = np.arange(len(names), dtype=np.float64)
    elif column.quantiles:
        edges = np.linspace(column.quantiles[0], column.quantiles[-1], len(counts) + 1)
        whole = all(float(value).is_integer() for value in column.quantiles)  # such as years
        x = v.Axis((float(edges[0]), float(edges[-1])), label, whole=whole, most=3)
        if edges[0] == edges[-1]:
            x, edges = _level_axis(label, [v.number(float(edges[0]))]), np.array([-0.3, 0.3])
        places, left, right = edges[:-1], 0.0, float(edges[1] - edges[0])
    else:  # dates, of which the first and the last are known
        ends = column.values.split(" to ")
        x = v.Axis((0.0, float(len(counts))), label, (0.0, float(len(counts))), tuple(ends) if len(ends) == 2 else ())
        left, right = 0.0, 1.0
    bars = v.Bars(places + left, places + right, 0.0, counts, role="bars")
    return v.Picture(f"Rows by values of {column.name}.", x, v.count_axis(max(counts), "rows", 1.08), (bars,))


def column_bars(column: DescribedColumn) -> v.Picture | None:
    """Show the histogram of a column in a cell of a table."""
    if not column.bars:
        return None
    at, counts = np.arange(len(column.bars), dtype=np.float64), np.array(column.bars, dtype=np.float64)
    bars = v.Bars(at + 0.06, at + 0.94, 0.0, counts, role="bars cell")
    axes = v.Axis((0.0, float(max(8, at.size))), ticks=()), v.Axis((0.0, float(counts.max())), ticks=())
    return v.Picture(f"Rows by values of {column.name}.", *axes, (bars,), size=(96.0, 24.0))


def beside(
    profile: Profile,
    points: DataPoints | None,
    groups: Sequence[str],
    y: str,
    *,
    scale: Scale | None = None,
    look: Look = PLAIN,
) -> v.Picture:
    """Show y, or the groups, beside one column."""
    j = None if points is None or profile.feature not in points.features else points.features.index(profile.feature)
    raw = None if points is None or j is None else points.x[:, j]
    categories = bool(np.isnan(profile.at).all())
    if groups:
        return _groups_beside(profile, points, raw, groups, y, look)
    values = _y_values(points, j, look)
    scale = scale or look.scale(y, profile.observed[:, look.column] if values is None else values)
    if points is None or raw is None or values is None:
        if not categories:
            return _scatter(profile, None, y, scale, look)
        at = np.arange(profile.size.size, dtype=np.float64)  # all there is are the means
        every = _estimates(profile, look)
        return strips(profile.observed[:, look.column], at, profile.labels, y, profile.feature, every, scale=scale)
    if not categories and _values_of(raw).size > FEW_VALUES:
        return _scatter(profile, (raw, values, points.blocks), y, scale, look)
    assert j is not None
    known = _values_of(raw) if not categories else np.arange(len(points.levels[j]), dtype=np.float64)
    called = points.levels[j] if categories else [look.value(profile.feature, float(value)) for value in known]
    names = (*called, "missing")
    codes = np.where(np.isnan(raw), len(known), np.searchsorted(known, raw)).astype(np.float64)
    every = _estimates(profile, look)
    places = _places_of(profile, names, known, categories)
    blocks = points.blocks
    return strips(values, codes, names, y, profile.feature, every, places=places, scale=scale, blocks=blocks, look=look)


def _y_values(points: DataPoints | None, j: int | None, look: Look) -> Floats | None:
    """Return what is drawn of y: one of its columns or, given z, the column with z removed."""
    if points is None:
        return None
    if points.adjusted is not None and j is not None and look.column == 0:
        return points.adjusted[:, j]
    return points.y if look.column == 0 or points.more_y is None else points.more_y[:, look.column - 1]


def _values_of(raw: Floats) -> Floats:
    return np.unique(raw[np.isfinite(raw)])


def _places_of(profile: Profile, names: Sequence[str], known: Floats, categories: bool) -> list[int]:
    """Return to which of the names each bin of a profile belongs."""
    if categories:
        return [names.index(label) for label in profile.labels]
    return [len(known) if np.isnan(at) else int(np.searchsorted(known, at)) for at in profile.at]


def _estimates(profile: Profile, look: Look) -> Estimates | None:
    """Return the mean of y in each bin with its interval; None where the result does not have it."""
    k = look.column
    if profile.kind == "adjusted" and profile.error is not None:
        says = _ADJUSTED if look.given else _WITHIN
        return interval_of(profile.predicted[:, k], profile.error[:, k], profile.size, says)
    if profile.spread is None:
        return None
    return interval_of(profile.observed[:, k], profile.spread[:, k] / np.sqrt(profile.size), profile.size)


def _groups_beside(
    profile: Profile, points: DataPoints | None, raw: Floats | None, groups: Sequence[str], y: str, look: Look
) -> v.Picture:
    """Show groups beside one column: shares, or the values of the column by group."""
    if np.isnan(profile.at).all():
        if look.rows and len(profile.labels) == 2 and profile.kind != "adjusted":
            return _shares_of_category(profile, groups, y, look)
        return (_shares_of_one if len(groups) == 2 else _shares)(profile, groups, y, look)
    if points is None or raw is None or not look.rows or profile.kind == "adjusted":
        if len(groups) == 2 and raw is not None and _values_of(raw).size <= FEW_VALUES:
            pairs = zip(profile.at, profile.labels, strict=True)
            names = tuple(label if np.isnan(at) else look.value(profile.feature, float(at)) for at, label in pairs)
            return _shares_of_one(replace(profile, labels=names), groups, y, look)
        return _share_lines(profile, groups, y, look)
    found = profile.by_class
    known = _values_of(raw)
    if known.size == 2 and found is not None:
        return _shares_of_value(profile, known, groups, y, look)
    every = None
    if found is not None:
        rows = found[:, 0].astype(np.int64)
        every = interval_of(found[:, 1], found[:, 2] / np.sqrt(rows), rows)
    return strips(raw, points.y, groups, profile.feature, y, every, coloured=True, blocks=points.blocks, look=look)


def strips(
    values: Floats,
    codes: Floats,
    names: Sequence[str],
    value_name: str,
    code_name: str,
    estimates: Estimates | None = None,
    *,
    places: Sequence[int] | None = None,
    coloured: bool = False,
    scale: Scale | None = None,
    blocks: Ints | None = None,
    look: Look = PLAIN,
) -> v.Picture:
    """Show numbers by category: points, a box for the middle half, and means with intervals.

    `places` says to which category each of the estimates belongs; by default they are in the order of the names.
    """
    largest, left_out = _largest(np.bincount(codes.astype(np.int64), minlength=len(names)))
    scale = scale or look.scale(value_name, values)
    axis = scale.axis(_adjusted_name(value_name, look))
    few = _values_of(values).size <= 2 * FEW_VALUES
    marks: list[v.Mark] = []
    where = {k: place for place, k in enumerate(largest)}
    at = np.array([where.get(int(code), -1) for code in codes], dtype=np.float64)
    note_blocks = ""
    if blocks is not None and len(largest) > 1:
        inside = (at >= 0) & scale.holds(values)
        marks, note_blocks = _threads(at[inside], values[inside], blocks[inside])
    for place, k in enumerate(largest):
        mine = values[(codes == k) & scale.holds(values)]
        if mine.size:
            marks += _strip(place, mine, v.shared(k) if coloured else 0, few, look.unit)
    sizes: dict[int, float] = {}
    if estimates is not None:
        order = list(range(len(names))) if places is None else list(places)
        rows = [(where[k], i) for i, k in enumerate(order) if k in where]
        if not axis.log or np.nanmin(estimates.low, initial=np.inf) > 0.0:  # what is below zero is not on the axis
            marks += _estimate_marks(np.array([p for p, _ in rows]), estimates, [i for _, i in rows], axis)
        sizes = {place: float(estimates.rows[i]) for place, i in rows}
    if look.counts:
        axis, words = _with_counts(axis, sizes, [look.letters.get(names[k], "") for k in largest])
        marks += words
    gaps = int(np.isnan(values).sum())
    missing = f"{gaps} of the rows drawn have no value of {short(value_name)}." if gaps else ""
    logs = [value_name] if scale.log else []
    note = " ".join(filter(None, (not_drawn(left_out), missing, note_blocks, _notes(scale.outside, logs))))
    text = f"{value_name} for each of {len(largest)} categories of {code_name}."
    x = _level_axis(look.label(code_name), [names[k] for k in largest])
    return v.Picture(text, x, axis, tuple(marks), note=note)


def _adjusted_name(name: str, look: Look) -> str:
    return f"{short(look.label(name), 32)}, adjusted" if look.given else look.label(name)


def _strip(place: int, values: Floats, group: int, few: bool, unit: str) -> list[v.Mark]:
    x = place + 0.42 * (_scattered(values.size) - 0.5)
    if few:  # equal values would be one point, and quartiles say little
        moved = values + _lift(values)
        return [v.Points(x, moved, 1.7, role="raw", group=group, marker="o", says=f"Each point is a {unit}. {_MOVED}")]
    low, median, high = np.quantile(values, [0.25, 0.5, 0.75])
    return [
        v.Points(x, values, 1.7, role="raw", group=group, marker="o", says=f"Each point is a {unit}."),
        v.Bars(place - 0.28, place + 0.28, low, high, role="box", group=group, says=_BOX),
        v.Segments(place - 0.28, place + 0.28, median, median, role="median", group=group),
    ]


def _lift(values: Floats) -> Floats:
    """Return how far up or down to move points whose values are few, so that equal ones can be seen."""
    steps = np.diff(_values_of(values))
    step = float(steps.min()) if steps.size else 1.0
    return 0.3 * step * (_scattered(values.size, 0.7548776662466927) - 0.5)


def _estimate_marks(at: Floats, estimates: Estimates, some: Sequence[int], axis: v.Axis) -> list[v.Mark]:
    """Return a diamond for each estimate that is on the axis, and a line for its interval."""
    mean, low, high = (np.asarray(part, dtype=np.float64)[list(some)] for part in estimates[:3])
    inside = np.isfinite(mean) & (mean >= axis.limits[0]) & (mean <= axis.limits[1])
    if not inside.any():
        return []
    ends = [np.clip(each[inside], *axis.limits) for each in (low, high)]
    known = np.isfinite(ends[0])
    marks: list[v.Mark] = []
    if known.any():
        x = at[inside][known]
        marks.append(v.Segments(x, x, ends[0][known], ends[1][known], role="interval"))
    return [*marks, v.Points(at[inside], mean[inside], 2.8, "D", role="estimate", says=estimates.says)]


def _threads(at: Floats, values: Floats, blocks: Ints) -> tuple[list[v.Mark], str]:
    """Return a line for each block through the means of its rows at each place, and what is left out."""
    labels = np.unique(blocks)
    marks: list[v.Mark] = []
    crossing = [label for label in labels if np.unique(at[blocks == label]).size > 1]
    for label in crossing[:MAX_BLOCKS]:
        mine = blocks == label
        places = np.unique(at[mine])
        means = [float(values[mine & (at == place)].mean()) for place in places]
        marks.append(v.Line(places, means, role="thread", says=_THREADS))
    left = len(crossing) - MAX_BLOCKS
    return marks, f"Lines are drawn for {MAX_BLOCKS} of {len(crossing)} blocks." if left > 0 else ""


def _with_counts(axis: v.Axis, sizes: Mapping[int, float], letters: Sequence[str]) -> tuple[v.Axis, list[v.Mark]]:
    """Return an axis with space at its top for the number of rows of each category, and those numbers."""
    lines = 1 + any(letters)
    first, second = (_along(axis, 1.0 + 0.09 * height) for height in (lines, 1))
    says = "Groups that share a letter do not differ at level 0.05 (Holm)."
    words: list[v.Mark] = []
    few = len(letters) <= FEW_VALUES  # so that there is space for "n ="
    rows = "n is the number of rows." if few else "The numbers at the top are rows per category."
    for place, letter in enumerate(letters):
        if place in sizes:
            text = f"{'n = ' * (few and place == 0)}{sizes[place]:,.0f}"
            words.append(v.Words(float(place), first, text, above=False, role="mark", says=rows))
        if letter:
            words.append(v.Words(float(place), second, letter, above=False, role="letters", says=says))
    return v.Axis((axis.limits[0], first), axis.label, axis.marks, axis.texts, log=axis.log), words


def _along(axis: v.Axis, part: float) -> float:
    """Return the value at a part of the way from the lower end of an axis to its upper."""
    low, high = axis.limits
    return low * (high / low) ** part if axis.log else low + part * (high - low)


def _scatter(
    profile: Profile, raw: tuple[Floats, Floats, Ints | None] | None, y: str, scale: Scale, look: Look
) -> v.Picture:
    """Show numbers beside numbers: points, and a curve with a band."""
    k = look.column
    numeric = ~np.isnan(profile.at)
    a, b, blocks = (profile.at, profile.observed[:, k], None) if raw is None else raw
    across = look.scale(profile.feature, a)
    x, apart = _with_missing(across.axis(look.label(profile.feature)), bool(numeric.all()))
    few = _values_of(a).size <= LEVELS and raw is not None and not across.log
    jitter = 0.05 * (x.limits[1] - x.limits[0]) * (_scattered(a.size) - 0.5)
    inside = scale.holds(b) & (across.holds(a) | (np.isnan(a) & (apart is not None)))
    beyond = (0.0 if apart is None else apart) + (0.0 if across.log else 1.4 * jitter)
    place = np.where(np.isnan(a), beyond, a + (jitter if few else 0.0))
    marks: list[v.Mark] = []
    note_blocks = ""
    if blocks is not None:
        whole = inside & np.isfinite(a)
        marks, note_blocks = _threads(a[whole], b[whole], blocks[whole])
    level = raw is not None and _values_of(b).size <= 2 * FEW_VALUES and not scale.log
    lift = _lift(b) if level else 0.0 * b
    says = f"Each point is {'a bin of rows' if raw is None else f'a {look.unit}'}."
    says = f"{says} {_MOVED}" if few or level else says
    marks.append(v.Points(place[inside], (b + lift)[inside], role="raw", group=0, says=says))
    up = scale.axis(_adjusted_name(y, look))
    marks += _curve(profile, up, k, look)
    if apart is not None and x.gap is not None:
        mean = profile.predicted[~numeric & np.isfinite(profile.predicted[:, k]), k]
        marks += _aside(apart, mean, x, "curve")
    text = f"{y} against {profile.feature}."
    logs = [name for name, each in ((profile.feature, across), (y, scale)) if each.log]
    note = " ".join(filter(None, (note_blocks, _notes(across.outside + scale.outside, logs))))
    return v.Picture(text, x, up, tuple(marks), note=note)


_CURVES = {
    "predicted": "Line and band: what the forests predict for rows they have not seen, on average among rows with "
    "about that value, and twice its standard error to both sides.",
    "means": "Line and band: the mean among rows with about that value, and twice its standard error to both sides.",
    "adjusted": "Line and band: the adjusted mean among rows with about that value, and twice its standard error to "
    "both sides.",
    "within": "Line and band: the mean among rows with about that value, and twice its standard error to both sides, "
    "with differences between blocks removed.",
}


def _curve(profile: Profile, up: v.Axis, k: int, look: Look) -> list[v.Mark]:
    """Return the curve of a profile and twice its standard error to both sides."""
    some = ~np.isnan(profile.at) & np.isfinite(profile.predicted[:, k])
    if some.sum() < 2:
        return []
    at, mean = profile.at[some], profile.predicted[some, k]
    half = 2 * np.nan_to_num(0 * mean if profile.error is None else profile.error[some, k])
    says = _CURVES["within" if profile.kind == "adjusted" and not look.given else profile.kind]
    return [
        v.Band(at, np.clip(mean - half, *up.limits), np.clip(mean + half, *up.limits), role="curve"),
        v.Line(at, np.clip(mean, *up.limits), role="curve", says=says),
    ]


def _with_missing(axis: v.Axis, complete: bool) -> tuple[v.Axis, float | None]:
    """Return an axis with a place apart for rows without a value, and where that is; nothing of it if complete."""
    if complete:
        return axis, None
    low, end = axis.limits
    names = (*axis.texts, "missing")
    apart, gap = _along(axis, 1.16), (end, _along(axis, 1.04))
    limits = (low, _along(axis, 1.28))
    return v.Axis(limits, axis.label, (*axis.marks, apart), names, gap=gap, log=axis.log), apart


def _aside(apart: float, mean: Floats, x: v.Axis, role: str, group: int | None = None) -> list[v.Mark]:
    """Return what is predicted for rows without a value, apart from those with one."""
    assert x.gap is not None
    left = x.gap[1] + 0.5 * (apart - x.gap[1])
    dash = v.Segments(left, 2 * apart - left, mean, mean, role=role, group=group)
    return [v.Rule(x.gap[0], upright=True, role="apart"), dash]


def _shares(profile: Profile, groups: Sequence[str], y: str, look: Look) -> v.Picture:
    """Show the share of each group in every category, as bars from 0 to 100 %."""
    largest, left_out = _largest(profile.size)
    adjusted = profile.kind == "adjusted"
    shares = np.clip((profile.predicted if adjusted else profile.observed)[largest], 0.0, 1.0)
    shares = shares / shares.sum(axis=1, keepdims=True)
    below = np.cumsum(shares, axis=1) - shares
    at = np.arange(len(largest), dtype=np.float64)
    says = f"Bars: the {'adjusted ' * adjusted}share of each group in the rows of a category."
    marks = []
    for k, group in enumerate(groups):
        some = shares[:, k] > 0.0
        titles = tuple(
            f"{short(group)}: {100 * shares[b, k]:.0f} % of {profile.size[largest[b]]} rows"
            for b in np.flatnonzero(some)
        )
        ends = below[some, k], below[some, k] + shares[some, k]
        bars = v.Bars(
            at[some] - 0.36, at[some] + 0.36, *ends, titles, role="stack", group=v.shared(k), label=group, says=says
        )
        marks.append(bars)
    text = f"Shares of the groups in {len(largest)} categories of {profile.feature}."
    x = _level_axis(profile.feature, [profile.labels[b] for b in largest])
    axis = _share_axis(y, adjusted)
    return v.Picture(text, x, axis, tuple(marks), note=not_drawn(left_out), legend="")


def _shares_of_one(profile: Profile, groups: Sequence[str], y: str, look: Look) -> v.Picture:
    """Show the share of the second of two groups in every category, with intervals."""
    largest, left_out = _largest(profile.size)
    adjusted = profile.kind == "adjusted" and profile.error is not None
    if adjusted:
        assert profile.error is not None
        every = interval_of(profile.predicted[:, 1], profile.error[:, 1], profile.size)
    else:
        every = share_interval(profile.observed[:, 1], profile.size)
    label = f"{'adjusted ' * adjusted}share {_equals(y, groups[1])}"
    names = [profile.labels[b] for b in largest]
    picture = _share_bars(every, largest, names, profile.feature, label, [1] * len(largest), look)
    return v.Picture(picture.text, picture.x, picture.y, picture.marks, note=not_drawn(left_out), legend="")


def _shares_of_value(profile: Profile, known: Floats, groups: Sequence[str], y: str, look: Look) -> v.Picture:
    """Show the share of the higher of two values in every group, with intervals."""
    assert profile.by_class is not None
    rows, mean = profile.by_class[:, 0].astype(np.int64), profile.by_class[:, 1]
    low, high = known
    label = look.value(profile.feature, float(high))
    return _shares_by_group((mean - low) / (high - low), rows, label, profile.feature, groups, y, look)


def _shares_of_category(profile: Profile, groups: Sequence[str], y: str, look: Look) -> v.Picture:
    """Show the share of the second of two categories in every group, with intervals."""
    rows = profile.observed * profile.size[:, None]
    sizes = rows.sum(axis=0)
    shares = np.divide(rows[1], sizes, out=np.zeros(sizes.size), where=sizes > 0)
    return _shares_by_group(
        shares, np.rint(sizes).astype(np.int64), profile.labels[1], profile.feature, groups, y, look
    )


def _shares_by_group(
    shares: Floats, rows: Ints, value: str, feature: str, groups: Sequence[str], y: str, look: Look
) -> v.Picture:
    """Show the share of rows with a value in every group, with intervals."""
    every = share_interval(shares, rows)
    largest, left_out = _largest(rows)
    colours = [v.shared(k) for k in largest]
    label = f"share {_equals(feature, value)}"
    picture = _share_bars(every, largest, [groups[k] for k in largest], y, label, colours, look)
    note = not_drawn(left_out, "group", "groups")
    return v.Picture(picture.text, picture.x, picture.y, picture.marks, note=note, legend="")


def _equals(name: str, value: str) -> str:
    return f"with {short(name, 20)} = {short(value, 16)}"


def _share_bars(
    every: Estimates, some: Sequence[int], names: Sequence[str], x: str, y: str, colours: Sequence[int], look: Look
) -> v.Picture:
    """Show shares as bars from 0, with their intervals."""
    share, low, high, rows = (np.asarray(part, dtype=np.float64)[list(some)] for part in every[:4])
    share, low, high = (np.clip(np.nan_to_num(part), 0.0, 1.0) for part in (share, low, high))
    at = np.arange(len(some), dtype=np.float64)
    marks: list[v.Mark] = []
    for k in sorted(set(colours)):
        mine = np.array([colour == k for colour in colours])
        titles = tuple(f"{100 * a:.1f} % of {b:.0f} rows" for a, b in zip(share[mine], rows[mine], strict=True))
        says = "Bars and lines: the share and its 95 % interval."
        marks.append(
            v.Bars(at[mine] - 0.32, at[mine] + 0.32, 0.0, share[mine], titles, role="stack", group=k, says=says)
        )
    marks.append(v.Segments(at, at, low, high, role="interval"))
    axis = v.percent_axis(float(high.max(initial=0.05)), y)
    if look.counts:
        sizes = dict(enumerate(rows.tolist()))
        axis, words = _with_counts(axis, sizes, [look.letters.get(name, "") for name in names])
        marks += words
    return v.Picture(f"{y} for each of {len(some)} categories of {x}.", _level_axis(x, names), axis, tuple(marks))


def _share_lines(profile: Profile, groups: Sequence[str], y: str, look: Look) -> v.Picture:
    """Show the share of each group along numbers: points for the rows of a bin, lines for what is predicted."""
    numeric = ~np.isnan(profile.at)
    across = look.scale(profile.feature, profile.at)
    x, apart = _with_missing(across.axis(look.label(profile.feature)), bool(numeric.all()))
    at = np.where(numeric, profile.at, np.nan if apart is None else apart)
    adjusted = profile.kind == "adjusted" and profile.error is not None
    one = len(groups) == 2  # the other is the rest
    marks: list[v.Mark] = []
    for k in [1] if one else range(len(groups)):
        mean = np.clip(profile.predicted[:, k], 0.0, 1.0)
        if adjusted:
            assert profile.error is not None
            ends = np.nan_to_num(_Z * profile.error[:, k])
            every = Estimates(mean, np.clip(mean - ends, 0.0, 1.0), np.clip(mean + ends, 0.0, 1.0), profile.size)
            says = "Points and bars: the adjusted share among rows with about that value, and its 95 % interval."
        else:
            every = share_interval(profile.observed[:, k], profile.size)
            bars = " and bars" * one
            says = f"Points{bars}: the share among rows with about that value{', and its 95 % interval' * one}. "
            says += "Line: what the forests predict." if one else "Lines: what the forests predict."
        if one:
            marks.append(v.Segments(at, at, every.low, every.high, role="spread"))
        marks.append(v.Points(at, every.mean, 2.8, role="share" if one else "raw", group=v.shared(k), says=says))
        label = "" if one else groups[k]
        marks.append(v.Line(at[numeric], mean[numeric], label=label, role="series", group=v.shared(k)))
        if apart is not None:
            marks += _aside(apart, mean[~numeric], x, "series", v.shared(k))
    text = f"Shares of {len(groups)} groups against {profile.feature}."
    axis = _share_axis(y, adjusted)
    if one:
        peak = max(float(np.nanmax(mark.columns[-1])) for mark in marks if mark.role == "spread")
        axis = v.percent_axis(peak, f"{'adjusted ' * adjusted}share {_equals(y, groups[1])}")
    return v.Picture(text, x, axis, tuple(marks), note=_notes(0, [profile.feature] if across.log else []))


def _share_axis(y: str, adjusted: bool = False) -> v.Axis:
    label = f"{'adjusted ' * adjusted}share of each {y or 'group'}"
    return v.Axis((0.0, 1.04), label, (0.0, 0.5, 1.0), ("0 %", "50 %", "100 %"))


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


def _scattered(size: int, step: float = _GOLDEN) -> Floats:
    """Return numbers between 0 and 1, evenly spread, for points that would cover each other."""
    return np.asarray((np.arange(1, size + 1) * step) % 1.0)


def _notes(outside: int, logs: Sequence[str]) -> str:
    """Say which axes are by ratios, and how many rows lie outside."""
    scales = f"The axis of {' and of '.join(short(name) for name in logs)} is logarithmic." if logs else ""
    beyond = {0: "", 1: "1 row lies outside."}.get(outside, f"{outside} rows lie outside.")
    return " ".join(filter(None, (scales, beyond)))
