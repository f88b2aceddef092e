"""Second moments: the spreads of the columns of x, or how pairs of them go together, move with y.

With z the ranks of the columns of x, each with mean 0 and variance 1, and s their polynomials of degree 2
(`kmerf.forests.targets`), the statistic is the RV coefficient of all s_i and all products z_i z_j, i < j, with y: the
shares of classes, or ranks. None of these p (p + 1) / 2 columns is made. All that is needed of them are the products of
rows,

    K_ab = s_a . s_b + ((z_a . z_b)^2 - z_a^2 . z_b^2) / 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kmerf.core.arrays import centred
from kmerf.core.errors import InputError
from kmerf.core.parallel import row_blocks
from kmerf.forests.targets import polynomial
from kmerf.methods.pair_matrices import transposed
from kmerf.methods.permutable import PermutableProblem, matrices
from kmerf.methods.protocol import Wording
from kmerf.methods.rv import RowProducts

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats
    from kmerf.data.sample_values import Sample

ROWS_IN_MEMORY = 10_000  # whose products of pairs are kept: 800 MB, and four times that while they are made


@dataclass(frozen=True)
class Moments:
    """A test for groups that differ in spreads and correlations, or for spreads and correlations that move with y.

    >>> import kmerf
    >>> rng = np.random.default_rng(0)
    >>> apart = rng.normal(size=(60, 4))
    >>> together = 0.6 * rng.normal(size=(60, 4)) + 0.8 * rng.normal(size=(60, 1))  # correlated, and else the same
    >>> kmerf.ksample(apart, together, method=Moments(), null=kmerf.Permutation(99), rng=1).pvalue
    0.01
    """

    @property
    def name(self) -> str:
        """The name that results and figures show."""
        return "Moments"

    @property
    def most_rows(self) -> int:
        """How many rows it looks at as one of several tests: it compares all pairs."""
        return 1000

    def wording(self, classes: bool) -> Wording:
        """Say what it asks."""
        if not classes:
            return Wording(
                "Do the spreads of columns, or how pairs of them go together, move with y?",
                "the spreads of columns, or how pairs of them go together, move with {y}",
                "a correlation",
            )
        return Wording(
            "Do the groups differ in how widely columns spread, or in how pairs of them go together?",
            "the groups differ in how widely columns spread, or in how pairs of them go together",
            "a correlation",
        )

    def prepare(self, sample: Sample, seed: int) -> PermutableProblem:
        """Multiply the rows of x, and rank y."""
        if sample.n > ROWS_IN_MEMORY:
            raise InputError(
                f"x has {sample.n} rows, and {self.name} keeps a number for each pair: "
                f"give it {ROWS_IN_MEMORY} at most, or use the default test, which has it look at some of them."
            )
        x, y = matrices(sample, self.name)
        if sample.y.codes is None:
            y = polynomial(y, 1)
        return PermutableProblem(self.name, RowProducts.of_products(products(x), centred(y)), chi_square=False)


def products(x: Floats) -> Floats:
    """Return the products (n, n) of the rows of squares and pairs of columns."""
    z = polynomial(x, 1)
    sums = _of_rows(z)
    sums *= sums
    sums -= _of_rows(z**2)
    sums /= 2.0
    sums += _of_rows(polynomial(x, 2))
    return sums


def _of_rows(values: Floats) -> Floats:
    """Return the products (n, n) of rows, by a loop of ours: those of BLAS depend on its number of threads."""
    from kmerf.engine.pairs import PRODUCT, square

    sums = np.empty((len(values), len(values)))
    columns = transposed(values)
    for start, stop in row_blocks(len(values), cost=values.shape[1]):
        square(columns, PRODUCT, 0.0, start, stop, sums[start:stop])
    return sums
