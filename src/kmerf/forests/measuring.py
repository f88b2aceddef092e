"""Grow a forest and read its statistics off it, some trees at a time: trees are grown, counted and forgotten."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kmerf.execution import parallel
from kmerf.forests.correlation import Dependence, unbiased, variance
from kmerf.forests.predictions import Predictions, predictions_of
from kmerf.forests.proximity import PairCounts, partner_counts, sampled_rows, square_count
from kmerf.forests.response_kernels import MatrixKernel, over_trees

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kmerf.core.arrays import Floats
    from kmerf.forests.growing import Forest, Target
    from kmerf.forests.leaves import Leaves
    from kmerf.forests.response_kernels import ResponseKernel


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


class Comparison(NamedTuple):
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
    readings: Sequence[Comparison],
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
