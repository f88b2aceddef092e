"""Other forests in the test: power, validity and cost on relations and real tables, and the cost of many permutations.

    python -m benchmarks.studies.other_forests [--questions questions.csv] [--parts power null-speed] [--replicates 40]
        [--store other_forests] [--write]

Relations, with 100 rows, are all those of benchmarks/data/relations.py, a part of the library. Real questions
(benchmarks/data/real_tables.py) are the first of each table, one draw of its rows each. Each data set has 100
permutations. The test's own p-value, from the first 99, says whether the relation is found. The last
permutation, put in the place of the observed data, is a true null, and is judged against the same 99. All tests are a
single forest of 100 trees. Settings were chosen on the paper's simulations, which take no part here. `--write` puts the
tables into docs/kernels.md.
"""

from __future__ import annotations

import argparse
import time
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.data import relations
from benchmarks.data.real_tables import read_questions
from benchmarks.data.relations import Filled, Grouped, Related
from benchmarks.pages.marks import DOCS, put, table
from kmerf import KMERF, ForestSpec, Permutation, baselines, independence, study
from kmerf.data.sample import Sample
from kmerf.methods.protocol import Method, Problem, observe

PAGE = DOCS / "kernels.md"
TREES, LEVEL, PERMUTATIONS = 100, 0.05, 100
_BLIND = ForestSpec(TREES, min_samples_leaf=3, splits="blind")
FORESTS: dict[str, Method] = {
    "best splits": KMERF(ForestSpec(TREES)),
    "extremely randomised": KMERF(ForestSpec(TREES, splits="random")),
    "oblique": KMERF(ForestSpec(TREES, combinations=20)),
    "blind": KMERF(_BLIND, "all"),
    "blind, spread of y": KMERF(_BLIND, "all", "target", target="spread"),
    "synthetic second class": KMERF(ForestSpec(TREES, min_samples_leaf=5), "all", target="synthetic"),
    "no forest: distance correlation": Filled(baselines.Dcorr()),
}
HOW = {
    "best splits": "`ForestSpec(100)`",
    "extremely randomised": '`ForestSpec(100, splits="random")`',
    "oblique": "`ForestSpec(100, combinations=20)`",
    "blind": '`ForestSpec(100, min_samples_leaf=3, splits="blind")`, `proximity="all"`',
    "blind, spread of y": 'the same with `y_kernel="target"`, `target="spread"`',
    "synthetic second class": '`ForestSpec(100, min_samples_leaf=5)`, `proximity="all"`, `target="synthetic"`',
    "no forest: distance correlation": "`baselines.Dcorr()`",
}


KINDS = ("numeric y", "groups", "real tables, numeric y", "real tables, categorical y")
Found = dict[str, np.ndarray]  # by forest, p-values and times (data sets, 3)


def sources(questions: Path | None) -> dict[str, dict[str, Sequence[study.Source]]]:
    """Return the relations of each kind by name; a real table has no replicates, so all of them are one relation."""
    found: dict[str, dict[str, Sequence[study.Source]]] = {kind: {} for kind in KINDS}
    found["numeric y"] = {name: [Related(name)] for name in relations.NUMERIC}
    found["groups"] = {name: [Grouped(name)] for name in relations.GROUPS}
    asked = [] if questions is None else read_questions(questions)
    for kind, own in (("real tables, numeric y", "numeric"), ("real tables, categorical y", "classes")):
        first = {question.family: question for question in reversed(asked) if question.kind == own}
        found[kind] = {own: list(first.values())} if first else {}
    return found


def permuted(problem: Problem, orders: list[np.ndarray], seed: int) -> np.ndarray:
    """Return the statistics with y in so many orders, quickly where the problem can."""
    if problem.permutes_at_once:
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


def run(path: Path, drawn: Iterable[study.Source], replicates: int) -> Found:
    """Return the p-values and times of so many data sets of each source; from the store if they are there."""
    if path.exists():
        return dict(np.load(path))
    rows: dict[str, list[tuple[float, float, float]]] = {forest: [] for forest in FORESTS}
    for source in drawn:
        for replicate in range(replicates):
            seed = zlib.crc32(f"{source!r} {replicate}".encode())
            sample = source.draw(np.random.default_rng(seed))
            for forest, method in FORESTS.items():
                rows[forest].append(judge(method, sample, seed))
    found = {forest: np.array(each) for forest, each in rows.items()}
    np.savez_compressed(path, **found)
    return found


