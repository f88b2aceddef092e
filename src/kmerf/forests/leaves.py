"""Leaves: which leaf each row fell into in each tree, and how often the tree drew it. A kernel needs no more.

A pair of rows counts in a tree, for the proximity of one of three kinds: "all", always; "either", if at least one of
them is out of bag, that is, was not drawn; "oob", if both are. Gains are what the splits of each tree earned, added
up by the feature that they split on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kmerf.core.errors import Argument, InputError, choose

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints

NO_OUT_OF_BAG = "needs rows out of bag, and this forest draws all of them or does not tell which"
OUT_OF_BAG = "set bootstrap=True (or max_samples below n)"
PROXIMITIES = ("all", "either", "oob")


@dataclass(frozen=True, eq=False)
class Leaves:
    """Where a forest puts each row."""

    codes: NDArray[np.int32]
    """The leaf of each row in each tree (m, n), from 0."""
    counts: NDArray[np.int32] | None
    """How often each tree drew each row (m, n); None where every tree draws every row, or the forest does not tell."""
    n_leaves: NDArray[np.int32]
    """Number of leaves of each tree."""
    gains: Floats | None = None
    """What the splits on each column gained in each tree (m, p); None where the forest does not tell."""
    credits: Floats | None = None
    """What they predicted of the rows out of bag, as a share of y's variance (m, p); None for a single column."""

    def part(self, trees: slice) -> Leaves:
        """Return some of the trees."""
        by_feature = (None if known is None else known[trees] for known in (self.gains, self.credits))
        counts = None if self.counts is None else self.counts[trees]
        return Leaves(self.codes[trees], counts, self.n_leaves[trees], *by_feature)

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return int(self.codes.shape[0])

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.codes.shape[1])


def drawn(leaves: Leaves, kind: str) -> tuple[NDArray[np.int32], int]:
    """Return how often each tree drew each row, and the engine's number for the kind; raise where nobody knows."""
    from kmerf.engine.leaf_sums import KINDS

    choose("proximity", kind, PROXIMITIES)
    if kind == "all":  # whatever was drawn, every pair counts
        return leaves.codes if leaves.counts is None else leaves.counts, KINDS[kind]
    if leaves.counts is None:
        raise InputError(
            NO_OUT_OF_BAG, argument=Argument("proximity", kind), remedy=f"{OUT_OF_BAG}, or use proximity='all'"
        )
    return leaves.counts, KINDS[kind]


def by_feature(gains: Floats, column_of: Ints, p: int) -> Floats:
    """Add up the gains (m, expanded columns) of the columns that a category was expanded to (m, p).

    >>> by_feature(np.array([[1.0, 1.0, 2.0], [0.0, 1.0, 3.0]]), np.array([0, 0, 1]), 2)
    array([[2., 2.],
           [1., 3.]])
    """
    if p == column_of.size:
        return gains
    by_column = np.zeros((gains.shape[0], p))
    for column, feature in enumerate(column_of):
        by_column[:, feature] += gains[:, column]
    return by_column
