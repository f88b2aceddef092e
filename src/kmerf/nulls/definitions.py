"""Nulls: how a statistic becomes a p-value.

A *null* is a value with interim analyses, draws and a judgement: `Sequential()`, `Permutation(999)`, `ChiSquare()`. It
states what it needs, so no caller has to ask which one it is. `kmerf.nulls.judging` draws and judges for all of them.

**`Permutation`: the exact p-value.** The statistic is computed again with the rows of y permuted, B times, and

    p = (1 + number of permuted statistics at or above the observed one) / (1 + B),

which is exact: if x and y are independent, observed and permuted statistics are exchangeable, so p is at most a level
with at most that probability, for any sample size, kernel and distribution. Statistics that are equal but for rounding
count as at or above the observed one (`at_or_above`).

**`Extrapolated`: p-values below 1 / (1 + B), from a model of the tail.** The statistic and the permuted ones are turned
into scores, with the mean, sd and skewness of the permuted ones taken out (`kmerf.nulls.definitions`): about normal,
whatever the statistic. Above the largest m = (1 + B) / 10 of them the tail is taken to be exponential, which falls more
slowly than a normal one. With d the distance of the score from the largest permuted one, and e the mean excess of the m
largest over the next one,

    p = (1 + d / (m e))^-m / (1 + B).

That is exact if the tail is exponential: d / e is then the ratio of two independent chi-squares, whatever the scale, so
the formula accounts for e being an estimate. At or above 1 / (1 + B) the model does not matter, and p is exact. The
further a model goes beyond the data, the more it depends on chance: B permuted statistics show the tail down to a
probability of about 1 / (1 + B), so p is never set below 1 / (1 + B)^2, nor below one over the number of different
arrangements of y. docs/validity.md shows how often true nulls get a p-value at or below 0.001.

**`Sequential`: stop early if there is no effect**, by a rule that is fixed in advance. There are interim analyses after
B_1 < ... < B_K permutations. At analysis k the p-value p_k is the exact one, the rank of the observed statistic among
all 1 + B_k, combined and scaled again from them. If p_k > h_k, drawing stops and p = p_k; the
last analysis has no such bound, and p = p_K. The bounds do not rise: h_1 >= ... >= h_(K-1).

*p is valid*: under independence P(p <= a) <= a for every level a. Every p_k has that property by itself, whatever the
other analyses do, so it is enough to find, for each a, one analysis k with {p <= a} inside {p_k <= a}. With h_0 = 1 and
h_K = 0, take the first k with h_k <= a. If drawing stopped before analysis k, at analysis i, then p = p_i > h_i > a. If
it stopped at k, p = p_k. If it went on, p_k <= h_k <= a. So p <= a implies p_k <= a. Nothing is asked of how the
analyses depend on each other, so scales may be estimated again at each of them. That holds at the smallest levels as
well. If p_99 = 0.01, the smallest that 99 permutations can give, drawing goes on and p is the p-value of a later
analysis, which may be above 0.01 or below it. At levels below 0.07 only the last analysis counts, whose p-value is
exact: P(p_K <= a) <= a.

*Other p-values from the same refits are valid too*, such as those of features and members (`take_in_turn`). Let q_k be
such a p-value from the first B_k refits, with smallest possible value s_k = 1 / (1 + B_k). Call analyses from 99
permutations on *late*.

- If drawing stopped at an early analysis k, q = max(q_k, p_k).
- Otherwise q = q_k of the first late analysis k at which q_k > s_k or after which nothing was drawn.

Let a be a level below the last early bound, 0.2. Only drawing that reached the late analyses can give q <= a. Take the
first late analysis k with s_k <= a; if there is none, no q is so small. If q was taken at an earlier late analysis i,
then q = q_i >= s_i > a. If it was taken at k, then q_k = q <= a. If it was taken after k, then q_k = s_k <= a. So
{q <= a} lies inside {q_k <= a}. For larger a take the first early analysis k with h_k <= a: if drawing stopped before
it, at analysis i, then q >= p_i > h_i > a; if it stopped at k, p_k <= q <= a; if it went on, p_k <= h_k <= a. So
{q <= a} lies inside {p_k <= a}. A p-value q above 0.01 is thus the same however many permutations the test asked for.

*What it costs*: hardly any power. With 99 permutations, if p is at most 0.05, no more than 4 permuted statistics are as
large as the observed one, so p_19 is at most 0.25 and p_39 at most 0.125, but for the change of scale between analyses,
and neither stops. With 999, a p-value near 0.05 has a standard error of 0.007 instead of 0.022, and a clear relation
gets 0.001 from ranks alone. docs/validity.md has measurements.

**`BesagClifford`: one statistic, one draw at a time** (Besag and Clifford 1991). Once h = 20 permuted statistics are at
or above the observed one, after L of them, p = h / L; if that has not happened after B, the null that it stops judges
all B. The rule is fixed in advance, so p is valid, and most null columns of a screen end soon.

**`Stratified` and `NormalLimit`: the test given z** (`kmerf.adjustment.comparison`). Its statistic is minus the p-value
of a normal limit. Without strata that p-value is the answer. With strata y is permuted inside them, and another null
judges the normal scores of the p-values.

**`ChiSquare`: the paper's p-value.** Under independence, n times the unbiased correlation plus one is about chi-square.

One statistic from several, or one p-value.

**Statistics** become a soft maximum of scores, each on the scale of its own permuted values.

Row 0 of t holds the k statistics of the data as observed, rows 1 to B those of B permutations. Statistics of different
tests vary by different amounts, and more or less skewly, when x and y are independent. With mean, sd and skewness g
taken over all rows *but this one*, the score of an entry is

    u = (6 / g) ((1 + g z / 2)^(1/3) - 1) + g / 6,    z = (t - mean) / sd,

which is about standard normal for anything shaped like a gamma distribution (Wilson and Hilferty 1931). The test's
statistic is

    T_i = (1 / a) log(sum_j w_j exp(a u_ij) / sum_j w_j),    a = 1.3.

If member j is the right test for a fraction w_j of alternatives, under which its score density is tilted by exp(a u),
this is the log likelihood ratio of dependence against independence: among fixed functions of the members, it has the
most power on average. It lies between the mean and the largest of the scores and rises with every one of them. The
share of a member in it is its term of the sum. The default's weights are fitted (`kmerf.methods.portfolio`).

Every row is treated alike, so under independence T_0, ..., T_B are exchangeable as the rows are, and ranks among them
give an exact p-value whatever the weights, though the scale is estimated from the same permutations. If T_0 is above
all others, they are scored again without row 0, so that an outlier does not set its own scale; that can only raise the
p-value.

**P-values** of the components of the test given z: the Cauchy combination (Liu and Xie 2020), sum_j w_j cot(pi p_j)
with weights that add up to 1. Each term is a Cauchy variable, and so is the sum, if components are independent or all
the same; in between its tail is nearly that (`combine_pvalues`). So little is paid for several questions if one of
them has most of the weight, and components that agree help each other.

P-values of many tests, adjusted so that selecting those at or below a level keeps an error rate there.

With m tests and p_(1) <= ... <= p_(m), Benjamini and Hochberg (1995) adjust p_(i) to min_{k >= i} m p_(k) / k. That
controls the false discovery rate where p-values are independent or positively dependent. Benjamini and Yekutieli (2001)
multiply by 1 + 1/2 + ... + 1/m: that holds whatever the dependence. Holm (1979) adjusts p_(i) to max_{k <= i}
(m - k + 1) p_(k), which controls the probability of any false selection at all, whatever the dependence.

In a screen, p-values from the same B null statistics are positively dependent, if nothing else ties the columns
together. Where y does not depend on column j, T_j and the null statistics are exchangeable: which of the 1 + B is T_j
tells nothing about what they are. The larger p_j, the smaller is the one that is T_j, and the larger are the others,
with which every other column is compared, and so every other p-value.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Protocol, TypeVar

import numpy as np

from kmerf.core.arrays import Bools, Floats, Ints
from kmerf.core.errors import whole
from kmerf.core.streams import Purpose, stream
from kmerf.results.parts import NullResult

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats


FEWEST = 3  # permutations from which a scale can be estimated
STEEPNESS = 1.3  # a: 0 for the mean of the scores, infinity for the largest; benchmarks/studies/fit_weights.py

_MIN_SKEWNESS = 1e-3  # below, the score is z but for rounding, and 6 / g is large
_MAX_SKEWNESS = 2.5  # an exponential has 2, a chi-square of one degree 2.8
_MIN_SD_RATIO = 0.01  # of the sd of all rows but one to that of all rows
_MIN_SCORE = -3.0  # how far below the mean does not matter
_MAX_COMBINED = 0.99
_TINY = float(np.finfo(np.float64).tiny)


def combine(observed: Floats, permuted: Floats, weights: Floats) -> tuple[float, Floats]:
    """Combine the statistics (k,) of the observed data and (B, k) of its permutations; one alone stays as it is.

    >>> permuted = np.random.default_rng(0).normal(size=(99, 2)) * [1.0, 100.0]
    >>> round(combine(np.array([5.0, 5.0]), permuted, np.ones(2))[0], 1)  # the second is not large on its scale
    4.6
    """
    if observed.size == 1 or len(permuted) < FEWEST:
        return float(observed.max()), permuted.max(axis=1)
    top = soft_maximum(scores(np.vstack([observed, permuted])), weights)
    others = top[1:]
    if top[0] > others.max():
        others = soft_maximum(scores(permuted), weights)
    return float(top[0]), others


def combine_many(observed: Floats, permuted: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Combine the statistics of many data sets (R, k) that have the permuted ones (B, k), B large, in common."""
    if observed.shape[1] == 1 or len(permuted) < FEWEST:
        return observed.max(axis=1), permuted.max(axis=1)
    return soft_maximum(scores_among(observed, permuted), weights), soft_maximum(scores(permuted), weights)


