"""How many rows? Power curves from pilots, beside the power itself, on relations where it can be simulated.

    python benchmarks/planning.py [--test dcorr] [--pilots 100] [--parts 30] [--runs 300] [--jobs 1]
        [--store FOLDER] [--others] [--write]

`--write` puts the table of ten relations into docs/how-to/planning.md, `--others` takes the sixteen of
benchmarks/varied.py instead. For each, `runs` data sets of every size have the true power (the statistics of five
permutations of each, together, are the null), and `pilots` pilots of 100 rows have a curve each. The default test
(`--test kmerf`) takes more than ten times as long as distance correlation. With `--store`, statistics are kept in a
folder, 100 pilots or data sets a file: a run that was stopped goes on, and one with other constants of
`kmerf.questions.power_growth` takes seconds.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import varied
from joblib import Parallel, delayed
from marks import DOCS, put, table

from kmerf.core.level import LEVEL
from kmerf.data.read_sample import read_independence
from kmerf.methods.portfolio import Portfolio
from kmerf.methods.registry import choose_method
from kmerf.nulls.combining import combine_many
from kmerf.questions.planning import part_sizes
from kmerf.questions.power_growth import fit_growth, interval
from kmerf.questions.power_parts import PartStatistics, PartTest, part_scores
from kmerf.study.intervals import wilson

PAGE = DOCS / "how-to" / "planning.md"
PILOT, SIZES = 100, (50, 100, 200, 400)
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
"""Of benchmarks/varied.py."""


def other(name: str) -> Callable[[int, Generator], Pair]:
    """Return a relation of benchmarks/varied.py that is found about half of the time in 100 rows."""
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


def true_power(blocks: Sequence[Arrays]) -> float:
    """Return the share of data sets in which the test rejects."""
    observed, permuted, weights = (
        np.concatenate([block[each] for block in blocks]) for each in ("observed", "permuted", "weights")
    )
    scores, null = combine_many(observed, permuted, weights.mean(axis=0))
    return float(np.mean(scores >= np.quantile(null, 1 - LEVEL)))


def curve(pilot: Arrays) -> Any:
    """Return power and the ends of its interval (3, sizes) from the statistics of the parts of one pilot."""
    parts = {
        size: [PartStatistics(*part) for part in zip(*(pilot[f][k] for f in PartStatistics._fields), strict=True)]
        for k, size in enumerate(part_sizes(PILOT))
    }
    return interval(fit_growth(part_scores(parts), PILOT, LEVEL), np.array(SIZES), 0.95)


def curves(blocks: Sequence[Arrays]) -> Any:
    """Return power and the ends of its interval of every pilot (pilots, 3, sizes)."""
    return np.array([curve({f: block[f][k] for f in block}) for block in blocks for k in range(BLOCK)])


def measured(chosen: argparse.Namespace, names: Sequence[str]) -> list[tuple[Any, Any]]:
    """Return the true power by the number of rows, and the curves of all pilots, of each relation."""
    jobs = [(simulated, name, first, n) for name in names for n in SIZES for first in range(0, chosen.runs, BLOCK)]
    jobs += [(piloted, name, first, chosen.parts) for name in names for first in range(0, chosen.pilots, BLOCK)]
    done = Parallel(chosen.jobs, batch_size=1, verbose=1)(
        delayed(kept)(chosen.store, make, chosen.test, *job) for make, *job in jobs
    )
    blocks: dict[Any, list[Arrays]] = {}
    for (make, name, _, size), block in zip(jobs, done, strict=True):
        blocks.setdefault((make, name, size), []).append(block)
    return [
        (np.array([true_power(blocks[simulated, name, n]) for n in SIZES]), curves(blocks[piloted, name, chosen.parts]))
        for name in names
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--test", choices=TESTS, default="dcorr")
    parser.add_argument("--pilots", type=int, default=100)
    parser.add_argument("--parts", type=int, default=30)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--store", type=Path)
    parser.add_argument("--others", action="store_true")
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    if chosen.pilots % BLOCK or chosen.runs % BLOCK:
        parser.error(f"--pilots and --runs are multiples of {BLOCK}")
    lines, misses, covered, away = [], [], [], []
    names = OTHERS if chosen.others else tuple(RELATIONS)
    for name, (true, found) in zip(names, measured(chosen, names), strict=True):
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
    error = 1.25 * 0.28 / chosen.pilots**0.5
    made = f"{chosen.pilots} pilots of {PILOT} rows each, {chosen.parts} parts, truth from {chosen.runs} data sets"
    text = f"Test: {TESTS[chosen.test]}; {made}; so that a median is known to about ± {error:.2f}. Mean distance of the"
    asked = "--others " if chosen.others else ""
    asked += f"--test {chosen.test} --pilots {chosen.pilots} --parts {chosen.parts} --runs {chosen.runs}"
    closing = f"{text} median from the truth, {summary}. `python benchmarks/planning.py {asked}`."
    print(closing)
    every = np.concatenate(away)
    errors = every.std(axis=0) / len(every) ** 0.5
    pooled = ", ".join(
        f"{n} rows: {m:+.2f} ± {e:.2f}" for n, m, e in zip(SIZES, every.mean(axis=0), errors, strict=True)
    )
    short = f"Estimate less truth, on average over all {len(every)} pilots, {pooled}."
    print(short)
    if chosen.write and chosen.others:
        put(PAGE, "planning-others", [closing])
    elif chosen.write:
        put(PAGE, f"planning-{chosen.test}", [table(head, lines), "", closing, "", short])


if __name__ == "__main__":
    main()
