"""A screen with blocks: each column is tested within blocks, or between them, as `kmerf.data.block_parts` says.

Columns that are tested between blocks are tested on one row per block, like those of any other screen. Columns that are
tested within blocks have permutations of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kmerf.core.arrays import read_only
from kmerf.core.errors import InputError, Message, choose, message_of
from kmerf.core.streams import Purpose, seed_for
from kmerf.data.block_parts import CANNOT, KINDS, BlockPart, block_part
from kmerf.data.exchangeability import exchange
from kmerf.data.sample import Features, Sample, fault
from kmerf.explain.column_effects import column_effects
from kmerf.methods.protocol import Method, observe, prepare
from kmerf.nulls.definitions import Sequential
from kmerf.nulls.judging import Resample, Run, draw_and_weigh
from kmerf.results.views import ColumnEffects, Sketch
from kmerf.screening.one_by_one import one_by_one, pack, sequential, unpack
from kmerf.screening.patterns import by_pattern, ranked
from kmerf.screening.screen_store import Job, kept_tasks
from kmerf.screening.units import FAILURES, Plan, Unit, UnitResult, finite, judged

if TYPE_CHECKING:
    from kmerf.nulls.definitions import Null


class BlockScreen(NamedTuple):
    """What a screen with blocks found."""

    results: dict[int, UnitResult]
    parts: dict[int, BlockPart]
    """What was tested of each unit that could be."""

    def notes(self) -> list[str]:
        """Say how many columns were tested in which way."""
        ways = [part.settings["exchange"] for part in self.parts.values()]
        words = {
            "within": "within blocks: relative to the mean of the block",
            "between": "between blocks: one row per block, its mean",
            "whole": "with whole blocks exchanged",
        }
        return [f"{ways.count(way)} tested {how}." for way, how in words.items() if way in ways]

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


def screen_blocks(sample: Sample, kind: str, units: Sequence[Unit], plan_for: Callable[[Sample], Plan]) -> BlockScreen:
    """Test every column, or set of columns, within blocks or between them; `plan_for` plans a screen of a sample."""
    choose("exchange", kind, KINDS)
    results: dict[int, UnitResult] = {}
    parts: dict[int, BlockPart] = {}
    free: list[int] = []
    restricted: list[int] = []
    for unit in units:
        why = fault(unit.x)
        try:
            if why is None:
                part = parts[unit.number] = block_part(replace(sample, x=unit.x), kind)
                (free if part.sample.blocks is None else restricted).append(unit.number)
        except InputError as error:
            why = _reason(error)
        if why is not None:
            results[unit.number] = UnitResult(error=why)
    names = {unit.number: unit.name for unit in units}
    if free:
        plan = plan_for(parts[free[0]].sample)  # y is the same in all of them
        single = [Unit(number, names[number], parts[number].sample.x) for number in free]
        together = plan.ready.problem.learns or len(observe(plan.ready.problem).parts) > 1
        results |= by_pattern(plan, single) if together else one_by_one(plan, single)
    if restricted:
        plan = plan_for(replace(sample, blocks=None, inside=None))
        results |= _each(plan, [_Task(number, parts[number]) for number in restricted], len(parts))
    return BlockScreen(results, parts)


def _reason(error: InputError) -> str:
    """Return why a column cannot be tested, without its name."""
    parts = error.problems[0].message.parts
    start = next((k for k, part in enumerate(parts) if isinstance(part, str) and part.startswith(CANNOT)), None)
    return message_of(error) if start is None else Message(*parts[start:])


class _Task(NamedTuple):
    """The test of a column, or set of columns, some rows of which change places."""

    number: int
    part: BlockPart

    def rests_on(self) -> tuple[Any, ...]:
        """Return all that its result depends on, besides the method and the seed."""
        sample = self.part.sample
        return self.number, sample.x, sample.y, sample.blocks, sample.inside, self.part.exchange


def _each(plan: Plan, tasks: Sequence[_Task], tests: int) -> dict[int, UnitResult]:
    """Test each with permutations of its own."""
    run, method, null = plan.ready.run, plan.ready.method, plan.null(1, tests)
    job = Job(partial(_test, method, null, run.seed), _Task.rests_on, pack, partial(unpack, int(null.n_resamples)))
    with kept_tasks(plan.store, (method, null), run.seed, __name__) as kept:
        results = kept.run(job, tasks, run, lambda todo: run.progress)
    return {task.number: each for task, each in zip(tasks, results, strict=True)}


def _test(method: Method, null: Null, seed: int, task: _Task) -> UnitResult:
    sample, own = task.part.sample, seed_for(seed, Purpose.SCREEN_PERMUTATION, task.number)
    try:
        allowed = exchange(sample.blocks, task.part.exchange, sample.y, sample.inside, sample.x)
        problem = prepare(method, sample, own, allowed)
        if problem.learns:
            problem = prepare(method, replace(sample, x=_ranks(sample.x)), own, allowed)
        fit = observe(problem)
        if problem.learns or len(fit.parts) > 1:
            looking = Sequential(null.n_resamples) if null.models_tail else null
            (statistic, found), _ = draw_and_weigh(looking, problem, fit, Run(own, 1, exchange=allowed))
        else:
            statistic, job = finite(fit.statistic), Resample(problem, own, allowed)
            draws = (float(job(number)[0][0]) for number in count(1))
            found = sequential(null, statistic, draws, problem.n)
    except FAILURES as error:
        return UnitResult(error=message_of(error))
    return judged(statistic, found, allowed.log_arrangements)


def _ranks(x: Features) -> Features:
    """Return columns by their ranks, as in screens without blocks; the codes of categories stay."""
    known = zip(x.values.T, x.levels, strict=True)
    return replace(x, values=read_only(np.column_stack([each if codes else ranked(each) for each, codes in known])))
