"""A trend: the ranks of y move along some direction of x, be it ever so little along each column.

The statistic is the RV coefficient of x, with outlying values drawn in, and the ranks of y. Where a weak trend is
shared by many columns it has more power than trees, which look at one column at a time, and more than a distance
correlation, which spends some on what else may be there. It depends on the units of x, as distances do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kmerf.rivals.problem import Fixed, matrices
from kmerf.rivals.rv import rv
from kmerf.tables import Sample
from kmerf.targets import coordinates

Floats = NDArray[np.float64]

_FENCE = 1.5  # interquartile ranges beyond the quartiles, as of a box plot's whiskers


@dataclass(frozen=True)
class Trend:
    """A test for a trend in the ranks of y, or in the shares of classes.

    >>> import kmerf
    >>> x = np.random.default_rng(0).normal(size=(50, 10))
    >>> y = np.exp(x.sum(axis=1))
    >>> kmerf.independence(x, y, method=Trend(), null=kmerf.Permutation(99), rng=1).pvalue
    0.01
    """

    @property
    def name(self) -> str:
        """The name that results and figures show."""
        return "Trend"

    def prepare(self, sample: Sample, seed: int) -> Fixed:
        """Draw in what is far out in x, and rank y."""
        x, y = matrices(sample, self.name)
        ranks = y if sample.y.codes is not None else coordinates(sample.y, "location")
        return Fixed(self.name, rv(drawn_in(x), ranks), chi_square=False)


def drawn_in(x: Floats) -> Floats:
    """Bring values beyond the whiskers of a box plot of their column back to them.

    A column with equal quartiles, such as one with few ones among zeros, stays as it is.

    >>> drawn_in(np.array([[0.0], [1.0], [2.0], [3.0], [99.0]])).ravel()
    array([0., 1., 2., 3., 6.])
    """
    low, high = np.quantile(x, [0.25, 0.75], axis=0)
    reach = np.where(high > low, _FENCE * (high - low), np.inf)
    return np.clip(x, low - reach, high + reach)
