"""Permuted statistics: the method is applied again with the rows of y in other orders, by as many workers as wanted.

From statistics to a p-value: several are combined into one, and the null judges it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

import numpy as np

from kmerf.core.errors import KmerfError
from kmerf.core.streams import Purpose, stream
from kmerf.data.exchangeability import Exchange
from kmerf.execution import parallel
from kmerf.execution.progress import Progress, Stretch, no_progress
from kmerf.nulls.combining import combine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kmerf.core.arrays import Floats, Ints
    from kmerf.methods.protocol import Fit, PermutableAtOnce, Problem
    from kmerf.nulls.definitions import InterimLook, Null
    from kmerf.results.parts import NullResult

AT_ONCE = 1024  # permutations that a worker takes at a time, where they are taken together


@dataclass(frozen=True)
class Run:
    """Where the randomness comes from, which rows may change places, and who does the work."""

    seed: int
    n_jobs: int = 1
    backend: str = "threads"
    progress: Progress = no_progress
    exchange: Exchange = field(default_factory=Exchange)


class PermutedFits(NamedTuple):
    """Statistics with y permuted, in the order of the permutations."""

    statistics: Floats
    """All statistics (permutations, k)."""
    shares: Floats | None
    """How much each feature did for each forest (permutations, forests, features), where forests tell."""


@dataclass(eq=False)
class Drawing:
    """Permuted fits that are drawn as they are needed, of `most` at most; who draws does not change them."""

    problem: Problem
    run: Run
    most: int
    reasons: bool = False
    fits: list[tuple[Floats, Floats | None]] = field(default_factory=list)

    def up_to(self, size: int) -> PermutedFits:
        """Return the fits with the permutations numbered 1 to `size`."""
        run, before = self.run, len(self.fits)
        if at_once(self.problem) and not run.exchange.units:
            return self._at_once(self.problem, size)
        job = Resample(self.problem, run.seed, run.exchange, self.reasons)
        shown = Stretch(run.progress, before, self.most)
        todo = range(before + 1, size + 1)
        self.fits += parallel.run(job, todo, n_jobs=run.n_jobs, backend=run.backend, progress=shown)
        statistics = np.array([each for each, _ in self.fits]) if self.fits else np.empty((0, 1))
        shares = [share for _, share in self.fits if share is not None]
        return PermutedFits(statistics, np.array(shares) if shares else None)

    def _at_once(self, problem: PermutableAtOnce, size: int) -> PermutedFits:
        """Do the same for a problem that takes many permutations together, by numbers of its own."""
        run, before = self.run, len(self.fits)
        starts = range(before + 1, size + 1, AT_ONCE)
        job = PermuteAtOnce(problem, run.seed, size)
        for values in parallel.run(job, starts, n_jobs=run.n_jobs, backend=run.backend):
            self.fits += [(value, None) for value in values]
        if starts:
            run.progress(size, self.most)
        statistics = np.array([each for each, _ in self.fits]) if self.fits else np.empty((0, 1))
        return PermutedFits(statistics, None)

    def end(self) -> None:
        """Show that no more are drawn."""
        if 0 < len(self.fits) < self.most:
            self.run.progress(len(self.fits), len(self.fits))


def at_once(problem: Problem) -> TypeGuard[PermutableAtOnce]:
    """Tell whether a problem takes many permutations together."""
    return getattr(problem, "permutes_at_once", False)


@dataclass(frozen=True, eq=False)
class PermuteAtOnce:
    """The statistics with some permutations, from a given number on; a value, so that it can be sent to a worker."""

    problem: PermutableAtOnce
    seed: int
    last: int

    def __call__(self, first: int) -> Floats:
        """Return the statistics (permutations, 1)."""
        return self.problem.permuted(self.seed, first, min(AT_ONCE, self.last + 1 - first))[:, None]


def resample(problem: Problem, size: int, run: Run, reasons: bool = False) -> PermutedFits:
    """Return the statistics with the permutations numbered 1 to `size`."""
    return Drawing(problem, run, size, reasons).up_to(size)


@dataclass(frozen=True, eq=False)
class Resample:
    """The statistics with the permutation of a given number, from 1 on; a value, so that it can be sent to a worker."""

    problem: Problem
    seed: int
    exchange: Exchange = field(default_factory=Exchange)
    reasons: bool = False

    def order(self, number: int) -> Ints:
        """Return the permutation."""
        return self.exchange.order(self.problem.n, stream(self.seed, Purpose.PERMUTATION, number))

    def __call__(self, number: int) -> tuple[Floats, Floats | None]:
        """Permute y and return the statistics (k,), and what each feature did for them."""
        fit = self.problem.fit(self.order(number), number, importances=self.reasons)
        return fit.statistics, fit.shares() if self.reasons else None


FEW_ROWS = 20  # below, no model of the tail is trusted


class Judgement(NamedTuple):
    """A statistic and what it is worth."""

    statistic: float
    null: NullResult


def refits_take_time(problem: Problem) -> bool:
    """Tell whether a permutation takes so long that as few as possible are to be drawn."""
    return problem.learns and problem.n >= FEW_ROWS


def weigh(null: Null, observed: Floats, permuted: Floats, weights: Floats, n: int, exchange: Exchange) -> Judgement:
    """Combine the observed statistics (k,) and the permuted ones (B, k), and find the p-value, or raise.

    `weights` (k,) says how much each counts (`kmerf.nulls.combining`).
    """
    if not np.isfinite(observed).all() or not np.isfinite(permuted).all():
        raise KmerfError(
            "The statistic is not a finite number on these data, so it has no p-value: "
            "look for extreme values in x and y."
        )
    statistic, distribution = combine(observed, permuted, weights)
    result = null.judge(statistic, distribution, n)
    # Never below what arrangements can give (kmerf.data.equal_rows), nor zero where either underflows.
    fewest = max(float(np.exp(-exchange.log_arrangements)), float(np.finfo(np.float64).tiny))
    return Judgement(statistic, result.at_least(fewest))


def weigh_in_turn(looks: Sequence[InterimLook], weigh_at: Callable[[int], Judgement]) -> Judgement:
    """Judge at one look after the other, each after so many permutations, until p is clearly large or all are drawn."""
    last = looks[-1].size
    for size, clear in looks:
        judgement = weigh_at(size)
        if size < last and judgement.null.pvalue > clear:
            return judgement._replace(null=replace(judgement.null, stopped=True))
    return judgement


def draw_and_weigh(
    null: Null, problem: Problem, fit: Fit, run: Run, reasons: bool = False
) -> tuple[Judgement, PermutedFits]:
    """Draw as many permuted fits as the null needs to judge what was observed; return its judgement, and them."""
    drawing = Drawing(problem, run, int(null.n_resamples), reasons)

    def weigh_at(size: int) -> Judgement:
        drawn = drawing.up_to(size).statistics
        return weigh(null, fit.statistics, drawn, fit.weights, problem.n, run.exchange)

    judgement = weigh_in_turn(null.looks, weigh_at)
    drawing.end()
    return judgement, drawing.up_to(len(drawing.fits))


def find_pvalue(null: Null, problem: Problem, fit: Fit, run: Run) -> NullResult:
    """Return the p-value of what was observed."""
    return draw_and_weigh(null, problem, fit, run)[0].null
