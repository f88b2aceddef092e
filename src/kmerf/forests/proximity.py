"""Proximity: how alike a forest finds two rows of x, K_ij = (trees in which the pair counts) / m.

It has three kinds (`kmerf.engine.leaf_sums` says which pairs count). `all` is the paper's. In it, rows that a tree was
grown on share a leaf because their y agree, so it favours dependence even where there is none; `oob` uses only rows
that the tree has not seen. Divided by m, both are sums over trees of Z Z' and so positive semi-definite (the paper's
Theorem 1); `either` is not, nor is any kind once it is divided by the number of trees that a pair could have counted in
(`normalise=True`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kmerf.core.streams import Purpose, stream
from kmerf.forests.correlation import variance
from kmerf.forests.leaf_codes import Leaves, drawn

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
        """Return c(K, K) of the proximity K of m trees, and its standard error (`kmerf.forests.correlation`)."""
        square, rows = self.chosen_sums()
        value = variance(square / m**2, rows / m)
        n, c = self.sums.size, rows.size
        if c == n:
            return value, 0.0
        shares = self.centred_squares(rows) / (m**2 * (c - 3))
        return value, float(2.0 * shares.std(ddof=1) * np.sqrt((1.0 - c / n) / c))
