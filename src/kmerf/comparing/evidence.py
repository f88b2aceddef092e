"""Is there a difference? One permutation test of all columns and of how they go together; and one per column.

Rows of both tables are pooled, and "new" is exchanged between them, B times at random (whole blocks, if rows belong
together). Everything below is a function of the pooled rows, computed once; a permutation only counts again. So all
p-values are exact, whatever the columns hold.

**Columns.** A column is cut into cells: up to 32 bins at quantiles, or its levels, a cell for missing values, and each
of these by how many decimals a number has, which shows rounding. Functions f_d of the cells have mean 0 and length 1.
With pi the share of new rows and c the counts of new rows in the cells,

    Z_d = sqrt(n - 1) sum_cells f_d c / sqrt(n pi (1 - pi))

has mean 0 and variance 1 without a difference. A *change* r expects variances t_rd beside those of chance. The
statistic of a column is the logarithm of its mean likelihood ratio against no change,

    log sum_r w_r exp( sum_d t_rd / (1 + t_rd) Z_d^2 / 2 - log(1 + t_rd) / 2 ),

over changes of level (a line, a step), spread, shape (an interval, a curve), missingness, rounding, and levels. The
change with the largest term names the kind. Of all columns, the logarithm of the mean counts.

A *crowd* is a few rows: those of one rare level, those with a missing value, the 4 to 32 largest or smallest numbers.
If a level is new, all of its k rows are, which has the probability pi^k by chance. With k = 10, that is 30 times as
much evidence as Z shows. So for each crowd the mean likelihood ratio also has a term in which rows of it are new with a
probability from Beta(9, 1), or old with one. Which sets are crowds depends on the pooled rows alone.

**Pairs.** With s normal scores of a number, or the indicator of a level, and r the pooled correlation, the mean of
s_a s_b - r (s_a^2 + s_b^2) / 2 differs between old and new rows as their correlations do. Its Z enters as above, and so
does that of each score less its regression on all others: a flight may take longer for its distance.

**Rows.** Their distance from the middle, s' C^-1 s with C the pooled correlations, is one more column: foreign rows lie
far out in several columns at once, so most of the weight is on its ends. **Trees**, grown without a look at what is
new, see what remains: whether rows that share leaves are alike in being new.

The four statistics become one by `kmerf.nulls.definitions`.

With blocks, a column that differs much between blocks has large statistics under permutation too. So that it does not
drown the others, the statistics of columns, and the Z of pairs, are first standardised by their own permuted values,
and columns are combined as the four are.

P-values of columns below 0.01 are refined by 20,000 draws of the counts of their cells, which are hypergeometric; these
cost the same for any number of rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kmerf.core.arrays import mid_ranks
from kmerf.core.streams import Purpose, stream
from kmerf.data.sample import Features, column_part
from kmerf.execution.progress import no_progress
from kmerf.forests.spec import ForestSpec
from kmerf.methods.column_scan import columns_of
from kmerf.methods.kmerf import KMERF
from kmerf.nulls.definitions import combine, scores, soft_maximum

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    from kmerf.core.arrays import Bools, Floats, Ints
    from kmerf.data.sample import Sample
    from kmerf.execution.progress import Progress
    from kmerf.methods.kmerf import ForestProblem

RESAMPLES = 999
MOST_RESAMPLES = 9999  # where a smaller p-value is asked for
REFINED = 19_999  # draws of cells
REFINE_BELOW = 0.0105
MAX_SCORES = 48  # functions of columns whose products are looked at
MAX_LEVELS = 3  # of a category, among them
TREES = 60
MAX_DECIMALS = 6
MEMBERS = {"columns": 0.5, "pairs": 0.2, "rows": 0.15, "trees": 0.15}

_CLEAR = 10.0  # variance of Z if something changed: most such changes are just about found
_SLOPE = 0.5 * _CLEAR / (1.0 + _CLEAR)
_COST = 0.5 * np.log1p(_CLEAR)
_WEIGHTS = {"level": 0.26, "step": 0.10, "spread": 0.14, "shape": 0.16, "smooth": 0.06, "rounding": 0.12}
_WEIGHTS |= {"missingness": 0.12, "shares": 0.5}
_CROWD_WEIGHTS = {"shares": 0.3, "missingness": 0.1, "shape": 0.06}  # of rare cells, beside those
_FAR_WEIGHT = 0.5  # of the rows that are furthest from the middle
_MOSTLY = 9  # a crowd is new with a probability from Beta(9, 1), or old with one
_NEW_SHARE = 0.7  # of the crowds that are mostly new or mostly old
MIN_CROWD = 3  # rows
ENDS = (32, 16, 8, 4)  # rows at either end of a column
_BATCH = 128


class CellColumn(NamedTuple):
    """A column in cells, and the functions of them that changes show in."""

    cells: NDArray[np.int32]
    functions: Floats
    """(d, cells), each of mean 0 and length 1 over the rows."""
    weights: Floats
    """Logarithms of the prior weights of single functions (d,)."""
    kinds: tuple[str, ...]
    """What a change along each function is."""
    smooth: Floats
    """What squares are multiplied by in the profile of smooth curves (d,), and"""
    smooth_cost: float
    crowds: Floats
    """Sets of few rows that may be nearly all new, or nearly all old (m, cells): 1 for the cells of each."""
    crowd_weights: Floats
    """Logarithms of their prior weights (m,)."""

    @property
    def counts(self) -> Ints:
        """Rows of each cell."""
        return np.bincount(self.cells, minlength=self.functions.shape[1])

    def statistic(self, counts: Floats | Ints, new: int | Floats) -> tuple[Floats, NDArray[np.int64]]:
        """Return the statistics of counts of new rows in cells (B, cells), and which change has the largest term."""
        n = self.cells.size
        z = _z(self, counts, n, new)
        terms = self.weights + _SLOPE * z**2 - _COST
        curve = self.smooth_cost + (z**2) @ self.smooth
        if self.crowds.size:
            size = self.crowds @ self.counts
            crowds = self.crowd_weights + _crowded(np.rint(counts @ self.crowds.T), size, np.reshape(new, (-1, 1)) / n)
            terms = np.concatenate([terms, crowds], axis=1)
        most = np.maximum(terms.max(axis=1), curve)
        total = np.exp(terms - most[:, None]).sum(axis=1) + np.exp(curve - most)
        return np.asarray(most + np.log(total)), terms.argmax(axis=1)


def decimals(values: Floats) -> Ints:
    """Return how many decimals each number has, up to 6; -1 for each 0 at the end of a whole one, down to -3.

    >>> decimals(np.array([1.25, 3.0, 1200.0, 0.1, np.nan])).tolist()
    [2, 0, -2, 1, 0]
    """
    known = np.nan_to_num(values)
    found = np.full(values.size, MAX_DECIMALS)
    for places in range(MAX_DECIMALS - 1, -4, -1):
        scaled = known * 10.0**places
        exact = np.abs(scaled - np.round(scaled)) <= 1e-9 * np.maximum(np.abs(scaled), 1.0)
        found[exact & (found == places + 1)] = places
    found[known == 0.0] = 0
    return found


def cell_columns(x: Features) -> list[CellColumn | None]:
    """Return every column in cells; None for one that does not vary."""
    found: list[CellColumn | None] = []
    for j in range(x.p):
        values = x.column(j)
        known = values[~np.isnan(values)]
        constant = known.size in (0, values.size) and (known.size == 0 or known.min() == known.max())
        found.append(None if constant else _cells(x, j, values))
    return found


def _cells(x: Features, j: int, values: Floats) -> CellColumn:
    gaps = np.isnan(values)
    if x.categories[j]:
        return _level_cells(x, j, gaps)
    if gaps.all() or np.nanmin(values) == np.nanmax(values):  # one number, or missing
        return _assembled(gaps.astype(np.int64), [np.array([0.0, 1.0])], ["missingness"], {"missingness": 1.0})
    return number_cells(values)


def number_cells(values: Floats, ends: float = _CROWD_WEIGHTS["shape"]) -> CellColumn:
    """Cut numbers into bins by their size, by their decimals, and by whether they are among the most extreme."""
    one = Features(values[:, None], ("x",), ("numeric",), np.zeros(1, np.int64), (0,), ((),))
    binned = columns_of(one)[0]
    gaps = np.isnan(values)
    places = np.where(gaps, 0, decimals(values))
    both = (binned.bins.astype(np.int64) * 16 + places + 8) * 16 + _ends(values) + 8
    kept, cells = np.unique(both, return_inverse=True)
    of_bin, of_place, of_end = kept // 256, kept // 16 % 16 - 8, kept % 16 - 8
    functions, kinds = [binned.directions[d][of_bin] for d in range(len(binned.kinds))], []
    waves = 0
    for kind in binned.kinds:
        if kind == "wave":
            kinds.append(("level", "spread")[waves] if waves < 2 else "shape")
            waves += 1
        else:
            kinds.append({"step": "step", "interval": "shape", "missing": "missingness"}[kind])
    for place in np.unique(of_place)[:-1]:
        functions.append((of_place <= place).astype(np.float64))
        kinds.append("rounding")
    sets, names = [], []
    if gaps.any():
        sets.append(of_bin == binned.bins[gaps][0])
        names.append("missingness")
    for far in (of_end, -of_end):  # the largest and the smallest numbers
        for end in np.unique(far[far > 0]):
            sets.append(far >= end)
            names.append("shape")
    return _assembled(cells.reshape(-1), functions, kinds, _WEIGHTS, waves, (sets, names), ends)


def _ends(values: Floats) -> Ints:
    """Return 1 for the ENDS[0] largest numbers, 2 for the ENDS[1] largest of them, ...; below 0 for the smallest."""
    out = np.zeros(values.size, np.int64)
    rows = np.flatnonzero(~np.isnan(values))
    for sign in (1, -1):
        ordered = np.sort(sign * values[rows])[::-1]
        for size in ENDS:
            if 4 * size <= rows.size:
                far = sign * values[rows] >= ordered[size - 1]
                if far.sum() <= 2 * size:  # unless many are tied there
                    out[rows[far]] += sign
    return out


def _level_cells(x: Features, j: int, gaps: Bools) -> CellColumn:
    one = columns_of(column_part(x, [j]))[0]
    cells = one.bins.astype(np.int64)
    size = one.directions.shape[1]
    functions: list[Floats] = list(np.eye(size))
    kinds = ["shares"] * size
    if gaps.any():
        kinds[int(cells[gaps][0])] = "missingness"
    return _assembled(cells, functions, kinds, _WEIGHTS, size if size > 2 else 0, ([*np.eye(size)], kinds))


def _assembled(
    cells: Ints,
    functions: list[Floats],
    kinds: list[str],
    weights: dict[str, float],
    smooth: int = 0,
    crowds: tuple[Sequence[Any], Sequence[str]] = ((), ()),
    ends: float = 0.0,
) -> CellColumn:
    """Centre the functions, give them length 1, and share out the weights; the first `smooth` are a profile too."""
    counts = np.bincount(cells).astype(np.float64)
    table = np.array(functions)
    table -= (table @ counts / counts.sum())[:, None]
    length = np.sqrt((table**2) @ counts)
    varies = length > 1e-9
    table = table[varies] / length[varies, None]
    names = [kind for kind, keep in zip(kinds, varies, strict=True) if keep]
    shares = np.array([weights[name] / names.count(name) for name in names])
    number = np.arange(1, len(names) + 1, dtype=np.float64)
    of_levels = "shares" in names
    variances = np.where(
        number <= smooth, max(1.0, _CLEAR / max(smooth, 1)) if of_levels else _CLEAR / number**1.5, 0.0
    )
    profile = 0.4 if of_levels else _WEIGHTS["smooth"]
    sets = np.array(list(crowds[0]), np.float64).reshape(len(crowds[0]), counts.size)
    few = (sets @ counts >= MIN_CROWD) & (sets @ counts <= counts.sum() / 4.0)
    of_crowds = [name for name, keep in zip(crowds[1], few, strict=True) if keep]
    crowd_shares = np.array([(_CROWD_WEIGHTS | {"shape": ends})[name] / of_crowds.count(name) for name in of_crowds])
    total = shares.sum() + (profile if smooth else 0.0) + crowd_shares.sum()
    slopes = 0.5 * variances / (1.0 + variances)
    cost = float(np.log(profile / total) - 0.5 * np.log1p(variances).sum()) if smooth else -np.inf
    shown = tuple("level" if name == "step" else name for name in names)
    return CellColumn(
        cells.astype(np.int32),
        table,
        np.log(shares / total),
        (*shown, *of_crowds),
        slopes,
        cost,
        sets[few],
        np.log(crowd_shares / total),
    )


def _crowded(new: Floats, size: Floats, share: Floats) -> Floats:
    """Return the log likelihood ratios of crowds (B, m) being mostly new, or mostly old, against chance.

    >>> _crowded(np.array([[10.0, 5.0]]), np.array([10.0, 10.0]), np.array([[0.5]])).round(1).tolist()
    [[5.8, -2.9]]
    """
    from scipy.special import gammaln

    lg = gammaln(np.arange(size.max(initial=0.0) + _MOSTLY + 2.0))
    of_new, of_old = (np.asarray(each, np.int64) for each in (new, size - new))
    chance = new * np.log(share) + (size - new) * np.log1p(-share)
    chance += lg[np.asarray(size, np.int64) + _MOSTLY + 1] - np.log(_MOSTLY)
    mostly_new = np.log(_NEW_SHARE) + lg[of_new + _MOSTLY] + lg[of_old + 1] - chance
    mostly_old = np.log(1.0 - _NEW_SHARE) + lg[of_old + _MOSTLY] + lg[of_new + 1] - chance
    return np.asarray(np.logaddexp(mostly_new, mostly_old))


@dataclass(frozen=True, eq=False)
class ColumnScores:
    """Functions of columns with mean 0 and variance 1, of which products are taken."""

    values: Floats
    names: tuple[str, ...]
    owners: tuple[int, ...]
    known: Bools
    """Where the column is not missing."""

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Two functions of different columns each."""
        size = len(self.owners)
        return [(a, b) for a in range(size) for b in range(a + 1, size) if self.owners[a] != self.owners[b]]


