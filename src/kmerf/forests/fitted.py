"""A forest and its statistics: grown some trees at a time, and looked into after the test.

A `FittedForest` is the forest of the observed data: what it predicts, which rows and features it used. Each row is
predicted by the trees for which it is out of bag, by the mean y of the in-bag rows of its leaf. These predictions serve
pictures. They are not compared with y to say how strong a relation is: among rows with the same x they differ only
because the row's own y is left out, and so run against y. `kmerf.explain.effects` holds out rows instead.

`measure` grows a forest and reads its statistics off it: trees are grown, counted and forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kmerf.core.arrays import Floats, mid_ranks
from kmerf.execution import parallel
from kmerf.forests.predictions import Predictions, predictions_of
from kmerf.forests.proximity import (
    Dependence,
    PairCounts,
    partner_counts,
    sampled_rows,
    square_count,
    unbiased,
    variance,
)
from kmerf.forests.response_kernels import MatrixKernel, over_trees

if TYPE_CHECKING:
    from kmerf.data.sample import Response
    from kmerf.engine.workspace import Columns, Trees
    from kmerf.forests.growing import Forest, KeptForest, Leaves, Target, Value
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


def dense(K: Floats, L: Floats) -> Dependence:
    """Return the dependence of two kernel matrices; their diagonals are ignored.

    >>> K = np.eye(5) + 0.5 * np.eye(5, k=1) + 0.5 * np.eye(5, k=-1)
    >>> round(dense(K, K).correlation, 12)
    1.0
    """
    x, y = MatrixKernel.of(K), MatrixKernel.of(L)
    cross = float((x.full * y.full).sum() - (np.diagonal(x.full) * np.diagonal(y.full)).sum())
    return Dependence(unbiased(cross, x.rows, y.rows), variance(x.square, x.rows), variance(y.square, y.rows))


def leafwise(leaves: Leaves, kind: str, response: ResponseKernel, order: NDArray[np.int64] | None = None) -> Dependence:
    """Return the dependence of a forest's proximity and a kernel of y, whose rows stand in `order`.

    Time grows as n times the number of trees (times the size of a leaf where y has several coordinates), and no
    n x n matrix is formed.
    """
    order = np.arange(leaves.n) if order is None else order
    m = leaves.n_trees
    k = partner_counts(leaves, kind) / m
    rows = response.rows[order]
    return Dependence(
        unbiased(over_trees(leaves, kind, response.within(order)) / m, k, rows),
        variance(square_count(leaves, kind) / m**2, k),
        variance(response.square, response.rows),
    )


class PairReading(NamedTuple):
    """One way to look at a forest: the pairs that count, and the kernel of y that they are compared with."""

    kind: str
    response: ResponseKernel


class Measured(NamedTuple):
    """What was read off a forest."""

    dependences: list[Dependence]
    """One for each reading."""
    gains: Floats
    """What the splits on each column gained in each tree (m, p); see `growing.Reduced` for very many columns."""
    credits: Floats | None = None
    """What they predicted out of bag, where that was asked for and the forest tells."""
    predictions: Predictions | None = None
    """What the trees predict for rows out of bag, where that was asked for."""


def measure(
    forest: Forest,
    readings: Sequence[PairReading],
    *,
    order: NDArray[np.int64] | None = None,
    n_jobs: int = 1,
    credited: bool = False,
    predict: Target | None = None,
) -> Measured:
    """Grow a forest, and return its dependence on each kernel of y.

    Row i of x stands beside row i of the target, and beside row `order[i]` of the kernels of y. The values are those
    of `leafwise`, but no more than a few trees are held at a time, and many rows are sampled for the variance of x.
    Where `predict` (n, q) is given, beside the rows of x, the trees also predict it for rows out of bag.
    """
    n, m = forest.columns.x.shape[0], forest.n_trees
    order = np.arange(n) if order is None else order
    chosen = sampled_rows(n, forest.seed, forest.refit)
    kinds = list(dict.fromkeys(reading.kind for reading in readings))
    within = [(reading.kind, reading.response.within(order)) for reading in readings]
    tallies = parallel.Spares(lambda: [PairCounts(kind, n, chosen) for kind in kinds])
    nothing = predictions_of(np.empty((1, 0)) if predict is None else predict)
    predicting = parallel.Spares(nothing.begin)

    def take(leaves: Leaves) -> list[float]:
        with tallies.borrow() as tally:
            for each in tally:
                each.add(leaves)
        if predict is not None:
            with predicting.borrow() as predictions:
                predictions.add(leaves)
        return [cross(leaves, kind) for kind, cross in within]

    reduced = forest.reduce(take, n_jobs, credited=credited)
    parts = reduced.values
    by_kind = {}
    for kind, first, *others in zip(kinds, *tallies.made, strict=True):
        for other in others:
            first.join(other)
        by_kind[kind] = first.sums / m, *first.variance(m)
    dependences = []
    for number, (kind, response) in enumerate(readings):
        k, spread, error = by_kind[kind]
        cross = sum(part[number] for part in parts) / m
        variance_y = variance(response.square, response.rows)
        dependences.append(Dependence(unbiased(cross, k, response.rows[order]), spread, variance_y, error))
    for other in predicting.made[1:]:
        predicting.made[0].join(other)
    return Measured(dependences, reduced.gains, reduced.credits, predicting.made[0] if predict is not None else None)
