"""How many rows? Power curves from pilots, beside the power itself, on ten relations where it can be simulated.

    python benchmarks/planning.py [--test dcorr] [--pilots 100] [--parts 30] [--runs 300] [--jobs 1]
        [--write | --others]

The constants of the method were chosen on other relations; that scores are taken on the scale of their roots was seen
to be right on these ten and on sixteen others. For each, `runs` data sets of every size have the true power (the
statistics of five permutations of each, together, are the null), and `pilots` pilots of 100 rows have a curve each.
`--write` puts the table into docs/how-to/planning.md. The default test (`--test kmerf`) takes more than ten times as
long; with few pilots, the means over all relations say more than single rows. `--others` is for the sixteen instead.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
import varied
from joblib import Parallel, delayed
from marks import DOCS, put, table

import kmerf
from kmerf.data.read_sample import read_independence
from kmerf.methods.portfolio import Portfolio
from kmerf.methods.registry import choose_method
from kmerf.nulls.combining import combine_many
from kmerf.study.intervals import wilson

PAGE = DOCS / "how-to" / "planning.md"
PILOT, SIZES, TREES = 100, (50, 100, 200, 400), 25
PERMUTED = 5  # times that y is permuted in each data set of the truth
Generator = np.random.Generator
Pair = tuple[Any, Any]


def line(n: int, rng: Generator) -> Pair:
    x = rng.normal(size=(n, 2))
    return x, 0.3 * x[:, 0] + rng.normal(size=n)


def parabola(n: int, rng: Generator) -> Pair:
    x = rng.normal(size=(n, 2))
    return x, 0.5 * x[:, 0] ** 2 + rng.normal(size=n)


def step(n: int, rng: Generator) -> Pair:
    x = rng.uniform(-1, 1, size=(n, 3))
    return x, 0.7 * (x[:, 1] > 0.2) + rng.normal(size=n)


def spread(n: int, rng: Generator) -> Pair:
    x = rng.normal(size=(n, 2))
    return x, np.exp(0.55 * x[:, 0]) * rng.normal(size=n)


def heavy_tails(n: int, rng: Generator) -> Pair:
    x = rng.normal(size=(n, 3))
    return x, 0.5 * x[:, 0] + rng.standard_t(3, size=n)


def sum_of_five(n: int, rng: Generator) -> Pair:
    x = rng.normal(size=(n, 5))
    return x, 0.2 * x.sum(axis=1) + rng.normal(size=n)


def counts(n: int, rng: Generator) -> Pair:
    x = rng.normal(size=(n, 3))
    return x, rng.poisson(np.exp(0.3 * x[:, 0])).astype(float)


def exponential(n: int, rng: Generator) -> Pair:
    x = rng.uniform(0, 2, size=(n, 2))
    return x, 0.25 * np.exp(x[:, 0]) + rng.normal(size=n)


def two_groups(n: int, rng: Generator) -> Pair:
    group, x = rng.integers(0, 2, size=n), rng.normal(size=(n, 3))
    x[:, 0] += 0.6 * group
    return x, np.array(["a", "b"])[group]


def three_groups(n: int, rng: Generator) -> Pair:
    group, x = rng.integers(0, 3, size=n), rng.normal(size=(n, 2))
    return x + 0.3 * group[:, None], np.array(["a", "b", "c"])[group]


RELATIONS: dict[str, Callable[[int, Generator], Pair]] = {
    f.__name__.replace("_", " "): f
    for f in (line, parabola, step, spread, heavy_tails, sum_of_five, counts, exponential, two_groups, three_groups)
}


OTHERS = (
    *("wiggly_trend", "saturating", "curve", "outlying", "ordinal", "additive_curves", "lower_quantile"),
    *("correlated_bend", "zeros_and_counts", "shared_factor", "many_y", "g_shift", "g_spread", "g_logistic"),
    *("g_middle", "g_shift_correlated"),
)
"""Of benchmarks/varied.py."""


def other(name: str) -> Callable[[int, Generator], Pair]:
    """Return a relation of benchmarks/varied.py that is found about half of the time in 100 rows."""
    drawn = {**varied.NUMERIC, **varied.GROUPS}[name]

    def relation(n: int, rng: Generator) -> Pair:
        x, y = drawn(n, rng, 1.0)
        return x, np.char.add("group ", y.astype(str)) if name in varied.GROUPS else y

    relation.__name__ = name
    return relation


def truth(method: Any, relation: Callable[[int, Generator], Pair], n: int, runs: int) -> float:
    """Return the share of data sets of n rows in which the test rejects at level 0.05."""
    observed, permuted = [], []
    for run in range(runs):
        rng = np.random.default_rng([run, n, 11])
        problem = method.prepare(read_independence(*relation(n, rng)), run)
        fit = problem.fit(np.arange(n), 0)
        observed.append(fit.statistics)
        permuted += [problem.fit(rng.permutation(n), 1 + k).statistics for k in range(PERMUTED)]
    scores, null = combine_many(np.array(observed), np.array(permuted), fit.weights)
    return float(np.mean(scores >= np.quantile(null, 0.95)))


def curves(method: Any, relation: Callable[[int, Generator], Pair], pilots: int, parts: int) -> Any:
    """Return power and the ends of its interval (pilots, 3, sizes)."""
    found = []
    for pilot in range(pilots):
        x, y = relation(PILOT, np.random.default_rng([pilot, 12, *relation.__name__.encode()]))
        curve = kmerf.power_curve(x, y, sizes=SIZES, method=method, parts=parts, rng=pilot, n_jobs=1)
        found.append((curve.power, curve.low, curve.high))
    return np.array(found)


def measured(method: Any, name: str, chosen: argparse.Namespace) -> tuple[Any, Any]:
    """Return the true power by the number of rows, and the curves of all pilots, of one relation."""
    relation = other(name) if chosen.others else RELATIONS[name]
    true = np.array([truth(method, relation, n, chosen.runs) for n in SIZES])
    return true, curves(method, relation, chosen.pilots, chosen.parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--test", choices=["dcorr", "kmerf"], default="dcorr")
    parser.add_argument("--pilots", type=int, default=100)
    parser.add_argument("--parts", type=int, default=30)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=1)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--write", action="store_true")
    what.add_argument("--others", action="store_true")
    chosen = parser.parse_args()
    method = choose_method("dcorr") if chosen.test == "dcorr" else Portfolio().with_trees(TREES)
    lines, misses, covered, away = [], [], [], []
    names = OTHERS if chosen.others else tuple(RELATIONS)
    jobs = Parallel(chosen.jobs, return_as="generator")(delayed(measured)(method, name, chosen) for name in names)
    for name, (true, found) in zip(names, jobs, strict=True):
        middle = np.median(found[:, 0], axis=0)
        least, most = np.array([wilson(share * chosen.runs, chosen.runs) for share in true]).T  # the truth is simulated
        inside = (found[:, 1] <= most) & (found[:, 2] >= least)
        misses.append(middle - true)
        away.append(found[:, 0] - true)
        covered.append(inside.mean(axis=0))
        cells = [f"{t:.2f} / {m:.2f}" for t, m in zip(true, middle, strict=True)]
        spread_ = float(found[:, 0, SIZES.index(PILOT)].std())
        lines.append([name, *cells, f"{spread_:.2f}", f"{inside.mean():.2f}"])
        print(lines[-1], flush=True)
    miss, cover = np.array(misses), np.array(covered).mean(axis=0)
    head = ["relation", *(f"{n} rows" for n in SIZES), f"sd at {PILOT}", "covered"]
    summary = ", ".join(
        f"{n} rows: {np.abs(m).mean():.3f} (largest {np.abs(m).max():.2f}), covered {c:.2f}"
        for n, m, c in zip(SIZES, miss.T, cover, strict=True)
    )
    test = "distance correlation" if chosen.test == "dcorr" else f"the default with {TREES} trees"
    error = 1.25 * 0.28 / chosen.pilots**0.5
    made = f"{chosen.pilots} pilots of {PILOT} rows each, {chosen.parts} parts, truth from {chosen.runs} data sets"
    text = f"Test: {test}; {made}; so that a median is known to about ± {error:.2f}. Mean distance of the median from"
    asked = f"--test {chosen.test} --pilots {chosen.pilots} --parts {chosen.parts} --runs {chosen.runs}"
    closing = f"{text} the truth, {summary}. `python benchmarks/planning.py {asked}`."
    print(closing)
    every = np.concatenate(away)
    errors = every.std(axis=0) / len(every) ** 0.5
    pooled = ", ".join(
        f"{n} rows: {m:+.2f} ± {e:.2f}" for n, m, e in zip(SIZES, every.mean(axis=0), errors, strict=True)
    )
    short = f"Estimate less truth, on average over all {len(every)} pilots, {pooled}."
    print(short)
    if chosen.write:
        put(PAGE, f"planning-{chosen.test}", [table(head, lines), "", closing, "", short])


if __name__ == "__main__":
    main()