def scores_of(x: Features, parts: Ints | None = None) -> ColumnScores:
    """Return normal scores of numbers and indicators of the commonest levels; by the ranks in each part, if any.

    A missing value counts as the mean.
    """
    columns: list[Floats] = []
    known: list[Bools] = []
    names: list[str] = []
    owners: list[int] = []
    where = np.zeros(x.n, np.int64) if parts is None else parts
    for j in range(x.p):
        if len(columns) >= MAX_SCORES:
            break
        values = x.column(j)
        gaps = np.isnan(values)
        if gaps.all():
            continue
        if x.categories[j]:
            counts = np.bincount(values[~gaps].astype(np.int64), minlength=len(x.categories[j]))
            common = np.argsort(-counts, kind="stable")[: MAX_LEVELS if counts.size > 2 else 1]
            raw = [(np.where(gaps, np.nan, values == k), f"{x.names[j]} = {x.categories[j][k]}") for k in common]
        else:
            raw = [(values, x.names[j])]
        for each, name in raw:
            scored = _scored(each, where, ranked=not x.categories[j])
            if scored is not None:
                columns.append(scored)
                known.append(~gaps)
                names.append(name)
                owners.append(j)
    table = np.column_stack(columns) if columns else np.empty((x.n, 0))
    return ColumnScores(
        table, tuple(names), tuple(owners), np.column_stack(known) if known else np.empty((x.n, 0), np.bool_)
    )


