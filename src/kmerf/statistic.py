"""The unbiased kernel covariance and correlation of Szekely and Rizzo (2014), on hollow matrices.

With K and L zero on their diagonals, row sums k_i and l_i and totals k and l,

    n (n - 3) c(K, L) = sum_{i != j} K_ij L_ij - 2/(n - 2) sum_i k_i l_i + k l / ((n - 1)(n - 2)),

which is the trace of the product of the two U-centred matrices, without centring either. The correlation divides by
sqrt(c(K, K) c(L, L)); it is 0 where either variance is zero but for rounding, as nothing can be said of a constant.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kmerf import kernel
from kmerf.forest import Leaves

Floats = NDArray[np.float64]

_NEGLIGIBLE = 1e-12  # share of the sum of squares, below which a variance is rounding


@dataclass(frozen=True)
class Dependence:
    """How two kernels go together."""

    covariance: float
    variance_x: float
    variance_y: float

    @property
    def correlation(self) -> float:
        """The covariance over the root of the product of the variances."""
        if self.variance_x <= 0.0 or self.variance_y <= 0.0:
            return 0.0
        return self.covariance / float(np.sqrt(self.variance_x) * np.sqrt(self.variance_y))


def unbiased(cross: float, k: Floats, l: Floats) -> float:  # noqa: E741 - the formula's letters
    """Return c(K, L) from the sum of products and the two vectors of row sums."""
    n = k.size
    total = float(k.sum()) * float(l.sum()) / ((n - 1) * (n - 2))
    return (cross - 2.0 / (n - 2) * float((k * l).sum()) + total) / (n * (n - 3))


def variance(square: float, k: Floats) -> float:
    """Return c(K, K) from the sum of squares and the row sums; 0 where it is nothing but rounding."""
    found = unbiased(square, k, k)
    return found if found > _NEGLIGIBLE * square / (k.size * (k.size - 3)) else 0.0


def dense(K: Floats, L: Floats) -> Dependence:
    """Return the dependence of two kernel matrices; their diagonals are ignored.

    >>> K = np.eye(5) + 0.5 * np.eye(5, k=1) + 0.5 * np.eye(5, k=-1)
    >>> round(dense(K, K).correlation, 12)
    1.0
    """
    x, y = kernel.Matrix.of(K), kernel.Matrix.of(L)
    cross = float((x.full * y.full).sum() - (np.diagonal(x.full) * np.diagonal(y.full)).sum())
    return Dependence(unbiased(cross, x.rows, y.rows), variance(x.square, x.rows), variance(y.square, y.rows))


def leafwise(
    leaves: Leaves, kind: str, response: kernel.ResponseKernel, order: NDArray[np.int64] | None = None
) -> Dependence:
    """Return the dependence of a forest's proximity and a kernel of y, whose rows stand in `order`.

    Time grows as n times the number of trees (times the size of a leaf where y has several coordinates), and no
    n x n matrix is formed.
    """
    order = np.arange(leaves.n) if order is None else order
    m = leaves.n_trees
    k = kernel.partner_counts(leaves, kind) / m
    rows = response.rows[order]
    return Dependence(
        unbiased(response.cross(leaves, kind, order) / m, k, rows),
        variance(kernel.square_count(leaves, kind) / m**2, k),
        variance(response.square, response.rows),
    )
