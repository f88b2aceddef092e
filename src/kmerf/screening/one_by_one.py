"""Columns that have permutations of their own: those of methods that learn nothing, and those with blocks.

Methods that learn nothing stop early by the rule of Besag and Clifford (`kmerf.nulls.definitions`). With blocks, each
column is tested within blocks, or between them, as `kmerf.data.block_parts` says. Columns that are tested between
blocks are tested on one row per block, like those of any other screen. Columns that are tested within blocks have
permutations of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kmerf.core.arrays import read_only
from kmerf.core.errors import InputError, Message, choose, message_of
from kmerf.core.streams import Purpose, seed_for, stream
from kmerf.data.block_parts import CANNOT, KINDS, BlockPart, block_part
from kmerf.data.exchangeability import Exchange, exchange_of, log_arrangements
from kmerf.data.sample import Features, Response, Sample, fault
from kmerf.explain.column_effects import column_effects
from kmerf.methods.protocol import Method, observe, prepare
from kmerf.nulls.definitions import BesagClifford, Sequential
from kmerf.nulls.judging import Resample, Run, draw_and_judge, judge_draws
from kmerf.results.views import ColumnEffects, Sketch
from kmerf.screening.patterns import by_pattern, find_patterns, ranked
from kmerf.screening.screen_store import Job, kept_tasks
from kmerf.screening.units import FAILURES, MANY_COLUMNS, Plan, Unit, UnitResult

if TYPE_CHECKING:
    from kmerf.nulls.definitions import Null


def judge_units(plan: Plan, units: Sequence[Unit], results: dict[int, UnitResult]) -> None:
    """Test units whose rows may all be exchanged, and put each result into `results` as soon as it is there.

    Units are tested by pattern if the method learns or combines, or if it sees ranks alone and many units share a
    pattern; all others one by one.
    """
    if plan.ready.problem.learns or len(observe(plan.ready.problem).parts) > 1:
        by_pattern(plan, find_patterns(units, plan.ready.run.seed), len(units), results)
        return
    shared: set[int] = set()
    if plan.ready.method.ranks_only and len(units) >= MANY_COLUMNS:
        patterns = [each for each in find_patterns(units, plan.ready.run.seed) if len(each.orders) >= MANY_COLUMNS]
        shared = {number for pattern in patterns for number in pattern.orders}
        by_pattern(plan, patterns, len(units), results)
    one_by_one(plan, [unit for unit in units if unit.number not in shared], len(units), results)


def one_by_one(plan: Plan, units: Sequence[Unit], tests: int, results: dict[int, UnitResult]) -> None:
    """Compare each column with permutations of its own; there are so many tests in all."""
    null, seed = plan.null(1, tests), plan.ready.run.seed
    test = partial(_test, plan.ready.method, plan.y, null, seed)
    _run(plan, null, test, units, lambda unit: (unit.number, unit.x, seed), results)


def _test(method: Method, y: Response, null: Null, seed: int, unit: Unit) -> UnitResult:
    try:
        problem = method.prepare(Sample(unit.x, y, 0, ()), seed)
        rng = stream(seed, Purpose.SCREEN_PERMUTATION, unit.number)
        draws = (problem.fit(rng.permutation(problem.n), number).statistic for number in count(1))
        allowed = Exchange(log_arrangements=log_arrangements(unit.x.values, y.values))
        judgement = judge_draws(BesagClifford(null), observe(problem).statistic, draws, problem.n, allowed)
    except FAILURES as error:
        return UnitResult(error=message_of(error))
    return UnitResult.of(*judgement)


def _run(
    plan: Plan,
    null: Null,
    test: Callable[[Any], UnitResult],
    tasks: Sequence[Any],
    rests_on: Callable[[Any], tuple[Any, ...]],
    results: dict[int, UnitResult],
) -> None:
    """Test each task, or take its result from the store; the result depends on what `rests_on` gives."""
    run = plan.ready.run
    job = Job(test, rests_on, pack, partial(unpack, int(null.n_resamples)))
    with kept_tasks(plan.store, (plan.ready.method, null), plan.y, __name__) as store:
        store.run(job, tasks, run, lambda todo: run.progress, lambda k, each: results.update({tasks[k].number: each}))


def pack(result: UnitResult) -> list[float | None] | None:
    """Return a result as it is stored; errors are not."""
    return list(result[:4]) if result.error is None else None


def unpack(most: int, unit: Any, stored: Any) -> UnitResult:
    """Return a stored result; raise a ValueError if it is not a statistic, p-value and number of draws."""
    statistic, pvalue, draws, extrapolated = stored
    kinds = isinstance(statistic, float) and isinstance(pvalue, float) and isinstance(extrapolated, bool)
    if (
        not kinds
        or not isinstance(draws, int)
        or not math.isfinite(statistic)
        or not 0.0 < pvalue <= 1.0
        or not 0 <= draws <= most
    ):
        raise ValueError(f"{stored!r} is not the outcome of a test of column {unit.number + 1}")
    return UnitResult(statistic, pvalue, draws, extrapolated)


class BlockScreen(NamedTuple):
    """The results of a screen with blocks."""

    results: dict[int, UnitResult]
    parts: dict[int, BlockPart]
    """What was tested of each unit that could be."""

    def notes(self) -> list[str]:
        """Say how many columns were tested in which way."""
        ways = [part.settings.get("exchange") for part in self.parts.values()]
        words = {
            "within": "within blocks: relative to the mean of the block",
            "between": "between blocks: one row per block, its mean",
            "whole": "with whole blocks exchanged",
        }
        return [f"{ways.count(way)} tested {how}." for way, how in words.items() if way in ways]

    def ways(self, names: Sequence[str]) -> dict[str, str]:
        """Return what was tested of each column: "within", "between" or "whole"."""
        return {names[number]: part.settings.get("exchange", "") for number, part in self.parts.items()}

    def effects(self, names: Sequence[str], selected: Sequence[str]) -> ColumnEffects:
        """Return how strong each relation is, within or between blocks as it was tested."""
        sizes, directions = np.full(len(names), np.nan), [""] * len(names)
        sketches: dict[str, Sketch] = {}
        for number, part in self.parts.items():
            if part.sample.x.p > 1:  # the shares of a category
                continue
            own = column_effects(part.sample.x, part.sample.y, selected)
            sizes[number], directions[number] = own.sizes[0], own.directions[0]
            sketches |= own.sketches
        return ColumnEffects(sizes, tuple(directions), sketches)


def screen_blocks(
    sample: Sample,
    kind: str,
    units: Sequence[Unit],
    plan_for: Callable[[Sample], Plan],
) -> BlockScreen:
    """Test every unit within blocks or between them; `plan_for` plans a screen of a sample."""
    choose("exchange", kind, KINDS)
    results: dict[int, UnitResult] = {}
    parts: dict[int, BlockPart] = {}
    for unit in units:
        why = fault(unit.x)
        try:
            if why is None:
                parts[unit.number] = block_part(replace(sample, x=unit.x), kind)
        except InputError as error:
            why = _reason(error)
        if why is not None:
            results[unit.number] = UnitResult(error=why)
    names = {unit.number: unit.name for unit in units}
    free = [Unit(number, names[number], part.sample.x) for number, part in parts.items() if part.sample.free]
    if free:
        judge_units(plan_for(parts[free[0].number].sample), free, results)  # y is the same in all of them
    restricted = [_BlockTask(number, part) for number, part in parts.items() if not part.sample.free]
    if restricted:
        plan = plan_for(replace(sample, blocks=None, inside=None, run=1, permutations=None))
        null, seed = plan.null(1, len(parts)), plan.ready.run.seed
        test = partial(_test_part, plan.ready.method, null, seed)
        _run(plan, null, test, restricted, lambda task: (seed, *task.rests_on()), results)
    return BlockScreen(results, parts)


def _reason(error: InputError) -> str:
    """Return why a column cannot be tested, without its name."""
    parts = error.problems[0].message.parts
    start = next((k for k, part in enumerate(parts) if isinstance(part, str) and part.startswith(CANNOT)), None)
    return message_of(error) if start is None else Message(*parts[start:])


class _BlockTask(NamedTuple):
    """The test of a unit, some rows of which may be exchanged."""

    number: int
    part: BlockPart

    def rests_on(self) -> tuple[Any, ...]:
        """Return all that its result depends on, besides the method and the seed."""
        sample = self.part.sample
        own = None if sample.permutations is None else sample.permutations.digest
        return self.number, sample.x, sample.y, sample.blocks, sample.inside, self.part.exchange, sample.run, own


def _test_part(method: Method, null: Null, seed: int, task: _BlockTask) -> UnitResult:
    sample, own = task.part.sample, seed_for(seed, Purpose.SCREEN_PERMUTATION, task.number)
    try:
        allowed = exchange_of(sample, task.part.exchange)
        problem = prepare(method, sample, own, allowed)
        if problem.learns:
            problem = prepare(method, replace(sample, x=_ranks(sample.x)), own, allowed)
        fit = observe(problem)
        if problem.learns or len(fit.parts) > 1:
            sequential = Sequential(null.n_resamples) if null.models_tail else null
            judgement, _ = draw_and_judge(sequential, problem, fit, Run(own, 1, exchange=allowed))
        else:
            job = Resample(problem, own, allowed)
            draws = (float(job(number)[0][0]) for number in count(1))
            judgement = judge_draws(BesagClifford(null), fit.statistic, draws, problem.n, allowed)
    except FAILURES as error:
        return UnitResult(error=message_of(error))
    return UnitResult.of(*judgement)


def _ranks(x: Features) -> Features:
    """Return columns by their ranks, as in screens without blocks; the codes of categories stay."""
    columns = zip(x.values.T, x.levels, strict=True)
    return replace(x, values=read_only(np.column_stack([each if codes else ranked(each) for each, codes in columns])))