def _scored(values: Floats, parts: Ints, ranked: bool) -> Floats | None:
    from scipy.special import ndtri

    out = np.zeros(values.size)
    for part in np.unique(parts):
        rows = np.flatnonzero((parts == part) & ~np.isnan(values))
        if rows.size < 2 or np.ptp(values[rows]) == 0.0:
            return None
        mine = values[rows]
        if ranked:
            mine = np.asarray(ndtri((mid_ranks(mine) - 0.5) / rows.size))
        out[rows] = (mine - mine.mean()) / mine.std()
    return out


def products(scores: ColumnScores) -> NDArray[np.float32]:
    """Return what differs between rows as correlations do (n, pairs), and of each score what the others leave.

    All have mean 0 and length 1. A pair has 0 in rows where one of both is missing: that more are is no other relation.
    """
    pairs = scores.pairs
    s = scores.values
    out = np.empty((len(s), len(pairs) + s.shape[1] * (s.shape[1] > 1)), np.float32)
    squares = s**2
    if s.shape[1] > 1:
        correlations = s.T @ s / len(s) + 1e-3 * np.eye(s.shape[1])
        left = np.linalg.solve(correlations, s.T).T  # of each score, what the others do not explain
        left -= left.mean(axis=0)
        out[:, len(pairs) :] = left / np.maximum(np.sqrt((left**2).sum(axis=0)), 1e-9)
    for k, (a, b) in enumerate(pairs):
        both = scores.known[:, a] & scores.known[:, b]
        product = s[:, a] * s[:, b]
        each = product - product.sum() / max(both.sum(), 1) * (squares[:, a] + squares[:, b]) / 2.0
        each = np.where(both, each - each[both].sum() / max(both.sum(), 1), 0.0)
        length = np.sqrt((each**2).sum())
        out[:, k] = each / length if length > 1e-9 else 0.0
    return out


