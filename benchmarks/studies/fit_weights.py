"""Fit the weights of the default test on a library of questions, and say what they give on families left out.

    python -m benchmarks.studies.fit_weights --store library [--write]

For each data set there are the members' scores as observed and as permuted (`nulls.definitions`). The weights make
the observed row likely to be told from the permuted ones: with T the soft maximum of the scores, w and c maximise the
sum over data sets of log(exp(c T_0) / sum_i exp(c T_i)), less a ridge on the logarithms of w. c T is then about the
logarithm of the likelihood ratio of dependent against independent data. Each w has an exponent: it is multiplied by
that power of how much the columns of x say the same (`kmerf.methods.portfolio`). Families, of which each relation and
each real table is one, count by the root of their size.

The weight of `local` is not fitted: it was chosen on published benchmarks (docs/power.md), and stays as it is written.

Everything that is printed is for weights fitted without the family that they are judged on. `--write` fits on all and
writes weights and exponents into src/kmerf/methods/portfolio.py, with a digest of what they were fitted on.
"""

from __future__ import annotations

import argparse
import hashlib
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from benchmarks.data.library import PAPER, RIVALS, TRIED_CLASSES, TRIED_NUMERIC
from kmerf.methods.portfolio import CLASSES, MAX_REDUNDANCY, NUMERIC, rows_factor
from kmerf.nulls.definitions import STEEPNESS, scores, scores_among, soft_maximum

TARGET = Path(__file__).parents[2] / "src/kmerf/methods/portfolio.py"
RIDGE = 0.02  # strong: with few families, equal weights are hard to beat
RIDGE_OF_EXPONENTS = 0.002
MOST_EXPONENT = 2.0
MOST = 3.0  # that the logarithm of a weight may be
FOLDS = 10
HELD = {"local": 0.5}  # weights that are not fitted
ROWS = 40  # permuted ones that a data set is compared with in fitting
HIGHEST = 8.0  # score, in fitting
LEVEL = 0.05
REPLICATES = 20  # of each cell that weights are fitted to

SOURCES = {"R": "R packages", "outside": "UCI and KEEL", "relations": "relations"}

Array = np.ndarray


@dataclass(frozen=True)
class DataSet:
    """The statistics of one data set, by test, and its permuted ones."""

    family: str
    label: str
    n: int
    classes: bool
    real: bool
    observed: dict[str, float]
    permuted: dict[str, Array]
    shared: bool
    """Whether the permuted ones are those of other data sets of the same law."""
    place: str
    """The name of its file in the store."""
    redundancy: float
    """How much the columns of x say the same."""
    replicate: int
    """Its number in the file."""
    p: int = 1
    """Columns of x."""

    @property
    def kind(self) -> str:
        """The kind of y."""
        return "categorical" if self.classes else "numeric"

    @property
    def source(self) -> str:
        """Where it comes from: a key of `SOURCES`."""
        return "relations" if not self.real else "outside" if self.family.startswith("outside/") else "R"

    def scores(self, names: Sequence[str]) -> Array:
        """Return the scores (1 + B, k) of members, observed first; members that were not tried score 0."""
        found = np.zeros((1 + next(iter(self.permuted.values())).size, len(names)))
        for k, name in enumerate(names):
            if name in self.observed:
                first, others = np.array([[self.observed[name]]]), self.permuted[name][:, None]
                if self.shared:
                    found[:1, k], found[1:, k] = scores_among(first, others)[:, 0], scores(others)[:, 0]
                else:
                    found[:, k] = scores(np.vstack([first, others]))[:, 0]
        return found

    def pvalue(self, name: str) -> float:
        """Return the p-value of one test by rank; 1 where it was not tried, as it could not be."""
        if name not in self.observed:
            return 1.0
        return float(rank(np.r_[self.observed[name], self.permuted[name]][None])[0])


def rank(statistics: Array) -> Array:
    """Return the p-value of the first of each row of statistics (D, 1 + B)."""
    first = statistics[:, :1]
    return (1 + (statistics[:, 1:] >= first - 1e-10 * np.abs(first)).sum(axis=1)) / statistics.shape[1]


