"""Gains: what the splits of each tree earned, added up by the feature that they split on.

The forest behind a statistic, to be looked into after the test: what it predicts, which rows and features it used.

Its leaves are kept while they are few; otherwise it is grown again, from the same random numbers, bit for bit the same.

What a forest predicts for the rows that each tree has not seen, and the area under the ROC curve.

Each row is predicted by the trees for which it is out of bag, by the mean y of the in-bag rows of its leaf. These
predictions serve pictures. They are not compared with y to say how strong a relation is: among rows with the same x
they differ only because the row's own y is left out, and so run against y. `kmerf.explain.effects` holds out rows
instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from kmerf.core.arrays import Floats, mid_ranks
from kmerf.forests.predictions import Predictions

if TYPE_CHECKING:
    from kmerf.core.arrays import Ints
    from kmerf.data.sample import Response
    from kmerf.engine.grow import Columns, Trees
    from kmerf.forests.growing import Recipe
    from kmerf.forests.leaves import Leaves
    from kmerf.forests.response_kernels import ResponseKernel


def by_feature(gains: Floats, column_of: Ints, p: int) -> Floats:
    """Add up the gains (m, expanded columns) of the columns that a category was expanded to (m, p).

    >>> by_feature(np.array([[1.0, 1.0, 2.0], [0.0, 1.0, 3.0]]), np.array([0, 0, 1]), 2)
    array([[2., 2.],
           [1., 3.]])
    """
    if p == column_of.size:
        return gains
    by_column = np.zeros((gains.shape[0], p))
    for column, feature in enumerate(column_of):
        by_column[:, feature] += gains[:, column]
    return by_column


Value = TypeVar("Value")

CELLS = 2**20  # rows times trees that are looked into at a time


@dataclass(frozen=True, eq=False)
class FittedForest:
    """A forest of the observed data, and the kernels that it was part of."""

    columns: Columns
    seed: int
    proximity: str
    response: ResponseKernel | None
    """The kernel of y that the proximity was correlated with; None where that is another forest's."""
    recipe: Recipe | None = None
    """How to grow it again; None for a plug-in forest, whose leaves are kept."""
    kept: Leaves | None = None
    predicted: Predictions | None = None
    """What it predicts out of bag for y, where that is known already."""

    def predictions(self, y: Floats) -> Predictions:
        """Return what the forest predicts out of bag for y (n, q)."""
        if self.predicted is not None:
            return self.predicted
        predictions = Predictions(y)
        self.each(predictions.add)
        return predictions

    def leaves(self, n_jobs: int = 1) -> Leaves:
        """Return where the forest puts each row."""
        if self.kept is not None:
            return self.kept
        assert self.recipe is not None
        return self.recipe.leaves(n_jobs)

    def each(self, function: Callable[[Leaves], Value], n_jobs: int = 1) -> list[Value]:
        """Return what a function makes of the leaves of some trees at a time, in the order of the trees."""
        if self.kept is None:
            assert self.recipe is not None
            return self.recipe.each(function, n_jobs)
        size = max(1, CELLS // self.kept.n)
        starts = range(0, self.kept.n_trees, size)
        return [function(self.kept.part(slice(start, start + size))) for start in starts]

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        if self.kept is not None:
            return self.kept.n_trees
        assert self.recipe is not None
        return self.recipe.n_trees

    def look(self, function: Callable[[slice, Leaves, Trees], Value], n_jobs: int = 1) -> list[Value] | None:
        """Return what a function makes of some trees at a time: their numbers, their leaves, and the trees themselves.

        None for a plug-in forest.
        """
        return None if self.recipe is None else self.recipe.look(function, n_jobs)

    def trees(self, n_jobs: int = 1) -> Trees | None:
        """Return the trees themselves, to send other rows through; None for a plug-in forest."""
        return None if self.recipe is None else self.recipe.trees(n_jobs)


def predict(forests: Sequence[FittedForest], y: Response) -> Floats | None:
    """Return what all trees together predict out of bag (n, q), NaN for a row that all have seen; None if none tell."""
    sums, trees = np.zeros(y.values.shape), np.zeros(y.n)
    for forest in forests:
        predictions = forest.predictions(y.values)
        sums += predictions.total
        trees += predictions.times
    if not trees.any():
        return None
    predicted: Floats = np.divide(sums, trees[:, None], out=np.full(sums.shape, np.nan), where=trees[:, None] > 0)
    return predicted


def auc(values: Floats, positive: NDArray[np.bool_]) -> float:
    """Return the probability that a positive row has a larger value than another one; equal values count half.

    >>> auc(np.array([0.1, 0.5, 0.5, 0.9]), np.array([False, False, True, True]))
    0.875
    """
    ranks = mid_ranks(values)
    ones = int(positive.sum())
    return float((ranks[positive].sum() - ones * (ones + 1) / 2) / (ones * (positive.size - ones)))