def distances(scores: ColumnScores) -> Floats:
    """Return how far each row lies from the middle, by all functions of columns together."""
    s = scores.values
    correlations = s.T @ s / len(s) + 0.1 * np.eye(s.shape[1])
    return np.asarray((np.linalg.solve(correlations, s.T).T * s).sum(axis=1))


class Orders:
    """Which rows count as new: as observed (number 0), and permuted (from 1 on)."""

    def __init__(self, current: Bools, blocks: Ints | None, seed: int) -> None:
        self.current, self.blocks, self.seed = current, blocks, seed
        if blocks is not None:
            self.of_block = np.zeros(int(blocks.max()) + 1, np.bool_)
            self.of_block[blocks[current]] = True

    def new_rows(self, number: int) -> Bools:
        """Return which rows count as new under a number."""
        if number == 0:
            return self.current
        if self.blocks is not None:
            rng = stream(self.seed, Purpose.COMPARED_ROWS, number)
            return np.asarray(rng.permutation(self.of_block)[self.blocks])
        from kmerf.engine.permuted_sums import permutation

        order = np.empty(self.current.size, np.int32)
        permutation(np.uint64(self.seed), np.uint64(number), order)
        return np.asarray(self.current[order])


class Evidence(NamedTuple):
    """What the tests found."""

    pvalue: float
    columns: Floats
    """P-values of columns; 1 for one that does not vary."""
    kinds: tuple[str, ...]
    """The kind of change of each column for which there is most evidence."""
    members: dict[str, float]
    resamples: int


