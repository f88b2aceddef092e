"""Sparse matrices: the leaves of rows as features, and the largest proximities of each row.

What proximities K are good for besides a kernel: outliers, prototypes, and values in the place of missing ones.

Rows come in groups: the classes of y, or all rows in one. The outlier score is Breiman's. A row's distance from its
group is n_g / sum_j K_ij^2 over the other rows j of it, and its score is that less the group's median, divided by the
group's mean distance from the median. Prototypes cover a group: each is the row that most increases the sum, over
the rows of the group, of the proximity to the nearest prototype so far. A missing number is the mean of the rows that
have it, weighted by their proximity; a missing category is the one with the largest weight.

Forests that other rows can be sent through: where the rows that it was grown on are, and where new ones fall.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from kmerf.core.errors import Argument, InputError, Message, choose
from kmerf.execution import parallel
from kmerf.forests.growing import Forest, route
from kmerf.forests.sklearn_forest import Plugin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kmerf.core.arrays import Floats, Ints
    from kmerf.data.sample import Features

    Blocks = Iterator[tuple[slice, Floats]]
    from kmerf.core.arrays import Bools, Floats
    from kmerf.engine.workspace import Trees
    from kmerf.forests.growing import Leaves


ROUTED_CELLS = 2**22  # rows times trees that are routed at a time


class Router(Protocol):
    """What sends rows through a forest."""

    def route(self, x: Floats) -> NDArray[np.int32]:
        """Return the leaf (m, n) of each row of x in each tree; -1 where no row that it was grown on is."""
        ...


@dataclass(frozen=True, eq=False)
class RoutedForest:
    """A forest, where it puts the rows that it was grown on, and what sends others through it."""

    router: Router
    codes: NDArray[np.int32]
    """The leaf of each row in each tree (m, n), from 0."""
    free: Bools | None
    """Which rows each tree was not grown on (m, n); None where each saw all of them, or the forest does not tell."""
    n_leaves: NDArray[np.int32]

    @classmethod
    def of(cls, router: Router, leaves: Leaves) -> RoutedForest:
        """Keep of the leaves what a kernel needs."""
        return cls(router, leaves.codes, None if leaves.counts is None else leaves.counts == 0, leaves.n_leaves)

    def first(self, n: int) -> RoutedForest:
        """Return the forest with only the first n of its rows."""
        free = None if self.free is None else np.ascontiguousarray(self.free[:, :n])
        return RoutedForest(self.router, np.ascontiguousarray(self.codes[:, :n]), free, self.n_leaves)

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return int(self.codes.shape[0])

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.codes.shape[1])

    def counted(self, proximity: str) -> NDArray[np.int32]:
        """Return the leaves of the rows (m, n), -1 in trees in which a row does not count."""
        choose("proximity", proximity, ("all", "oob"))
        if proximity == "all":
            return self.codes
        if self.free is None:
            remedy = Message("set ", Argument("bootstrap", True), " (or max_samples below n), or use ")
            raise InputError(
                "needs rows out of bag, and this forest draws all of them, or does not report which",
                argument=Argument("proximity", "oob"),
                remedy=Message(remedy, Argument("proximity", "all")),
            )
        return np.where(self.free, self.codes, np.int32(-1))


@dataclass(frozen=True, eq=False)
class NativeRouter:
    """Sends rows through trees of our own engine."""

    trees: Trees
    n_jobs: int

    def route(self, x: Floats) -> NDArray[np.int32]:
        """Return the leaf (m, n) of each row of x in each tree."""
        m, n = self.trees.feature.shape[0], x.shape[0]
        codes = np.empty((m, n), np.int32)
        size = max(1, ROUTED_CELLS // m)

        def send(start: int) -> None:
            parallel.checkpoint()
            codes[:, start : start + size] = route(self.trees, x[start : start + size])

        parallel.run(send, range(0, n, size), n_jobs=self.n_jobs)
        return codes


def grow_routed(forest: Forest | Plugin, n_jobs: int = 1) -> RoutedForest:
    """Grow a forest, and keep what sends other rows through it."""
    if isinstance(forest, Plugin):
        leaves, router = forest.fit(n_jobs)
        return RoutedForest.of(router, leaves)
    from kmerf.engine.workspace import Trees

    m, n = forest.n_trees, forest.columns.x.shape[0]
    codes, n_leaves = np.empty((m, n), np.int32), np.empty(m, np.int32)
    free = np.empty((m, n), np.bool_)

    def keep(part: slice, leaves: Leaves, trees: Trees) -> tuple[bool, Trees]:
        codes[part], n_leaves[part] = leaves.codes, leaves.n_leaves
        if leaves.counts is not None:
            free[part] = leaves.counts == 0
        used = 2 * int(leaves.n_leaves.max()) - 1  # nodes of a binary tree
        nodes = Trees._make(array[:, :used].copy() for array in trees)
        return leaves.counts is not None, nodes._replace(level_code=trees.level_code)

    parts = forest.look(keep, n_jobs)
    trees = _joined([trees for _, trees in parts])
    return RoutedForest(NativeRouter(trees, n_jobs), codes, free if parts[0][0] else None, n_leaves)


def _joined(parts: list[Trees]) -> Trees:
    """Put parts of a forest one below the other, each tree with as much room as the largest."""
    from kmerf.engine.workspace import Trees

    def padded(arrays: tuple[NDArray[Any], ...]) -> list[NDArray[Any]]:
        width = max(array.shape[1] for array in arrays)
        return [np.pad(array, ((0, 0), (0, width - array.shape[1]))) for array in arrays]

    return Trees._make(np.concatenate(padded(arrays)) for arrays in zip(*parts, strict=True))


def leaf_map(codes: NDArray[np.int32], n_leaves: NDArray[np.int32]) -> Any:
    """Return Z (n, leaves of all trees), 1 / sqrt(m) in the column of each leaf of a row: Z Z' is the kernel.

    >>> leaf_map(np.array([[0, 1]], np.int32), np.array([2], np.int32)).toarray().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    m, n = codes.shape
    total = int(n_leaves.sum())
    index = np.int32 if max(total, m * n) < 2**31 else np.int64  # with a million rows, half the memory
    first = np.concatenate([[0], np.cumsum(n_leaves)[:-1]]).astype(index)
    known = codes.T >= 0
    columns = np.add(codes, first[:, None], dtype=index).T[known]
    ends = np.concatenate([[0], np.cumsum(known.sum(axis=1))]).astype(index)
    return sparse.csr_matrix((np.full(columns.size, m**-0.5), columns, ends), shape=(n, total))