def combine_pvalues(pvalues: Floats, weights: Floats) -> Floats:
    """Return one p-value for several (..., k), each with a weight: their Cauchy combination.

    Larger p-values than 0.99 count as that, as cot(pi p) would let one of them outweigh all others.

    >>> combine_pvalues(np.array([[0.01, 0.6, 0.3]]), np.ones(3)).round(4).tolist()
    [0.0296]
    """
    share = weights / weights.sum()
    terms = share / np.tan(np.pi * np.clip(pvalues, _TINY, _MAX_COMBINED))
    return np.asarray(np.arctan2(1.0, terms.sum(axis=-1)) / np.pi)


def soft_maximum(u: Floats, weights: Floats) -> Floats:
    """Return T of the scores (N, k); at least one weight must be above 0.

    >>> soft_maximum(np.array([[0.0, 0.0], [9.0, 0.0]]), np.array([1.0, 1.0])).round(2).tolist()
    [0.0, 8.47]
    """
    most = u.max(axis=1)
    total = (weights * np.exp(STEEPNESS * (u - most[:, None]))).sum(axis=1)
    return np.asarray(most + np.log(total / weights.sum()) / STEEPNESS)


def shares(u: Floats, weights: Floats) -> Floats:
    """Return what part of the sum in T each of the scores (k,) makes up.

    >>> shares(np.array([2.0, 0.0]), np.array([1.0, 1.0])).round(2).tolist()
    [0.93, 0.07]
    """
    terms = weights * np.exp(STEEPNESS * (u - u.max()))
    return np.asarray(terms / terms.sum())


