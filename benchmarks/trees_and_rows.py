"""How many trees do many rows need? Writes a table of docs/performance.md.

    python benchmarks/trees_and_rows.py [--rows 10000] [--data-sets 5] [--write]

For faint relations in many rows, and for the number of trees that few rows have and parts of it: how far the statistic
of each reading of a forest is from its permuted values, in their standard deviations, and what a refit takes. All rows
are sent down every tree.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping

import marks
import numpy as np
from marks import PERFORMANCE

from kmerf.data import read_sample as tables
from kmerf.methods import portfolio
from kmerf.methods.portfolio import NUMERIC, Portfolio
from kmerf.methods.protocol import grows_forest

SHARES = (1.0, 0.5, 0.25, 0.12)
PERMUTATIONS = 14
READINGS = ("unseen", "predict", "joint")
COLUMNS = 10

Array = np.ndarray

SIGNALS: Mapping[str, Callable[[Array], Array]] = {
    "line": lambda x: 0.11 * x[:, 0],
    "product": lambda x: 0.2 * x[:, 0] * x[:, 1],
    "wave": lambda x: 0.22 * np.sin(3 * x[:, 0]),
    "bump": lambda x: 0.45 * np.exp(-8 * x[:, 0] ** 2),
    "sum of five": lambda x: 0.06 * x[:, :5].sum(axis=1),
}


def draw(name: str, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return data whose relation is the fainter the more rows there are; that of the spread is not."""
    x, noise = rng.normal(size=(n, COLUMNS)), rng.normal(size=n)
    if name == "spread":
        return x, noise * np.exp(0.12 * x[:, 0])
    return x, SIGNALS[name](x) * (n / 1000) ** -0.35 + noise


def distances(name: str, n: int, share: float, seed: int) -> tuple[Array, float]:
    """Return how far each reading is from its permuted values, and the seconds of a refit."""
    rng = np.random.default_rng([5, seed])
    x, y = draw(name, n, rng)
    members = {k: NUMERIC[k].with_trees(round(NUMERIC[k].forest.n_trees * share)) for k in READINGS}
    assert all(grows_forest(each) for each in members.values())
    problem = Portfolio(members).prepare(tables.read_independence(x, y), seed)
    orders = [np.arange(n), *(rng.permutation(n) for _ in range(PERMUTATIONS))]
    spent = time.process_time()
    fits = np.array([problem.fit(order, refit + 1).statistics for refit, order in enumerate(orders)])
    seconds = (time.process_time() - spent) / len(orders)
    return (fits[0] - fits[1:].mean(axis=0)) / fits[1:].std(axis=0, ddof=1), seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--data-sets", type=int, default=5)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    portfolio.MANY_ROWS = 10**12  # as many trees as are asked for
    names = [*SIGNALS, "spread"]
    rows = []
    for share in SHARES:
        found, spent = [], []
        for name in names:
            each = [distances(name, options.rows, share, seed) for seed in range(options.data_sets)]
            found.append(np.mean([z for z, _ in each], axis=0))
            spent += [seconds for _, seconds in each]
        trees = " and ".join(str(round(NUMERIC[k].forest.n_trees * share)) for k in ("unseen", "joint"))
        cells = [" / ".join(f"{value:.1f}" for value in z) for z in found]
        rows.append([trees, f"{1000 * np.mean(spent):.0f} ms", *cells])
        print(rows[-1], flush=True)
    if options.write:
        error = f"{1 / np.sqrt(options.data_sets):.1f}"
        lines = [
            f"{options.rows:,} rows, {COLUMNS} columns, `{'` / `'.join(READINGS)}`; {options.data_sets} data sets "
            f"each, so ± {error} at least:",
            "",
            marks.table(["trees", "a refit", *names], rows),
        ]
        marks.put(PERFORMANCE, "trees_and_rows", lines)


if __name__ == "__main__":
    main()
