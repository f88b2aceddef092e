"""Kernels of y: similarities of rows of y, which the statistic compares with the proximity of rows of x.

A kernel of y appears in the statistic only through sums, so each is a value that knows those sums: `rows` and
`square`, of the matrix with zeros on its diagonal, and `within`, over the pairs of rows that share a leaf. That way
the common ones need no matrix. Distances enter as similarities, with their sign changed; the constant that the
distance-induced kernel adds to keep itself positive vanishes when the kernel is centred.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from kmerf.core.errors import Argument, InputError, choose
from kmerf.core.streams import Purpose
from kmerf.execution import parallel
from kmerf.forests.growing import Leaves, drawn

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints
    from kmerf.data.sample import Response

EXACT_POINTS = 10_000  # whose distances are all taken; of more points, the distances to as many

Within = Callable[[Leaves, str], float]
"""The sum of a kernel of y over the pairs that count in some trees, by the kind of proximity."""


def over_trees(leaves: Leaves, kind: str, function: Within) -> float:
    """Return a sum over the pairs that count in each tree, some trees at a time: compiled code hears no Ctrl-C."""
    size = max(1, 10**6 // leaves.n)
    total = 0.0
    for start in range(0, leaves.n_trees, size):
        parallel.checkpoint()
        total += function(leaves.part(slice(start, start + size)), kind)
    return total


def _within(function: Callable[..., float], *args: object, sign: float = 1.0) -> Within:
    """Return the sum of a compiled function over the pairs that count in each of some trees."""

    def total(leaves: Leaves, kind: str) -> float:
        counts, code = drawn(leaves, kind)
        return sign * float(function(leaves.codes, counts, code, leaves.n_leaves, *args))

    return total


class ResponseKernel(Protocol):
    """A kernel of y, known by the sums that the statistic needs."""

    @property
    def rows(self) -> Floats:
        """Row sums of the hollow matrix."""
        ...

    @property
    def square(self) -> float:
        """Sum of squares of the hollow matrix."""
        ...

    def within(self, order: Ints) -> Within:
        """Return the function that sums L[order[i], order[j]] over the pairs (i, j) that count."""
        ...

    def matrix(self) -> Floats:
        """The kernel as a matrix."""
        ...

    def by_leaf(self) -> LeafwiseKernel | None:
        """Return the kernel itself if its sums over each leaf take O(n) a tree; None if they need the matrix."""
        ...


Trees = tuple[NDArray[np.int32], NDArray[np.int32], int, NDArray[np.int32]]
"""Leaves as compiled code takes them: codes, counts, the number of the kind of proximity, and numbers of leaves."""


class LeafwiseKernel(ResponseKernel, Protocol):
    """A kernel of y whose sums for each row need no matrix."""

    @property
    def row_bound(self) -> float:
        """What no row's sum of |L_ij| is above."""
        ...

    def row_sums(self, trees: Trees) -> Floats:
        """Return sum_j L_ij over the rows j that count with row i, added up over trees."""
        ...

    def times(self, weights: Floats) -> Floats:
        """Return the product of the hollow matrix with a weight for each row."""
        ...


@dataclass(frozen=True, eq=False)
class NumberKernel:
    """Minus the distance between numbers."""

    values: Floats
    by_value: Ints
    rows: Floats
    square: float

    @classmethod
    def of(cls, values: Floats) -> NumberKernel:
        """Sort the values and take their sums in O(n log n)."""
        n = values.size
        values = values - values.mean()
        by_value = np.argsort(values, kind="stable")
        ordered = values[by_value]
        below = np.concatenate([[0.0], np.cumsum(ordered)[:-1]])
        above = ordered.sum() - below - ordered
        place = np.arange(n)
        rows = np.empty(n)
        rows[by_value] = (ordered * place - below) + (above - ordered * (n - 1 - place))
        return cls(values, by_value, -rows, float(2.0 * n * (values**2).sum() - 2.0 * values.sum() ** 2))

    def within(self, order: Ints) -> Within:  # noqa: D102 - see ResponseKernel
        from kmerf.engine.leaf_sums import cross_distance

        place = np.empty_like(order)
        place[order] = np.arange(order.size)
        return _within(cross_distance, self.values[order], place[self.by_value], sign=-1.0)

    def matrix(self) -> Floats:  # noqa: D102
        return distance_kernel(self.values[:, None])

    def by_leaf(self) -> LeafwiseKernel | None:  # noqa: D102
        return self

    @property
    def row_bound(self) -> float:  # noqa: D102 - all distances have one sign
        return float(np.abs(self.rows).max())

    def row_sums(self, trees: Trees) -> Floats:  # noqa: D102
        from kmerf.engine.row_statistics import distances

        sums = np.zeros(self.values.size)
        distances(*trees, self.values, self.by_value, sums)
        return -sums

    def times(self, weights: Floats) -> Floats:  # noqa: D102
        y, w = self.values[self.by_value], weights[self.by_value]
        below_w, below = np.cumsum(w) - w, np.cumsum(w * y) - w * y
        above_w, above = w.sum() - below_w - w, (w * y).sum() - below - w * y
        distances = np.empty(y.size)
        distances[self.by_value] = below_w * y - below + above - above_w * y
        return -distances