def read(store: Path, replicates: int = REPLICATES) -> tuple[list[DataSet], str]:
    """Return the data sets of a store, and a digest of all of it."""
    found: list[DataSet] = []
    digest = hashlib.sha256()
    for path in sorted(store.glob("*.npz")):
        digest.update(path.name.encode())
        with np.load(path) as file:
            table = {name: file[name] for name in file.files}
        for name in sorted(table):
            digest.update(name.encode() + np.ascontiguousarray(table[name]).tobytes())
        about = [table.pop(f"_{key}").item() for key in ("family", "label", "n", "classes")]
        p = int(table.pop("_p").item())
        alike = np.atleast_1d(table.pop("_redundancy"))
        real = path.name.startswith("real")
        if next(iter(table.values())).ndim == 1:
            observed = {name: float(values[0]) for name, values in table.items()}
            permuted = {name: values[1:] for name, values in table.items()}
            found.append(DataSet(*about, real, observed, permuted, False, path.stem, float(alike[0]), 0, p))
            continue
        permuted = {name: values[1] for name, values in table.items()}
        for replicate in range(min(replicates, next(iter(permuted.values())).size)):
            observed = {name: float(values[0, replicate]) for name, values in table.items()}
            where = path.stem, float(alike[replicate]), replicate, p
            found.append(DataSet(*about, real, observed, permuted, True, *where))
    return found, digest.hexdigest()


@dataclass(frozen=True)
class Design:
    """Data sets of one kind of y, made ready to be fitted."""

    sets: list[DataSet]
    names: list[str]
    parts: list[Array]
    """The members' scores (1 + B, k), for each data set."""

    @classmethod
    def of(cls, sets: list[DataSet], names: Sequence[str]) -> Design:
        return cls(sets, list(names), [np.minimum(each.scores(names), HIGHEST) for each in sets])

    def some(self, chosen: Array) -> Design:
        """Return the design of some of the data sets."""
        return Design([self.sets[i] for i in chosen], self.names, [self.parts[i] for i in chosen])

    @property
    def weight(self) -> Array:
        """How much each data set counts: a family by the root of the number of its data sets."""
        sizes = Counter(each.family for each in self.sets)
        return np.array([sizes[each.family] ** -0.5 for each in self.sets])

    @property
    def offsets(self) -> Array:
        """What the number of rows adds to the logarithms of weights, (sets, members)."""
        members = {name: member.method for name, member in {**NUMERIC, **CLASSES}.items()}
        methods = [{**TRIED_NUMERIC, **TRIED_CLASSES, **members}.get(name) for name in self.names]
        by_rows = [
            [1.0 if m is None else rows_factor(each.kind, m, each.n, each.p) for m in methods] for each in self.sets
        ]
        return np.log(np.array(by_rows))

    @property
    def alike(self) -> Array:
        """The logarithm of how much the columns of each data set say the same."""
        return np.log([min(each.redundancy, MAX_REDUNDANCY) for each in self.sets])

    def pvalues(self, weights: Weights) -> Array:
        logs = self.offsets + weights.logs + self.alike[:, None] * weights.exponents
        every = zip(self.parts, np.exp(logs), strict=True)
        return np.array([rank(soft_maximum(part, w)[None])[0] for part, w in every])


class Weights(NamedTuple):
    """What is fitted, for each member."""

    logs: Array
    """The logarithms of weights; the mean of those that are fitted is about 0."""
    exponents: Array

    @classmethod
    def equal(cls, names: Sequence[str]) -> Weights:
        """Return weights of 1, but for those that are not fitted."""
        return cls(np.log([HELD.get(name, 1.0) for name in names]), np.zeros(len(names)))


def final_weights(classes: bool) -> tuple[list[str], Weights]:
    """Return the members of the default and their weights as they are written."""
    members = CLASSES if classes else NUMERIC
    logs = np.log([member.weight for member in members.values()])
    return list(members), Weights(logs, np.array([member.exponent for member in members.values()]))


