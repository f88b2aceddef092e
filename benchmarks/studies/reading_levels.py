"""How often is a true null rejected with weights, dates, pooled levels and ordered categories?

python -m benchmarks.studies.reading_levels --store levels.jsonl [--runs 100] [--quick-runs 1000] [--write]

y does not depend on x in any of the populations. The tests are `kmerf.independence(table, "y", rng=seed)` as users call
it and, as it is quick, the same with distance correlation and 199 permutations. Sampling weights: rows are drawn from a
population with a probability that rises with x and with y, so that x and y depend on each other among the rows drawn;
the weights are one over that probability. Stop it and start it again with the same store: it goes on where it was.
`--write` writes the table of docs/recognition.md.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import kmerf
from benchmarks.pages import marks

SEED = 20261119
LEVELS = (0.05, 0.01)
METHODS = ("kmerf", "dcorr")
Question = tuple[dict[str, Any], dict[str, Any]]


def drawn_unequally(rng: np.random.Generator, *, weighted: bool) -> Question:
    """Return rows of a population that were drawn the more probably the larger x and y are."""
    x, z, y = rng.normal(size=(3, 400))
    chance = 0.1 + 0.9 / (1 + np.exp(2.0 - 1.5 * (x + y)))
    rows = rng.random(400) < chance
    table = {"x": x[rows], "z": z[rows], "y": y[rows]}
    return ({**table, "w": 1 / chance[rows]}, {"weights": "w"}) if weighted else (table, {})


def counts(rng: np.random.Generator) -> Question:
    """Return a table of counts of independent categories."""
    rows, columns = rng.dirichlet(np.full(4, 3.0)), rng.dirichlet(np.full(3, 3.0))
    cells = rng.multinomial(120, np.outer(rows, columns).ravel())
    return {"hair": np.repeat(list("abcd"), 3), "y": np.tile(list("uvw"), 4), "Freq": cells}, {"weights": "Freq"}


def dates(rng: np.random.Generator) -> Question:
    """Return dates of four years, without an order, and what does not depend on them."""
    days = np.datetime64("2020-01-01") + np.sort(rng.choice(1460, 120, replace=False))
    return {"date": rng.permutation(days).astype(str).tolist(), "y": rng.normal(size=120)}, {}


def clock_times(rng: np.random.Generator) -> Question:
    """Return times of day."""
    minutes = rng.integers(0, 1440, 120)
    texts = [f"{m // 60:02d}:{m % 60:02d}" for m in minutes]
    return {"at": texts, "a": rng.normal(size=120), "y": rng.normal(size=120)}, {}


def levels(rng: np.random.Generator) -> Question:
    """Return text with many levels, rare ones among them."""
    chances = np.concatenate([np.full(14, 1.0), np.full(30, 0.08)])
    labels = rng.choice([f"town {k}" for k in range(44)], 240, p=chances / chances.sum())
    return {"town": labels.tolist(), "y": rng.normal(size=240)}, {}


def ordered(rng: np.random.Generator) -> Question:
    """Return ordered categories in x and in y."""
    import pandas as pd

    def scale() -> Any:
        return pd.Series(
            pd.Categorical(rng.choice(["low", "mid", "high", "top"], 100), ["low", "mid", "high", "top"], True)
        )

    return {"dose": scale(), "a": rng.normal(size=100), "y": scale()}, {}


CASES: dict[str, Callable[[np.random.Generator], Question]] = {
    "drawn by x and y, weights not passed": lambda rng: drawn_unequally(rng, weighted=False),
    "drawn by x and y, sampling weights": lambda rng: drawn_unequally(rng, weighted=True),
    "counts of a 4 by 3 table, frequency weights": counts,
    "dates: elapsed time, month, weekday": dates,
    "times of day": clock_times,
    "text with 44 levels, rare ones pooled": levels,
    "ordered categories in x and y": ordered,
}


def pvalue(case: str, method: str, run: int) -> float:
    """Return the p-value of one data set."""
    table, options = CASES[case](np.random.default_rng([SEED, list(CASES).index(case), run]))
    how = {} if method == "kmerf" else {"null": kmerf.Permutation(199)}
    return float(kmerf.independence(table, "y", method=method, rng=run, n_jobs=1, **how, **options).pvalue)


MIN_DATA_SETS = 40  # of a rate that is shown


def read(store: Path) -> dict[tuple[str, str, int], float]:
    """Return what is in the store."""
    lines = store.read_text(encoding="utf-8").splitlines() if store.exists() else []
    return {(case, method, run): p for case, method, run, p in map(json.loads, lines)}


def compute(store: Path, method: str, runs: int) -> None:
    """Run what the store lacks."""
    known = read(store)
    with store.open("a", encoding="utf-8") as file:
        for run in range(runs):
            for case in CASES:
                if (case, method, run) not in known:
                    print(json.dumps([case, method, run, pvalue(case, method, run)]), file=file, flush=True)


def rate(pvalues: np.ndarray, level: float) -> str:
    """Return the share of p-values at or below a level."""
    return f"{(pvalues <= level).mean():.3f}"


def table(store: Path) -> str:
    """Return the rates; those of the default if there are enough data sets."""
    known, sizes = read(store), {}
    found = {
        (case, method): np.array([p for (c, m, _), p in known.items() if (c, m) == (case, method)])
        for case in CASES
        for method in METHODS
    }
    for method in METHODS:
        sizes[method] = min(found[case, method].size for case in CASES)
    shown = ["dcorr", "kmerf"] if sizes["kmerf"] >= MIN_DATA_SETS else ["dcorr"]
    names = {"dcorr": "distance correlation", "kmerf": "default"}
    heads = [f"{names[m]}, {sizes[m]:,} data sets: {level}" for m in shown for level in LEVELS]
    rows = [[case, *(rate(found[case, m], level) for m in shown for level in LEVELS)] for case in CASES]
    return marks.table(["data", *heads], rows)


def main() -> None:
    """Compute, print, and write the page if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=100, help="data sets of the default test")
    parser.add_argument("--quick-runs", type=int, default=1000, help="data sets of distance correlation")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    compute(given.store, "dcorr", given.quick_runs)
    compute(given.store, "kmerf", given.runs)
    print(table(given.store))
    if given.write:
        marks.put(marks.DOCS / "recognition.md", "reading-levels", table(given.store).splitlines())


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
