"""What a forest predicts for the rows that each tree has not seen, and what it loses when a feature is shuffled.

Each row is predicted by the trees for which it is out of bag, by the mean y of the in-bag rows of its leaf. How good
that is, is told by R2 for numbers, 1 - sum (y - prediction)^2 / sum (y - mean)^2 over all columns of y, and for classes
by the area under the ROC curve, the probability that a row of a class is given a higher share of it than another row,
averaged over classes. Neither depends on n as a p-value does.

*Out-of-bag permutation importance* of a feature: its values are shuffled among a tree's out-of-bag rows, and what the
tree's mean squared error (for classes: Brier score) gains is divided by the variance of y. A feature that is not used
in a tree has 0 there; a useless one scatters about 0. The spread that goes with the mean is that of single trees.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kmerf.core import parallel
from kmerf.core.arrays import Floats, mid_ranks
from kmerf.core.streams import Purpose, stream
from kmerf.data.sample import Features, Response
from kmerf.explain import importances as importance
from kmerf.forests.fitted import Grown
from kmerf.forests.leaves import Leaves
from kmerf.results.parts import Importances

if TYPE_CHECKING:
    from kmerf.engine.grow import Trees



def predict(forests: Sequence[Grown], y: Response) -> Floats | None:
    """Return what all trees together predict out of bag (n, q), NaN for a row that all have seen; None if none tell."""
    sums, trees = np.zeros(y.values.shape), np.zeros(y.n)
    for forest in forests:
        guesses = forest.guesses(y.values)
        sums += guesses.total
        trees += guesses.times
    if not trees.any():
        return None
    found: Floats = np.divide(sums, trees[:, None], out=np.full(sums.shape, np.nan), where=trees[:, None] > 0)
    return found


def score(predicted: Floats, y: Response) -> tuple[str, float]:
    """Return the name of the measure that goes with y, and its value.

    >>> y = Response(np.array([[1.0], [2.0], [3.0]]), ("y",), "numeric", None, ())
    >>> score(np.array([[1.5], [2.0], [2.5]]), y)
    ('R2', 0.75)
    """
    rows = ~np.isnan(predicted[:, 0])
    truth, guess = y.values[rows], predicted[rows]
    if y.codes is None:
        around = ((truth - truth.mean(axis=0)) ** 2).sum()
        return "R2", float(1.0 - ((truth - guess) ** 2).sum() / around) if around > 0 else 0.0
    codes = y.codes[rows]
    present = [k for k in range(y.q) if 0 < (codes == k).sum() < codes.size]
    return "AUC", float(np.mean([auc(guess[:, k], codes == k) for k in present])) if present else 0.5


def auc(values: Floats, positive: NDArray[np.bool_]) -> float:
    """Return the probability that a positive row has a larger value than another one; equal values count half.

    >>> auc(np.array([0.1, 0.5, 0.5, 0.9]), np.array([False, False, True, True]))
    0.875
    """
    ranks = mid_ranks(values)
    ones = int(positive.sum())
    return float((ranks[positive].sum() - ones * (ones + 1) / 2) / (ones * (positive.size - ones)))


def permutation_importances(
    forests: Sequence[Grown], x: Features, y: Response, seed: int, n_jobs: int = 1
) -> Importances | None:
    """Return the out-of-bag permutation importances over all trees; None where no forest can be looked into."""
    found = [_losses(forest, x, y, seed, n_jobs) for forest in forests]
    known = [losses for losses in found if losses is not None]
    if not known:
        return None
    variance = y.values.var(axis=0).sum()
    return importance.over_trees(np.concatenate(known) / variance, x.names)


def _losses(forest: Grown, x: Features, y: Response, seed: int, n_jobs: int) -> Floats | None:
    """Return what each tree loses by each feature (m, features); None where it cannot be told.

    Trees are looked at a few at a time, each on its own, so neither the parts nor the workers matter.
    """
    values, columns = np.ascontiguousarray(y.values - y.values.mean(axis=0)), np.asarray(x.column_of)

    def lose(part: slice, leaves: Leaves, trees: Trees) -> Floats | None:
        from kmerf.engine.rows import shuffled_losses

        if leaves.counts is None:
            return None
        parallel.checkpoint()
        numbers = range(part.start, part.stop)
        shuffles = np.stack([stream(seed, Purpose.SHUFFLED_FEATURE, t).permutation(y.n) for t in numbers])
        losses = np.empty((len(numbers), x.p))
        at = leaves.codes, leaves.counts, leaves.n_leaves
        shuffled_losses(forest.columns.x, columns, trees, *at, values, shuffles, losses, parallel.stop_flag())
        parallel.checkpoint()
        return losses

    parts = forest.look(lose, n_jobs)
    known = [losses for losses in parts or [] if losses is not None]
    return np.concatenate(known) if known else None