def largest_entries(rows: Ints, near: Floats, n_fitted: int) -> Any:
    """Return K (n, fitted rows) with the proximities `near` (n, k) to the fitted `rows`; a row of -1 is none."""
    known = rows >= 0
    ends = np.concatenate([[0], np.cumsum(known.sum(axis=1))])
    matrix = sparse.csr_matrix((near[known], rows[known], ends), shape=(len(rows), n_fitted))
    matrix.sort_indices()
    return matrix


_ALIKE = 1e-9  # of a distance: less than that is rounding


@dataclass(frozen=True, eq=False)
class Outlyingness:
    """How far the fitted rows are from their groups, so that any row can be compared with them."""

    sizes: Ints
    floor: float
    """The least sum of squares: that of a single shared tree."""
    median: Floats
    spread: Floats

    def scores(self, squares: Floats, group: Ints, own: int = 0) -> Floats:
        """Return the scores of rows from the sums of squares of their proximities to each group (n, groups)."""
        distance = self.distances(squares, group, own)
        middle, spread = self.median[group], self.spread[group]
        away = np.where(np.abs(distance - middle) > _ALIKE * middle, distance - middle, 0.0)
        alike = np.where(away == 0.0, 0.0, np.copysign(np.inf, away))  # the score where rows of the group are all alike
        found = np.divide(away, spread, out=alike, where=spread > _ALIKE * middle)
        return np.where(self.sizes[group] > 1, found, np.nan)

    def nearest_group(self, squares: Floats) -> Ints:
        """Return the group that each row is nearest to."""
        nearest: Ints = (squares / self.sizes).argmax(axis=1)
        return nearest

    def distances(self, squares: Floats, group: Ints, own: int) -> Floats:
        """Return the distance of each row from its group, of which it is itself a row if `own` is 1."""
        near = np.maximum(squares[np.arange(group.size), group], self.floor)
        distance: Floats = (self.sizes[group] - own) / near
        return distance


