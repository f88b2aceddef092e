"""Distance correlation (Szekely, Rizzo and Bakirov 2007), in the unbiased form of Szekely and Rizzo (2014).

    c(x, y) / sqrt(c(x, x) c(y, y)),   with c the mean product of the U-centred Euclidean distances of x and of y.

It is at most 1, about 0 for independent x and y, and can be negative. For numbers (p = q = 1) the sums over pairs take
O(n log n) time and O(n) memory, with y permuted or not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kmerf.forests.correlation import unbiased, variance
from kmerf.forests.response_kernels import NumberKernel
from kmerf.forests.targets import labels_of
from kmerf.methods import pair_matrices as pairs
from kmerf.methods.permutable import PermutableProblem, matrices
from kmerf.methods.protocol import Method, Wording

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints
    from kmerf.data.sample import Sample


@dataclass(frozen=True)
class Dcorr(Method):
    """Distance correlation, as `hyppo.independence.Dcorr` and `dcor.u_distance_correlation_sqr` compute it.

    Groups are one-hot: `ksample` agrees with `hyppo.ksample.KSample("Dcorr")` for any number of them.

    >>> import kmerf
    >>> result = kmerf.independence(range(8), range(8), method=Dcorr(), null=kmerf.ChiSquare())
    >>> round(result.statistic, 12), round(result.pvalue, 4)
    (1.0, 0.0027)
    """

    name: ClassVar[str] = "Dcorr"
    most_rows: ClassVar[int] = 2000  # it compares all pairs

    def wording(self, classes: bool) -> Wording:
        """Say what it asks."""
        asks = "Do rows that are close in all columns together have close y?"
        return Wording(asks, measures="a correlation")

    def prepare(self, sample: Sample, seed: int) -> PermutableProblem:
        """Sort numbers, or centre the distances of rows."""
        x, y = matrices(sample, self.name)
        if x.shape[1] == y.shape[1] == 1:
            return PermutableProblem(self.name, OnLine.of(x[:, 0], y[:, 0]), chi_square=True)
        return PermutableProblem(self.name, pairs.distance_correlation(x, y, labels_of(sample.y)), chi_square=True)


@dataclass(frozen=True, eq=False)
class OnLine:
    """Distance correlation of numbers."""

    x: NumberKernel
    y: NumberKernel
    rank: Ints
    """Of the values of y, from 1 on, with ties equal."""
    norm: float
    """Root of the product of both variances."""

    @classmethod
    def of(cls, x: Floats, y: Floats) -> OnLine:
        """Sort both."""
        lines = NumberKernel.of(x), NumberKernel.of(y)
        rank = np.unique(y, return_inverse=True)[1].reshape(-1).astype(np.int64) + 1
        norm = _root(x, lines[0]) * _root(y, lines[1])
        return cls(*lines, rank, norm)

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.rank.size

    def __call__(self, order: Ints) -> float:  # noqa: D102 - see PermutableStatistic
        from kmerf.engine.pairs import cross_line

        if self.norm == 0.0:
            return 0.0
        cross = float(cross_line(self.x.values, self.x.by_value, self.y.values, self.rank, order))
        return unbiased(cross, self.x.rows, self.y.rows[order]) / self.norm


def _root(values: Floats, line: NumberKernel) -> float:
    if np.ptp(values) == 0.0:
        return 0.0
    return float(np.sqrt(variance(line.square, line.rows)))
