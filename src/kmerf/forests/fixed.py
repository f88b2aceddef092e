"""A forest that has not seen y: it is grown once, and y is permuted against it.

Its proximity K does not change with the order of y. So the row sums and the variance of K are taken once, and each
order costs one sum over the leaves. Where the kernel of y is a product of coordinates, thousands of orders are summed
together (`kmerf.engine.permuted_sums`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kmerf.execution import parallel
from kmerf.forests.growing import KEPT_CELLS, Leaves, drawn
from kmerf.forests.proximity import Dependence, PairCounts, sampled_rows, unbiased, variance
from kmerf.forests.response_kernels import CoordinateKernel, LabelKernel, over_trees

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kmerf.core.arrays import Floats, Ints
    from kmerf.engine.workspace import Trees
    from kmerf.forests.growing import Forest, KeptForest
    from kmerf.forests.response_kernels import ResponseKernel

ROOM = 2**30  # that sums of whole numbers stay below


class WholePoints(NamedTuple):
    """Coordinates as whole numbers: L_ij = scale points_i . points_j, but for a constant, which centring removes."""

    points: NDArray[np.int32]
    scale: float


@dataclass(frozen=True, eq=False)
class FixedForest:
    """The leaves of a forest that has not seen y, and the proximity that they give."""

    forest: Forest | KeptForest
    """Grown on rows of which the first are those of the leaves."""
    leaves: Leaves
    kind: str

    @classmethod
    def of(cls, forest: Forest | KeptForest, n: int, kind: str) -> FixedForest:
        """Grow a forest, and keep the leaves of its first n rows."""
        return cls(forest, first_rows(forest.leaves(), n), kind)

    @cached_property
    def sums(self) -> tuple[Floats, float, float]:
        """The row sums of K, its variance, and the standard error of that where rows were sampled."""
        n, m = self.leaves.n, self.leaves.n_trees
        counted = PairCounts(self.kind, n, sampled_rows(n, self.forest.seed, 0))
        for start in range(0, m, size := max(1, KEPT_CELLS // n)):
            parallel.checkpoint()
            counted.add(self.leaves.part(slice(start, start + size)))
        return counted.sums / m, *counted.variance(m)

    def dependence(self, response: ResponseKernel, order: Ints) -> Dependence:
        """Return the dependence of the proximity and a kernel of y, whose rows stand in `order`."""
        k, spread, error = self.sums
        cross = over_trees(self.leaves, self.kind, response.within(order)) / self.leaves.n_trees
        variance_y = variance(response.square, response.rows)
        return Dependence(unbiased(cross, k, response.rows[order]), spread, variance_y, error)

    def permuted(self, response: ResponseKernel, seed: int, first: int, size: int) -> Floats:
        """Return the correlations with y in the orders numbered from `first` on; number 0 is the order observed."""
        from kmerf.engine.permuted_sums import permuted_sums

        coordinates = whole_points(response)
        assert coordinates is not None
        points, scale = coordinates
        n, m = points.shape[0], self.leaves.n_trees
        k, spread, _ = self.sums
        whole = points.astype(np.float64)
        l = (whole * whole.sum(axis=0)).sum(axis=1) - (whole**2).sum(axis=1)  # noqa: E741 - the formula's letter
        counts, code = drawn(self.leaves, self.kind)
        cross, product = np.empty(size), np.empty(size)
        at = self.leaves.codes, counts, code, self.leaves.n_leaves
        permuted_sums(*at, points, k, l, np.uint64(seed), np.uint64(first), cross, product)
        total = float(k.sum()) * float(l.sum()) / ((n - 1) * (n - 2))
        covariances = scale * (cross / m - 2.0 / (n - 2) * product + total) / (n * (n - 3))
        spread_y = variance(response.square, response.rows)
        return np.array([Dependence(float(each), spread, spread_y).correlation for each in covariances])

    def gains(self, y: Floats) -> Floats | None:
        """Return by how much the splits on each column lowered the squared error of y (m, columns); None if unknown."""
        n = self.leaves.n
        centred = np.ascontiguousarray(y - y.mean(axis=0))
        p = self.forest.columns.x.shape[1]

        def look(_: slice, leaves: Leaves, trees: Trees) -> Floats:
            from kmerf.engine.credit import gains_of

            known = first_rows(leaves, n)
            gains = np.zeros((known.n_trees, p))
            counts = np.ones_like(known.codes) if known.counts is None else known.counts
            gains_of(centred, trees, known.codes, counts, known.n_leaves, gains)
            return gains

        parts = self.forest.look(look)
        return None if parts is None else np.concatenate(parts)


def first_rows(leaves: Leaves, n: int) -> Leaves:
    """Return the leaves of the first n rows."""
    if n == leaves.n:
        return leaves
    counts = None if leaves.counts is None else np.ascontiguousarray(leaves.counts[:, :n])
    return replace(leaves, codes=np.ascontiguousarray(leaves.codes[:, :n]), counts=counts)


def whole_points(response: ResponseKernel) -> WholePoints | None:
    """Return the coordinates of a kernel of y as whole numbers; None where it has none, or its own are not whole.

    >>> whole_points(LabelKernel.of(np.array([0, 1, 1]))).points.ravel()
    array([ 1, -1, -1], dtype=int32)
    """
    if isinstance(response, LabelKernel):
        n_labels = int(response.codes.max()) + 1
        if n_labels == 2:
            return WholePoints((1 - 2 * response.codes[:, None]).astype(np.int32), 0.5)
        return WholePoints(np.eye(n_labels, dtype=np.int32)[response.codes], 1.0)
    if not isinstance(response, CoordinateKernel):
        return None
    for unit in (_unit(response.points), 0.5 * _unit(response.points)):  # rounding may have moved the largest
        points = np.rint(response.points / unit)
        if (points * unit == response.points).all():
            return WholePoints(points.astype(np.int32), unit**2)
    return None


def rounded(response: CoordinateKernel) -> CoordinateKernel:
    """Return the kernel with its coordinates rounded to whole multiples of a power of two: then their sums are exact.

    It is so small that of n rows, each has 2^30 / n steps on either side of zero.
    """
    unit = _unit(response.points)
    return CoordinateKernel.as_they_are(np.rint(response.points / unit) * unit)


def _unit(points: Floats) -> float:
    largest = float(np.abs(points).max())
    return float(2.0 ** np.ceil(np.log2(largest * points.shape[0] / ROOM))) if largest > 0.0 else 1.0
