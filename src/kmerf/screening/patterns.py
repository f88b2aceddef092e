"""Methods that learn: one null for all columns that have the same ties.

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
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kmerf.core.arrays import Floats, mid_ranks, read_only
from kmerf.core.errors import message_of
from kmerf.core.streams import Purpose, stream
from kmerf.data.exchangeability import Exchange, log_arrangements, row_keys
from kmerf.data.sample import Features, Response, Sample
from kmerf.execution.progress import Stretch
from kmerf.nulls.combining import combine_many
from kmerf.nulls.definitions import interim_analyses_until
from kmerf.nulls.judging import Judgement, Resample, bounded, check_finite, judge, judge_combined, judge_in_turn
from kmerf.screening.screen_store import Job, KeptTasks, kept_tasks
from kmerf.screening.units import FAILURES, MANY_COLUMNS, Plan, Unit, UnitResult

if TYPE_CHECKING:
    from kmerf.execution.progress import Progress
    from kmerf.methods.protocol import Method
    from kmerf.nulls.definitions import Null

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
