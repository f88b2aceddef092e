"""The forest behind a statistic, to be looked into after the test: what it predicts, which rows and features it used.

Each row is predicted by the trees for which it is out of bag, by the mean y of the in-bag rows of its leaf. These
predictions serve pictures. They are not compared with y to say how strong a relation is: among rows with the same x
they differ only because the row's own y is left out, and so run against y. `kmerf.explain.effects` holds out rows
instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kmerf.core.arrays import Floats, mid_ranks
from kmerf.forests.predictions import Predictions

if TYPE_CHECKING:
    from kmerf.data.sample import Response
    from kmerf.engine.workspace import Columns, Trees
    from kmerf.forests.growing import Forest, KeptForest, Target, Value
    from kmerf.forests.leaves import Leaves
    from kmerf.forests.response_kernels import ResponseKernel


@dataclass(frozen=True, eq=False)
class FittedForest:
    """A forest of the observed data, and the kernels that it was part of."""

    forest: Forest | KeptForest
    proximity: str
    response: ResponseKernel | None
    """The kernel of y that the proximity was correlated with; None where that is another forest's."""
    predicted: Predictions | None = None
    """What it predicts out of bag for y, where that is known already."""

    @property
    def columns(self) -> Columns:
        """The columns of x, sorted."""
        return self.forest.columns

    @property
    def seed(self) -> int:
        """Of its random numbers."""
        return self.forest.seed

    @property
    def target(self) -> Target | None:
        """What its trees were grown on (n, q); None if there are no trees to look at."""
        return self.forest.target

    @property
    def kept(self) -> Leaves | None:
        """Its leaves, where they were kept."""
        return self.forest.kept

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return self.forest.n_trees

    def predictions(self, y: Floats) -> Predictions:
        """Return what the forest predicts out of bag for y (n, q)."""
        if self.predicted is not None:
            return self.predicted
        predictions = Predictions(y)
        self.each(predictions.add)
        return predictions

    def leaves(self, n_jobs: int = 1) -> Leaves:
        """Return where the forest puts each row."""
        return self.forest.leaves(n_jobs)

    def each(self, function: Callable[[Leaves], Value], n_jobs: int = 1) -> list[Value]:
        """Return what a function makes of the leaves of some trees at a time, in the order of the trees."""
        return self.forest.each(function, n_jobs)

    def look(self, function: Callable[[slice, Leaves, Trees], Value], n_jobs: int = 1) -> list[Value] | None:
        """Return what a function makes of some trees at a time; None if there are none to look at."""
        return self.forest.look(function, n_jobs)

    def trees(self, n_jobs: int = 1) -> Trees | None:
        """Return the trees themselves, to send other rows through; None if there are none."""
        return self.forest.trees(n_jobs)


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
