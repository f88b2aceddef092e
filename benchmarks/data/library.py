"""A library of questions to learn from, and the statistics of many tests on each of them, stored once.

    python -m benchmarks.data.library --store library [--questions questions.csv] [--draws 0:1] [--replicates 60]

A *cell* is a relation with a size: the paper's simulations by both definitions, two samples, relations of our own
(relations.py and varied.py beside this one). Each of its replicates is one data set, fitted as it is and with y
permuted once; the permuted fits of all replicates are the null of each. A *question* is one of real tables
(benchmarks/data/real_tables.py), for which every draw of rows has 99 permutations of its own.

Each cell and each draw goes to one file of the store, so it can be stopped and started again. studies/fit_weights.py
fits the weights of the default on it, and studies/real.py writes docs/real.md.
"""

from __future__ import annotations

import argparse
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.data import modern, published_two_samples, relations, varied
from benchmarks.data.outside_tables import Outside, read_outside
from benchmarks.data.real_tables import Real, read_questions
from benchmarks.data.relations import Filled, Grouped, Related
from benchmarks.data.varied import Varied
from kmerf import KMERF, ForestSpec, baselines, simulations, study
from kmerf.core.errors import InputError
from kmerf.data.sample import Sample
from kmerf.methods.local import Local
from kmerf.methods.portfolio import Portfolio, filled, redundancy
from kmerf.methods.protocol import SCALES, Method, Problem
from kmerf.methods.ridge import Ridge
from kmerf.nulls.definitions import scores, soft_maximum
from kmerf.simulations import MIXTURES, SIMULATIONS

PERMUTATIONS = 99
_PART = " / "  # between the name of a test with several statistics and their numbers
SIZES = (24, 100, 300)  # of relations with a strength
DEPENDENT = [name for name in SIMULATIONS if name != "multimodal_independence"]


def scaled_name(name: str, scale: str) -> str:
    """Return what a test on columns of a scale is called; those of variance 1 are the default."""
    return name if scale == "standard" else f"{name}, {scale}"


NUMERIC, CLASSES = Portfolio().numeric, Portfolio().classes
_PLAIN, _COARSE = NUMERIC["proximity"].forest, CLASSES["proximity"].forest

TRIED_NUMERIC: Mapping[str, Method] = {
    "kernel": KMERF(_PLAIN, "all"),
    "local shape": Local("shape"),
    "total": baselines.RV(),
    "quadratic": Ridge(2),
    "distance": baselines.Dcorr(),
}
"""Members that were tried beside those of the default."""
TRIED_CLASSES: Mapping[str, Method] = {
    "kernel": KMERF(_COARSE, "all"),
    "total": baselines.RV(),
    "distance": baselines.Dcorr(),
    "distance of ranks": baselines.Dcorr("ranks"),
}
SCALED = {
    "Dcorr": baselines.Dcorr,
    "HHG": baselines.HHG,
    "Hsic": baselines.Hsic,
    "MGC": baselines.MGC,
    "RV": baselines.RV,
}
RIVALS: Mapping[str, Method] = {
    **{scaled_name(name, scale): make(scale=scale) for name, make in SCALED.items() for scale in SCALES},
    "CCA": baselines.CCA(),
}
"""Tests without a forest; those that depend on the units of columns, in each of three scalings."""
NEWER: Mapping[str, Method] = {**modern.INDEPENDENCE, **modern.TWO_SAMPLE}
"""Newer tests, of which the latter are for two groups; on real questions only."""
LONG = ("C2ST", "hypoRF")
PAPER = "paper"
"""The paper's KMERF, but for the number of trees: 500 take more time than all other tests together."""
PAPER_TREES = 200

ONE_FOREST = "one forest"
"""A single forest of 500 trees and its out-of-bag kernel, where there are many rows."""

SLOW, MOST_ROWS = ("HHG", "MGC"), 500  # rivals that sort all pairs, and the rows from which they are left out


@dataclass(frozen=True)
class Cell:
    """A relation with a size, and the family that it is left out with."""

    family: str
    source: study.Source
    replicates: int

    @property
    def name(self) -> str:
        return f"cell-{zlib.crc32(repr(self.source).encode()):08x}"


