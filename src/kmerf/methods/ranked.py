"""Another test, on the ranks of x: distances between rows depend on the units of columns, and the widest decides.

Ranks have no units and no outliers. The columns of a numeric y keep their values, for what moves may be in its tails;
they are brought to the same variance.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kmerf.core.arrays import centred, read_only
from kmerf.data.spread_levels import common_levels
from kmerf.forests.targets import polynomial
from kmerf.methods.permutable import matrices
from kmerf.methods.protocol import row_limit, wording

if TYPE_CHECKING:
    from kmerf.data.sample_values import Sample
    from kmerf.methods.protocol import Method, Problem, Wording


@dataclass(frozen=True)
class Ranked:
    """A test without a forest, on the ranks of each column of x.

    Parameters
    ----------
    method
        The test.

    >>> import kmerf
    >>> from kmerf.rivals import HHG
    >>> x, y = [[1, 1], [2, 900], [3, 5], [4, 70], [5, 0], [6, 3]], [1, 2, 9, 10, 11, 50]
    >>> round(kmerf.independence(x, y, method=Ranked(HHG()), null=kmerf.Permutation(19), rng=0).statistic, 3)
    21.333

    """

    method: Method

    @property
    def name(self) -> str:
        """The name that results and figures show."""
        return f"{self.method.name} of ranks"

    @property
    def most_rows(self) -> int | None:
        """How many rows the test looks at as one of several."""
        return row_limit(self.method)

    def wording(self, classes: bool) -> Wording:
        """Say what the test asks."""
        return wording(self.method, classes)

    def prepare(self, sample: Sample, seed: int) -> Problem:
        """Rank the columns of x and make the sample ready for the test."""
        x, _ = matrices(sample, self.name)
        ranked = replace(sample, x=replace(common_levels(sample.x), values=read_only(polynomial(x, 1))))
        if sample.y.codes is None:
            away = centred(sample.y.values)
            spread = away.std(axis=0)
            scaled = np.divide(away, spread, out=np.zeros_like(away), where=spread > 0.0)
            ranked = replace(ranked, y=replace(sample.y, values=read_only(scaled)))
        return self.method.prepare(ranked, seed)
