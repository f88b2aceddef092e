"""A forest and its statistics: grown some trees at a time, and looked into after the test.

A `FittedForest` is the forest of the observed data: what it predicts, which rows and features it used. Each row is
predicted by the trees for which it is out of bag, by the mean y of the in-bag rows of its leaf. These predictions serve
pictures. They are not compared with y to say how strong a relation is: among rows with the same x they differ only
because the row's own y is left out, and so run against y. `kmerf.explain.effects` holds out rows instead.

`measure` grows a forest and reads its statistics off it: trees are grown, counted and forgotten.

`Predictions` is what trees predict for the rows that they have not seen, added up over trees.

A `FixedForest` has not seen y: it is grown once, and y is permuted against it. Its proximity K does not change with the
order of y. So the row sums and the variance of K are taken once, and each order costs one sum over the leaves. Where
the kernel of y is a product of coordinates, thousands of orders are summed together (`kmerf.engine.permuted_sums`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kmerf.core.arrays import Floats, mid_ranks
from kmerf.core.errors import Argument, InputError
from kmerf.execution import parallel
from kmerf.forests.growing import KEPT_CELLS, NO_OUT_OF_BAG, OUT_OF_BAG, Labels, Leaves, drawn
from kmerf.forests.proximity import (
    Dependence,
    PairCounts,
    partner_counts,
    sampled_rows,
    square_count,
    unbiased,
    variance,
)
from kmerf.forests.response_kernels import CoordinateKernel, LabelKernel, MatrixKernel, over_trees

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kmerf.core.arrays import Bools, Floats, Ints
    from kmerf.data.sample import Response
    from kmerf.engine.workspace import Columns, Trees
    from kmerf.forests.growing import Forest, KeptForest, Leaves, Target, Value
    from kmerf.forests.response_kernels import ResponseKernel

STRONGEST = 3  # columns whose prediction counts where only the best do
BLOCK_CELLS = 2**20  # of y that are looked at together: 8 MB
UNIT = 2.0**40  # parts of which the predicted share of a class is a whole number
ROOM = 2**30  # that sums of whole numbers stay below


class Predictions:
    """Running sums of what trees predict for the rows that they have not seen.

    They are kept as whole numbers, which can be added in any order: of y less its means, each column on a scale of its
    own, a power of two that puts its largest value just below 2^40.
    """

    def __init__(self, y: Floats) -> None:
        self.middle = y.mean(axis=0)
        self.y = np.subtract(y, self.middle, order="C")
        most = np.maximum(self.y.max(axis=0, initial=0.0), -self.y.min(axis=0, initial=0.0))
        exponents = np.frexp(most)[1]
        self.scale = np.ldexp(1.0, np.minimum(40 - exponents, 1000))  # 2^1000 at most, for a column of next to nothing
        self.y *= self.scale
        self.sums = np.zeros(y.shape, np.int64)
        self.times = np.zeros(y.shape[0], np.int64)

    def begin(self) -> Predictions:
        """Return sums of the same y with nothing in them yet, for another worker."""
        other = object.__new__(Predictions)
        other.middle, other.scale, other.y = self.middle, self.scale, self.y
        other.sums, other.times = np.zeros_like(self.sums), np.zeros_like(self.times)
        return other

    def add(self, leaves: Leaves) -> None:
        """Let some more trees guess."""
        from kmerf.engine.leaf_sums import guess

        if leaves.counts is not None:
            guess(leaves.codes, leaves.counts, leaves.n_leaves, self.y, self.sums, self.times)

    def join(self, other: Predictions) -> None:
        """Take over the sums of another worker; whole numbers, so in any order."""
        self.sums += other.sums
        self.times += other.times

    @property
    def total(self) -> Floats:
        """The summed predictions (n, q)."""
        return np.asarray(self.sums / self.scale + self.times[:, None] * self.middle)

    def part(self, columns: slice) -> Predictions:
        """Return what is predicted for some of the columns."""
        found = object.__new__(Predictions)
        found.middle, found.scale, found.times = self.middle[columns], self.scale[columns], self.times
        found.y, found.sums = self.y[:, columns], self.sums[:, columns]
        return found

    @property
    def share(self) -> float:
        """The share of y's variance that is predicted: the mean of `shares`, or 0 where no column varies."""
        shares = self.shares
        return float(shares.mean()) if shares.size else 0.0

    @property
    def strongest(self) -> float:
        """The mean of the three largest of `shares`, or of all where they are fewer; 0 where no column varies."""
        shares = np.sort(self.shares)[-STRONGEST:]
        return float(shares.mean()) if shares.size else 0.0

    @property
    def shares(self) -> Floats:
        """The share of variance that is predicted, 1 - sum (y - prediction)^2 / sum y^2, of each column that varies.

        It is below 0 where predictions are worse than the mean. Rows that all trees have seen are left out.
        """
        rows = self._known()
        missed, around = np.empty(self.y.shape[1]), np.empty(self.y.shape[1])
        times = self.times[rows, None]
        width = max(1, BLOCK_CELLS // rows.size)
        for start in range(0, missed.size, width):
            some = slice(start, start + width)
            truth = self.y[rows, some]
            around[some] = (truth**2).sum(axis=0)
            missed[some] = ((truth - self.sums[rows, some] / times) ** 2).sum(axis=0)
        known = around > 0.0
        shares: Floats = 1.0 - missed[known] / around[known]
        return shares

    def _known(self) -> Bools:
        """Return the rows that some tree has not seen."""
        rows: Bools = self.times > 0
        if not rows.any():
            raise InputError(NO_OUT_OF_BAG, argument=Argument("statistic", "prediction"), remedy=OUT_OF_BAG)
        return rows


class ClassPredictions(Predictions):
    """The same for many classes, whose columns are never written down; a tree adds only to classes of the leaf."""

    def __init__(self, labels: Labels) -> None:
        self.labels = labels
        self.sums = np.zeros((labels.codes.size, labels.n_classes), np.int64)
        self.times = np.zeros(labels.codes.size, np.int64)

    def begin(self) -> ClassPredictions:
        """Return sums of the same classes with nothing in them yet, for another worker."""
        return ClassPredictions(self.labels)

    def add(self, leaves: Leaves) -> None:
        """Let some more trees guess."""
        from kmerf.engine.leaf_sums import guess_classes

        if leaves.counts is not None:
            where = leaves.codes, leaves.counts, leaves.n_leaves
            guess_classes(*where, self.labels.codes, self.labels.n_classes, UNIT, self.sums, self.times)

    @property
    def total(self) -> Floats:
        """The summed predictions (n, classes)."""
        return np.asarray(self.sums / UNIT)

    def part(self, columns: slice) -> Predictions:
        """Return itself: its columns are those of y, and of every target of classes."""
        return self

    @property
    def shares(self) -> Floats:
        """The share of variance that is predicted of each class that varies."""
        from kmerf.engine.leaf_sums import class_shares

        self._known()
        shares = np.empty(self.labels.n_classes)
        class_shares(self.labels.codes, UNIT, self.sums, self.times, shares)
        return shares[~np.isnan(shares)]


def predictions_of(y: Floats | Labels) -> Predictions:
    """Return running sums of what trees predict for y (n, q), or for many classes."""
    return ClassPredictions(y) if isinstance(y, Labels) else Predictions(y)


@dataclass(frozen=True, eq=False)
class FittedForest:
    """A forest of the observed data, and the kernels that it was part of."""

    forest: Forest | KeptForest
    proximity: str
    response: ResponseKernel | None
    """The kernel of y that the proximity was correlated with; None where that is another forest's."""
    predicted: Predictions | None = None
    """What it predicts out of bag for y, where that is known already."""

    @property
    def columns(self) -> Columns:
        """The columns of x, sorted."""
        return self.forest.columns

    @property
    def seed(self) -> int:
        """Of its random numbers."""
        return self.forest.seed

    @property
    def target(self) -> Target | None:
        """What its trees were grown on (n, q); None if there are no trees to look at."""
        return self.forest.target

    @property
    def kept(self) -> Leaves | None:
        """Its leaves, where they were kept."""
        return self.forest.kept

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return self.forest.n_trees

    def predictions(self, y: Floats) -> Predictions:
        """Return what the forest predicts out of bag for y (n, q)."""
        if self.predicted is not None:
            return self.predicted
        predictions = Predictions(y)
        self.each(predictions.add)
        return predictions

    def leaves(self, n_jobs: int = 1) -> Leaves:
        """Return where the forest puts each row."""
        return self.forest.leaves(n_jobs)

    def each(self, function: Callable[[Leaves], Value], n_jobs: int = 1) -> list[Value]:
        """Return what a function makes of the leaves of some trees at a time, in the order of the trees."""
        return self.forest.each(function, n_jobs)

    def look(self, function: Callable[[slice, Leaves, Trees], Value], n_jobs: int = 1) -> list[Value] | None:
        """Return what a function makes of some trees at a time; None if there are none to look at."""
        return self.forest.look(function, n_jobs)

    def trees(self, n_jobs: int = 1) -> Trees | None:
        """Return the trees themselves, to send other rows through; None if there are none."""
        return self.forest.trees(n_jobs)


def predict(forests: Sequence[FittedForest], y: Response) -> Floats | None:
    """Return what all trees together predict out of bag (n, q), NaN for a row that all have seen; None if none tell."""
    sums, trees = np.zeros(y.values.shape), np.zeros(y.n)
    for forest in forests:
        predictions = forest.predictions(y.values)
        sums += predictions.total
        trees += predictions.times
    if not trees.any():
        return None
    predicted: Floats = np.divide(sums, trees[:, None], out=np.full(sums.shape, np.nan), where=trees[:, None] > 0)
    return predicted


def auc(values: Floats, positive: NDArray[np.bool_]) -> float:
    """Return the probability that a positive row has a larger value than another one; equal values count half.

    >>> auc(np.array([0.1, 0.5, 0.5, 0.9]), np.array([False, False, True, True]))
    0.875
    """
    ranks = mid_ranks(values)
    ones = int(positive.sum())
    return float((ranks[positive].sum() - ones * (ones + 1) / 2) / (ones * (positive.size - ones)))


def dense(K: Floats, L: Floats) -> Dependence:
    """Return the dependence of two kernel matrices; their diagonals are ignored.

    >>> K = np.eye(5) + 0.5 * np.eye(5, k=1) + 0.5 * np.eye(5, k=-1)
    >>> round(dense(K, K).correlation, 12)
    1.0
    """
    x, y = MatrixKernel.of(K), MatrixKernel.of(L)
    cross = float((x.full * y.full).sum() - (np.diagonal(x.full) * np.diagonal(y.full)).sum())
    return Dependence(unbiased(cross, x.rows, y.rows), variance(x.square, x.rows), variance(y.square, y.rows))


def leafwise(leaves: Leaves, kind: str, response: ResponseKernel, order: NDArray[np.int64] | None = None) -> Dependence:
    """Return the dependence of a forest's proximity and a kernel of y, whose rows stand in `order`.

    Time grows as n times the number of trees (times the size of a leaf where y has several coordinates), and no
    n x n matrix is formed.
    """
    order = np.arange(leaves.n) if order is None else order
    m = leaves.n_trees
    k = partner_counts(leaves, kind) / m
    rows = response.rows[order]
    return Dependence(
        unbiased(over_trees(leaves, kind, response.within(order)) / m, k, rows),
        variance(square_count(leaves, kind) / m**2, k),
        variance(response.square, response.rows),
    )


class PairReading(NamedTuple):
    """One way to look at a forest: the pairs that count, and the kernel of y that they are compared with."""

    kind: str
    response: ResponseKernel


class Measured(NamedTuple):
    """What was read off a forest."""

    dependences: list[Dependence]
    """One for each reading."""
    gains: Floats
    """What the splits on each column gained in each tree (m, p); see `growing.Reduced` for very many columns."""
    credits: Floats | None = None
    """What they predicted out of bag, where that was asked for and the forest tells."""
    predictions: Predictions | None = None
    """What the trees predict for rows out of bag, where that was asked for."""


def measure(
    forest: Forest,
    readings: Sequence[PairReading],
    *,
    order: NDArray[np.int64] | None = None,
    n_jobs: int = 1,
    credited: bool = False,
    predict: Target | None = None,
) -> Measured:
    """Grow a forest, and return its dependence on each kernel of y.

    Row i of x stands beside row i of the target, and beside row `order[i]` of the kernels of y. The values are those
    of `leafwise`, but no more than a few trees are held at a time, and many rows are sampled for the variance of x.
    Where `predict` (n, q) is given, beside the rows of x, the trees also predict it for rows out of bag.
    """
    n, m = forest.columns.x.shape[0], forest.n_trees
    order = np.arange(n) if order is None else order
    chosen = sampled_rows(n, forest.seed, forest.refit)
    kinds = list(dict.fromkeys(reading.kind for reading in readings))
    within = [(reading.kind, reading.response.within(order)) for reading in readings]
    tallies = parallel.Spares(lambda: [PairCounts(kind, n, chosen) for kind in kinds])
    nothing = predictions_of(np.empty((1, 0)) if predict is None else predict)
    predicting = parallel.Spares(nothing.begin)

    def take(leaves: Leaves) -> list[float]:
        with tallies.borrow() as tally:
            for each in tally:
                each.add(leaves)
        if predict is not None:
            with predicting.borrow() as predictions:
                predictions.add(leaves)
        return [cross(leaves, kind) for kind, cross in within]

    reduced = forest.reduce(take, n_jobs, credited=credited)
    parts = reduced.values
    by_kind = {}
    for kind, first, *others in zip(kinds, *tallies.made, strict=True):
        for other in others:
            first.join(other)
        by_kind[kind] = first.sums / m, *first.variance(m)
    dependences = []
    for number, (kind, response) in enumerate(readings):
        k, spread, error = by_kind[kind]
        cross = sum(part[number] for part in parts) / m
        variance_y = variance(response.square, response.rows)
        dependences.append(Dependence(unbiased(cross, k, response.rows[order]), spread, variance_y, error))
    for other in predicting.made[1:]:
        predicting.made[0].join(other)
    return Measured(dependences, reduced.gains, reduced.credits, predicting.made[0] if predict is not None else None)


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