def scores(t: Floats) -> Floats:
    """Return the score of each entry of t (N, k) among the other rows; 0 in columns that do not vary.

    >>> scores(np.array([[0.0], [2.0], [4.0], [12.0]])).ravel().round(2).tolist()
    [-1.19, -0.5, 0.0, 5.0]
    """
    size = len(t)
    away, varies = _scaled(t - t.mean(axis=0), t)
    second, third = (away**2).sum(axis=0), (away**3).sum(axis=0)
    # Of the others: raw moments about the mean of all rows, then about their own mean.
    mean = -away / (size - 1)
    raw = (second - away**2) / (size - 1)
    variance = np.maximum(raw - mean**2, _MIN_SD_RATIO**2)
    skewness = ((third - away**3) / (size - 1) - 3.0 * mean * raw + 2.0 * mean**3) / variance**1.5
    z = (away - mean) / np.sqrt(variance * (size - 1) / (size - 2))
    return np.where(varies, _normal(z, skewness), 0.0)


def scores_among(observed: Floats, permuted: Floats) -> Floats:
    """Return the score of each entry of the observed (R, k) among the permuted (B, k)."""
    centre = permuted.mean(axis=0)
    away, varies = _scaled(permuted - centre, permuted)
    scale = np.where(varies, (permuted - centre).std(axis=0, ddof=1), 1.0)
    return np.where(varies, _normal((observed - centre) / scale, (away**3).mean(axis=0)), 0.0)


