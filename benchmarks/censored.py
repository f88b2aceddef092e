"""Outcomes with censoring: how often true nulls are rejected, and power beside Cox's model and the log-rank test.

    python benchmarks/censored.py [--parts null power] [--null-runs 400] [--runs 150] [--write]

The default test with few trees, at level 0.05, n = 100 rows of 5 columns. Every data set is tested as observed and with
the pairs of times and events permuted once; the permuted statistics of all data sets with as many rows cut off together
are the null of its power. Rejections of true nulls are by the test's own p-value, from 19 refits. Cox's model is that
of statsmodels, with the likelihood-ratio test; the log-rank test is told which column matters, and cuts it at its
median. `--write` puts the tables into docs/how-to/censored.md.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from marks import DOCS, put, table
from scipy.stats import chi2
from statsmodels.duration.hazard_regression import PHReg
from statsmodels.duration.survfunc import survdiff

import kmerf
from kmerf.data.read_sample import read_independence
from kmerf.questions.power_parts import PartTest, part_scores

PAGE = DOCS / "how-to" / "censored.md"
N, P, LEVEL, TREES, REFITS = 100, 5, 0.05, 40, 19
Generator = np.random.Generator
Relation = Callable[[Any, Generator], Any]


def proportional(x: Any, rng: Generator) -> Any:
    return rng.exponential(size=N) * np.exp(-0.45 * x[:, 1])


def proportional_sum(x: Any, rng: Generator) -> Any:
    return rng.weibull(1.5, size=N) * np.exp(-0.13 * x.sum(axis=1))


def crossing(x: Any, rng: Generator) -> Any:
    return rng.weibull(np.where(x[:, 1] > 0, 2.5, 0.8), size=N)


def crossing_smoothly(x: Any, rng: Generator) -> Any:
    return np.exp(np.exp(0.4 * x[:, 1]) * 0.7 * rng.normal(size=N))


def both_ends(x: Any, rng: Generator) -> Any:
    return rng.exponential(size=N) * np.exp(-0.6 * (x[:, 1] ** 2 - 1))


def product(x: Any, rng: Generator) -> Any:
    return rng.exponential(size=N) * np.exp(-0.9 * np.sign(x[:, 1] * x[:, 2]))


def nothing(x: Any, rng: Generator) -> Any:
    return rng.exponential(size=N)


RELATIONS: dict[str, Relation] = {
    "hazards proportional, one column": proportional,
    "hazards proportional, sum of five": proportional_sum,
    "hazards cross": crossing,
    "spread of times moves": crossing_smoothly,
    "both ends of a column": both_ends,
    "product of two columns": product,
}


def draw(relation: Relation, share: float, seed: int) -> tuple[Any, Any, Any]:
    """Draw x, times and events, about `share` of the rows cut off at a time that does not depend on x."""
    rng = np.random.default_rng([seed, int(100 * share), 21])
    x = rng.normal(size=(N, P))
    until, cut = relation(x, rng), rng.exponential(size=N)
    scale = np.quantile(until / cut, 1 - share)
    return x, np.minimum(until, cut * scale), (until <= cut * scale).astype(float)


def cox(x: Any, times: Any, event: Any) -> float:
    model = PHReg(times, x, status=event)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gained = model.fit(disp=0).llf - model.loglike(np.zeros(P))
    return float(chi2.sf(2 * gained, P))


def log_rank(x: Any, times: Any, event: Any) -> float:
    return float(survdiff(times, event, x[:, 1] > np.median(x[:, 1]))[1])


def method() -> Any:
    return kmerf.Portfolio().with_trees(TREES)


def shown(rate: float, runs: int) -> str:
    return f"{rate:.3f} ± {np.sqrt(max(rate * (1 - rate), LEVEL * (1 - LEVEL)) / runs):.3f}"


def null_line(share: float, runs: int) -> list[str]:
    ours, theirs = [], []
    for seed in range(runs):
        x, times, event = draw(nothing, share, 10**6 + seed)
        y, null = np.column_stack([times, event]), kmerf.Permutation(REFITS)
        ours.append(kmerf.independence(x, y, y_kind="censored", method=method(), null=null, rng=seed, n_jobs=1).pvalue)
        theirs.append(cox(x, times, event))
    return [f"{share:.0%}", *(shown(float(np.mean(np.array(each) <= LEVEL)), runs) for each in (ours, theirs))]


def power_lines(cells: list[tuple[str, float]], runs: int) -> list[list[str]]:
    """Return the power of every cell; those with as many rows cut off have one null."""
    parts: dict[tuple[str, float], list[Any]] = {}
    rivals: dict[tuple[str, float], list[tuple[float, float]]] = {}
    for name, share in cells:
        for seed in range(runs):
            x, times, event = draw(RELATIONS[name], share, seed)
            sample = read_independence(x, np.column_stack([times, event]), y_kind="censored")
            parts.setdefault((name, share), []).append(PartTest(sample, method(), seed, (N,))(0))
            rivals.setdefault((name, share), []).append((cox(x, times, event), log_rank(x, times, event)))
        print(name, share, f"{time.process_time():.0f} s", flush=True)
    lines = []
    for name, share in cells:
        own_cell = (name, share)
        alike = [each for cell, found in parts.items() if cell[1] == share and cell != own_cell for each in found]
        scores = part_scores(N, [*parts[own_cell], *alike])
        own = float(np.mean(scores.observed[:runs] >= np.quantile(scores.permuted, 1 - LEVEL)))
        rates = [own, *np.mean(np.array(rivals[name, share]) <= LEVEL, axis=0)]
        lines.append([name, f"{share:.0%}", *(shown(float(rate), runs) for rate in rates)])
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", nargs="+", choices=["null", "power"], default=["null", "power"])
    parser.add_argument("--null-runs", type=int, default=300)
    parser.add_argument("--runs", type=int, default=150)
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    shares = (0.3, 0.7)
    if "null" in chosen.parts:
        rows = [null_line(share, chosen.null_runs) for share in shares]
        report("null", ["cut off", "kmerf", "Cox"], rows, chosen.null_runs, chosen.write)
    if "power" in chosen.parts:
        cells = [(name, share) for name in RELATIONS for share in shares if share == 0.3 or name.startswith("hazards")]
        head = ["relation", "cut off", "kmerf", "Cox", "log-rank"]
        report("power", head, power_lines(cells, chosen.runs), chosen.runs, chosen.write)


def report(part: str, head: list[str], rows: list[list[str]], runs: int, write: bool) -> None:
    how = (
        f"n = {N}, {P} columns, {TREES} trees, {runs} data sets a row. `python benchmarks/censored.py --parts {part}`."
    )
    lines = [table(head, rows), "", how]
    print("\n".join(lines), flush=True)
    if write:
        put(PAGE, f"censored-{part}", lines)


if __name__ == "__main__":
    main()
