"""How many rows? Power curves from pilots, beside the power itself, on relations where it can be simulated.

    python -m benchmarks.studies.pilot_curves [--test dcorr] [--pilots 100] [--parts 30] [--runs 300] [--own 100]
        [--jobs 1] [--store FOLDER] [--others] [--write]

`--write` puts the table of ten relations into docs/planning.md, `--others` takes the sixteen of
data/varied.py instead. For each, `pilots` pilots of 100 rows have a curve each, and data sets of every size the
true power: the share that is rejected by the test's own p-value. That takes many refits, so `own` data sets have it,
and all `runs` are judged by a null that they have in common, the statistics of five permutations of each; the truth is
the latter share plus the mean difference of the two judgements where there are both. The default test
(`--test kmerf`) takes more than ten times as long as distance correlation. With `--store`, statistics are kept in a
folder, 100 pilots or data sets a file: a run that was stopped goes on, and one with other constants of
`kmerf.planning.planning` takes seconds.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from benchmarks.data import varied
from benchmarks.pages.marks import DOCS, put, table
from kmerf.core.settings import LEVEL
from kmerf.methods.portfolio import Portfolio
from kmerf.methods.registry import choose_method
from kmerf.nulls.definitions import Sequential, combine_many
from kmerf.nulls.judging import Run, judge_fit
from kmerf.planning.planning import PartStatistics, PartTest, fit_growth, interval, part_scores, part_sizes
from kmerf.reading.samples import read_independence

PAGE = DOCS / "planning.md"
PILOT = 100
SIZES = {"dcorr": (50, 100, 200, 400), "kmerf": (50, 100, 200)}  # all ten relations are found in 400 rows
PERMUTED = 5  # times that y is permuted in each data set of the truth
BLOCK = 100  # pilots or data sets in a file of the store
TESTS = {"dcorr": "distance correlation", "kmerf": "the default"}
Generator = np.random.Generator
Pair = tuple[Any, Any]
Arrays = dict[str, Any]


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
"""Of benchmarks/data/varied.py."""


def other(name: str) -> Callable[[int, Generator], Pair]:
    """Return a relation of benchmarks/data/varied.py that is found about half of the time in 100 rows."""
    drawn = {**varied.NUMERIC, **varied.GROUPS}[name]

    def relation(n: int, rng: Generator) -> Pair:
        x, y = drawn(n, rng, 1.0)
        return x, np.char.add("group ", y.astype(str)) if name in varied.GROUPS else y

    relation.__name__ = name
    return relation


def tested(test: str) -> Any:
    return Portfolio() if test == "kmerf" else choose_method(test)


def relation_of(name: str) -> Callable[[int, Generator], Pair]:
    return RELATIONS[name] if name in RELATIONS else other(name)


def simulated(test: str, name: str, first: int, n: int) -> Arrays:
    """Return the statistics of a block of data sets of n rows: observed (block, k), permuted and weights."""
    method, relation = tested(test), relation_of(name)
    observed, permuted, weights = [], [], []
    for run in range(first, first + BLOCK):
        rng = np.random.default_rng([run, n, 11])
        problem = method.prepare(read_independence(*relation(n, rng)), run)
        fit = problem.fit(np.arange(n), 0)
        observed.append(fit.statistics)
        weights.append(fit.weights)
        permuted += [problem.fit(rng.permutation(n), 1 + k).statistics for k in range(PERMUTED)]
    return {"observed": np.array(observed), "permuted": np.array(permuted), "weights": np.array(weights)}


def judged(test: str, name: str, first: int, n: int) -> Arrays:
    """Return the p-values of a block of data sets of n rows, those of `simulated`."""
    method, relation = tested(test), relation_of(name)
    pvalues = []
    for run in range(first, first + BLOCK):
        x, y = relation(n, np.random.default_rng([run, n, 11]))
        problem = method.prepare(read_independence(x, y), run)
        pvalues.append(judge_fit(Sequential(99), problem, problem.fit(np.arange(n), 0), Run(run)).pvalue)
    return {"pvalues": np.array(pvalues)}


def piloted(test: str, name: str, first: int, parts: int) -> Arrays:
    """Return the statistics of the parts of a block of pilots (block, sizes, parts, k): those of `power_curve`."""
    method, relation, sizes = tested(test), relation_of(name), part_sizes(PILOT)
    found: dict[str, list[Any]] = {field: [] for field in PartStatistics._fields}
    for pilot in range(first, first + BLOCK):
        x, y = relation(PILOT, np.random.default_rng([pilot, 12, *relation.__name__.encode()]))
        job = PartTest(read_independence(x, y), method, pilot, tuple(sizes))
        done = [job(number) for number in range(parts * len(sizes))]
        for field, blocks in found.items():
            blocks.append([[getattr(part, field) for part in done[k :: len(sizes)]] for k in range(len(sizes))])
    return {field: np.array(blocks) for field, blocks in found.items()}


def kept(store: Path | None, make: Callable[..., Arrays], test: str, name: str, first: int, size: int) -> Arrays:
    """Return what is in the store, or make it and put it there."""
    if store is None:
        return make(test, name, first, size)
    path = store / f"{test}-{name}-{make.__name__}-{size}-{first}.npz"
    if not path.exists():
        part = path.with_suffix(".part")
        with part.open("wb") as file:
            np.savez(file, **make(test, name, first, size))
        part.rename(path)
    with np.load(path) as arrays:
        return dict(arrays)


def true_power(blocks: Sequence[Arrays], own: Sequence[Arrays]) -> tuple[float, float]:
    """Return the share of data sets in which the test rejects, and its standard error."""
    observed, permuted, weights = (
        np.concatenate([block[each] for block in blocks]) for each in ("observed", "permuted", "weights")
    )
    scores, null = combine_many(observed, permuted, weights.mean(axis=0))
    rejected = (scores >= np.quantile(null, 1 - LEVEL)).astype(float)
    by_pvalue = np.concatenate([block["pvalues"] for block in own]) <= LEVEL
    more = by_pvalue - rejected[: by_pvalue.size]
    power = float(np.clip(rejected.mean() + more.mean(), 0.0, 1.0))
    share = (rejected.sum() + 2.0) / (rejected.size + 4.0)  # so that none of many rejected is not known for sure
    return power, float(np.sqrt(share * (1.0 - share) / rejected.size + more.var() / more.size))


def curve(pilot: Arrays, sizes: Sequence[int]) -> Any:
    """Return power and the ends of its interval (3, sizes) from the statistics of the parts of one pilot."""
    parts = {
        size: [PartStatistics(*part) for part in zip(*(pilot[f][k] for f in PartStatistics._fields), strict=True)]
        for k, size in enumerate(part_sizes(PILOT))
    }
    return interval(fit_growth(part_scores(parts), PILOT, LEVEL), np.array(sizes), 0.95)


def curves(blocks: Sequence[Arrays], sizes: Sequence[int]) -> Any:
    """Return power and the ends of its interval of every pilot (pilots, 3, sizes)."""
    return np.array([curve({f: block[f][k] for f in block}, sizes) for block in blocks for k in range(BLOCK)])


def measured(chosen: argparse.Namespace, names: Sequence[str]) -> list[tuple[Any, Any]]:
    """Return the true power and its error (sizes, 2), and the curves of all pilots, of each relation."""
    sizes = SIZES[chosen.test]
    jobs: list[tuple[Any, str, int, int]] = []
    for make, runs in ((simulated, chosen.runs), (judged, chosen.own)):
        jobs += [(make, name, first, n) for name in names for n in sizes for first in range(0, runs, BLOCK)]
    jobs += [(piloted, name, first, chosen.parts) for name in names for first in range(0, chosen.pilots, BLOCK)]
    done = Parallel(chosen.jobs, batch_size=1, verbose=1)(
        delayed(kept)(chosen.store, make, chosen.test, *job) for make, *job in jobs
    )
    blocks: dict[Any, list[Arrays]] = {}
    for (make, name, _, size), block in zip(jobs, done, strict=True):
        blocks.setdefault((make, name, size), []).append(block)
    return [
        (
            np.array([true_power(blocks[simulated, name, n], blocks[judged, name, n]) for n in sizes]),
            curves(blocks[piloted, name, chosen.parts], sizes),
        )
        for name in names
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--test", choices=TESTS, default="dcorr")
    parser.add_argument("--pilots", type=int, default=100)
    parser.add_argument("--parts", type=int, default=30)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--own", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--store", type=Path)
    parser.add_argument("--others", action="store_true")
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    if any(count % BLOCK or not count for count in (chosen.pilots, chosen.runs, chosen.own)):
        parser.error(f"--pilots, --runs and --own are multiples of {BLOCK}")
    lines, misses, covered, away, errors = [], [], [], [], []
    names, sizes = OTHERS if chosen.others else tuple(RELATIONS), SIZES[chosen.test]
    for name, (truth, found) in zip(names, measured(chosen, names), strict=True):
        true, error = truth.T
        middle = np.median(found[:, 0], axis=0)
        inside = (found[:, 1] <= true + 2 * error) & (found[:, 2] >= true - 2 * error)  # the truth is simulated
        misses.append(middle - true)
        errors.append(np.hypot(error, 1.25 * found[:, 0].std(axis=0) / chosen.pilots**0.5))
        away.append(found[:, 0] - true)
        covered.append(inside.mean(axis=0))
        cells = [f"{t:.2f} / {m:.2f}" for t, m in zip(true, middle, strict=True)]
        spread_ = float(found[:, 0, sizes.index(PILOT)].std())
        lines.append([name, *cells, f"{spread_:.2f}", f"{inside.mean():.2f}"])
        print(lines[-1], flush=True)
    miss, cover, known = np.array(misses), np.array(covered).mean(axis=0), np.array(errors)
    head = ["relation", *(f"{n} rows" for n in sizes), f"sd at {PILOT}", "covered"]
    worst = [(np.abs(m).max(), e[np.abs(m).argmax()]) for m, e in zip(miss.T, known.T, strict=True)]
    summary = "; ".join(
        f"{n} rows: {np.abs(m).mean():.3f} (largest {most:.2f} ± {error:.2f}), covered {c:.2f}"
        for n, m, (most, error), c in zip(sizes, miss.T, worst, cover, strict=True)
    )
    made = f"{chosen.pilots} pilots of {PILOT} rows each, {chosen.parts} parts, truth from {chosen.runs} data sets"
    text = f"Test: {TESTS[chosen.test]}; {made}. Distance of the median from the truth, mean over relations:"
    asked = "--others " if chosen.others else ""
    asked += f"--test {chosen.test} --pilots {chosen.pilots} --parts {chosen.parts} --runs {chosen.runs}"
    closing = f"{text} {summary}. `python -m benchmarks.studies.pilot_curves {asked} --own {chosen.own}`."
    print(closing)
    every = np.concatenate(away)
    chance = every.std(axis=0) / len(every) ** 0.5
    pooled = ", ".join(
        f"{n} rows: {m:+.2f} ± {e:.2f}" for n, m, e in zip(sizes, every.mean(axis=0), chance, strict=True)
    )
    short = f"Estimate less truth, on average over all {len(every)} pilots, {pooled}."
    print(short)
    if chosen.write and chosen.others:
        put(PAGE, "planning-others", [closing])
    elif chosen.write:
        put(PAGE, f"planning-{chosen.test}", [table(head, lines), "", closing, "", short])


if __name__ == "__main__":
    main()
