"""What trees lose when a feature is shuffled among the rows that they have not seen.

In-bag rows give each leaf a mean of y, and m(x_i) is that of the leaf that row i falls into. With y centred, and x_i'
the row x_i with the value of feature j taken from another row, what a tree loses with j is

    1 / (|O| var y)  sum over rows i in O, the rows out of bag, of (m(x_i) - m(x_i')) . y_i,

the share of y's variance that its predictions no longer account for. It is 0 for a feature that the tree does not split
on, scatters about 0 for one that does not help to predict y, and reaches 1 where the feature alone predicts all of y.
The increase of the mean squared error is about twice as large, but it also counts that m(x_i')^2 may be larger than
m(x_i)^2: single trees are noisy, and rows that no such row resembles fall into their smallest leaves. This favours
features that have nothing to do with y, and has no place in a mean over trees.

All columns of a category are shuffled together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kmerf.core.arrays import Floats, Ints

if TYPE_CHECKING:
    from kmerf.engine.workspace import Trees
    from kmerf.forests.leaves import Leaves

MOST_ROWS = 10_000  # out of bag in a tree that losses are taken of


@dataclass(frozen=True, eq=False)
class Shuffling:
    """The data that trees were grown on, and an order of their rows."""

    x: Floats
    features: Ints
    """Which feature each column belongs to, in increasing order."""
    y: Floats
    """(n, q), centred."""
    order: Ints
    """Of the rows, at random."""

    @property
    def p(self) -> int:
        """Number of features."""
        return int(self.features[-1]) + 1

    @cached_property
    def variance(self) -> float:
        """The variance of y, over all its columns; 1 where it does not vary."""
        return float((self.y**2).mean(axis=0).sum()) or 1.0

    def lose(self, first: int, leaves: Leaves, trees: Trees, groups: Ints, stop: NDArray[np.uint8]) -> GroupLosses:
        """Return the losses of some trees, numbered from `first` on, by groups of rows (n,) and by known values."""
        from kmerf.engine.row_statistics import shuffled_losses

        assert leaves.counts is not None
        losses, known = np.empty((leaves.n_trees, self.p)), np.zeros(self.p)
        sums = np.zeros((int(groups.max()) + 1, self.p))
        at = leaves.codes, leaves.counts, leaves.n_leaves, self.y, self.order, first, MOST_ROWS
        shuffled_losses(self.x, self.features, trees, *at, losses, groups, sums, known, stop)
        free = np.minimum((leaves.counts == 0).sum(axis=1), MOST_ROWS)
        # A row never takes its own value: by chance it would, once in `free` times.
        losses *= (np.maximum(free - 1, 0) / np.maximum(free, 1) / self.variance)[:, None]
        used = np.flatnonzero(sums.any(axis=0))
        return GroupLosses(losses, int(free.sum()), used, sums[:, used] / self.variance, known[used] / self.variance)


class GroupLosses(NamedTuple):
    """What some trees lose, and where."""

    losses: Floats
    """Of each tree and feature (m, features)."""
    unseen: int
    """Rows out of bag, over all trees."""
    used: Ints
    """The features that a tree splits on."""
    sums: Floats
    """What is lost with these on the rows of each group, over all trees (groups, used)."""
    known: Floats
    """What is lost with these over all rows and trees if only known values change places (used,)."""
