"""Rows in time: how often tests reject, against shuffling, shifts and blocks, and hyppo's DcorrX and MGCX.

    python -m benchmarks.studies.series candidates --store series.jsonl     # ways to exchange rows, a light statistic
    python -m benchmarks.studies.series others --store series.jsonl         # other series, the light statistic
    python -m benchmarks.studies.series nulls --store series.jsonl          # the default test, if there is no relation
    python -m benchmarks.studies.series power --store series.jsonl          # and if there is one; hyppo, if installed
    python -m benchmarks.studies.series straight --store series.jsonl       # what a test told the relation would have
    python -m benchmarks.studies.series warnings --store series.jsonl       # how often both sides are seen to drift
    python -m benchmarks.studies.series page --store series.jsonl           # docs/series.md

What is in the store is not computed again; data sets are the same for all tests. The light statistic is the sum of
squared correlations between ranks of x at lags 0 and 1, and of y, and of their distances from the middle.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import f as f_distribution

import kmerf
from benchmarks.data.time_series import BOTH, NULLS, OTHERS, PERIODS, extinct_gaussian, linear, nonlinear
from benchmarks.pages.marks import DOCS, put, table
from kmerf.core.arrays import mid_ranks
from kmerf.core.errors import KmerfError, rank_of
from kmerf.data.exchangeability import exchange_of
from kmerf.data.series import run_length, series_part
from kmerf.execution.parallel import Execution
from kmerf.methods.protocol import observe
from kmerf.methods.registry import choose_method
from kmerf.nulls.judging import draw_and_judge
from kmerf.questions.answer import Choice
from kmerf.reading.samples import read_independence

LEVEL = 0.05
LIGHT_DRAWS = 99
OTHER_ROWS = (96, 200)
AT_A_TIME = 50  # data sets, after which the store is written
FIRST = 10_000  # the number of the first data set: the filter was chosen on data sets from 0 on
PAGE = DOCS / "series.md"


class Store:
    """Counts of rejections, one line of JSON per cell, test and part of its data sets; parts add up.

    `only` keeps a run to keys that contain each of these: numbers of rows, and parts of names of cells and tests.
    """

    def __init__(self, path: str, only: Sequence[Collection[Any]] = ()) -> None:
        self.path = Path(path)
        self.only = [each for each in only if each]
        lines = self.path.read_text(encoding="utf-8").splitlines() if self.path.exists() else []
        self.cells: dict[tuple[Any, ...], dict[str, Any]] = {}
        for each in map(json.loads, lines):
            self._join(each)

    def _join(self, part: dict[str, Any]) -> dict[str, Any]:
        whole = self.cells.setdefault(tuple(part["key"]), {"runs": 0, "count": 0, "seconds": 0.0})
        for name in whole:
            whole[name] += part[name]
        return whole

    def wants(self, key: Sequence[Any]) -> bool:
        """Return whether a run computes a cell."""
        return all(any(str(each) in (str(key[2]), key[1], key[3]) for each in some) for some in self.only)

    def add(self, key: Sequence[Any], runs: int, count: int, seconds: float) -> None:
        """Keep a part of a cell, and print the cell."""
        part = {"key": list(key), "runs": runs, "count": count, "seconds": round(seconds, 3)}
        whole = self._join(part)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(part) + "\n")
        share = f"{whole['count'] / whole['runs']:.3f} of {whole['runs']}"
        print(*key, share, f"{seconds / runs:.2f} s", flush=True)

    def shown(self, *key: Any, runs: bool = True) -> str:
        """Return the rate of a cell with its standard error."""
        found = self.cells.get(tuple(key))
        if found is None:
            return "-"
        rate, many = found["count"] / found["runs"], found["runs"]
        error = math.sqrt(rate * (1 - rate) / many)
        return f"{rate:.3f} ({error:.3f}; {many})" if runs else f"{rate:.3f} ({error:.3f})"


# --- ways to exchange rows, with a light statistic --------------------------------------------------------------------


def features(values: Any) -> Any:
    """Return ranks and their distances from the middle, of length one."""
    parts = []
    for column in np.asarray(values, dtype=np.float64).T:
        ranks = mid_ranks(column)
        ranks = ranks - ranks.mean()
        parts += [ranks] if np.unique(column).size <= 2 else [ranks, np.abs(ranks) - np.abs(ranks).mean()]
    return np.column_stack([part / max(float(np.linalg.norm(part)), 1e-300) for part in parts])


def light(x: Any, y: Any) -> float:
    """Return the light statistic of features."""
    return float(((x.T @ y) ** 2).sum())


def by_orders(x: Any, y: Any, orders: Iterable[Any]) -> float:
    """Return the rank of the light statistic among those of other orders of y."""
    a, b = features(x), features(y)
    seen = light(a, b) - 1e-12
    larger = [light(a, b[order]) >= seen for order in orders]
    return (1 + sum(larger)) / (1 + len(larger))


def with_lag(x: Any) -> Any:
    """Return x now and one step ago."""
    return np.column_stack([x[1:], x[:-1]])


def codes(y: Any) -> Any:
    """Return y as a column of numbers."""
    return (y if y.dtype.kind == "f" else np.unique(y, return_inverse=True)[1].astype(float))[:, None]


def shuffled(x: Any, y: Any, rng: np.random.Generator) -> float:
    """Return p from shuffled rows."""
    return by_orders(with_lag(x), codes(y)[1:], [rng.permutation(len(y) - 1) for _ in range(LIGHT_DRAWS)])


def shifted(x: Any, y: Any, rng: np.random.Generator) -> float:
    """Return p from all circular shifts, but the shortest."""
    n = len(y) - 1
    least = max(2, n // 20)
    steps = np.arange(least, n - least)
    steps = steps if steps.size <= LIGHT_DRAWS else rng.choice(steps, LIGHT_DRAWS, replace=False)
    return by_orders(with_lag(x), codes(y)[1:], [np.roll(np.arange(n), step) for step in steps])


def in_blocks(x: Any, y: Any, rng: np.random.Generator) -> float:
    """Return p from runs of rows, as long as the memory of x and y asks for."""
    a, b = with_lag(x), codes(y)[1:]
    run, n = run_length(a, b)[0], len(b)
    orders = []
    for _ in range(LIGHT_DRAWS):
        turned = np.roll(np.arange(n), -int(rng.integers(n)))
        orders.append(np.concatenate([turned[k : k + run] for k in rng.permutation(np.arange(0, n, run))]))
    return by_orders(a, b, orders)


def truncated_shift(x: Any, y: Any, rng: np.random.Generator) -> float:
    """Return p from truncated time shifts (Yuan and Shou 2024): k of 2 r + 1 windows as large give k / (r + 1)."""
    a, b = with_lag(x), codes(y)[1:]
    n = len(b)
    reach = max(19, min(n // 4, 99))
    middle = features(a[reach : n - reach])
    found = np.array([light(middle, features(b[reach + s : n - reach + s])) for s in range(-reach, reach + 1)])
    return min(1.0, float((found >= found[reach] - 1e-12).sum()) / (reach + 1))


def innovations(x: Any, y: Any, rng: np.random.Generator) -> float:
    """Return p from what kmerf does: the past removed, then rows, or runs of them, exchanged."""
    part = series_part(read_independence(x, y, order=True, once=False), 1).sample
    allowed, n = exchange_of(part, "within"), part.n
    values = part.y.values if part.y.codes is None else part.y.codes[:, None]
    known = np.where(np.isnan(part.x.values), np.nanmean(part.x.values, axis=0), part.x.values)
    return by_orders(known, values, [allowed.order(n, rng, k + 1) for k in range(LIGHT_DRAWS)])


WAYS: dict[str, Callable[[Any, Any, np.random.Generator], float]] = {
    "shuffled rows": shuffled,
    "moved blocks": in_blocks,
    "circular shifts": shifted,
    "truncated shifts": truncated_shift,
    "kmerf": innovations,
}


def counted(store: Store, key: Sequence[Any], runs: int, draw: Any, test: Callable[[Any, Any, int], float]) -> None:
    """Count rejections of a test in data sets from `FIRST` on that the store does not have, some at a time."""
    done = store.cells.get(tuple(key), {"runs": 0})["runs"]
    for first in range(done, runs if store.wants(key) else 0, AT_A_TIME):
        count, spent, seeds = 0, 0.0, range(FIRST + first, FIRST + min(first + AT_A_TIME, runs))
        for seed in seeds:
            x, y = draw(key[2], np.random.default_rng([seed, key[2]]))
            start = time.process_time()
            try:
                count += test(x, y, seed) <= LEVEL
            except KmerfError as error:
                raise RuntimeError(f"{key}, data set {seed}") from error
            spent += time.process_time() - start
        store.add(key, len(seeds), count, spent)


def run_candidates(store: Store, runs: int) -> None:
    """Compare ways to exchange rows."""
    for cell, draw in NULLS.items():
        for name, way in WAYS.items():
            test = lambda x, y, seed, way=way: way(x, y, np.random.default_rng(seed))  # noqa: E731
            counted(store, ("light", cell, 50, name), runs, draw, test)


def run_others(store: Store, runs: int) -> None:
    """Test other independent series, on which nothing was chosen, with the light statistic; and count warnings."""
    for n in OTHER_ROWS:
        for cell, draw in OTHERS.items():
            way = lambda x, y, seed: innovations(x, y, np.random.default_rng(seed))  # noqa: E731
            counted(store, ("other", cell, n, "kmerf"), runs, draw, way)
            counted(store, ("warned", cell, n, "kmerf"), min(runs, 100), draw, doubted)


def doubted(x: Any, y: Any, seed: int) -> float:
    """Return 0, as a p-value, if kmerf doubts its p-value for a series, else 1."""
    notes = series_part(read_independence(x, y, order=True, once=False), 1).notes
    return 0.0 if any(rank_of(note) == "doubt" for note in notes) else 1.0


# --- the default test, and others -------------------------------------------------------------------------------------


def default(x: Any, y: Any, seed: int, lags: Any = 1) -> float:
    """Return the p-value of kmerf, with at most 99 refits; that of `independence`, without what explains it."""
    part = series_part(read_independence(x, y, order=True, once=False), lags)
    method = choose_method(None, None, single=False)
    choice = Choice(method, kmerf.Sequential(99), "auto", Execution(seed, 1, "threads", False))
    taken, choice = choice.part_of(part.sample)
    ready = choice.set_up(taken.sample)
    fit = observe(ready.problem, 1)
    return draw_and_judge(ready.null, ready.problem, fit, ready.run)[0].null.pvalue


def given_past(x: Any, y: Any, seed: int) -> float:
    """Return the p-value given the past of y."""
    return float(kmerf.independence(x, y, order=True, lags=1, given="past", rng=seed, n_jobs=1).pvalue)


def others() -> dict[str, Callable[[Any, Any, int], float]]:
    """Return hyppo's tests of series, if it is installed; x leads y there."""
    try:
        from hyppo.time_series import MGCX, DcorrX
    except ImportError:
        return {}

    def ask(kind: Any, x: Any, y: Any, seed: int) -> float:
        np.random.seed(seed)  # noqa: NPY002 - hyppo draws from there
        return float(kind(max_lag=1).test(y[:, None], x, reps=LIGHT_DRAWS, workers=1, random_state=seed)[1])

    return {"DcorrX": partial(ask, DcorrX), "MGCX": partial(ask, MGCX)}


