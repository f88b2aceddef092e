"""Screens of few columns, of a file with very many, and the forest that looks at one column.

Parts `ties`, `file` and `trees` of screens.py.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import kmerf
from benchmarks.pages.marks import table
from kmerf.execution import parallel
from kmerf.methods.registry import screening_forest
from kmerf.reading.samples import read_independence

Array = np.ndarray


def ties(seed: int) -> Iterator[str]:
    """Yield the processor time of screens in which every column has ties, or gaps, of its own."""
    rng = np.random.default_rng(seed)
    few = np.round(rng.normal(size=(116, 5)), 1)
    factor = rng.normal(size=93)
    many = np.round(0.7 * factor[:, None] + rng.normal(size=(93, 20)), 1)
    many[rng.random(many.shape) < 0.02] = np.nan
    y = factor + 0.5 * rng.normal(size=93)
    cases = {
        "5 columns, y depends on two": (few, few[:, 0] + 0.5 * few[:, 1] ** 2 + rng.normal(size=116)),
        "20 columns, y depends on all": (many, y),
        "20 columns, y depends on none": (many, rng.permutation(y)),
    }
    yield from table(["screen", "rows", "CPU", "permutations", "selected"], list(_timed(cases, seed))).split("\n")
    yield ""
    yield "One worker; values rounded to one digit, and in the screens of 20 columns 2 % of them missing. "


def _timed(cases: dict[str, tuple[Array, Array]], seed: int) -> Iterator[list[str]]:
    for name, (x, y) in cases.items():
        kmerf.screen(x[:, :1], y, null=kmerf.Permutation(1), rng=seed)  # compiles
        begun = time.process_time()
        found = kmerf.screen(x, y, rng=seed, n_jobs=1)
        seconds = time.process_time() - begun
        yield [name, str(len(x)), f"{seconds:.2f} s", f"{found.draws.sum():,}", str(len(found.selected))]


def write_file(path: Path, columns: int, n: int, seed: int) -> float:
    """Write a Parquet file of columns of which y (`arm`) depends on the first ten; return its size in memory, in MB."""
    import polars as pl

    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, columns))
    x[n // 2 :, :10] += 1.5
    arm = pl.Series("arm", np.where(np.arange(n) < n // 2, "control", "case"))
    pl.DataFrame(x, schema=[f"g{j + 1}" for j in range(columns)]).with_columns(arm).write_parquet(path)
    return x.nbytes / 1e6


def from_file(sizes: list[int], n: int, n_jobs: int | None, folder: Path, seed: int) -> Iterator[str]:
    """Yield what `kmerf screen` takes for Parquet files of more and more columns, and what going on again takes."""
    header = ["columns", "rows", "data", "fits", "processor", "wall", "peak memory", "selected", "again"]
    rows = []
    for columns in sizes:
        path, store = folder / f"columns{columns}.parquet", folder / f"columns{columns}.sqlite"
        store.unlink(missing_ok=True)
        size = write_file(path, columns, n, seed)
        first, again = (_command(path, store, n_jobs, seed) for _ in range(2))
        assert first.answer == again.answer
        fits = columns + max(first.answer["draws"])
        selected = sum(p <= first.answer["fdr"] for p in first.answer["adjusted_bh"])
        row = [f"{columns:,}", str(n), f"{size:.0f} MB", f"{fits:,}", f"{first.processor:.0f} s", f"{first.wall:.0f} s"]
        rows.append([*row, f"{first.memory:.0f} MB", str(selected), f"{again.processor:.0f} s"])
        path.unlink()
        store.unlink()
    yield from table(header, rows).split("\n")
    yield ""
    yield (
        f"`kmerf screen FILE --groups arm --seed {seed} --store STORE`, {parallel.worker_count(n_jobs)} workers, load "
        f"{os.getloadavg()[1]:.0f}; *again* is the processor time of the same command once all is in the store. "
    )


class _Used(NamedTuple):
    answer: dict[str, Any]
    processor: float
    wall: float
    memory: float


def _command(path: Path, store: Path, n_jobs: int | None, seed: int) -> _Used:
    """Run the command in a process of its own, and return its answer and what it used."""
    jobs = [] if n_jobs is None else ["--jobs", str(n_jobs)]
    command = [sys.executable, "-m", "kmerf", "screen", str(path), "--groups", "arm", "--seed", str(seed)]
    begun = time.perf_counter()
    process = subprocess.Popen(
        [*command, "--store", str(store), "--json", "--quiet", *jobs], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    answer = json.loads(process.stdout.read())["result"]
    _, code, used = os.wait4(process.pid, 0)
    assert code == 0
    return _Used(answer, used.ru_utime + used.ru_stime, time.perf_counter() - begun, used.ru_maxrss / 1024)


RELATIONS: dict[str, Callable[[Array, Array], Array]] = {
    "logistic curve": lambda x, e: 1.2 / (1 + np.exp(-2 * x)) + e,
    "valley": lambda x, e: 0.9 * np.abs(x) + e,
    "bump": lambda x, e: 1.3 * np.exp(-8 * (x - 0.5) ** 2) + e,
    "two waves": lambda x, e: 0.7 * np.sin(4 * x) + e,
    "upper tail": lambda x, e: 1.2 * (x > 1.2) + e,
    "spread": lambda x, e: (0.4 + np.abs(x)) * e,
    "counts": lambda x, e: np.floor(np.exp(0.3 * x + 0.8 * e)),
    "two classes, shift": lambda x, e: np.where(0.5 * x + e > 0, 1.0, 0.0),
    "two classes, middle": lambda x, e: np.where(np.abs(x) + 0.7 * e > 0.7, 1.0, 0.0),
}


def trees(replicates: int, n: int, seed: int) -> Iterator[str]:
    """Yield the power of forests on one column, with the 5 % quantile of their permuted fits, and what a fit costs."""
    forests = {
        "500 trees, the paper's": kmerf.KMERF(),
        "100 small trees, the default for sets": screening_forest(),
    }
    power = {name: [] for name in forests}
    cost = {name: [] for name in forests}
    for number, relation in enumerate(RELATIONS.values()):
        for name, method in forests.items():
            observed, permuted, seconds = _fits(method, relation, replicates, n, [seed, number])
            power[name].append(float(np.mean(observed > np.quantile(permuted, 0.95))))
            cost[name].append(seconds)
    rows = [[relation, *(f"{power[name][i]:.2f}" for name in forests)] for i, relation in enumerate(RELATIONS)]
    rows.append(["**mean**", *(f"**{np.mean(power[name]):.3f}**" for name in forests)])
    rows.append(["CPU per fit", *(f"{1e3 * np.median(cost[name]):.2f} ms" for name in forests)])
    yield from table(["one column, level 0.05", *forests], rows).split("\n")
    yield ""
    error = np.sqrt(0.25 / replicates)
    yield f"n = {n}, {replicates} data sets a relation; standard error of a power at most {error:.3f}. "


def _fits(method, relation, replicates: int, n: int, seed: list[int]) -> tuple[Array, Array, float]:
    observed, permuted = [], []
    begun = time.thread_time()
    for replicate in range(replicates):
        rng = np.random.default_rng([*seed, replicate])
        x = rng.normal(size=n)
        sample = read_independence(x.argsort().argsort(), relation(x, rng.normal(size=n)))
        problem = method.prepare(sample, replicate)
        observed.append(problem.fit(np.arange(n), 1).statistic)
        permuted.append(problem.fit(rng.permutation(n), 2).statistic)
    return np.array(observed), np.array(permuted), (time.thread_time() - begun) / (2 * replicates)
