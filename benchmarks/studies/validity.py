"""How often is a true null rejected? Every null distribution and every kernel, on data of many kinds.

    python -m benchmarks.studies.validity --store validity.sqlite [--write]

Each replicate draws x and y independently, and each test gives its own p-value. Stop it and start it again with the
same store: it goes on where it was. `--write` writes docs/validity.md and its figures. `--default` looks at the default
test alone, as users call it, and writes its own table there.

The forests have 25 trees. Permutation is exact whatever they are; for the chi-square nulls, 500 trees are used, since
there the kernel matters.
"""

from __future__ import annotations

import argparse
import functools
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from kmerf import KMERF, ChiSquare, Extrapolated, ForestSpec, Portfolio, Sequential, study
from kmerf.data.sample import Sample
from kmerf.forests import fitted
from kmerf.methods.kmerf import ForestProblem
from kmerf.methods.protocol import Fit, Method, Problem
from kmerf.reading import samples as tables

LEVELS = (0.05, 0.01)
FURTHER = 0.001  # where the model of the tail enters; looked at over all rows together
SEED = 20261115
FEW, MANY = ForestSpec(n_trees=25), ForestSpec(n_trees=500)


@dataclass(frozen=True)
class Nothing:
    """Data in which y has nothing to do with x."""

    n: int
    p: int
    y: str = "normal"
    x: str = "normal"

    @property
    def name(self) -> str:
        return f"y {self.y}, x {self.x}"

    def draw(self, rng: np.random.Generator) -> Sample:
        x, categorical = _features(self.x, self.n, self.p, rng)
        y = _response(self.y, self.n, rng)
        if self.y.startswith("groups"):
            return tables.read_ksample(x, groups=y, categorical=categorical)
        return tables.read_independence(x, y, categorical=categorical, y_kind="numeric" if y.dtype == float else "auto")


def _features(kind: str, n: int, p: int, rng: np.random.Generator) -> tuple[np.ndarray, list[int]]:
    x = rng.normal(size=(n, p))
    if kind == "ties":
        return np.round(x), []
    if kind == "correlated":
        return 0.3 * x + rng.normal(size=(n, 1)), []
    if kind == "missing":
        return np.where(rng.random((n, p)) < 0.2, np.nan, x), []
    if kind == "mixed":  # numbers, counts, true or false, and categories of five
        x[:, 1::4] = rng.poisson(2.0, size=x[:, 1::4].shape)
        x[:, 2::4] = x[:, 2::4] > 0
        x[:, 3::4] = rng.integers(0, 5, size=x[:, 3::4].shape)
        return x, list(range(3, p, 4))
    return x, []


def _response(kind: str, n: int, rng: np.random.Generator) -> np.ndarray:
    shares = {
        "binary": (0.5, 0.5),
        "10 % ones": (0.9, 0.1),
        "4 classes": (0.25, 0.25, 0.25, 0.25),
        "groups 20:80": (0.2, 0.8),
        "groups 10:30:60": (0.1, 0.3, 0.6),
    }
    if kind in shares:  # with fixed numbers in each class, as in a designed comparison
        sizes = np.maximum(2, np.round(n * np.array(shares[kind])).astype(int))
        sizes[int(np.argmax(sizes))] += n - sizes.sum()
        return rng.permutation(np.repeat(np.array(list("abcd"))[: sizes.size], sizes))
    draws = {
        "normal": lambda: rng.normal(size=n),
        "Poisson": lambda: rng.poisson(1.0, n).astype(float),
        "Cauchy": lambda: rng.standard_cauchy(n),
        "log-normal": lambda: np.exp(2 * rng.normal(size=n)),
        "3 columns": lambda: rng.normal(size=(n, 3)) @ np.array([[1, 0.5, 0], [0, 1, 0.5], [0, 0, 1]]),
    }
    return draws[kind]()


ROWS = [
    *(Nothing(20, p, y) for p, y in ((3, "normal"), (1, "binary"), (10, "4 classes"), (3, "Poisson"))),
    *(Nothing(50, p, y) for p, y in ((1, "normal"), (3, "binary"), (10, "Cauchy"), (100, "10 % ones"))),
    *(Nothing(100, 10, y) for y in ("normal", "binary", "10 % ones", "Poisson", "Cauchy", "log-normal", "4 classes")),
    *(Nothing(100, p, "3 columns") for p in (3, 10)),
    *(Nothing(100, 10, y, x) for x in ("ties", "correlated", "mixed", "missing") for y in ("normal", "binary")),
    *(Nothing(100, p, y) for p, y in ((1, "normal"), (1, "binary"), (3, "4 classes"), (100, "normal"))),
    *(Nothing(100, 10, y) for y in ("groups 20:80", "groups 10:30:60")),
    *(Nothing(300, p, y) for p, y in ((3, "normal"), (10, "binary"), (3, "groups 20:80"))),
    *(Nothing(1000, p, y) for p, y in ((3, "normal"), (1, "binary"))),
    Nothing(50, 1000, "binary"),
]


@dataclass(frozen=True)
class Hyppo(Method):
    """hyppo's own KMERF, with the forest that its k-sample test would use for classes."""

    name: str = "hyppo KMERF"

    def prepare(self, sample: Sample, seed: int) -> HyppoProblem:
        return HyppoProblem(sample, seed)


