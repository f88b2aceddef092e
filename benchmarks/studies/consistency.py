"""Does the default's power go to 1 as rows are added? Prints a sentence.

    python -m benchmarks.studies.consistency --store consistency.jsonl [--summary]

Every relation of the library, with a strength that stays: data sets of 100 rows, then of 300, 1000, 3000 and 10,000,
until all of forty are found at level 0.05 (19 permutations each, so a p-value of 0.05 is the smallest there is). Lines
go to the store as they come, so it can be stopped and started again. docs/power.md has no such sentence until the
study has been run with forty data sets per relation.
"""

from __future__ import annotations

import argparse
import json
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.data import relations, varied
from benchmarks.data.library import DEPENDENT
from benchmarks.data.relations import Grouped, Related
from benchmarks.data.varied import Varied
from kmerf import Portfolio, study
from kmerf.data.sample import Sample
from kmerf.nulls.definitions import combine
from kmerf.reading import samples as tables
from kmerf.simulations import MIXTURES

SIZES = (100, 300, 1000, 3000, 10_000)
DATA_SETS = 40
PERMUTATIONS = 19


class Steady(Varied):
    """A relation whose strength does not depend on the number of rows."""

    def draw(self, rng: np.random.Generator) -> Sample:
        if self.name in varied.NUMERIC:
            return tables.read_independence(*varied.NUMERIC[self.name](self.n, rng, 1.0), y_kind="numeric")
        x, groups = varied.GROUPS[self.name](self.n, rng, 1.0)
        return tables.read_ksample(x, groups=groups)


def sources() -> Iterator[tuple[str, Any]]:
    """Yield every relation with its name, for 100 rows."""
    for name in DEPENDENT:
        yield f"{name}, p = 3", study.Simulated(name, SIZES[0], 3, 1.0, "paper")
    for name in (each for each in MIXTURES if each != "independent"):
        yield f"mixture {name}", study.Mixed(name, SIZES[0], 6)
    for name in relations.RELATIONS:
        yield name, Related(name)
    for name in relations.GROUPS:
        yield name, Grouped(name)
    for name in (*varied.NUMERIC, *varied.GROUPS):
        yield name, Steady(name)


def found(sample: Sample, seed: int) -> bool:
    """Tell whether the default finds the relation."""
    problem = Portfolio().prepare(sample, seed)
    rng = np.random.default_rng(seed)
    orders = [np.arange(sample.n), *(rng.permutation(sample.n) for _ in range(PERMUTATIONS))]
    fits = [problem.fit(order, refit) for refit, order in enumerate(orders)]
    statistics = np.array([fit.statistics for fit in fits])
    observed, permuted = combine(statistics[0], statistics[1:], fits[0].weights)
    return bool((permuted >= observed).sum() == 0)


def run(store: Path) -> None:
    done = {(each["relation"], each["n"]): each["found"] for each in read(store)}
    for n in SIZES:
        for name, source in sources():
            earlier = [done[name, size] for size in SIZES if (name, size) in done]
            if (name, n) in done or (earlier and earlier[-1] == DATA_SETS):
                continue
            seeds = [zlib.crc32(f"{name} {n} {replicate}".encode()) for replicate in range(DATA_SETS)]
            sized = replace(source, n=n)
            done[name, n] = sum(found(sized.draw(np.random.default_rng(seed)), seed) for seed in seeds)
            with store.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"relation": name, "n": n, "found": done[name, n]}) + "\n")
            print(name, n, done[name, n], flush=True)


def read(store: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in store.read_text(encoding="utf-8").splitlines()] if store.exists() else []


def summary(store: Path) -> str:
    """Return how many relations are found in all data sets, by the number of rows."""
    by_name: dict[str, dict[int, int]] = {}
    for each in read(store):
        by_name.setdefault(each["relation"], {})[each["n"]] = each["found"]
    reached = {name: next((n for n in SIZES if sizes.get(n) == DATA_SETS), None) for name, sizes in by_name.items()}
    known = [size for size in SIZES if any(size in sizes for sizes in by_name.values())]
    by_rows = ", ".join(
        f"{sum(first is not None and first <= n for first in reached.values())} with {n:,} rows" for n in known
    )
    return f"Of {len(by_name)} relations, the default detects all of {DATA_SETS} data sets for {by_rows}."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, default=Path("consistency.jsonl"))
    parser.add_argument("--summary", action="store_true", help="print what the store holds, and run nothing")
    options = parser.parse_args()
    if options.summary:
        print(summary(options.store))
    else:
        run(options.store)


if __name__ == "__main__":
    main()
