"""How many trees do many rows need, and how many columns below the root? Writes tables of docs/performance.md.

    python -m benchmarks.speed.trees_and_rows [--rows 10000] [--data-sets 5] [--wide] [--write]

For faint relations in many rows, and for the number of trees that few rows have and parts of it: how far the statistic
of each reading of a forest is from its permuted values, in their standard deviations, and what a refit takes. All rows
are sent down every tree. With `--wide`, the same for 200 rows, 2000 columns and parts of them below the root.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from benchmarks.pages import marks
from benchmarks.pages.marks import PERFORMANCE
from kmerf.methods import kmerf as kmerf_method
from kmerf.methods.kmerf import KMERF
from kmerf.methods.portfolio import NUMERIC, Portfolio
from kmerf.reading import samples as tables

SHARES = (1.0, 0.5, 0.25, 0.12)
PERMUTATIONS = 14
READINGS = ("proximity", "prediction", "distribution")
COLUMNS = 10

Array = np.ndarray

SIGNALS: Mapping[str, Callable[[Array], Array]] = {
    "line": lambda x: 0.11 * x[:, 0],
    "product": lambda x: 0.2 * x[:, 0] * x[:, 1],
    "wave": lambda x: 0.22 * np.sin(3 * x[:, 0]),
    "bump": lambda x: 0.45 * np.exp(-8 * x[:, 0] ** 2),
    "sum of five": lambda x: 0.06 * x[:, :5].sum(axis=1),
}


WIDE_ROWS, WIDE_COLUMNS = 200, 2000
KEPT = (None, 500, 100, 30)
WIDE_SIGNALS: Mapping[str, Callable[[Array], Array]] = {
    "line": lambda x: 0.5 * x[:, 0],
    "step": lambda x: 1.0 * (x[:, 0] > 0),
    "sum of twenty": lambda x: 0.17 * x[:, :20].sum(axis=1),
}


def draw(name: str, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return data whose relation is the fainter the more rows there are; that of the spread is not."""
    x, noise = rng.normal(size=(n, COLUMNS)), rng.normal(size=n)
    if name == "spread":
        return x, noise * np.exp(0.12 * x[:, 0])
    return x, SIGNALS[name](x) * (n / 1000) ** -0.35 + noise


def draw_wide(name: str, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    x = rng.normal(size=(n, WIDE_COLUMNS))
    return x, WIDE_SIGNALS[name](x) + rng.normal(size=n)


Draw = Callable[[str, int, np.random.Generator], tuple[Array, Array]]


def distances(members: Mapping[str, KMERF], draw: Draw, name: str, n: int, seed: int) -> tuple[Array, float]:
    """Return how far each reading is from its permuted values, and the seconds of a refit."""
    rng = np.random.default_rng([5, seed])
    x, y = draw(name, n, rng)
    problem = Portfolio(members).prepare(tables.read_independence(x, y), seed)
    orders = [np.arange(n), *(rng.permutation(n) for _ in range(PERMUTATIONS))]
    spent = time.process_time()
    fits = np.array([problem.fit(order, refit + 1).statistics for refit, order in enumerate(orders)])
    seconds = (time.process_time() - spent) / len(orders)
    return (fits[0] - fits[1:].mean(axis=0)) / fits[1:].std(axis=0, ddof=1), seconds


def measured(members: Mapping[str, KMERF], draw: Draw, names: Sequence[str], n: int, data_sets: int) -> list[str]:
    """Return a row of the table: the time of a refit, and the mean distances for each relation."""
    found, spent = [], []
    for name in names:
        each = [distances(members, draw, name, n, seed) for seed in range(data_sets)]
        found.append(np.mean([z for z, _ in each], axis=0))
        spent += [seconds for _, seconds in each]
    return [f"{1000 * np.mean(spent):.0f} ms", *(" / ".join(f"{value:.1f}" for value in z) for z in found)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--data-sets", type=int, default=5)
    parser.add_argument("--wide", action="store_true")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    kmerf_method.MANY_ROWS = kmerf_method.MANY_COLUMNS = 10**12  # as many trees and columns as are asked for
    forests = {name: cast("KMERF", NUMERIC[name].method) for name in READINGS}
    rows = []
    if options.wide:
        head, names, size = "columns below the root", list(WIDE_SIGNALS), f"{WIDE_ROWS} rows, {WIDE_COLUMNS} columns"
        for kept in KEPT:
            members = {k: replace(each, forest=replace(each.forest, max_columns=kept)) for k, each in forests.items()}
            cells = measured(members, draw_wide, names, WIDE_ROWS, options.data_sets)
            rows.append(["all" if kept is None else str(kept), *cells])
            print(rows[-1], flush=True)
    else:
        head, names, size = "trees", [*SIGNALS, "spread"], f"{options.rows:,} rows, {COLUMNS} columns"
        for share in SHARES:
            members = {k: each.with_trees(round(each.forest.n_trees * share)) for k, each in forests.items()}
            cells = measured(members, draw, names, options.rows, options.data_sets)
            rows.append([" and ".join(str(members[k].forest.n_trees) for k in ("proximity", "distribution")), *cells])
            print(rows[-1], flush=True)
    if options.write:
        error = f"{1 / np.sqrt(options.data_sets):.1f}"
        readings = "` / `".join(READINGS)
        sentence = f"{size}, `{readings}`; {options.data_sets} data sets each, so ± {error} at least:"
        lines = [sentence, "", marks.table([head, "a refit", *names], rows)]
        marks.put(PERFORMANCE, "wide" if options.wide else "trees_and_rows", lines)


if __name__ == "__main__":
    main()
