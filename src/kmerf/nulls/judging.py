"""From statistics to a p-value: several are combined into one, and the null judges it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kmerf.core.errors import KmerfError
from kmerf.nulls.combining import combine
from kmerf.nulls.resampling import Drawing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kmerf.core.arrays import Floats
    from kmerf.data.exchangeability import Exchange
    from kmerf.methods.protocol import Fit, Problem
    from kmerf.nulls.protocol import InterimLook, Null
    from kmerf.nulls.resampling import PermutedFits, Run
    from kmerf.results.parts import NullResult

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
