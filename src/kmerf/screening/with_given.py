"""A screen given z: what z explains of y is removed once, and of every column as it is tested."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from kmerf.adjustment.answering import METHOD, check_rows, class_sizes, named_note, normal_score
from kmerf.adjustment.comparison import STOP, Given, Remainder, compare
from kmerf.adjustment.rank_coordinates import of_features, of_response
from kmerf.adjustment.stratification import log_arrangements
from kmerf.core.errors import InputError
from kmerf.core.streams import as_seed
from kmerf.data.sample import fault
from kmerf.execution import parallel
from kmerf.execution.progress import as_progress
from kmerf.execution.resources import one_thread
from kmerf.nulls.definitions import Extrapolated
from kmerf.nulls.judging import FEW_ROWS
from kmerf.nulls.multiplicity import benjamini_hochberg, benjamini_yekutieli
from kmerf.results.parts import DOUBT
from kmerf.results.screen_result import Screen
from kmerf.screening.units import FEWEST_DRAWS, Unit, UnitResult, check_fdr, judged, read_units

if TYPE_CHECKING:
    from kmerf.data.sample import Sample
    from kmerf.execution.parallel import Execution

MOST_DRAWS = 9_999  # permutations of a column; smaller p-values are from a model of the tail
_Y = 0  # the number of y among the variables; columns have theirs from 1


def screen_given(sample: Sample, fdr: float, sets: Mapping[str, Any] | None, execution: Execution) -> Screen:
    """Test every column, or set of columns, against y given z."""
    assert sample.z is not None
    check_fdr(fdr)
    seed = as_seed(execution.rng)
    given = Given(sample.z, seed)
    check_rows(given, sample.n)
    units = list(read_units(sample.x, sets))
    y = given.remove_from(of_response(sample.y), _Y)
    named = given.with_names(y)
    if named is not None:
        given = named
        check_rows(given, sample.n)
        y = given.remove_from(of_response(sample.y), _Y)
    null = Extrapolated(min(MOST_DRAWS, max(FEWEST_DRAWS, math.ceil(len(units) / fdr))))
    orders = math.inf if given.strata is None else log_arrangements(sample.y.values, given.strata.codes)

    def test(unit: Unit) -> tuple[UnitResult, float]:
        return _tested(given, unit, y, null, orders)

    workers, shown = parallel.worker_count(execution.n_jobs), as_progress(execution.progress, METHOD)
    with one_thread():  # around the workers, as each of them limits threads for all
        tested = parallel.run(test, units, n_jobs=workers, progress=shown)
    results, misfits = [result for result, _ in tested], np.array([misfit for _, misfit in tested])
    errors = {unit.name: result.error for unit, result in zip(units, results, strict=True) if result.error is not None}
    if len(errors) == len(units):
        first = f"the first, {units[0].name!r}: {results[0].error}"
        why = f": none of its {len(units)} columns or sets can be tested; {first}"
        raise InputError(why, argument="x")
    statistics, pvalues, draws, extrapolated, _ = map(np.array, zip(*results, strict=True))
    members = {} if sets is None else {"sets": {unit.name: list(unit.x.names) for unit in units}}
    return Screen(
        method=METHOD,
        names=tuple(unit.name for unit in units),
        statistics=statistics,
        pvalues=pvalues,
        adjusted_bh=benjamini_hochberg(pvalues),
        adjusted_by=benjamini_yekutieli(pvalues),
        extrapolated=extrapolated,
        draws=draws,
        errors=errors,
        fdr=float(fdr),
        n=sample.n,
        y_kind=sample.y.kind,
        events=sample.y.events,
        groups=class_sizes(sample),
        settings={"given": list(sample.z.names)} | members,
        seed=seed,
        notes=(*sample.notes, *_notes(given, sample, y, misfits)),
    )


def _tested(given: Given, unit: Unit, y: Remainder, null: Extrapolated, orders: float) -> tuple[UnitResult, float]:
    """Return what the test of a unit found, and the p-value of whether its residuals still depend on z.

    `orders` is the logarithm of the number of different arrangements of y inside strata.
    """
    why = fault(unit.x)
    if why is not None:
        return UnitResult(error=why), 1.0
    left = given.remove_from(of_features(unit.x), 1 + unit.number)
    found = compare(given, left, y, draws=null.n_resamples, stop=STOP)
    misfit, score = min(left.lack_of_fit, found.shrinking), normal_score(found.overall)
    if given.strata is None or found.permuted is None:
        return UnitResult(score, found.pvalue), misfit
    if found.permuted.size < null.n_resamples or unit.x.n < FEW_ROWS:
        return UnitResult(score, found.pvalue, found.permuted.size), misfit
    judged_by = null.judge(score, np.array([normal_score(p) for p in found.permuted]), unit.x.n)
    floor = min(orders, log_arrangements(unit.x.values, given.strata.codes))
    return judged(score, judged_by, floor), misfit


def _notes(
    given: Given, sample: Sample, y: Remainder, misfits: np.ndarray[Any, np.dtype[np.float64]]
) -> tuple[str, ...]:
    """Say what p-values rest on, and how many columns are still tied to z."""
    notes = [] if given.strata is None else [f"y was permuted inside {given.strata.count:,} strata of given."]
    if given.strata is None or given.strata.rest:
        notes.append("P-values are approximate: they hold as far as what z explains was removed.")
    named = named_note(given, sample).strip()
    if named:
        notes.append(named)
    doubtful = int((misfits <= DOUBT).sum())
    if y.lack_of_fit <= DOUBT:
        notes.append("The residuals of y still depend on given, so p-values may be far too small.")
    if doubtful:
        notes.append(f"The residuals of {doubtful} of {misfits.size} columns may still depend on given.")
    return tuple(notes)
