"""Other forests in the test: power, validity and cost on relations of the library, and the cost of many permutations.

    python benchmarks/other_forests.py [--parts power null-speed] [--replicates 12] [--store other_forests] [--write]

Relations, with 100 rows, are all those of benchmarks/relations.py, a part of the library. Each data set has 100
permutations. The test's own p-value, from the first 99, says whether the relation is found. The last
permutation, put in the place of the observed data, is a true null, and is judged against the same 99. All tests are a
single forest of 100 trees. Settings were chosen on the paper's simulations, which take no part here. `--write` puts the
tables into docs/how-to/forest.md.
"""

from __future__ import annotations

import argparse
import time
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import relations
from marks import DOCS, put, table
from relations import Filled, Grouped, Related

from kmerf import KMERF, ForestSpec, Permutation, independence, rivals, study
from kmerf.data.sample_values import Sample
from kmerf.methods.protocol import Method, Problem, observe

PAGE = DOCS / "how-to" / "forest.md"
TREES, LEVEL, PERMUTATIONS = 100, 0.05, 100
_BLIND = ForestSpec(TREES, min_samples_leaf=3, splits="blind")
FORESTS: dict[str, Method] = {
    "best splits": KMERF(ForestSpec(TREES)),
    "extremely randomised": KMERF(ForestSpec(TREES, splits="random")),
    "oblique": KMERF(ForestSpec(TREES, combinations=20)),
    "blind": KMERF(_BLIND, "all"),
    "blind, spread of y": KMERF(_BLIND, "all", "target", target="spread"),
    "synthetic second class": KMERF(ForestSpec(TREES, min_samples_leaf=5), "all", target="synthetic"),
    "no forest: distance correlation": Filled(rivals.Dcorr()),
}
HOW = {
    "best splits": "`ForestSpec(100)`",
    "extremely randomised": '`ForestSpec(100, splits="random")`',
    "oblique": "`ForestSpec(100, combinations=20)`",
    "blind": '`ForestSpec(100, min_samples_leaf=3, splits="blind")`, `proximity="all"`',
    "blind, spread of y": 'the same with `y_kernel="target"`, `target="spread"`',
    "synthetic second class": '`ForestSpec(100, min_samples_leaf=5)`, `proximity="all"`, `target="synthetic"`',
    "no forest: distance correlation": "`rivals.Dcorr()`",
}


def sources() -> dict[str, study.Source]:
    """Return every relation by its name, those with numbers first."""
    found: dict[str, study.Source] = {name: Related(name) for name in relations.NUMERIC}
    return found | {name: Grouped(name) for name in relations.GROUPS}


def permuted(problem: Problem, orders: list[np.ndarray], seed: int) -> np.ndarray:
    """Return the statistics with y in so many orders, quickly where the problem can."""
    if getattr(problem, "permutes_at_once", False):
        return problem.permuted(seed, 1, len(orders))  # type: ignore[attr-defined]
    return np.array([problem.fit(order, number).statistic for number, order in enumerate(orders, start=1)])


def judge(method: Method, sample: Sample, seed: int) -> tuple[float, float, float]:
    """Return the p-value of the data, that of a true null, and the processor time of the test."""
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(sample.n) for _ in range(PERMUTATIONS)]
    start = time.process_time()
    problem = method.prepare(sample, seed)
    observed = observe(problem).statistic
    null = permuted(problem, orders, seed)
    seconds = time.process_time() - start
    judged = [Permutation(99).judge(each, null[:-1], sample.n).pvalue for each in (observed, float(null[-1]))]
    return judged[0], judged[1], seconds


def run(name: str, source: study.Source, replicates: int, store: Path) -> dict[str, np.ndarray]:
    """Return, by forest, the p-values and times (replicates, 3) of a relation; from the store if they are there."""
    path = store / f"{name}-{replicates}.npz"
    if path.exists():
        return dict(np.load(path))
    rows: dict[str, list[tuple[float, float, float]]] = {forest: [] for forest in FORESTS}
    for replicate in range(replicates):
        seed = zlib.crc32(f"{source!r} {replicate}".encode())
        sample = source.draw(np.random.default_rng(seed))
        for forest, method in FORESTS.items():
            rows[forest].append(judge(method, sample, seed))
    found = {forest: np.array(each) for forest, each in rows.items()}
    np.savez_compressed(path, **found)
    return found


def shown(values: np.ndarray, strata: np.ndarray) -> str:
    """Return a rate and its standard error, whose relations are given."""
    parts = [values[strata == stratum] for stratum in np.unique(strata)]
    variance = np.mean([part.var(ddof=1) / part.size for part in parts]) / len(parts)
    return f"{values.mean():.3f} ± {np.sqrt(variance):.3f}"


