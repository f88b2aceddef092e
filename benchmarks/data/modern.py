"""Compact versions of newer tests, to compare with; not part of the product.

- C2ST, the classifier two-sample test (Lopez-Paz and Oquab 2017): a forest learns the groups from half of the rows, and
  its accuracy on the other half is the statistic.
- hypoRF (Hediger, Michel and Näf 2022): the out-of-bag error of a forest that learns the groups, summed over groups.
- MMDAgg and HSICAgg (Schrab et al. 2023; Albert et al. 2022): kernels of several widths, Gaussian and Laplace, none of
  which has to be chosen. The original aggregates by levels that are corrected together; here it is the largest
  standardised statistic (`kmerf.nulls.definitions`), as in our own test, which has the same purpose. Columns are
  given variance 1 first.

Accuracies have few values, and ties at a cutoff would give a test more than its level. The mean share of the right
class, a millionth of it, breaks them.

    python -m benchmarks.data.modern

checks each test's level where there is nothing to find, and its power where there is much.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kmerf import KMERF, ForestSpec
from kmerf.data.sample import Sample
from kmerf.forests import fitted as oob
from kmerf.forests.fitted import FittedForest
from kmerf.methods.kmerf import ForestProblem
from kmerf.methods.protocol import Fit, Method, Part, Problem, matrices

Array = np.ndarray

WIDTHS = (0.1, 0.3, 1.0, 3.0)  # times the median distance
FEWER = (0.2, 0.7, 2.0)  # where each of x and y has them
_TIES = 1e-6
_SPLIT = 29  # keeps the stream that splits the rows apart from others


def accuracy(shares: Array, codes: Array) -> float:
    """Return the share of rows that are put into their class, averaged over classes, ties broken."""
    right = shares.argmax(axis=1) == codes
    sure = shares[np.arange(codes.size), codes]
    present = np.unique(codes)
    return float(np.mean([np.mean(right[codes == k] + _TIES * sure[codes == k]) for k in present]))


@dataclass(frozen=True)
class C2ST(Method):
    """The classifier two-sample test: train on one half, test on the other."""

    n_trees: int = 100
    name: str = "C2ST"

    def prepare(self, sample: Sample, seed: int) -> Halves:
        return Halves(sample, seed, self.n_trees)


@dataclass(frozen=True, eq=False)
class _Learner(Problem):
    """A sample for a test whose classifier is fitted again for every order of y."""

    sample: Sample
    seed: int
    n_trees: int
    learns: ClassVar[bool] = True

    @property
    def n(self) -> int:
        return self.sample.n


@dataclass(frozen=True, eq=False)
class Halves(_Learner):
    """A sample, half of it to learn from."""

    def fit(self, order: Array, refit: int, n_jobs: int = 1, importances: bool = False) -> Fit:
        from sklearn.ensemble import RandomForestClassifier

        x, codes = self.sample.x.values, self.sample.y.codes[order]
        rows = np.random.default_rng([self.seed, _SPLIT, refit]).permutation(self.n)
        train, test = rows[: self.n // 2], rows[self.n // 2 :]
        forest = RandomForestClassifier(self.n_trees, random_state=(self.seed + refit) % 2**31)
        forest.fit(x[train], codes[train])
        shares = np.zeros((test.size, self.sample.y.q))
        shares[:, forest.classes_] = forest.predict_proba(x[test])
        return Fit.of("accuracy", accuracy(shares, codes[test]))


@dataclass(frozen=True)
class HypoRF(Method):
    """The out-of-bag error of a forest, grown by our own engine with hypoRF's settings: leaves of 4, sqrt(p) tried."""

    n_trees: int = 500
    name: str = "hypoRF"

    def prepare(self, sample: Sample, seed: int) -> OutOfBag:
        spec = ForestSpec(self.n_trees, max_features="sqrt", min_samples_leaf=4)
        return OutOfBag(sample, seed, self.n_trees, KMERF(spec).prepare(sample, seed))


@dataclass(frozen=True, eq=False)
class OutOfBag(_Learner):
    """A sample made ready for a forest."""

    forest: ForestProblem

    def fit(self, order: Array, refit: int, n_jobs: int = 1, importances: bool = False) -> Fit:
        y = self.sample.y.take(order)
        forest = self.forest.forest(order, refit)
        grown = FittedForest(forest.keep(forest.leaves(n_jobs)), "oob", None)
        shares = oob.predict([grown], y)
        known = ~np.isnan(shares[:, 0])
        return Fit.of("out-of-bag accuracy", accuracy(shares[known], y.codes[known]))


@dataclass(frozen=True)
class MMDAgg(Method):
    """Maximum mean discrepancy of groups, with kernels of several widths."""

    name: str = "MMDAgg"

    def prepare(self, sample: Sample, seed: int) -> Kernels:
        x, _ = matrices(sample, self.name, "standard")
        return Kernels(sample.n, kernels(x), {"groups": sample.y.values}, discrepancy)


