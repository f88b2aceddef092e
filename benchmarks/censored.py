"""Outcomes with censoring: how often true nulls are rejected, and power beside Cox's model and the log-rank test.

    python benchmarks/censored.py [--parts null power] [--null-runs 400] [--runs 150] [--write]

The default test with few trees, at level 0.05, n = 100 rows of 5 columns. Every data set is tested as observed and with
the pairs of times and events permuted once; the permuted statistics of all data sets of a cell together are the null of
its power. Rejections of true nulls are by the test's own p-value, from 39 refits. Cox's model is that of statsmodels,
with the likelihood-ratio test; the log-rank test is told which column matters, and cuts it at its median. `--write`
puts the tables into docs/how-to/censored.md.
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
N, P, LEVEL, TREES, REFITS = 100, 5, 0.05, 40, 39
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


def power_line(name: str, relation: Relation, share: float, runs: int) -> list[str]:
    parts, theirs = [], []
    for seed in range(runs):
        x, times, event = draw(relation, share, seed)
        sample = read_independence(x, np.column_stack([times, event]), y_kind="censored")
        parts.append(PartTest(sample, method(), seed, (N,))(0))
        theirs.append((cox(x, times, event), log_rank(x, times, event)))
    scores = part_scores(N, parts)
    own = float(np.mean(scores.observed >= np.quantile(scores.permuted, 1 - LEVEL)))
    rates = [own, *np.mean(np.array(theirs) <= LEVEL, axis=0)]
    return [name, f"{share:.0%}", *(shown(float(rate), runs) for rate in rates)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", nargs="+", choices=["null", "power"], default=["null", "power"])
    parser.add_argument("--null-runs", type=int, default=400)
    parser.add_argument("--runs", type=int, default=150)
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    for part in chosen.parts:
        begun, lines = time.process_time(), []
        cells: list[Callable[[], list[str]]] = (
            [lambda share=share: null_line(share, chosen.null_runs) for share in (0.3, 0.7)]  # type: ignore[misc]
            if part == "null"
            else [
                lambda name=name, share=share: power_line(name, RELATIONS[name], share, chosen.runs)  # type: ignore[misc]
                for name in RELATIONS
                for share in ((0.3, 0.7) if name.startswith("hazards") else (0.3,))
            ]
        )
        for cell in cells:
            lines.append(cell())
            print(lines[-1], f"{time.process_time() - begun:.0f} s", flush=True)
        head = ["cut off", "kmerf", "Cox"] if part == "null" else ["relation", "cut off", "kmerf", "Cox", "log-rank"]
        runs = chosen.null_runs if part == "null" else chosen.runs
        made = f"n = {N}, {P} columns, {TREES} trees, {runs} data sets a row."
        how = f"{made} `python benchmarks/censored.py --parts {part}`."
        if chosen.write:
            put(PAGE, f"censored-{part}", [table(head, lines), "", how])


if __name__ == "__main__":
    main()