def by_the_others(t: Floats, added: Floats | float = 0.0) -> Floats:
    """Standardise each row by the mean and sd of all other rows, column by column; `added` is added to the sd.

    A column that does not vary gives 0. Where all other rows agree their sd would be 0: it is taken to be at least a
    hundredth of the sd of all rows.

    >>> by_the_others(np.array([0.0, 2.0, 4.0, 12.0])[:, None, None]).ravel().round(2).tolist()
    [-1.13, -0.55, -0.1, 5.0]
    """
    size = len(t)
    centred = t - t.mean(axis=0)
    squares = (centred**2).sum(axis=0)
    # Of the others: their mean is -c / (N - 1), their sum of squares that of all less c^2, about that mean.
    others = np.maximum(squares - centred**2 * size / (size - 1), 0.0)
    spread = np.sqrt(np.maximum(others / (size - 2), _MIN_SD_RATIO**2 * squares / (size - 1)))
    away = centred * size / (size - 1)
    varies = squares > 1e-24 * (t**2).sum(axis=0)
    return np.asarray(np.divide(away, spread + added, out=np.zeros_like(away), where=varies))


def _scaled(centred: Floats, t: Floats) -> tuple[Floats, Floats]:
    """Return centred columns over their sd, and which of them vary by more than rounding."""
    spread = np.sqrt((centred**2).mean(axis=0))
    varies = spread > 1e-12 * np.sqrt((t**2).mean(axis=0))
    return np.divide(centred, spread, out=np.zeros_like(centred), where=varies), varies


def _normal(z: Floats, skewness: Floats) -> Floats:
    """Return the score of standardised values of a column with that skewness."""
    g = np.clip(skewness, _MIN_SKEWNESS, _MAX_SKEWNESS)
    u = 6.0 / g * (np.cbrt(np.maximum(1.0 + g * z / 2.0, 0.0)) - 1.0) + g / 6.0
    return np.asarray(np.maximum(u, _MIN_SCORE))


def benjamini_hochberg(pvalues: Floats) -> Floats:
    """Adjust p-values for the false discovery rate; NaN stands for a test that was not made.

    >>> benjamini_hochberg(np.array([0.01, 0.02, 0.04, np.nan])).round(3).tolist()
    [0.03, 0.03, 0.04, nan]
    """
    tested = np.flatnonzero(~np.isnan(pvalues))
    order = tested[np.argsort(pvalues[tested], kind="stable")]
    raised = pvalues[order] * order.size / np.arange(1, order.size + 1)
    adjusted = np.full(pvalues.shape, np.nan)
    adjusted[order] = np.minimum(np.minimum.accumulate(raised[::-1])[::-1], 1.0)
    return adjusted


def benjamini_yekutieli(pvalues: Floats) -> Floats:
    """Adjust p-values for the false discovery rate, however they depend on each other.

    >>> benjamini_yekutieli(np.array([0.01, 0.02, 0.04, np.nan])).round(3).tolist()
    [0.055, 0.055, 0.073, nan]
    """
    tested = int((~np.isnan(pvalues)).sum())
    harmonic = float((1.0 / np.arange(1, tested + 1)).sum())
    return np.minimum(benjamini_hochberg(pvalues) * harmonic, 1.0)


def holm(pvalues: Floats) -> Floats:
    """Adjust p-values for the probability of one false selection or more.

    >>> holm(np.array([0.01, 0.04, 0.02])).tolist()
    [0.03, 0.04, 0.04]
    """
    order = np.argsort(pvalues, kind="stable")
    raised = pvalues[order] * np.arange(order.size, 0, -1)
    adjusted = np.empty(pvalues.shape)
    adjusted[order] = np.minimum(np.maximum.accumulate(raised), 1.0)
    return adjusted


TOLERANCE = 1e-10  # relative; scipy.stats compares permuted statistics in the same way
LATE = 99  # permutations from which p-values of features and members are taken as they are
TAIL_FRACTION = 0.1  # of the permuted statistics, which the model of the tail is fitted to
MIN_TAIL = 3  # permuted statistics in the tail
STOP_AT = 20  # permuted statistics at or above the observed one, after which Besag and Clifford's rule stops
ORDERS_AT_ONCE = 256
MAX_ORDER_CELLS = 2**21  # numbers in the orders that are drawn at once


class InterimAnalysis(NamedTuple):
    """An interim analysis: after `n_resamples` permutations, stop if p > `stop_above`."""

    n_resamples: int
    stop_above: float = 0.0