@dataclass(frozen=True, eq=False)
class PointKernel:
    """Minus the Euclidean distance between points of several coordinates."""

    points: Floats
    rows: Floats
    square: float

    @classmethod
    def of(cls, points: Floats) -> PointKernel:
        """Take the sums in O(n^2) time and O(n) memory up to EXACT_POINTS; beyond, estimate them without bias.

        Each point is then compared with the same random points, and the sum of squares needs no pairs at all.
        """
        from kmerf.engine.leaf_sums import distance_sums, distances_to

        points = np.ascontiguousarray(points - points.mean(axis=0))
        n = points.shape[0]
        rows = np.empty(n)
        if n <= EXACT_POINTS:
            square = distance_sums(points, rows)
            return cls(points, -rows, float(square))
        chosen = np.sort(np.random.default_rng(int(Purpose.SAMPLED_PAIRS)).choice(n, EXACT_POINTS, replace=False))
        for start in range(0, n, 1000):
            parallel.checkpoint()
            distances_to(points[start : start + 1000], points[chosen], rows[start : start + 1000])
        rows *= (n - 1) / EXACT_POINTS
        rows[chosen] *= EXACT_POINTS / (EXACT_POINTS - 1)  # they were compared with themselves too
        return cls(points, -rows, float(2.0 * n * (points**2).sum()))

    def within(self, order: Ints) -> Within:  # noqa: D102
        from kmerf.engine.leaf_sums import cross_points

        return _within(cross_points, self.points[order], sign=-1.0)

    def matrix(self) -> Floats:  # noqa: D102
        return distance_kernel(self.points)

    def by_leaf(self) -> LeafwiseKernel | None:  # noqa: D102
        return None


@dataclass(frozen=True, eq=False)
class LabelKernel:
    """One for equal labels, zero for different ones: what the distance between one-hot labels comes to."""

    codes: Ints
    rows: Floats
    square: float

    @classmethod
    def of(cls, codes: Ints) -> LabelKernel:
        """Take the sums from the size of each class."""
        sizes = np.bincount(codes)
        return cls(codes, (sizes[codes] - 1).astype(np.float64), float((sizes * (sizes - 1)).sum()))

    def within(self, order: Ints) -> Within:  # noqa: D102
        from kmerf.engine.leaf_sums import cross_labels

        return _within(cross_labels, self.codes[order], int(self.codes.max()) + 1)

    def matrix(self) -> Floats:  # noqa: D102
        return np.asarray(self.codes[:, None] == self.codes[None, :], dtype=np.float64)

    def by_leaf(self) -> LeafwiseKernel | None:  # noqa: D102
        return self

    @property
    def row_bound(self) -> float:  # noqa: D102
        return float(np.abs(self.rows).max())

    def row_sums(self, trees: Trees) -> Floats:  # noqa: D102
        from kmerf.engine.row_statistics import equal_labels

        sums = np.zeros(self.codes.size)
        equal_labels(*trees, self.codes, int(self.codes.max()) + 1, sums)
        return sums

    def times(self, weights: Floats) -> Floats:  # noqa: D102
        return np.asarray(np.bincount(self.codes, weights)[self.codes] - weights)


@dataclass(frozen=True, eq=False)
class CoordinateKernel:
    """Products of a few coordinates, L_ij = phi_i . phi_j, in time and memory linear in n, whatever they stand for."""

    points: Floats
    rows: Floats
    square: float

    @classmethod
    def of(cls, points: Floats) -> CoordinateKernel:
        """Centre the coordinates (n, q), which the statistic does not feel, and take their sums."""
        return cls.as_they_are(points - points.mean(axis=0))

    @classmethod
    def as_they_are(cls, points: Floats) -> CoordinateKernel:
        """Take the sums of coordinates (n, q) in O(n q^2)."""
        points = np.ascontiguousarray(points)
        own = (points**2).sum(axis=1)
        products = np.einsum("ij,ik->jk", points, points)  # no BLAS: its sums change with the number of threads
        rows = (points * points.sum(axis=0)).sum(axis=1) - own
        return cls(points, rows, float((products**2).sum() - (own**2).sum()))

    def within(self, order: Ints) -> Within:  # noqa: D102
        from kmerf.engine.leaf_sums import cross_embedded

        return _within(cross_embedded, self.points[order])

    def matrix(self) -> Floats:  # noqa: D102
        return np.asarray(np.einsum("ik,jk->ij", self.points, self.points))

    def by_leaf(self) -> LeafwiseKernel | None:  # noqa: D102
        return self

    @property
    def row_bound(self) -> float:  # noqa: D102
        lengths = np.sqrt((self.points**2).sum(axis=1))
        return float(lengths.max() * lengths.sum())

    def row_sums(self, trees: Trees) -> Floats:  # noqa: D102
        from kmerf.engine.row_statistics import weighted

        sums = np.zeros(len(self.points))
        for coordinate in np.ascontiguousarray(self.points.T):
            along = np.zeros(coordinate.size)
            weighted(*trees, coordinate, along)
            sums += coordinate * along
        return sums

    def times(self, weights: Floats) -> Floats:  # noqa: D102
        along = (self.points * weights[:, None]).sum(axis=0)  # no BLAS: its sums change with the number of threads
        return np.asarray((self.points * along).sum(axis=1) - (self.points**2).sum(axis=1) * weights)