@dataclass(frozen=True, eq=False)
class HyppoProblem(Problem):
    """The published implementation made ready; its statistic is that of a chi-square p-value."""

    sample: Sample
    seed: int
    learns: ClassVar[bool] = True

    @property
    def n(self) -> int:
        return self.sample.n

    def fit(self, order: np.ndarray, refit: int, n_jobs: int = 1, importances: bool = False) -> Fit:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from hyppo import independence

            forest = "classifier" if self.sample.y.codes is not None else "regressor"
            y = self.sample.y.values if self.sample.y.codes is None else self.sample.y.codes[:, None].astype(float)
            test = independence.KMERF(forest=forest, random_state=(self.seed + refit) % 2**31)
            return Fit.of("hyppo", float(test.statistic(self.sample.x.values, y[order])))


@dataclass(frozen=True)
class OneForest(Method):
    """KMERF with its forests kept: they are the same for every kernel, so the kernels of one data set share them."""

    forest: ForestSpec
    proximity: str
    name: str = "KMERF"

    def prepare(self, sample: Sample, seed: int) -> Shared:
        return Shared(KMERF(self.forest, self.proximity).prepare(sample, seed))


@dataclass(frozen=True, eq=False)
class Shared(Problem):
    """A problem of KMERF that looks whether its forest has been grown for another kernel."""

    own: ForestProblem
    learns: ClassVar[bool] = True

    @property
    def n(self) -> int:
        return self.own.n

    def fit(self, order: np.ndarray, refit: int, n_jobs: int = 1, importances: bool = False) -> Fit:
        data, key = (self.own.seed, self.own.method.forest), (refit, order.tobytes())
        if KEPT.get("data") != data:
            KEPT.clear()
            KEPT["data"] = data
        if key not in KEPT:
            KEPT[key] = self.own.forest(order, refit).leaves()
        found = fitted.leafwise(KEPT[key], self.own.method.proximity, self.own.response, order)
        return Fit.of("KMERF", found.correlation)


KEPT: dict[Any, Any] = {}  # forests of the data set at hand


@functools.cache
def tests() -> dict[str, Method]:
    return {
        "published (all, chi-square)": OneForest(MANY, "all"),
        "oob, chi-square": OneForest(MANY, "oob"),
        "one forest, oob": OneForest(FEW, "oob"),
        "one forest, either": OneForest(FEW, "either"),
        "one forest, all": OneForest(FEW, "all"),
    }


REFITTED = ("one forest, oob", "one forest, either", "one forest, all")


def nulls() -> dict[str, Any]:
    return {label: Extrapolated() if label in REFITTED else ChiSquare() for label in tests()}


def replicates(row: Nothing) -> int:
    """More where they are cheap."""
    return 200 if row.n * row.p <= 3000 and row.n < 1000 else 80


def plans() -> list[study.Study]:
    """One study for each number of replicates, and those of the tests that are tried on a few rows only."""
    by_size: dict[int, list[Nothing]] = {}
    for row in ROWS:
        by_size.setdefault(replicates(row), []).append(row)
    return [study.Study(tests(), rows, size, SEED, nulls()) for size, rows in by_size.items()]


def default_plans() -> list[study.Study]:
    """The default test with its default null, on data that no other table here has."""
    methods, null = {"default": Portfolio().with_trees(FEW.n_trees)}, {"default": Sequential()}
    return [replace(plan, tests=methods, seed=SEED + 1, pvalue=null) for plan in plans()]


def extras() -> list[tuple[str, study.Study]]:
    """The p = q option, an unsupervised forest, leaves of five rows, and hyppo, each on rows that suit it."""
    from sklearn.ensemble import RandomTreesEmbedding

    same = [Nothing(50, 1, "normal"), Nothing(100, 3, "3 columns")]
    both = KMERF(ForestSpec(n_trees=30), "oob", "forest")
    embedding = KMERF(RandomTreesEmbedding(50, max_depth=5), "all")
    some = [Nothing(100, 10, "normal"), Nothing(100, 10, "binary")]
    leaves = {f"leaves of 5, {kind}": KMERF(ForestSpec(25, min_samples_leaf=5), kind) for kind in ("oob", "all")}
    return [
        ("p = q", study.Study({"p = q": both}, same, 120, SEED, {"p = q": Extrapolated()})),
        ("unsupervised", study.Study({"unsupervised": embedding}, some, 120, SEED, {"unsupervised": Extrapolated()})),
        ("leaves", study.Study(leaves, some, 120, SEED, dict.fromkeys(leaves, Extrapolated()))),
        ("hyppo", study.Study({"hyppo 0.5.2": Hyppo()}, some, 60, SEED, {"hyppo 0.5.2": ChiSquare()})),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, default=Path("validity.sqlite"))
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--write", action="store_true", help="write docs/validity.md and its figures")
    parser.add_argument("--default", action="store_true", help="the default test alone")
    options = parser.parse_args()
    if options.default:
        from benchmarks.pages.validity_page import write_default

        for plan in default_plans():
            study.run(plan, options.store, n_jobs=options.jobs, progress=True)
        write_default(options.store)
        return
    for plan in [*plans(), *(plan for _, plan in extras())]:
        study.run(plan, options.store, n_jobs=options.jobs, progress=True)
    if options.write:
        from benchmarks.pages.validity_page import write

        write(options.store)


if __name__ == "__main__":
    # As a module of its own name, so that the store knows the classes here by one name whoever reads it.
    from benchmarks.studies import validity

    validity.main()
