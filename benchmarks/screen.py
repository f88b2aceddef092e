"""Screening many columns: how long it takes, and how often it selects something where there is nothing.

python benchmarks/screen.py            both parts; the second takes about ten minutes on two cores
python benchmarks/screen.py --runs 0   the time alone
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np

import kmerf

REAL = 10  # columns that y depends on, in the first part


def timed(columns: int, n: int, method: kmerf.KMERF, n_jobs: int | None, seed: int) -> None:
    """Print the time of one screen with a few real columns, and what it found."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, columns))
    real = x[:, : min(REAL, columns)]
    y = np.where(np.arange(n) < n // 2, "control", "case")
    real[n // 2 :] += 1.5
    kmerf.screen(x[:, :2], y, method=method, null=kmerf.Permutation(1), rng=seed)  # compiles
    start = time.perf_counter()
    found = kmerf.screen(x, y, method=method, rng=seed, n_jobs=n_jobs, progress=True)
    seconds = time.perf_counter() - start
    names = set(found.names[: real.shape[1]])
    right = len(names & set(found.selected))
    print(f"{columns} columns, n = {n}, {found.draws.max()} permuted refits: {seconds:.1f} s")
    print(f"  a fit takes {1e3 * seconds / (columns + found.draws.max()):.2f} ms of all workers together")
    print(f"  selected: {right} of {len(names)} real columns, {len(found.selected) - right} others", flush=True)


def nothing(runs: int, columns: int, n: int, method: kmerf.KMERF, n_jobs: int | None, seed: int) -> None:
    """Print in how many of the runs on null data nothing is selected: numbers and two classes in turn."""
    clean = 0
    for run in range(runs):
        rng = np.random.default_rng([seed, run])
        x = rng.normal(size=(n, columns))
        y = rng.normal(size=n) if run % 2 else rng.permutation(n) < n // 2
        found = kmerf.screen(x, y, method=method, rng=run, n_jobs=n_jobs)
        clean += not found.selected
        print(f"run {run + 1}: {len(found.selected)} selected", file=sys.stderr, flush=True)
    print(f"{clean} of {runs} runs on {columns} null columns, n = {n}, selected nothing; 95 % or more are expected")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--columns", type=int, default=20_000, help="columns of the screen that is timed; 0 for none")
    parser.add_argument("--n", type=int, default=100, help="rows")
    parser.add_argument("--trees", type=int, default=500, help="trees of a forest in the screen that is timed")
    parser.add_argument("--runs", type=int, default=100, help="screens of null data; 0 for none")
    parser.add_argument("--null-columns", type=int, default=1000, help="columns of each of them")
    parser.add_argument("--null-trees", type=int, default=50, help="trees of a forest there; validity needs no more")
    parser.add_argument("--jobs", type=int, default=None, help="workers; all cores by default")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    if args.columns:
        timed(args.columns, args.n, kmerf.KMERF(kmerf.ForestSpec(n_trees=args.trees)), args.jobs, args.seed)
    if args.runs:
        method = kmerf.KMERF(kmerf.ForestSpec(n_trees=args.null_trees))
        nothing(args.runs, args.null_columns, args.n, method, args.jobs, args.seed)


if __name__ == "__main__":
    main()
