"""Multiscale graph correlation (Vogelstein et al. 2019): the best local correlation of two matrices of distances.

For each pair of scales (k, l) the correlation is taken over those entries alone in which one row is among the k nearest
of the other in x, and among the l nearest in y. The statistic is the largest of these over the largest connected region
of scales that stands out of the noise, or the global correlation where there is no such region.

Scales count different distances: rows that are equally far come together. Column means are taken over the n - 1 other
rows, and the diagonal is left out. What stands out is above the 1 - 0.02 / (n - 1) quantile that an unbiased distance
correlation has in theory when x and y are independent, and no region counts that is smaller than 2 % of the scales
along its longer side. Local variances do not change when y is permuted, so a permutation costs O(n^2).
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from kmerf.core.errors import InputError, choose
from kmerf.execution.parallel import check_pairs
from kmerf.methods import pair_matrices as pairs
from kmerf.methods.protocol import SCALES, PermutableMethod, Wording

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints
    from kmerf.data.sample import Sample

FEWEST_ROWS = 5  # with fewer, the quantile does not exist

BYTES = 90.0  # per pair of rows: matrices of distances, their order, ranks and centred copies, and local correlations
_NOISE = 0.02  # share of the scales, and of the level


def multiscale(distance_x: Floats, distance_y: Floats) -> float:
    """Return the multiscale graph correlation of two symmetric matrices of distances, with zeros on their diagonals.

    A row must be its own nearest neighbour, as scales count it: so pass `1 - K` for a proximity K with ones on its
    diagonal, and fill the diagonal of any other with zeros. Where all distances between different rows of x, or of y,
    are equal, there is nothing to correlate and the result is 0.

    >>> x = np.arange(10.0)
    >>> d = abs(x[:, None] - x)
    >>> round(multiscale(d, d), 12)
    1.0
    """
    scales = MultiscaleStatistic.of(distance_x, distance_y)
    return scales(np.arange(scales.n))


@dataclass(frozen=True, eq=False)
class Side:
    """One of two matrices of distances, made ready."""

    centred: Floats
    """Less the mean of each column; symmetric no more (n, n)."""
    scale: NDArray[np.int32]
    """The scale from which on each entry counts: its rank among the different ones of its column, from 0."""
    sums: Floats
    """Of the entries up to each scale (scales,)."""
    variance: Floats
    """Of the entries up to each scale (scales,)."""

    @classmethod
    def of(cls, distance: Floats) -> Side | None:
        """Centre and rank; None where all entries off the diagonal are equal."""
        from kmerf.engine.pairs import local_covariances, local_sums

        n = len(distance)
        if _is_constant(distance):
            return None
        centred = distance - distance.sum(axis=0) / (n - 1)
        np.fill_diagonal(centred, 0.0)
        order = distance.argsort(axis=0)
        ordered = np.take_along_axis(distance, order, axis=0)
        steps = np.zeros((n, n), np.int32)
        np.cumsum(ordered[1:] > ordered[:-1], axis=0, out=steps[1:])
        scale = np.empty((n, n), np.int32)
        np.put_along_axis(scale, order, steps, axis=0)
        sums = np.empty(int(scale.max()) + 1)
        local_sums(centred, scale, sums)
        table = np.empty((sums.size, sums.size))
        turned, across = np.ascontiguousarray(centred.T), np.ascontiguousarray(scale.T)
        local_covariances(centred, scale, turned, across, np.arange(n), table)
        return cls(centred, scale, sums, np.diagonal(table) - sums**2 / n**2)

    def turned(self) -> Side:
        """Return the transpose."""
        centred, scale = np.ascontiguousarray(self.centred.T), np.ascontiguousarray(self.scale.T)
        return Side(centred, scale, self.sums, self.variance)


@dataclass(frozen=True, eq=False)
class MultiscaleStatistic:
    """The multiscale graph correlation of two matrices of distances, ready for any order of the rows of y."""

    n: int
    x: Side | None
    y: Side | None
    """Turned: an entry of x meets the entry of y that has its row and column exchanged."""

    @classmethod
    def of(cls, distance_x: Floats, distance_y: Floats) -> MultiscaleStatistic:
        """Make both matrices ready."""
        checked = _checked("distance_x", distance_x), _checked("distance_y", distance_y)
        if checked[0].shape != checked[1].shape:
            finding = f"have shapes {checked[0].shape} and {checked[1].shape}"
            raise InputError(finding, argument="distance_x and distance_y", remedy="they differ")
        x, y = map(Side.of, checked)
        return cls(len(checked[0]), x, None if y is None else y.turned())

    def __call__(self, order: Ints) -> float:
        """Return the statistic with row i of x beside row `order[i]` of y."""
        if self.x is None or self.y is None:
            return 0.0
        return best(self.correlations(order), self.n)

    def correlations(self, order: Ints) -> Floats:
        """Return the local correlations for all scales of x and y."""
        from kmerf.engine.pairs import local_covariances

        x, y = self.x, self.y
        if x is None or y is None:
            return np.zeros((1, 1))
        local = np.empty((x.sums.size, y.sums.size))
        local_covariances(x.centred, x.scale, y.centred, y.scale, np.ascontiguousarray(order, np.int64), local)
        local -= x.sums[:, None] * y.sums / self.n**2
        with np.errstate(divide="ignore", invalid="ignore"):
            local /= np.sqrt(x.variance[:, None] * y.variance)
        np.minimum(local, 1.0, out=local)
        local[x.variance <= 0.0] = 0.0
        local[:, y.variance <= 0.0] = 0.0
        return local


def best(correlations: Floats, n: int) -> float:
    """Return the largest of the local correlations in the largest region that stands out, or the global one."""
    from scipy.ndimage import label

    everything = float(correlations[-1, -1])
    if 1 in correlations.shape:
        return everything
    regions, many = label(correlations > max(_noise(n), everything))
    if not many:
        return everything
    sizes = np.bincount(regions.reshape(-1))[1:]
    largest = int(sizes.argmax())
    if sizes[largest] < math.ceil(_NOISE * max(correlations.shape)) * min(correlations.shape):
        return everything
    return max(everything, float(correlations[regions == largest + 1].max()))


@functools.cache
def _noise(n: int) -> float:
    """Return what a local correlation must be above to stand out."""
    from scipy.special import betaincinv

    shape = (n - 1) * (n - 4) / 4 - 0.5
    return float(betaincinv(shape, shape, 1 - _NOISE / (n - 1))) * 2 - 1


def _checked(name: str, distance: Floats) -> Floats:
    distance = np.ascontiguousarray(distance, dtype=np.float64)
    if distance.ndim != 2 or distance.shape[0] != distance.shape[1] or len(distance) < FEWEST_ROWS:
        remedy = f"it must be (n, n), with n at least {FEWEST_ROWS}"
        raise InputError(f"has shape {distance.shape}", argument=name, remedy=remedy)
    if np.diagonal(distance).any():
        remedy = "pass distances, such as 1 - K for a proximity K"
        raise InputError("has a diagonal that is not zero", argument=name, remedy=remedy)
    return distance


def _is_constant(distance: Floats) -> bool:
    """Return whether all entries off the diagonal are equal."""
    off = distance.reshape(-1)[1:].reshape(len(distance) - 1, -1)[:, :-1]  # each line from one diagonal to the next
    return bool((off == off[0, 0]).all())


@dataclass(frozen=True)
class MGC(PermutableMethod):
    """Multiscale graph correlation, as scipy and hyppo compute it.

    Distances come from differences, so rows that are equally far are tied; hyppo's are rounded, which breaks some ties
    and can change the statistic where values repeat.

    Parameters
    ----------
    scale
        How columns are scaled before they are compared: "standard", to variance 1, so that units do not matter (the
        columns of a category have it together); "ranks", their ranks, so that neither do outliers and skew; "units",
        not at all, as in hyppo.

    >>> import kmerf
    >>> result = kmerf.independence(range(8), range(8), method=MGC(), null=kmerf.Permutation(99), rng=0)
    >>> round(result.statistic, 12), result.pvalue
    (1.0, 0.02)

    """

    scale: str = "standard"

    name: ClassVar[str] = "MGC"
    most_rows: ClassVar[int] = 500  # it sorts all pairs

    def __post_init__(self) -> None:
        choose("scale", self.scale, SCALES)

    def wording(self, classes: bool) -> Wording:
        """Return the question that it answers, in words."""
        question = "Do rows that are close in x have similar y, among near neighbours or among all?"
        return Wording(question, measures="the largest of the local correlations")

    def statistic(self, x: Floats, y: Floats, sample: Sample, seed: int) -> MultiscaleStatistic:
        """Compute both matrices of distances."""
        if len(x) < FEWEST_ROWS:
            finding = f"has {len(x)} rows, and MGC needs at least {FEWEST_ROWS}"
            raise InputError(finding, argument="x", remedy="add rows, or use Dcorr()")
        check_pairs(self.name, len(x), BYTES)
        return MultiscaleStatistic.of(pairs.distances(x), pairs.distances(y))
