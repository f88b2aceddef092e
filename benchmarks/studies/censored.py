"""Outcomes with censoring: how often true nulls are rejected, and power beside Cox, log-rank and survival forests.

    python -m benchmarks.studies.censored [--parts null power] [--null-runs 300] [--runs 200] [--forest-runs 60]
        [--write]

The default test with few trees, at level 0.05, n = 100 rows of 5 columns. Every data set is tested as observed and with
the pairs of times and events permuted once; the permuted statistics of all data sets with as many censored rows,
together, are the null of its power. Rejections of true nulls are by the test's own p-value, from 19 refits. `--write`
puts the tables into docs/censored.md.

Rivals: Cox's model of lifelines with its likelihood-ratio test, by its own p-value and by the same null as ours; its
log-rank test, told which column matters, cut at the median; and the out-of-bag concordance of scikit-survival's random
survival forest, on the first data sets of each row, by the same null. Both packages may want other versions of what
kmerf uses: install them in an environment of their own.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from pandas import DataFrame

import kmerf
from benchmarks.pages.marks import DOCS, put, table
from kmerf.planning.planning import PartTest, part_scores
from kmerf.reading.samples import read_independence

PAGE = DOCS / "censored.md"
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
    """Draw x, times and events, about `share` of the rows censored at a time that does not depend on x."""
    rng = np.random.default_rng([seed, int(100 * share), 21])
    x = rng.normal(size=(N, P))
    until, cut = relation(x, rng), rng.exponential(size=N)
    scale = np.quantile(until / cut, 1 - share)
    return x, np.minimum(until, cut * scale), (until <= cut * scale).astype(float)


def cox(x: Any, times: Any, event: Any) -> float:
    """Return the p-value of the likelihood-ratio test of all columns."""
    from lifelines import CoxPHFitter

    rows = DataFrame(x, columns=[f"x{j}" for j in range(P)]).assign(time=times, event=event)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(CoxPHFitter().fit(rows, "time", "event").log_likelihood_ratio_test().p_value)


def log_rank(x: Any, times: Any, event: Any) -> float:
    from lifelines.statistics import logrank_test

    high = x[:, 1] > np.median(x[:, 1])
    return float(logrank_test(times[high], times[~high], event[high], event[~high]).p_value)


def survival_forest(x: Any, times: Any, event: Any, seed: int) -> float:
    """Return how well a random survival forest orders the rows that its trees have not seen."""
    from sksurv.ensemble import RandomSurvivalForest
    from sksurv.util import Surv

    forest = RandomSurvivalForest(100, min_samples_leaf=5, oob_score=True, random_state=seed, n_jobs=1)
    return float(forest.fit(x, Surv.from_arrays(event > 0, times)).oob_score_)


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
    return [f"{100 * share:.0f} %", *(shown(float(np.mean(np.array(each) <= LEVEL)), runs) for each in (ours, theirs))]


class Cell(NamedTuple):
    """What was found on the data sets of one relation with so many rows censored."""

    ours: list[Any]
    cox: Any  # p-values, as observed and permuted (runs, 2)
    log_rank: Any  # p-values (runs,)
    forest: Any  # concordances, as observed and permuted (fewer runs, 2)


def run_cell(name: str, share: float, runs: int, forest_runs: int) -> Cell:
    """Test the data sets of a cell."""
    ours, by_cox, by_rank, by_forest = [], [], [], []
    for seed in range(runs):
        x, times, event = draw(RELATIONS[name], share, seed)
        sample = read_independence(x, np.column_stack([times, event]), y_kind="censored")
        ours.append(PartTest(sample, method(), seed, (N,))(0))
        order = np.random.default_rng([seed, 22]).permutation(N)
        both = [(times, event), (times[order], event[order])]
        by_cox.append([cox(x, *each) for each in both])
        by_rank.append(log_rank(x, times, event))
        if seed < forest_runs:
            by_forest.append([survival_forest(x, *each, seed) for each in both])
    return Cell(ours, np.array(by_cox), np.array(by_rank), np.array(by_forest))


def power_lines(cells: list[tuple[str, float]], runs: int, forest_runs: int) -> list[list[str]]:
    """Return the power of every cell; those with as many rows censored have one null."""
    found = {}
    for name, share in cells:
        found[name, share] = run_cell(name, share, runs, forest_runs)
        print(name, share, f"{time.process_time():.0f} s", flush=True)
    lines = []
    for (name, share), cell in found.items():
        alike = [other for (_, cut), other in found.items() if cut == share and other is not cell]
        (scores,) = part_scores({N: [*cell.ours, *(each for other in alike for each in other.ours)]})
        own = np.mean(scores.observed[:runs] >= np.quantile(scores.permuted, 1 - LEVEL))
        cox_null = np.quantile(np.concatenate([each.cox[:, 1] for each in (cell, *alike)]), LEVEL)
        forest_null = np.quantile(np.concatenate([each.forest[:, 1] for each in (cell, *alike)]), 1 - LEVEL)
        by_cox = [np.mean(cell.cox[:, 0] <= LEVEL), np.mean(cell.cox[:, 0] <= cox_null)]
        rates = [own, *by_cox, np.mean(cell.log_rank <= LEVEL)]
        forest = np.mean(cell.forest[:, 0] >= forest_null)
        line = [*(shown(float(rate), runs) for rate in rates), shown(float(forest), forest_runs)]
        lines.append([name, f"{100 * share:.0f} %", *line])
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", nargs="+", choices=["null", "power"], default=["null", "power"])
    parser.add_argument("--null-runs", type=int, default=300)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--forest-runs", type=int, default=60)
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    shares = (0.3, 0.7)
    if "null" in chosen.parts:
        rows = [null_line(share, chosen.null_runs) for share in shares]
        report("null", ["censored", "kmerf", "Cox"], rows, chosen.null_runs, chosen.write)
    if "power" in chosen.parts:
        cells = [(name, share) for name in RELATIONS for share in shares if share == 0.3 or name.startswith("hazards")]
        head = ["relation", "censored", "kmerf", "Cox", "Cox at its level", "log-rank", "survival forest"]
        lines = power_lines(cells, chosen.runs, chosen.forest_runs)
        report("power", head, lines, chosen.runs, chosen.write, f", {chosen.forest_runs} for the survival forest")


def report(part: str, head: list[str], rows: list[list[str]], runs: int, write: bool, but: str = "") -> None:
    made = f"n = {N}, {P} columns, {TREES} trees, {runs} data sets per row{but}."
    how = f"{made} `python -m benchmarks.studies.censored --parts {part}`."
    lines = [table(head, rows), "", how]
    print("\n".join(lines), flush=True)
    if write:
        put(PAGE, f"censored-{part}", lines)


if __name__ == "__main__":
    main()