class Null(Protocol):
    """A way to find a p-value."""

    @property
    def models_tail(self) -> bool:
        """Whether p-values below 1 / (1 + n_resamples) rest on a model of the tail."""
        ...

    @property
    def needs_unbiased(self) -> bool:
        """Whether it holds only for an unbiased kernel correlation of rows that may all be exchanged."""
        ...

    @property
    def n_resamples(self) -> int:
        """The largest number of permuted statistics that it needs."""
        ...

    @property
    def interim_analyses(self) -> tuple[InterimAnalysis, ...]:
        """When it judges; the last analysis is after `n_resamples`."""
        ...

    @property
    def stop_at(self) -> int | None:
        """How many permuted statistics at or above the observed one end the draws of a single statistic, if any do."""
        ...

    def judge(self, statistic: float, distribution: Floats, n: int) -> NullResult:
        """Return the p-value of a statistic of n rows, among permuted ones."""
        ...


Value = TypeVar("Value", float, Floats)


def tie_threshold(statistic: Value) -> Value:
    """Return the smallest permuted statistic that counts as at or above this one: ties may differ by rounding."""
    return statistic - TOLERANCE * abs(statistic)


def at_or_above(statistic: Value, distribution: Floats) -> Bools:
    """Return which permuted statistics are at or above the observed one, or equal to it but for rounding."""
    return np.asarray(distribution >= tie_threshold(statistic))


def rank_pvalue(statistic: Value, distribution: Floats) -> Floats:
    """Return the exact p-value of a statistic, or of several (k,), among permuted ones (B,) or (B, k).

    >>> float(rank_pvalue(2.0, np.array([1.0, 2.0, 3.0])))
    0.75
    """
    return np.asarray((1 + at_or_above(statistic, distribution).sum(axis=0)) / (1 + len(distribution)))


def take_in_turn(analyses: Sequence[InterimAnalysis], drawn: int, pvalues_at: Callable[[int], Floats]) -> Floats:
    """Return other p-values from the same refits, each from the late analysis that the module docstring names.

    `pvalues_at` gives all of them from the first so many of the `drawn` permutations.

    >>> found = {99: np.array([0.01, 0.02, 0.01]), 399: np.array([0.0025, 0.03, 0.02])}
    >>> take_in_turn([InterimAnalysis(39, 0.2), InterimAnalysis(99, 0.1)], 399, found.__getitem__).tolist()
    [0.0025, 0.02, 0.02]
    """
    sizes = sorted({*(each.n_resamples for each in analyses if LATE <= each.n_resamples < drawn), drawn})
    pvalues = pvalues_at(sizes[0])
    for before, size in itertools.pairwise(sizes):
        smallest = pvalues <= 1.000001 / (1 + before)
        if not smallest.any():
            break
        pvalues = np.where(smallest, pvalues_at(size), pvalues)
    return pvalues


@dataclass(frozen=True)
class _Resampling:
    """A null whose draws are permutations, judged once when all are drawn."""

    models_tail: ClassVar[bool] = False
    needs_unbiased: ClassVar[bool] = False
    stop_at: ClassVar[None] = None
    min_resamples: ClassVar[int] = 1

    n_resamples: int

    def __post_init__(self) -> None:
        whole("n_resamples", self.n_resamples, at_least=self.min_resamples)

    @property
    def interim_analyses(self) -> tuple[InterimAnalysis, ...]:
        """When to judge, and when to stop."""
        return (InterimAnalysis(self.n_resamples),)


@dataclass(frozen=True)
class Permutation(_Resampling):
    """Permute y `n_resamples` times and refit all that depends on y: valid for every sample size."""

    n_resamples: int = 999

    def judge(self, statistic: float, distribution: Floats, n: int) -> NullResult:
        """Return the p-value of a statistic among permuted ones."""
        p = float(rank_pvalue(statistic, distribution))
        error = float(np.sqrt(p * (1 - p) / distribution.size))
        none_above = not at_or_above(statistic, distribution).any()
        return NullResult("permutation", p, error, distribution, bound=p if none_above else None)