def find_evidence(sample: Sample, seed: int, below: float | None = None, progress: Progress = no_progress) -> Evidence:
    """Test the rows of a sample with two classes; with `below`, permute on while p might be smaller than it."""
    assert sample.y.codes is not None
    x, current = sample.x, sample.y.codes == 1
    prepared = _Prepared(sample, current, seed)
    table = prepared.statistics(RESAMPLES + 1, progress)
    result = _judged(table)
    one = 1.0 / (RESAMPLES + 1)
    if below is not None and below < 2.0 * one and result[0] <= 5.0 * one:
        table = prepared.statistics(min(MOST_RESAMPLES, int(3.0 / below)) - RESAMPLES)
        result = _judged(table)
    pvalue, members = result
    columns = np.ones(x.p)
    own = prepared.own
    for k, j in enumerate(prepared.places):
        column = own[: RESAMPLES + 1, k]
        columns[j] = (column >= column[0] - 1e-9 * abs(column[0])).sum() / column.size
        if columns[j] <= REFINE_BELOW and sample.blocks is None:
            cells = prepared.columns[k]
            columns[j] = refined(cells, current, float(column[0]), stream(seed, Purpose.COMPARED_CELLS, j))
    kinds = ["" for _ in range(x.p)]
    for j, kind in zip(prepared.places, prepared.kinds, strict=True):
        kinds[j] = kind
    return Evidence(pvalue, columns, tuple(kinds), members, len(table) - 1)


