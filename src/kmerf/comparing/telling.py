"""Does it matter? How well a forest tells new rows from old ones that it has not seen, and how many are unlike them.

Rows (or blocks) are dealt into five folds, each with its part of the old and of the new rows; into fewer if a table has
fewer blocks. A forest of the other
folds scores the rows of a fold: the probability that a row is new, if old and new rows were equally many.

**AUC** is the share of pairs of an old and a new row of one fold in which the new one has the higher score. Its
variance is that of DeLong, DeLong and Clarke-Pearson (1988), by blocks if there are any. It takes the forests as given,
but they learnt from each other's rows: two rows of different folds count twice, once for the score of each. Without a
difference that doubles the variance; (1 - |2 AUC - 1|)^2 of the variance without a difference is added. The AUC is what
this forest finds from this many rows; the best rule of all may find more.

**The share of new rows unlike the old ones.** If all but a share of the new rows came from the distribution of the old
ones, then for every set A, P(new row in A) - P(old row in A) would be at most that share (it is the total variation
distance). For each fold, A is the rows with a score above a threshold that the other folds choose, so that it does not
see the rows that it counts. The lower 95 % limit of the difference (Newcombe 1998), with the doubled variance, is the
bound; without evidence of a difference (the joint p-value is above the level) it is 0. Michel, Naef and Meinshausen
(2020, arXiv:2005.06006) bound the same distance from the ranks of all scores.

**Copies.** If new rows are copies of old ones, a forest would know rows that it should not have seen. Then equal rows
are dealt together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kmerf.core.arrays import mid_ranks, read_only
from kmerf.core.streams import Purpose, seed_for, stream
from kmerf.execution.progress import no_progress
from kmerf.forests.growing import Forest, presort
from kmerf.forests.spec import ForestSpec

if TYPE_CHECKING:
    from kmerf.core.arrays import Bools, Floats, Ints
    from kmerf.data.sample import Sample
    from kmerf.engine.workspace import Trees
    from kmerf.execution.progress import Progress
    from kmerf.forests.growing import Leaves

FOLDS = 5
FEWEST_ROWS = 10  # of each table
TREES = 100
MOST_OLD = 3  # old rows for each new one that a forest learns from
TWO_SIDED = 1.96
ONE_SIDED = 1.6449 * 2**0.5  # for the doubled variance
MIN_COPIES = 0.05  # share of the new rows, from which copies are dealt together


class Told(NamedTuple):
    """How well new rows are told from old ones."""

    auc: float
    low: float
    high: float
    share: float
    """The lower bound of the share of new rows unlike the old ones."""
    scores: Floats
    """Of each row."""
    copies: float
    """The share of new rows that are copies of old ones."""


def tell_apart(sample: Sample, seed: int, n_jobs: int = 1, progress: Progress = no_progress) -> Told:
    """Score every row by forests that have not seen it."""
    assert sample.y.codes is not None
    current = sample.y.codes == 1
    if min(current.sum(), (~current).sum()) < FEWEST_ROWS:
        return Told(0.5, 0.0, 1.0, 0.0, np.full(sample.n, 0.5), 0.0)
    units, copies = equal_rows(sample.x.values, current) if sample.blocks is None else (sample.blocks, 0.0)
    folds = deal(current, units, stream(seed, Purpose.COMPARED_FOLDS))
    scores = np.full(sample.n, 0.5)
    number = int(folds.max()) + 1
    for fold in range(number):
        held = folds == fold
        rng = stream(seed, Purpose.COMPARED_FOLDS, 1 + fold)
        own = seed_for(seed, Purpose.COMPARED_FOLDS, fold)
        scores[held] = _scored(sample, _training(current, ~held, rng), held, current, own, n_jobs)
        progress(fold + 1, number)
    auc, error = auc_of(scores, current, folds, sample.blocks)
    low, high = max(0.0, auc - TWO_SIDED * error), min(1.0, auc + TWO_SIDED * error)
    return Told(auc, low, high, share_bound(scores, current, folds, sample.blocks), scores, copies)


def equal_rows(values: Floats, current: Bools) -> tuple[Ints | None, float]:
    """Number rows so that equal ones have one number, if many new rows are copies; and the share of those that are.

    Rows of a few categories are equal by chance: they do not count.
    """
    keys = np.ascontiguousarray(np.nan_to_num(values, nan=np.inf) + 0.0).view(f"V{8 * values.shape[1]}").reshape(-1)
    number = np.unique(keys, return_inverse=True)[1].reshape(-1)
    apart = [np.unique(number[current == side]).size / (current == side).sum() for side in (False, True)]
    if min(apart) < 0.9:  # equal rows are usual in both tables
        return None, 0.0
    copies = float(np.isin(number[current], number[~current]).mean())
    return (number if copies >= MIN_COPIES else None), copies


def deal(current: Bools, units: Ints | None, rng: np.random.Generator) -> Ints:
    """Return the fold of each row; each has its part of the old and the new rows, and whole units.

    >>> blocks = np.repeat(np.arange(5), 4)  # three old ones, two new ones
    >>> deal(blocks >= 3, blocks, np.random.default_rng(0)).max() + 1
    np.int64(2)
    """
    units = np.arange(current.size) if units is None else units
    has = np.zeros((int(units.max()) + 1, 2), np.bool_)
    has[units[~current], 0], has[units[current], 1] = True, True
    kind = has[:, 0] + 2 * has[:, 1]
    fold = np.empty(kind.size, np.int64)
    number = int(np.clip(has.sum(axis=0).min(), 2, FOLDS))
    for each in (1, 2, 3):
        mine = np.flatnonzero(kind == each)
        fold[rng.permutation(mine)] = np.arange(mine.size) % number
    return np.asarray(fold[units])


def _training(current: Bools, allowed: Bools, rng: np.random.Generator) -> Ints:
    """Return the rows to learn from, without most of those of a table that is much larger."""
    sides = [np.flatnonzero(allowed & (current == side)) for side in (False, True)]
    most = MOST_OLD * min(each.size for each in sides)
    return np.sort(np.concatenate([each if each.size <= most else rng.permutation(each)[:most] for each in sides]))


def _scored(sample: Sample, rows: Ints, held: Bools, current: Bools, seed: int, n_jobs: int) -> Floats:
    x = sample.x
    y = current[rows].astype(np.float64)
    spec = ForestSpec(n_trees=TREES, max_features=0.6, min_samples_leaf=10, max_depth=5)
    forest = Forest(spec, presort(read_only(x.values[rows]), x.levels), (y - y.mean())[:, None], False, seed)
    new = read_only(x.values[held])

    def look(part: slice, leaves: Leaves, trees: Trees) -> Floats:
        from kmerf.forests.growing import route

        codes = route(trees, new)
        total = np.zeros(len(new))
        for t in range(part.stop - part.start):
            weights = np.ones(len(rows)) if leaves.counts is None else leaves.counts[t].astype(np.float64)
            size = int(leaves.n_leaves[t])
            known = np.bincount(leaves.codes[t], weights, size)
            means = np.bincount(leaves.codes[t], weights * y, size) / np.maximum(known, 1.0)
            total += means[codes[t]]
        return total

    share = np.sum(forest.look(look, n_jobs), axis=0) / TREES
    prior = float(y.mean())
    odds = (share + 1e-6) * (1.0 - prior) / ((1.0 - share + 1e-6) * prior)
    return np.asarray(odds / (1.0 + odds))


def auc_of(scores: Floats, current: Bools, folds: Ints, blocks: Ints | None = None) -> tuple[float, float]:
    """Return the AUC inside folds, and its standard error."""
    placed = np.empty(scores.size)
    for fold in range(int(folds.max()) + 1):
        rows = np.flatnonzero(folds == fold)
        new, old = rows[current[rows]], rows[~current[rows]]
        ranks = mid_ranks(scores[np.concatenate([new, old])])
        placed[new] = (ranks[: new.size] - mid_ranks(scores[new])) / old.size
        placed[old] = 1.0 - (ranks[new.size :] - mid_ranks(scores[old])) / new.size
    new, old = np.flatnonzero(current), np.flatnonzero(~current)
    auc = float(placed[new].mean())
    variance = sum(_variance_of_mean(placed[rows], None if blocks is None else blocks[rows]) for rows in (new, old))
    chance = (new.size + old.size + 1.0) / (12.0 * new.size * old.size)
    return auc, float(
        np.sqrt(max(variance, chance * 4.0 * auc * (1.0 - auc)) + chance * (1.0 - abs(2.0 * auc - 1.0)) ** 2)
    )


def _variance_of_mean(values: Floats, blocks: Ints | None) -> float:
    if blocks is None:
        return float(values.var(ddof=1) / values.size)
    labels, place = np.unique(blocks, return_inverse=True)
    sums = np.bincount(place.reshape(-1), values - values.mean())
    size = labels.size
    return float((sums**2).sum() / values.size**2 * size / max(size - 1, 1))


def share_bound(scores: Floats, current: Bools, folds: Ints, blocks: Ints | None = None) -> float:
    """Return a lower 95 % limit of the share of new rows unlike the old ones."""
    above = np.zeros(scores.size)
    for fold in range(int(folds.max()) + 1):
        held = folds == fold
        above[held] = scores[held] > _threshold(scores[~held], current[~held])
    new, old = above[current], above[~current]
    difference = float(new.mean() - old.mean())
    if blocks is not None:
        sides = ((new, blocks[current]), (old, blocks[~current]))
        error = np.sqrt(sum(_variance_of_mean(values, mine) for values, mine in sides))
        return float(np.clip(difference - ONE_SIDED * error, 0.0, 1.0))
    return float(max(0.0, newcombe(new.mean(), new.size, old.mean(), old.size, ONE_SIDED)[0]))


def _threshold(scores: Floats, current: Bools) -> float:
    """Return the threshold above which new rows are most clearly more frequent than old ones."""
    new, old = np.sort(scores[current]), np.sort(scores[~current])
    levels = np.unique(scores)
    tried = (levels[1:] + levels[:-1]) / 2.0 if levels.size > 1 else levels  # between, as folds score a bit differently
    a = 1.0 - np.searchsorted(new, tried, side="right") / new.size
    b = 1.0 - np.searchsorted(old, tried, side="right") / old.size
    a1, b1 = (a * new.size + 1.0) / (new.size + 2.0), (b * old.size + 1.0) / (old.size + 2.0)
    error = np.sqrt(a1 * (1.0 - a1) / new.size + b1 * (1.0 - b1) / old.size)
    return float(tried[int(np.argmax(a - b - ONE_SIDED * error))])


def wilson(share: float, n: int, z: float) -> tuple[float, float]:
    """Return the interval of a share.

    >>> tuple(round(end, 3) for end in wilson(0.1, 100, 1.96))
    (0.055, 0.174)
    """
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return float(middle - half), float(middle + half)


def newcombe(a: float, n: int, b: float, m: int, z: float) -> tuple[float, float]:
    """Return the interval of the difference a - b of two shares, of n and of m rows (Newcombe 1998, method 10).

    >>> tuple(round(end, 3) for end in newcombe(56 / 70, 70, 48 / 80, 80, 1.96))
    (0.052, 0.334)
    """
    (low_a, high_a), (low_b, high_b) = wilson(a, n, z), wilson(b, m, z)
    low = a - b - np.sqrt((a - low_a) ** 2 + (high_b - b) ** 2)
    high = a - b + np.sqrt((high_a - a) ** 2 + (b - low_b) ** 2)
    return float(low), float(high)