@dataclass(frozen=True, eq=False)
class MatrixKernel:
    """Any kernel matrix, less its mean off the diagonal: centring removes constants, and without them less cancels."""

    full: Floats
    rows: Floats
    square: float

    @classmethod
    def of(cls, full: Floats) -> MatrixKernel:
        """Take the sums of the matrix without its diagonal."""
        n = full.shape[0]
        full = np.ascontiguousarray(full - (full.sum() - np.trace(full)) / (n * (n - 1)), dtype=np.float64)
        diagonal = np.diagonal(full)
        square = float((full**2).sum() - (diagonal**2).sum())
        return cls(full, full.sum(axis=1) - diagonal, square)

    def within(self, order: Ints) -> Within:  # noqa: D102
        from kmerf.engine.leaf_sums import cross_matrix

        return _within(cross_matrix, self.full, order)

    def matrix(self) -> Floats:  # noqa: D102
        return self.full

    def by_leaf(self) -> LeafwiseKernel | None:  # noqa: D102
        return None


def distance_kernel(points: Floats) -> Floats:
    """Return the kernel that Euclidean distance induces: the largest distance, less the distance (n, n)."""
    distances = np.zeros((points.shape[0], points.shape[0]))
    for k in range(points.shape[1]):
        distances += np.subtract.outer(points[:, k], points[:, k]) ** 2
    np.sqrt(distances, out=distances)
    return np.asarray(distances.max() - distances)


def gaussian_kernel(points: Floats) -> Floats:
    """Return exp(-d^2 / 2 s^2), with s the median distance between different rows (1 where that is zero)."""
    kernel = distance_kernel(points)
    distances = kernel[0, 0] - kernel
    median = np.median(distances[np.triu_indices_from(distances, k=1)])
    return np.asarray(np.exp(-(distances**2) / (2.0 * (median or 1.0) ** 2)))


def response_kernel(y_kernel: str | Floats, y: Response) -> ResponseKernel:
    """Return the kernel of y that `y_kernel` names, or that it is."""
    if isinstance(y_kernel, str):
        choose("y_kernel", y_kernel, ["distance", "discrete", "gaussian", "forest"])
        if y_kernel == "gaussian":
            return MatrixKernel.of(gaussian_kernel(y.values))
        if y.codes is not None:
            return LabelKernel.of(y.codes)
        if y_kernel == "discrete":
            codes = np.unique(y.values, axis=0, return_inverse=True)[1].reshape(-1)
            if codes.max() == y.n - 1:
                finding, argument = (
                    "compares equal values, and all values of y differ",
                    Argument("y_kernel", "discrete"),
                )
                raise InputError(finding, argument=argument, remedy="use 'distance'")
            return LabelKernel.of(codes)
        return NumberKernel.of(y.values[:, 0]) if y.q == 1 else PointKernel.of(y.values)
    matrix = np.asarray(y_kernel)
    if matrix.dtype.kind not in "fiub":
        finding, remedy = f": a {type(y_kernel).__name__} cannot be used", "name a kernel, or pass a matrix of numbers"
        raise InputError(finding, argument="y_kernel", remedy=remedy)
    if matrix.shape != (y.n, y.n):
        remedy = f"a precomputed kernel must be ({y.n}, {y.n}), a row for each y that is not missing"
        raise InputError(f"has shape {matrix.shape}", argument="y_kernel", remedy=remedy)
    if not np.isfinite(matrix).all() or not np.allclose(matrix, matrix.T):
        finding = "must be a symmetric matrix of finite similarities (not distances)"
        raise InputError(finding, argument="y_kernel")
    if not np.diagonal(matrix).any() and matrix.min() >= 0.0 and matrix.any():
        finding = "has zeros on its diagonal, like a matrix of distances"
        raise InputError(finding, argument="y_kernel", remedy="pass similarities, such as -d")
    return MatrixKernel.of(matrix.astype(np.float64))
