"""Screening many columns: how long it takes, and how often it selects something where there is nothing.

python -m benchmarks.speed.screens --write            all parts, and docs/performance.md; ten minutes on two cores
python -m benchmarks.speed.screens --parts time       the time alone
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import kmerf
from benchmarks.pages.marks import PERFORMANCE, put
from benchmarks.speed import screen_columns
from kmerf.execution import parallel

PARTS = ["time", "ties", "file", "trees", "null"]
REAL = 10  # columns that y depends on, where time is taken


def timed(columns: int, n: int, n_jobs: int | None, seed: int) -> Iterator[str]:
    """Yield the time of one screen with a few real columns, and what it found."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, columns))
    real = x[:, : min(REAL, columns)]
    y = np.where(np.arange(n) < n // 2, "control", "case")
    real[n // 2 :] += 1.5
    kmerf.screen(x[:, :2], y, null=kmerf.Permutation(1), rng=seed)  # compiles
    start = time.perf_counter()
    found = kmerf.screen(x, y, rng=seed, n_jobs=n_jobs, progress=True)
    seconds = time.perf_counter() - start
    names = set(found.names[: real.shape[1]])
    right = len(names & set(found.selected))
    fit = 1e3 * seconds / (columns + found.draws.max())
    cores = parallel.worker_count(n_jobs)
    yield "| columns | rows | permuted refits | time | per fit, all workers | real columns found | others selected |"
    yield "|---|---|---|---|---|---|---|"
    yield (
        f"| {columns:,} | {n} | {found.draws.max():,} | {seconds:.0f} s | {fit:.2f} ms | {right} of {len(names)} "
        f"| {len(found.selected) - right} |"
    )
    yield ""
    yield f"{cores} workers; real columns differ by 1.5 sd. `python -m benchmarks.speed.screens --parts time`."


def nothing(runs: int, columns: int, n: int, trees: int, n_jobs: int | None, seed: int) -> Iterator[str]:
    """Yield in how many of the runs on null data nothing is selected: numbers and two classes in turn."""
    method = kmerf.KMERF(kmerf.ForestSpec(n_trees=trees))
    clean = 0
    for run in range(runs):
        rng = np.random.default_rng([seed, run])
        x = rng.normal(size=(n, columns))
        y = rng.normal(size=n) if run % 2 else rng.permutation(n) < n // 2
        found = kmerf.screen(x, y, method=method, rng=run, n_jobs=n_jobs)
        clean += not found.selected
        print(f"run {run + 1}: {len(found.selected)} selected", file=sys.stderr, flush=True)
    yield (
        f"On {columns:,} columns that are independent of y (n = {n}, numbers and two classes in turn, {trees} "
        f"trees), a screen at a false discovery rate of 0.05 selected nothing in {clean} of {runs} runs; 95 in 100 or "
        "more are expected. `python -m benchmarks.speed.screens --parts null`."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--write", action="store_true", help="put what was found into docs/performance.md")
    parser.add_argument("--columns", type=int, default=20_000, help="columns of the screen that is timed")
    parser.add_argument("--file-columns", type=int, nargs="+", default=[20_000, 200_000], help="columns of the files")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()), help="where the files are made")
    parser.add_argument("--n", type=int, default=100, help="rows")
    parser.add_argument("--runs", type=int, default=100, help="screens of null data")
    parser.add_argument("--replicates", type=int, default=100, help="data sets of each relation with one column")
    parser.add_argument("--null-columns", type=int, default=200, help="columns of each of them")
    parser.add_argument("--null-trees", type=int, default=25, help="trees of a forest there; validity needs no more")
    parser.add_argument("--jobs", type=int, default=None, help="workers; all cores by default")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    work = {
        "time": lambda: timed(args.columns, args.n, args.jobs, args.seed),
        "ties": lambda: screen_columns.ties(args.seed),
        "file": lambda: screen_columns.from_file(args.file_columns, args.n, args.jobs, args.folder, args.seed),
        "trees": lambda: screen_columns.trees(args.replicates, args.n, args.seed),
        "null": lambda: nothing(args.runs, args.null_columns, args.n, args.null_trees, args.jobs, args.seed),
    }
    for part in args.parts:
        lines = list(work[part]())
        if part in ("ties", "file", "trees"):
            lines[-1] += f"`python -m benchmarks.speed.screens --parts {part}`."
        print("\n".join(lines), flush=True)
        if args.write:
            put(PERFORMANCE, f"screen-{part}", lines)


if __name__ == "__main__":
    main()
