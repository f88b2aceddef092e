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

Where fewer than ten columns share a pattern, each stops at its own time by the rule of `kmerf.nulls.sequential`: at the
first look at which its p-value is clearly large. The pattern's null statistics are drawn until all its columns have.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kmerf.core import parallel
from kmerf.core.arrays import Floats, Ints, mid_ranks, read_only
from kmerf.core.errors import message_of
from kmerf.core.streams import Purpose, stream
from kmerf.data.sample_values import Features, Response, Sample
from kmerf.nulls.combining import combine, combine_many
from kmerf.nulls.resampling import Resample
from kmerf.nulls.sequential import looks_until
from kmerf.questions.screen_plan import FAILURES, MANY, Plan, Unit, UnitResult, finite, judged, log_arrangements

if TYPE_CHECKING:
    from kmerf.core.progress import Progress
    from kmerf.methods.protocol import Method
    from kmerf.nulls.protocol import Null
    from kmerf.results.parts import NullResult

_PIECE = 16  # statistics that a worker takes at a time
_OBSERVED = 2**40  # the refits of columns are numbered from here on, those of null statistics from 1


class Pattern(NamedTuple):
    """The sorted ranks that some columns share, and the order in which each of them puts the rows of y."""

    x: Features
    seed: int
    orders: dict[int, Ints]


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
        known = zip(unit.x.values.T, levels, strict=True)
        ranks = np.column_stack([column if codes else ranked(column) for column, codes in known])
        chance = stream(seed, Purpose.TIED_RANKS, unit.number).random(len(ranks))
        order = np.lexsort((chance, *ranks.T[::-1]))
        rows = read_only(ranks[order])
        key = hashlib.blake2b(
            rows.tobytes() + (levels.tobytes() if levels.any() else b""), key=seed.to_bytes(8, "little"), digest_size=16
        ).digest()
        if key not in patterns:
            patterns[key] = Pattern(replace(unit.x, values=rows), int.from_bytes(key[:8], "little"), {})
        patterns[key].orders[unit.number] = order
    return list(patterns.values())


def by_pattern(plan: Plan, units: Sequence[Unit]) -> dict[int, UnitResult]:
    """Compare columns that have the same pattern with one null, drawn in rounds until there is enough of it."""
    run = plan.ready.run
    patterns = find_patterns(units, run.seed)
    nulls = [plan.null(len(pattern.orders), len(units)) for pattern in patterns]
    needs = [len(pattern.orders) + int(null.n_resamples) for pattern, null in zip(patterns, nulls, strict=True)]
    known: list[list[Floats]] = [[] for _ in patterns]  # the statistics of the columns, then null statistics
    weights: dict[int, Floats] = {}
    faults: dict[int, str] = {}
    fit = partial(_fit, plan.ready.method, plan.y)
    total = sum(needs)
    active = list(range(len(patterns)))
    while active:
        pieces = [piece for i in active for piece in _pieces(i, patterns[i], known[i], needs[i])]
        settled = total - sum(needs[i] - len(known[i]) for i in active)
        shown = _part_of(run.progress, settled, sum(len(piece.refits) for piece in pieces), total)
        fitted = parallel.run(fit, pieces, n_jobs=run.n_jobs, backend=run.backend, progress=shown)
        for piece, values in zip(pieces, fitted, strict=True):
            if isinstance(values, str):
                faults.setdefault(piece.pattern, values)
            else:
                weights[piece.pattern] = values.weights
                known[piece.pattern] += values.statistics
        active = [i for i in active if i not in faults and not _enough(patterns[i], nulls[i], known[i], weights[i])]
    run.progress(total, total)
    outcomes: dict[int, UnitResult] = {}
    for i, pattern in enumerate(patterns):
        wrong = dict.fromkeys(pattern.orders, UnitResult(error=faults.get(i)))
        log_y = run.exchange.log_arrangements
        outcomes |= wrong if i in faults else _compare(pattern, nulls[i], known[i], weights[i], log_y)
    return outcomes


def _compare(pattern: Pattern, null: Null, known: list[Floats], weights: Floats, log_y: float) -> dict[int, UnitResult]:
    """Find the p-values of a pattern's columns from their statistics and the null statistics."""
    n, size = pattern.x.n, len(pattern.orders)
    statistics = np.array(known)
    log_fewest = min(log_y, log_arrangements(pattern.x.values))
    if size < MANY:
        settled = (settle(null, each, statistics[size:], weights, n) for each in statistics[:size])
        return {j: judged(*each, log_fewest) for j, each in zip(pattern.orders, settled, strict=True) if each}
    observed, drawn = combine_many(statistics[:size], statistics[size:], weights)
    pairs = zip(pattern.orders, observed.tolist(), strict=True)
    return {j: judged(t, null.judge(t, drawn, n), log_fewest) for j, t in pairs}


def settle(null: Null, observed: Floats, drawn: Floats, weights: Floats, n: int) -> tuple[float, NullResult] | None:
    """Judge the statistics (k,) of a column by the first look that settles it, or return None if it needs more."""
    for size, clear in looks_until(int(null.n_resamples)):
        if len(drawn) < size:
            return None
        statistic, distribution = combine(observed, drawn[:size], weights)
        result = null.judge(statistic, distribution, n)
        if result.pvalue > clear:
            break
    return statistic, result


class _Piece(NamedTuple):
    """Some of the statistics of a pattern: numbers of refits, with the order of y if it is that of a column."""

    pattern: int
    x: Features
    seed: int
    refits: list[tuple[int, Ints | None]]


def _pieces(number: int, pattern: Pattern, known: list[Floats], needed: int) -> Iterator[_Piece]:
    """Cut what a pattern needs next into pieces: its columns, then some null statistics, or all if many share them."""
    size = len(pattern.orders)
    looks = [look.size for look in looks_until(needed - size) if size + look.size > len(known)]
    goal = needed if size >= MANY else size + looks[0]
    refits: list[tuple[int, Ints | None]] = [(_OBSERVED + j, order) for j, order in pattern.orders.items()]
    refits += [(draw, None) for draw in range(1, goal - size + 1)]
    for start in range(len(known), goal, _PIECE):
        yield _Piece(number, pattern.x, pattern.seed, refits[start : start + _PIECE])


class _Fitted(NamedTuple):
    """The statistics of a piece (k,) each, and how much each of the k counts."""

    statistics: list[Floats]
    weights: Floats


def _fit(method: Method, y: Response, piece: _Piece) -> _Fitted | str:
    """Return the statistics of a piece, or what went wrong."""
    try:
        problem = method.prepare(Sample(piece.x, y, 0, ()), piece.seed)
        null = Resample(problem, piece.seed)
        statistics = []
        for number, order in piece.refits:
            fit = problem.fit(null.order(number) if order is None else order, number)
            statistics.append(finite(fit.statistics))
        return _Fitted(statistics, fit.weights)
    except FAILURES as error:
        return message_of(error)


def _enough(pattern: Pattern, null: Null, known: list[Floats], weights: Floats) -> bool:
    """Tell whether the p-values of a pattern are settled."""
    size = len(pattern.orders)
    if len(known) >= size + int(null.n_resamples) or size >= MANY:
        return len(known) >= size + int(null.n_resamples)
    statistics = np.array(known)
    return all(settle(null, each, statistics[size:], weights, pattern.x.n) for each in statistics[:size])


def _part_of(progress: Progress, before: int, size: int, total: int) -> Progress:
    """Show a round's pieces as a part of all statistics that may be needed."""
    return lambda done, pieces: progress(max(1, min(total - 1, before + size * done // pieces)), total)
