"""Matrices of distances and similarities, given or computed, checked once before a test is built on them.

A distance is finite, symmetric, never negative, and zero from a row to itself; a similarity is finite and symmetric.
Its diagonal does not matter: the unbiased forms leave it out, the biased ones take it as it is.

Tests from matrices of distances, for metrics that our own methods do not have.

The biased distance correlation is sqrt(sum_ij A_ij B_ij / sqrt(sum A^2 sum B^2)) with A and B the distances less the
means of rows and columns plus the mean of all; Hoeffding's D compares joint ranks with the product of single ones, here
of the distances from the middle of x and of y (what hyppo calls the fast HHG).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from kmerf.core.arrays import mid_ranks
from kmerf.core.errors import InputError
from kmerf.execution.parallel import row_blocks
from kmerf.methods.protocol import Method, PermutableProblem, matrices

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints
    from kmerf.data.sample import Sample
    from kmerf.methods.protocol import PermutableStatistic

Matrix: TypeAlias = "Callable[[str, Floats], Floats]"  # from the name of an argument and its values

ROUNDING = 1e-6  # of the largest entry: distances from products of rows are the roots of rounded zeros

NOT_DISTANCES = 'pass distances (n, n), or name a metric such as "euclidean"; Hsic takes similarities'
NOT_SIMILARITIES = 'pass similarities (n, n), or name a kernel such as "gaussian"; Dcorr takes distances'


def distance_matrix(metric: Any, argument: str, values: Floats, /, **options: Any) -> Floats:
    """Return the distances (n, n) between rows by scikit-learn's name of a metric, or by a function of all rows.

    None and "precomputed" say that the values are distances already. `argument` names the values in messages.

    >>> distance_matrix("cityblock", "x", np.array([[0.0, 0.0], [1.0, 2.0]]))
    array([[0., 3.],
           [3., 0.]])
    """
    from sklearn.metrics import pairwise_distances

    return _checked_distances(_made(metric, values, pairwise_distances, options), len(values), argument)


def kernel_matrix(metric: Any, argument: str, values: Floats, /, **options: Any) -> Floats:
    """Return the similarities (n, n) of rows by scikit-learn's name of a kernel, or by a function of all rows.

    None and "precomputed" say that the values are similarities already.

    >>> kernel_matrix("linear", "x", np.array([[1.0], [2.0]]))
    array([[1., 2.],
           [2., 4.]])
    """
    from sklearn.metrics.pairwise import pairwise_kernels

    matrix = _made(metric, values, pairwise_kernels, options)
    return _checked(matrix, len(values), argument, "similarities", NOT_SIMILARITIES)


def _made(metric: Any, values: Floats, by_name: Callable[..., Any], options: dict[str, Any]) -> Any:
    """Return what a function of all rows gives, or what a name stands for; the values themselves are one already."""
    if callable(metric):
        return metric(values, **options)
    return values if metric is None or metric == "precomputed" else by_name(values, metric=metric, **options)


def both(matrix: Matrix, x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return the matrices of x and of y."""
    return matrix("x", x), matrix("y", y)


def _checked_distances(matrix: Any, n: int, argument: str) -> Floats:
    """Return distances without what is rounding on their diagonal and below zero."""
    distances = _checked(matrix, n, argument, "distances", NOT_DISTANCES)
    rounding = ROUNDING * float(np.abs(distances).max())
    least, own = float(distances.min()), float(np.abs(np.diagonal(distances)).max())
    if least < -rounding:
        finding = f": its distances are negative, down to {least:.3g}"
    elif own > rounding:
        finding = f": its distances are not zero from each row to itself, but up to {own:.3g}"
    else:
        distances = np.maximum(distances, 0.0)
        np.fill_diagonal(distances, 0.0)
        return distances
    raise InputError(finding, argument=argument, remedy=NOT_DISTANCES)


def _checked(matrix: Any, n: int, argument: str, what: str, remedy: str) -> Floats:
    """Return a matrix of numbers (n, n) that is finite and symmetric but for rounding; refuse any other."""
    try:
        numbers = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        finding = f": its {what} are not numbers but of type {type(matrix).__name__}"
        raise InputError(finding, argument=argument, remedy=remedy) from None
    if numbers.shape != (n, n):
        finding = f": its {what} have shape {numbers.shape} and not {(n, n)}"
    elif not np.isfinite(numbers).all():
        finding = f": {int((~np.isfinite(numbers)).sum())} of its {what} are missing or infinite"
    elif (unequal := float(np.abs(numbers - numbers.T).max())) > ROUNDING * float(np.abs(numbers).max()):
        finding = f": its {what} are not symmetric, two that should be equal differ by {unequal:.3g}"
    else:
        return numbers
    raise InputError(finding, argument=argument, remedy=remedy)


@dataclass(frozen=True, eq=False)
class MatrixTest(Method):
    """A method that makes its statistic from the values of x and y."""

    title: str
    build: Callable[[Floats, Floats], PermutableStatistic]
    chi_square: bool

    @property
    def name(self) -> str:
        """The name that results show."""
        return self.title

    def prepare(self, sample: Sample, seed: int) -> PermutableProblem:
        """Compute the matrices."""
        return PermutableProblem(self.name, self.build(*matrices(sample, self.name)), sample.n, self.chi_square)


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

    def __call__(self, order: Ints) -> float:  # noqa: D102
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

    def __call__(self, order: Ints) -> float:  # noqa: D102
        n, r, s = self.x.size, self.x, self.y[order]
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
