"""The size of an effect with a 95 % interval, from predictions for held-out rows by two models that share no rows.

Rows are dealt into folds. For each fold, the other rows are dealt into two halves, and y is predicted for the fold by a
model of each half. With g the best prediction, h the mean prediction of such models, and e1 and e2 the errors of the
two,

    E (y - h1)(y - h2) = E (y - g)^2 + E (g - h)^2:

the noise of the two models is independent, and drops out of the product. So a mean of products does not charge for the
noise of estimating, as a mean of squares does. What is left is the bias of h, which `kmerf.explain.learner` keeps low.
Neighbours in x go to different folds and halves, so that each has its part of every level.

Blocks decide what is held out, and from what errors are taken:

- exchanged whole, or so many that a fold can hold some: a block is in one fold, with all of its rows;
- rows exchanged within blocks: y, the functions of x and the predictions are taken from their means in the block. Where
  blocks are few and large, rows are dealt, and y is taken from the block's mean in the half that trains.

**R2**, the share of the variance of y that its best prediction from x explains. With e the errors of two models and b
those of two means, all for rows that were held out,

    R2 = 1 - sum e1 e2 / sum b1 b2.

For groups it is about ANOVA's omega squared, for a line the adjusted R2, and without a relation it is 0 on average.
Three things are corrected:

- With several columns, a penalty can make predictions h too flat. With C the mean of y h and V that of h1 h2, the best
  multiple of h is C / V. If that is above 1 by more than its standard error, predictions are multiplied by the rest.
- A ratio N / D of two means is too low by the covariance of N - R2 D with D, divided by D^2, which is added.
- The variance of the ranks of n rows is n / (n + 1) times that of the ranks in the population.

**AUC**, the probability that of two rows of different classes the right one is said to be of the first. Scores are sums
of both models, and rows are compared that were held out together (and are in one block, if rows are exchanged within
blocks). With r the rank correlation of the two models' predictions, their sum has reliability s = 2r / (1 + r), and its
ranking loses about u = 1 - sqrt(s) of the distance from 1/2. AUC - 1/2, if positive, is multiplied by 1 + u + 0.7 u^2,
which undoes most of that. With k > 2 classes it is the mean over pairs of classes (Hand and Till 2001); chance lifts
that more often above 1/2, and it is multiplied by 1 + u.

**C-index**, the probability that of two rows that can be compared the one with the higher score has its event first
(Harrell 1982): over pairs of rows held out together, as the AUC. C - 1/2, if positive, is multiplied by 1 + u, as its
standard error is, so that the correction does not make chance look clear.

**Intervals.** The estimate is a mean over rows, or over blocks, of what each contributes. The variance of these, with
that of ranks, is its variance at the estimate; how it changes with the true value is taken from theory: as
R2 (1 - R2)^2 for shares (given z, the share of what z leaves), as Hanley and McNeil (1982) have it for areas. The ends
are the values from which the estimate is so far away as 95 % allow (Newcombe 2006), by the t distribution with the
degrees of freedom of a variance of parts with this kurtosis. An estimate that is below 0 by more than its standard
error has the interval of one that is below by one standard error (Cowan et al. 2011): it cannot exclude all relations.
With several columns, R2 may still be too low: if models find a part P of R2 with probability q, or flatter by a factor
q, then (1 - q)^2 P is missed, and C - V is q (1 - q) P. The upper end is higher by half of C - V, which is enough if q
is at least 2/3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kmerf.core.arrays import Bools, Floats, Ints, mid_ranks
from kmerf.core.streams import Purpose, stream
from kmerf.data.sample import Followed
from kmerf.execution import parallel
from kmerf.execution.parallel import one_thread
from kmerf.explain.hazards import compared
from kmerf.forests.fitted import auc

if TYPE_CHECKING:
    from kmerf.explain.learner import Predictors

MANY_BLOCKS = 8  # from which whole blocks are held out when rows are exchanged within them
FEWEST_UNITS = 6  # rows or blocks, with which two halves and a fold say something
MOST_REPEATS = 40  # of the deal
_PREDICTIONS = 1000  # of rows, over all repeats, that are enough
_PREDICTIONS_OF_LEVELS = 400
_FEWEST_OF_LEVELS = 5  # repeats, up to so many rows: they cost little
_MANY_ROWS = 5000
_PREDICTIONS_OF_CLASSES = 600
TRAINED = 0.45  # about the share of rows that a half is


class Dealing(NamedTuple):
    """How often rows are dealt, and into how many folds."""

    folds: int
    repeats: int


def dealing_for(units: int, *, classes: bool, levels: bool = False) -> Dealing:
    """Return how to deal so many rows or blocks; more often where they are few, as then the luck of the deal counts.

    Classes are compared inside folds, which must not be too small. `levels` says that x has only levels: each is dealt
    evenly, so that luck counts for less.
    """
    if classes:
        folds, predictions = 5 if units <= _MANY_ROWS else 3, _PREDICTIONS_OF_CLASSES
    else:
        folds = min(10 if units <= 300 else 5 if units <= _MANY_ROWS else 3, units // 2)
        predictions = _PREDICTIONS_OF_LEVELS if levels else _PREDICTIONS
    fewest = _FEWEST_OF_LEVELS if levels and units <= _MANY_ROWS else 1
    return Dealing(folds, min(MOST_REPEATS, max(fewest, round(predictions / units))))


@dataclass(frozen=True, eq=False)
class Layout:
    """Which rows stay together, and from what errors are taken."""

    n: int
    blocks: Ints | None = None
    within: bool = False

    @property
    def together(self) -> bool:
        """Whether all rows of a block are in one fold."""
        return self.blocks is not None and (not self.within or self.n_blocks >= MANY_BLOCKS)

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return self.n if self.blocks is None else int(self.blocks.max()) + 1

    @property
    def units(self) -> Ints:
        """The number of what is dealt, for each row: its block, or itself."""
        return self.blocks if self.blocks is not None and self.together else np.arange(self.n)

    @property
    def clusters(self) -> Ints:
        """What may be taken to be independent of each other: blocks, or rows given their block."""
        return self.units

    def centred(self, values: Floats) -> Floats:
        """Take columns from their means in each block, if rows are exchanged within blocks."""
        return values - self.means(values, np.arange(self.n)) if self.within and self.blocks is not None else values

    def means(self, values: Floats, rows: Ints) -> Floats:
        """Return the mean (n, q) over some rows of each row's block; of all of those rows where the block has none."""
        assert self.blocks is not None
        own = self.blocks[rows]
        counts = np.bincount(own, minlength=self.n_blocks)
        sums = np.column_stack([np.bincount(own, column[rows], self.n_blocks) for column in values.T])
        means = np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], values[rows].mean(axis=0))
        return np.asarray(means[self.blocks])

    def offsets(self, values: Floats, rows: Ints) -> Floats:
        """Return what is predicted without x, from the rows that train."""
        if self.within:
            return np.zeros_like(values) if self.together else self.means(values, rows)
        return np.broadcast_to(values[rows].mean(axis=0), values.shape)


