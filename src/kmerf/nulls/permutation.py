"""The exact p-value: the rank of the observed statistic among those with y permuted.

The statistic is computed again with the rows of y exchanged, B times, and

    p = (1 + number of permuted statistics at or above the observed one) / (1 + B),

which is exact: when x and y are independent, observed and permuted statistics are exchangeable, so p is at most a level
with at most that probability, for any sample size, kernel and distribution. Statistics that are equal but for rounding
count as at or above the observed one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kmerf.core.errors import whole
from kmerf.nulls.protocol import InterimLook
from kmerf.results.parts import NullResult

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats

TOLERANCE = 1e-10  # relative; scipy.stats compares permuted statistics in the same way


@dataclass(frozen=True)
class Permutation:
    """Exact in finite samples: y is permuted `n_resamples` times, and whatever has seen it is fitted again."""

    n_resamples: int = 999

    def __post_init__(self) -> None:
        whole("n_resamples", self.n_resamples)

    @property
    def looks(self) -> tuple[InterimLook, ...]:
        """Once, when all are drawn."""
        return (InterimLook(self.n_resamples),)

    @property
    def models_tail(self) -> bool:
        """Whether p-values below 1 / (1 + n_resamples) rest on a model of the tail."""
        return False

    @property
    def needs_unbiased(self) -> bool:
        """Whether it holds only for an unbiased kernel correlation."""
        return False

    def judge(self, statistic: float, distribution: Floats, n: int) -> NullResult:
        """Return the p-value of a statistic among permuted ones."""
        at_or_above = int((distribution >= statistic - TOLERANCE * abs(statistic)).sum())
        p = (1 + at_or_above) / (1 + distribution.size)
        error = float(np.sqrt(p * (1 - p) / distribution.size))
        return NullResult("permutation", p, error, distribution, bound=None if at_or_above else p)
