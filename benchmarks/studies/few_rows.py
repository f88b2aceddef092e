"""How often does the default test reject a true null with few rows and hundreds of columns?

    python -m benchmarks.studies.few_rows --store few_rows.jsonl [--runs 200] [--write]

x and y are independent; the test is `kmerf.independence(x, y, rng=seed)` as users call it. Stop it and start it again
with the same store: it goes on where it was. `--write` writes the table of docs/validity.md.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

import kmerf
from benchmarks.pages import marks

SHAPES = ((12, 400), (15, 500), (22, 500))
KINDS = ("normal", "two classes")
LEVELS = (0.05, 0.01)
SEED = 20261118


def pvalue(n: int, p: int, kind: str, run: int) -> float:
    rng = np.random.default_rng([SEED, n, p, KINDS.index(kind), run])
    x, y = rng.normal(size=(n, p)), rng.normal(size=n)
    if kind == "two classes":
        return float(kmerf.independence(x, np.where(np.arange(n) < n // 2, "a", "b"), rng=run).pvalue)
    return float(kmerf.independence(x, y, rng=run).pvalue)


def read(store: Path) -> dict[tuple[int, int, str, int], float]:
    lines = store.read_text(encoding="utf-8").splitlines() if store.exists() else []
    return {tuple(json.loads(line)[:4]): json.loads(line)[4] for line in lines}


def compute(store: Path, runs: int) -> None:
    known = read(store)
    with store.open("a", encoding="utf-8") as file:
        for run in range(runs):
            for n, p in SHAPES:
                for kind in KINDS:
                    if (n, p, kind, run) not in known:
                        print(json.dumps([n, p, kind, run, pvalue(n, p, kind, run)]), file=file, flush=True)


def write(store: Path) -> None:
    known, rows = read(store), []
    for n, p in SHAPES:
        for kind in KINDS:
            found = np.array([value for key, value in known.items() if key[:3] == (n, p, kind)])
            rates = [f"{(found <= a).mean():.3f}" for a in LEVELS]
            rows.append([str(n), str(p), kind, str(found.size), *rates])
    text = marks.table(["rows", "columns", "y", "data sets", "level 0.05", "level 0.01"], rows)
    marks.put(marks.DOCS / "validity.md", "few-rows", text.splitlines())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, default=Path("few_rows.jsonl"))
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    compute(given.store, given.runs)
    if given.write:
        write(given.store)


if __name__ == "__main__":
    main()
