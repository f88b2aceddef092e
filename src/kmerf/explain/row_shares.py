"""Which rows drive the statistic: the share that each has in it.

With A and B the U-centred kernels of x and y, n (n - 3) c = sum_ij A_ij B_ij; row i's share is sum_j A_ij B_ij, and the
shares add up to the covariance, here divided so that they add up to the correlation. A row scores high where the rows
it shares leaves with are like it in y, and those that it does not are not; a row that contradicts scores below zero.

A has row sums of zero, so with hollow K and L, their row sums k and l, and K l and L k products with them,

    sum_j A_ij B_ij = sum_j A_ij L_ij - (A l)_i / (n - 2),
    sum_j A_ij L_ij = (K L)_ii - (k_i l_i + (L k)_i) / (n - 2) + k l_i / ((n - 1)(n - 2)),
    (A l)_i = (K l)_i - (k_i (l - l_i) + sum_j k_j l_j - k_i l_i) / (n - 2) + k (l - l_i) / ((n - 1)(n - 2)),

with k and l without an index the totals. Numbers, classes and coordinates take O(n) a tree, which is read and
forgotten; other kernels of y take an n x n matrix, and scores are left out where there are too many rows for one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kmerf.execution import parallel
from kmerf.forests.growing import Leaves, drawn
from kmerf.forests.proximity import PairCounts, partner_counts, proximity, sampled_rows, square_count, variance

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats
    from kmerf.forests.fitted import FittedForest
    from kmerf.forests.response_kernels import LeafwiseKernel, ResponseKernel

MOST_ROWS = 3000  # that an n x n matrix is made for: 72 MB


class _Sums(NamedTuple):
    """What the formula needs of K and L, a number for each row."""

    own: Floats  # sum_j K_ij L_ij
    k: Floats
    l: Floats  # noqa: E741 - the formula's letter
    K_l: Floats
    L_k: Floats


def row_scores(forest: FittedForest, n_jobs: int = 1) -> Floats | None:
    """Return the share of each row in the kernel correlation.

    None where the kernel of y is a forest's, too, or needs a matrix of too many rows.
    """
    response = forest.response
    if response is None or too_many(forest):
        return None
    leafwise = response.by_leaf()
    if leafwise is not None:
        sums, variance_x = _read(forest, leafwise, n_jobs)
    else:
        sums, variance_x = _dense(forest.leaves(n_jobs), forest.proximity, response)
    variance_y = variance(response.square, response.rows)
    if variance_x <= 0.0 or variance_y <= 0.0:
        return np.zeros(sums.k.size)
    return _combine(sums) / float(np.sqrt(variance_x) * np.sqrt(variance_y))


def too_many(forest: FittedForest) -> bool:
    """Return whether there are too many rows for the matrix that the kernel of y needs."""
    response = forest.response
    return response is not None and response.by_leaf() is None and response.rows.size > MOST_ROWS


def _combine(sums: _Sums) -> Floats:
    own, k, l, K_l, L_k = sums  # noqa: E741
    n = k.size
    k_all, l_all, both = float(k.sum()), float(l.sum()), float((k * l).sum())
    A_L = own - (k * l + L_k) / (n - 2) + k_all * l / ((n - 1) * (n - 2))
    A_l = K_l - (k * (l_all - l) + both - k * l) / (n - 2) + k_all * (l_all - l) / ((n - 1) * (n - 2))
    return (A_L - A_l / (n - 2)) / (n * (n - 3))


def _read(forest: FittedForest, response: LeafwiseKernel, n_jobs: int) -> tuple[_Sums, float]:
    """Return the sums and the variance of K, from some trees at a time."""
    n, m, kind = response.rows.size, forest.n_trees, forest.proximity
    streams = forest.kept is None
    chosen = sampled_rows(n, forest.seed, 0) if streams else np.arange(0)  # the rows that the statistic had
    room = parallel.Spares(lambda: (_RowSums(response, kind, n, m), PairCounts(kind, n, chosen)))

    def take(leaves: Leaves) -> None:
        with room.borrow() as (running, tally):
            running.add(leaves)
            tally.add(leaves)

    forest.each(take, n_jobs)
    (running, tally), *others = room.made
    for more, counted in others:
        running.join(more)
        tally.join(counted)
    k = tally.sums / m
    if forest.kept is None:
        variance_x = tally.variance(m)[0]
    else:
        variance_x = variance(square_count(forest.kept, kind) / m**2, k)
    return _Sums(running.own / m, k, response.rows, running.K_l / m, response.times(k)), variance_x


class _RowSums:
    """Sums over trees of what each row has of K L and of K l.

    They are kept as whole numbers, which workers may add in any order, on a scale on which the largest that a sum can
    be is just below 2^61: |sum_j K_ij L_ij| is at most sum_j |L_ij|, and |sum_j K_ij l_j| at most sum_j |l_j|.
    """

    def __init__(self, response: LeafwiseKernel, kind: str, n: int, m: int) -> None:
        self.response, self.kind = response, kind
        self.bounds = np.array([response.row_bound, float(np.abs(response.rows).sum())])
        self.scales = np.ldexp(1.0, np.minimum(61 - np.frexp(m * self.bounds)[1], 1000))
        self.sums = np.zeros((2, n), np.int64)

    def add(self, leaves: Leaves) -> None:
        """Read some more trees."""
        from kmerf.engine.row_statistics import weighted

        counts, code = drawn(leaves, self.kind)
        trees = leaves.codes, counts, code, leaves.n_leaves
        K_l = np.zeros(leaves.n)
        weighted(*trees, self.response.rows, K_l)
        for sums, scale, values in zip(self.sums, self.scales, (self.response.row_sums(trees), K_l), strict=True):
            sums += np.rint(scale * values).astype(np.int64)

    def join(self, other: _RowSums) -> None:
        """Take over the sums of another worker."""
        self.sums += other.sums

    @property
    def own(self) -> Floats:
        """The sum over trees of sum_j K_ij L_ij."""
        return np.asarray(self.sums[0] / self.scales[0])

    @property
    def K_l(self) -> Floats:
        """The sum over trees of sum_j K_ij l_j."""
        return np.asarray(self.sums[1] / self.scales[1])


def _dense(leaves: Leaves, kind: str, response: ResponseKernel) -> tuple[_Sums, float]:
    """Return the sums and the variance of K, from both matrices."""
    K, L = proximity(leaves, kind), response.matrix().copy()
    np.fill_diagonal(K, 0.0)
    np.fill_diagonal(L, 0.0)
    k = partner_counts(leaves, kind) / leaves.n_trees
    l = L.sum(axis=1)  # noqa: E741 - a matrix may differ from its sums by a constant, which centring removes
    own, K_l, L_k = np.einsum("ij,ij->i", K, L), np.einsum("ij,j->i", K, l), np.einsum("ij,j->i", L, k)  # no BLAS
    variance_x = variance(square_count(leaves, kind) / leaves.n_trees**2, k)
    return _Sums(own, k, l, K_l, L_k), variance_x