class Outputs(NamedTuple):
    """What is predicted: columns (n, q), in groups that are fitted alike."""

    values: Floats
    groups: tuple[slice, ...]


class HeldOut(NamedTuple):
    """What two models say of every row, when its fold was held out, in every repeat (repeats, n, q)."""

    first: Floats
    """What the first predicts, above the mean of the rows that it has seen."""
    second: Floats
    around_first: Floats
    """How far y is from that mean."""
    around_second: Floats
    folds: Ints
    """The fold of each row (repeats, n)."""
    flat: bool = True
    """Whether predictions may be too flat, as a penalty on columns that seem to matter little makes them."""
    levels: Ints | None = None
    """The level of x of each row, if x is a single category."""

    @property
    def errors(self) -> tuple[Floats, Floats]:
        """The errors of both models."""
        return self.around_first - self.first, self.around_second - self.second


def cross_fit(
    models: Sequence[Predictors],
    targets: Outputs,
    layout: Layout,
    keys: Floats,
    dealing: Dealing,
    seed: int,
    n_jobs: int = 1,
) -> list[HeldOut]:
    """Return what every model says, over the same folds; neighbours in a column of `keys` are dealt apart."""
    values = layout.centred(targets.values) if layout.together else targets.values
    deals = [_deal_rows(layout, keys[:, r % keys.shape[1]], dealing, seed, r) for r in range(dealing.repeats)]
    shape = (len(models), 2, dealing.repeats, *values.shape)
    found, around = np.zeros(shape), np.zeros(shape[1:])

    def fit(task: tuple[int, int]) -> None:
        repeat, fold = task
        folds, halves = deals[repeat]
        test = np.flatnonzero(folds == fold)
        for side in (0, 1):
            train = np.flatnonzero((folds != fold) & (halves[fold] == side))
            rest = values - layout.offsets(values, train)
            around[side, repeat, test] = rest[test]
            own = int(stream(seed, Purpose.HELD_OUT, 1, repeat, fold, side).integers(2**53))
            for number, model in enumerate(models):
                said = model.predict(train, test, rest, targets.groups, own)
                if layout.within and layout.together:
                    said = said - _block_means(said, layout.units[test])
                found[number, side, repeat, test] = said

    tasks = [(r, k) for r in range(dealing.repeats) for k in range(dealing.folds)]
    with one_thread():
        parallel.run(fit, tasks, n_jobs=n_jobs, apart=True)
    folds = np.stack([each for each, _ in deals])
    return [
        HeldOut(each[0], each[1], around[0], around[1], folds, model.scaled, model.only_levels)
        for each, model in zip(found, models, strict=True)
    ]


