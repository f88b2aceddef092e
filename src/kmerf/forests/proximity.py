"""Proximity: how alike a forest finds two rows of x, K_ij = (trees in which the pair counts) / m.

It has three kinds (`kmerf.engine.leaf_sums` says which pairs count). `all` is the paper's. In it, rows that a tree was
grown on share a leaf because their y agree, so it favours dependence even where there is none; `oob` uses only rows
that the tree has not seen. Divided by m, both are sums over trees of Z Z' and so positive semi-definite (the paper's
Theorem 1); `either` is not, nor is any kind once it is divided by the number of trees that a pair could have counted in
(`normalise=True`).

**Between two sets of rows** it is the share of trees in which a row of one and a row of the other share a leaf.

Both are given by their leaves (m, n), -1 in trees in which a row does not count. With `normalise`, a pair is divided by
the number of trees in which both rows count instead of by m. Then rows that often are in bag are not taken for rows
that are far from all others, but the matrix need not be positive semi-definite.

**Correlation.** The unbiased kernel covariance and correlation of Szekely and Rizzo (2014), on hollow matrices.

With K and L zero on their diagonals, row sums k_i and l_i and totals k and l,

    n (n - 3) c(K, L) = sum_{i != j} K_ij L_ij - 2/(n - 2) sum_i k_i l_i + k l / ((n - 1)(n - 2)),

which is the trace of the product of the two U-centred matrices, without centring either. The correlation divides by
sqrt(c(K, K) c(L, L)); it is 0 where either variance is zero but for rounding, as nothing can be said of a constant.

For a forest, the first sum is one over trees, leaves and the pairs of rows in a leaf, so trees can be grown, counted
and forgotten, some at a time (`kmerf.forests.fitted`). Only c(K, K) needs what a pair shares over all trees. It is a
U-statistic, so its value on a random sample of rows has the right mean; its standard error comes from the spread of the
rows' shares in it (to first order, centring does not matter, and a row has part in every pair twice).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kmerf.core.streams import Purpose, stream
from kmerf.execution import parallel
from kmerf.forests.growing import Leaves, drawn

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints

BLOCK_CELLS = 2**22  # of the proximity matrix that are held at a time: 16 MB
EXACT_ROWS = 1000  # whose pairs are all counted, in a table of 2 MB that caches hold; of more rows, as many are sampled


def proximity(leaves: Leaves, kind: str = "oob", *, normalise: bool = False) -> Floats:
    """Return the proximity matrix (n, n) of a forest.

    With `normalise`, each pair is divided by the number of trees in which it could have counted, instead of m.
    """
    from kmerf.engine.leaf_sums import proximity_rows

    counts, code = drawn(leaves, kind)
    n = leaves.n
    pairs = np.zeros((n, n), np.int32)
    proximity_rows(leaves.codes, counts, code, leaves.n_leaves, np.arange(n), pairs)
    matrix = pairs.astype(np.float64)
    free = np.zeros(counts.shape) if kind == "all" else (counts == 0).astype(np.float64)
    np.fill_diagonal(matrix, leaves.n_trees if kind == "all" else free.sum(axis=0))
    if not normalise or kind == "all":
        return matrix / leaves.n_trees
    chances = free.T @ free
    if kind == "either":
        each = free.sum(axis=0)
        chances = each[:, None] + each[None, :] - chances
    return np.divide(matrix, chances, out=np.zeros_like(matrix), where=chances > 0)


def partner_counts(leaves: Leaves, kind: str) -> Ints:
    """Return the row sums of m K without its diagonal: exact counts."""
    from kmerf.engine.leaf_sums import row_sums

    counts, code = drawn(leaves, kind)
    sums = np.zeros(leaves.n, np.int64)
    row_sums(leaves.codes, counts, code, leaves.n_leaves, sums)
    return sums


def square_count(leaves: Leaves, kind: str) -> float:
    """Return the sum of (m K_ij)^2 over i != j, from some rows of K at a time."""
    from kmerf.engine.leaf_sums import proximity_rows, square_sum

    counts, code = drawn(leaves, kind)
    n = leaves.n
    size = max(1, min(n // 2, BLOCK_CELLS // n))  # never all of them, however small the matrix
    block = np.empty((size, n), np.int32)
    total = 0
    for start in range(0, n, size):
        rows = np.arange(start, min(n, start + size))
        part = block[: rows.size]
        part[:] = 0
        proximity_rows(leaves.codes, counts, code, leaves.n_leaves, rows, part)
        total += int(square_sum(part))
    return float(total)


def sampled_rows(n: int, seed: int, refit: int) -> Ints:
    """Return the rows whose pairs stand for all pairs: every row up to EXACT_ROWS, a random sample of them beyond."""
    if n <= EXACT_ROWS:
        return np.arange(n)
    return np.sort(stream(seed, Purpose.SAMPLED_PAIRS, refit).choice(n, EXACT_ROWS, replace=False))


class PairCounts:
    """Running counts of pairs, for one kind of proximity: a row's partners, and what pairs of some rows share."""

    def __init__(self, kind: str, n: int, chosen: Ints) -> None:
        self.kind = kind
        self.chosen = chosen
        self.sums = np.zeros(n, np.int64)
        self.table = np.zeros(chosen.size * (chosen.size - 1) // 2, np.int32)

    def add(self, leaves: Leaves) -> None:
        """Count the pairs of some more trees."""
        from kmerf.engine.leaf_sums import tally

        counts, code = drawn(leaves, self.kind)
        tally(leaves.codes, counts, code, leaves.n_leaves, self.chosen, self.sums, self.table)

    def join(self, other: PairCounts) -> None:
        """Take over the counts of another worker; whole numbers, so in any order."""
        self.sums += other.sums
        self.table += other.table

    def chosen_sums(self) -> tuple[float, Ints]:
        """Return the sum of squares and the row sums of m K, among the chosen rows."""
        from kmerf.engine.leaf_sums import table_sums

        rows = np.empty(self.chosen.size, np.int64)
        return float(table_sums(self.table, rows)), rows

    def centred_squares(self, rows: Ints) -> Floats:
        """Return each chosen row's share of the sum of squares of m K, centred among them."""
        from kmerf.engine.leaf_sums import centred_squares

        out = np.empty(rows.size)
        centred_squares(self.table, rows, out)
        return out

    def variance(self, m: int) -> tuple[float, float]:
        """Return c(K, K) of the proximity K of m trees, and its standard error (`kmerf.forests.response_kernels`)."""
        square, rows = self.chosen_sums()
        value = variance(square / m**2, rows / m)
        n, c = self.sums.size, rows.size
        if c == n:
            return value, 0.0
        shares = self.centred_squares(rows) / (m**2 * (c - 3))
        return value, float(2.0 * shares.std(ddof=1) * np.sqrt((1.0 - c / n) / c))


Codes = NDArray[np.int32]

CROSS_CELLS = 2**20  # of the matrix that a worker fills at a time: Ctrl-C waits for one block at most


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
        n, size = codes.shape[1], max(1, CROSS_CELLS // self.n)
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


_NEGLIGIBLE = 1e-12  # share of the sum of squares, below which a variance is rounding


@dataclass(frozen=True)
class Dependence:
    """How two kernels go together."""

    covariance: float
    variance_x: float
    variance_y: float
    error_x: float = 0.0
    """Standard error of `variance_x`, where it comes from a sample of rows."""

    @property
    def standard_error(self) -> float:
        """Standard error of the correlation from sampling rows for `variance_x`."""
        return 0.5 * abs(self.correlation) * self.error_x / self.variance_x if self.variance_x > 0.0 else 0.0

    @property
    def correlation(self) -> float:
        """The covariance over the root of the product of the variances."""
        if self.variance_x <= 0.0 or self.variance_y <= 0.0:
            return 0.0
        return self.covariance / float(np.sqrt(self.variance_x) * np.sqrt(self.variance_y))


def unbiased(cross: float, k: Floats, l: Floats) -> float:  # noqa: E741 - the formula's letters
    """Return c(K, L) from the sum of products and the two vectors of row sums."""
    n = k.size
    total = float(k.sum()) * float(l.sum()) / ((n - 1) * (n - 2))
    return (cross - 2.0 / (n - 2) * float((k * l).sum()) + total) / (n * (n - 3))


def variance(square: float, k: Floats) -> float:
    """Return c(K, K) from the sum of squares and the row sums; 0 where it is nothing but rounding."""
    value = unbiased(square, k, k)
    return value if value > _NEGLIGIBLE * square / (k.size * (k.size - 3)) else 0.0
