"""The RV coefficient (Escoufier 1973): squared covariances, over the size of both covariance matrices.

    |S_xy|^2 / (|S_xx| |S_yy|),   with |.| the root of the sum of squared entries.

For p = q = 1 it is the squared correlation. With X and Y centred, |X'Y|^2 is also the sum of products of the entries of
X X' and Y Y', which is quicker where pairs of columns outnumber the rows by far.

Canonical correlation, and the normalised covariance that hyppo calls by its name.

The canonical correlation (Hotelling 1936) is the largest correlation that a combination of the columns of x has with
one of the columns of y: the largest singular value of Q_x' Q_y, where Q has orthonormal columns that span the centred
data. The normalised covariance does not whiten: with S the matrices of covariances, it is

    sum |S_xy| / sqrt(sum |S_xx| sum |S_yy|)  where x or y has one column, else the RV coefficient.

That is hyppo 0.5.2's CCA; hyppo 0.4.0's, with which the paper's tables were made, is the RV coefficient throughout.

Trends: the ranks of y move along some direction of x, even if very little along each column.

The statistic is the RV coefficient of a transform of each column of x and of y. Of either side it takes how far along a
value is (degree 1), or the square of how far its rank is from the middle one (degree 2), which makes four tests:

    x  y
    1  1   trend   the level of y rises or falls with x
    2  1   bend    it is different in the middle of x from what it is at both ends
    1  2   flare   the spread of y grows or shrinks along x
    2  2   pinch   it is different in the middle of x from what it is at both ends

Where a relation is shared by many columns, of x or of y, they have more power than trees, which look at one column at a
time, and more than a distance correlation, which spends some on what else may be there.

How far along x is taken from its values, winsorised, and so depends on the units of x, as distances
do; all else is polynomials of ranks (`kmerf.forests.growing`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kmerf.core.arrays import Floats, Ints, centred, winsorise
from kmerf.core.errors import Argument, InputError, choose
from kmerf.forests.growing import polynomial
from kmerf.methods import pair_matrices as pairs
from kmerf.methods.protocol import (
    SCALES,
    PermutableMethod,
    PermutableStatistic,
    Wording,
    orthonormal_columns,
    products,
    scaled,
)

if TYPE_CHECKING:
    from kmerf.data.sample import Sample


@dataclass(frozen=True)
class RV(PermutableMethod):
    """The RV coefficient, as `hyppo.independence.RV` computes it; it sees linear dependence only.

    Parameters
    ----------
    scale
        How columns are scaled before they are compared: "standard", to variance 1, so that units do not matter (the
        columns of a category have it together); "ranks", their ranks, so that neither do outliers and skew; "units",
        not at all, as in hyppo.

    >>> import kmerf
    >>> result = kmerf.independence([1, 2, 3, 4, 6], [1, 3, 2, 4, 5], method=RV(), null=kmerf.Permutation(99), rng=0)
    >>> round(result.statistic, 6)
    0.817568

    """

    scale: str = "standard"

    name: ClassVar[str] = "RV"

    def __post_init__(self) -> None:
        choose("scale", self.scale, SCALES)

    def statistic(self, x: Floats, y: Floats, sample: Sample, seed: int) -> PermutableStatistic:
        """Centre the columns."""
        return rv(x, y)


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

    def __call__(self, order: Ints) -> float:  # noqa: D102
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
        (a, diagonal_a), (b, diagonal_b) = _gram(x), _gram(y)
        sizes = [np.sqrt(2.0 * (g**2).sum() + (d**2).sum()) for g, d in ((a, diagonal_a), (b, diagonal_b))]
        return cls(a, b, diagonal_a, diagonal_b, float(sizes[0] * sizes[1]))

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


@dataclass(frozen=True)
class CCA(PermutableMethod):
    """The largest canonical correlation. It does not change with the units, or with any mixing, of the columns.

    For `hyppo.independence.CCA` see `NormalisedCovariance`.

    >>> import kmerf
    >>> x = [[1, 0], [2, 5], [3, 1], [4, 4], [6, 2], [5, 2]]
    >>> y = [a + 3 * b for a, b in x]
    >>> round(kmerf.independence(x, y, method=CCA(), null=kmerf.Permutation(99), rng=0).statistic, 12)
    1.0
    """

    name: ClassVar[str] = "CCA"

    def statistic(self, x: Floats, y: Floats, sample: Sample, seed: int) -> PermutableStatistic:
        """Find orthonormal columns for both."""
        x, y = orthonormal_columns(x), orthonormal_columns(y)
        rank_x, rank_y = x.shape[1], y.shape[1]
        if rank_x + rank_y >= sample.n:
            finding = (
                f"have {rank_x} and {rank_y} independent columns for {sample.n} rows: some combination of them always "
                "agrees, and CCA is 1 whatever the data."
            )
            raise InputError(finding, argument="x and y", remedy=f"Use fewer columns, {sample.n - 1} in all, or RV()")
        return Canonical(x, y)


@dataclass(frozen=True)
class NormalisedCovariance(PermutableMethod):
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

    def statistic(self, x: Floats, y: Floats, sample: Sample, seed: int) -> PermutableStatistic:
        """Centre the columns."""
        return Covariances.of(x, y) if min(x.shape[1], y.shape[1]) == 1 else rv(x, y)


@dataclass(frozen=True, eq=False)
class Canonical:
    """The largest canonical correlation of the spaces that orthonormal columns x and y span."""

    x: Floats
    y: Floats

    def __call__(self, order: Ints) -> float:  # noqa: D102
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

    def __call__(self, order: Ints) -> float:  # noqa: D102
        return float(np.abs(products(self.x, self.y, order)).sum()) / self.norm if self.norm > 0.0 else 0.0


NAMES = {(1, 1): "Trend", (2, 1): "Bend", (1, 2): "Flare", (2, 2): "Pinch"}

_QUESTIONS = {
    (1, 1): ("Does y rise or fall with x, even if very little with each column?", ""),
    (2, 1): ("Does y in the middle of x differ from y at both ends?", ""),
    (1, 2): (
        "Does the spread of y grow or shrink along x?",
        "the spread of {y} grows or shrinks along them, more than its average",
    ),
    (2, 2): (
        "Does the spread of y in the middle of x differ from that at both ends?",
        "the spread of {y} in their middle differs from that at their ends, more than its average",
    ),
}
_OF_GROUPS = {
    1: "Do the groups differ in level, even if very little in each column?",
    2: "Do the groups differ in how far they are from the middle of x?",
}


@dataclass(frozen=True)
class Trend(PermutableMethod):
    """A test for a trend in the ranks of y, or in the shares of classes.

    Parameters
    ----------
    x
        What of each column of x: 1 for how far along its values are, 2 for how far from their middle.
    y
        The same of y; classes know 1 alone.

    >>> import kmerf
    >>> x = np.random.default_rng(0).normal(size=(50, 10))
    >>> y = np.exp(x.sum(axis=1))
    >>> kmerf.independence(x, y, method=Trend(), null=kmerf.Permutation(99), rng=1).pvalue
    0.01
    >>> kmerf.independence(x, (x**2).sum(axis=1), method=Trend(x=2), null=kmerf.Permutation(99), rng=1).pvalue
    0.01

    """

    x: int = 1
    y: int = 1

    most_rows: ClassVar[int] = 10_000  # beyond, it takes more time and tells no more

    def __post_init__(self) -> None:
        for argument in ("x", "y"):
            degree = getattr(self, argument)
            if type(degree) is not int or degree not in (1, 2):
                finding = "must be 1, for a trend, or 2, for the distance to the middle"
                raise InputError(finding, argument=Argument(argument, degree))

    @property
    def name(self) -> str:
        """The name that results and figures show."""
        return NAMES[self.x, self.y]

    def wording(self, classes: bool) -> Wording:
        """Return the question that it answers, in words."""
        question, meaning = (_OF_GROUPS[self.x], "") if classes else _QUESTIONS[self.x, self.y]
        return Wording(question, meaning, "a correlation")

    def statistic(self, x: Floats, y: Floats, sample: Sample, seed: int) -> PermutableStatistic:
        """Winsorise x, and rank y."""
        if sample.y.codes is None:
            y = polynomial(y, self.y)
        elif self.y != 1:
            finding, remedy = f"of {self.name} is for numbers, and y has classes", f"use Trend(x={self.x})"
            raise InputError(finding, argument=Argument("y", 2), remedy=remedy)
        return rv(scaled(winsorise(x)) if self.x == 1 else polynomial(x, 2), y)
