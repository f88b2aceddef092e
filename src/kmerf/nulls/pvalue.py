"""How a statistic becomes a p-value. A null is a value: `Extrapolated()`, `Permutation(999)`, `ChiSquare()`.

Under permutation the statistic is computed again with the rows of y exchanged, B times, and

    p = (1 + number of permuted statistics at or above the observed one) / (1 + B),

which is exact: when x and y are independent, observed and permuted statistics are exchangeable, so p is at most a level
with at most that probability, for any sample size, kernel and distribution. Statistics that are equal but for rounding
count as at or above the observed one.

That p cannot be smaller than 1 / (1 + B). `Extrapolated` goes on from there: a statistic T above all permuted ones gets

    p = S(T) / S(largest permuted) / (1 + B),    S(t) = P(F > 1 + sqrt(2) (t - mean) / sd),    F ~ F(1, (1 + B) / 2),

with the mean and sd of the permuted statistics. Centred chi-square with one degree of freedom is what the null
distribution of an unbiased kernel correlation comes to when a single eigenvalue dominates, the heaviest tail that a
weighted sum of chi-squares can have; its square-of-a-t form F allows for the sd being an estimate. It is a model: where
y has very heavy tails the true one can be heavier still (docs/validity.md). At or above 1 / (1 + B) nothing of this
matters, and p is the exact one; and p is never below one over the number of different arrangements of y.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from kmerf.core import parallel
from kmerf.core.errors import KmerfError, whole
from kmerf.core.progress import Progress, no_progress
from kmerf.data.exchangeability import Exchange
from kmerf.methods.protocol import Fit, Problem
from kmerf.nulls.combining import largest

Floats = NDArray[np.float64]

FEW_ROWS = 20  # below, no model of the tail is trusted
TOLERANCE = 1e-10  # relative; scipy.stats compares permuted statistics in the same way

_PERMUTE = 7  # keeps the streams of permutations apart from those of forests


@dataclass(frozen=True)
class Run:
    """Where the randomness comes from, which rows may change places, and who does the work."""

    seed: int
    n_jobs: int = 1
    backend: str = "threads"
    progress: Progress = no_progress
    exchange: Exchange = field(default_factory=Exchange)


@dataclass(frozen=True, eq=False)
class NullResult:
    """A p-value, the method that gave it, and what it was compared with."""

    name: str
    pvalue: float
    standard_error: float | None = None
    """Monte Carlo error of the p-value; None where there is none."""
    distribution: Floats | None = None
    """The permuted statistics, in the order in which they were drawn."""
    extrapolated: bool = False
    """Whether the p-value lies below the smallest that permuting could give, and rests on a model of the tail."""

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary."""
        distribution = None if self.distribution is None else self.distribution.tolist()
        return {
            "name": self.name,
            "pvalue": self.pvalue,
            "standard_error": self.standard_error,
            "distribution": distribution,
            "extrapolated": self.extrapolated,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> NullResult:
        """Rebuild what `to_dict` gave."""
        distribution = data["distribution"]
        array = None if distribution is None else np.array(distribution, dtype=np.float64)
        return cls(data["name"], data["pvalue"], data["standard_error"], array, data["extrapolated"])


class Null(Protocol):
    """A way to find a p-value."""

    @property
    def n_resamples(self) -> int:
        """How many permuted statistics it needs."""
        ...

    def judge(self, statistic: float, distribution: Floats, n: int) -> NullResult:
        """Return the p-value of a statistic of n rows, among permuted ones."""
        ...


class Verdict(NamedTuple):
    """A statistic and what it is worth."""

    statistic: float
    null: NullResult


def weigh(null: Null, observed: Floats, permuted: Floats, levels: Floats, n: int, exchange: Exchange) -> Verdict:
    """Combine the observed statistics (k,) and the permuted ones (B, k), and find the p-value, or raise.

    `levels` (k,) says how the level is divided among them (`kmerf.nulls.combining`).
    """
    if not np.isfinite(observed).all() or not np.isfinite(permuted).all():
        raise KmerfError(
            "The statistic is not a finite number on these data, so it has no p-value: "
            "look for extreme values in x and y."
        )
    statistic, distribution = largest(observed, permuted, levels)
    result = null.judge(statistic, distribution, n)
    # Never below one over the number of arrangements, nor zero where either underflows.
    fewest = max(float(np.exp(-exchange.log_arrangements)), float(np.finfo(np.float64).tiny))
    return Verdict(statistic, replace(result, pvalue=max(result.pvalue, fewest)))


def find_pvalue(null: Null, problem: Problem, fit: Fit, run: Run) -> NullResult:
    """Return the p-value of what was observed: draw what the null needs, and let it judge."""
    drawn = resample(problem, int(null.n_resamples), run)
    return weigh(null, fit.statistics, drawn.statistics, fit.levels, problem.n, run.exchange).null


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

    def judge(self, statistic: float, distribution: Floats, n: int) -> NullResult:
        """Return the p-value of a statistic of n rows."""
        from scipy.special import chdtrc

        return NullResult("chi-square", float(chdtrc(1.0, max(0.0, n * statistic + 1.0))))


@dataclass(frozen=True)
class Permutation:
    """Exact in finite samples: y is permuted `n_resamples` times, and whatever has seen it is fitted again."""

    n_resamples: int = 999

    def __post_init__(self) -> None:
        whole("n_resamples", self.n_resamples)

    def judge(self, statistic: float, distribution: Floats, n: int) -> NullResult:
        """Return the p-value of a statistic among permuted ones."""
        at_or_above = int((distribution >= statistic - TOLERANCE * abs(statistic)).sum())
        p = (1 + at_or_above) / (1 + distribution.size)
        return NullResult("permutation", p, float(np.sqrt(p * (1 - p) / distribution.size)), distribution)


@dataclass(frozen=True)
class Extrapolated:
    """`Permutation` with few refits, whose p-value goes on below 1 / (1 + n_resamples) where the statistic does.

    Decisions at any level from 1 / (1 + n_resamples) up are those of the exact test. Smaller p-values rest on a model
    of the tail, and are marked as extrapolated.
    """

    n_resamples: int = 99

    def __post_init__(self) -> None:
        whole("n_resamples", self.n_resamples, at_least=19)

    def judge(self, statistic: float, distribution: Floats, n: int) -> NullResult:
        """Return the p-value of a statistic among permuted ones."""
        exact = Permutation(self.n_resamples).judge(statistic, distribution, n)
        if exact.pvalue > 1.5 / (1 + distribution.size) or np.ptp(distribution) == 0.0:
            return exact
        p = exact.pvalue * tail_ratio(statistic, distribution)
        return replace(exact, pvalue=p, standard_error=None, extrapolated=True)


def tail_ratio(statistic: float, distribution: Floats) -> float:
    """Return S(statistic) / S(largest of the distribution), as this module's first lines define S."""
    from scipy.special import fdtrc

    z = (np.array([statistic, distribution.max()]) - distribution.mean()) / distribution.std(ddof=1)
    observed, largest = fdtrc(1.0, (1 + distribution.size) / 2, 1.0 + np.sqrt(2.0) * z)
    return float(observed / largest)


def default_null(problem: Problem) -> Null:
    """Return the null that is used where none is asked for.

    A model of the tail is for refits that are dear. Where nothing is fitted again, or below 20 rows, the p-value is the
    exact one, from many permutations.
    """
    return Extrapolated() if problem.learns and problem.n >= FEW_ROWS else Permutation()


class Drawn(NamedTuple):
    """What was found with y permuted, in the order of the permutations."""

    statistics: Floats
    """All statistics (permutations, k)."""
    shares: Floats | None
    """How much each feature did for each forest (permutations, forests, features), where forests tell."""


def resample(problem: Problem, size: int, run: Run, reasons: bool = False) -> Drawn:
    """Return what is found with the permutations numbered 1 to `size`."""
    job = Resample(problem, run.seed, run.exchange, reasons)
    found = parallel.run(job, range(1, size + 1), n_jobs=run.n_jobs, backend=run.backend, progress=run.progress)
    statistics = np.array([each for each, _ in found]) if found else np.empty((0, 1))
    shares = [share for _, share in found if share is not None]
    return Drawn(statistics, np.array(shares) if shares else None)


@dataclass(frozen=True, eq=False)
class Resample:
    """What is found with the permutation of a given number, from 1 on; a value, so that it can be sent to a worker."""

    problem: Problem
    seed: int
    exchange: Exchange = field(default_factory=Exchange)
    reasons: bool = False

    def order(self, number: int) -> NDArray[np.int64]:
        """Return the permutation."""
        return self.exchange.order(self.problem.n, np.random.default_rng([self.seed, _PERMUTE, number]))

    def __call__(self, number: int) -> tuple[Floats, Floats | None]:
        """Permute y and return the statistics (k,), and what each feature did for them."""
        fit = self.problem.fit(self.order(number), number, reasons=self.reasons)
        return fit.statistics, fit.shares() if self.reasons else None