@dataclass(frozen=True)
class Extrapolated(_Resampling):
    """`Permutation` with few refits, and a model of the tail for p-values below 1 / (1 + n_resamples).

    Decisions at levels of 1 / (1 + n_resamples) and above are those of `Permutation`. Smaller p-values come from a
    model of the tail, are marked as extrapolated, and are never below 1 / (1 + n_resamples)^2. `result.null.bound` is
    the p-value without the model.
    """

    models_tail: ClassVar[bool] = True
    min_resamples: ClassVar[int] = 19

    n_resamples: int = 99

    def judge(self, statistic: float, distribution: Floats, n: int) -> NullResult:
        """Return the p-value of a statistic among permuted ones."""
        exact = Permutation(self.n_resamples).judge(statistic, distribution, n)
        p = tail_pvalue(exact, statistic)
        return exact if p is None else replace(exact, pvalue=p, standard_error=None, extrapolated=True, modelled=p)


def tail_pvalue(exact: NullResult, statistic: float) -> float | None:
    """Return what the model suggests for an exact p-value that has a bound; None if there is no bound, or no tail."""
    if exact.bound is None or exact.distribution is None or np.ptp(exact.distribution) == 0.0:
        return None
    return exact.bound * max(exact.bound, tail_ratio(statistic, exact.distribution))


def tail_ratio(statistic: float, distribution: Floats) -> float:
    """Return how many times less likely the statistic is than the largest of the distribution."""
    score = float(scores_among(np.array([[statistic]]), distribution[:, None])[0, 0])
    ordered = np.sort(scores(distribution[:, None]).ravel())[::-1]
    m = max(MIN_TAIL, int((1 + ordered.size) * TAIL_FRACTION))
    mean_excess = float((ordered[:m] - ordered[m]).mean())
    distance = max(0.0, score - float(ordered[0]))
    return float((1.0 + distance / (m * mean_excess)) ** -m) if mean_excess > 0.0 else 1.0


EARLY_STOPS = (
    InterimAnalysis(19, 0.3),
    InterimAnalysis(39, 0.2),
    InterimAnalysis(LATE, 0.1),
    InterimAnalysis(399, 0.07),
    InterimAnalysis(999, 0.055),
)  # bounds must not rise


def interim_analyses_until(n_resamples: int) -> tuple[InterimAnalysis, ...]:
    """Return the interim analyses if at most so many permutations are drawn.

    >>> [analysis.n_resamples for analysis in interim_analyses_until(99)]
    [19, 39, 99]
    """
    return (*(each for each in EARLY_STOPS if each.n_resamples < n_resamples), InterimAnalysis(n_resamples))


@dataclass(frozen=True)
class Sequential(_Resampling):
    """`Permutation` that stops early if there is no effect: after 19 permutations if p > 0.3, after 39 if p > 0.2.

    With more than 99 permutations, it also stops after 99 if p > 0.1, after 399 if p > 0.07, and after 999 if p >
    0.055. The p-value is valid at every level, and never below 1 / (1 + n_resamples). If no permuted statistic is as
    large as the observed one, `result.null.modelled` is a rough estimate of p from a model of the tail. If there is no
    effect, the median number of permutations is 19; the mean is 37 with n_resamples = 99, and about 110 with 999.
    """

    min_resamples: ClassVar[int] = 19

    n_resamples: int = 99

    @property
    def interim_analyses(self) -> tuple[InterimAnalysis, ...]:
        """When to judge, and when to stop."""
        return interim_analyses_until(self.n_resamples)

    def judge(self, statistic: float, distribution: Floats, n: int) -> NullResult:
        """Return the p-value of a statistic among permuted ones, by rank."""
        exact = Permutation(self.n_resamples).judge(statistic, distribution, n)
        last = distribution.size >= self.n_resamples
        return replace(exact, modelled=tail_pvalue(exact, statistic)) if last else exact


@dataclass(frozen=True, eq=False)
class _Judging:
    """A null that draws in its own way, and leaves the judgement to another."""

    needs_unbiased: ClassVar[bool] = False

    null: Null

    @property
    def models_tail(self) -> bool:
        """Whether the null that judges models the tail."""
        return self.null.models_tail

    @property
    def n_resamples(self) -> int:
        """The largest number of permuted statistics."""
        return int(self.null.n_resamples)

    @property
    def interim_analyses(self) -> tuple[InterimAnalysis, ...]:
        """Those of the null that judges."""
        return self.null.interim_analyses