def refined(column: CellColumn, current: Bools, observed: float, rng: np.random.Generator) -> float:
    """Return the p-value of a column among draws of the counts of its cells."""
    counts, new = column.counts, int(current.sum())
    hits = 0
    for _ in range(4):
        size = (REFINED + 1) // 4
        draws = rng.multivariate_hypergeometric(counts, new, size=size, method="marginals")
        hits += int((column.statistic(draws, new)[0] >= observed - 1e-9).sum())
    return (1 + hits) / (REFINED + 2)


def _z(column: CellColumn, counts: NDArray[np.int64] | Floats, n: int, new: int | Floats) -> Floats:
    share = np.asarray(new) / n
    scale = np.sqrt((n - 1.0) / (n * share * (1.0 - share)))
    return np.asarray((counts @ column.functions.T) * np.reshape(scale, (-1, 1)))


def _judged(table: Floats) -> tuple[float, dict[str, float]]:
    names = [name for name, column in zip(MEMBERS, table.T, strict=True) if np.ptp(column) > 0.0]
    some = table[:, [list(MEMBERS).index(name) for name in names]]
    if not names:
        return 1.0, {}
    weights = np.array([MEMBERS[name] for name in names])
    top, others = combine(some[0], some[1:], weights)
    members = {name: _rank(column[0], column[1:]) for name, column in zip(names, some.T, strict=True)}
    return _rank(top, others), members


def _rank(observed: float, others: Floats) -> float:
    return float((1 + (others >= observed - 1e-9 * abs(observed)).sum()) / (1 + others.size))


