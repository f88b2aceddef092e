"""A screen and a study on a Dask cluster, beside the same on this machine: bits, memory, start-up and transfer.

The table of the screen is larger than what a worker may hold. A worker is sent the columns of one piece of work at a
time, each as the order in which it puts the rows, so that it never has more of the table than that.

    python -m benchmarks.speed.dask_screen --write    docs/performance.md; some minutes on two idle cores
"""

from __future__ import annotations

import argparse
import os
import pickle
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl
from distributed import Client, LocalCluster

import kmerf
from benchmarks.pages.marks import PERFORMANCE, put, table
from kmerf import study
from kmerf.execution import parallel
from kmerf.reading.samples import read_features
from kmerf.screening.one_by_one import find_patterns, read_units

Value = TypeVar("Value")
TASKS = 200  # empty ones, for the cost of a task


def timed(call: Callable[[], Value]) -> tuple[Value, float]:
    begun = time.perf_counter()
    return call(), time.perf_counter() - begun


def peak() -> float:
    """Return the most memory that this process has had since it began, in MB; Linux alone tells."""
    (line,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) / 1024


def make_table(path: Path, n: int, columns: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, columns))
    y = x[:, 0] + x[:, 1] ** 2 + rng.normal(size=n)
    names = [f"g{j + 1}" for j in range(columns)]
    pl.DataFrame(x, schema=names).with_columns(y=pl.Series(y)).write_parquet(path)


def ask(path: Path, trees: int, seed: int, **options: Any) -> kmerf.Screen:
    """Screen the columns of a Parquet file; small forests, as it is not the fits that are measured."""
    data = pl.read_parquet(path)
    method = kmerf.KMERF(kmerf.ForestSpec(n_trees=trees, min_samples_leaf=5))
    return kmerf.screen(data, "y", method=method, null=kmerf.Permutation(99), rng=seed, **options)


def plan(seed: int) -> study.Study:
    tests = {"forest": kmerf.KMERF(kmerf.ForestSpec(n_trees=20)), "dcorr": kmerf.baselines.Dcorr()}
    return study.Study(tests, [study.Simulated("linear", 50, 3, 1.0)], replicates=20, seed=seed)


def sent(n: int, columns: int) -> int:
    """Return how many bytes of a column go to a worker: its order, as it is pickled."""
    x = read_features(np.random.default_rng(0).normal(size=(n, min(columns, 16))))
    (pattern,) = find_patterns(read_units(x, None), 0)
    return len(pickle.dumps(list(pattern.orders.values()))) // len(pattern.orders)


def measured(args: argparse.Namespace, folder: Path) -> Iterator[list[str]]:
    path = folder / "table.parquet"
    make_table(path, args.n, args.columns, args.seed)
    size = args.n * args.columns * 8 / 1e6
    near, here = timed(lambda: ask(path, args.trees, args.seed, n_jobs=args.workers))
    rows_near = study_rows(folder / "near.sqlite", args, n_jobs=args.workers, backend="threads")
    options: dict[str, Any] = {"n_workers": args.workers, "threads_per_worker": 1, "dashboard_address": None}
    cluster, start = timed(lambda: LocalCluster(memory_limit=f"{args.limit}MB", **options))
    with cluster, Client(cluster) as client:
        _, first = timed(lambda: parallel.run(_first, range(args.workers), backend="dask"))
        _, empty = timed(lambda: parallel.run(abs, range(TASKS), backend="dask"))
        before = max(client.run(peak).values())
        far, there = timed(lambda: ask(path, args.trees, args.seed, backend="dask"))
        after = max(client.run(peak).values())
        rows_far = study_rows(folder / "far.sqlite", args, backend="dask")
    assert far == near, "the cluster gave other bits"
    assert rows_far == rows_near, "the cluster gave other rows"
    yield ["table", f"{args.n:,} rows, {args.columns:,} columns: {size:,.1f} MB"]
    yield ["a worker may have", f"{args.limit} MB"]
    yield ["the largest worker had, before and after the screen", f"{before:.0f} MB, {after:.0f} MB"]
    yield ["sent for a column", f"{sent(args.n, args.columns) / 1e3:.1f} kB of its {args.n * 8 / 1e3:.1f} kB"]
    yield ["start of the cluster, wall", f"{start:.1f} s"]
    yield ["first task of each worker, which loads kmerf", f"{first:.1f} s"]
    yield ["an empty task", f"{1e3 * empty / TASKS:.1f} ms"]
    yield ["screen, threads and cluster, wall", f"{here:.0f} s, {there:.0f} s"]
    yield ["screens equal, bit for bit", "yes"]
    yield [f"study of {len(rows_near['statistic']):,} rows equal, bit for bit", "yes"]


def _first(number: int) -> int:
    """Grow a forest, as the first task of a worker does; each of them takes one, being slow enough."""
    x = np.random.default_rng(number).normal(size=(50, 1))
    kmerf.independence(x, x[:, 0], method=kmerf.KMERF(kmerf.ForestSpec(n_trees=5)), null=kmerf.Permutation(19), rng=1)
    return number


def study_rows(path: Path, args: argparse.Namespace, **options: Any) -> dict[str, list[Any]]:
    study.run(plan(args.seed), path, **options)
    return {name: list(values) for name, values in study.load(path).items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=2000, help="rows")
    parser.add_argument("--columns", type=int, default=26_000)
    parser.add_argument("--limit", type=int, default=400, help="MB that a worker may have")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--trees", type=int, default=2, help="of each forest")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true", help="put the table into docs/performance.md")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = list(measured(args, Path(folder)))
    lines = table(["", f"{args.workers} workers of one thread"], rows).split("\n")
    lines += ["", f"Load {os.getloadavg()[1]:.0f} on {os.cpu_count()} cores; `python -m benchmarks.speed.dask_screen`."]
    print("\n".join(lines), flush=True)
    if args.write:
        put(PERFORMANCE, "dask-screen", lines)


if __name__ == "__main__":
    main()