def fit(design: Design) -> Weights:
    """Return the weights that fit the data sets best."""
    rng = np.random.default_rng(0)
    rows = [np.r_[0, 1 + rng.permutation(len(part) - 1)[:ROWS]] for part in design.parts]
    most = min(len(row) for row in rows)
    tensor = STEEPNESS * np.stack([part[own[:most]] for part, own in zip(design.parts, rows, strict=True)])
    tensor += design.offsets[:, None, :]
    alike, weight = design.alike, design.weight / design.weight.sum()
    k = len(design.names)
    held = np.array([name in HELD for name in design.names])
    own = Weights.equal(design.names).logs

    def loss(free: Array) -> tuple[float, Array]:
        logs, exponents, scale = free[:k], free[k:-1], free[-1]
        terms = tensor + (logs + alike[:, None] * exponents)[:, None, :]
        most = terms.max(axis=2, keepdims=True)
        shares = np.exp(terms - most)
        total = shares.sum(axis=2, keepdims=True)
        soft = (most + np.log(total))[..., 0]
        likely = np.exp(scale * (soft - soft.max(axis=1, keepdims=True)))
        norm = likely.sum(axis=1, keepdims=True)
        value = float((weight * (scale * (soft.max(axis=1) - soft[:, 0]) + np.log(norm[:, 0]))).sum())
        pull = weight[:, None] * likely / norm
        pull[:, 0] -= weight
        slopes = scale * np.einsum("dr,drk->dk", pull, shares / total)
        middle = logs[~held].mean()
        away = np.where(held, 0.0, logs - middle)
        penalty = RIDGE * float((away**2).sum() + middle**2) + RIDGE_OF_EXPONENTS * float((exponents**2).sum())
        by_logs = slopes.sum(axis=0) + 2 * RIDGE * (away + np.where(held, 0.0, middle / (~held).sum()))
        by_exponents = alike @ slopes + 2 * RIDGE_OF_EXPONENTS * exponents
        return value + penalty, np.r_[by_logs, by_exponents, (pull * soft).sum()]

    start = np.r_[own, np.zeros(k), 1.0]
    of_logs = [(log, log) if fixed else (-MOST, MOST) for log, fixed in zip(own, held, strict=True)]
    of_exponents = [(0.0, 0.0) if fixed else (-MOST_EXPONENT, MOST_EXPONENT) for fixed in held]
    bounds = [*of_logs, *of_exponents, (0.01, None)]
    best = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    return Weights(best[:k], best[k:-1])


def left_out(design: Design, fitted_to: Callable[[DataSet], bool] | None = None) -> tuple[Array, Weights]:
    """Return the p-value of each data set by weights fitted without its family, and the mean weights.

    They are fitted to the first data sets of each relation, of those that `fitted_to` accepts, and judge all.
    """
    families = sorted({each.family for each in design.sets})
    fold = dict(zip(families, np.random.default_rng(1).permutation(len(families)) % FOLDS, strict=True))
    mine = np.array([fold[each.family] for each in design.sets])
    first = np.array([each.replicate < REPLICATES and (fitted_to is None or fitted_to(each)) for each in design.sets])
    pvalues, weights = np.ones(len(mine)), []
    for k in range(FOLDS):
        if (mine == k).any():
            weights.append(fit(design.some(np.flatnonzero((mine != k) & first))))
            own = np.flatnonzero(mine == k)
            pvalues[own] = design.some(own).pvalues(weights[-1])
    return pvalues, Weights(*np.mean(weights, axis=0))


def mean(pvalues: Array, sets: Sequence[DataSet], real: bool) -> str:
    """Say how many are found, the mean over families, with its standard error."""
    families: dict[str, list[bool]] = {}
    for p, each in zip(pvalues, sets, strict=True):
        if each.real == real:
            families.setdefault(each.family, []).append(p <= LEVEL)
    means = np.array([np.mean(found) for found in families.values()])
    return f"{means.mean():.3f} ± {means.std() / max(1, means.size - 1) ** 0.5:.3f}" if means.size else "-"


