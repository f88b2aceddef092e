"""Methods that learn nothing: permutations of y for each column, stopped early (Besag and Clifford 1991).

Once h = 20 permuted statistics are at or above the observed one, after L of them, p = h / L; if that has not happened
after B, b of them being at or above, p = (1 + b) / (1 + B). The rule is fixed in advance, so p is valid, and most null
columns end soon.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from kmerf.core.errors import message_of
from kmerf.core.streams import Purpose, stream
from kmerf.data.equal_rows import log_arrangements
from kmerf.data.sample import Response, Sample
from kmerf.execution import parallel
from kmerf.methods.protocol import Method, observe
from kmerf.nulls.definitions import TOLERANCE
from kmerf.results.parts import NullResult
from kmerf.screening.screen_store import Job, kept_tasks
from kmerf.screening.units import FAILURES, Plan, Unit, UnitResult, finite, judged

if TYPE_CHECKING:
    from kmerf.nulls.definitions import Null

STOP = 20  # permuted statistics at or above the observed one, after which a column needs no more


def sequential(null: Null, statistic: float, draws: Iterable[float], n: int, *, stop: int = STOP) -> NullResult:
    """Draw permuted statistics until `stop` of them are at or above the observed one, or the null has all it asks for.

    >>> from kmerf.nulls.definitions import Permutation
    >>> sequential(Permutation(99), 1.0, [2.0, 0.0, 0.5, 1.0, 3.0], n=9, stop=2).pvalue  # 2 of the first 4
    0.5
    """
    low = bar(statistic)
    drawn: list[float] = []
    above = 0
    for value in itertools.islice(draws, int(null.n_resamples)):
        parallel.checkpoint()
        drawn.append(finite(value))
        above += value >= low
        if above == stop:
            p = stop / len(drawn)
            return NullResult("sequential permutation", p, p * math.sqrt((1.0 - p) / stop), np.array(drawn))
    return null.judge(statistic, np.array(drawn), n)


def bar(statistic: float) -> float:
    """Return the value from which on a permuted statistic counts as at or above this one."""
    return statistic - TOLERANCE * abs(statistic)


def one_by_one(plan: Plan, units: Sequence[Unit]) -> dict[int, UnitResult]:
    """Compare each column with permutations of its own."""
    run, method, null = plan.ready.run, plan.ready.method, plan.null(1, len(units))
    test = partial(_test, method, plan.y, null, run.seed)
    job = Job(test, lambda unit: (unit.number, unit.x, run.seed), pack, partial(unpack, int(null.n_resamples)))
    with kept_tasks(plan.store, (method, null), plan.y, __name__) as kept:
        results = kept.run(job, list(units), run, lambda todo: run.progress)
    return {unit.number: each for unit, each in zip(units, results, strict=True)}


def pack(result: UnitResult) -> list[float | None] | None:
    """Return what was found as it is kept; what went wrong is not."""
    return list(result[:4]) if result.error is None else None


def unpack(most: int, unit: Any, kept: Any) -> UnitResult:
    """Return what was kept of a column; raise a ValueError if it is not a statistic, p-value and number of draws."""
    statistic, pvalue, draws, extrapolated = kept
    kinds = isinstance(statistic, float) and isinstance(pvalue, float) and isinstance(extrapolated, bool)
    if (
        not kinds
        or not isinstance(draws, int)
        or not math.isfinite(statistic)
        or not 0.0 < pvalue <= 1.0
        or not 0 <= draws <= most
    ):
        raise ValueError(f"{kept!r} is not the outcome of a test of column {unit.number + 1}")
    return UnitResult(statistic, pvalue, draws, extrapolated)


def _test(method: Method, y: Response, null: Null, seed: int, unit: Unit) -> UnitResult:
    try:
        problem = method.prepare(Sample(unit.x, y, 0, ()), seed)
        statistic = finite(observe(problem).statistic)
        rng = stream(seed, Purpose.SCREEN_PERMUTATION, unit.number)
        draws = (problem.fit(rng.permutation(problem.n), number).statistic for number in itertools.count(1))
        result = sequential(null, statistic, draws, problem.n)
    except FAILURES as error:
        return UnitResult(error=message_of(error))
    return judged(statistic, result, log_arrangements(unit.x.values, y.values))
