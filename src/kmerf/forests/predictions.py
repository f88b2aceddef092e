"""What trees predict for the rows that they have not seen, added up over trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kmerf.core.errors import InputError

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats
    from kmerf.forests.leaf_codes import Leaves

STRONGEST = 3  # columns whose prediction counts where only the best do


class Predictions:
    """Running sums of what trees predict for the rows that they have not seen.

    They are kept as whole numbers, which can be added in any order: of y less its means, each column on a scale of its
    own, a power of two that puts its largest value just below 2^40.
    """

    def __init__(self, y: Floats) -> None:
        self.middle = y.mean(axis=0)
        centred = y - self.middle
        exponents = np.frexp(np.abs(centred).max(axis=0, initial=0.0))[1]
        self.scale = np.ldexp(1.0, np.minimum(40 - exponents, 1000))  # 2^1000 at most, for a column of next to nothing
        self.y = np.ascontiguousarray(centred * self.scale)
        self.sums = np.zeros(y.shape, np.int64)
        self.times = np.zeros(y.shape[0], np.int64)

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
        rows = self.times > 0
        if not rows.any():
            raise InputError(
                "statistic='prediction' needs rows out of bag, and this forest draws all of them or does not tell "
                "which: set bootstrap=True (or max_samples below n)."
            )
        truth = self.y[rows]
        missed = ((truth - self.sums[rows] / self.times[rows, None]) ** 2).sum(axis=0)
        around = (truth**2).sum(axis=0)
        known = around > 0.0
        found: Floats = 1.0 - missed[known] / around[known]
        return found
