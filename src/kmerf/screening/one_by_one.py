"""Columns that have permutations of their own: those of methods that learn nothing, and those with blocks.

Methods that learn nothing stop early by the rule of Besag and Clifford (`kmerf.nulls.definitions`). With blocks, each
column is tested within blocks, or between them, as `kmerf.data.block_parts` says. Columns that are tested between
blocks are tested on one row per block, like those of any other screen. Columns that are tested within blocks have
permutations of their own.

The units of a screen (columns, or named sets of columns), the plan of their tests, and the result of each.

Methods that learn: one null for all columns that have the same ties.

Such a method (a forest) is given the ranks of a column: equal values share their mean rank, missing ones stay missing.
Put the rows in the order o of their ranks, equal ones in random order. What is left of the column is its *pattern*, the
sorted ranks: 1, 2, ..., n for every column without ties or missing values. With s the stream of random numbers of a
forest, the column's statistic and B null statistics are

    T_j = T(pattern, y[o], s_j),    T_b = T(pattern, y[o_b], s_b),    o_b a random order, b = 1, ..., B.

If y does not depend on the column, o is a random order too (permuting y against fixed ranks is permuting ranks against
a fixed y), so T_j and the T_b are exchangeable, and p_j = (1 + number of T_b >= T_j) / (1 + B) is exact for *every*
column of that pattern. It takes ranks to make it so: a threshold lies midway between two values that the tree has seen,
and on which side of it an out-of-bag row falls depends on how the values are spaced, not on their order alone.

If fewer than ten columns share a pattern, each stops at the first interim analysis at which its p-value is above the
bound (`kmerf.nulls.definitions`). The pattern's null statistics are drawn until all its columns have stopped.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kmerf.core.arrays import Floats, mid_ranks, read_only
from kmerf.core.errors import InputError, KmerfError, Message, choose, message_of
from kmerf.core.streams import Purpose, seed_for, stream
from kmerf.data.block_parts import CANNOT, KINDS, BlockPart, block_part
from kmerf.data.exchangeability import Exchange, exchange_of, log_arrangements, row_keys
from kmerf.data.sample import Features, Response, Sample, column_part, fault
from kmerf.execution.progress import Stretch
from kmerf.explain.column_effects import column_effects
from kmerf.methods.protocol import Method, observe, prepare
from kmerf.nulls.definitions import (
    BesagClifford,
    Extrapolated,
    Permutation,
    Sequential,
    benjamini_hochberg,
    benjamini_yekutieli,
    combine_many,
    interim_analyses_until,
)
from kmerf.nulls.judging import (
    Judgement,
    Resample,
    Run,
    bounded,
    check_finite,
    draw_and_judge,
    judge,
    judge_combined,
    judge_draws,
    judge_in_turn,
    refits_take_time,
)
from kmerf.reading.named_columns import read_sets
from kmerf.results.views import ColumnEffects, Sketch
from kmerf.screening.screen_store import Job, KeptTasks, kept_tasks

if TYPE_CHECKING:
    from kmerf.execution.progress import Progress
    from kmerf.methods.protocol import Method
    from kmerf.nulls.definitions import Null
    from kmerf.questions.answer import PreparedTest
    from kmerf.results.parts import NullResult
    from kmerf.results.screen_result import Associations, Screen
    from kmerf.screening.screen_store import StorePath


_PIECE = 16  # statistics that a worker takes at a time
_QUICK_PIECE = 1024  # where nothing is fitted again
_OBSERVED = 2**40  # the refits of columns are numbered from here on, those of null statistics from 1


Order = NDArray[np.unsignedinteger[Any]]


class Pattern(NamedTuple):
    """The sorted ranks that some columns share, and the order in which each of them puts the rows of y."""

    x: Features
    seed: int
    orders: dict[int, Order]


def ranked(values: Floats) -> Floats:
    """Return ranks from 1 on; equal values share their mean rank, missing ones stay missing.

    >>> ranked(np.array([5.0, 3.0, np.nan, 5.0])).tolist()
    [2.5, 1.0, nan, 2.5]
    """
    return np.where(np.isnan(values), np.nan, mid_ranks(values))


def find_patterns(units: Iterable[Unit], seed: int) -> list[Pattern]:
    """Sort each column, or the rows of each set, and bring together those that are then the same.

    A pattern has a seed of its own, made from the screen's and the pattern itself, so that nulls of different patterns
    are independent, and do not depend on what else is tested.
    """
    patterns: dict[bytes, Pattern] = {}
    for unit in units:
        levels = unit.x.levels
        columns = zip(unit.x.values.T, levels, strict=True)
        ranks = np.column_stack([column if codes else ranked(column) for column, codes in columns])
        chance = stream(seed, Purpose.TIED_RANKS, unit.number).random(len(ranks))
        order = np.lexsort((chance, *ranks.T[::-1]))
        rows = read_only(ranks[order])
        key = hashlib.blake2b(
            rows.tobytes() + (levels.tobytes() if levels.any() else b""), key=seed.to_bytes(8, "little"), digest_size=16
        ).digest()
        if key not in patterns:
            patterns[key] = Pattern(replace(unit.x, values=rows), int.from_bytes(key[:8], "little"), {})
        patterns[key].orders[unit.number] = order.astype(np.min_scalar_type(len(order)))  # of many, most of the memory
    return list(patterns.values())


def by_pattern(plan: Plan, patterns: Sequence[Pattern], tests: int, results: dict[int, UnitResult]) -> None:
    """Compare columns that have the same pattern with one null; there are so many tests in all.

    On Ctrl-C, `results` has the columns of the patterns that are done.
    """
    nulls = [plan.null(len(pattern.orders), tests) for pattern in patterns]
    draws = [_Drawn() for _ in patterns]
    try:
        with kept_tasks(plan.store, (plan.ready.method,), plan.y, __name__) as store:
            _draw(plan, patterns, nulls, store, draws)
    finally:
        for pattern, null, own in zip(patterns, nulls, draws, strict=True):
            if own.fault:
                results |= dict.fromkeys(pattern.orders, UnitResult(error=own.fault))
            elif own.done:
                results |= _compare(pattern, null, own, plan.y)


class _Drawn:
    """The statistics of the columns of a pattern, then its null statistics, or the error."""

    def __init__(self) -> None:
        self.statistics: list[Floats] = []
        self.weights: Floats = np.empty(0)
        self.fault: str | None = None
        self.done = False

    def add(self, fitted: _Fitted | str) -> None:
        if isinstance(fitted, str):
            self.fault = self.fault or fitted
        else:
            self.statistics += fitted.statistics
            self.weights = fitted.weights


def _draw(
    plan: Plan, patterns: Sequence[Pattern], nulls: Sequence[Null], store: KeptTasks, draws: Sequence[_Drawn]
) -> None:
    """Draw the statistics of all patterns, in rounds, until each has enough of them."""
    run = plan.ready.run
    job = Job(partial(_fit, plan.ready.method, plan.y), _Piece.rests_on, _pack, _unpack)
    needs = [len(pattern.orders) + int(null.n_resamples) for pattern, null in zip(patterns, nulls, strict=True)]
    size = _PIECE if plan.ready.problem.learns else _QUICK_PIECE
    meter = _Meter(run.progress, sum(needs))
    active = list(range(len(patterns)))
    while active:
        pieces = [each for i in active for each in _pieces(i, patterns[i], len(draws[i].statistics), needs[i], size)]
        lacking = sum(needs[i] - len(draws[i].statistics) for i in active)
        for piece, fitted in zip(pieces, store.run(job, pieces, run, meter.round(lacking, pieces)), strict=True):
            draws[piece.pattern].add(fitted)
        for i in active:
            draws[i].done = draws[i].fault is not None or _enough(patterns[i], nulls[i], draws[i])
        active = [i for i in active if not draws[i].done]
    meter.end()


def _compare(pattern: Pattern, null: Null, draws: _Drawn, y: Response) -> dict[int, UnitResult]:
    """Find the p-values of a pattern's columns from their statistics and the null statistics."""
    size = len(pattern.orders)
    statistics = np.array(draws.statistics)
    limits = list(_log_arrangements(pattern, y))
    if size < MANY_COLUMNS:
        early = (judge_early(null, each, statistics[size:], draws.weights, pattern.x.n) for each in statistics[:size])
        judgements = [
            (t, bounded(result, limit)) for (t, result), limit in zip(filter(None, early), limits, strict=True)
        ]
    else:
        observed, permuted = combine_many(statistics[:size], statistics[size:], draws.weights)
        judgements = [
            judge_combined(null, t, permuted, pattern.x.n, Exchange(log_arrangements=limit))
            for t, limit in zip(observed.tolist(), limits, strict=True)
        ]
    return {j: UnitResult.of(*judgement) for j, judgement in zip(pattern.orders, judgements, strict=True)}


