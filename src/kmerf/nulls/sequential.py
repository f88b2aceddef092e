"""Stop where nothing is there: looks at the permuted statistics as they come, by a rule fixed beforehand.

There are looks after B_1 < ... < B_K permutations. At look k the p-value p_k is the exact one, the rank of the observed
statistic among all 1 + B_k, combined and scaled anew from them (`kmerf.nulls.combining`). If p_k > h_k, drawing stops
and p = p_k; the last look has no such bound, and p = p_K. The bounds do not rise: h_1 >= ... >= h_(K-1).

**p is valid**: under independence P(p <= a) <= a for every level a. Every p_k has that property by itself, whatever the
other looks do, so it is enough to find, for each a, one look k with {p <= a} inside {p_k <= a}. With h_0 = 1 and
h_K = 0, take the first k with h_k <= a. If drawing stopped before look k, at look i, then p = p_i > h_i > a. If it
stopped at k, p = p_k. If it went on, p_k <= h_k <= a. So wherever p <= a, p_k <= a. Nothing is asked of how the looks
depend on each other, so scales may be learnt anew at each of them.

**And so is what is read off the same refits.** Let q_k be another p-value from the first B_k of them, such as that of a
feature, and q = max(q_k, p_k) where drawing stopped early, q = q_K where it did not. For a < h_(K-1) only the latter
can be at or below a. For larger a the proof above holds word for word: q >= p where drawing stopped early, and where it
went on after look k, p_k <= h_k <= a.

With 99 permutations, h_(K-1) = 0.2: at every level below that, only the p-value of all of them rejects. Hardly any
power is lost: if it is at most 0.05, no more than 4 permuted statistics are as large as the observed one, so p_19 is at
most 0.25 and p_39 at most 0.125, but for the change of scale between looks, and neither stops. docs/validity.md shows
it measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kmerf.core.errors import whole
from kmerf.nulls.extrapolated import Extrapolated
from kmerf.nulls.permutation import Permutation
from kmerf.nulls.protocol import InterimLook

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats
    from kmerf.results.parts import NullResult

EARLY = (
    InterimLook(19, 0.3),
    InterimLook(39, 0.2),
    InterimLook(99, 0.1),
    InterimLook(399, 0.07),
)  # bounds must not rise


def looks_until(n_resamples: int) -> tuple[InterimLook, ...]:
    """Return when to look, and when to stop, where at most so many permutations are drawn.

    >>> [look.size for look in looks_until(99)]
    [19, 39, 99]
    """
    return (*(look for look in EARLY if look.size < n_resamples), InterimLook(n_resamples))


@dataclass(frozen=True)
class Sequential:
    """`Extrapolated` that stops where nothing is there: after 19 permutations if p is above 0.3, after 39 above 0.2.

    With more than 99 permutations it also stops after 99 of them if p is above 0.1, and after 399 if it is above 0.07.
    The p-value is valid at every level. At most levels that are asked for, all those below the last bound, it rejects
    only where `Extrapolated(n_resamples)` does. With 99, true nulls take 19 permutations in most data sets, and 37 on
    average.
    """

    n_resamples: int = 99

    def __post_init__(self) -> None:
        whole("n_resamples", self.n_resamples, at_least=19)

    @property
    def looks(self) -> tuple[InterimLook, ...]:
        """When to look, and when to stop."""
        return looks_until(self.n_resamples)

    @property
    def models_tail(self) -> bool:
        """Whether p-values below 1 / (1 + n_resamples) rest on a model of the tail."""
        return True

    @property
    def needs_unbiased(self) -> bool:
        """Whether it holds only for an unbiased kernel correlation."""
        return False

    def judge(self, statistic: float, distribution: Floats, n: int) -> NullResult:
        """Return the p-value of a statistic among permuted ones: before the last look, by rank alone."""
        last = distribution.size >= self.n_resamples
        null = Extrapolated(self.n_resamples) if last else Permutation(self.n_resamples)
        return null.judge(statistic, distribution, n)
