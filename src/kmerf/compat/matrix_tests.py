"""Tests from matrices of distances, for metrics that our own methods do not have.

The biased distance correlation is sqrt(sum_ij A_ij B_ij / sqrt(sum A^2 sum B^2)) with A and B the distances less the
means of rows and columns plus the mean of all; Hoeffding's D compares joint ranks with the product of single ones, here
of the distances from the middle of x and of y (what hyppo calls the fast HHG).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kmerf.compat.checked_matrices import both
from kmerf.core.arrays import mid_ranks
from kmerf.core.errors import InputError
from kmerf.core.parallel import row_blocks
from kmerf.methods.permutable import PermutableProblem, matrices

if TYPE_CHECKING:
    from kmerf.compat.checked_matrices import Matrix
    from kmerf.core.arrays import Floats, Ints
    from kmerf.data.sample_values import Sample
    from kmerf.methods.permutable import PermutableStatistic


@dataclass(frozen=True, eq=False)
class MatrixTest:
    """A method that makes its statistic from the values of x and y."""

    name: str
    build: Callable[[Floats, Floats], PermutableStatistic]
    chi_square: bool

    def prepare(self, sample: Sample, seed: int) -> PermutableProblem:
        """Compute the matrices."""
        return PermutableProblem(self.name, self.build(*matrices(sample, self.name)), chi_square=self.chi_square)


@dataclass(frozen=True, eq=False)
class BiasedCorrelation:
    """The biased distance correlation of two centred matrices."""

    x: Floats
    y: Floats
    norm: float

    @classmethod
    def of(cls, x: Floats, y: Floats) -> BiasedCorrelation:
        """Centre both."""
        a, b = (matrix - matrix.mean(axis=0) - matrix.mean(axis=1)[:, None] + matrix.mean() for matrix in (x, y))
        return cls(a, b, float(np.sqrt((a**2).sum() * (b**2).sum())))

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.x)

    def __call__(self, order: Ints) -> float:  # noqa: D102 - see PermutableStatistic
        covariance = float((self.x * self.y[np.ix_(order, order)]).sum())
        return float(np.sqrt(covariance / self.norm)) if self.norm > 0.0 and covariance > 0.0 else 0.0


@dataclass(frozen=True, eq=False)
class Hoeffding:
    """Hoeffding's D of two columns of numbers, given by their ranks."""

    x: Floats
    y: Floats

    @classmethod
    def of(cls, x: Floats, y: Floats) -> Hoeffding:
        """Rank both, equal values by the mean of their ranks."""
        if x.shape[1] != 1 or y.shape[1] != 1 or len(x) < 5:
            finding = f"have shapes {x.shape} and {y.shape}"
            remedy = "pass one column of distances each, of 5 rows or more"
            raise InputError(finding, argument="x and y", remedy=remedy)
        return cls(mid_ranks(x[:, 0]), mid_ranks(y[:, 0]))

    @classmethod
    def from_centre(cls, x: Floats, y: Floats, distance: Matrix) -> Hoeffding:
        """Rank the distances of rows from the mean row."""
        rows = (np.vstack([values.mean(axis=0), values]) for values in (x, y))
        return cls.of(*(matrix[0, 1:, None] for matrix in both(distance, *rows)))

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.x.size

    def __call__(self, order: Ints) -> float:  # noqa: D102
        n, r, s = self.n, self.x, self.y[order]
        joint = np.empty(n)
        for start, stop in row_blocks(n):
            joint[start:stop] = _joint_ranks(r, s, slice(start, stop))
        one = ((joint - 1) * (joint - 2)).sum()
        two = ((r - 1) * (r - 2) * (s - 1) * (s - 2)).sum()
        three = ((r - 2) * (s - 2) * (joint - 1)).sum()
        whole = (n - 2) * (n - 3) * one + two - 2 * (n - 2) * three
        return float(30.0 * whole / (n * (n - 1) * (n - 2) * (n - 3) * (n - 4)))


def _joint_ranks(r: Floats, s: Floats, part: slice) -> Floats:
    """Return 1 and the number of rows below each of some rows in both; rows equal in one count 1/2, in both 1/4."""
    x, y = ((values[part, None] > values) + 0.5 * (values[part, None] == values) for values in (r, s))
    below: Floats = (x * y).sum(axis=1)
    return 1.0 + below - 0.25  # a row is equal to itself