def _log_arrangements(pattern: Pattern, y: Response) -> Iterator[float]:
    """Yield for each column the logarithm of one over its smallest p-value; it is the same for all without ties."""
    x = pattern.x.values
    tied = all(len(np.unique(row_keys(values))) < len(values) for values in (x, y.values))
    for k, order in enumerate(pattern.orders.values()):
        if k == 0 or tied:
            limit = log_arrangements(x, y.values[order])
        yield limit


def judge_early(null: Null, observed: Floats, permuted: Floats, weights: Floats, n: int) -> Judgement | None:
    """Judge the statistics (k,) of a column at the first interim analysis that stops; None if it needs more draws."""
    every = interim_analyses_until(int(null.n_resamples))
    analyses = [each for each in every if each.n_resamples <= len(permuted)]
    if not analyses:
        return None
    last = judge_in_turn(analyses, lambda size: judge(null, observed, permuted[:size], weights, n, Exchange()))
    return last if last.null.stopped or last.null.pvalue > analyses[-1].stop_above else None


class _Piece(NamedTuple):
    """Some of the statistics of a pattern: numbers of refits, with the order of y if it is that of a column."""

    pattern: int
    x: Features
    seed: int
    refits: list[tuple[int, Order | None]]

    def rests_on(self) -> tuple[Any, ...]:
        """Return all that its statistics depend on; not its number, which other columns may change."""
        return self.x, self.seed, self.refits