def run_nulls(store: Store, runs: int) -> None:
    """Test independent series with the default."""
    for n in (50, 100, 300, 1200):
        for cell, draw in PERIODS.items():
            counted(store, ("null", cell, n, "kmerf"), runs, draw, partial(default, lags=None))
        for cell, draw in NULLS.items():
            counted(store, ("null", cell, n, "kmerf"), runs, draw, default)
        if n == 100:
            for cell in ("AR(1), phi 0.5", "AR(1), phi 0.95"):
                counted(store, ("null", cell, n, "given past"), runs, NULLS[cell], given_past)


LAG_0 = "kmerf, lag 0"
RELATIONS = {"linear, lag 1": linear, "nonlinear, lag 1": nonlinear}


def run_power(store: Store, runs: int) -> None:
    """Test series that are related."""
    for n in (30, 50, 100):
        for name, test in {"kmerf": default, **others()}.items():
            for cell, draw in RELATIONS.items():
                counted(store, ("power", cell, n, name), runs, draw, test)
    for name, test in others().items():
        for cell in ("AR(1), phi 0.5", "AR(1), phi 0.95"):
            counted(store, ("null", cell, 50, name), runs, NULLS[cell], test)


def run_extinct(store: Store, runs: int) -> None:
    """Test the extinct Gaussian process with at most one lag, as in the publication, and at lag 0 alone."""
    for rate in (0.4, 0.5, 0.6):
        draw = partial(extinct_gaussian, rate=rate)
        for name, test in {"kmerf": default, LAG_0: partial(default, lags=None), **others()}.items():
            counted(store, ("power", f"extinct Gaussian, rate {rate}", 1200, name), runs, draw, test)


