"""Stop early if there is no effect, go on if there may be one: interim looks by a rule that is fixed in advance.

There are looks after B_1 < ... < B_K permutations. At look k the p-value p_k is the exact one, the rank of the observed
statistic among all 1 + B_k, combined and scaled anew from them (`kmerf.nulls.combining`). If p_k > h_k, drawing stops
and p = p_k; the last look has no such bound, and p = p_K. The bounds do not rise: h_1 >= ... >= h_(K-1).

**p is valid**: under independence P(p <= a) <= a for every level a. Every p_k has that property by itself, whatever the
other looks do, so it is enough to find, for each a, one look k with {p <= a} inside {p_k <= a}. With h_0 = 1 and
h_K = 0, take the first k with h_k <= a. If drawing stopped before look k, at look i, then p = p_i > h_i > a. If it
stopped at k, p = p_k. If it went on, p_k <= h_k <= a. So wherever p <= a, p_k <= a. Nothing is asked of how the looks
depend on each other, so scales may be learnt anew at each of them.

That holds at the smallest levels as well. If p_99 = 0.01, the smallest that 99 permutations can give, drawing goes on
and p is the p-value of a later look, which may be above 0.01 or below it. At levels below 0.07 all that counts is the
last look, whose p-value is exact: P(p_K <= a) <= a.

**And so is what is read off the same refits.** Let q_k be another p-value from the first B_k of them, such as that of a
feature, with smallest possible value s_k = 1 / (1 + B_k). Call looks from 99 permutations on *late*
(`kmerf.nulls.late_looks`).

- Where drawing stopped at an early look k, q = max(q_k, p_k).
- Otherwise q = q_k of the first late look k at which q_k > s_k or after which nothing was drawn.

Let a be a level below the last early bound, 0.2. Only drawing that reached the late looks can give q <= a. Take the
first late look k with s_k <= a; if there is none, no q is so small. If q was taken at an earlier late look i, then
q = q_i >= s_i > a. If it was taken at k, then q_k = q <= a. If it was taken after k, then q_k = s_k <= a. So {q <= a}
lies inside {q_k <= a}. For larger a take the first early look k with h_k <= a:
if drawing stopped before it, at look i, then q >= p_i > h_i > a; if it stopped at k, p_k <= q <= a; if it went on,
p_k <= h_k <= a. So {q <= a} lies inside {p_k <= a}. A p-value q above 0.01 is thus the same however many permutations
the test itself asked for.

**What it costs.** Hardly any power is lost. With 99 permutations, if p is at most 0.05, no more than 4 permuted
statistics are as large as the observed one, so p_19 is at most 0.25 and p_39 at most 0.125, but for the change of scale
between looks, and neither stops. With 999, a p-value near 0.05 has a standard error of 0.007 instead of 0.022, and a
relation that is clearly there gets 0.001 from ranks alone. docs/validity.md shows it measured.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kmerf.core.errors import whole
from kmerf.nulls.extrapolated import modelled
from kmerf.nulls.late_looks import LATE
from kmerf.nulls.permutation import Permutation
from kmerf.nulls.protocol import InterimLook

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats
    from kmerf.results.parts import NullResult

EARLY = (
    InterimLook(19, 0.3),
    InterimLook(39, 0.2),
    InterimLook(LATE, 0.1),
    InterimLook(399, 0.07),
    InterimLook(999, 0.055),
)  # bounds must not rise


def looks_until(n_resamples: int) -> tuple[InterimLook, ...]:
    """Return when to look, and when to stop, where at most so many permutations are drawn.

    >>> [look.size for look in looks_until(99)]
    [19, 39, 99]
    """
    return (*(look for look in EARLY if look.size < n_resamples), InterimLook(n_resamples))


@dataclass(frozen=True)
class Sequential:
    """`Permutation` that stops early if there is no effect: after 19 permutations if p > 0.3, after 39 if p > 0.2.

    With more than 99 permutations it also stops after 99 of them if p is above 0.1, after 399 if it is above 0.07, and
    after 999 if it is above 0.055. The p-value is valid at every level, and never below 1 / (1 + n_resamples): if no
    permuted statistic is as large as the observed one, `result.null.modelled` has what a model of the tail suggests
    beyond (`Extrapolated`). At most levels that are asked for, all those below the last bound, it rejects only where
    `Permutation(n_resamples)` does. With 99, true nulls take 19 permutations in most data sets, and 37 on average; with
    999, 19 and about 110.
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
        """Whether p-values below 1 / (1 + n_resamples) rest on a model of the tail: there are none."""
        return False

    @property
    def needs_unbiased(self) -> bool:
        """Whether it holds only for an unbiased kernel correlation."""
        return False

    def judge(self, statistic: float, distribution: Floats, n: int) -> NullResult:
        """Return the p-value of a statistic among permuted ones, by rank."""
        exact = Permutation(self.n_resamples).judge(statistic, distribution, n)
        last = distribution.size >= self.n_resamples
        return replace(exact, modelled=modelled(exact, statistic)) if last else exact