def _pieces(number: int, pattern: Pattern, done: int, needed: int, length: int) -> Iterator[_Piece]:
    """Cut what a pattern needs next into pieces: its columns, then some null statistics, or all if many share them."""
    size = len(pattern.orders)
    analyses = (size + each.n_resamples for each in interim_analyses_until(needed - size))
    goal = needed if size >= MANY_COLUMNS else next(each for each in analyses if each > done)
    refits: list[tuple[int, Order | None]] = [(_OBSERVED + j, order) for j, order in pattern.orders.items()]
    refits += [(draw, None) for draw in range(1, goal - size + 1)]
    for start in range(done, goal, length):
        yield _Piece(number, pattern.x, pattern.seed, refits[start : min(start + length, goal)])


class _Fitted(NamedTuple):
    """The statistics of a piece (k,) each, and how much each of the k counts."""

    statistics: list[Floats]
    weights: Floats


def _fit(method: Method, y: Response, piece: _Piece) -> _Fitted | str:
    """Return the statistics of a piece, or the error."""
    try:
        problem = method.prepare(Sample(piece.x, y, 0, ()), piece.seed)
        null = Resample(problem, piece.seed)
        statistics = []
        for number, order in piece.refits:
            fit = problem.fit(null.order(number) if order is None else order.astype(np.int64), number)
            check_finite(fit.statistics)
            statistics.append(fit.statistics)
        return _Fitted(statistics, fit.weights)
    except FAILURES as error:
        return message_of(error)


def _pack(fitted: _Fitted | str) -> list[Any] | None:
    """Return statistics as they are stored; errors are not."""
    return None if isinstance(fitted, str) else [np.array(fitted.statistics).tolist(), fitted.weights.tolist()]


def _unpack(piece: _Piece, stored: Any) -> _Fitted | str:
    """Return the stored statistics of a piece; raise a ValueError if they cannot be those of its refits."""
    statistics, weights = (np.array(each, dtype=np.float64) for each in stored)
    if weights.ndim != 1 or statistics.shape != (len(piece.refits), weights.size) or not weights.size:
        raise ValueError(f"statistics {statistics.shape} and weights {weights.shape} of {len(piece.refits)} refits")
    if not np.isfinite(statistics).all() or not (np.isfinite(weights).all() and (weights >= 0.0).all()):
        raise ValueError("statistics or weights that are not finite numbers")
    return _Fitted(list(statistics), weights)


def _enough(pattern: Pattern, null: Null, draws: _Drawn) -> bool:
    """Return whether no column of a pattern needs more null statistics."""
    size, done = len(pattern.orders), len(draws.statistics)
    if done >= size + int(null.n_resamples) or size >= MANY_COLUMNS:
        return done >= size + int(null.n_resamples)
    statistics = np.array(draws.statistics)
    return all(judge_early(null, each, statistics[size:], draws.weights, pattern.x.n) for each in statistics[:size])