def straight(x: Any, y: Any, seed: int, *, past: int = 0) -> float:
    """Return p of the F-test of y on x now and one step ago, beside as many last values of y; it knows the relation."""
    rows = np.arange(1, len(y))
    known = np.column_stack([np.ones(rows.size), *(y[rows - k] for k in range(1, past + 1))])
    both = np.column_stack([known, x[rows], x[rows - 1]])
    left = [float(((y[rows] - d @ np.linalg.lstsq(d, y[rows], rcond=None)[0]) ** 2).sum()) for d in (known, both)]
    more, free = both.shape[1] - known.shape[1], rows.size - both.shape[1]
    return float(f_distribution.sf((left[0] - left[1]) / more / (left[1] / free), more, free))


STRAIGHT: dict[str, Callable[[Any, Any, int], float]] = {
    "F-test": straight,
    "F-test given the last y": partial(straight, past=1),
}
ATTAINABLE = (
    ("linear, lag 1", 30),
    ("linear, lag 1", 50),
    ("linear, lag 1", 100),
    *tuple((f"AR(1), phi {phi:g}", 50) for phi in (0.0, 0.5, 0.9)),
)


def run_straight(store: Store, runs: int) -> None:
    """Test with the F-test, which is told the form and the lag of the relation, and the order of the memory."""
    for cell, n in ATTAINABLE:
        for name, test in STRAIGHT.items():
            counted(store, ("power", cell, n, name), runs, (RELATIONS | NULLS)[cell], test)