def _block_means(values: Floats, blocks: Ints) -> Floats:
    own = np.unique(blocks, return_inverse=True)[1].reshape(-1)
    sums = np.column_stack([np.bincount(own, column) for column in values.T])
    return np.asarray((sums / np.bincount(own)[:, None])[own])


def _deal_rows(layout: Layout, key: Floats, dealing: Dealing, seed: int, repeat: int) -> tuple[Ints, Ints]:
    """Return the fold of each row, and its half (folds, n) when another fold is held out."""
    rng = stream(seed, Purpose.HELD_OUT, 0, repeat)
    units = layout.units
    count = int(units.max()) + 1
    place = np.bincount(units, key, count) / np.bincount(units, minlength=count)
    folds = deal(place, dealing.folds, rng)
    halves = np.zeros((dealing.folds, count), np.int64)
    for fold in range(dealing.folds):
        others = np.flatnonzero(folds != fold)
        halves[fold, others] = deal(place[others], 2, rng)
    return folds[units], halves[:, units]


def deal(key: Floats, hands: int, rng: np.random.Generator) -> Ints:
    """Deal things into hands, of every so many neighbours one to each.

    >>> deal(np.array([5.0, 1.0, 4.0, 2.0]), 2, np.random.default_rng(0)).tolist()
    [1, 1, 0, 0]
    """
    order = rng.permutation(key.size)
    order = order[np.argsort(key[order], kind="stable")]
    turns = -(-key.size // hands)
    each = rng.permuted(np.tile(np.arange(hands), (turns, 1)), axis=1).ravel()[: key.size]
    found = np.empty(key.size, np.int64)
    found[order] = each
    return found


def keys_of(x: Floats) -> Floats:
    """Return what rows are dealt by (n, columns): the ranks of each column of x.

    Classes are dealt by their codes instead, never by both: folds in which x goes with y as it does in all rows would
    tell of the rows held out.
    """
    return np.column_stack([mid_ranks(np.nan_to_num(column)) for column in x.T])


LEVEL = 0.95
MOST_PAIRS = 190  # of classes

_PRIOR = 0.03  # R2 up to which the variance is rather theory's than that of the rows
_RATIOS = 0.5, 4.0  # of the observed variance to that of normal data, at least and at most
_CLEAR = 1.0  # standard errors of a slope that do not count as too flat
_MOST_STRETCHED = 0.3  # by how much more than once predictions are multiplied
_MOST_RATIO = 0.1  # standard errors that are added because R2 is a ratio of means
_MISSED = 0.5  # of C - V, that the upper end of an interval is higher
_LEAST_LEFT = 0.02  # of the variance, that z leaves
_OF_BOTH = 0.5  # of the noise of both models at once, which repeats average out
_WIDER = 1.05  # than rows that are taken to be independent say: models have seen the other rows
_GAIN = 0.7  # of the square of what the ranking of two classes loses
_LEAST_FREEDOM = 4.0
_GRID = 2001

_Two = tuple[Floats, Floats]  # of the first model and of the second


class Estimate(NamedTuple):
    """A number, and the ends of its interval."""

    value: float
    low: float
    high: float


def share(
    held: HeldOut, columns: slice, layout: Layout, ranked: Floats | None, without: HeldOut | None = None
) -> Estimate:
    """Return R2, or by how much it is above that of models `without` x; `ranked` (n, q) is y if its ranks count."""
    n, sides = layout.n, (held.around_first, held.around_second)
    before = sides if without is None else without.errors
    around, other = (_products(*each, columns) for each in (sides, before))
    total = float(around.sum())
    if total <= 0.0:
        return Estimate(0.0, 0.0, 1.0)
    rows = _rows(layout, before, columns)
    added = before[0] - held.errors[0], before[1] - held.errors[1]
    missed = 0.0
    if held.flat:
        covered, said = _slope_parts(before, added, columns)
        missed = _MISSED * max(0.0, covered - said) / total
        added = _stretched(before, added, columns, rows)
    errors = before[0] - added[0], before[1] - added[1]
    products = _products(*errors, columns)
    value = float((other - products).sum()) / total
    parts, spread = (other - products - value * around) / total, around / total
    if ranked is not None:
        slopes = [_slopes(*each, columns) / total for each in (before, errors, sides)]
        parts = parts + _rank_parts(ranked, slopes[0] - slopes[1] - value * slopes[2])
        spread = spread + _rank_parts(ranked, slopes[2])
    variance = _covariance(parts, parts, layout.clusters)
    most = _MOST_RATIO * np.sqrt(variance)
    value += float(np.clip(_covariance(parts, spread, layout.clusters), -most, most))
    value *= 1.0 if ranked is None else (n + 1) / n
    apart = added[0] - added[1]
    noise = float(_products(apart, apart, columns).sum()) / (2.0 * total)
    left = min(1.0, max(_LEAST_LEFT, float(other.sum()) / total))
    curve = _share_curve(min(max(value, 0.0), left), variance, noise, left, rows)
    found = interval(min(1.0, value), curve, _freedom(parts, layout.clusters), _WIDER)
    return found._replace(high=min(1.0, found.high + missed))


def _slope_parts(before: _Two, added: _Two, columns: slice) -> tuple[float, float]:
    """Return the sums C of products of y with what one model says, and V of what both say."""
    covered = 0.5 * float((_products(before[0], added[1], columns) + _products(before[1], added[0], columns)).sum())
    return covered, float(_products(*added, columns).sum())


def _stretched(before: _Two, added: _Two, columns: slice, rows: float) -> _Two:
    """Return what both models say, multiplied by what makes up for a penalty if that is clearly too strong.

    With C the mean product of y and what one model says, and V that of what both say, y is predicted best by C / V
    times what they say. C / V has the error of a slope. As much of it as an error may be is taken off.
    """
    covered, said = _slope_parts(before, added, columns)
    if said <= 0.0 or covered <= said:
        return added
    missed = max(0.0, float(_products(*before, columns).sum()) - 2.0 * covered + said)
    error = np.sqrt(missed / said / rows)
    factor = 1.0 + float(np.clip(covered / said - 1.0 - _CLEAR * error, 0.0, _MOST_STRETCHED))
    return factor * added[0], factor * added[1]


def _rows(layout: Layout, errors: _Two, columns: slice) -> float:
    """Return how many independent rows say as much: fewer if they are taken from block means, or alike in a block."""
    if layout.blocks is None or layout.within:
        return float(layout.n if layout.blocks is None else max(1, layout.n - layout.n_blocks))
    first, second = (each[:, :, columns].mean(axis=0) for each in errors)
    sums = [np.column_stack([np.bincount(layout.blocks, column) for column in each.T]) for each in (first, second)]
    alike = float((sums[0] * sums[1]).sum()) / max(float((first * second).sum()), np.finfo(np.float64).tiny)
    return layout.n / float(np.clip(alike, 1.0, layout.n / layout.n_blocks))


def _share_curve(value: float, variance: float, noise: float, left: float, rows: float) -> Callable[[Floats], Floats]:
    """Return the variance of a share, of what is `left` to explain, as a function of its true value.

    Models whose predictions have this noise, as a share of the variance of y, give the share a variance of its own,
    which is all there is at 0; rows count twice in it. The rest of the observed variance goes as p (1 - p)^2, with p
    the share of what is left.
    """
    own = (left * noise + _OF_BOTH * noise**2) / rows
    prior = 4.0 * _PRIOR * left**2 / rows

    def usual(r2: Floats) -> Floats:
        p = np.clip(r2 / left, 0.0, 1.0)
        return np.asarray(4.0 * left**2 * p * (1.0 - p) ** 2 / rows)

    ratio = float(np.clip((variance - 2.0 * own + prior) / (float(usual(np.array(value))) + prior), *_RATIOS))
    return lambda r2: own + ratio * usual(r2)


def _products(first: Floats, second: Floats, columns: slice) -> Floats:
    return np.asarray((first[:, :, columns] * second[:, :, columns]).mean(axis=0).sum(axis=1))


def _slopes(first: Floats, second: Floats, columns: slice) -> Floats:
    """Return how fast the products change with y (n, q)."""
    return np.asarray((first[:, :, columns] + second[:, :, columns]).mean(axis=0))


def _rank_parts(y: Floats, weights: Floats) -> Floats:
    """Return what each row contributes by the ranks of the others: mean_j w_j (1(y_i <= y_j) - F(y_j))."""
    parts = np.zeros(len(y))
    for values, each in zip(y.T, weights.T, strict=True):
        distinct, codes = np.unique(values, return_inverse=True)
        sums = np.bincount(codes.reshape(-1), each, distinct.size)
        above = np.cumsum(sums[::-1])[::-1] - sums / 2.0
        share_below = (mid_ranks(values) - 0.5) / values.size
        parts += (above[codes.reshape(-1)] - float((each * share_below).sum())) / values.size
    return parts


def area(held: HeldOut, codes: Ints, layout: Layout) -> Estimate:
    """Return the AUC of classes; its columns are those of the classes, of two classes the second alone."""
    value, parts = _area_parts(held, codes, layout)
    variance, units = _covariance(parts, parts, layout.clusters), int(layout.clusters.max()) + 1
    curve = _area_curve(value, variance, max(2.0, codes.size / np.unique(codes).size))
    return interval(min(1.0, value), curve, units - 2.0)


def added_area(held: HeldOut, without: HeldOut, codes: Ints, layout: Layout) -> Estimate:
    """Return by how much the AUC is larger than that of models `without` x."""
    (value, parts), (before, others) = (_area_parts(each, codes, layout) for each in (held, without))
    variance, units = _covariance(parts - others, parts - others, layout.clusters), int(layout.clusters.max()) + 1
    gain = min(1.0, value) - min(1.0, before)
    return interval(gain, lambda theta: np.full(theta.shape, variance), units - 2.0)


def _area_parts(held: HeldOut, codes: Ints, layout: Layout) -> tuple[float, Floats]:
    """Return the AUC, and what each row contributes to it."""
    scores = held.first + held.second
    lost = 1.0 - np.sqrt(_reliability(held))
    gain = 1.0 + lost + (_GAIN * lost**2 if scores.shape[2] == 1 else 0.0)
    shares = np.bincount(codes) / codes.size
    pairs = list(combinations(np.unique(codes).tolist(), 2))
    if len(pairs) > MOST_PAIRS:
        pairs = [pairs[k] for k in np.linspace(0, len(pairs) - 1, MOST_PAIRS).astype(int)]
    values, parts = [], np.zeros(codes.size)
    for a, b in pairs:
        rows = np.flatnonzero((codes == a) | (codes == b))
        of_b = codes[rows] == b
        if scores.shape[2] == 1:
            own = scores[:, rows, 0]
        else:
            own = scores[:, rows, b] / shares[b] - scores[:, rows, a] / shares[a]
        values.append(_compared(own, of_b, held.folds[:, rows], layout, rows))
        parts[rows] += _placements(_pooled(own, held.levels, rows), of_b) / len(pairs)
    value = float(np.mean(values))
    return max(value, 0.5 + float(gain) * (value - 0.5)), (1.0 + lost) * parts


def concordance(held: HeldOut, followed: Followed) -> Estimate:
    """Return Harrell's C of a score that was predicted, the only column; 1/2 if no rows can be compared."""
    scores = (held.first + held.second)[:, :, 0]
    right, pairs = 0.0, 0.0
    for repeat, folds in zip(scores, held.folds, strict=True):
        for fold in range(int(folds.max()) + 1):
            rows = np.flatnonzero(folds == fold)
            won, of = compared(followed.take(rows), repeat[rows])
            right, pairs = right + float(won.sum()), pairs + float(of.sum())
    if pairs == 0.0:
        return Estimate(0.5, 0.0, 1.0)
    lost = 1.0 - np.sqrt(_reliability(held))
    value = right / pairs
    value = max(value, 0.5 + float(1.0 + lost) * (value - 0.5))
    won, of = compared(followed, _pooled(scores, held.levels, np.arange(scores.shape[1])))
    parts = (1.0 + lost) * (won - won.sum() / of.sum() * of) / (of.sum() / 2.0)
    variance, events = float((parts**2).sum()), float(followed.event.sum())
    return interval(min(1.0, value), _area_curve(value, variance, max(2.0, events)), events - 2.0)


def _pooled(scores: Floats, levels: Ints | None, rows: Ints) -> Floats:
    """Return mean scores over repeats, the same for all rows of a level if there are only levels."""
    mean = np.asarray(scores.mean(axis=0))
    if levels is None:
        return mean
    own = levels[rows]
    return np.asarray((np.bincount(own, mean) / np.maximum(np.bincount(own), 1))[own])


def _reliability(held: HeldOut) -> float:
    """Return the reliability of the sum of both models' predictions, by their ranks in each fold."""
    first, second = (np.zeros_like(held.first) for _ in range(2))
    for said, ranks in ((held.first, first), (held.second, second)):
        for repeat, folds in enumerate(held.folds):
            for fold in range(int(folds.max()) + 1):
                rows = np.flatnonzero(folds == fold)
                for column in range(said.shape[2]):
                    ranks[repeat, rows, column] = mid_ranks(said[repeat, rows, column]) - (rows.size + 1) / 2.0
    size = float(np.sqrt((first**2).sum() * (second**2).sum()))
    r = max(0.0, float((first * second).sum()) / size) if size else 0.0
    return 2.0 * r / (1.0 + r)


def _compared(scores: Floats, of_b: Bools, folds: Ints, layout: Layout, rows: Ints) -> float:
    """Return how often the right one of two rows scores higher, of rows held out together; 1/2 if there are none."""
    right, pairs = 0.0, 0
    for repeat, fold in zip(scores, folds, strict=True):
        together = fold
        if layout.within and layout.blocks is not None:
            together = fold * layout.n_blocks + layout.blocks[rows]
        order = np.argsort(together, kind="stable")
        for some in np.split(order, np.flatnonzero(np.diff(together[order])) + 1):
            ones = int(of_b[some].sum())
            count = ones * (some.size - ones)
            if count:
                right += count * auc(repeat[some], of_b[some])
                pairs += count
    return right / pairs if pairs else 0.5


def _placements(scores: Floats, of_b: Bools) -> Floats:
    """Return what each row contributes to the AUC (DeLong et al. 1988)."""
    ranks, parts = mid_ranks(scores), np.empty(scores.size)
    for mine in (of_b, ~of_b):
        others = scores.size - int(mine.sum())
        placed = (ranks[mine] - mid_ranks(scores[mine])) / others
        parts[mine] = (placed - placed.mean()) / mine.sum()
    return np.where(of_b, parts, -parts)


def _area_curve(value: float, variance: float, size: float) -> Callable[[Floats], Floats]:
    """Return the variance of an AUC of groups of this size as a function of its true value (Newcombe's method 5)."""

    def usual(theta: Floats) -> Floats:
        theta = np.clip(np.abs(theta - 0.5) + 0.5, 0.5, 1.0)
        more = (size - 1.0) * ((1.0 - theta) / (2.0 - theta) + theta / (1.0 + theta))
        return np.asarray(theta * (1.0 - theta) * (1.0 + more) / size**2)

    least = float(usual(np.array([1.0 - 1.0 / size]))[0])  # where all rows are right, they say nothing about it
    ratio = (variance + least) / (float(usual(np.array([min(value, 1.0)]))[0]) + least)
    return lambda theta: ratio * usual(theta)


def _covariance(parts: Floats, others: Floats, clusters: Ints) -> float:
    """Return the covariance of two sums of parts, from that over clusters."""
    first, second = (np.bincount(clusters, each) for each in (parts, others))
    units = first.size
    return float(((first - first.mean()) * (second - second.mean())).sum()) * units / max(1, units - 1)


def _freedom(parts: Floats, clusters: Ints) -> float:
    """Return the degrees of freedom of the variance of a sum of parts: few if some are far from the rest."""
    sums = np.bincount(clusters, parts)
    squares = (sums - sums.mean()) ** 2
    total = float(squares.sum()) ** 2
    kurtosis = sums.size * float((squares**2).sum()) / total if total > 0.0 else 1.0
    return (sums.size - 2.0) * min(1.0, 2.0 / max(kurtosis - 1.0, 1.0))


def interval(value: float, curve: Callable[[Floats], Floats], freedom: float, wider: float = 1.0) -> Estimate:
    """Return the values from which the estimate is not too far away, its variance going along a curve."""
    from scipy.special import stdtrit

    reach = wider * float(stdtrit(max(_LEAST_FREEDOM, freedom), (1.0 + LEVEL) / 2.0))
    grid = np.linspace(0.0, 1.0, _GRID)
    errors = np.sqrt(curve(grid))
    # a true value is not below 0: an estimate further below than its standard error is bad luck, not knowledge
    centre = max(value, -float(errors[0]))
    inside = grid[np.abs(grid - centre) <= reach * errors]
    nearest = min(max(value, 0.0), 1.0)
    return Estimate(value, float(inside.min(initial=nearest)), float(inside.max(initial=nearest)))
