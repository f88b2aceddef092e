"""Proximity between two sets of rows: the share of trees in which a row of one and a row of the other share a leaf.

Both are given by their leaves (m, n), -1 in trees in which a row does not count. With `normalise`, a pair is divided by
the number of trees in which both rows count instead of by m. Then rows that often are in bag are not taken for rows
that are far from all others, but the matrix need not be positive semi-definite.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kmerf.core import parallel

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints

Codes = NDArray[np.int32]

BLOCK_CELLS = 2**20  # of the matrix that a worker fills at a time: Ctrl-C waits for one block at most


@dataclass(frozen=True, eq=False)
class LeafLists:
    """The rows of one set, listed leaf by leaf, for rows of another set to be compared with."""

    codes: Codes
    n_leaves: NDArray[np.int32]

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.codes.shape[1])

    @cached_property
    def lists(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Where each leaf begins, and the rows in the order of leaves (`kmerf.engine.neighbours`)."""
        from kmerf.engine.neighbours import list_leaves

        m, n = self.codes.shape
        start, rows = np.empty((m, int(self.n_leaves.max()) + 1), np.int32), np.empty((m, n), np.int32)
        list_leaves(self.codes, self.n_leaves, start, rows)
        return start, rows

    def dense(self, codes: Codes, *, normalise: bool = False, n_jobs: int = 1) -> Floats:
        """Return the proximity (n, other n) of the rows with these leaves to the rows listed."""
        out = np.empty((codes.shape[1], self.n))

        def fill(part: slice) -> None:
            out[part] = self._block(codes[:, part], normalise)

        parallel.run(fill, self._parts(codes), n_jobs=n_jobs)
        return out

    def blocks(self, codes: Codes, *, normalise: bool = False) -> Iterator[tuple[slice, Floats]]:
        """Yield the same matrix some rows at a time."""
        for part in self._parts(codes):
            yield part, self._block(codes[:, part], normalise)

    def nearest(
        self, codes: Codes, k: int, *, own: Ints | None = None, normalise: bool = False, n_jobs: int = 1
    ) -> tuple[Ints, Floats]:
        """Return the k rows listed with the largest proximities to each row (n, k), and these.

        Of rows that are as near, the first come first; where fewer share any leaf, the rest is -1 and 0. `own` is a
        row for each row that is left out, such as itself.
        """
        from kmerf.engine.neighbours import find_nearest

        n = codes.shape[1]
        if normalise:
            return self._nearest_normalised(codes, k, own, n_jobs)
        rows, shared = np.empty((n, k), np.int64), np.empty((n, k), np.int32)
        left_out = np.full(n, -1) if own is None else own

        def fill(part: slice) -> None:
            parallel.checkpoint()
            some = np.ascontiguousarray(codes[:, part])
            find_nearest(some, *self.lists, left_out[part], rows[part], shared[part])

        parallel.run(fill, self._parts(codes), n_jobs=n_jobs)
        return rows, shared / codes.shape[0]

    def _nearest_normalised(self, codes: Codes, k: int, own: Ints | None, n_jobs: int) -> tuple[Ints, Floats]:
        rows, near = np.empty((codes.shape[1], k), np.int64), np.empty((codes.shape[1], k))

        def fill(part: slice) -> None:
            block = self._block(codes[:, part], normalise=True)
            if own is not None:
                block[np.arange(len(block)), own[part]] = 0.0
            order = np.argsort(-block, axis=1, kind="stable")[:, :k]
            near[part] = np.take_along_axis(block, order, axis=1)
            rows[part] = np.where(near[part] > 0.0, order, -1)

        parallel.run(fill, self._parts(codes), n_jobs=n_jobs)
        return rows, near

    def _parts(self, codes: Codes) -> list[slice]:
        self.lists  # noqa: B018  made here, before any worker looks for them
        n, size = codes.shape[1], max(1, BLOCK_CELLS // self.n)
        return [slice(start, min(n, start + size)) for start in range(0, n, size)]

    def _block(self, codes: Codes, normalise: bool) -> Floats:
        from kmerf.engine.neighbours import count_shared

        parallel.checkpoint()
        counts = np.empty((codes.shape[1], self.n), np.int32)
        count_shared(np.ascontiguousarray(codes), *self.lists, counts)
        block: Floats
        if not normalise:
            block = counts / codes.shape[0]
            return block
        chances = (codes >= 0).T.astype(np.float64) @ (self.codes >= 0).astype(np.float64)
        block = np.divide(counts, chances, out=np.zeros(counts.shape), where=chances > 0)
        return block
