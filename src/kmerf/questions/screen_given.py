"""A screen given z: what z explains of y is removed once, and of every column as it is tested."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from kmerf.adjustment.rank_coordinates import of_features, of_response
from kmerf.adjustment.testing import Given, Remainder, compare
from kmerf.core import parallel
from kmerf.core.errors import InputError
from kmerf.core.linear_algebra import one_thread
from kmerf.core.progress import as_progress
from kmerf.core.streams import as_seed
from kmerf.data.spread_levels import all_levels
from kmerf.nulls.multiplicity import benjamini_hochberg, benjamini_yekutieli
from kmerf.questions.given_checks import METHOD, check_rows, class_sizes, normal_score
from kmerf.questions.screen_plan import Unit, UnitResult, check_fdr, fault, read_units
from kmerf.results.parts import DOUBT
from kmerf.results.screen_result import Screen

if TYPE_CHECKING:
    from kmerf.data.sample_values import Sample
    from kmerf.questions.setup import Execution

_Y = 0  # the number of y among the variables; columns have theirs from 1


def screen_given(sample: Sample, fdr: float, sets: Mapping[str, Any] | None, execution: Execution) -> Screen:
    """Test every column, or set of columns, against y given z."""
    assert sample.z is not None
    check_fdr(fdr)
    seed = as_seed(execution.rng)
    given = Given(all_levels(sample.z, "given").values, seed)
    check_rows(given, sample.n)
    units = list(read_units(sample.x, sets))
    y = given.remove_from(of_response(sample.y), _Y)

    def test(unit: Unit) -> tuple[UnitResult, float]:
        return _tested(given, unit, y)

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
        notes=(*sample.notes, *_notes(y, misfits)),
    )


def _tested(given: Given, unit: Unit, y: Remainder) -> tuple[UnitResult, float]:
    """Return what the test of a unit found, and the p-value of whether its residuals still depend on z."""
    why = fault(unit.x)
    if why is not None:
        return UnitResult(error=why), 1.0
    left = given.remove_from(of_features(unit.x), 1 + unit.number)
    found = compare(given, left, y, permute=False)
    return UnitResult(normal_score(found.pvalue), found.pvalue), min(left.lack_of_fit, found.shrinking)


def _notes(y: Remainder, misfits: np.ndarray[Any, np.dtype[np.float64]]) -> tuple[str, ...]:
    """Say what p-values rest on, and how many columns are still tied to z."""
    notes = ["P-values are approximate: they hold as far as what z explains was removed."]
    doubtful = int((misfits <= DOUBT).sum())
    if y.lack_of_fit <= DOUBT:
        notes.append("The residuals of y still depend on given, so p-values may be far too small.")
    if doubtful:
        notes.append(f"The residuals of {doubtful} of {misfits.size} columns may still depend on given.")
    return tuple(notes)
