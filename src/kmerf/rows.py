"""Which rows drive the statistic: the share that each has in it.

With A and B the U-centred kernels of x and y, n (n - 3) c = sum_ij A_ij B_ij; row i's share is sum_j A_ij B_ij, and the
shares add up to the covariance, here divided so that they add up to the correlation. A row scores high where the rows
it shares leaves with are like it in y, and those that it does not are not; a row that contradicts scores below zero.

A has row sums of zero, so with hollow K and L, their row sums k and l, and K l and L k products with them,

    sum_j A_ij B_ij = sum_j A_ij L_ij - (A l)_i / (n - 2),
    sum_j A_ij L_ij = (K L)_ii - (k_i l_i + (L k)_i) / (n - 2) + k l_i / ((n - 1)(n - 2)),
    (A l)_i = (K l)_i - (k_i (l - l_i) + sum_j k_j l_j - k_i l_i) / (n - 2) + k (l - l_i) / ((n - 1)(n - 2)),

with k and l without an index the totals. Numbers and classes take O(n) a tree, and other kernels of y an n x n matrix.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kmerf import kernel, statistic
from kmerf.forest import Leaves
from kmerf.grown import Grown
from kmerf.kernel import Labels, Line, ResponseKernel

Floats = NDArray[np.float64]


class _Sums(NamedTuple):
    """What the formula needs of K and L, a number for each row."""

    own: Floats  # sum_j K_ij L_ij
    k: Floats
    l: Floats  # noqa: E741 - the formula's letter
    K_l: Floats
    L_k: Floats


def row_scores(forest: Grown, n_jobs: int = 1) -> Floats | None:
    """Return the share of each row in the kernel correlation; None where the kernel of y is a forest's, too."""
    if forest.response is None:
        return None
    leaves = forest.leaves(n_jobs)
    # With the centre taken off, less cancels: centring removes it anyway.
    sums = _leafwise(leaves, forest.proximity, forest.response)
    found = statistic.leafwise(leaves, forest.proximity, forest.response)
    if found.variance_x <= 0.0 or found.variance_y <= 0.0:
        return np.zeros(leaves.n)
    return _combine(sums) / float(np.sqrt(found.variance_x) * np.sqrt(found.variance_y))


def _combine(sums: _Sums) -> Floats:
    own, k, l, K_l, L_k = sums  # noqa: E741
    n = k.size
    k_all, l_all, both = float(k.sum()), float(l.sum()), float((k * l).sum())
    A_L = own - (k * l + L_k) / (n - 2) + k_all * l / ((n - 1) * (n - 2))
    A_l = K_l - (k * (l_all - l) + both - k * l) / (n - 2) + k_all * (l_all - l) / ((n - 1) * (n - 2))
    return (A_L - A_l / (n - 2)) / (n * (n - 3))


def _leafwise(leaves: Leaves, kind: str, response: ResponseKernel) -> _Sums:
    from kmerf.engine import rows as engine

    counts, code = kernel.drawn(leaves, kind)
    trees = leaves.codes, counts, code, leaves.n_leaves
    m = leaves.n_trees
    k = kernel.partner_counts(leaves, kind) / m
    own, K_l = np.zeros(leaves.n), np.zeros(leaves.n)
    engine.weighted(*trees, response.rows, K_l)
    if isinstance(response, Line):
        engine.distances(*trees, response.values, response.by_value, own)
        return _Sums(-own / m, k, response.rows, K_l / m, -_weighted_distances(response, k))
    if isinstance(response, Labels):
        labels = response.codes
        engine.equal_labels(*trees, labels, int(labels.max()) + 1, own)
        return _Sums(own / m, k, response.rows, K_l / m, np.bincount(labels, k)[labels] - k)
    K, L = kernel.proximity(leaves, kind), response.matrix().copy()
    np.fill_diagonal(K, 0.0)
    np.fill_diagonal(L, 0.0)
    return _Sums((K * L).sum(axis=1), k, response.rows, K_l / m, L @ k)


def _weighted_distances(line: Line, weights: Floats) -> Floats:
    """Return sum_j w_j |y_i - y_j| for each row i, from sums over the rows below and above it."""
    y, w = line.values[line.by_value], weights[line.by_value]
    below_w, below = np.cumsum(w) - w, np.cumsum(w * y) - w * y
    above_w, above = w.sum() - below_w - w, (w * y).sum() - below - w * y
    found = np.empty(y.size)
    found[line.by_value] = below_w * y - below + above - above_w * y
    return found
