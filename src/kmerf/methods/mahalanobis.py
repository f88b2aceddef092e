"""Distance correlation after columns are made comparable: in Mahalanobis's distances between the rows of x.

Two rows are as far apart as they are unlike, whatever the units and the correlations of the columns:

    d(i, j)^2 = (z_i - z_j)' (Z'Z + r I)^-1 (z_i - z_j),

with Z and r those of `kmerf.methods.ridge`. Groups that lie apart along any direction are seen, also where correlated
columns hide it, and so is every other difference of their distributions, if there are rows enough: a distance
correlation is 0 for independent x and y alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from kmerf.forests.targets import labels_of
from kmerf.methods import pair_matrices as pairs
from kmerf.methods.column_products import drawn_in
from kmerf.methods.permutable import PermutableProblem, matrices
from kmerf.methods.protocol import Method, Wording
from kmerf.methods.ridge import ridge_factor

if TYPE_CHECKING:
    from kmerf.data.sample import Sample


@dataclass(frozen=True)
class Mahalanobis(Method):
    """Distance correlation of y and of Mahalanobis's distances between the rows of x.

    >>> import kmerf
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(80, 1)) + 0.3 * rng.normal(size=(80, 4))  # four columns that are nearly the same
    >>> groups = np.repeat(["a", "b"], 40)
    >>> x[40:, 0] += 0.4  # little beside what all columns share
    >>> kmerf.ksample(x, groups=groups, method=Mahalanobis(), null=kmerf.Permutation(99), rng=1).pvalue
    0.01

    """

    name: ClassVar[str] = "Mahalanobis"
    most_rows: ClassVar[int] = 1000  # it compares all pairs

    def wording(self, classes: bool) -> Wording:
        """Say what it asks."""
        if classes:
            asks = "Are rows of one group nearer to each other, whatever the units and correlations of the columns?"
        else:
            asks = "Do rows have close y that are close, whatever the units and correlations of the columns?"
        return Wording(asks, measures="a correlation")

    def prepare(self, sample: Sample, seed: int) -> PermutableProblem:
        """Make columns comparable, and centre the distances of rows."""
        x, y = matrices(sample, self.name)
        statistic = pairs.distance_correlation(ridge_factor(drawn_in(x)), y, labels_of(sample.y))
        return PermutableProblem(self.name, statistic, chi_square=True)
