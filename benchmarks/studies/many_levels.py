"""Categories with many levels: what a tree costs, what forests see of them, and whether true nulls are kept.

python -m benchmarks.studies.many_levels cost               a table of docs/performance.md
python -m benchmarks.studies.many_levels seen               another
python -m benchmarks.studies.many_levels nulls --runs 200   a table of docs/validity.md; goes on where it stopped

What was done before, one column for each level, is measured beside: it is what trees make of the same columns now.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import kmerf
from benchmarks.pages import marks
from kmerf.forests.fitted import Predictions
from kmerf.forests.growing import Forest, presort
from kmerf.forests.spec import ForestSpec

if TYPE_CHECKING:
    from kmerf.engine.workspace import Columns

VALIDITY = marks.DOCS / "validity.md"
LEVELS = 400
ROWS = 200
LEVEL = 0.05
REFITS = 19
SEED = 20261116
LARGE_LEAVES = ForestSpec(100, min_samples_leaf=5)


def one_hot(codes: np.ndarray, levels: int) -> np.ndarray:
    """Return a column for each level."""
    return (codes[:, None] == np.arange(levels)).astype(float)


def milliseconds(columns: Columns, y: np.ndarray, trees: int) -> float:
    """Return the processor time of a tree, the least of five."""
    spec = ForestSpec(trees)
    taken = []
    for _ in range(6):  # the first compiles
        start = time.process_time()
        Forest(spec, columns, y, False, 0).leaves()
        taken.append(time.process_time() - start)
    return 1e3 * min(taken[1:]) / trees


def cost() -> None:
    """Measure a tree of 1000 rows on one column."""
    n, rng = 1000, np.random.default_rng(SEED)
    targets = rng.normal(size=(n, 1)), rng.normal(size=(n, 4))
    number = [milliseconds(presort(rng.normal(size=(n, 1))), y, 60) for y in targets]
    rows = [["a number", *(f"{each:.2f}" for each in number), "", ""]]
    for levels in (40, 400, 1000):
        codes = rng.integers(0, levels, n)
        now = [milliseconds(presort(codes[:, None].astype(float), np.array([levels])), y, 60) for y in targets]
        before = [milliseconds(presort(one_hot(codes, levels)), y, 3) for y in targets]
        rows.append([f"{levels} levels", *(f"{each:.2f}" for each in now), *(f"{each:.1f}" for each in before)])
    head = ["one column, 1000 rows", "one output", "four outputs", "one column per level: one output", "four outputs"]
    marks.put(marks.PERFORMANCE, "levels-cost", marks.table(head, rows).splitlines())


def share(columns: Columns, y: np.ndarray, spec: ForestSpec, seed: int) -> float:
    """Return the share of the variance of y that a forest predicts out of bag."""
    predictions = Predictions(y)
    predictions.add(Forest(spec, columns, y, False, seed).leaves())
    return predictions.share


def seen(repeats: int = 40) -> None:
    """Measure what forests predict of y where a number, or a category, or neither has to do with it."""
    n, rows = 300, []
    for levels in (40, 100):
        for signal in ("the number", "the category", "neither"):
            found = []
            for repeat in range(repeats):
                rng = np.random.default_rng([SEED, levels, repeat])
                number, codes = rng.normal(size=n), rng.integers(0, levels, n)
                means = {"the number": number, "the category": rng.normal(size=levels)[codes], "neither": 0.0}
                y = (0.6 * means[signal] + rng.normal(size=n))[:, None]
                known = np.column_stack([number, codes])
                found.append(
                    [
                        share(presort(known, np.array([0, levels])), y, LARGE_LEAVES, repeat),
                        share(presort(np.column_stack([number, one_hot(codes, levels)])), y, LARGE_LEAVES, repeat),
                        share(presort(known[:, :1]), y, LARGE_LEAVES, repeat),
                    ]
                )
            mean, error = np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / repeats**0.5
            cells = [f"{m:.3f} ± {e:.3f}" for m, e in zip(mean, error, strict=True)]
            rows.append([str(levels), signal, *cells])
    head = ["levels", "y moves with", "by means", "one column per level", "the number alone"]
    marks.put(marks.PERFORMANCE, "levels-seen", marks.table(head, rows).splitlines())


def draw(kind: str, number: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Return a number and a category, with levels all alike or with shares as 1 / rank, and a y without either."""
    rng = np.random.default_rng([SEED, number])
    shares = 1.0 / np.arange(1, LEVELS + 1)
    codes = rng.choice(LEVELS, ROWS, p=shares / shares.sum()) if number % 2 else rng.integers(0, LEVELS, ROWS)
    x = {"number": rng.normal(size=ROWS), "town": np.array([f"town {code}" for code in codes], dtype=object)}
    y = rng.normal(size=ROWS) if kind == "numbers" else rng.choice(["a", "b"], ROWS)
    return x, y


def nulls(runs: int, store: Path) -> None:
    """Test tables without a relation by the default with few refits, and write how often it rejects."""
    done = [json.loads(line) for line in store.read_text().splitlines()] if store.exists() else []
    known = {(each["kind"], each["number"]) for each in done}
    with store.open("a", encoding="utf-8") as out:
        for kind, number in ((kind, number) for number in range(runs) for kind in ("numbers", "classes")):
            if (kind, number) in known:
                continue
            x, y = draw(kind, number)
            null = kmerf.Permutation(REFITS)
            found = kmerf.independence(x, y, categorical=["town"], null=null, rng=number, n_jobs=1)
            levels = len(set(x["town"]))
            done.append({"kind": kind, "number": number, "pvalue": found.pvalue, "levels": levels})
            out.write(json.dumps(done[-1]) + "\n")
            out.flush()
    rows = []
    for kind, what in (("numbers", "normal"), ("classes", "two classes")):
        for name, parts in (("all alike", [0]), ("as 1 / rank", [1]), ("both", [0, 1])):
            rows.append([what, name, *_rejected([e for e in done if e["kind"] == kind and e["number"] % 2 in parts])])
    head = ["y", "shares of levels", "levels that occur", "rejected at 0.05", "data sets"]
    marks.put(VALIDITY, "levels", marks.table(head, rows).splitlines())


def _rejected(done: list[dict[str, float]]) -> list[str]:
    rate = np.mean([each["pvalue"] <= LEVEL for each in done])
    return [f"{np.mean([each['levels'] for each in done]):.0f}", f"{rate:.3f}", str(len(done))]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["cost", "seen", "nulls"])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--store", type=Path, default=Path("many_levels.jsonl"))
    chosen = parser.parse_args()
    if chosen.what == "nulls":
        nulls(chosen.runs, chosen.store)
    else:
        {"cost": cost, "seen": seen}[chosen.what]()
