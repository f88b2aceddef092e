"""Are features called when they should be, and only then? And the paper's Figure 3, with intervals that are intervals.

    python benchmarks/importance.py            all parts, about half an hour on two cores, then docs/importance.md
    python benchmarks/importance.py null       one part: null, found, coverage, figure
    python benchmarks/importance.py page       the page alone, from what was found before

Each part writes what it found to build/importance/<part>.json; `page` turns those into docs/importance.md and its
figures. The forests of the first three parts have fewer trees than the default, 50 or 100, for time: that makes
importances noisier, observed and permuted alike.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import kmerf
from kmerf import simulations
from kmerf.core import parallel

OUT = Path(__file__).resolve().parents[1] / "build" / "importance"
SMALL = kmerf.KMERF(kmerf.ForestSpec(n_trees=50))
MEDIUM = kmerf.KMERF(kmerf.ForestSpec(n_trees=100))
REAL = ("real1", "real2", "real3")
SEED = 20261115


# --- features: three real ones, and seventeen that are noise ----------------------------------------------------------


def noise(n: int, rng: np.random.Generator, p: int = 17) -> np.ndarray:
    """Draw features that are correlated among themselves: some with two values, some with few, most with many."""
    shared = rng.normal(size=(n, 1))
    x = np.sqrt(0.6) * shared + np.sqrt(0.4) * rng.normal(size=(n, p))
    x[:, 0:3] = x[:, 0:3] > 0
    x[:, 3:6] = np.clip(np.round(x[:, 3:6]), -2, 2)
    x[:, 6:8] = np.exp(2 * x[:, 6:8])
    return x


def named(x: np.ndarray, names: list[str]) -> Any:
    import pandas as pd

    return pd.DataFrame(x, columns=names)


def related(kind: str, rng: np.random.Generator, n: int = 200) -> kmerf.Result:
    """Test data in which three features of twenty are real."""
    others = noise(n, rng)
    names = [*REAL, *(f"noise{j + 1}" for j in range(others.shape[1]))]
    if kind.startswith("numeric"):
        real = rng.normal(size=(n, 3))
        a, b = (0.8, 1.6) if kind == "numeric, weaker" else (1.0, 2.0)
        y = real[:, 0] + a * real[:, 1] ** 2 + b * (real[:, 2] > 0) + rng.normal(size=n)
        return kmerf.independence(named(np.hstack([real, others]), names), y, method=SMALL, rng=rng, n_jobs=1)
    groups = rng.permutation(np.arange(n) % 2)
    real = rng.normal(size=(n, 3))
    real[:, 0] += 1.5 * groups
    real[:, 1] *= np.where(groups, 3.0, 1.0)
    real[:, 2] = np.where(groups, np.sign(real[:, 2]) * 1.5 + 0.4 * real[:, 2], real[:, 2])
    return kmerf.ksample(named(np.hstack([real, others]), names), groups=groups, method=SMALL, rng=rng, n_jobs=1)


def unrelated(kind: str, rng: np.random.Generator, n: int = 100) -> kmerf.Result:
    """Test data in which nothing is real."""
    x = noise(n, rng, 10)
    if kind == "numeric":
        return kmerf.independence(x, rng.normal(size=n), method=SMALL, rng=rng, n_jobs=1)
    return kmerf.ksample(x, groups=rng.permutation(np.arange(n) % 3), method=SMALL, rng=rng, n_jobs=1)


# --- the parts --------------------------------------------------------------------------------------------------------


def one_null(task: tuple[str, int]) -> dict[str, Any]:
    kind, number = task
    features = unrelated(kind, stream("null", kind, number)).features
    return {"kind": kind, "family": features.adjusted_fwer.min(), "fdr": features.adjusted_fdr.min(),
            "single": features.pvalues.tolist()}  # fmt: skip


def one_found(task: tuple[str, int]) -> dict[str, Any]:
    kind, number = task
    features = related(kind, stream("found", kind, number)).features
    real = np.array([name in REAL for name in features.names])
    family, fdr = features.adjusted_fwer <= 0.05, features.adjusted_fdr <= 0.05
    return {
        "kind": kind,
        "all": bool(family[real].all()),
        "each": family[real].tolist(),
        "false": family[~real].tolist(),
        "all_fdr": bool(fdr[real].all()),
        "false_fdr": fdr[~real].tolist(),
        "single": (features.pvalues[~real] <= 0.05).tolist(),
    }


DESIGNS = ("linear", "quadratic", "independent", "two groups")


def drawn(design: str, rng: np.random.Generator, n: int = 100, **wishes: Any) -> kmerf.Result:
    x = rng.normal(size=(n, 3))
    ask = partial(kmerf.independence, method=MEDIUM, null=kmerf.ChiSquare(), rng=rng, n_jobs=1, **wishes)
    if design == "two groups":
        x[: n // 2, 0] += 1.0
        return ask(x, np.arange(n) < n // 2)
    signal = {"linear": x[:, 0], "quadratic": x[:, 0] ** 2, "independent": np.zeros(n)}[design]
    return ask(x, signal + rng.normal(size=n))


def one_interval(task: tuple[str, int]) -> dict[str, Any]:
    design, number = task
    effect = drawn(design, stream("coverage", design, number), interval=0.95).effect
    return {"kind": design, "at": effect.correlation, "low": effect.low, "high": effect.high}


def one_importance(task: tuple[str, int]) -> dict[str, Any]:
    what, number = task
    name, question = what.split("/")
    rng = stream("figure", what, number)
    common = {"method": kmerf.KMERF(), "null": kmerf.ChiSquare(), "rng": rng, "n_jobs": 1}
    if question == "independence":
        x, y = simulations.simulate(name, 100, 5, kappa=0.0, definition="published", rng=rng)
        result = kmerf.independence(x, y, y_kind="numeric", **common)
    else:
        a, b = simulations.rotated(name, 100, 5, rng=rng)
        result = kmerf.ksample(a, b, **common)
    return {"kind": what, "importance": result.importances.mean.tolist()}


def stream(*key: Any) -> np.random.Generator:
    return np.random.default_rng([SEED, *(int.from_bytes(str(part).encode()[:24], "little") for part in key)])


def figure_kinds() -> tuple[str, ...]:
    return tuple(f"{name}/{question}" for question in ("independence", "ksample") for name in simulations.SIMULATIONS)


PARTS: dict[str, tuple[Callable[..., dict[str, Any]], Callable[[], tuple[str, ...]], int]] = {
    "null": (one_null, lambda: ("numeric", "3 groups"), 500),
    "found": (one_found, lambda: ("numeric", "numeric, weaker", "2 groups"), 200),
    "coverage": (one_interval, lambda: DESIGNS, 300),
    "figure": (one_importance, figure_kinds, 100),
}


def tasks(kinds: tuple[str, ...], runs: int) -> Iterator[tuple[str, int]]:
    return ((kind, number) for kind in kinds for number in range(runs))


def run(part: str, runs: int | None, n_jobs: int, kind: str | None) -> None:
    """Run one part, or one kind of it, beside what is known of the others."""
    function, kinds, default = PARTS[part]
    chosen = kinds() if kind is None else (kind,)
    found = parallel.run(
        function, tasks(chosen, runs or default), n_jobs=n_jobs, backend="loky", progress=progress(part)
    )
    OUT.mkdir(parents=True, exist_ok=True)
    path = OUT / f"{part}.json"
    known = [row for row in json.loads(path.read_text()) if row["kind"] not in chosen] if path.exists() else []
    path.write_text(json.dumps([*known, *found]))


def progress(part: str) -> Callable[[int, int], None]:
    return lambda done, total: print(f"\r{part}: {done} of {total}", end="\n" if done == total else "", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="*", help="null, found, coverage, figure, page; all of them by default")
    parser.add_argument("--runs", type=int, help="data sets of each kind; each part has its own default")
    parser.add_argument("--kind", help="one kind of data only, beside what was found of the others")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    chosen = options.part or [*PARTS, "page"]
    for part in chosen:
        if part != "page":
            run(part, options.runs, options.jobs, options.kind)
    if "page" in chosen:
        from importance_page import write

        write(OUT)


if __name__ == "__main__":
    main()