class _Meter:
    """Shows how many statistics are computed, of all that may be needed and were not in a store."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress = progress
        self._total = total
        self._shown = 0

    def round(self, lacking: int, pieces: Sequence[_Piece]) -> Callable[[Sequence[_Piece]], Progress]:
        """Return what shows a round of pieces once it is known which of them are computed."""

        def show(todo: Sequence[_Piece]) -> Progress:
            before, size = self._total - lacking, _size(todo)
            self._total -= _size(pieces) - size
            self._shown = before + size
            return Stretch(self._progress, before, self._total, size)

        return show

    def end(self) -> None:
        """Show that nothing more is needed."""
        if self._shown < self._total:
            self._progress(self._total, self._total)


def _size(pieces: Sequence[_Piece]) -> int:
    return sum(len(piece.refits) for piece in pieces)


MIN_DRAWS, MAX_DRAWS = 999, 99_999  # of the default null
MIN_UNSHARED_DRAWS = 99  # if few columns share a pattern, and pay for its null statistics themselves
MANY_COLUMNS = 10  # columns with one pattern, from which on all null statistics are drawn
FAILURES = (KmerfError, ValueError, ArithmeticError)  # errors of a single column; numpy's LinAlgError is among them


class Plan(NamedTuple):
    """What all columns have in common; `chosen` is the null that the user asks for."""

    ready: PreparedTest
    user_null: Null | None
    y: Response
    fdr: float
    store: StorePath | None = None

    def null(self, columns: int, tests: int) -> Null:
        """Return the null for some columns that share it, out of all that are tested."""
        if self.user_null is not None:
            return self.user_null
        if not refits_take_time(self.ready.problem):
            needed = math.ceil(tests / self.fdr)
            if columns >= MANY_COLUMNS and needed > MAX_DRAWS:  # only a model of the tail goes far enough
                return Extrapolated(MAX_DRAWS)
            finer = 2 if self.ready.method.ranks_only else 1  # so quick that one unlucky draw need not decide
            return Permutation(min(MAX_DRAWS, max(MIN_DRAWS, finer * needed)))
        if columns < MANY_COLUMNS:  # up to 50 tests, enough to select one column alone by ranks at a rate of 0.05
            return Extrapolated(min(MIN_DRAWS, max(MIN_UNSHARED_DRAWS, math.ceil(tests / self.fdr) - 1)))
        return Extrapolated(min(MAX_DRAWS, max(MIN_DRAWS, math.ceil(columns / self.fdr))))


class Unit(NamedTuple):
    """A column or a set of columns to be tested."""

    number: int
    name: str
    x: Features


@dataclass(frozen=True, eq=False)
class Units(Sequence[Unit]):
    """All units, each taken out of the table when it is needed: all at once would need much memory."""

    x: Features
    columns: Mapping[str, Sequence[int]]  # of each unit, by its name
    numbers: Sequence[int]  # of the units that are here

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return replace(self, numbers=self.numbers[index])
        number = self.numbers[index]
        name = self.names[number]
        return Unit(number, name, column_part(self.x, self.columns[name]))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of all units, by their numbers."""
        return tuple(self.columns)


def read_units(x: Features, sets: Mapping[str, Any] | None) -> Units:
    """Return what is to be tested."""
    columns = {name: [j] for j, name in enumerate(x.names)} if sets is None else read_sets("sets", sets, x)
    return Units(x, columns, range(len(columns)))


class UnitResult(NamedTuple):
    """The result of one unit, or why it could not be tested."""

    statistic: float = math.nan
    pvalue: float = math.nan
    draws: int = 0
    extrapolated: bool = False
    error: str | None = None
    """Why it could not be tested; `Screen.INTERRUPTED` if the screen ended before."""

    @classmethod
    def of(cls, statistic: float, result: NullResult) -> UnitResult:
        """Return what a null gave for a statistic."""
        draws = 0 if result.distribution is None else result.distribution.size
        return cls(statistic, result.pvalue, draws, result.extrapolated)


def adjusted(results: Sequence[UnitResult]) -> dict[str, Any]:
    """Adjust the p-values of all tests, by name as in `Screen` and `Associations`; none is below its permutations'."""
    modelled = np.array([each.pvalue for each in results])
    draws = np.array([each.draws for each in results], dtype=np.int64)
    extrapolated = np.array([each.extrapolated for each in results], dtype=np.bool_)
    pvalues = np.where(extrapolated, 1.0 / (1.0 + draws), modelled)
    return {
        "pvalues": pvalues,
        "adjusted_bh": np.fmax(benjamini_hochberg(modelled), pvalues),
        "adjusted_by": np.fmax(benjamini_yekutieli(modelled), pvalues),
        "modelled": modelled if extrapolated.any() else None,
        "extrapolated": extrapolated,
        "draws": draws,
    }


def model_note(result: Screen | Associations) -> Iterator[str]:
    """Say how many are selected because of the model of the tail alone."""
    selected, sure = len(result.selected), int((benjamini_hochberg(result.pvalues) <= result.fdr).sum())
    if selected > sure:
        yield (
            f"{selected - sure} of the {selected} selected depend on a model of the tail, which suggests how far p is "
            "below what the permutations can show."
        )


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