def group_squares(blocks: Blocks, group: Ints, n_groups: int, n: int, *, without_self: bool) -> Floats:
    """Return the sums of squared proximities of each of n rows to the rows of each group (n, groups)."""
    member = np.zeros((group.size, n_groups))
    member[np.arange(group.size), group] = 1.0
    squares = np.empty((n, n_groups))
    for part, block in blocks:
        if without_self:
            block[np.arange(part.stop - part.start), np.arange(part.start, part.stop)] = 0.0
        squares[part] = block**2 @ member
    return squares


def learn_outlyingness(squares: Floats, group: Ints, n_trees: int) -> Outlyingness:
    """Return what is usual in each group, from the fitted rows."""
    n_groups = squares.shape[1]
    sizes = np.bincount(group, minlength=n_groups)
    raw = Outlyingness(sizes, n_trees**-2.0, np.zeros(n_groups), np.ones(n_groups))
    distance = raw.distances(squares, group, 1)
    inside = [distance[group == g] for g in range(n_groups)]
    median = np.array([np.median(values) for values in inside])
    spread = np.array([np.abs(values - middle).mean() for values, middle in zip(inside, median, strict=True)])
    return Outlyingness(sizes, raw.floor, median, spread)


def cover(proximity: Floats, n_prototypes: int) -> Ints:
    """Return the rows that cover a group best, the best first, given the proximities (n, n) within it.

    >>> K = np.array([[1, 0.9, 0.8, 0], [0.9, 1, 0.2, 0], [0.8, 0.2, 1, 0], [0, 0, 0, 1.0]])
    >>> cover(K, 2).tolist()
    [0, 3]
    """
    nearest = np.zeros(proximity.shape[0])
    chosen: list[int] = []
    for _ in range(min(n_prototypes, proximity.shape[0])):
        gains = np.maximum(proximity - nearest[:, None], 0.0).sum(axis=0)
        gains[chosen] = -1.0
        chosen.append(int(gains.argmax()))
        nearest = np.maximum(nearest, proximity[:, chosen[-1]])
    return np.array(chosen, dtype=np.int64)


def weigh_values(blocks: Blocks, known: Floats, incomplete: Floats) -> Floats:
    """Return the incomplete rows with what is missing in them replaced by weighted means of the known rows."""
    present = ~np.isnan(known)
    values = np.where(present, known, 0.0)
    count = present.sum(axis=0)
    usual = np.divide(values.sum(axis=0), count, out=np.full(count.size, np.nan), where=count > 0)
    filled = incomplete.copy()
    for part, block in blocks:
        weight = block @ present
        means = np.divide(block @ values, weight, out=np.broadcast_to(usual, weight.shape).copy(), where=weight > 0)
        filled[part] = np.where(np.isnan(filled[part]), means, filled[part])
    return filled


def collapse(values: Floats, features: Features) -> NDArray[Any]:
    """Return one column for each original one (n, p): numbers, or if there are categories, labels and numbers.

    A category is the one with the largest share, the first of several, and so is true or false; none where no share is
    known.
    """
    boolean = [features.kinds[j] == "boolean" for j in features.column_of]
    if any(boolean):
        values = np.where(np.array(boolean) & ~np.isnan(values), values > 0.5, values)
    if "categorical" not in features.kinds:
        return values
    out = np.empty((len(values), features.p), dtype=object)
    for j, labels in enumerate(features.categories):
        columns = values[:, features.column_of == j]
        if labels:
            known = ~np.isnan(columns).any(axis=1)
            out[known, j] = np.array(labels, dtype=object)[columns[known].argmax(axis=1)]
        else:
            out[:, j] = columns[:, 0]
    return out
