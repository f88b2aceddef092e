"""P-values below the smallest that permutations can give, from a model of the tail.

A rank among B permuted statistics cannot give a p-value below 1 / (1 + B). `Extrapolated` goes on from there. The
statistic and the permuted ones are turned into scores, with the permuted ones' mean, sd and skewness taken out
(`kmerf.nulls.combining`): about normal, whatever the statistic. Above their largest m = (1 + B) / 10 the tail is taken
to fall as that of an exponential, more slowly than a normal's. With d by how much the score is above the largest
permuted one, and e the mean of what the m largest are above the next,

    p = (1 + d / (m e))^-m / (1 + B).

That is exact where the tail is exponential: d / e is then the ratio of two independent chi-squares, whatever the scale.
So e being an estimate is paid for. At or above 1 / (1 + B) nothing of this matters, and p is the exact one.

The further a model goes beyond the data, the more it depends on chance: B permuted statistics show the tail down to a
probability of about 1 / (1 + B), and p is never set below 1 / (1 + B)^2, nor below one over the number of different
arrangements of y. docs/validity.md has how often true nulls get a p-value at or below 0.001.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kmerf.core.errors import whole
from kmerf.nulls.combining import scores, scores_among
from kmerf.nulls.permutation import Permutation
from kmerf.nulls.protocol import InterimLook

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats
    from kmerf.results.parts import NullResult

_TENTH = 10  # one in so many of the permuted statistics is taken for the tail
_FEWEST_ABOVE = 3


@dataclass(frozen=True)
class Extrapolated:
    """`Permutation` with few refits, whose p-value goes on below 1 / (1 + n_resamples) where the statistic does.

    Decisions at any level from 1 / (1 + n_resamples) up are those of the exact test. Smaller p-values rest on a model
    of the tail, are marked as extrapolated, and are never below 1 / (1 + n_resamples)^2. The exact p-value is in
    `result.null.bound`.
    """

    n_resamples: int = 99

    def __post_init__(self) -> None:
        whole("n_resamples", self.n_resamples, at_least=19)

    @property
    def looks(self) -> tuple[InterimLook, ...]:
        """Once, when all are drawn."""
        return (InterimLook(self.n_resamples),)

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
        p = modelled(exact, statistic)
        return exact if p is None else replace(exact, pvalue=p, standard_error=None, extrapolated=True, modelled=p)


def modelled(exact: NullResult, statistic: float) -> float | None:
    """Return what the model suggests for an exact p-value that has a bound; None if there is none, or no tail."""
    if exact.bound is None or exact.distribution is None or np.ptp(exact.distribution) == 0.0:
        return None
    return exact.bound * max(exact.bound, tail_ratio(statistic, exact.distribution))


def tail_ratio(statistic: float, distribution: Floats) -> float:
    """Return how many times less likely the statistic is than the largest of the distribution."""
    score = float(scores_among(np.array([[statistic]]), distribution[:, None])[0, 0])
    ordered = np.sort(scores(distribution[:, None]).ravel())[::-1]
    m = max(_FEWEST_ABOVE, (1 + ordered.size) // _TENTH)
    typical = float((ordered[:m] - ordered[m]).mean())
    beyond = max(0.0, score - float(ordered[0]))
    return float((1.0 + beyond / (m * typical)) ** -m) if typical > 0.0 else 1.0