class _Prepared:
    """All that does not change with the permutation."""

    def __init__(self, sample: Sample, current: Bools, seed: int) -> None:
        x, n = sample.x, sample.n
        every = cell_columns(x)
        self.places = [j for j, each in enumerate(every) if each is not None]
        self.columns = [each for each in every if each is not None]
        own_scores = scores_of(x)
        self.products = products(own_scores)
        self.far = number_cells(distances(own_scores), _FAR_WEIGHT) if own_scores.values.shape[1] > 1 else None
        cells = [*self.columns, *([] if self.far is None else [self.far])]
        self.starts = np.cumsum([0, *(each.functions.shape[1] for each in cells)])
        offsets = [each.cells + start for each, start in zip(cells, self.starts, strict=False)]
        self.cells = np.column_stack(offsets).astype(np.int32) if cells else np.empty((n, 0), np.int32)
        self.orders = Orders(current, sample.blocks, seed)
        self.trees = _trees(sample, seed) if sample.blocks is None and x.p > 1 else None
        self.seed, self.n = seed, n
        self.own = np.empty((0, len(self.columns)))
        self.table = np.empty((0, len(MEMBERS)))
        self.pair_z = np.empty((0, self.products.shape[1]))  # with blocks only
        self.kinds: list[str] = []

    def statistics(self, size: int, progress: Progress = no_progress) -> Floats:
        """Take so many more permutations, the first of which changes nothing, and return the statistics of all."""
        first = len(self.table)
        parts, own = [], []
        for start in range(first, first + size, _BATCH):
            numbers = range(start, min(start + _BATCH, first + size))
            part, mine = self._batch(numbers)
            if self.trees is not None:
                part[:, 3] = self.trees.permuted(self.seed, start, len(numbers))
            parts.append(part)
            own.append(mine)
            progress(numbers.stop - first, size)
        self.own = np.vstack([self.own, *own])
        self.table = np.vstack([self.table, *parts])
        if self.orders.blocks is None or not self.own.shape[1]:
            return self.table
        table = self.table.copy()
        table[:, 0] = soft_maximum(scores(self.own), np.ones(self.own.shape[1]))
        if self.pair_z.size:
            scaled = self.pair_z / np.maximum(np.sqrt((self.pair_z**2).mean(axis=0)), 1e-12)
            table[:, 1] = _log_mean(_SLOPE * scaled**2 - _COST)
        return table

    def _batch(self, numbers: range) -> tuple[Floats, Floats]:
        total = int(self.starts[-1])
        masks = np.stack([self.orders.new_rows(number) for number in numbers])
        new = masks.sum(axis=1).astype(np.float64)
        counts = np.empty((len(numbers), total))
        pairs = np.zeros((len(numbers), self.products.shape[1]))
        sparse = 8 * int(min(new[0], self.n - new[0])) < self.n
        whole = np.bincount(self.cells.ravel(), minlength=total) if total else np.empty(0)
        for b, mask in enumerate(masks):
            few = ~mask if 2 * new[b] > self.n else mask
            mine = np.bincount(self.cells[few].ravel(), minlength=total)
            counts[b] = whole - mine if few is not mask else mine
            if sparse and pairs.size:
                pairs[b] = (-1.0 if few is not mask else 1.0) * self.products[few].sum(axis=0, dtype=np.float64)
        if pairs.size and not sparse:
            pairs = (masks.astype(np.float32) @ self.products).astype(np.float64)
        own = np.zeros((len(numbers), len(self.columns)))
        for k, column in enumerate(self.columns):
            own[:, k] = self._column(column, k, counts, new, numbers)
        table = np.zeros((len(numbers), len(MEMBERS)))
        table[:, 0] = _log_mean(own) if own.size else 0.0
        if pairs.size:
            share = new / self.n
            z = pairs * np.sqrt((self.n - 1.0) / (self.n * share * (1.0 - share)))[:, None]
            table[:, 1] = _log_mean(_SLOPE * z**2 - _COST)
            if self.orders.blocks is not None:
                self.pair_z = np.vstack([self.pair_z, z])
        if self.far is not None:
            part = counts[:, self.starts[-2] : self.starts[-1]]
            table[:, 2] = self.far.statistic(part, new)[0]
        return table, own

    def _column(self, column: CellColumn, k: int, counts: Floats, new: Floats, numbers: range) -> Floats:
        part = counts[:, self.starts[k] : self.starts[k + 1]]
        values, best = column.statistic(part, new)
        if numbers[0] == 0:
            self.kinds.append(column.kinds[int(best[0])])
        return values


def _log_mean(logs: Floats) -> Floats:
    most = logs.max(axis=1)
    return np.asarray(most + np.log(np.exp(logs - most[:, None]).mean(axis=1)))


def _trees(sample: Sample, seed: int) -> ForestProblem:
    spec = ForestSpec(n_trees=TREES, splits="blind", min_samples_leaf=5, bootstrap=False)
    return KMERF(spec, proximity="all", y_kernel="discrete").prepare(sample, seed)