@dataclass(frozen=True)
class HSICAgg(Method):
    """The Hilbert-Schmidt criterion with kernels of several widths, Gaussian with Gaussian and Laplace with Laplace."""

    name: str = "HSICAgg"

    def prepare(self, sample: Sample, seed: int) -> Kernels:
        both = matrices(sample, self.name, "standard")
        of_x, of_y = ({k: centred(K) for k, K in kernels(z, FEWER).items()} for z in both)
        return Kernels(sample.n, of_x, of_y, criterion)


@dataclass(frozen=True, eq=False)
class Kernels(Problem):
    """Kernels of x, and what they are compared with: nothing is fitted to y."""

    rows: int
    of_x: dict[str, Array]
    of_y: dict[str, Array]
    statistic: Callable[[Array, Array, Array], float]

    @property
    def n(self) -> int:
        return self.rows

    def fit(self, order: Array, refit: int, n_jobs: int = 1, importances: bool = False) -> Fit:
        pairs = [(a, b) for a in self.of_x for b in self.of_y if b == "groups" or a.split()[0] == b.split()[0]]
        found = [Part(f"{a}, {b}", self.statistic(self.of_x[a], self.of_y[b], order)) for a, b in pairs]
        return Fit(tuple(found))


def kernels(z: Array, widths: tuple[float, ...] = WIDTHS) -> dict[str, Array]:
    """Return Gaussian kernels of Euclidean and Laplace kernels of city-block distances, without their diagonals."""
    found = {}
    for name, order in (("Gauss", 2), ("Laplace", 1)):
        distance = np.zeros((len(z), len(z)))
        for column in z.T:  # column by column: p may be large
            distance += np.abs(column[:, None] - column) ** order
        middle = np.median(distance[np.triu_indices(len(z), 1)]) or distance.mean() or 1.0
        for width in widths:
            found[f"{name} {width:g}"] = np.exp(-distance / middle / width**order)
            np.fill_diagonal(found[f"{name} {width:g}"], 0.0)
    return found


def discrepancy(K: Array, groups: Array, order: Array) -> float:
    """Return the unbiased squared discrepancy, summed over pairs of groups; `groups` is one-hot."""
    member = groups[order]
    sizes = member.sum(axis=0)
    sums = member.T @ K @ member
    within = np.diag(sums) / (sizes * (sizes - 1))
    apart = within[:, None] + within - 2 * sums / np.outer(sizes, sizes)
    return float(apart[np.triu_indices(sizes.size, 1)].sum())


def criterion(A: Array, B: Array, order: Array) -> float:
    """Return the sum of products of two centred kernels."""
    return float((A * B[np.ix_(order, order)]).sum())


def centred(K: Array) -> Array:
    """Return a kernel that has no diagonal, U-centred."""
    n, rows = len(K), K.sum(axis=1)
    A = K - (rows[:, None] + rows) / (n - 2) + rows.sum() / ((n - 1) * (n - 2))
    np.fill_diagonal(A, 0.0)
    return A


TWO_SAMPLE: dict[str, Method] = {"C2ST": C2ST(), "hypoRF": HypoRF(), "MMDAgg": MMDAgg()}
INDEPENDENCE: dict[str, Method] = {"HSICAgg": HSICAgg()}


def check(replicates: int = 60) -> None:
    """Print the level and the power of each test by permutation, with small forests."""
    from scipy.stats import binom

    from kmerf.nulls.definitions import Permutation
    from kmerf.nulls.judging import Run, judge_fit
    from kmerf.reading import samples as tables

    print(f"{replicates} data sets each: share of p <= 0.05 where there is nothing to find, and where there is much")
    for method in (C2ST(20), HypoRF(40), MMDAgg(), HSICAgg()):
        rates = []
        for effect in (0.0, 3.0):
            below = 0
            for seed in range(replicates):
                rng = np.random.default_rng([seed, 4])
                x, groups = rng.normal(size=(40, 3)), np.arange(40) % 2
                x[:, 0] += effect * groups
                y = groups + 0.3 * rng.normal(size=40) if method.name == "HSICAgg" else groups
                read = tables.read_independence(x, y) if method.name == "HSICAgg" else tables.read_ksample(x, groups=y)
                problem = method.prepare(read, seed)
                found = problem.fit(np.arange(40), 0)
                below += judge_fit(Permutation(39), problem, found, Run(seed)).pvalue <= 0.05
            rates.append(below / replicates)
        by_chance = binom.sf(round(rates[0] * replicates) - 1, replicates, 0.05)  # as many or more at the level
        verdict = "as it should be" if by_chance >= 0.01 and rates[1] >= 0.8 else "NOT as it should be"
        print(f"{method.name:<8} {rates[0]:.3f}  {rates[1]:.3f}  {verdict}")


if __name__ == "__main__":
    check()
