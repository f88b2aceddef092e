"""Pairs of columns of x that say something about y together, and nothing alone.

With z_i the ranks of column i, centred, the statistic is the largest squared correlation of a product z_i z_j with a
column of y: its ranks, or the shares of classes. Trees that split on one column at a time see such a pair only after a
split that gains nothing. For groups it sees columns that go together in one group and not in another.

The columns that a category is spread over belong to one column of x, and make no pairs with each other: their products
say nothing that they do not say alone. There are up to p (p - 1) / 2 pairs; of more than 600, a random 600 are looked
at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kmerf.core.streams import Purpose, stream
from kmerf.data.levels import common_levels
from kmerf.forests.targets import labels_of, polynomial
from kmerf.methods.column_products import ClassColumns, products, unit_columns
from kmerf.methods.permutable import PermutableProblem, matrices
from kmerf.methods.protocol import Method, Wording

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints
    from kmerf.data.sample import Sample

MOST_PAIRS = 600


@dataclass(frozen=True)
class PairsOfColumns(Method):
    """A test for two columns of x that move y only together.

    >>> import kmerf
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(60, 5))
    >>> y = x[:, 0] * x[:, 3] + 0.5 * rng.normal(size=60)
    >>> kmerf.independence(x, y, method=PairsOfColumns(), null=kmerf.Permutation(99), rng=1).pvalue
    0.01
    """

    name: ClassVar[str] = "Pairs of columns"
    most_rows: ClassVar[int] = 5000  # beyond, it takes more time and tells no more

    def wording(self, classes: bool) -> Wording:
        """Say what it asks."""
        measures = "the largest squared correlation of a product of two columns"
        if classes:
            asks = "Do two columns go together in one group more than in another?"
            return Wording(asks, "how columns go together differs from group to group", measures)
        return Wording(
            "Are there two columns that move y only together?", "two of them move {y} only together", measures
        )

    def prepare(self, sample: Sample, seed: int) -> PermutableProblem:
        """Multiply the columns."""
        x, y = matrices(sample, self.name)
        if sample.y.codes is None:
            y = polynomial(y, 1)
        one, other = _pairs(x.shape[1], seed)
        feature = common_levels(sample.x).column_of
        apart = feature[one] != feature[other]
        one, other = one[apart], other[apart]
        ranks = polynomial(x, 1)
        together = unit_columns(ranks[:, one] * ranks[:, other]) if one.size else np.zeros((len(x), 1))
        labels = labels_of(sample.y)
        columns = unit_columns(y) if labels is None else ClassColumns.unit(labels)
        return PermutableProblem(self.name, LargestCorrelation(together, columns), chi_square=False)


def _pairs(p: int, seed: int) -> tuple[Ints, Ints]:
    """Return the numbers of the columns of each pair."""
    all_pairs = p * (p - 1) // 2
    if all_pairs <= MOST_PAIRS:
        one, other = np.tril_indices(p, -1)
        return one, other
    drawn = stream(seed, Purpose.PAIRS_OF_COLUMNS).choice(all_pairs, MOST_PAIRS, replace=False)
    one = ((1.0 + np.sqrt(1.0 + 8.0 * drawn)) / 2.0).astype(np.int64)  # pairs in the order of tril_indices
    one -= one * (one - 1) // 2 > drawn  # where the root was rounded up
    return one, drawn - one * (one - 1) // 2


@dataclass(frozen=True, eq=False)
class LargestCorrelation:
    """The largest squared product of columns of x and y, each centred and of length 1."""

    x: Floats
    y: Floats | ClassColumns

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.x)

    def __call__(self, order: Ints) -> float:  # noqa: D102 - see PermutableStatistic
        return float((products(self.x, self.y, order) ** 2).max())