def hindsight(sets: Sequence[DataSet], real: bool, rivals: Sequence[str]) -> str:
    """Say what the best rival of each family finds, were it known."""
    best = []
    for family in sorted({each.family for each in sets if each.real == real}):
        own = [each for each in sets if each.family == family and each.real == real]
        best.append(max(np.mean([each.pvalue(name) <= LEVEL for each in own]) for name in rivals))
    return f"{np.mean(best):.3f}" if best else "-"


def report(sets: list[DataSet], classes: bool) -> None:
    """Print what each test finds, and what leaving out each member does."""
    members = list(CLASSES if classes else NUMERIC)
    tried = list(TRIED_CLASSES if classes else TRIED_NUMERIC)
    families = {each.family for each in sets}
    print(f"\n{'classes' if classes else 'numbers'}: {len(sets)} data sets of {len(families)} families")
    print(f"{'':34}{'real tables':>16}{'relations':>18}")

    def line(label: str, pvalues: Array, more: str = "") -> None:
        print(f"{label:34}{mean(pvalues, sets, True):>16}{mean(pvalues, sets, False):>18}  {more}")

    pvalues, weights = left_out(Design.of(sets, members))
    fitted = zip(members, np.exp(weights.logs), weights.exponents, strict=True)
    told = " ".join(f"{name} {w:.2f} ({power:+.2f})" for name, w, power in fitted)
    line("fitted weights, family left out", pvalues, told)
    line("equal weights", Design.of(sets, members).pvalues(Weights.equal(members)))
    for name in members:
        rest = [each for each in members if each != name]
        line(f"  without {name}", left_out(Design.of(sets, rest))[0])
    for name in tried:
        line(f"  with {name}", left_out(Design.of(sets, [*members, name]))[0])
    for name in (PAPER, *members, *tried, *RIVALS):
        line(f"{name} alone", np.array([each.pvalue(name) for each in sets]))
    rivals = [PAPER if any(PAPER in each.observed for each in sets) else "kernel", *RIVALS]
    print(f"{'best rival of each family':34}{hindsight(sets, True, rivals):>16}{hindsight(sets, False, rivals):>18}")


def write(sets: list[DataSet], digest: str) -> None:
    """Fit on everything and write weights and exponents into the table of members."""
    text = TARGET.read_text()
    for title, members, classes in (("NUMERIC", NUMERIC, False), ("CLASSES", CLASSES, True)):
        design = Design.of([each for each in sets if each.classes == classes], list(members))
        text = with_weights(text, title, list(members), fit(design))
    real = sum(each.real for each in sets)
    about = f'FITTED_ON = "{len(sets)} data sets, {real} of them draws of real tables; sha256 {digest[:16]}"'
    TARGET.write_text(re.sub(r"^FITTED_ON = .*$", about, text, flags=re.MULTILINE))


def with_weights(text: str, title: str, names: Sequence[str], weights: Weights) -> str:
    """Return the text of the table of members with other weights and exponents in one of its parts."""
    before, begin, rest = text.partition(f"{title}: Mapping[str, WeightedTest] = {{\n")
    part, end, after = rest.partition("\n}\n")
    for name, weight, exponent in zip(names, np.exp(weights.logs), weights.exponents, strict=True):
        row = re.compile(rf'^(    "{name}": WeightedTest\(.*\), )[\d.]+, -?[\d.]+', flags=re.MULTILINE)
        part, found = row.subn(rf"\g<1>{weight:.2f}, {exponent:.2f}", part)
        assert found == 1, name
    return f"{before}{begin}{part}{end}{after}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, default=Path("library"))
    parser.add_argument("--replicates", type=int, default=REPLICATES, help="of each cell that are judged")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    sets, digest = read(options.store, options.replicates)
    for classes in (False, True):
        report([each for each in sets if each.classes == classes], classes)
    if options.write:
        write([each for each in sets if each.replicate < REPLICATES], digest)


if __name__ == "__main__":
    main()
