"""The tests of pairs of rows: distance correlation, the Hilbert-Schmidt criterion, and that of neighbourhoods.

Distance correlation (Szekely, Rizzo and Bakirov 2007), in the unbiased form of Szekely and Rizzo (2014), is

    c(x, y) / sqrt(c(x, x) c(y, y)),   with c the mean product of the U-centred Euclidean distances of x and of y.

It is at most 1, about 0 for independent x and y, and can be negative. For numbers (p = q = 1) the sums over pairs take
O(n log n) time and O(n) memory, with y permuted or not.

The Hilbert-Schmidt independence criterion (Gretton et al. 2005), normalised and unbiased, has the U-centred kernels
exp(-|u - v|^2 / 2 s^2) in place of distances. The scale s is the median distance between different rows (1 where that
is zero). It belongs to the data: x has its own and y has its own, and then the statistic does not depend on the units
of either. hyppo takes the scale of x for both; a y in thousandths then has a kernel that is all but linear, a y in
thousands one that is all but zero. Published tables were made that way, so `bandwidth="hyppo"` does the same.

The test of Heller, Heller and Gorfine (2013) sums Pearson's statistic over two-by-two tables of neighbourhoods. Each
ordered pair of rows (i, j) parts the others by whether they are within the distance from i to j, in x and in y
(`kmerf.engine.pairs` has the formula). Only the ranks of distances matter, so they are all that is kept: 8 n^2 bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from kmerf.core.errors import choose
from kmerf.execution.parallel import check_pairs, row_blocks
from kmerf.forests.growing import labels_of
from kmerf.forests.proximity import unbiased, variance
from kmerf.forests.response_kernels import NumberKernel
from kmerf.methods import pair_matrices as pairs
from kmerf.methods.protocol import SCALES, PermutableMethod, PermutableStatistic, Wording

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints
    from kmerf.data.sample import Sample

    Block = tuple[int, int, Floats]  # where some rows start and stop, and the distances from them


@dataclass(frozen=True)
class Dcorr(PermutableMethod):
    """Distance correlation, as `hyppo.independence.Dcorr` and `dcor.u_distance_correlation_sqr` compute it.

    Groups are one-hot: `ksample` agrees with `hyppo.ksample.KSample("Dcorr")` for any number of them.

    Parameters
    ----------
    scale
        How columns are scaled before they are compared: "standard", to variance 1, so that units do not matter (the
        columns of a category have it together); "ranks", their ranks, so that neither do outliers and skew; "units",
        not at all, as in hyppo.

    >>> import kmerf
    >>> result = kmerf.independence(range(8), range(8), method=Dcorr(), null=kmerf.ChiSquare())
    >>> round(result.statistic, 12), round(result.pvalue, 4)
    (1.0, 0.0027)

    """

    scale: str = "standard"

    name: ClassVar[str] = "Dcorr"
    has_chi_square: ClassVar[bool] = True
    most_rows: ClassVar[int] = 2000  # it compares all pairs

    def __post_init__(self) -> None:
        choose("scale", self.scale, SCALES)

    def wording(self, classes: bool) -> Wording:
        """Return the question that it answers, in words."""
        question = "Do rows that are close in x have similar y?"
        return Wording(question, measures="a correlation")

    def statistic(self, x: Floats, y: Floats, sample: Sample, seed: int) -> PermutableStatistic:
        """Sort numbers, or centre the distances of rows."""
        if x.shape[1] == y.shape[1] == 1:
            return OnLine.of(x[:, 0], y[:, 0])
        return pairs.distance_correlation(x, y, labels_of(sample.y))


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

    def __call__(self, order: Ints) -> float:  # noqa: D102
        from kmerf.engine.pairs import cross_line

        if self.norm == 0.0:
            return 0.0
        cross = float(cross_line(self.x.values, self.x.by_value, self.y.values, self.rank, order))
        return unbiased(cross, self.x.rows, self.y.rows[order]) / self.norm


def _root(values: Floats, line: NumberKernel) -> float:
    if np.ptp(values) == 0.0:
        return 0.0
    return float(np.sqrt(variance(line.square, line.rows)))


@dataclass(frozen=True)
class Hsic(PermutableMethod):
    """Kernel correlation with Gaussian kernels.

    Parameters
    ----------
    bandwidth
        "median": each of x and y has the median of its own distances. "hyppo": both have that of x, which makes the
        statistic equal to that of `hyppo.independence.Hsic`. For groups the two agree, as a kernel of one-hot labels
        has only two values; so `ksample` agrees with `hyppo.ksample.KSample("Hsic")` in either case.
    scale
        How columns are scaled before they are compared: "standard", to variance 1, so that units do not matter (the
        columns of a category have it together); "ranks", their ranks, so that neither do outliers and skew; "units",
        not at all, as in hyppo.

    >>> import kmerf
    >>> result = kmerf.independence(range(8), range(8), method=Hsic(), null=kmerf.ChiSquare())
    >>> round(result.statistic, 12), round(result.pvalue, 4)
    (1.0, 0.0027)

    """

    bandwidth: str = "median"
    scale: str = "standard"

    name: ClassVar[str] = "Hsic"
    has_chi_square: ClassVar[bool] = True
    most_rows: ClassVar[int] = 2000  # it compares all pairs

    def __post_init__(self) -> None:
        choose("bandwidth", self.bandwidth, ["median", "hyppo"])
        choose("scale", self.scale, SCALES)

    def wording(self, classes: bool) -> Wording:
        """Return the question that it answers, in words."""
        question = "Are rows that are near each other in x also near in y?"
        return Wording(question, measures="a correlation")

    def statistic(self, x: Floats, y: Floats, sample: Sample, seed: int) -> PermutableStatistic:
        """Find the scales and centre the kernels."""
        from kmerf.engine.pairs import GAUSSIAN

        of_x = _scale(x)
        of_y = of_x if self.bandwidth == "hyppo" else _scale(y)
        return pairs.correlation(x, y, GAUSSIAN, (of_x, of_y))


def _scale(values: Floats) -> float:
    return 1.0 / (2.0 * (pairs.median_distance(values) or 1.0) ** 2)


@dataclass(frozen=True)
class HHG(PermutableMethod):
    """The sum of Pearson statistics of Heller, Heller and Gorfine, on Euclidean distances, in O(n^2 log n).

    It equals `hyppo.independence.HHG` where no distances are tied. Ties here are exact, as distances come from
    differences; hyppo's are rounded, which breaks some.

    Parameters
    ----------
    scale
        How columns are scaled before they are compared: "standard", to variance 1, so that units do not matter (the
        columns of a category have it together); "ranks", their ranks, so that neither do outliers and skew; "units",
        not at all, as in hyppo.

    >>> import kmerf
    >>> result = kmerf.independence(range(8), range(8), method=HHG(), null=kmerf.Permutation(99), rng=0)
    >>> round(result.statistic, 6), result.pvalue
    (276.0, 0.01)

    """

    scale: str = "standard"

    name: ClassVar[str] = "HHG"
    most_rows: ClassVar[int] = 500  # it sorts all pairs

    def __post_init__(self) -> None:
        choose("scale", self.scale, SCALES)

    def wording(self, classes: bool) -> Wording:
        """Say what it asks."""
        return Wording(
            "Are the nearest rows in x, at any distance, also nearer in y?",
            "rows near each other in these columns are also near in {y}, in ways that its average may not show",
            "a sum over all pairs of rows, on a scale of its own",
        )

    def statistic(self, x: Floats, y: Floats, sample: Sample, seed: int) -> Neighbourhoods:
        """Rank the distances from each row."""
        check_pairs(self.name, len(x), 8.0)
        return Neighbourhoods.of(x, y)


@dataclass(frozen=True, eq=False)
class Neighbourhoods:
    """The neighbours of each row of x by distance, and the ranks of the distances from each row of y."""

    neighbours: NDArray[np.int32]
    ranks: NDArray[np.int32]

    @classmethod
    def of(cls, x: Floats, y: Floats) -> Neighbourhoods:
        """Sort the distances from each row, some rows at a time."""
        return cls._of(len(x), _distances(x), _distances(y))

    @classmethod
    def of_distances(cls, x: Floats, y: Floats) -> Neighbourhoods:
        """Take matrices (n, n) of distances instead of the rows themselves."""
        return cls._of(len(x), _given(x), _given(y))

    @classmethod
    def _of(cls, n: int, x: Iterator[Block], y: Iterator[Block]) -> Neighbourhoods:
        from kmerf.engine import pairs as kernels

        neighbours, ranks = np.empty((n, n - 1), np.int32), np.empty((n, n), np.int32)
        for start, stop, distances, order in map(_sorted, x):
            kernels.neighbours(distances, order, neighbours[start:stop])
        for start, stop, distances, order in map(_sorted, y):
            kernels.ranks(distances, order, start, ranks[start:stop])
        return cls(neighbours, ranks)

    def __call__(self, order: Ints) -> float:  # noqa: D102
        from kmerf.engine.pairs import tables

        rows = row_blocks(len(self.ranks), cost=8)
        return float(sum(tables(self.neighbours, self.ranks, order, start, stop) for start, stop in rows))


def _distances(values: Floats) -> Iterator[Block]:
    """Yield the distances from each row, in blocks of rows."""
    from kmerf.engine.pairs import DISTANCE, square

    n = len(values)
    columns = pairs.transposed(values)
    for start, stop in row_blocks(n):
        distances = np.empty((stop - start, n))
        square(columns, DISTANCE, 0.0, start, stop, distances)
        yield start, stop, distances


def _given(distances: Floats) -> Iterator[Block]:
    """Yield the rows of a matrix of distances in blocks."""
    for start, stop in row_blocks(len(distances)):
        yield start, stop, distances[start:stop].copy()


def _sorted(block: Block) -> tuple[int, int, Floats, Ints]:
    """Add to a block what sorts the distances from each of its rows, the row itself first."""
    start, stop, distances = block
    distances[np.arange(stop - start), np.arange(start, stop)] = -np.inf  # below whatever stands for a distance
    return start, stop, distances, np.argsort(distances, axis=1)
