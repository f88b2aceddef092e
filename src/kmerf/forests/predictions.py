"""What trees predict for the rows that they have not seen, added up over trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kmerf.core.errors import Argument, InputError
from kmerf.forests.growing import NO_OUT_OF_BAG, OUT_OF_BAG
from kmerf.forests.targets import Labels

if TYPE_CHECKING:
    from kmerf.core.arrays import Bools, Floats
    from kmerf.forests.growing import Leaves

STRONGEST = 3  # columns whose prediction counts where only the best do
BLOCK_CELLS = 2**20  # of y that are looked at together: 8 MB
UNIT = 2.0**40  # parts of which the predicted share of a class is a whole number


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
