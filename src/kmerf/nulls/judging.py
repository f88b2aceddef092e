"""From statistics to a p-value: permuted statistics are drawn, several are combined into one, and the null judges it.

This is the one path for plain tests, screens, the test given z and planning. Ties are counted by
`kmerf.nulls.definitions.tie_threshold`; here are the combination, the rules that stop drawing, and the rule that no
p-value is below what the arrangements of y can give.

**Names.** `NULLS` is the one list of nulls by the name that users write: names, help texts, completion and checks are
made from it.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kmerf.core.errors import Argument, InputError, KmerfError, choose
from kmerf.core.settings import LEVEL
from kmerf.core.streams import Purpose, stream
from kmerf.data.exchangeability import Exchange
from kmerf.execution import parallel
from kmerf.execution.progress import Progress, Stretch, no_progress
from kmerf.nulls.definitions import ChiSquare, Extrapolated, Permutation, Sequential, combine, tie_threshold

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from kmerf.core.arrays import Floats, Ints
    from kmerf.methods.protocol import Fit, Problem
    from kmerf.nulls.definitions import InterimAnalysis, Null
    from kmerf.results.parts import NullResult

AT_ONCE = 1024  # permutations that a worker takes at a time, where they are taken together
FEW_ROWS = 20  # below, no model of the tail is trusted


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
    """The importance of each feature for each forest (permutations, forests, features), where forests report it."""


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
        run, todo = self.run, range(len(self.fits) + 1, size + 1)
        if self.problem.permutes_at_once and run.exchange.free:
            many = PermuteAtOnce(self.problem, run.seed, size)
            for values in parallel.run(many, todo[::AT_ONCE], n_jobs=run.n_jobs, backend=run.backend):
                self.fits += [(value, None) for value in values]
            if todo:
                run.progress(size, self.most)
        else:
            job = Resample(self.problem, run.seed, run.exchange, self.reasons)
            shown = Stretch(run.progress, len(self.fits), self.most)
            self.fits += parallel.run(job, todo, n_jobs=run.n_jobs, backend=run.backend, progress=shown)
        statistics = np.array([each for each, _ in self.fits]) if self.fits else np.empty((0, 1))
        shares = [share for _, share in self.fits if share is not None]
        return PermutedFits(statistics, np.array(shares) if shares else None)

    def end(self) -> None:
        """Show that no more are drawn."""
        if 0 < len(self.fits) < self.most:
            self.run.progress(len(self.fits), len(self.fits))


@dataclass(frozen=True, eq=False)
class PermuteAtOnce:
    """The statistics with some permutations, from a given number on; a value, so that it can be sent to a worker."""

    problem: Problem
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
        return self.exchange.order(self.problem.n, stream(self.seed, Purpose.PERMUTATION, number), number)

    def __call__(self, number: int) -> tuple[Floats, Floats | None]:
        """Permute y and return the statistics (k,), and the importances of features."""
        fit = self.problem.fit(self.order(number), number, importances=self.reasons)
        return fit.statistics, fit.shares() if self.reasons else None


class Judgement(NamedTuple):
    """A statistic and its p-value."""

    statistic: float
    null: NullResult


def refits_take_time(problem: Problem) -> bool:
    """Return whether a permutation takes so long that as few as possible are to be drawn."""
    return problem.learns and problem.n >= FEW_ROWS


def check_finite(statistics: Floats | float) -> None:
    """Raise unless all statistics are finite numbers."""
    if not np.isfinite(statistics).all():
        raise KmerfError(
            "The statistic is not a finite number on these data, so it has no p-value: "
            "look for extreme values in x and y."
        )


def judge(null: Null, observed: Floats, permuted: Floats, weights: Floats, n: int, exchange: Exchange) -> Judgement:
    """Combine the observed statistics (k,) and the permuted ones (B, k), and find the p-value, or raise.

    `weights` (k,) says how much each counts (`kmerf.nulls.definitions`).
    """
    check_finite(observed)
    check_finite(permuted)
    return judge_combined(null, *combine(observed, permuted, weights), n, exchange)


def judge_combined(null: Null, statistic: float, distribution: Floats, n: int, exchange: Exchange) -> Judgement:
    """Find the p-value of one statistic of n rows among permuted ones."""
    return Judgement(statistic, bounded(null.judge(statistic, distribution, n), exchange.log_arrangements))


def bounded(result: NullResult, log_arrangements: float) -> NullResult:
    """Return a p-value that is not below what arrangements of y can give (`kmerf.data.exchangeability`), nor zero."""
    return result.at_least(max(float(np.exp(-log_arrangements)), float(np.finfo(np.float64).tiny)))


def judge_in_turn(analyses: Sequence[InterimAnalysis], judge_at: Callable[[int], Judgement]) -> Judgement:
    """Evaluate the interim analyses in order, and stop at the first with p above its bound."""
    last = analyses[-1].n_resamples
    for size, stop_above in analyses:
        judgement = judge_at(size)
        if size < last and judgement.null.pvalue > stop_above:
            return judgement._replace(null=replace(judgement.null, stopped=True))
    return judgement


def judge_draws(null: Null, statistic: float, draws: Iterable[float], n: int, exchange: Exchange) -> Judgement:
    """Draw permuted values of one statistic one by one until the null stops, and judge them.

    >>> from kmerf.nulls.definitions import BesagClifford, Permutation
    >>> judge_draws(BesagClifford(Permutation(99), 2), 1.0, [2.0, 0.0, 0.5, 1.0, 3.0], 9, Exchange()).null.pvalue
    0.5
    """
    check_finite(statistic)
    values: list[float] = []
    threshold, reached, waiting = tie_threshold(statistic), 0, iter(draws)

    def judge_at(size: int) -> Judgement:
        nonlocal reached
        for value in itertools.islice(waiting, size - len(values)):
            parallel.checkpoint()
            if not math.isfinite(value):
                check_finite(value)
            values.append(value)
            reached += value >= threshold
            if reached == null.stop_at:
                break
        return judge_combined(null, statistic, np.array(values), n, exchange)

    return judge_in_turn(null.interim_analyses, judge_at)


def draw_and_judge(
    null: Null, problem: Problem, fit: Fit, run: Run, reasons: bool = False
) -> tuple[Judgement, PermutedFits]:
    """Draw as many permuted fits as the null needs to judge the observed one; return its judgement, and them."""
    drawing = Drawing(problem, run, int(null.n_resamples), reasons)

    def judge_at(size: int) -> Judgement:
        permuted = drawing.up_to(size).statistics
        return judge(null, fit.statistics, permuted, fit.weights, problem.n, run.exchange)

    judgement = judge_in_turn(null.interim_analyses, judge_at)
    drawing.end()
    return judgement, drawing.up_to(len(drawing.fits))


def judge_fit(null: Null, problem: Problem, fit: Fit, run: Run) -> NullResult:
    """Return the p-value of the observed fit."""
    return draw_and_judge(null, problem, fit, run)[0].null


REFITS = (999, 399, 99)  # of the default, from the most that are affordable
MAX_WORK = 5e8  # visits of trees to cells of x: 3 to 5 seconds on one core; benchmarks/studies/seeds.py
PAIR_RESOLUTIONS = (5, 2)  # how many times the smallest p-value of a pair fits into Holm's smallest level
MAX_PAIR_REFITS = 9999
MAX_PAIR_WORK = 20 * MAX_WORK


class NullEntry(NamedTuple):
    """What users may choose: a name, what it makes, and what help texts and checks need to know about it."""

    name: str
    make: type[Null]
    help: str
    """One line for the shell and the docs."""

    def __call__(self) -> Null:
        """Return the null with its usual settings."""
        return self.make()

    @property
    def permutes(self) -> bool:
        """Whether y is permuted, and what has seen it is fitted again: only then `n_resamples` has a meaning."""
        return self.make().n_resamples > 0

    @property
    def needs_unbiased(self) -> bool:
        """Whether it is for a single unbiased kernel correlation of rows that may all be exchanged."""
        return self.make().needs_unbiased


NULLS = {
    entry.name: entry
    for entry in (
        NullEntry("sequential", Sequential, "exact, from permutations; stops early if there is no effect"),
        NullEntry("extrapolated", Extrapolated, "few permutations, and a model of the tail for smaller p-values"),
        NullEntry("permutation", Permutation, "exact, from a fixed number of permutations"),
        NullEntry("chi-square", ChiSquare, "the paper's: no permutations, for one unbiased statistic, approximate"),
    )
}


def needs_single(null: Null | None) -> bool:
    """Return whether a null is for a single unbiased statistic, which a portfolio of tests does not have."""
    return null is not None and null.needs_unbiased


def choose_null(null: Null | str | None) -> Null | None:
    """Return the null itself, or the one of that name; None for the default.

    >>> choose_null("permutation")
    Permutation(n_resamples=999)
    """
    if isinstance(null, str):
        return NULLS[choose("null", null, NULLS)]()
    if null is not None and (isinstance(null, type) or not hasattr(null, "judge")):
        remedy = "pass a value such as kmerf.Permutation()"
        raise InputError("cannot be used", argument=Argument("null", null), remedy=remedy)
    return null


def default_null(problem: Problem, most: int = REFITS[0]) -> Null:
    """Return the default null, with at most so many permutations.

    Early stopping pays off only if refits take time. If nothing is fitted again, or below 20 rows, all permutations
    are drawn.
    """
    return Sequential(affordable_refits(problem, most)) if refits_take_time(problem) else Permutation()


def affordable_refits(problem: Problem, most: int) -> int:
    """Return how many refits take about two seconds on two cores: 999, 399 or 99, by n, p and the number of trees.

    The rule looks at the size of the data and not at the clock, so the result does not depend on the machine.
    """
    work = problem.work
    for size in REFITS:
        if size <= most and work is not None and size * work <= MAX_WORK:
            return size
    return REFITS[-1]


def refits_for_pairs(problem: Problem, pairs: int) -> int:
    """Return how many permutations each of so many pairs of groups needs at most.

    Holm's smallest level is LEVEL / pairs. The smallest p-value is to be a fifth of it, or half of it if refits take
    long, so that it does not depend on a few permutations which pairs are significant.
    """
    work = problem.work if problem.learns else 0.0
    enough, fewest = (math.ceil(finer * pairs / LEVEL) - 1 for finer in PAIR_RESOLUTIONS)
    many = min(MAX_PAIR_REFITS, max(enough, REFITS[0]))
    if work is not None and pairs * many * work <= MAX_PAIR_WORK:
        return many
    return min(MAX_PAIR_REFITS, max(fewest, REFITS[-1]))
