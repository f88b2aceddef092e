"""Does stopping early, or going on, keep the level, and what does it cost in power? Writes parts of docs/validity.md.

    python -m benchmarks.studies.sequential [--parts more adjusting stopping] [--write]

Three things are simulated. Ranks alone: a million true nulls whose statistics are exchangeable, with the p-value of a
second statistic, correlated with the first, by the rule for features. The default itself on true nulls of every kind of
`validity.py`, with small forests: statistics of permuted data are exchangeable, so each takes its turn as the observed
one. And relations, where the p-value of all 99 refits and that of `Sequential` come from the same refits.

`--parts more` is about small data, which go on to 999 refits: ranks again, and fresh data sets of n = 30 rows and two
columns, with the p-values of the test, of its first feature, and the smallest of the family-wise ones. `--parts
adjusting` is about screens: false discoveries and power by Benjamini and Hochberg's method with the p-values of ranks
alone, and with those of the model of the tail, for statistics that follow ideal laws.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

import numpy as np

import kmerf
from benchmarks.data import relations
from benchmarks.pages import marks
from benchmarks.studies.validity import ROWS, Nothing
from kmerf import Portfolio
from kmerf.data.exchangeability import Exchange
from kmerf.data.sample import Sample
from kmerf.methods.protocol import observe
from kmerf.nulls.definitions import LATE, Extrapolated, Sequential, benjamini_hochberg, take_in_turn
from kmerf.nulls.judging import Judgement, Run, judge_in_turn, resample
from kmerf.nulls.judging import judge as judge_fits

SEED = 20261122
TREES = 25
LEVELS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.5)
PARTS = ["more", "adjusting", "stopping"]
SMALL = (0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.3)
RELATIONS = ("interaction", "product", "one_in_fifty", "binary_y", "heteroscedastic", "weak_linear")


class Rates(NamedTuple):
    """Shares of p-values at or below each level."""

    name: str
    replicates: int
    shares: tuple[float, ...]
    refits: float
    median: float

    @classmethod
    def of(cls, name: str, pvalues: np.ndarray, drawn: np.ndarray, levels: tuple[float, ...] = LEVELS) -> Rates:
        shares = tuple(float(np.mean(pvalues <= level + 1e-9)) for level in levels)
        return cls(name, pvalues.size, shares, float(drawn.mean()), float(np.median(drawn)))

    def row(self) -> list[str]:
        shares = (f"{share:.4f}" for share in self.shares)
        return [self.name, f"{self.replicates:,}", *shares, f"{self.median:.0f}", f"{self.refits:.1f}"]


def ranks(replicates: int = 10**6, correlation: float = 0.7) -> list[Rates]:
    """Follow the rule on ranks among exchangeable normal statistics."""
    rng = np.random.default_rng(SEED)
    looks = Sequential().interim_analyses
    tests, others, sizes = [], [], []
    for size in [20_000] * (replicates // 20_000):
        t = rng.normal(size=(size, 100))
        u = correlation * t + np.sqrt(1 - correlation**2) * rng.normal(size=t.shape)
        p, q, drawn = np.empty(size), np.empty(size), np.zeros(size, int)
        for look, clear in looks:
            at, beside = ((1 + (each[:, 1 : 1 + look] >= each[:, :1]).sum(axis=1)) / (1 + look) for each in (t, u))
            last = look == looks[-1].n_resamples
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


def more_ranks(replicates: int = 10**6, correlation: float = 0.7) -> list[Rates]:
    """Follow the rule for small data, up to 999, on ranks among exchangeable normal statistics."""
    rng = np.random.default_rng(SEED + 1)
    looks = Sequential(999).interim_analyses
    beside = np.sqrt(1 - correlation**2)
    tests, others, sizes = [], [], []
    for size in [20_000] * (replicates // 20_000):
        t = rng.normal(size=(size, 1))
        u = correlation * t + beside * rng.normal(size=t.shape)
        first, second = t[:, 0], u[:, 0]
        counts = np.zeros((2, size), int)
        p, q, drawn = np.empty(size), np.empty(size), np.zeros(size, int)
        known: dict[int, np.ndarray] = {}
        active, before = np.arange(size), 0
        for look, clear in looks:
            t = rng.normal(size=(active.size, look - before))
            u = correlation * t + beside * rng.normal(size=t.shape)
            counts[0, active] += (t >= first[active, None]).sum(axis=1)
            counts[1, active] += (u >= second[active, None]).sum(axis=1)
            p[active] = (1 + counts[0, active]) / (1 + look)
            known[look] = np.ones(size)
            known[look][active] = (1 + counts[1, active]) / (1 + look)
            ends = active[(p[active] > clear) | (look == looks[-1].n_resamples)]
            taken = take_in_turn(looks, look, lambda at, ends=ends, known=known: known[at][ends])
            q[ends] = np.maximum(taken, p[ends]) if look < LATE else taken
            drawn[ends] = look
            active, before = np.setdiff1d(active, ends), look
        tests.append(p)
        others.append(q)
        sizes.append(drawn)
    drawn = np.concatenate(sizes)
    return [
        Rates.of("ranks alone", np.concatenate(tests), drawn, SMALL),
        Rates.of("a second statistic, as for features", np.concatenate(others), drawn, SMALL),
    ]


def fresh(name: str, method: Portfolio, replicates: int) -> list[Rates]:
    """Test small data without any relation, as a user would."""
    tests, features, families, drawn = [], [], [], []
    for number in range(replicates):
        rng = np.random.default_rng([SEED, 2, number])
        x, y = rng.normal(size=(30, 2)), rng.normal(size=30)
        y = (y, y > np.median(y), np.exp(2.0 * y))[number % 3]
        found = kmerf.independence(x, y, method=method, rng=number, n_jobs=1)
        assert found.settings["null"]["n_resamples"] == 999
        tests.append(found.pvalue)
        features.append(found.features.pvalues[0])
        families.append(found.features.adjusted_fwer.min())
        drawn.append(found.null.distribution.size)
    kinds = {name: tests, f"{name}: first feature": features, f"{name}: smallest family-wise p": families}
    return [Rates.of(kind, np.array(pvalues), np.array(drawn), SMALL) for kind, pvalues in kinds.items()]


def more(small: int, default: int) -> str:
    """Return the table of levels for small data."""
    rates = more_ranks()
    rates += fresh("small forests (5 trees)", Portfolio().with_trees(5), small)
    rates += fresh("the default", Portfolio(), default)
    heads = ["P(p <= level)", "p-values", *map(str, SMALL), "median refits", "mean refits"]
    return marks.table(heads, [each.row() for each in rates])


LAWS = {
    "normal": lambda rng, size: rng.normal(size=size),
    "chi-square(2)": lambda rng, size: rng.chisquare(2, size),
    "chi-square(1)": lambda rng, size: rng.chisquare(1, size),
}
REAL = {"normal": 5.6, "chi-square(2)": 33.0, "chi-square(1)": 30.0}  # of a related column: p of 1e-7 or less


def adjust_once(law: str, columns: int, related: int, rng: np.random.Generator, refits: int = 999) -> list[float]:
    """Return the false discovery proportion and the power, by ranks and with the model, of a simulated screen."""
    ranked, modelled = np.empty(columns), np.empty(columns)
    for j in range(columns):
        observed = REAL[law] if j < related else float(LAWS[law](rng, 1)[0])
        result = Extrapolated(refits).judge(observed, LAWS[law](rng, refits), 100)
        ranked[j], modelled[j] = result.bound or result.pvalue, result.pvalue
    found = []
    for pvalues in (ranked, modelled):
        selected = benjamini_hochberg(pvalues) <= 0.05
        found += [selected[related:].sum() / max(1, selected.sum()), selected[:related].mean()]
    return found


def adjusting(replicates: int) -> str:
    """Return the table of false discoveries and power of screens with columns that have refits of their own."""
    rows = []
    for law in LAWS:
        for columns, related in ((50, 1), (200, 1), (200, 20)):
            rng = np.random.default_rng([SEED, 3, columns, related])
            found = np.array([adjust_once(law, columns, related, rng) for _ in range(replicates)])
            false, power, false_model, power_model = found.mean(axis=0)
            error = found.std(axis=0, ddof=1)[2] / np.sqrt(replicates)
            cells = [f"{false:.3f}", f"{false_model:.3f} ± {error:.3f}", f"{power:.2f}", f"{power_model:.2f}"]
            rows.append([law, str(columns), str(related), *cells])
    heads = ["statistics follow", "columns", "related", "FDR by ranks", "FDR with the model"]
    return marks.table([*heads, "power by ranks", "power with the model"], rows)


def judge(observed: np.ndarray, permuted: np.ndarray, weights: np.ndarray, n: int) -> Judgement:
    """Judge by the sequential null, from permuted statistics that are all at hand."""
    null = Sequential()
    return judge_in_turn(
        null.interim_analyses, lambda size: judge_fits(null, observed, permuted[:size], weights, n, Exchange())
    )


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
    full = judge_fits(Extrapolated(), fit.statistics, permuted, fit.weights, sample.n, Exchange()).null
    stopped = judge(fit.statistics, permuted, fit.weights, sample.n).null
    return full.pvalue, stopped.pvalue, stopped.distribution.size


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the tables into docs/validity.md")
    parser.add_argument("--replicates", type=int, default=150, help="of each relation")
    parser.add_argument("--parts", nargs="+", default=PARTS, choices=PARTS)
    parser.add_argument("--small", type=int, default=2000, help="small data sets with small forests")
    parser.add_argument("--default", type=int, default=1000, help="small data sets with the default")
    options = parser.parse_args()
    if "more" in options.parts:
        table = more(options.small, options.default)
        print(table, flush=True)
        if options.write:
            marks.write(marks.DOCS / "validity.md", {"more_levels": table})
    if "adjusting" in options.parts:
        table = adjusting(200)
        print(table, flush=True)
        if options.write:
            marks.write(marks.DOCS / "validity.md", {"adjusting": table})
    if "stopping" in options.parts:
        stopping(options)


def stopping(options: argparse.Namespace) -> None:
    """Show what stopping early does, with 99 refits at most."""
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
