"""P-values below the smallest that permutations can give, from a model of the tail.

A rank among B permuted statistics cannot give a p-value below 1 / (1 + B). `Extrapolated` goes on from there: a
statistic T above all permuted ones gets

    p = S(T) / S(largest permuted) / (1 + B),    S(t) = P(F > 1 + sqrt(2) (t - mean) / sd),    F ~ F(1, (1 + B) / 2),

with the mean and sd of the permuted statistics. Centred chi-square with one degree of freedom is what the null
distribution of an unbiased kernel correlation comes to when a single eigenvalue dominates, the heaviest tail that a
weighted sum of chi-squares can have; its square-of-a-t form F allows for the sd being an estimate. It is a model: where
y has very heavy tails the true one can be heavier still (docs/validity.md). At or above 1 / (1 + B) nothing of this
matters, and p is the exact one; and p is never below one over the number of different arrangements of y.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kmerf.core.errors import whole
from kmerf.nulls.permutation import Permutation

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats
    from kmerf.results.parts import NullResult


@dataclass(frozen=True)
class Extrapolated:
    """`Permutation` with few refits, whose p-value goes on below 1 / (1 + n_resamples) where the statistic does.

    Decisions at any level from 1 / (1 + n_resamples) up are those of the exact test. Smaller p-values rest on a model
    of the tail, and are marked as extrapolated.
    """

    n_resamples: int = 99

    def __post_init__(self) -> None:
        whole("n_resamples", self.n_resamples, at_least=19)

    @property
    def models_tail(self) -> bool:
        """Whether p-values below 1 / (1 + n_resamples) rest on a model of the tail."""
        return True

    @property
    def needs_unbiased(self) -> bool:
        """Whether it holds only for an unbiased kernel correlation."""
        return False

    def judge(self, statistic: float, distribution: Floats, n: int) -> NullResult:
        """Return the p-value of a statistic among permuted ones."""
        exact = Permutation(self.n_resamples).judge(statistic, distribution, n)
        if exact.pvalue > 1.5 / (1 + distribution.size) or np.ptp(distribution) == 0.0:
            return exact
        p = exact.pvalue * tail_ratio(statistic, distribution)
        return replace(exact, pvalue=p, standard_error=None, extrapolated=True)


def tail_ratio(statistic: float, distribution: Floats) -> float:
    """Return S(statistic) / S(largest of the distribution), with S as in the first lines of this module."""
    from scipy.special import fdtrc

    z = (np.array([statistic, distribution.max()]) - distribution.mean()) / distribution.std(ddof=1)
    observed, largest = fdtrc(1.0, (1 + distribution.size) / 2, 1.0 + np.sqrt(2.0) * z)
    return float(observed / largest)
