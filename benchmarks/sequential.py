"""Does stopping early keep the level, and what does it cost in power? Writes a part of docs/validity.md.

    python benchmarks/sequential.py [--write]

Three things are simulated. Ranks alone: a million true nulls whose statistics are exchangeable, with the p-value of a
second statistic, correlated with the first, by the rule for features. The default itself on true nulls of every kind of
`validity.py`, with small forests: statistics of permuted data are exchangeable, so each takes its turn as the observed
one. And relations, where the p-value of all 99 refits and that of `Sequential` come from the same refits.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

import marks
import numpy as np
import relations
from validity import ROWS, Nothing

from kmerf import Portfolio
from kmerf.data.exchangeability import Exchange
from kmerf.data.sample_values import Sample
from kmerf.methods.protocol import observe
from kmerf.nulls.extrapolated import Extrapolated
from kmerf.nulls.judging import Judgement, weigh, weigh_in_turn
from kmerf.nulls.resampling import Run, resample
from kmerf.nulls.sequential import Sequential

SEED = 20261122
TREES = 25
LEVELS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.5)
RELATIONS = ("interaction", "product", "one_in_fifty", "binary_y", "heteroscedastic", "weak_linear")


class Rates(NamedTuple):
    """Shares of p-values at or below each level."""

    name: str
    replicates: int
    shares: tuple[float, ...]
    refits: float
    median: float

    @classmethod
    def of(cls, name: str, pvalues: np.ndarray, drawn: np.ndarray) -> Rates:
        shares = tuple(float(np.mean(pvalues <= level + 1e-9)) for level in LEVELS)
        return cls(name, pvalues.size, shares, float(drawn.mean()), float(np.median(drawn)))

    def row(self) -> list[str]:
        shares = (f"{share:.4f}" for share in self.shares)
        return [self.name, f"{self.replicates:,}", *shares, f"{self.median:.0f}", f"{self.refits:.1f}"]


def ranks(replicates: int = 10**6, correlation: float = 0.7) -> list[Rates]:
    """Follow the rule on ranks among exchangeable normal statistics."""
    rng = np.random.default_rng(SEED)
    looks = Sequential().looks
    tests, others, sizes = [], [], []
    for size in [20_000] * (replicates // 20_000):
        t = rng.normal(size=(size, 100))
        u = correlation * t + np.sqrt(1 - correlation**2) * rng.normal(size=t.shape)
        p, q, drawn = np.empty(size), np.empty(size), np.zeros(size, int)
        for look, clear in looks:
            at, beside = ((1 + (each[:, 1 : 1 + look] >= each[:, :1]).sum(axis=1)) / (1 + look) for each in (t, u))
            last = look == looks[-1].size
            ends = (drawn == 0) & (last | (at > clear))
            p[ends], drawn[ends] = at[ends], look
            q[ends] = beside[ends] if last else np.maximum(beside, at)[ends]
        tests.append(p)
        others.append(q)
        sizes.append(drawn)
    drawn = np.concatenate(sizes)
    return [
        Rates.of("ranks alone", np.concatenate(tests), drawn),
        Rates.of("a second statistic, as for features", np.concatenate(others), drawn),
    ]


def judge(observed: np.ndarray, permuted: np.ndarray, weights: np.ndarray, n: int) -> Judgement:
    """Judge by the sequential null, from permuted statistics that are all at hand."""
    null = Sequential()
    return weigh_in_turn(null.looks, lambda size: weigh(null, observed, permuted[:size], weights, n, Exchange()))


def turns(row: Nothing, number: int, fits: int = 240) -> list[Judgement]:
    """Let each of some permuted fits of a true null take its turn as the observed one."""
    sample = row.draw(np.random.default_rng([SEED, number]))
    problem = Portfolio().with_trees(TREES).prepare(sample, number)
    statistics = resample(problem, fits, Run(number)).statistics
    weights = observe(problem).weights
    circle = np.concatenate([statistics, statistics])
    return [judge(circle[i], circle[i + 1 : i + 100], weights, sample.n) for i in range(fits)]


def default(rows: list[Nothing]) -> Rates:
    """Return how often the default rejects true nulls of these kinds."""
    outcomes = [each.null for number, row in enumerate(rows) for each in turns(row, number)]
    drawn = np.array([each.distribution.size for each in outcomes])
    return Rates.of(f"the default, {len(rows)} kinds of null", np.array([each.pvalue for each in outcomes]), drawn)


class Compared(NamedTuple):
    """Power with and without stopping, from the same refits."""

    name: str
    all_refits: np.ndarray
    sequential: np.ndarray
    drawn: np.ndarray

    @classmethod
    def of(cls, name: str, replicates: int) -> Compared:
        found = [compare(relations.Related(name).draw(rng), i) for i, rng in enumerate(_streams(name, replicates))]
        full, stopped, drawn = map(np.array, zip(*found, strict=True))
        return cls(name, full, stopped, drawn)

    def row(self) -> list[str]:
        cells = []
        for level in (0.01, 0.05, 0.1):
            without, with_ = self.all_refits <= level + 1e-9, self.sequential <= level + 1e-9
            loss = without.astype(float) - with_
            error = loss.std(ddof=1) / np.sqrt(loss.size)
            cells.append(f"{without.mean():.3f} - {loss.mean():.4f} ± {error:.4f}")
        return [self.name.replace("_", " "), str(self.drawn.size), *cells, f"{self.drawn.mean():.0f}"]


def _streams(name: str, replicates: int) -> list[np.random.Generator]:
    return [np.random.default_rng([SEED, sum(name.encode()), i]) for i in range(replicates)]


def compare(sample: Sample, seed: int) -> tuple[float, float, int]:
    """Return both p-values of a sample, and how many refits the second took."""
    problem = Portfolio().with_trees(TREES).prepare(sample, seed)
    fit = observe(problem)
    permuted = resample(problem, 99, Run(seed)).statistics
    full = weigh(Extrapolated(), fit.statistics, permuted, fit.weights, sample.n, Exchange()).null
    stopped = judge(fit.statistics, permuted, fit.weights, sample.n).null
    return full.pvalue, stopped.pvalue, stopped.distribution.size


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the tables into docs/validity.md")
    parser.add_argument("--replicates", type=int, default=150, help="of each relation")
    options = parser.parse_args()
    rates = [*ranks(), default(ROWS)]
    lines = [each.row() for each in rates]
    levels = marks.table(["P(p <= level)", "p-values", *map(str, LEVELS), "median refits", "mean refits"], lines)
    print(levels, flush=True)
    compared = [Compared.of(name, options.replicates) for name in RELATIONS]
    pooled = Compared("all", *(np.concatenate([each[k] for each in compared]) for k in (1, 2, 3)))
    power = marks.table(
        ["relation", "data sets", "power at 0.01, loss", "at 0.05", "at 0.1", "mean refits"],
        [each.row() for each in [*compared, pooled]],
    )
    print(power)
    if options.write:
        marks.write(marks.DOCS / "validity.md", {"stopping_levels": levels, "stopping_power": power})


if __name__ == "__main__":
    main()
