"""The question: which columns, or sets of columns, does y depend on? Read, plan, test each, adjust."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kmerf.adjustment.answering import refuse
from kmerf.core.errors import Argument, Call, InputError, Message
from kmerf.core.keywords import explain_unknown
from kmerf.core.settings import as_plain
from kmerf.core.streams import as_seed
from kmerf.data.block_parts import block_part
from kmerf.data.sample import fault, some_rows
from kmerf.execution.parallel import Execution
from kmerf.explain.column_effects import column_effects
from kmerf.methods.protocol import Method, observe
from kmerf.methods.registry import choose_method, screening_method
from kmerf.nulls.multiplicity import benjamini_hochberg, benjamini_yekutieli
from kmerf.nulls.registry import choose_null
from kmerf.questions.setup import Choice
from kmerf.reading import samples
from kmerf.reading.samples import read_features
from kmerf.results.screen_result import Screen
from kmerf.screening.one_by_one import STOP, one_by_one
from kmerf.screening.patterns import by_pattern
from kmerf.screening.screen_store import StorePath, check_store
from kmerf.screening.units import Plan, UnitResult, check_fdr, read_units
from kmerf.screening.with_blocks import screen_blocks
from kmerf.screening.with_given import screen_given

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints
    from kmerf.core.streams import Seed
    from kmerf.data.sample import Sample
    from kmerf.execution.progress import Progress
    from kmerf.nulls.definitions import Null


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
    rows: int | None = None,
    y_kind: str = "auto",
    missing_y: str = "auto",
    blocks: Any = None,
    exchange: str = "auto",
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
        The columns, one row an observation: an array, a list, or a table of pandas, polars or pyarrow.
    y
        What may depend on them: numbers, or classes (then: in which columns do the classes differ?); or, where x is a
        table, the name of its column (or columns) that holds y.
    fdr
        The false discovery rate: the expected share of selected columns that y does not depend on.
    method
        The test: by default `KMERF` with one forest of 100 small trees, which sees each column by its ranks and is
        cheap enough for many of them; or a rival such as `rivals.Dcorr()`; or `Portfolio()`, with more work.
    null
        Where p-values come from; `Permutation(n)` and `Extrapolated(n)` set the number of permutations. By default, a
        method that learns compares all columns that have the same ties and missing values with the same permuted
        refits: `1 / fdr` for each of them, but from 999 to 99,999. Columns with fewer than ten of their pattern of ties
        have refits of their own, `1 / fdr` times the number of columns, from 99 to 999, and stop early where the
        p-value is clearly large (`Sequential`). P-values below what refits can give are from a model of the tail, and
        marked (`Extrapolated`; below 20 rows there are none); `bounds` has what ranks give. Methods that refit nothing
        permute y for each column, `1 / fdr` times the number of columns, from 999 to 99,999, and stop early too.
    sets
        Sets of columns to test together, instead of each column alone: names, each with its columns by name or by
        position among the columns that are not y. Sets may overlap.
    given
        What every column is compared with y given, such as batch and age: columns with as many rows, or names of
        columns of x. It has a test of its own (`conditional`): leave out method, null and blocks.
    blocks, exchange
        As in `independence`, for each column or set by itself: by default, those that vary within blocks are tested
        within them, and those that are constant within every block between them.
    categorical, keep, na, rows, y_kind, missing_y, rng, n_jobs, backend, progress
        As in `independence`.
    store
        A file, such as "screen.sqlite", in which what has been computed is kept: stop the screen as you like, and the
        same call goes on where it was, to the same result. It needs a seed in rng.

    Returns
    -------
    Screen
        Statistics, p-values and adjusted p-values of all columns, and the names of those selected. A column that
        cannot be tested, such as a constant one, is listed in `errors`, and does not count as a test.

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
    sample = samples.read_independence(
        x, y, categorical=categorical, keep=keep, na=na, y_kind=y_kind, missing_y=missing_y, blocks=blocks, given=given
    )
    check_store(store, rng, given=sample.z is not None)
    sample, rng = some_rows(sample, rows, rng)
    if sample.z is not None:
        refuse(method=method, null=null, backend=backend, blocks=blocks is not None, exchange=exchange)
        return screen_given(sample, fdr, sets, Execution(rng, n_jobs, backend, progress))
    execution = Execution(as_seed(rng), n_jobs, backend, progress)
    units = read_units(sample.x, sets)
    members: dict[str, Any] = {} if sets is None else {"sets": {unit.name: list(unit.x.names) for unit in units}}

    def plan_for(part: Sample) -> Plan:
        return make_plan(part, fdr, method, null, execution)._replace(store=store)

    plan = plan_for(replace(sample, blocks=None, inside=None))
    if sample.blocks is not None:
        tested = screen_blocks(sample, exchange, units, plan_for)
        members |= {"blocks": int(np.unique(sample.blocks).size), "exchange": exchange}
        found = _screen(plan, units.names, [tested.results[number] for number in units.numbers], members)
        effects = None if sets is not None else tested.effects(units.names, found.selected)
        return replace(found, effects=effects, notes=(*found.notes, *tested.notes()), source="")
    block_part(sample, exchange)  # raises unless it makes sense without blocks
    results = {unit.number: UnitResult(error=why) for unit in units if (why := fault(unit.x)) is not None}
    sound = replace(units, numbers=[number for number in units.numbers if number not in results])
    if sound:
        parts = observe(plan.ready.problem).parts  # which also compiles, before the clock of the work starts
        together = plan.ready.problem.learns or len(parts) > 1
        results |= by_pattern(plan, sound) if together else one_by_one(plan, sound)
    found = _screen(plan, units.names, [results[number] for number in units.numbers], members)
    return found if sets is not None else replace(found, effects=column_effects(sample.x, sample.y, found.selected))


def make_plan(
    sample: Sample, fdr: float, method: Method | str | None, null: Null | str | None, execution: Execution
) -> Plan:
    """Check that the choices go together and with y, on a column of ranks: what fails there fails in every column."""
    check_fdr(fdr)
    ranks = read_features(np.arange(1.0, sample.n + 1.0))
    chosen = choose_null(null)
    choice = Choice(screening_method() if method is None else choose_method(method), chosen, "within", execution)
    return Plan(choice.set_up(replace(sample, x=ranks)), chosen, sample.y, float(fdr))


def _screen(plan: Plan, names: tuple[str, ...], results: Sequence[UnitResult], members: dict[str, Any]) -> Screen:
    errors = {name: each.error for name, each in zip(names, results, strict=True) if each.error is not None}
    if len(errors) == len(names):
        finding = f": none of its {len(names)} columns or sets can be tested; the first, {names[0]!r}: "
        raise InputError(Message(finding, errors[names[0]]), argument="x")
    statistics, pvalues, draws, extrapolated, _ = map(np.array, zip(*results, strict=True))
    ready, y = plan.ready, plan.y
    default = {"class": type(plan.null(1, len(names))).__name__, "n_resamples": None}  # patterns differ in it
    null = default if plan.given is None else as_plain(plan.given)
    return Screen(
        method=ready.method.name,
        names=names,
        statistics=statistics,
        pvalues=pvalues,
        adjusted_bh=benjamini_hochberg(pvalues),
        adjusted_by=benjamini_yekutieli(pvalues),
        extrapolated=extrapolated,
        draws=draws,
        errors=errors,
        fdr=plan.fdr,
        n=y.n,
        y_kind=y.kind,
        events=y.events,
        groups={} if y.codes is None else dict(zip(y.labels, np.bincount(y.codes).tolist(), strict=True)),
        settings={"method": as_plain(ready.method), "null": null} | members,
        seed=ready.run.seed,
        notes=(*ready.notes, *_limit_note(plan, len(names) - len(errors)), *_model_note(plan, pvalues, draws)),
        source=_source(plan, len(names) - len(errors), int(draws.max())),
    )


def _source(plan: Plan, tests: int, most: int) -> str:
    """Say where the p-values come from."""
    null = plan.null(1, tests)
    if null.n_resamples == 0:
        return ""
    if plan.ready.problem.learns:
        refits = f"Columns enter by their ranks; those with the same ties share their permuted refits, {most} at most."
        if plan.ready.method != screening_method():
            return refits
        return f"{refits} Each is tested by one small forest; `independence` asks more of a column, so its p differs."
    return f"y is permuted up to {null.n_resamples} times a column, until {STOP} statistics reach the observed one."


def _model_note(plan: Plan, pvalues: Floats, draws: Ints) -> Iterator[str]:
    """Say how many columns are selected because of the model of the tail alone."""
    by_rank = np.fmax(pvalues, np.where(draws > 0, 1.0 / (1.0 + draws), 0.0))
    selected, sure = ((benjamini_hochberg(each) <= plan.fdr).sum() for each in (pvalues, by_rank))
    if selected > sure:
        yield (
            f"{selected - sure} of the {selected} selected would not be by ranks alone: there a model of the tail says "
            "how far p is below what the permutations show."
        )


def _limit_note(plan: Plan, tests: int) -> Iterator[str]:
    """Say where no p-value can be small enough."""
    null = plan.null(1, tests)
    if null.n_resamples == 0:
        return
    smallest, needed = 1.0 / (1 + null.n_resamples), plan.fdr / tests
    if not null.models_tail and smallest > needed:
        limit = f"No p-value can be below {smallest:.2g}, and a column selected alone needs {needed:.2g}: pass "
        yield Message(limit, Argument("null", Call("Permutation", (math.ceil(1 / needed),))), " if that matters.")
