"""Fit the weights of the default test on a library of questions, and say what they give on families left out.

    python benchmarks/fit_weights.py --store library [--write]

For each data set there are the members' scores as observed and as permuted (`kmerf.nulls.combining`). The weights make
the observed row likely to be told from the permuted ones: with T the soft maximum of the scores, w and c maximise the
sum over data sets of log(exp(c T_0) / sum_i exp(c T_i)), less a ridge on the logarithms of w. c T is then about the
logarithm of the likelihood ratio of dependent against independent data. Families, of which each relation and each real
table is one, count by the root of their size.

Everything that is printed is for weights fitted without the family that they are judged on. `--write` fits on all and
writes src/kmerf/methods/learnt_weights.py, with a digest of what it was fitted on.
"""

from __future__ import annotations

import argparse
import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from library import PAPER, RIVALS, TRIED_CLASSES, TRIED_NUMERIC
from scipy.optimize import minimize

from kmerf.methods.portfolio import CLASSES, NUMERIC
from kmerf.nulls.combining import STEEPNESS, scores, scores_among, soft_maximum

TARGET = Path(__file__).parents[1] / "src/kmerf/methods/learnt_weights.py"
RIDGE = 0.02  # strong: with few families, equal weights are hard to beat
MOST = 3.0  # that the logarithm of a weight may be
FOLDS = 10
ROWS = 40  # permuted ones that a data set is compared with in fitting
HIGHEST = 8.0  # score, in fitting
LEVEL = 0.05
REPLICATES = 20  # of each cell that are looked at

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
        table.pop("_p")
        real = path.name.startswith("real")
        if next(iter(table.values())).ndim == 1:
            observed = {name: float(values[0]) for name, values in table.items()}
            found.append(DataSet(*about, real, observed, {k: v[1:] for k, v in table.items()}, False, path.stem))
            continue
        permuted = {name: values[1] for name, values in table.items()}
        for replicate in range(min(replicates, next(iter(permuted.values())).size)):
            observed = {name: float(values[0, replicate]) for name, values in table.items()}
            found.append(DataSet(*about, real, observed, permuted, True, path.stem))
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

    @property
    def weight(self) -> Array:
        """How much each data set counts: a family by the root of the number of its data sets."""
        sizes = Counter(each.family for each in self.sets)
        return np.array([sizes[each.family] ** -0.5 for each in self.sets])

    def pvalues(self, w: Array) -> Array:
        return np.array([rank(soft_maximum(part, w)[None])[0] for part in self.parts])


def fit(design: Design, chosen: Array) -> Array:
    """Return the weights (k,) that fit the chosen data sets best; their geometric mean is 1."""
    rng = np.random.default_rng(0)
    rows = [np.r_[0, 1 + rng.permutation(len(part) - 1)[:ROWS]] for part in design.parts]
    most = min(len(row) for row in rows)
    tensor = np.stack([design.parts[i][rows[i][:most]] for i in chosen])
    weight = design.weight[chosen] / design.weight[chosen].sum()

    def loss(free: Array) -> tuple[float, Array]:
        logs, scale = free[:-1], free[-1]
        terms = STEEPNESS * tensor + logs
        most = terms.max(axis=2, keepdims=True)
        shares = np.exp(terms - most)
        total = shares.sum(axis=2, keepdims=True)
        soft = (most + np.log(total))[..., 0]
        likely = np.exp(scale * (soft - soft.max(axis=1, keepdims=True)))
        norm = likely.sum(axis=1, keepdims=True)
        value = float((weight * (scale * (soft.max(axis=1) - soft[:, 0]) + np.log(norm[:, 0]))).sum())
        pull = weight[:, None] * likely / norm
        pull[:, 0] -= weight
        slope = scale * np.einsum("dr,drk->k", pull, shares / total)
        away = logs - logs.mean()
        penalty = RIDGE * float((away**2).sum() + logs.mean() ** 2)
        gradient = slope + 2 * RIDGE * (away + logs.mean() / logs.size)
        return value + penalty, np.r_[gradient, (pull * soft).sum()]

    start = np.r_[np.zeros(len(design.names)), 1.0]
    bounds = [(-MOST, MOST)] * len(design.names) + [(0.01, None)]
    logs = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x[:-1]
    return np.exp(logs - logs.mean())


def left_out(design: Design) -> tuple[Array, Array]:
    """Return the p-value of each data set by weights fitted without its family, and the mean weights."""
    families = sorted({each.family for each in design.sets})
    fold = dict(zip(families, np.random.default_rng(1).permutation(len(families)) % FOLDS, strict=True))
    mine = np.array([fold[each.family] for each in design.sets])
    pvalues, weights = np.ones(len(mine)), []
    for k in range(FOLDS):
        if (mine == k).any():
            weights.append(fit(design, np.flatnonzero(mine != k)))
            pvalues[mine == k] = design.pvalues(weights[-1])[mine == k]
    return pvalues, np.mean(weights, axis=0)


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
    told = " ".join(f"{name} {w:.2f}" for name, w in zip(members, weights, strict=True))
    line("fitted weights, family left out", pvalues, told)
    line("equal weights", Design.of(sets, members).pvalues(np.ones(len(members))))
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
    """Fit on everything and write the file of weights."""
    lines = []
    for title, members, classes in (("NUMERIC", NUMERIC, False), ("CLASSES", CLASSES, True)):
        design = Design.of([each for each in sets if each.classes == classes], list(members))
        weights = fit(design, np.arange(len(design.sets)))
        inner = "".join(f'    "{name}": {w:.2f},\n' for name, w in zip(members, weights, strict=True))
        lines.append(f"{title} = {{\n{inner}}}\n")
    real = sum(each.real for each in sets)
    about = f'FITTED_ON = "{len(sets)} data sets, {real} of them draws of real tables; sha256 {digest[:16]}"\n'
    TARGET.write_text(f"{HEAD}\n{''.join(lines)}{about}")


HEAD = '''"""How much each member of the default counts; written by benchmarks/fit_weights.py, and not by hand.

They are the w of `kmerf.nulls.combining`; only their ratios matter.
"""
'''


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, default=Path("library"))
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    sets, digest = read(options.store)
    for classes in (False, True):
        report([each for each in sets if each.classes == classes], classes)
    if options.write:
        write(sets, digest)


if __name__ == "__main__":
    main()
