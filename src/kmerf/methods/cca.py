"""Canonical correlation, and the normalised covariance that hyppo calls by its name.

The canonical correlation (Hotelling 1936) is the largest correlation that a combination of the columns of x has with
one of the columns of y: the largest singular value of Q_x' Q_y, where Q has orthonormal columns that span the centred
data. The normalised covariance does not whiten: with S the matrices of covariances, it is

    sum |S_xy| / sqrt(sum |S_xx| sum |S_yy|)  where x or y has one column, else the RV coefficient.

That is hyppo 0.5.2's CCA; hyppo 0.4.0's, with which the paper's tables were made, is the RV coefficient throughout.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kmerf.core.arrays import Floats, Ints, centred
from kmerf.core.errors import InputError
from kmerf.methods.column_products import orthonormal_columns, products
from kmerf.methods.permutable import PermutableProblem, PermutableStatistic, matrices
from kmerf.methods.protocol import Method
from kmerf.methods.rv import rv

if TYPE_CHECKING:
    from kmerf.data.sample import Sample


@dataclass(frozen=True)
class CCA(Method):
    """The largest canonical correlation. It does not change with the units, or with any mixing, of the columns.

    For `hyppo.independence.CCA` see `NormalisedCovariance`.

    >>> import kmerf
    >>> x = [[1, 0], [2, 5], [3, 1], [4, 4], [6, 2], [5, 2]]
    >>> y = [a + 3 * b for a, b in x]
    >>> round(kmerf.independence(x, y, method=CCA(), null=kmerf.Permutation(99), rng=0).statistic, 12)
    1.0
    """

    name: ClassVar[str] = "CCA"

    def prepare(self, sample: Sample, seed: int) -> PermutableProblem:
        """Find orthonormal columns for both."""
        x, y = (orthonormal_columns(values) for values in matrices(sample, self.name))
        rank_x, rank_y = x.shape[1], y.shape[1]
        if rank_x + rank_y >= sample.n:
            raise InputError(
                f"x and y have {rank_x} and {rank_y} independent columns for {sample.n} rows: some combination of them "
                f"always agrees, and CCA is 1 whatever the data. Use fewer columns, {sample.n - 1} in all, or RV()."
            )
        return PermutableProblem(self.name, Canonical(x, y), chi_square=False)


@dataclass(frozen=True)
class NormalisedCovariance(Method):
    """What `hyppo.independence.CCA` computes: covariances over the size of both covariance matrices, without whitening.

    Where x and y both have two columns or more it equals `RV`. Two groups are one column, so `ksample` agrees with
    `hyppo.ksample.KSample("CCA")` for any number of them.

    >>> import kmerf
    >>> method = NormalisedCovariance()
    >>> result = kmerf.independence([1, 2, 3, 4, 6], [1, 3, 2, 4, 5], method=method, null=kmerf.Permutation(99), rng=0)
    >>> round(result.statistic, 6)
    0.904194
    """

    name: ClassVar[str] = "Normalised covariance"

    def prepare(self, sample: Sample, seed: int) -> PermutableProblem:
        """Centre the columns."""
        x, y = matrices(sample, self.name)
        statistic: PermutableStatistic = Covariances.of(x, y) if min(x.shape[1], y.shape[1]) == 1 else rv(x, y)
        return PermutableProblem(self.name, statistic, chi_square=False)


@dataclass(frozen=True, eq=False)
class Canonical:
    """The largest canonical correlation of the spaces that orthonormal columns x and y span."""

    x: Floats
    y: Floats

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.x)

    def __call__(self, order: Ints) -> float:  # noqa: D102 - see PermutableStatistic
        cross = products(self.x, self.y, order)
        if min(cross.shape) <= 1:
            return min(1.0, float(np.sqrt((cross**2).sum())))
        return min(1.0, float(np.linalg.svd(cross, compute_uv=False)[0]))


@dataclass(frozen=True, eq=False)
class Covariances:
    """The sum of absolute covariances of the columns of x and y, centred, over `norm`."""

    x: Floats
    y: Floats
    norm: float

    @classmethod
    def of(cls, x: Floats, y: Floats) -> Covariances:
        """Centre the columns and add up the covariances within x and y."""
        x, y = centred(x), centred(y)
        order = np.arange(len(x))
        sums = [float(np.abs(products(values, values, order)).sum()) for values in (x, y)]
        return cls(x, y, float(np.sqrt(sums[0]) * np.sqrt(sums[1])))

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.x)

    def __call__(self, order: Ints) -> float:  # noqa: D102
        return float(np.abs(products(self.x, self.y, order)).sum()) / self.norm if self.norm > 0.0 else 0.0