def run_warnings(store: Store, runs: int) -> None:
    """Count how often kmerf warns that both series drift."""

    def warned(x: Any, y: Any, seed: int) -> float:
        notes = series_part(read_independence(x, y, order=True, once=False)).notes
        return 0.0 if any("drift" in note for note in notes) else 1.0

    for n in (50, 100, 300, 1200):
        for cell, draw in (BOTH | {name: NULLS[name] for name in NULLS if "phi" in name}).items():
            counted(store, ("warned", cell, n, "kmerf"), runs, draw, warned)


# --- the page ---------------------------------------------------------------------------------------------------------


def write_page(store: Store) -> None:
    """Write the numbers of docs/series.md."""
    sizes = (50, 100, 300, 1200)
    ways = list(WAYS)
    rows = [[cell, *(store.shown("light", cell, 50, name, runs=False) for name in ways)] for cell in NULLS]
    put(PAGE, "ways", [table(["independent series, n = 50", *ways], rows)])
    rows = [[cell, *(store.shown("null", cell, n, "kmerf") for n in sizes)] for cell in (*NULLS, *PERIODS)]
    put(PAGE, "nulls", [table(["independent series", *(f"n = {n}" for n in sizes)], rows)])
    rows = [
        [
            cell,
            *(
                store.shown(kind, cell, n, "kmerf", runs=kind == "other")
                for n in OTHER_ROWS
                for kind in ("other", "warned")
            ),
        ]
        for cell in OTHERS
    ]
    names_of_others = [f"{what}, n = {n}" for n in OTHER_ROWS for what in ("rejected", "doubted")]
    put(PAGE, "others", [table(["independent series", *names_of_others], rows)])
    rows = [[cell, store.shown("null", cell, 100, "given past")] for cell in ("AR(1), phi 0.5", "AR(1), phi 0.95")]
    put(PAGE, "past", [table(["independent series, n = 100", 'given="past"'], rows)])
    names = ("kmerf", LAG_0, "DcorrX", "MGCX")
    related = [(cell, n) for cell in RELATIONS for n in (30, 50, 100)]
    related += [(f"extinct Gaussian, rate {rate}", 1200) for rate in (0.4, 0.5, 0.6)]
    rows = [[cell, str(n), *(store.shown("power", cell, n, name) for name in names)] for cell, n in related]
    put(PAGE, "power", [table(["relation", "n", *names], rows)])
    rows = [[cell, *(store.shown("warned", cell, n, "kmerf", runs=False) for n in sizes)] for cell in BOTH]
    rows += [
        [cell, *(store.shown("warned", cell, n, "kmerf", runs=False) for n in sizes)] for cell in NULLS if "phi" in cell
    ]
    put(PAGE, "warned", [table(["series", *(f"n = {n}" for n in sizes)], rows)])
    timed = [
        (k, e)
        for k, e in store.cells.items()
        if k[0] in ("null", "power") and k[1] not in PERIODS and k[3] not in STRAIGHT and e["seconds"] > 0.0
    ]
    pairs = sorted({(key[3], key[2]) for key, _ in timed})
    cells = {pair: [each for key, each in timed if (key[3], key[2]) == pair] for pair in pairs}
    seconds = {pair: sum(e["seconds"] for e in some) / sum(e["runs"] for e in some) for pair, some in cells.items()}
    rows = [[name, str(n), f"{seconds[name, n]:.2f}"] for name, n in pairs]
    rows_straight = [[cell, str(n), *(store.shown("power", cell, n, f) for f in STRAIGHT)] for cell, n in ATTAINABLE]
    put(PAGE, "straight", [table(["series", "n", *STRAIGHT], rows_straight)])
    put(PAGE, "times", [table(["test", "n", "seconds of one core"], rows)])


PARTS = {
    "candidates": run_candidates,
    "others": run_others,
    "nulls": run_nulls,
    "power": run_power,
    "extinct": run_extinct,
    "straight": run_straight,
    "warnings": run_warnings,
}


def main() -> None:
    """Run a part of the study, or write its page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=[*PARTS, "page"])
    parser.add_argument("--store", default="series.jsonl")
    parser.add_argument("--runs", type=int, default=300, help="data sets per cell")
    parser.add_argument("--rows", nargs="+", default=(), help="only data sets of so many rows")
    parser.add_argument("--cells", nargs="+", default=(), help="only these kinds of series")
    parser.add_argument("--tests", nargs="+", default=(), help="only these tests")
    options = parser.parse_args()
    store = Store(options.store, (options.rows, options.cells, options.tests))
    if options.part == "page":
        write_page(store)
    else:
        PARTS[options.part](store, options.runs)


if __name__ == "__main__":
    main()