def power_table(cells: dict[str, dict[str, np.ndarray]], replicates: int) -> list[str]:
    """Return the lines of the table."""
    names = sources()
    groups = [cell for cell in cells if isinstance(names[cell], Grouped)]
    numbers = [cell for cell in cells if cell not in groups]
    rows = []
    for forest in FORESTS:
        line = [forest, HOW[forest]]
        for chosen in (numbers, groups):
            found = np.concatenate([cells[cell][forest][:, 0] <= LEVEL for cell in chosen])
            line.append(shown(found, np.repeat(np.arange(len(chosen)), replicates)))
        everything = np.concatenate([each[forest] for each in cells.values()])
        line.append(shown(everything[:, 1] <= LEVEL, np.repeat(np.arange(len(cells)), replicates)))
        line.append(f"{1e3 * np.median(everything[:, 2]):.0f} ms")
        rows.append(line)
    head = ["forest", "", "found, y of numbers", "found, groups", "true nulls rejected", "time of a test"]
    about = (
        f"{len(numbers)} relations of numbers and {len(groups)} of groups, 100 rows, {replicates} data sets each, "
        f"level {LEVEL}, 99 permutations; median processor time, one core. "
        "`python benchmarks/other_forests.py --parts power`."
    )
    return [table(head, rows), "", about]


def words(cell: str) -> str:
    """Return the name of a relation as words."""
    return cell.replace("_", " ") + (" of groups" if cell in relations.GROUPS and "group" not in cell else "")


def extremes(cells: dict[str, dict[str, np.ndarray]]) -> list[str]:
    """Return where each forest gains and loses most against best splits, in words."""
    lines = []
    for forest in list(FORESTS)[1:-1]:
        rates = {
            cell: [np.mean(each[name][:, 0] <= LEVEL) for name in (forest, "best splits")]
            for cell, each in cells.items()
        }
        order = sorted(rates, key=lambda cell: rates[cell][1] - rates[cell][0])
        say = [f"{words(cell)} {rates[cell][0]:.2f} ({rates[cell][1]:.2f})" for cell in order]
        lines.append(f"- {forest}: gains most on {', '.join(say[:3])}; loses most on {', '.join(say[:-4:-1])}.")
    return lines


def speed_lines() -> list[str]:
    """Return how long 9,999 permutations take against a forest that has not seen y."""
    n, p, size = 1000, 10, 9999
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, p))
    y = {"numbers": rng.normal(size=n), "two groups": rng.choice(["a", "b"], n)}
    rows = []
    for kind, values in y.items():
        for name, trees in (("mean of y", 100), ("mean of y", 500), ("spread of y", 100)):
            target = "spread" if name == "spread of y" else "mean"
            method = KMERF(replace(_BLIND, n_trees=trees), "all", "target", target=target)
            times = []
            for _ in range(4):  # the first time, kernels may be compiled
                start = time.process_time()
                independence(x, values, method=method, null=Permutation(size), rng=1, n_jobs=1)
                times.append(time.process_time() - start)
            alone = null_seconds(method, x, values, size)
            rows.append([kind, name, str(trees), f"{alone:.2f} s", f"{min(times):.2f} s"])
    head = ["y", "kernel of", "trees", "9,999 permutations", "whole test"]
    about = (
        f"n = {n}, {p} columns; processor time of one core, the best of some runs. The first is that of the permuted "
        "statistics alone, the forest being there; the whole test reads the data, grows the forest, and tells "
        "importances and effect. "
        "`python benchmarks/other_forests.py --parts null-speed`."
    )
    return [table(head, rows), "", about]


def null_seconds(method: Method, x: np.ndarray, y: np.ndarray, size: int) -> float:
    """Return how long the permuted statistics take, the forest and its row sums being there."""
    from kmerf.data.read_sample import read_independence
    from kmerf.nulls.resampling import Run, resample

    problem = method.prepare(read_independence(x, y), 1)
    observe(problem)
    times = []
    for _ in range(4):
        start = time.process_time()
        resample(problem, size, Run(1))
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", nargs="+", choices=["power", "null-speed"], default=["power", "null-speed"])
    parser.add_argument("--replicates", type=int, default=12)
    parser.add_argument("--store", type=Path, default=Path("other_forests"))
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    tables = {}
    if "power" in chosen.parts:
        chosen.store.mkdir(exist_ok=True)
        cells = {}
        for name, source in sources().items():
            cells[name] = run(name, source, chosen.replicates, chosen.store)
            print(f"{len(cells)} of {len(sources())}, {time.process_time():.0f} s", end="\r", flush=True)
        tables["other-forests-power"] = [*power_table(cells, chosen.replicates), "", *extremes(cells)]
    if "null-speed" in chosen.parts:
        tables["other-forests-speed"] = speed_lines()
    for name, lines in tables.items():
        print("\n".join(["", *lines]))
        if chosen.write:
            put(PAGE, name, lines)


if __name__ == "__main__":
    main()
