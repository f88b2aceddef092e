"""From statistics to a p-value: several are combined into one, and the null judges it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kmerf.core.errors import KmerfError
from kmerf.nulls.combining import combine
from kmerf.nulls.resampling import Run, resample

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats
    from kmerf.data.exchangeability import Exchange
    from kmerf.methods.protocol import Fit, Problem
    from kmerf.nulls.protocol import Null
    from kmerf.results.parts import NullResult

FEW_ROWS = 20  # below, no model of the tail is trusted


class Judgement(NamedTuple):
    """A statistic and what it is worth."""

    statistic: float
    null: NullResult


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
    # Never below one over the number of arrangements, nor zero where either underflows.
    fewest = max(float(np.exp(-exchange.log_arrangements)), float(np.finfo(np.float64).tiny))
    return Judgement(statistic, replace(result, pvalue=max(result.pvalue, fewest)))


def find_pvalue(null: Null, problem: Problem, fit: Fit, run: Run) -> NullResult:
    """Return the p-value of what was observed: draw what the null needs, and let it judge."""
    drawn = resample(problem, int(null.n_resamples), run)
    return weigh(null, fit.statistics, drawn.statistics, fit.weights, problem.n, run.exchange).null