def cells(replicates: int) -> Iterator[Cell]:
    """Yield the cells of the library."""
    for name in DEPENDENT:
        grid = [p for p in simulations.dimension_grid(name) if p <= 50]
        for p in (grid[0], grid[len(grid) // 2], grid[-1]):
            yield Cell(name, study.Simulated(name, 100, p, 0.0, "published"), replicates)
        for n in (40, 100):
            yield Cell(name, study.Simulated(name, n, 3, 1.0, "paper"), replicates)
    for name in MIXTURES:
        yield Cell(f"mixture {name}", study.Mixed(name, 50, 6), replicates)
    for name in SIMULATIONS:
        yield Cell(f"rotated {name}", study.Rotated(name, 50, 6, 20.0), replicates)
    for name in relations.NUMERIC:
        yield Cell(name, Related(name), replicates)
    for name in relations.GROUPS:
        yield Cell(name, Grouped(name), replicates)
    for name in (*varied.NUMERIC, *varied.GROUPS):
        for n in SIZES:
            yield Cell(name, Varied(name, n), replicates)


def large_cells(replicates: int) -> Iterator[Cell]:
    """Yield the faint relations that need many rows."""
    for n in (1000, 2000):
        for name in (*relations.FAINT, *relations.FAINT_TOO):
            yield Cell(name, Related(name, n), replicates)


def dimensions(name: str) -> tuple[int, ...]:
    """Return five dimensions of the published grid, which has ten points or eight."""
    grid = simulations.dimension_grid(name)
    return tuple(grid[k] for k in ((0, 2, 4, 7, 9) if len(grid) == 10 else (0, 2, 3, 5, 7)))


def published_cells(replicates: int) -> Iterator[Cell]:
    """Yield the published simulations with five dimensions of each."""
    for name in DEPENDENT:
        for p in dimensions(name):
            yield Cell(name, study.Simulated(name, 100, p, 0.0, "published"), replicates)


def two_sample_cells(replicates: int) -> Iterator[Cell]:
    """Yield the cells of published benchmarks of kernel tests (benchmarks/studies/two_sample.py)."""
    for source in published_two_samples.cells():
        yield Cell(source.name, source, replicates)


def pool(sample: Sample) -> Portfolio:
    """Return the members of the default, and those that were tried, for a kind of y."""
    if sample.y.codes is not None:
        return Portfolio(classes={**CLASSES, **TRIED_CLASSES})
    return Portfolio(numeric={**NUMERIC, **TRIED_NUMERIC})


def tests(sample: Sample, real: bool, newer: bool) -> dict[str, Method]:
    """Return every test that is tried on a sample, by name; the members come first."""
    classes = sample.y.codes is not None
    found: dict[str, Method] = {"members": pool(sample)}
    found[PAPER] = KMERF(ForestSpec(PAPER_TREES), "all")
    if real:
        quick = modern.INDEPENDENCE if not classes else modern.TWO_SAMPLE if sample.y.q == 2 else {}
        found |= {name: method for name, method in quick.items() if newer or name not in LONG}
    for name, method in RIVALS.items():
        if sample.n <= MOST_ROWS or not name.startswith(SLOW):
            found[name] = Filled(method)
    if sample.n > MOST_ROWS:
        found[ONE_FOREST] = KMERF()
    return found


def prepared(sample: Sample, seed: int, real: bool, newer: bool = False) -> dict[str, Problem]:
    """Make a sample ready for every test; CCA is left out where columns are too many for it."""
    found = {}
    for name, method in tests(sample, real, newer).items():
        try:
            found[name] = method.prepare(sample, seed)
        except InputError:
            if name != "CCA":
                raise
    return found


def statistics(problems: Mapping[str, Problem], order: np.ndarray, refit: int) -> dict[str, float]:
    """Return all statistics with row i of x beside row `order[i]` of y."""
    found = {}
    for name, problem in problems.items():
        fit = problem.fit(order, refit)
        if name == "members":
            found |= {part.name: part.statistic for part in fit.parts}
        elif len(fit.parts) == 1:
            found[name] = fit.statistic
        else:
            found |= {f"{name}{_PART}{k}": part.statistic for k, part in enumerate(fit.parts)}
    return found


def combined(table: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Make one statistic of those of a test that has several: the soft maximum of their scores."""
    tests = dict.fromkeys(name.split(_PART)[0] for name in table if _PART in name)
    parts = {test: [name for name in table if name.startswith(f"{test}{_PART}")] for test in tests}
    whole = {name: values for name, values in table.items() if _PART not in name}
    for test, names in parts.items():
        whole[test] = soft_maximum(scores(np.column_stack([table[name] for name in names])), np.ones(len(names)))
    return whole


def run_cell(cell: Cell, members: bool = False) -> dict[str, np.ndarray]:
    """Return the observed and the permuted statistics of all replicates, (2, replicates) each; or of members alone."""
    rows: dict[str, list[tuple[float, float]]] = {}
    alike = []
    for replicate in range(cell.replicates):
        seed = zlib.crc32(f"{cell.source!r} {replicate}".encode())
        rng = np.random.default_rng(seed)
        sample = cell.source.draw(rng)
        alike.append(_redundancy(sample))
        problems = {"members": pool(sample).prepare(sample, seed)} if members else prepared(sample, seed, real=False)
        observed = statistics(problems, np.arange(sample.n), 0)
        permuted = statistics(problems, rng.permutation(sample.n), 1)
        for name in observed:
            rows.setdefault(name, []).append((observed[name], permuted[name]))
    table = {name: np.array(values).T for name, values in rows.items() if len(values) == cell.replicates}
    about = {"family": cell.family, "label": f"{cell.source.name}", "n": sample.n, "p": sample.x.p}
    about["redundancy"] = alike
    return table | {f"_{key}": np.array(value) for key, value in about.items()} | _kind(sample)


def run_question(question: Real | Outside, draw: int, newer: bool) -> dict[str, np.ndarray]:
    """Return the statistics of one draw of rows, observed first, then those of its permutations."""
    seed = zlib.crc32(f"{question!r} {draw}".encode())
    rng = np.random.default_rng(seed)
    sample = question.draw(rng)
    problems = prepared(sample, seed, real=True, newer=newer)
    orders = [np.arange(sample.n), *(rng.permutation(sample.n) for _ in range(PERMUTATIONS))]
    rows = [statistics(problems, order, refit) for refit, order in enumerate(orders)]
    table = combined({name: np.array([row[name] for row in rows]) for name in rows[0]})
    about = {"family": question.family, "label": question.name, "n": sample.n, "p": sample.x.p}
    about["redundancy"] = _redundancy(sample)
    return table | {f"_{key}": np.array(value) for key, value in about.items()} | _kind(sample)


def some_of_each(questions: Sequence[Real | Outside], number: int | None) -> list[Real | Outside]:
    """Return so many questions of each kind and family, in an order that has nothing to do with them; None for all."""
    taken: Counter[tuple[str, str]] = Counter()
    found = []
    for question in sorted(questions, key=lambda each: zlib.crc32(repr(each).encode())):
        taken[question.kind, question.family] += 1
        if number is None or taken[question.kind, question.family] <= number:
            found.append(question)
    return found


def _redundancy(sample: Sample) -> float:
    return redundancy(filled(sample).x.values)


def _kind(sample: Sample) -> dict[str, np.ndarray]:
    return {"_classes": np.array(sample.y.codes is not None)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, default=Path("library"))
    parser.add_argument("--questions", type=Path, help="a table of real questions (benchmarks/data/real_tables.py)")
    parser.add_argument(
        "--outside",
        type=Path,
        nargs=2,
        metavar=("QUESTIONS", "TABLES"),
        help="questions of a second source, and their tables (benchmarks/data/outside_tables.py)",
    )
    parser.add_argument("--newer", action="store_true", help="also C2ST and hypoRF, which take longest, on real tables")
    parser.add_argument("--per-family", type=int, help="of each table so many questions of each kind; without, all")
    parser.add_argument("--draws", default="0:1", help="numbers of the draws of each question, first:last")
    parser.add_argument("--replicates", type=int, default=60)
    parser.add_argument("--families", default="", help="only these, with commas between them")
    parser.add_argument("--only", choices=["cells", "questions"], help="one of the two")
    parser.add_argument("--members-only", action="store_true", help="cells without other tests: enough for the weights")
    parser.add_argument("--large", action="store_true", help="the faint relations with 1000 and 2000 rows instead")
    parser.add_argument("--two-sample", action="store_true", help="published benchmarks of kernel tests instead")
    parser.add_argument("--published", action="store_true", help="the members on all published simulations instead")
    options = parser.parse_args()
    options.store.mkdir(exist_ok=True)
    first, last = map(int, options.draws.split(":"))
    members = options.members_only or options.published or options.two_sample
    chosen = large_cells if options.large else published_cells if options.published else cells
    chosen = two_sample_cells if options.two_sample else chosen
    only = {name for name in options.families.split(",") if name}
    jobs = []
    if options.only != "questions":
        all_cells = chosen(options.replicates)
        own = (each for each in all_cells if not only or each.family in only)
        jobs = [(each.name, run_cell, (each, members)) for each in own]
    questions: list[Real | Outside] = [] if options.questions is None else [*read_questions(options.questions)]
    questions += [] if options.outside is None else read_outside(*options.outside)
    for draw in range(first, last) if options.only != "cells" else ():
        for question in some_of_each(questions, options.per_family):
            name = f"real-{zlib.crc32(repr(question).encode()):08x}-{draw}"
            jobs.append((name, run_question, (question, draw, options.newer)))
    rng = np.random.default_rng(0)  # so that a store that is not complete yet has some of everything
    for done, k in enumerate(rng.permutation(len(jobs)), start=1):
        name, run, args = jobs[k]
        path = options.store / f"{name}.npz"
        if not path.exists():
            np.savez_compressed(path, **run(*args))
            print(f"{done} of {len(jobs)}", end="\r", flush=True)


if __name__ == "__main__":
    main()
