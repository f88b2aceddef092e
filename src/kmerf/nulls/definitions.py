"""What every null looks like to the rest of the library, and what it returns.

A *null* is a value that says how a statistic becomes a p-value: `Sequential()`, `Permutation(999)`, `ChiSquare()`. It
says what it needs, so nobody has to ask which one it is.

P-values that are read off the refits of a test beside its own, such as those of features and of members.

From 99 permutations on, each is taken from the first look at which it is larger than the smallest that the look can
give, or from the last. `kmerf.nulls.definitions` proves that it is then valid at every level.

The exact p-value: the rank of the observed statistic among those with y permuted.

The statistic is computed again with the rows of y exchanged, B times, and

    p = (1 + number of permuted statistics at or above the observed one) / (1 + B),

which is exact: when x and y are independent, observed and permuted statistics are exchangeable, so p is at most a level
with at most that probability, for any sample size, kernel and distribution. Statistics that are equal but for rounding
count as at or above the observed one.

P-values below the smallest that permutations can give, from a model of the tail.

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

Stop early if there is no effect, go on if there may be one: interim looks by a rule that is fixed in advance.

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
(`kmerf.nulls.definitions`).

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

The paper's p-value: under independence, n times the unbiased correlation plus one is about chi-square.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from kmerf.core.errors import whole
from kmerf.nulls.combining import scores, scores_among
from kmerf.results.parts import NullResult

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats


class InterimLook(NamedTuple):
    """A time to judge: after so many permuted statistics, and no more are drawn if p is above a bound."""

    size: int
    clear: float = 0.0


class Null(Protocol):
    """A way to find a p-value."""

    @property
    def n_resamples(self) -> int:
        """How many permuted statistics it needs at most."""
        ...

    @property
    def looks(self) -> tuple[InterimLook, ...]:
        """When it judges; the last is after `n_resamples`."""
        ...

    @property
    def models_tail(self) -> bool:
        """Whether p-values below 1 / (1 + n_resamples) rest on a model of the tail."""
        ...

    @property
    def needs_unbiased(self) -> bool:
        """Whether it holds only for an unbiased kernel correlation of rows that may all be exchanged."""
        ...

    def judge(self, statistic: float, distribution: Floats, n: int) -> NullResult:
        """Return the p-value of a statistic of n rows, among permuted ones."""
        ...


LATE = 99  # permutations from which such p-values are taken as they are


def take_in_turn(looks: Sequence[InterimLook], drawn: int, pvalues_at: Callable[[int], Floats]) -> Floats:
    """Return p-values beside that of the test, each from the late look that it is to be taken from.

    `pvalues_at` gives all of them from the first so many of the `drawn` permutations.

    >>> from kmerf.nulls.definitions import InterimLook
    >>> known = {99: np.array([0.01, 0.02, 0.01]), 399: np.array([0.0025, 0.03, 0.02])}
    >>> take_in_turn([InterimLook(39, 0.2), InterimLook(99, 0.1), InterimLook(399)], 399, known.__getitem__).tolist()
    [0.0025, 0.02, 0.02]
    """
    sizes = sorted({*(look.size for look in looks if LATE <= look.size < drawn), drawn})
    taken = pvalues_at(sizes[0])
    for before, size in itertools.pairwise(sizes):
        least = taken <= 1.000001 / (1 + before)
        if not least.any():
            break
        taken = np.where(least, pvalues_at(size), taken)
    return taken


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


@dataclass(frozen=True)
class ChiSquare:
    """The paper's p-value: n times the correlation plus one, against chi-square with one degree of freedom.

    It needs no resampling, and holds only for a kernel that has not seen y. With KMERF use it for speed, with
    `proximity="oob"`, where it rejected 1 to 10 % of true nulls at level 0.05 (docs/validity.md).
    """

    @property
    def n_resamples(self) -> int:
        """None are needed."""
        return 0

    @property
    def looks(self) -> tuple[InterimLook, ...]:
        """Once, at what was observed."""
        return (InterimLook(0),)

    @property
    def models_tail(self) -> bool:
        """Whether p-values below 1 / (1 + n_resamples) rest on a model of the tail."""
        return False

    @property
    def needs_unbiased(self) -> bool:
        """Whether it holds only for an unbiased kernel correlation."""
        return True

    def judge(self, statistic: float, distribution: Floats, n: int) -> NullResult:
        """Return the p-value of a statistic of n rows."""
        from scipy.special import chdtrc

        return NullResult("chi-square", float(chdtrc(1.0, max(0.0, n * statistic + 1.0))))