def shown(parts: Sequence[np.ndarray]) -> str:
    """Return the mean rate of relations that are given, and its standard error."""
    variance = np.mean([part.var(ddof=1) / part.size for part in parts]) / len(parts)
    return f"{np.mean([part.mean() for part in parts]):.3f} ± {np.sqrt(variance):.3f}"


def power_table(cells: dict[str, dict[str, Found]], replicates: int, asked: str) -> list[str]:
    """Return the lines of the table."""
    kinds = [kind for kind in KINDS if cells[kind]]
    rows = []
    for forest in FORESTS:
        line = [forest, HOW[forest]]
        line += [shown([each[forest][:, 0] <= LEVEL for each in cells[kind].values()]) for kind in kinds]
        everything = [each[forest] for kind in kinds for each in cells[kind].values()]
        line.append(shown([each[:, 1] <= LEVEL for each in everything]))
        relations_ = [each[forest] for kind in ("numeric y", "groups") for each in cells[kind].values()]
        line.append(f"{1e3 * np.median(np.concatenate(relations_)[:, 2]):.0f} ms")
        rows.append(line)
    head = ["forest", "", *(f"detected, {kind}" for kind in kinds), "true nulls rejected", "time of a test"]
    about = (
        f"{len(cells['numeric y'])} relations with a numeric y and {len(cells['groups'])} of groups, 100 rows, "
        f"{replicates} data sets each, level {LEVEL}, 99 permutations; median processor time, one core. "
    )
    counts = {kind: len(each["best splits"]) for kind in kinds if "real" in kind for each in cells[kind].values()}
    about += "".join(f"{kind[0].upper()}{kind[1:]}: {count}, one draw each. " for kind, count in counts.items())
    return [table(head, rows), "", f"{about}`python -m benchmarks.studies.other_forests --parts power{asked}`."]


def words(cell: str) -> str:
    """Return the name of a relation as words."""
    return cell.replace("_", " ") + (" of groups" if cell in relations.GROUPS and "group" not in cell else "")


def extremes(cells: dict[str, dict[str, Found]]) -> list[str]:
    """Return where each forest gains and loses most against best splits, in words."""
    lines = []
    for forest in list(FORESTS)[1:-1]:
        rates = {
            cell: [np.mean(each[name][:, 0] <= LEVEL) for name in (forest, "best splits")]
            for kind in ("numeric y", "groups")
            for cell, each in cells[kind].items()
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
        "statistics alone, with the forest already grown; the whole test reads the data, grows the forest, and "
        "computes importances and effect. "
        "`python -m benchmarks.studies.other_forests --parts null-speed`."
    )
    return [table(head, rows), "", about]


def null_seconds(method: Method, x: np.ndarray, y: np.ndarray, size: int) -> float:
    """Return how long the permuted statistics take, the forest and its row sums being there."""
    from kmerf.nulls.judging import Run, resample
    from kmerf.reading.samples import read_independence

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
    parser.add_argument("--questions", type=Path, help="a table of real questions (benchmarks/data/real_tables.py)")
    parser.add_argument("--replicates", type=int, default=40)
    parser.add_argument("--store", type=Path, default=Path("other_forests"))
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    tables = {}
    if "power" in chosen.parts:
        chosen.store.mkdir(exist_ok=True)
        cells: dict[str, dict[str, Found]] = {kind: {} for kind in KINDS}
        for kind, named in sources(chosen.questions).items():
            for name, drawn in named.items():
                replicates = chosen.replicates if len(drawn) == 1 else 1
                cells[kind][name] = run(chosen.store / f"{name}-{replicates}.npz", drawn, replicates)
                print(f"{kind}: {len(cells[kind])} of {len(named)}, {time.process_time():.0f} s", flush=True)
        asked = " --questions questions.csv" if chosen.questions else ""
        tables["other-forests-power"] = [*power_table(cells, chosen.replicates, asked), "", *extremes(cells)]
    if "null-speed" in chosen.parts:
        tables["other-forests-speed"] = speed_lines()
    for name, lines in tables.items():
        print("\n".join(["", *lines]))
        if chosen.write:
            put(PAGE, name, lines)


if __name__ == "__main__":
    main()
