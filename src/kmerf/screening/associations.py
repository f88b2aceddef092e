"""The question: which columns of a table are related to each other? Read, plan, test and measure each pair, adjust.

Two columns of any type: a test that does not ask which of them is y.

Only rows with both values are used. The statistic is that of `kmerf.methods.column_scan`: the logarithm of a mean
likelihood ratio of lines, steps, curves, changes of spread and levels against no relation. Of two columns of numbers it
is asked in both directions, and the statistic is the logarithm of the mean of the two ratios. A category takes the
place of x, and of two categories the one with more levels, so that each pair has one statistic.

The statistic depends on ranks, or on the sizes of levels, alone. Put the rows in the order of a column. What is left of
the column is its *pattern*, as in `kmerf.screening.one_by_one`, and pairs with the same two patterns have the same null
distribution. So all pairs of columns without ties share their permutations. A pair that shares its patterns with few
others has permutations of its own, and stops once 20 of their statistics reach the observed one.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations, islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kmerf.core.arrays import mid_ranks
from kmerf.core.errors import InputError, explain_unknown, message_of, share, warn
from kmerf.core.streams import Purpose, as_seed, stream
from kmerf.data.exchangeability import Exchange, log_arrangements
from kmerf.data.sample import FEWEST_ROWS, column_part, fault, some_rows
from kmerf.execution import parallel
from kmerf.execution.progress import Forecast, as_progress
from kmerf.explain.pair_effects import PairEffect, cluster_order, pair_effect
from kmerf.methods.column_scan import MAX_LEVELS, Scan, binned, class_functions, number_functions
from kmerf.nulls.definitions import (
    STOP_AT,
    BesagClifford,
    Extrapolated,
    Permutation,
)
from kmerf.nulls.judging import FEW_ROWS, judge_combined, judge_draws
from kmerf.questions.answer import speed_advice
from kmerf.reading.samples import read_columns
from kmerf.results.screen_result import Associations
from kmerf.screening.one_by_one import FAILURES, MANY_COLUMNS, MAX_DRAWS, MIN_DRAWS, UnitResult, adjusted, model_note

if TYPE_CHECKING:
    from kmerf.core.arrays import Bools, Floats, Ints
    from kmerf.core.streams import Seed
    from kmerf.data.sample import Features, Sample
    from kmerf.execution.progress import Progress
    from kmerf.methods.column_scan import BinnedColumn, ResponseFunctions
    from kmerf.nulls.definitions import Null


PIECE = 1024  # shared null statistics that a worker takes at a time
MAX_BATCH = 256  # permutations that are computed at once,
MAX_BATCH_CELLS = 2**20  # and so few that Ctrl-C is not kept waiting


@dataclass(frozen=True, eq=False)
class SortedColumn:
    """A column without missing values, sorted: ranks or codes of levels, and the rows in that order."""

    values: Floats
    order: Ints
    categorical: bool

    @classmethod
    def of(cls, values: Floats, *, categorical: bool) -> SortedColumn:
        """Sort a column. Levels are numbered from the commonest on; the rarest of very many share one."""
        if categorical:
            _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
            rank = np.argsort(np.argsort(-counts, kind="stable"), kind="stable")
            ranks = np.minimum(rank[codes.reshape(-1)], MAX_LEVELS - 1).astype(np.float64)
        else:
            ranks = mid_ranks(values)
        order = np.argsort(ranks, kind="stable")
        return cls(ranks[order], order, categorical)

    @property
    def levels(self) -> int:
        """How many levels a category has; 0 for numbers."""
        return int(self.values[-1]) + 1 if self.categorical else 0

    @property
    def key(self) -> bytes:
        """What columns with the same pattern have in common."""
        return hashlib.blake2b(self.values.tobytes() + bytes([self.categorical]), digest_size=16).digest()

    @cached_property
    def as_x(self) -> BinnedColumn:
        """It in bins."""
        return binned(self.values, categorical=self.categorical)

    @cached_property
    def as_y(self) -> ResponseFunctions:
        """Functions of it."""
        if self.categorical:
            return class_functions(self.values.astype(np.int64), self.levels)
        return number_functions(self.values[:, None])


def beside(x: SortedColumn, y: SortedColumn) -> Ints:
    """Return which row of y, as sorted, is beside each row of x, as sorted."""
    places = np.empty(y.order.size, np.int64)
    places[y.order] = np.arange(y.order.size)
    return np.asarray(places[x.order])


@dataclass(frozen=True, eq=False)
class PairStatistic:
    """The statistic of two patterns, for any order of the second beside the first."""

    there: Scan
    back: Scan | None
    """The other direction, of two columns of numbers."""

    @classmethod
    def of(cls, x: SortedColumn, y: SortedColumn) -> PairStatistic:
        """Prepare what does not depend on the order."""
        both = not (x.categorical or y.categorical)
        return cls(Scan.of(x.as_x, y.as_y), Scan.of(y.as_x, x.as_y) if both else None)

    def __call__(self, order: Ints) -> float:  # noqa: D102
        return float(self.of_orders(order[None])[0])

    def of_orders(self, orders: Ints) -> Floats:
        """Return the statistics of many orders (B, n)."""
        first = self.there.of_orders(orders)
        if self.back is None:
            return first
        inverse = np.empty_like(orders)
        np.put_along_axis(inverse, orders, np.arange(orders.shape[1])[None], axis=1)
        return np.asarray(np.logaddexp(first, self.back.of_orders(inverse)) - math.log(2.0))

    def draws(self, n: int, rng: np.random.Generator) -> Iterator[float]:
        """Yield statistics of random orders of n rows without end, computed in growing batches."""
        size, most = STOP_AT, max(STOP_AT, min(MAX_BATCH, MAX_BATCH_CELLS // n))
        while True:
            orders = rng.permuted(np.tile(np.arange(n), (size, 1)), axis=1)
            yield from self.of_orders(orders).tolist()
            size = min(2 * size, most)


class PairResult(NamedTuple):
    """What was found of a pair of columns, and on how many rows."""

    test: UnitResult
    effect: PairEffect
    rows: int


class PairKey(NamedTuple):
    """What pairs with the same null distribution have in common."""

    rows: int
    first: bytes
    second: bytes

    @property
    def number(self) -> int:
        """A number for random streams."""
        return int.from_bytes(hashlib.blake2b(repr(self).encode(), digest_size=8).digest(), "little")


@dataclass(frozen=True, eq=False)
class TableColumns:
    """The columns of a table, and what about them does not depend on the pair."""

    values: tuple[Floats, ...]
    levels: tuple[tuple[str, ...], ...]
    missing: Bools
    """(p, n)"""
    untied: tuple[bool, ...]
    whole: tuple[SortedColumn | None, ...]
    """Patterns of columns without missing values."""
    keys: tuple[bytes | None, ...]

    @classmethod
    def of(cls, x: Features) -> TableColumns:
        """Sort every column."""
        values = tuple(x.column(j) for j in range(x.p))
        missing = np.array([np.isnan(each) for each in values])
        untied = tuple(
            not labels and np.unique(each[~gone]).size == (~gone).sum()
            for each, labels, gone in zip(values, x.categories, missing, strict=True)
        )
        whole = tuple(
            None if gone.any() else SortedColumn.of(each, categorical=bool(labels))
            for each, labels, gone in zip(values, x.categories, missing, strict=True)
        )
        keys = tuple(
            b"untied" if alone else None if pattern is None else pattern.key
            for alone, pattern in zip(untied, whole, strict=True)
        )
        return cls(values, x.categories, missing, untied, whole, keys)

    def key(self, i: int, j: int) -> PairKey | None:
        """Return what the null distribution of a pair depends on, if that is quickly known."""
        first, second = self.keys[i], self.keys[j]
        if first is None or second is None:
            return None
        tied = not (self.untied[i] and self.untied[j])
        if tied and (self.whole[i] is None or self.whole[j] is None):
            return None
        return PairKey(self.rows(i, j), *sorted((first, second)))

    def rows(self, i: int, j: int) -> int:
        """Return how many rows have both values."""
        return int((~(self.missing[i] | self.missing[j])).sum())

    def patterns(self, i: int, j: int) -> tuple[SortedColumn, SortedColumn]:
        """Return the patterns of a pair in the rows that have both values, that of x first."""
        a, b = self.whole[i], self.whole[j]
        if a is None or b is None:
            known = ~(self.missing[i] | self.missing[j])
            a, b = (SortedColumn.of(self.values[k][known], categorical=bool(self.levels[k])) for k in (i, j))
        swapped = (a.levels, self.keys[j] or b"") < (
            b.levels,
            self.keys[i] or b"",
        )  # pairs that share draws agree in it
        return (b, a) if swapped else (a, b)

    def effect(self, i: int, j: int) -> PairEffect:
        """Measure a pair."""
        known = ~(self.missing[i] | self.missing[j])
        return pair_effect(self.values[i][known], self.levels[i], self.values[j][known], self.levels[j])


class SharedNull(NamedTuple):
    """Null statistics that pairs share, and how they are judged."""

    null: Null
    draws: Floats


@dataclass(frozen=True, eq=False)
class PairTests:
    """Tests of pairs; a value, so that it can be sent to a worker."""

    columns: TableColumns
    null: Null
    """Of a pair that has permutations of its own."""
    shared: dict[PairKey, SharedNull]
    seed: int

    def __call__(self, pairs: Sequence[tuple[int, int]]) -> list[PairResult]:
        """Test and measure some pairs."""
        prepared: dict[PairKey, PairStatistic] = {}
        return [self._test(i, j, prepared) for i, j in pairs]

    def _test(self, i: int, j: int, prepared: dict[PairKey, PairStatistic]) -> PairResult:
        nothing, rows = PairEffect(math.nan, 0, ""), self.columns.rows(i, j)
        if rows < FEWEST_ROWS:
            return PairResult(UnitResult(error=f"only {rows} rows have both values."), nothing, rows)
        x, y = self.columns.patterns(i, j)
        if x.values[0] == x.values[-1] or y.values[0] == y.values[-1]:
            return PairResult(UnitResult(error="one is constant in the rows that have both values."), nothing, rows)
        key = self.columns.key(i, j)
        try:
            if key in self.shared and key is not None:
                statistic = prepared.get(key) or PairStatistic.of(x, y)
                prepared[key] = statistic
            else:
                statistic = PairStatistic.of(x, y)
            test = self._judged(statistic, x, y, (i, j), key)
        except FAILURES as error:
            return PairResult(UnitResult(error=message_of(error)), nothing, rows)
        return PairResult(test, self.columns.effect(i, j), rows)

    def _judged(
        self, statistic: PairStatistic, x: SortedColumn, y: SortedColumn, pair: tuple[int, int], key: PairKey | None
    ) -> UnitResult:
        order, n = beside(x, y), x.values.size
        observed = statistic(order)
        allowed = Exchange(log_arrangements=log_arrangements(x.values[:, None], y.values[order][:, None]))
        if key is not None and key in self.shared:
            null, draws = self.shared[key]
            return UnitResult.of(*judge_combined(null, observed, draws, n, allowed))
        rng = stream(self.seed, Purpose.ASSOCIATION, *pair)
        return UnitResult.of(*judge_draws(BesagClifford(self.null), observed, statistic.draws(n, rng), n, allowed))


class SharedPiece(NamedTuple):
    """Some null statistics that pairs share."""

    key: PairKey
    pair: tuple[int, int]
    """One of the pairs."""
    number: int
    size: int


def shared_draws(columns: TableColumns, seed: int, piece: SharedPiece) -> Floats:
    """Return the null statistics of a piece."""
    x, y = columns.patterns(*piece.pair)
    rng = stream(seed, Purpose.ASSOCIATION, piece.key.number, piece.number)
    return np.array(list(islice(PairStatistic.of(x, y).draws(x.values.size, rng), piece.size)))


def compile_for(columns: TableColumns, pairs: Sequence[tuple[int, int]]) -> None:
    """Compute a statistic of each kind of pair, which compiles its code, before the clock of the work starts."""
    for i, j in {(bool(columns.levels[i]), bool(columns.levels[j])): (i, j) for i, j in pairs}.values():
        if columns.rows(i, j) >= FEWEST_ROWS:
            x, y = columns.patterns(i, j)
            PairStatistic.of(x, y)(beside(x, y))


METHOD = "Column scan of pairs"
MAX_WORK = 2e9  # rows visited by permutations of pairs that do not share them, if all are related: about a minute
MAX_SHARED_WORK = 5e8  # rows visited by permutations that pairs share
_CHUNKS = 60  # into which the work is cut, at least
_MAX_CHUNK = 500  # pairs


@explain_unknown
def associations(
    table: Any,
    *,
    fdr: float = 0.05,
    categorical: Iterable[str | int] = (),
    keep: Iterable[str | int] = (),
    na: Any = (),
    dates: str = "auto",
    rows: int | None = None,
    rng: Seed = None,
    n_jobs: int | None = None,
    backend: str = "threads",
    progress: bool | Progress = False,
) -> Associations:
    """Test every pair of columns of a table, and measure the strength of each relation on one scale.

    Parameters
    ----------
    table
        A dataframe, a dictionary of columns, an array, or a table from `read_table`. Columns may hold numbers, booleans
        or categories, and may have missing values: each pair is tested on the rows that have both values.
    fdr
        The false discovery rate: the expected share of selected pairs that are not related.
    categorical, keep, na, dates, rows, rng, n_jobs, backend, progress
        As in `independence`.

    Returns
    -------
    Associations
        Effects from 0 to 1, directions, p-values and adjusted p-values of all pairs. It prints as a table of the
        strongest pairs; `matrix()`, `to_frame()`, `plot()` and `report()` include all of them. If you interrupt it
        (Ctrl-C), you get the finished pairs with a warning.

    Examples
    --------
    >>> import kmerf
    >>> rng = np.random.default_rng(1)
    >>> a = rng.normal(size=60)
    >>> table = {"a": a, "b": a + rng.normal(size=60), "c": rng.choice(["x", "y", "z"], 60)}
    >>> kmerf.associations(table, rng=1).selected
    (('a', 'b'),)
    """
    share("fdr", fdr)
    sample = read_columns(table, categorical=categorical, keep=keep, na=na, dates=dates)
    if sample.x.p < 2:
        finding = f"has {sample.x.p} column that can be used"
        raise InputError(finding, argument="table", remedy="pass two or more")
    sample, rng = some_rows(sample, rows, rng)
    seed, workers = as_seed(rng), parallel.worker_count(n_jobs)
    shown = as_progress(progress, "associations")
    advice = speed_advice(sample.n, forests=False)
    watched = shown if callable(progress) else Forecast(shown, f"{advice} Ctrl-C keeps what is done.".strip())
    faults = [fault(column_part(sample.x, [j])) for j in range(sample.x.p)]
    every = list(combinations(range(sample.x.p), 2))
    sound = [(i, j) for i, j in every if faults[i] is None and faults[j] is None]
    if not sound:
        finding = ": fewer than two of its columns vary"
        raise InputError(finding, argument="table", remedy="pass two or more that do")
    columns = TableColumns.of(sample.x)
    plan = DrawPlan(sample.n, len(sound), fdr)
    run = partial(parallel.run, n_jobs=workers, backend=backend)
    results: dict[tuple[int, int], PairResult] = {}
    try:
        shared = _shared(columns, sound, seed, plan, run)
        tests = PairTests(columns, plan.null(plan.own), shared, seed)
        compile_for(columns, sound)
        chunks = _chunks(sound, seed)
        run(
            tests,
            chunks,
            progress=watched,
            arrived=lambda k, found: results.update(zip(chunks[k], found, strict=True)),
        )
    except KeyboardInterrupt:
        if not results:
            raise
        warn(f"It was interrupted: {len(results)} of {len(sound)} pairs were tested.")
    for i, j in every:
        why = _why(sample, faults, i, j)
        results.setdefault(
            (i, j), PairResult(UnitResult(error=why or Associations.INTERRUPTED), PairEffect(math.nan, 0, ""), 0)
        )
    return _assemble(sample, every, [results[pair] for pair in every], float(fdr), seed, plan)


class DrawPlan(NamedTuple):
    """How often rows are permuted: twice as often as the smallest p-value needs, if that is not too much work.

    Else a model of the tail takes over.
    """

    n: int
    tests: int
    fdr: float

    @property
    def needed(self) -> int:
        """How many permutations the smallest p-value needs."""
        return math.ceil(2 * self.tests / self.fdr)

    @property
    def own(self) -> int:
        """Of a pair that has permutations of its own, at most."""
        return int(np.clip(min(self.needed, MAX_WORK / self.tests / self.n), MIN_DRAWS, MAX_DRAWS))

    def shared(self, pairs: int) -> int:
        """Of so many pairs that share them: never more than a quarter of what they would draw on their own."""
        most = min(self.needed, MAX_SHARED_WORK / self.n, pairs * self.own / 4)
        return int(np.clip(most, self.own, MAX_DRAWS))

    def null(self, draws: int) -> Null:
        """Return the null of so many permutations."""
        return Extrapolated(draws) if draws < self.needed and self.n >= FEW_ROWS else Permutation(draws)


def _shared(
    columns: TableColumns, pairs: Sequence[tuple[int, int]], seed: int, plan: DrawPlan, run: Any
) -> dict[PairKey, SharedNull]:
    """Draw the null statistics that ten pairs or more share."""
    keys = {pair: key for pair in pairs if (key := columns.key(*pair)) is not None}
    example = {key: pair for pair, key in keys.items()}
    sizes = {key: plan.shared(many) for key, many in Counter(keys.values()).items() if many >= MANY_COLUMNS}
    pieces = [
        SharedPiece(key, example[key], start, min(PIECE, size - start))
        for key, size in sizes.items()
        for start in range(0, size, PIECE)
    ]
    draws: dict[PairKey, list[Floats]] = {}
    for piece, values in zip(pieces, run(partial(shared_draws, columns, seed), pieces), strict=True):
        draws.setdefault(piece.key, []).append(values)
    return {key: SharedNull(plan.null(sizes[key]), np.concatenate(parts)) for key, parts in draws.items()}


def _chunks(pairs: Sequence[tuple[int, int]], seed: int) -> list[list[tuple[int, int]]]:
    """Cut the work into pieces, in random order: then the first of them say how long it takes."""
    order = stream(seed, Purpose.ASSOCIATION).permutation(len(pairs))
    size = int(np.clip(len(pairs) // _CHUNKS, 1, _MAX_CHUNK))
    return [[pairs[k] for k in order[start : start + size]] for start in range(0, len(pairs), size)]


def _why(sample: Sample, faults: Sequence[str | None], i: int, j: int) -> str | None:
    """Say why a pair cannot be tested, because of one of its columns."""
    return next((f"{sample.x.names[k]}: {why}" for k in (i, j) if (why := faults[k]) is not None), None)


def _assemble(
    sample: Sample,
    pairs: Sequence[tuple[int, int]],
    results: Sequence[PairResult],
    fdr: float,
    seed: int,
    plan: DrawPlan,
) -> Associations:
    """Adjust p-values, order the columns and build the result."""
    tests, effects, rows = zip(*results, strict=True)
    names = sample.x.names
    result = Associations(
        method=METHOD,
        names=names,
        kinds=sample.x.kinds,
        missing=sample.x.missing,
        pairs=np.array(pairs, dtype=np.int64),
        effects=np.array([effect.size for effect in effects]),
        signs=np.array([effect.sign for effect in effects], dtype=np.int64),
        directions=tuple(effect.direction for effect in effects),
        **adjusted(tests),
        rows=np.array(rows, dtype=np.int64),
        errors={str(k): test.error for k, test in enumerate(tests) if test.error is not None},
        order=np.arange(len(names)),
        fdr=fdr,
        n=sample.n,
        settings={"draws": plan.own, "shared_draws": plan.shared(len(pairs))},
        seed=seed,
        source=(
            f"Rows of one column are permuted up to {plan.own:,} times per pair, until {STOP_AT} statistics reach the "
            "observed one; pairs with the same ties share their permutations."
        ),
    )
    return replace(result, order=cluster_order(result.matrix()), notes=(*sample.notes, *_notes(sample, result)))


def _notes(sample: Sample, result: Associations) -> Iterator[str]:
    """Say on which rows the tests rest, and what rests on a model."""
    if result.interrupted:
        done = f"{result.tested} of {len(result)} pairs were tested"
        yield f"Interrupted: {done}, and p-values are adjusted for these alone."
    holes = sum(count > 0 for count in sample.x.missing)
    if holes:
        fewest = int(result.rows[result.rows > 0].min(initial=sample.n))
        known = f"each pair is tested on the rows that have both, {fewest:,} at least"
        yield f"{holes} {'column has' if holes == 1 else 'columns have'} missing values; {known}."
    yield from model_note(result)
