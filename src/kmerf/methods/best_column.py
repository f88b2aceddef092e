"""The column of x that goes best with y: a relation with one column among many that say nothing.

The statistic is the largest squared correlation of a column of x with a column of y. Of each column of x it takes the
ranks, and how far they are from the middle (the polynomials of degree 1 and 2 of `kmerf.forests.targets`), so it sees
one column move or widen from group to group; of a numeric y the ranks, else the shares of classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kmerf.core.arrays import centred
from kmerf.forests.targets import polynomial
from kmerf.methods.column_products import products
from kmerf.methods.permutable import PermutableProblem, matrices
from kmerf.methods.protocol import Wording

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints
    from kmerf.data.sample_values import Sample


@dataclass(frozen=True)
class BestColumn:
    """A test for one column of x that goes with y, among many that do not.

    >>> import kmerf
    >>> rng = np.random.default_rng(0)
    >>> x, groups = rng.normal(size=(80, 40)), np.arange(80) % 2
    >>> x[:, 7] += 2 * groups
    >>> kmerf.ksample(x, groups=groups, method=BestColumn(), null=kmerf.Permutation(99), rng=1).pvalue
    0.01
    """

    @property
    def name(self) -> str:
        """The name that results and figures show."""
        return "Best column"

    @property
    def most_rows(self) -> int:
        """How many rows it looks at as one of several tests: beyond, it takes more time and tells no more."""
        return 10_000

    def wording(self, classes: bool) -> Wording:
        """Say what it asks."""
        measures = "the largest squared correlation of a column"
        if classes:
            return Wording("Is there one column in which a group lies apart or spreads more?", measures=measures)
        return Wording("Is there one column with which y rises or falls?", measures=measures)

    def prepare(self, sample: Sample, seed: int) -> PermutableProblem:
        """Rank the columns."""
        x, y = matrices(sample, self.name)
        y = _unit(polynomial(y, 1) if sample.y.codes is None else y)
        both = np.concatenate([_unit(polynomial(x, degree)) for degree in (1, 2)], axis=1)
        return PermutableProblem(self.name, LargestCorrelation(both, y), chi_square=False)


@dataclass(frozen=True, eq=False)
class LargestCorrelation:
    """The largest squared product of columns of x and y, each centred and of length 1."""

    x: Floats
    y: Floats

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.x)

    def __call__(self, order: Ints) -> float:  # noqa: D102 - see PermutableStatistic
        return float((products(self.x, self.y, order) ** 2).max())


def _unit(values: Floats) -> Floats:
    """Centre the columns and give them length 1; those that do not vary become 0."""
    away = centred(values)
    length = np.sqrt((away**2).sum(axis=0))
    return np.ascontiguousarray(np.divide(away, length, out=np.zeros_like(away), where=length > 1e-9))
