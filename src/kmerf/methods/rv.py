"""The RV coefficient (Escoufier 1973): squared covariances, over the size of both covariance matrices.

    |S_xy|^2 / (|S_xx| |S_yy|),   with |.| the root of the sum of squared entries.

For p = q = 1 it is the squared correlation. With X and Y centred, |X'Y|^2 is also the sum of products of the entries of
X X' and Y Y', which is quicker where pairs of columns outnumber the rows by far.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kmerf.core.arrays import Floats, Ints, centred
from kmerf.methods import pair_matrices as pairs
from kmerf.methods.column_products import products
from kmerf.methods.permutable import PermutableProblem, PermutableStatistic, matrices
from kmerf.methods.protocol import Method

if TYPE_CHECKING:
    from kmerf.data.sample import Sample


@dataclass(frozen=True)
class RV(Method):
    """The RV coefficient, as `hyppo.independence.RV` computes it; it sees linear dependence only.

    >>> import kmerf
    >>> result = kmerf.independence([1, 2, 3, 4, 6], [1, 3, 2, 4, 5], method=RV(), null=kmerf.Permutation(99), rng=0)
    >>> round(result.statistic, 6)
    0.817568
    """

    name: ClassVar[str] = "RV"

    def prepare(self, sample: Sample, seed: int) -> PermutableProblem:
        """Centre the columns."""
        return PermutableProblem(self.name, rv(*matrices(sample, self.name)), chi_square=False)


def rv(x: Floats, y: Floats) -> PermutableStatistic:
    """Return the RV coefficient, ready to be permuted, in the quicker of its two forms."""
    x, y = centred(x), centred(y)
    n = len(x)
    wide = x.shape[1] * y.shape[1] > 4 * n and n <= pairs.MOST_STORED
    return RowProducts.of(x, y) if wide else ColumnProducts.of(x, y)


@dataclass(frozen=True, eq=False)
class ColumnProducts:
    """The RV coefficient from the covariances of columns of x (n, p) and y (n, q), centred."""

    x: Floats
    y: Floats
    norm: float

    @classmethod
    def of(cls, x: Floats, y: Floats) -> ColumnProducts:
        """Find the size of both covariance matrices."""
        order = np.arange(len(x))
        return cls(x, y, _size(products(x, x, order)) * _size(products(y, y, order)))

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.x)

    def __call__(self, order: Ints) -> float:  # noqa: D102 - see PermutableStatistic
        return float((products(self.x, self.y, order) ** 2).sum()) / self.norm if self.norm > 0.0 else 0.0


@dataclass(frozen=True, eq=False)
class RowProducts:
    """The RV coefficient from the products of rows: those of different rows as triangles, and the diagonals."""

    x: Floats
    y: Floats
    diagonal_x: Floats
    diagonal_y: Floats
    norm: float

    @classmethod
    def of(cls, x: Floats, y: Floats) -> RowProducts:
        """Multiply the rows."""
        return cls._of(_gram(x), _gram(y))

    @classmethod
    def of_products(cls, x: Floats, y: Floats) -> RowProducts:
        """Take the products of rows of x, (n, n), from columns that need not be centred, instead of its columns."""
        means = x.mean(axis=0)
        inner = x - means - means[:, None] + means.mean()
        return cls._of((inner[np.tril_indices(len(x), -1)], inner.diagonal().copy()), _gram(y))

    @classmethod
    def _of(cls, x: tuple[Floats, Floats], y: tuple[Floats, Floats]) -> RowProducts:
        (a, diagonal_a), (b, diagonal_b) = x, y
        sizes = [np.sqrt(2.0 * (g**2).sum() + (d**2).sum()) for g, d in ((a, diagonal_a), (b, diagonal_b))]
        return cls(a, b, diagonal_a, diagonal_b, float(sizes[0] * sizes[1]))

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.diagonal_x.size

    def __call__(self, order: Ints) -> float:  # noqa: D102
        from kmerf.engine.pairs import dot

        if self.norm == 0.0:
            return 0.0
        diagonal = float((self.diagonal_x * self.diagonal_y[order]).sum())
        return (2.0 * float(dot(self.x, self.y, order)) + diagonal) / self.norm


def _size(matrix: Floats) -> float:
    return float(np.sqrt((matrix**2).sum()))


def _gram(values: Floats) -> tuple[Floats, Floats]:
    from kmerf.engine.pairs import PRODUCT, triangle

    n = len(values)
    entries = np.empty(n * (n - 1) // 2)
    triangle(pairs.transposed(values), PRODUCT, 0.0, entries)
    return entries, np.asarray((values**2).sum(axis=1))
