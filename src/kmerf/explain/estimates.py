"""From errors for held-out rows to the size of an effect, with a 95 % interval.

**R2**, the share of the variance of y that its best prediction from x explains. With e the errors of two models and b
those of two means, all for rows that were held out (`kmerf.explain.held_out`),

    R2 = 1 - sum e1 e2 / sum b1 b2.

For groups it is about ANOVA's omega squared, for a line the adjusted R2, and without a relation it is 0 on average. The
variance of the ranks of n rows is (n + 1) / n times that of the ranks in the population, so R2 of ranks is multiplied
by that.

**AUC**, the probability that of two rows of different classes the right one is said to be of the first. Scores are sums
of both models, and rows are compared that were held out together (and are in one block, if rows are exchanged within
blocks). With r the rank correlation of the two models' predictions, their sum has reliability s = 2r / (1 + r), and its
ranking keeps about sqrt(s) of the distance from 1/2. AUC - 1/2, if positive, is multiplied by 2 - sqrt(s), which undoes
most of that and never more than doubles. With k > 2 classes it is the mean over pairs of classes (Hand and Till 2001).

**Intervals.** The estimate is a mean over rows, or over blocks, of what each contributes. The variance of these, with
that of ranks, is its variance at the estimate; how it changes with the true value is taken from theory: as
R2 (1 - R2)^2 for shares, as Hanley and McNeil (1982) have it for areas. The ends are the values from which the estimate
is so far away as 95 % allow (Newcombe 2006).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kmerf.core.arrays import Bools, Floats, Ints, mid_ranks
from kmerf.forests.fitted import auc

if TYPE_CHECKING:
    from kmerf.explain.held_out import HeldOut, Layout

LEVEL = 0.95
MOST_PAIRS = 190  # of classes

_PRIOR = 0.03  # R2 up to which the variance is rather theory's than that of the rows
_RATIOS = 0.4, 4.0  # of the observed variance to that of normal data, at least and at most
_WIDER = 1.1  # than rows that are taken to be independent say: models have seen the other rows
_GRID = 2001


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
    products, around, other = (_products(*each, columns) for each in (held.errors, sides, before))
    total = float(around.sum())
    if total <= 0.0:
        return Estimate(0.0, 0.0, 1.0)
    value = float((other - products).sum()) / total
    parts = (other - products - value * around) * (n / total)
    if ranked is not None:
        errors, spread, others = (_slopes(*each, columns) for each in (held.errors, sides, before))
        parts = parts + _rank_parts(ranked, (others - errors - value * spread) * (n / total))
        value *= (n + 1) / n
    variance, units = _variance(parts / n, layout.clusters)
    apart = held.first - held.second - (0.0 if without is None else without.first - without.second)
    noise = float(_products(apart, apart, columns).sum()) / (2.0 * total)
    curve = _share_curve(min(max(value, 0.0), 1.0), variance, noise, units)
    return interval(min(1.0, value), curve, units, _WIDER)


def _share_curve(value: float, variance: float, noise: float, units: int) -> Callable[[Floats], Floats]:
    """Return the variance of a share as a function of its true value.

    Models whose predictions have this noise, as a share of the variance of y, give the share a variance of its own,
    which is all there is at 0; rows count twice in it. What is left of the observed variance goes as R2 (1 - R2)^2.
    """
    own = (noise + noise**2) / units
    usual = 4.0 * (value * (1.0 - value) ** 2 + _PRIOR) / units
    ratio = float(np.clip((variance - 2.0 * own + 4.0 * _PRIOR / units) / usual, *_RATIOS))
    return lambda r2: own + ratio * 4.0 * r2 * (1.0 - r2) ** 2 / units


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
    variance, units = _variance(parts, layout.clusters)
    curve = _area_curve(value, variance, max(2.0, codes.size / np.unique(codes).size))
    return interval(min(1.0, value), curve, units)


def added_area(held: HeldOut, without: HeldOut, codes: Ints, layout: Layout) -> Estimate:
    """Return by how much the AUC is larger than that of models `without` x."""
    (value, parts), (before, others) = (_area_parts(each, codes, layout) for each in (held, without))
    variance, units = _variance(parts - others, layout.clusters)
    gain = min(1.0, value) - min(1.0, before)
    return interval(gain, lambda theta: np.full(theta.shape, variance), units)


def _area_parts(held: HeldOut, codes: Ints, layout: Layout) -> tuple[float, Floats]:
    """Return the AUC, and what each row contributes to it."""
    scores = held.first + held.second
    gain = 2.0 - np.sqrt(_reliability(held))
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
        parts[rows] += _placements(own.mean(axis=0), of_b) / len(pairs)
    value = float(np.mean(values))
    return max(value, 0.5 + float(gain) * (value - 0.5)), gain * parts


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


def _variance(parts: Floats, clusters: Ints) -> tuple[float, int]:
    """Return the variance of a sum of parts, from that over clusters, and the number of these."""
    sums = np.bincount(clusters, parts)
    units = sums.size
    return float(((sums - sums.mean()) ** 2).sum()) * units / max(1, units - 1), units


def interval(value: float, curve: Callable[[Floats], Floats], units: int, wider: float = 1.0) -> Estimate:
    """Return the values from which the estimate is not too far away, its variance going along a curve."""
    from scipy.special import stdtrit

    reach = wider * float(stdtrit(max(2, units - 2), (1.0 + LEVEL) / 2.0))
    grid = np.linspace(0.0, 1.0, _GRID)
    inside = grid[np.abs(grid - value) <= reach * np.sqrt(curve(grid))]
    nearest = min(max(value, 0.0), 1.0)
    return Estimate(value, float(inside.min(initial=nearest)), float(inside.max(initial=nearest)))
