"""Forests that other rows can be sent through: where the rows that it was grown on are, and where new ones fall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from kmerf.core.errors import Argument, InputError, Message, choose
from kmerf.execution import parallel
from kmerf.forests.growing import Forest, route
from kmerf.forests.sklearn_forest import Plugin

if TYPE_CHECKING:
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
                "needs rows out of bag, and this forest draws all of them or does not tell which",
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