@dataclass(frozen=True, eq=False)
class BesagClifford(_Judging):
    """Another null, but no more is drawn once `stop_at` permuted statistics are at or above the observed one."""

    stop_at: int = STOP_AT

    @property
    def interim_analyses(self) -> tuple[InterimAnalysis, ...]:
        """Once: that it stops earlier depends on counts, not on p-values."""
        return (InterimAnalysis(self.n_resamples),)

    def judge(self, statistic: float, distribution: Floats, n: int) -> NullResult:
        """Return the p-value; what was drawn after the rule stops does not change it."""
        above = np.flatnonzero(at_or_above(statistic, distribution))
        if above.size < self.stop_at:
            return self.null.judge(statistic, distribution, n)
        size = int(above[self.stop_at - 1]) + 1
        p = self.stop_at / size
        error = p * math.sqrt((1.0 - p) / self.stop_at)
        return NullResult("sequential permutation", p, error, distribution[:size], stopped=size < self.n_resamples)


@dataclass(frozen=True, eq=False)
class Stratified(_Judging):
    """Another null, with y permuted inside strata; the statistic is minus a p-value, which is judged by its score."""

    strata: Ints  # of each row
    seed: int

    @property
    def stop_at(self) -> int | None:
        """That of the null that judges."""
        return self.null.stop_at

    def orders(self) -> Iterator[Ints]:
        """Yield orders of the rows (b, n), each row staying in its stratum, `n_resamples` in all."""
        by_stratum = np.argsort(self.strata, kind="stable")
        size = max(1, min(ORDERS_AT_ONCE, MAX_ORDER_CELLS // self.strata.size))
        for number, start in enumerate(range(0, self.n_resamples, size)):
            keys = stream(self.seed, Purpose.STRATUM, number).random((size, self.strata.size))
            orders = np.empty(keys.shape, np.int64)
            orders[:, by_stratum] = np.argsort(self.strata + keys, axis=1)
            yield orders[: self.n_resamples - start]

    def judge(self, statistic: float, distribution: Floats, n: int) -> NullResult:
        """Return the p-value of minus a p-value among those of permuted rows; ties are found before scores are made."""
        tied = at_or_above(statistic, distribution) & (distribution < statistic)
        scores_of_permuted = normal_scores(-np.where(tied, statistic, distribution))
        result = self.null.judge(normal_score(-statistic), scores_of_permuted, n)
        name = "permutation" if "permutation" in result.name else result.name
        return replace(result, name=f"{name} inside strata")


@dataclass(frozen=True)
class NormalLimit:
    """The p-value of a normal limit; the statistic is minus that p-value, and nothing is permuted."""

    models_tail: ClassVar[bool] = False
    needs_unbiased: ClassVar[bool] = False
    stop_at: ClassVar[None] = None
    n_resamples: ClassVar[int] = 0
    interim_analyses: ClassVar[tuple[InterimAnalysis, ...]] = (InterimAnalysis(0),)

    def judge(self, statistic: float, distribution: Floats, n: int) -> NullResult:
        """Return the p-value."""
        return NullResult("normal limit", -statistic)


def normal_score(pvalue: float) -> float:
    """Return the standard normal quantile that a p-value stands for; 0 for 1, where nothing was left to compare.

    >>> round(normal_score(0.05), 3), normal_score(1.0)
    (1.645, 0.0)
    """
    return float(normal_scores(np.array(pvalue)))


def normal_scores(pvalues: Floats) -> Floats:
    """Return the normal scores of several p-values."""
    from scipy.special import ndtri

    return np.asarray(np.where(pvalues < 1.0, -ndtri(pvalues), 0.0))


@dataclass(frozen=True)
class ChiSquare:
    """The paper's p-value: n times the correlation plus one, compared with chi-square with one degree of freedom.

    It needs no permutations, but is valid only for a kernel that does not depend on y. With KMERF, use it only for
    speed, with `proximity="oob"`: it rejected 0.5 to 12.5 % of true null hypotheses at level 0.05 (docs/validity.md).
    """

    models_tail: ClassVar[bool] = False
    needs_unbiased: ClassVar[bool] = True
    stop_at: ClassVar[None] = None
    n_resamples: ClassVar[int] = 0
    interim_analyses: ClassVar[tuple[InterimAnalysis, ...]] = (InterimAnalysis(0),)

    def judge(self, statistic: float, distribution: Floats, n: int) -> NullResult:
        """Return the p-value of a statistic of n rows."""
        from scipy.special import chdtrc

        return NullResult("chi-square", float(chdtrc(1.0, max(0.0, n * statistic + 1.0))))
