"""Which way does it go, and by how much? Direction and size in the units of the data, with a 95 % interval.

Every comparison is one that other programs make too, so that its numbers can be checked:

| design | estimate | interval |
|---|---|---|
| numbers by two groups, or by low and high values of a column | difference of means | Welch's t |
| shares by two groups, or by low and high values | difference of shares | Newcombe's hybrid score |
| positive numbers whose ratio is clearer than that | ratio of geometric means | Welch's t, of logarithms |
| if neither is clear, without blocks or z | share of pairs in which one is higher | Brunner and Munzel |
| more than two groups | the largest difference among them | the same, at 1 - 0.05 / m for m pairs (Bonferroni) |
| within blocks | regression on x, all taken from block means | t over blocks, leaving out one at a time |
| between blocks | as without blocks, each block with its means as one row | as without blocks |
| whole blocks | difference of means | t over blocks, leaving out one at a time |
| given z | linear regression on x and z | t with HC3 errors |
| censored times | hazard ratio of Cox's model, ties by Efron | Wald, of the logarithm |

Between low and high values of a column of numbers: the rows up to its lower quartile, and those from its upper quartile
on. Where the middle half differs from the mean of both ends by more than the ends differ, and that at the level of
0.01, the relation is a U or a hump, and not a rise or a fall. Within blocks and given z, numbers have a slope instead,
per power of ten near their standard deviation.

A few large numbers can hide a difference of means, or make up all of it. So if there is evidence of a relation, the
change is the ratio of geometric means where that differs from 1 at the level of 0.01, and the difference of means is
not clear or less than half as large for its interval. If neither is clear, it is the order of pairs, at the same level.
The order is not looked at for fewer than ten rows on a side.

Of more than two groups, those with the lowest and the highest mean are shown. The interval allows for all pairs, so it
holds for these two as well.

If few of many columns are shown, those are chosen that look strongest. With R of m shown, intervals at level
1 - 0.05 R / m hold for 95 % of those that are shown (the false coverage rate of Benjamini and Yekutieli 2005). With
three columns or fewer all are shown, and nothing is adjusted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kmerf.core.arrays import Floats, Ints
from kmerf.core.calendar import date_text, is_dated
from kmerf.data.block_parts import share_names
from kmerf.data.sample import Followed, life_table
from kmerf.explain.hazards import cox
from kmerf.explain.held_out import Estimate
from kmerf.results import parts as kinds_of
from kmerf.results.parts import Change, GroupNumbers, Names

if TYPE_CHECKING:
    from kmerf.data.sample import Features, Response, Sample

SHOWN = 10  # columns, the most informative
MOST_SCREENED = 1000  # columns of a screen that have a change
LISTED = 4  # names of columns of x that are kept
OUTCOMES = 3  # columns of a numeric y up to which each has changes of its own; of more, each column of x has one
CONFIDENCE = 0.95
STRICT_LEVEL = 0.01  # at which the middle differs from both ends, and ratios and ranks from none
MUCH_CLEARER = 2.0  # times as large for its interval: a ratio, beside a difference of means that is clear as well
FEWEST = 2  # rows of a side
MIN_RANKED = 10  # rows of a side whose order is compared
ENOUGH = 5  # rows, or whole blocks, of a category that may be the lowest or highest, where two have so many
MOST_LEVELS = 40  # categories that are compared; of more, the commonest
_NAMELESS_X = ("x1", "x")
_NAMELESS_Y = (("y",), ("group",))


class RowSet(NamedTuple):
    """Some of the rows."""

    label: str
    rows: Ints


class RowSets(NamedTuple):
    """What is compared: categories, or low, middle and high values of a column of numbers."""

    sides: tuple[RowSet, ...]
    ordered: bool
    """Whether these are low, (middle and) high values."""


class Setting(NamedTuple):
    """What all comparisons of a sample share."""

    about: str
    blocks: Ints | None
    controls: Floats | None
    """Columns of z (n, k)."""
    chosen_from: float = 1.0
    """Columns per column that is shown."""
    evident: bool = True
    """Whether there is evidence of a relation; without it, only means are compared."""

    def blocks_of(self, rows: Ints) -> Ints | None:
        """Return the blocks of some rows, if there are blocks."""
        return None if self.blocks is None else self.blocks[rows]

    def level(self, compared: int, error: float = 1.0 - CONFIDENCE) -> float:
        """Return the level of one interval, if so many were compared to choose it; `error` is that of all of them."""
        return 1.0 - error / (compared * self.chosen_from)


def names_of(sample: Sample) -> Names:
    """Return what the columns are called; arrays have no names."""
    x, y = sample.x.names, sample.y
    known = y.columns if y.kind == "censored" else y.names
    plain = all(name == f"x{k}" for k, name in enumerate(x, start=1)) or (len(x) == 1 and x[0] in _NAMELESS_X)
    unnamed = known in _NAMELESS_Y or all(name == f"y{k}" for k, name in enumerate(known, start=1))
    return Names(() if unnamed else tuple(known), () if plain else tuple(x[:LISTED]))


def find_changes(
    sample: Sample,
    columns: Sequence[int],
    *,
    groups: bool,
    exchange: str = "",
    chosen_from: float = 1.0,
    evident: bool = True,
) -> tuple[Change, ...]:
    """Return what changes with some columns of x; `evident` says whether there is evidence that anything does.

    `groups` asks for the numbers of the columns in each class of y; else it is y that changes along the columns.
    `exchange` is "within", "between" or "whole" if there are blocks. `chosen_from` is of how many columns each of those
    that are shown was chosen for its looks; 1 if they were named in advance.
    """
    about = f"{exchange} blocks" if exchange else ""
    if exchange == "between":
        if sample.y.kind == "censored":
            return ()
        sample = _block_rows(sample)
    controls = None
    if sample.z is not None:
        about, controls = "given z", _controls(sample.z)
    setting = Setting(about, None if exchange == "between" else sample.blocks, controls, chosen_from, evident)
    y = sample.y
    q = y.values.shape[1] if y.codes is None and y.followed is None else 1
    if not 1 < q <= OUTCOMES:
        found = (_change(sample, j, setting, groups=groups) for j in columns)
        return tuple(change for change in found if change is not None)
    table = [[_change(sample, j, setting, groups=groups, outcome=k) for j in columns] for k in range(q)]
    return _led_by_outcomes([[change for change in row if change is not None] for row in table])


def first_of(sample: Sample) -> float:
    """Return how many columns, for each outcome, there are per change that is shown first: 1 if all are."""
    y = sample.y
    q = y.values.shape[1] if y.codes is None and y.followed is None else 1
    return max(1.0, sample.x.p * (q if q <= OUTCOMES else 1) / kinds_of.FIRST_CHANGES)


def _led_by_outcomes(table: Sequence[Sequence[Change]]) -> tuple[Change, ...]:
    """Return the changes of several outcomes: for each the first that is clear, and then the others by columns of x."""
    leads = [next((change for change in row if change.clear), row[0]) for row in table if row]
    places = {column: place for place, column in enumerate(dict.fromkeys(each.column for row in table for each in row))}
    rest = [change for row in table for change in row if not any(change is lead for lead in leads)]
    return (*leads, *sorted(rest, key=lambda change: places[change.column]))


def column_changes(sample: Sample, names: Sequence[str], exchange: Mapping[str, str]) -> dict[str, Change]:
    """Return what changes with the columns selected; with blocks, `exchange` has what was tested of each."""
    chosen_from = sample.x.p / max(1, len(names))
    places = {name: j for j, name in enumerate(sample.x.names)}
    groups = sample.y.codes is not None
    found: dict[str, Change] = {}
    for name in names[:MOST_SCREENED]:
        way = exchange.get(name, "")
        for change in find_changes(sample, [places[name]], groups=groups, exchange=way, chosen_from=chosen_from)[:1]:
            found[name] = change
    return found


def pair_changes(sample: Sample, exchange: str) -> Iterator[Change | None]:
    """Yield for every two groups the change of the column in which they differ most, for its spread.

    Intervals allow for all pairs and all columns.
    """
    y = sample.y
    assert y.codes is not None
    pairs = list(combinations(range(len(y.labels)), 2))
    if exchange in ("between", "whole"):
        yield from (None for _ in pairs)
        return
    x = sample.x
    numeric = [j for j in range(x.p) if not x.categories[j]]
    setting = Setting(f"{exchange} blocks" if exchange else "", sample.blocks, None)
    tests = len(pairs) * max(1, len(numeric))
    for a, b in pairs:
        best: Change | None = None
        largest = -1.0
        for j in numeric:
            values = x.column(j)
            known = ~np.isnan(values)
            sides = tuple(RowSet(y.labels[k], np.flatnonzero(known & (y.codes == k))) for k in (a, b))
            if min(side.rows.size for side in sides) < FEWEST:
                continue
            found = _by_means(values, RowSets(sides, False), setting, tests)
            if found is None:
                continue
            change = _made(found, setting, sample, j, groups=True, share="")
            spread = float(np.nanstd(values)) or 1.0
            if abs(change.estimate) / spread > largest:
                best, largest = change, abs(change.estimate) / spread
        yield best


# --- one column ---


class _Compared(NamedTuple):
    """A comparison, without the names of its columns."""

    measure: str
    shape: str
    first: str
    second: str
    estimate: Estimate
    n: int
    groups: tuple[GroupNumbers, ...] = ()
    step: float | None = None
    compared: int = 1

    @property
    def strength(self) -> float:
        """How many half-widths of its interval the estimate is from none; for choosing among outputs."""
        if self.measure in (kinds_of.HAZARD, kinds_of.RATIO):
            low, value, high = (
                math.log(max(each, 1e-300)) for each in (self.estimate.low, self.estimate.value, self.estimate.high)
            )
        else:
            none = 0.5 if self.measure == kinds_of.PAIRS else 0.0
            low, value, high = (each - none for each in (self.estimate.low, self.estimate.value, self.estimate.high))
        return abs(value) / max(high - low, 1e-300)


def _change(sample: Sample, j: int, setting: Setting, *, groups: bool, outcome: int | None = None) -> Change | None:
    """Return the change of one column; `outcome` is the column of a numeric y, by default that which changes most."""
    x, y = sample.x, sample.y
    if y.followed is not None:
        return _of_times(sample, j, setting)
    numeric = not x.categories[j]
    by_class = y.codes is not None and (groups or (numeric and len(y.labels) > 2))
    column = x.column(j)
    known = np.flatnonzero(~np.isnan(column))
    if known.size < 2 * FEWEST or np.unique(column[known]).size < 2:
        return None
    if by_class:
        assert y.codes is not None
        sides = _levels(y.codes.astype(np.float64), y.labels, known)
        outputs = _outputs(column, x.categories[j])
    else:
        if y.codes is None:
            some = y.values.T if outcome is None else y.values.T[outcome : outcome + 1]
            outputs = [("", values) for values in some]
        else:
            outputs = _outputs(y.codes.astype(np.float64), y.labels)
        sides = _levels(column, x.categories[j], known) if not numeric else _parts(column, known, _unit(x, j))
        if numeric and setting.about in ("within blocks", "given z") and np.unique(column[known]).size > 2:
            return _best_slope(sample, j, outputs, known, setting, outcome or 0)
    if sides is None:
        return None
    best: tuple[_Compared, str, int] | None = None
    shares = bool(outputs[0][0])
    for k, (of, values) in enumerate(outputs):
        found = _compare(values, sides, setting, len(outputs), shares=shares)
        if found is not None and (best is None or found.strength > best[0].strength):
            best = found, of, k
    if best is None:
        return None
    found, of, k = best
    return _made(found, setting, sample, j, groups=by_class, share=of, output=0 if shares else k + (outcome or 0))


def _outputs(codes: Floats, labels: tuple[str, ...]) -> list[tuple[str, Floats]]:
    """Return what is compared: numbers as they are, of two categories the second, of more each, as zeros and ones."""
    if not labels:
        return [("", codes)]
    chosen = (1,) if len(labels) == 2 else range(len(labels))
    some = sorted(chosen, key=lambda k: -int((codes == k).sum()))[:MOST_LEVELS]
    return [(labels[k], np.where(np.isnan(codes), np.nan, (codes == k).astype(np.float64))) for k in sorted(some)]


def _made(
    found: _Compared, setting: Setting, sample: Sample, j: int, *, groups: bool, share: str, output: int = 0
) -> Change:
    """Name a comparison of column j of x with the output of that number of y."""
    x, y = sample.x, sample.y
    mine, x_unit, y_unit = x.names[j], _unit(x, j), _unit(y, output)
    theirs = y.columns[0] if y.kind == "censored" else y.names[0 if y.codes is not None else output]
    what, by = (mine, theirs) if groups else (theirs, mine)
    units = (x_unit, y_unit) if groups else (y_unit, x_unit or _part_of_date(x, j))
    return Change(
        column=mine,
        what=what,
        by=by,
        measure=found.measure,
        shape=found.shape,
        first=found.first,
        second=found.second,
        estimate=found.estimate.value,
        low=found.estimate.low,
        high=found.estimate.high,
        n=found.n,
        missing=int(np.isnan(x.column(j)).sum()),
        groups=found.groups,
        of=share,
        step=found.step,
        about=setting.about,
        compared=found.compared,
        chosen_from=setting.chosen_from,
        unit="" if share else units[0],
        by_unit=units[1],
    )


def _unit(columns: Features | Response, k: int) -> str:
    """Return the unit of a column, where reading has kept one."""
    units: Sequence[str | None] = getattr(columns, "units", ())
    return (units[k] or "") if len(units) > k else ""


def _part_of_date(x: Features, j: int) -> str:
    """Return which part of a date a column of x is, if its values have names."""
    cycle = x.cycle(j)
    return "" if cycle is None else {7.0: kinds_of.WEEKDAY, 12.0: kinds_of.MONTH}.get(cycle.period, "")


def _levels(codes: Floats, labels: Sequence[str], known: Ints) -> RowSets | None:
    """Return categories as sides, the commonest if they are very many."""
    sides = [RowSet(label, known[codes[known] == k]) for k, label in enumerate(labels)]
    sides = [side for side in sides if side.rows.size]
    if len(sides) > MOST_LEVELS:
        kept = sorted(sides, key=lambda side: -side.rows.size)[:MOST_LEVELS]
        sides = [side for side in sides if any(side is each for each in kept)]
    return RowSets(tuple(sides), False) if len(sides) > 1 else None


def _parts(values: Floats, known: Ints, unit: str = "") -> RowSets | None:
    """Return the rows with low, middle and high values; of two values, those with each."""
    mine = values[known]
    low, high = np.quantile(mine, [0.25, 0.75], method="inverted_cdf")
    below, above = mine <= low, mine >= high
    if low == high:
        below, above = (mine <= low, mine > high) if (mine > high).any() else (mine < low, mine >= high)
    middle = ~below & ~above
    parts = [("up to", below, mine[below]), ("between", middle, mine[middle]), ("from", above, mine[above])]
    sides = tuple(RowSet(_range_label(word, some, unit), known[rows]) for word, rows, some in parts if some.size)
    return RowSets(sides, True) if len(sides) > 1 else None


def _range_label(word: str, values: Floats, unit: str = "") -> str:
    low, high = float(values.min()), float(values.max())
    if is_dated(unit):
        first, last = date_text(low, unit), date_text(high, unit)
        if first == last:
            return first
        return {"up to": f"{last} or earlier", "from": f"{first} or later"}.get(word, f"{first} to {last}")
    if low == high:
        return f"{low:.6g}"
    low_text, high_text = _edge(low), _edge(high)
    return {"up to": f"{high_text} or less", "from": f"{low_text} or more"}.get(word, f"{low_text} to {high_text}")


def _edge(value: float) -> str:
    """Write where a part of a column ends.

    >>> _edge(13089.3), _edge(1999.0), _edge(0.42381), _edge(-120.34)
    ('13,089', '1999', '0.4238', '-120.3')
    """
    if not 1000.0 <= abs(value) < 1e9:
        return f"{value:.4g}"
    return f"{value:.0f}" if abs(value) < 1e4 else f"{value:,.0f}"


# --- comparisons ---


def _compare(
    values: Floats, sides: RowSets, setting: Setting, outputs: int, *, shares: bool = False
) -> _Compared | None:
    """Compare numbers, or zeros and ones, between the two sides that lie farthest apart, or between both ends.

    Numbers whose means do not differ clearly are compared by their ratio, or by their order; by their ratio also where
    it goes the same way and is much clearer.
    """
    found = _by_means(values, sides, setting, outputs, shares=shares)
    if found is None or shares or not setting.evident or found.shape in (kinds_of.U_SHAPE, kinds_of.HUMP):
        return found
    ratio = _by_ratio(values, sides, setting, outputs)
    if found.shape == kinds_of.UNCLEAR:
        return found._replace(**(ratio or _by_order(values, sides, setting, outputs)))
    if not ratio:
        return found
    by_ratio = found._replace(**ratio)
    agrees = (by_ratio.estimate.value > 1.0) == (found.estimate.value > 0.0)
    return by_ratio if agrees and by_ratio.strength >= MUCH_CLEARER * found.strength else found


def _known_sides(values: Floats, sides: RowSets, fewest: int) -> list[RowSet]:
    """Return the sides with the rows that have a value, if these are not too few."""
    known = [RowSet(each.label, each.rows[~np.isnan(values[each.rows])]) for each in sides.sides]
    return [each for each in known if each.rows.size >= fewest]


def _farthest(
    values: Floats, known: Sequence[RowSet], setting: Setting, *, ordered: bool
) -> tuple[RowSet, RowSet, int]:
    """Return the two sides to be compared, and out of how many pairs they are chosen."""
    if ordered:
        return known[0], known[-1], 1
    large = [each for each in known if _units(each.rows, setting) >= ENOUGH]
    some = large if len(large) > 1 else known
    if len(some) == 2:
        return some[0], some[1], 1
    ranked = sorted(some, key=lambda each: float(values[each.rows].mean()))
    return ranked[0], ranked[-1], len(some) * (len(some) - 1) // 2


def _by_ratio(values: Floats, sides: RowSets, setting: Setting, outputs: int) -> dict[str, Any]:
    """Return what a comparison of geometric means shows; nothing if that is not clear."""
    rows = np.concatenate([each.rows for each in sides.sides])
    if not (values[rows[~np.isnan(values[rows])]] > 0.0).all():
        return {}
    logarithms = np.log(np.where(values > 0.0, values, np.nan))
    strict, found = (_by_means(logarithms, sides, setting, outputs, error) for error in (STRICT_LEVEL, 1 - CONFIDENCE))
    if strict is None or found is None or strict.shape not in (kinds_of.DIFFERS, kinds_of.RISES, kinds_of.FALLS):
        return {}
    ratio = Estimate(*(math.exp(min(700.0, each)) for each in found.estimate))
    shown = {name: getattr(found, name) for name in ("shape", "first", "second", "compared")}
    return shown | {"measure": kinds_of.RATIO, "estimate": ratio}


def _by_order(values: Floats, sides: RowSets, setting: Setting, outputs: int) -> dict[str, Any]:
    """Return in what share of pairs of rows one side is higher; nothing if that is not clear."""
    known = _known_sides(values, sides, MIN_RANKED)
    if len(known) < 2 or setting.about not in ("", "between blocks"):
        return {}
    first, second, pairs = _farthest(_ranks(values), known, setting, ordered=sides.ordered)
    some = [values[each.rows] for each in (first, second)]
    strict, found = (
        brunner_munzel(some[0], some[1], setting.level(pairs * outputs, error))
        for error in (STRICT_LEVEL, 1 - CONFIDENCE)
    )
    if strict is None or found is None or strict.low <= 0.5 <= strict.high:
        return {}
    shape = kinds_of.RISES if found.value > 0.5 else kinds_of.FALLS
    shape = shape if sides.ordered else kinds_of.DIFFERS
    shown = {"shape": shape, "first": first.label, "second": second.label, "compared": pairs * outputs}
    return shown | {"measure": kinds_of.PAIRS, "estimate": found}


def _ranks(values: Floats) -> Floats:
    """Return the mean rank of each value; NaN stays.

    >>> _ranks(np.array([5.0, 2.0, np.nan, 5.0])).tolist()
    [2.5, 1.0, nan, 2.5]
    """
    known = ~np.isnan(values)
    _, places, counts = np.unique(values[known], return_inverse=True, return_counts=True)
    ranks = np.full(values.size, np.nan)
    ranks[known] = (np.cumsum(counts) - (counts - 1) / 2.0)[places.reshape(-1)]
    return ranks


def brunner_munzel(first: Floats, second: Floats, level: float = CONFIDENCE) -> Estimate | None:
    """Return the share of pairs in which the second is larger, with the interval of Brunner and Munzel (2000).

    Ties count half. None if the order never varies.

    >>> found = brunner_munzel(np.arange(10.0), np.arange(10.0) + 2.5)
    >>> [round(each, 3) for each in found]
    [0.72, 0.474, 0.966]
    """
    below, above = _placements(first, second), _placements(second, first)
    spread = _contrast([below, above], [-1.0, 1.0], level)
    if spread is None or spread.low == spread.high:
        return None
    value, half = float(above.mean()), (spread.high - spread.low) / 2.0
    return Estimate(value, max(0.0, value - half), min(1.0, value + half))


def _placements(values: Floats, others: Floats) -> Floats:
    """Return for each value the share of others below it; ties count half."""
    ranked = np.sort(others)
    return np.asarray(
        (np.searchsorted(ranked, values, "left") + np.searchsorted(ranked, values, "right")) / 2 / ranked.size
    )


def _by_means(
    values: Floats,
    sides: RowSets,
    setting: Setting,
    outputs: int,
    error: float = 1.0 - CONFIDENCE,
    *,
    shares: bool = False,
) -> _Compared | None:
    """Compare means, or shares of ones; `error` is the share of intervals that may miss the truth."""
    known = _known_sides(values, sides, 1 if shares else FEWEST)
    if len(known) < 2:
        return None
    measure = kinds_of.SHARE if shares else kinds_of.MEAN
    groups = tuple(_numbers(each.label, values[each.rows], shares=shares) for each in known)
    n = sum(each.rows.size for each in known)
    first, second, pairs = _farthest(values, known, setting, ordered=sides.ordered)
    level = setting.level(pairs * outputs, error)
    rows = [first.rows, second.rows]
    found = _difference(values, rows, setting, level, shares=shares)
    if found is None:
        return None
    shape = kinds_of.DIFFERS
    if sides.ordered:
        shape = kinds_of.RISES if found.value > 0 else kinds_of.FALLS
        bend = _bend(values, known, setting, level, found.value) if len(known) == 3 else None
        if bend is not None:
            shape = kinds_of.HUMP if bend.value > 0 else kinds_of.U_SHAPE
            return _Compared(measure, shape, first.label, second.label, bend, n, groups, compared=outputs)
    if found.low <= 0.0 <= found.high:
        shape = kinds_of.UNCLEAR
    return _Compared(measure, shape, first.label, second.label, found, n, groups, compared=pairs * outputs)


def _units(rows: Ints, setting: Setting) -> int:
    """Return how many rows, or blocks if they are compared whole."""
    if setting.blocks is None or setting.about != "whole blocks":
        return rows.size
    return int(np.unique(setting.blocks[rows]).size)


def _difference(
    values: Floats, rows: Sequence[Ints], setting: Setting, level: float, *, shares: bool
) -> Estimate | None:
    """Return the difference of the second from the first."""
    if setting.about in ("", "between blocks"):
        a, b = (values[each] for each in rows)
        return newcombe(a, b, level) if shares else welch(a, b, level)
    some = np.concatenate(rows)
    second = np.repeat([0.0, 1.0], [each.size for each in rows])
    return _adjusted(values[some], second[:, None], some, setting, np.array([1.0]), level)


def _bend(values: Floats, known: Sequence[RowSet], setting: Setting, level: float, ends: float) -> Estimate | None:
    """Return by how much the middle differs from both ends, if that is clear and more than the ends differ by."""
    stricter = 1.0 - (1.0 - level) * STRICT_LEVEL / (1.0 - CONFIDENCE)

    def at(confidence: float) -> Estimate | None:
        low, middle, high = (values[each.rows] for each in known)
        if setting.about in ("", "between blocks"):
            return _contrast([low, middle, high], [-0.5, 1.0, -0.5], confidence)
        some = np.concatenate([each.rows for each in known])
        place = np.repeat([0, 1, 2], [each.rows.size for each in known])
        design = np.column_stack([place == 1, place == 2]).astype(np.float64)
        return _adjusted(values[some], design, some, setting, np.array([1.0, -0.5]), confidence)

    strict = at(stricter)
    if strict is None or strict.low <= 0.0 <= strict.high or abs(strict.value) <= abs(ends):
        return None
    return at(level)


def welch(first: Floats, second: Floats, level: float = CONFIDENCE) -> Estimate | None:
    """Return the difference of two means with Welch's interval; None if neither varies.

    >>> found = welch(np.array([1.0, 2.0, 3.0]), np.array([4.0, 6.0, 8.0]))
    >>> [round(each, 3) for each in found]
    [4.0, -0.155, 8.155]
    """
    return _contrast([first, second], [-1.0, 1.0], level)


def _contrast(samples: Sequence[Floats], weights: Sequence[float], level: float) -> Estimate | None:
    """Return a weighted sum of means with the interval of Welch and Satterthwaite."""
    if min(each.size for each in samples) < FEWEST:
        return None
    power = int(np.frexp(max(float(np.abs(each).max()) for each in samples))[1])  # squares do not overflow
    samples = [np.ldexp(each, -power) for each in samples]
    value = float(sum(w * each.mean() for w, each in zip(weights, samples, strict=True)))
    parts = [w**2 * float(each.var(ddof=1)) / each.size for w, each in zip(weights, samples, strict=True)]
    total = sum(parts)
    if total > 0.0:
        freedom = total**2 / sum(part**2 / (each.size - 1) for part, each in zip(parts, samples, strict=True))
        found = _around(value, math.sqrt(total), freedom, level)
    else:
        found = Estimate(value, value, value)
    return Estimate(*(math.ldexp(each, power) for each in found))


def _around(value: float, error: float, freedom: float, level: float) -> Estimate:
    from scipy.special import stdtrit

    half = error * float(stdtrit(freedom, (1.0 + level) / 2.0))
    return Estimate(value, value - half, value + half)


def newcombe(first: Floats, second: Floats, level: float = CONFIDENCE) -> Estimate:
    """Return the difference of two shares of ones, with the interval of Newcombe (1998, method 10).

    >>> found = newcombe(np.repeat([1.0, 0.0], [48, 32]), np.repeat([1.0, 0.0], [56, 14]))
    >>> [round(each, 4) for each in found]
    [0.2, 0.0524, 0.3339]
    """
    (p, low_p, high_p), (q, low_q, high_q) = (wilson(float(each.mean()), each.size, level) for each in (first, second))
    difference = q - p
    down = math.hypot(q - low_q, high_p - p)
    up = math.hypot(high_q - q, p - low_p)
    return Estimate(difference, difference - down, difference + up)


def wilson(share: float, n: int, level: float = CONFIDENCE) -> Estimate:
    """Return a share with the interval of Wilson (1927)."""
    from scipy.special import ndtri

    z = float(ndtri((1.0 + level) / 2.0))
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return Estimate(share, max(0.0, centre - half), min(1.0, centre + half))


def _adjusted(
    values: Floats, design: Floats, rows: Ints, setting: Setting, weights: Floats, level: float
) -> Estimate | None:
    """Return a weighted sum of coefficients of a regression on the design, with blocks or z accounted for."""
    if setting.controls is not None:
        return _given(values, design, setting.controls[rows], weights, level)
    assert setting.blocks is not None
    return _over_blocks(values, design, setting.blocks[rows], weights, level, within=setting.about == "within blocks")


def _given(y: Floats, design: Floats, controls: Floats, weights: Floats, level: float) -> Estimate | None:
    """Return a weighted sum of coefficients given z, with HC3 errors."""
    full = np.column_stack([np.ones(y.size), design, _independent(controls)])
    k = design.shape[1]
    if np.linalg.matrix_rank(full) < full.shape[1]:
        full = np.column_stack([full[:, : k + 1], _independent(full[:, k + 1 :], full[:, : k + 1])])
    freedom = y.size - full.shape[1]
    if freedom < FEWEST or np.linalg.matrix_rank(full) < full.shape[1]:
        return None
    inverse = np.linalg.inv(full.T @ full)
    beta = inverse @ full.T @ y
    leverage = np.minimum(np.einsum("ij,jk,ik->i", full, inverse, full), 1.0 - 1e-9)
    scaled = full * ((y - full @ beta) / (1.0 - leverage))[:, None]
    covariance = inverse @ (scaled.T @ scaled) @ inverse
    chosen = np.concatenate([[0.0], weights, np.zeros(full.shape[1] - 1 - weights.size)])
    error = math.sqrt(max(0.0, float(chosen @ covariance @ chosen)))
    return _around(float(chosen @ beta), error, freedom, level)


def _independent(columns: Floats, before: Floats | None = None) -> Floats:
    """Return the columns that are not sums of those before them."""
    base = np.ones((len(columns), 1)) if before is None else before
    kept: list[Floats] = []
    for column in columns.T:
        trial = np.column_stack([base, *kept, column])
        if np.linalg.matrix_rank(trial) == trial.shape[1]:
            kept.append(column)
    return np.column_stack(kept) if kept else np.empty((len(columns), 0))


def _over_blocks(
    y: Floats, design: Floats, blocks: Ints, weights: Floats, level: float, *, within: bool
) -> Estimate | None:
    """Return a weighted sum of coefficients, with an interval from leaving out one block at a time."""
    labels, codes = np.unique(blocks, return_inverse=True)
    codes = codes.reshape(-1)
    sizes = np.bincount(codes)
    full = np.column_stack([design, y])
    if within:
        means = np.column_stack([np.bincount(codes, column) for column in full.T]) / sizes[:, None]
        full = full - means[codes]
    else:
        full = np.column_stack([np.ones(y.size), full])
        weights = np.concatenate([[0.0], weights])
    m, target = full[:, :-1], full[:, -1]
    squares = np.zeros((labels.size, m.shape[1], m.shape[1]))
    products = np.zeros((labels.size, m.shape[1]))
    np.add.at(squares, codes, m[:, :, None] * m[:, None, :])
    np.add.at(products, codes, m * target[:, None])
    telling = np.abs(squares).sum(axis=(1, 2)) > 0.0
    squares, products = squares[telling], products[telling]
    count = int(telling.sum())
    whole = squares.sum(axis=0)
    if count < 3 or np.linalg.matrix_rank(whole) < m.shape[1]:
        return None
    value = float(weights @ np.linalg.solve(whole, products.sum(axis=0)))
    left: list[float] = []
    for square, product in zip(squares, products, strict=True):
        rest = whole - square
        if np.linalg.matrix_rank(rest) < m.shape[1]:
            return None
        left.append(float(weights @ np.linalg.solve(rest, products.sum(axis=0) - product)))
    away = np.array(left) - value
    error = math.sqrt(float((away**2).sum()) * (count - 1) / count)
    return _around(value, error, count - 1, level)


def _best_slope(
    sample: Sample, j: int, outputs: Sequence[tuple[str, Floats]], known: Ints, setting: Setting, first: int
) -> Change | None:
    """Return by how much an output changes per step of a column of numbers, within blocks or given z.

    `first` is which column of y the first of the outputs is.
    """
    x = sample.x.column(j)[known]
    step = _step(x, setting.blocks_of(known))
    level = setting.level(len(outputs))
    best: tuple[_Compared, str, int] | None = None
    for k, (of, values) in enumerate(outputs):
        found = _adjusted(values[known], (x / step)[:, None], known, setting, np.array([1.0]), level)
        if found is None:
            continue
        shape = kinds_of.RISES if found.value > 0 else kinds_of.FALLS
        bent = _bent(values, sample.x.column(j), known, setting, level)
        if found.low <= 0.0 <= found.high:
            shape = kinds_of.UNCLEAR
        shape = bent or shape
        measure = kinds_of.SHARE_SLOPE if of else kinds_of.SLOPE
        each = _Compared(measure, shape, "", "", found, known.size, step=step, compared=len(outputs))
        if best is None or each.strength > best[0].strength:
            best = each, of, k
    if best is None:
        return None
    found_best, of, k = best
    return _made(found_best, setting, sample, j, groups=False, share=of, output=0 if of else k + first)


def _bent(values: Floats, column: Floats, known: Ints, setting: Setting, level: float) -> str:
    """Say whether the relation is a U or a hump once blocks, or z, are accounted for."""
    blocks = setting.blocks_of(known)
    if blocks is not None:
        column = column.copy()
        column[known] = _centred(column[known], blocks)
    sides = _parts(column, known)
    if sides is None or len(sides.sides) < 3 or min(side.rows.size for side in sides.sides) < FEWEST:
        return ""
    ends = _difference(values, [sides.sides[0].rows, sides.sides[-1].rows], setting, level, shares=False)
    bend = None if ends is None else _bend(values, sides.sides, setting, level, ends.value)
    return "" if bend is None else kinds_of.HUMP if bend.value > 0 else kinds_of.U_SHAPE


def _centred(values: Floats, blocks: Ints) -> Floats:
    """Return values less the mean of their block."""
    codes = np.unique(blocks, return_inverse=True)[1].reshape(-1)
    return np.asarray(values - (np.bincount(codes, values) / np.bincount(codes))[codes], np.float64)


def _step(values: Floats, blocks: Ints | None = None) -> float:
    """Return the power of ten at or below the standard deviation, but 1 for whole numbers that vary by less.

    With blocks, the standard deviation is that within them.

    >>> _step(np.array([8.0, 10.0, 12.0, 14.0])), _step(np.array([20000.0, 90000.0])), _step(np.array([0.01, 0.05]))
    (1.0, 10000.0, 0.01)
    >>> _step(np.array([20.0, 21.0, 60.0, 61.0])), _step(np.array([20.0, 21.0, 60.0, 61.0]), np.array([0, 0, 1, 1]))
    (10.0, 1.0)
    """
    spread = float((values if blocks is None else _centred(values, blocks)).std())
    step = 10.0 ** math.floor(math.log10(spread)) if spread > 0 else 1.0
    return max(step, 1.0) if (values == np.round(values)).all() else step


def _numbers(label: str, values: Floats, *, shares: bool) -> GroupNumbers:
    if shares:
        return GroupNumbers(label, values.size, float(values.mean()))
    lower, median, upper = np.quantile(values, [0.25, 0.5, 0.75]).tolist()
    sd = float(values.std(ddof=1)) if values.size > 1 else None
    return GroupNumbers(label, values.size, float(values.mean()), sd, median, lower, upper)


def _controls(z: Features) -> Floats:
    """Return z as columns of a regression: numbers, zeros and ones for categories, and for missing values."""
    from kmerf.data.sample import common_levels

    values = common_levels(z).values
    holes = np.isnan(values)
    means = np.nanmean(values, axis=0)
    filled = np.where(holes, means, values)
    return np.concatenate([filled, holes[:, holes.any(axis=0)].astype(np.float64)], axis=1)


def _block_rows(sample: Sample) -> Sample:
    """Return one row per block: means of numbers, and categories that are constant in every block."""
    assert sample.blocks is not None
    x, y = sample.x, sample.y
    codes = np.unique(sample.blocks, return_inverse=True)[1].reshape(-1)
    sizes = np.bincount(codes)
    first = np.unique(codes, return_index=True)[1]

    def means(values: Floats) -> Floats:
        known = ~np.isnan(values)
        counts = np.bincount(codes, known, minlength=sizes.size)
        sums = np.bincount(codes, np.where(known, values, 0.0), minlength=sizes.size)
        return np.asarray(np.divide(sums, counts, out=np.full(sizes.size, np.nan), where=counts > 0))

    columns = []
    for j in range(x.p):
        values = x.column(j)
        mean = means(values)
        if x.categories[j]:  # a category that varies within blocks has no one value per block
            whole = np.isclose(mean, values[first], equal_nan=True)
            mean = np.where(whole & (np.mod(mean, 1.0) == 0.0), mean, np.nan)
        columns.append(mean)
    shown = np.column_stack(columns)
    narrow = replace(x, values=shown, column_of=np.arange(x.p), missing=tuple([0] * x.p), shown=shown)
    y_means = np.column_stack([means(column) for column in y.values.T])
    constant = y.codes is not None and bool((y_means == y.values[first]).all())
    if y.codes is not None and constant:
        response = replace(y, values=y_means, codes=y.codes[first])
    elif y.codes is not None:  # shares of the classes in each block
        chosen = slice(1, 2) if len(y.labels) == 2 else slice(None)
        response = replace(
            y, values=y_means[:, chosen], names=share_names(y)[chosen], kind="numeric", codes=None, labels=()
        )
    else:
        response = replace(y, values=y_means)
    return replace(sample, x=narrow, y=response, blocks=None, inside=None)


# --- censored times ---


def _of_times(sample: Sample, j: int, setting: Setting) -> Change | None:
    """Return how many times as often events come, by one column."""
    x, y = sample.x, sample.y
    assert y.followed is not None
    column = x.column(j)
    known = np.flatnonzero(~np.isnan(column))
    if known.size < 2 * FEWEST or np.unique(column[known]).size < 2:
        return None
    sides = _levels(column, x.categories[j], known) if x.categories[j] else _parts(column, known, _unit(x, j))
    if sides is None:
        return None
    followed = y.followed
    some = [side for side in sides.sides if side.rows.size >= FEWEST]
    with_events = [side for side in some if followed.event[side.rows].any()]
    if len(with_events) < 2:
        return None
    groups = tuple(_times(side, followed) for side in some)
    pairs = 1
    if sides.ordered:
        first, second = with_events[0], with_events[-1]
    else:
        ranked = sorted(with_events, key=lambda side: float(y.values[side.rows, 0].mean()))
        first, second = (ranked[0], ranked[-1]) if len(with_events) > 2 else with_events
        pairs = len(with_events) * (len(with_events) - 1) // 2
    level = setting.level(pairs)
    estimate = _hazard([first.rows, second.rows], np.array([1.0]), followed, setting, level)
    if estimate is None and sides.ordered:  # all events of one side come before those of the other
        step = _step(column[known], setting.blocks_of(known) if setting.about == "within blocks" else None)
        per_step = _hazard_of((column / step)[known, None], known, np.array([1.0]), followed, setting, level)
        if per_step is None:
            return None
        shape = kinds_of.RISES if per_step.value > 1.0 else kinds_of.FALLS
        shape = kinds_of.UNCLEAR if per_step.low <= 1.0 <= per_step.high else shape
        found = _Compared(kinds_of.HAZARD, shape, "", "", per_step, known.size, groups, step)
        return _made(found, setting, sample, j, groups=False, share="")
    if estimate is None:
        return None
    shape = kinds_of.DIFFERS
    if sides.ordered:
        shape = kinds_of.RISES if estimate.value > 1.0 else kinds_of.FALLS
        if len(with_events) == 3:
            rows = [side.rows for side in with_events]
            strictly = 1.0 - (1.0 - level) * STRICT_LEVEL / (1.0 - CONFIDENCE)
            strict = _hazard(rows, np.array([1.0, -0.5]), followed, setting, strictly)
            clear = strict is not None and not strict.low <= 1.0 <= strict.high
            if strict is not None and clear and abs(math.log(strict.value)) > abs(math.log(estimate.value)):
                bend = _hazard(rows, np.array([1.0, -0.5]), followed, setting, level)
                assert bend is not None
                shape = kinds_of.HUMP if bend.value > 1.0 else kinds_of.U_SHAPE
                estimate = bend
    if estimate.low <= 1.0 <= estimate.high:
        shape = kinds_of.UNCLEAR
    found = _Compared(kinds_of.HAZARD, shape, first.label, second.label, estimate, known.size, groups, compared=pairs)
    return _made(found, setting, sample, j, groups=False, share="")


def _times(side: RowSet, followed: Followed) -> GroupNumbers:
    mine = followed.take(side.rows)
    table = life_table(mine)
    half = np.flatnonzero(table.surviving <= 0.5)
    median = float(table.times[half[0]]) if half.size else None
    return GroupNumbers(side.label, side.rows.size, median=median, events=int(mine.event.sum()))


def _hazard(
    sides: Sequence[Ints], weights: Floats, followed: Followed, setting: Setting, level: float
) -> Estimate | None:
    """Return the hazard of later sides over that of the first, weighted, by Cox's model."""
    rows = np.concatenate(sides)
    place = np.repeat(np.arange(len(sides)), [side.size for side in sides])
    design = (place[:, None] == np.arange(1, len(sides))).astype(np.float64)
    return _hazard_of(design, rows, weights, followed, setting, level)


def _hazard_of(
    design: Floats, rows: Ints, weights: Floats, followed: Followed, setting: Setting, level: float
) -> Estimate | None:
    """Return the ratio of hazards for a weighted sum of the columns of a design, blocks or z accounted for."""
    from scipy.special import ndtri

    strata = None
    if setting.controls is not None:
        design = np.column_stack(
            [design, _independent(setting.controls[rows], np.column_stack([np.ones(rows.size), design]))]
        )
    elif setting.blocks is not None and setting.about == "within blocks":
        strata = setting.blocks[rows]
    found = cox(design, followed.take(rows), strata)
    if found is None:
        return None
    beta, covariance = found
    chosen = np.concatenate([weights, np.zeros(beta.size - weights.size)])
    value, error = float(chosen @ beta), math.sqrt(max(0.0, float(chosen @ covariance @ chosen)))
    half = float(ndtri((1.0 + level) / 2.0)) * error
    ends = [math.exp(min(700.0, each)) for each in (value, value - half, value + half)]
    return Estimate(*ends)
