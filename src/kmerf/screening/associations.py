"""The question: which columns of a table are related to each other? Read, plan, test and measure each pair, adjust."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kmerf.core.errors import InputError, explain_unknown, share, warn
from kmerf.core.streams import Purpose, as_seed, stream
from kmerf.data.sample import column_part, fault, some_rows
from kmerf.execution import parallel
from kmerf.execution.progress import Forecast, as_progress
from kmerf.explain.pair_effects import PairEffect, cluster_order
from kmerf.nulls.definitions import STOP_AT, Extrapolated, Permutation
from kmerf.nulls.judging import FEW_ROWS
from kmerf.nulls.multiplicity import benjamini_hochberg, benjamini_yekutieli
from kmerf.questions.answer import speed_advice
from kmerf.reading.samples import read_columns
from kmerf.results.associations_result import NOT_REACHED, Associations
from kmerf.screening.pair_tests import (
    PIECE,
    PairKey,
    PairResult,
    PairTests,
    SharedNull,
    SharedPiece,
    TableColumns,
    compile_for,
    shared_draws,
)
from kmerf.screening.units import MANY_COLUMNS, MAX_DRAWS, MIN_DRAWS, UnitResult

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats
    from kmerf.core.streams import Seed
    from kmerf.data.sample import Sample
    from kmerf.execution.progress import Progress
    from kmerf.nulls.definitions import Null

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
        results.setdefault((i, j), PairResult(UnitResult(error=why or NOT_REACHED), PairEffect(math.nan, 0, ""), 0))
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
    modelled = np.array([test.pvalue for test in tests])
    draws = np.array([test.draws for test in tests], dtype=np.int64)
    extrapolated = np.array([test.extrapolated for test in tests], dtype=np.bool_)
    pvalues = np.where(extrapolated, 1.0 / (1.0 + draws), modelled)
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
        pvalues=pvalues,
        adjusted_bh=np.fmax(benjamini_hochberg(modelled), pvalues),
        adjusted_by=np.fmax(benjamini_yekutieli(modelled), pvalues),
        extrapolated=extrapolated,
        draws=draws,
        rows=np.array(rows, dtype=np.int64),
        errors={str(k): test.error for k, test in enumerate(tests) if test.error is not None},
        order=np.arange(len(names)),
        fdr=fdr,
        n=sample.n,
        settings={"draws": plan.own, "shared_draws": plan.shared(len(pairs))},
        seed=seed,
        modelled=modelled if extrapolated.any() else None,
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
    selected, sure = len(result.selected), int((benjamini_hochberg(result.pvalues) <= result.fdr).sum())
    if selected > sure:
        yield (
            f"{selected - sure} of the {selected} selected would not be by ranks alone: there a model of the tail says "
            "how far p is below what the permutations show."
        )
