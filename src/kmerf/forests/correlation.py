"""The unbiased kernel covariance and correlation of Szekely and Rizzo (2014), on hollow matrices.

With K and L zero on their diagonals, row sums k_i and l_i and totals k and l,

    n (n - 3) c(K, L) = sum_{i != j} K_ij L_ij - 2/(n - 2) sum_i k_i l_i + k l / ((n - 1)(n - 2)),

which is the trace of the product of the two U-centred matrices, without centring either. The correlation divides by
sqrt(c(K, K) c(L, L)); it is 0 where either variance is zero but for rounding, as nothing can be said of a constant.

For a forest, the first sum is one over trees, leaves and the pairs of rows in a leaf, so trees can be grown, counted
and forgotten, some at a time (`kmerf.forests.measuring`). Only c(K, K) needs what a pair shares over all trees. It is a
U-statistic, so its value on a random sample of rows has the right mean; its standard error comes from the spread of the
rows' shares in it (to first order, centring does not matter, and a row has part in every pair twice).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats


_NEGLIGIBLE = 1e-12  # share of the sum of squares, below which a variance is rounding


@dataclass(frozen=True)
class Dependence:
    """How two kernels go together."""

    covariance: float
    variance_x: float
    variance_y: float
    error_x: float = 0.0
    """Standard error of `variance_x`, where it comes from a sample of rows."""

    @property
    def standard_error(self) -> float:
        """Standard error of the correlation from sampling rows for `variance_x`."""
        return 0.5 * abs(self.correlation) * self.error_x / self.variance_x if self.variance_x > 0.0 else 0.0

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
    value = unbiased(square, k, k)
    return value if value > _NEGLIGIBLE * square / (k.size * (k.size - 3)) else 0.0
