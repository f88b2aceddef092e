"""The question: which columns, or sets of columns, does y depend on? Read, plan, test each, adjust.

Given z, what z explains of y is removed once, and of every column as it is tested.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from kmerf.adjustment.answering import METHOD, arrangements, check_null, check_strata, named_note, refuse, remove_given
from kmerf.adjustment.comparison import Given, judge
from kmerf.adjustment.products import of_features, of_response
from kmerf.core.errors import Argument, Call, InputError, Message, explain_unknown, not_about, share, warn
from kmerf.core.settings import as_plain
from kmerf.core.streams import as_seed
from kmerf.data.block_parts import block_part
from kmerf.data.sample import Sample, fault, some_rows
from kmerf.data.series import series_part
from kmerf.execution import parallel
from kmerf.execution.parallel import Execution, one_thread
from kmerf.execution.progress import as_progress
from kmerf.explain.changes import column_changes, names_of
from kmerf.explain.column_effects import column_effects
from kmerf.methods.protocol import Method, observe
from kmerf.methods.registry import choose_method, screening_forest, screening_method
from kmerf.nulls.definitions import (
    STOP_AT,
    BesagClifford,
    Extrapolated,
    Permutation,
    normal_score,
)
from kmerf.nulls.judging import FEW_ROWS, choose_null
from kmerf.questions.answer import Choice, asks_past, within_series
from kmerf.reading import samples
from kmerf.reading.samples import read_features
from kmerf.results.parts import DOUBT
from kmerf.results.screen_result import Screen
from kmerf.screening.one_by_one import (
    MIN_DRAWS,
    Plan,
    Unit,
    UnitResult,
    Units,
    adjusted,
    judge_units,
    model_note,
    read_units,
    screen_blocks,
)
from kmerf.screening.screen_store import StorePath, check_store

if TYPE_CHECKING:
    from kmerf.adjustment.products import Residuals
    from kmerf.core.arrays import Floats
    from kmerf.core.streams import Seed
    from kmerf.data.sample import Sample
    from kmerf.execution.progress import Progress
    from kmerf.nulls.definitions import Null

MAX_DRAWS_GIVEN = 9_999  # permutations of a column given z; smaller p-values are from a model of the tail
_Y = 0  # the number of y among the variables given z; columns have theirs from 1


@explain_unknown
def screen(
    x: Any,
    y: Any,
    *,
    fdr: float = 0.05,
    method: Method | str | None = None,
    null: Null | str | None = None,
    sets: Mapping[str, Any] | None = None,
    given: Any = None,
    categorical: Iterable[str | int] = (),
    keep: Iterable[str | int] = (),
    na: Any = (),
    dates: str = "auto",
    weights: Any = None,
    weights_kind: str = "auto",
    rows: int | None = None,
    y_kind: str = "auto",
    missing_y: str = "auto",
    blocks: Any = None,
    exchange: str = "auto",
    order: Any = None,
    lags: Any = None,
    permutations: Any = None,
    rng: Seed = None,
    n_jobs: int | None = None,
    backend: str = "threads",
    progress: bool | Progress = False,
    store: StorePath | None = None,
) -> Screen:
    """Test every column of x, or every set of columns, against y, and select by the false discovery rate.

    Parameters
    ----------
    x
        The columns, one row per observation: an array, a list, or a pandas, polars or pyarrow table.
    y
        The outcome: numbers, or classes (then: in which columns do the classes differ?). If x is a table, y may be the
        name of the column (or columns) of x that holds it.
    fdr
        The false discovery rate: the expected share of selected columns that y does not depend on.
    method
        The test. The default for single columns is `baselines.ColumnScan()`, which looks for lines, steps, curves,
        changes of spread, levels and missing values of a column, without fitting a model. The default for sets of
        columns is `KMERF` with one forest of 100 small trees. You can pass another test, such as `baselines.Dcorr()`,
        or `Portfolio()`, which takes longer.
    null
        How to compute p-values; `Permutation(n)` and `Extrapolated(n)` set the number of permutations. For methods
        without refits, the number of permutations per column is `1 / fdr` times the number of columns (twice as many
        for the default), from 999 to 99,999. They stop once 20 permuted statistics reach the observed one. Ten columns
        or more with the same ties and missing values share their permutations if the method uses only ranks, as the
        default does. Methods that learn compare all columns with the same ties and missing values with the same
        permuted refits: `1 / fdr` for each of them, from 999 to 99,999. If fewer than ten columns share a pattern of
        ties, each gets its own refits: `1 / fdr` times the number of columns, from 99 to 999, stopped early if the
        p-value is clearly large (`Sequential`). For these columns, p-values below what refits can show come from a tail
        model and are marked (`Extrapolated`; not used below 20 rows). `bounds` holds the p-values from ranks alone.
    sets
        Sets of columns to test together, instead of each column alone: names, each with its columns by name or by
        position among the columns that are not y. Sets may overlap.
    given
        Covariates to adjust every test for, such as batch and age: columns with as many rows as x, or names of columns
        of x, as in `conditional`. You cannot combine it with method, blocks, exchange or store. Pass a null only if
        rows share values of z, among which it permutes y.
    blocks, exchange
        As in `independence`, for each column or set separately. By default, columns that vary within blocks are tested
        within them, and columns that are constant within every block are tested between blocks.
    order, lags, permutations
        As in `independence`; each column at each lag is a test.
    categorical, keep, na, dates, weights, weights_kind, rows, y_kind, missing_y, rng, n_jobs, backend, progress
        As in `independence`.
    store
        A file that keeps finished work, such as "screen.sqlite". You can stop the screen at any time: the same call
        continues where it stopped and gives the same result. It needs a seed in rng.

    Returns
    -------
    Screen
        Statistics, p-values and adjusted p-values of all columns, and the names of those selected. A column that
        cannot be tested, such as a constant one, is listed in `errors` and does not count as a test. If you interrupt
        the screen (Ctrl-C), you get the finished columns with a warning; the others are in `errors`.

    Examples
    --------
    >>> import numpy as np
    >>> import kmerf
    >>> x = np.random.default_rng(0).normal(size=(60, 8))
    >>> y = x[:, 1] ** 2 + 0.1 * x[:, 4]
    >>> result = kmerf.screen(x, y, method=kmerf.KMERF(kmerf.ForestSpec(n_trees=50)), rng=1)
    >>> result.selected
    ('x2',)
    """
    share("fdr", fdr)
    past = asks_past(given, x)
    sample = samples.read_independence(
        x,
        y,
        categorical=categorical,
        keep=keep,
        na=na,
        dates=dates,
        weights=weights,
        weights_kind=weights_kind,
        y_kind=y_kind,
        missing_y=missing_y,
        blocks=blocks,
        given=None if past else given,
        order=order,
        permutations=permutations,
    )
    check_store(store, rng, given=sample.z is not None)
    sample, rng = some_rows(sample, rows, rng)
    execution = Execution(as_seed(rng), n_jobs, backend, progress)
    part = series_part(sample, lags, past=past)
    if sample.times is not None and sample.blocks is not None:
        exchange = within_series(exchange)
    sample = replace(part.sample, notes=(*part.sample.notes, *part.notes))
    units = read_units(sample.x, sets)
    members: dict[str, Any] = {} if sets is None else {"sets": {unit.name: list(unit.x.names) for unit in units}}
    members |= part.settings
    if sample.z is not None:
        refuse(method=method, blocks=blocks is not None, exchange=exchange)
        result = _screen_given(sample, fdr, units, null, execution, members)
        return result if sets is not None else replace(result, changes=column_changes(sample, result.selected, {}))

    def plan_for(part: Sample) -> Plan:
        return make_plan(part, fdr, method, null, execution, sets is not None)._replace(store=store)

    plan = plan_for(replace(sample, blocks=None, inside=None, run=1, permutations=None))
    if not sample.free:
        tested = screen_blocks(sample, exchange, units, plan_for)
        members |= _how_exchanged(sample, exchange)
        result = _planned_screen(plan, sample, units, tested.results, members)
        effects = None if sets is not None else tested.effects(units.names, result.selected)
        ways = tested.ways(units.names)
        changes = {} if sets is not None else column_changes(sample, result.selected, ways)
        notes = (*result.notes, *tested.notes())
        notes = notes if "within" in ways.values() else not_about("within blocks", notes)
        return replace(result, effects=effects, changes=changes, notes=notes, source="")
    block_part(sample, exchange)  # raises unless it makes sense without blocks
    results = {unit.number: UnitResult(error=why) for unit in units if (why := fault(unit.x)) is not None}
    sound = replace(units, numbers=[number for number in units.numbers if number not in results])
    if sound:
        observe(plan.ready.problem)  # which also compiles, before the clock of the work starts
        _until_interrupted(plan, sound, results)
    result = _planned_screen(plan, sample, units, results, members)
    if sets is not None:
        return result
    effects = column_effects(sample.x, sample.y, result.selected)
    return replace(result, effects=effects, changes=column_changes(sample, result.selected, {}))


def _until_interrupted(plan: Plan, units: Units, results: dict[int, UnitResult]) -> None:
    """Test units; on Ctrl-C keep what is done, if anything is, and say of the others that they were not reached."""
    try:
        judge_units(plan, units, results)
    except KeyboardInterrupt:
        done = sum(number in results and results[number].error is None for number in units.numbers)
        if not done:
            raise
        for number in units.numbers:
            results.setdefault(number, UnitResult(error=Screen.INTERRUPTED))
        warn(f"The screen was interrupted: {done} of {len(units.numbers)} columns were tested.")


def _how_exchanged(sample: Sample, exchange: str) -> dict[str, Any]:
    """Record how rows change places."""
    if sample.permutations is not None:
        return {"permutations": {"count": sample.permutations.count, "digest": sample.permutations.digest}}
    return {} if sample.blocks is None else {"blocks": int(np.unique(sample.blocks).size), "exchange": exchange}


def make_plan(
    sample: Sample,
    fdr: float,
    method: Method | str | None,
    null: Null | str | None,
    execution: Execution,
    sets: bool = False,
) -> Plan:
    """Check that the choices go together and with y, on a column of ranks: what fails there fails in every column."""
    ranks = read_features(np.arange(1.0, sample.n + 1.0))
    user_null = choose_null(null)
    default = screening_forest() if sets else screening_method()
    choice = Choice(default if method is None else choose_method(method), user_null, "within", execution)
    return Plan(choice.set_up(replace(sample, x=ranks)), user_null, sample.y, float(fdr))


def _assemble(sample: Sample, names: Sequence[str], results: Sequence[UnitResult], **others: Any) -> Screen:
    """Adjust p-values and build the result; raise if no unit could be tested."""
    errors = {name: each.error for name, each in zip(names, results, strict=True) if each.error is not None}
    if len(errors) == len(names):
        finding = f": none of its {len(names)} columns or sets can be tested; the first, {names[0]!r}: "
        raise InputError(Message(finding, errors[names[0]]), argument="x")
    return Screen(
        names=tuple(names),
        statistics=np.array([each.statistic for each in results]),
        **adjusted(results),
        errors=errors,
        n=sample.n,
        y_kind=sample.y.kind,
        events=sample.y.events,
        groups=sample.y.class_sizes,
        y_names=names_of(sample).y,
        units=sample.column_units,
        **others,
    )


def _planned_screen(
    plan: Plan, sample: Sample, units: Units, results: Mapping[int, UnitResult], members: dict[str, Any]
) -> Screen:
    ready, names = plan.ready, units.names
    default = {"class": type(plan.null(1, len(names))).__name__, "n_resamples": None}  # patterns differ in it
    result = _assemble(
        sample,
        names,
        [results[number] for number in units.numbers],
        method=ready.method.name,
        fdr=plan.fdr,
        settings={"method": as_plain(ready.method)}
        | {"null": default if plan.user_null is None else as_plain(plan.user_null)}
        | members,
        seed=ready.run.seed,
    )
    tests = len(names) - len(result.errors)
    notes = (
        *ready.notes,
        *_interrupted_note(result),
        *_limit_note(plan, tests),
        *model_note(result),
    )
    return replace(result, notes=notes, source=_source(plan, tests, int(result.draws.max())))


def _screen_given(
    sample: Sample,
    fdr: float,
    units: Units,
    null: Null | str | None,
    execution: Execution,
    members: dict[str, Any],
) -> Screen:
    """Test every unit against y given z."""
    assert sample.z is not None
    seed = as_seed(execution.rng)
    user_null = check_null(null)
    given, (y,) = remove_given(Given(sample.z, seed), sample.n, {_Y: of_response(sample.y)})
    check_strata(user_null, given)
    used = user_null or _default_null_given(sample.n, len(units), fdr)
    workers, shown = parallel.worker_count(execution.n_jobs), as_progress(execution.progress, METHOD)
    with one_thread():  # around the workers, as each of them limits threads for all
        test = partial(_test_given, given, sample.y.values, y, used)
        tested = parallel.run(test, list(units), n_jobs=workers, backend=execution.backend, progress=shown)
    misfits = np.array([misfit for _, misfit in tested])
    return _assemble(
        sample,
        units.names,
        [result for result, _ in tested],
        method=METHOD,
        fdr=float(fdr),
        settings={"given": list(sample.z.names)}
        | ({} if user_null is None else {"null": as_plain(user_null)})
        | members,
        seed=seed,
        notes=(*sample.notes, *_notes_given(given, sample, y, misfits)),
    )


def _default_null_given(n: int, tests: int, fdr: float) -> Null:
    draws = min(MAX_DRAWS_GIVEN, max(MIN_DRAWS, math.ceil(tests / fdr)))
    return BesagClifford(Permutation(draws) if n < FEW_ROWS else Extrapolated(draws))


def _test_given(given: Given, y_values: Floats, y: Residuals, null: Null, unit: Unit) -> tuple[UnitResult, float]:
    """Return the result of a unit, and the p-value of whether its residuals still depend on z."""
    why = fault(unit.x)
    if why is not None:
        return UnitResult(error=why), 1.0
    column = given.remove_from(of_features(unit.x), 1 + unit.number)
    result = judge(given, column, y, null, arrangements(given, unit.x.values, y_values))
    return UnitResult.of(normal_score(result.limit), result.null), min(column.lack_of_fit, result.shrinking)


def _notes_given(given: Given, sample: Sample, y: Residuals, misfits: Floats) -> Iterator[str]:
    """Say what p-values rest on, and how many columns still depend on z."""
    if given.strata is not None:
        yield f"y was permuted inside {given.strata.count:,} strata of the covariates."
    if given.strata is None or given.strata.rest:
        yield "P-values are approximate: they are valid as far as the regressions remove what z explains."
    yield from filter(None, [named_note(given, sample).strip()])
    if y.lack_of_fit <= DOUBT:
        yield "The residuals of y still depend on given, so p-values may be far too small."
    doubtful = int((misfits <= DOUBT).sum())
    if doubtful:
        yield f"The residuals of {doubtful} of {misfits.size} columns may still depend on given."


def _interrupted_note(result: Screen) -> Iterator[str]:
    if result.interrupted:
        yield (
            f"Interrupted: {result.tested} of {len(result)} were tested, in their order, and p-values are adjusted for "
            "these alone."
        )


def _source(plan: Plan, tests: int, most: int) -> str:
    """Say where the p-values come from."""
    null = plan.null(1, tests)
    if null.n_resamples == 0:
        return ""
    if plan.ready.problem.learns:
        return f"Columns enter by their ranks; those with the same ties share their permuted refits, {most} at most."
    permuted = (
        f"y is permuted up to {null.n_resamples:,} times per column, until {STOP_AT} statistics reach the observed one."
    )
    if plan.ready.method != screening_method():
        return permuted
    return f"{permuted} No forest is grown; `independence` combines more tests, so its p differs."


def _limit_note(plan: Plan, tests: int) -> Iterator[str]:
    """Say where no p-value can be small enough."""
    null = plan.null(1, tests)
    if null.n_resamples == 0:
        return
    smallest, needed = 1.0 / (1 + null.n_resamples), plan.fdr / tests
    if not null.models_tail and smallest > needed:
        limit = f"No p-value can be below {smallest:.2g}, and a column selected alone needs {needed:.2g}: pass "
        yield Message(limit, Argument("null", Call("Permutation", (math.ceil(1 / needed),))), " if that matters.")
