"""Are features called when they should be, and only then? And the paper's Figure 3, with intervals that are intervals.

    python -m benchmarks.studies.importance            all parts, about two hours on two cores, then docs/importance.md
    python -m benchmarks.studies.importance null       one part: null, found, losses, order, coverage, figure
    python -m benchmarks.studies.importance page       the page alone, from what was found before

Each part writes what it found to build/importance/<part>.json; `page` turns those into docs/importance.md and its
figures. The forests of the first three parts have fewer trees than the default, 25 to 100, for time: that makes
importances noisier, observed and permuted alike. `--kind` and `--runs` run one kind of data, beside what is known of
the others.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import kmerf
from benchmarks.data.importance_features import call, forest, related, shares, unrelated
from kmerf import simulations
from kmerf.execution import parallel
from kmerf.explain.feature_importances import find_importances
from kmerf.methods.portfolio import Portfolio
from kmerf.reading.samples import read_independence

OUT = Path(__file__).resolve().parents[2] / "build" / "importance"
LEVELS = (0.05, 0.01, 0.001, 0.0001)
NULL_TREES = 25
FOUND = (
    "3 of 20, numbers",
    "3 of 20, numbers, weaker",
    "3 of 20, 2 groups",
    "10 of 100, numbers",
    "3 of 300, 2 groups",
    "6 of 300, numbers, half binary",
    "10 of 300, numbers",
)
SEED = 20261116


# --- the parts --------------------------------------------------------------------------------------------------------


def one_null(task: tuple[str, int]) -> dict[str, Any]:
    kind, number = task
    rng = stream("null", kind, number)
    features, y, p = kind.split(", ")
    called = call(shares(unrelated(features, y, int(p), rng), forest(NULL_TREES), rng))
    return {
        "kind": kind,
        "family": float(called.family.min()),
        "fdr": float(called.fdr.min()),
        "single": [float((called.single <= level).mean()) for level in LEVELS],
    }


def one_found(task: tuple[str, int]) -> dict[str, Any]:
    kind, number = task
    rng = stream("found", kind, number)
    data = related(kind, rng)
    called = call(shares(data, forest(50), rng))
    real, single = data.real, called.single[~data.real]
    row: dict[str, Any] = {"kind": kind, "single": float((single <= 0.05).mean())}
    for name in ("family", "fdr"):
        chosen = getattr(called, name) <= 0.05
        row[name] = [float(chosen[real].mean()), int(chosen[~real].sum()), int(chosen.sum())]
    return row


LOSSES = (
    "linear, 50",
    "linear, 100",
    "linear, 400",
    "binary, 50",
    "binary, 100",
    "binary, 400",
    "quadratic, 100",
    "strong, 100",
    "ten columns, 100",
    "ten columns, 400",
    "alike, 100",
    "independent, 50",
    "independent, 400",
    "two groups, 50",
    "two groups, 200",
    "one group of an eighth, 100",
)
DESIGNS = (
    "linear, 40",
    "linear, 100",
    "linear, 200",
    "quadratic, 100",
    "strong, 100",
    "independent, 40",
    "independent, 100",
    "two groups, 40",
    "two groups, 100",
    "two groups, 200",
    "one group of an eighth, 100",
)


def drawn(design: str, rng: np.random.Generator, **wishes: Any) -> kmerf.Result:
    """Ask for the effect in data of three features, the first of which is real."""
    name, n = design.split(", ")[0], int(design.split(", ")[1])
    x = rng.normal(size=(n, 10 if name == "ten columns" else 3))
    ask = partial(kmerf.independence, method=forest(100), null=kmerf.ChiSquare(), rng=rng, n_jobs=1, **wishes)
    if "group" in name:
        rows, shift = (n // 2, 1.0) if name == "two groups" else (n // 8, 1.5)
        x[:rows, 0] += shift
        return ask(x, np.arange(n) < rows)
    if name == "binary":
        x[:, 0] = x[:, 0] > 0
    if name == "alike":
        x[:, 1] = 0.8 * x[:, 0] + 0.6 * x[:, 1]
    signal = {"strong": 10 * x[:, 0], "quadratic": x[:, 0] ** 2, "independent": np.zeros(n)}.get(name, x[:, 0])
    return ask(x, signal + rng.normal(size=n))


def one_interval(task: tuple[str, int]) -> dict[str, Any]:
    design, number = task
    effect = drawn(design, stream("coverage", design, number), interval=0.95).effect
    return {"kind": design, "at": effect.correlation, "low": effect.low, "high": effect.high}


def one_loss(task: tuple[str, int]) -> dict[str, Any]:
    """Take the interval of what is lost with the first column, which is real but for one design, and with the last."""
    design, number = task
    table = drawn(design, stream("losses", design, number)).importances
    row: dict[str, Any] = {"kind": design}
    for name, j in (("first", 0), ("last", -1)):
        row[name] = [float(each[j]) for each in (table.mean, table.low, table.high)]
    return row


ORDERS = tuple(
    f"{y}, {binary}, {number}"
    for y in ("classes", "numbers")
    for binary, number in ((0.15, 0.07), (0.07, 0.15), (0.15, 0.15))
)


def one_order(task: tuple[str, int]) -> dict[str, Any]:
    """Compare a binary column and a normal one, each with a known share of y's variance, beside two without any."""
    design, number = task
    rng = stream("order", design, number)
    kind, *words = design.split(", ")
    shares = np.array([float(word) for word in words])
    n = 84
    x = np.column_stack([rng.permutation(n) % 2, rng.normal(size=n), rng.permutation(n) % 2, rng.normal(size=n)])
    x[:, [0, 2]] = 2.0 * x[:, [0, 2]] - 1.0
    y = x[:, :2] @ np.sqrt(shares) + np.sqrt(1.0 - shares.sum()) * rng.normal(size=n)
    if kind == "classes":
        y = np.searchsorted(np.quantile(y, [0.5, 0.67]), y)
    sample = read_independence(x, y, y_kind="numeric" if kind == "numbers" else "categorical")
    fit = Portfolio().prepare(sample, number).fit(np.arange(n), 0, reasons=True)
    table = find_importances(fit, sample, 1).shown
    assert table is not None
    apart = bool(table.low[0] > table.high[1] or table.low[1] > table.high[0])
    return {"kind": design, "mean": table.mean.tolist(), "apart": apart, "slopes": np.abs(slopes(x, y)).tolist()}


def slopes(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the t statistics of a linear model."""
    columns = np.column_stack([np.ones(len(y)), x])
    inverse = np.linalg.inv(columns.T @ columns)
    fitted = inverse @ columns.T @ y
    error = ((y - columns @ fitted) ** 2).sum() / (len(y) - columns.shape[1])
    return (fitted / np.sqrt(error * np.diag(inverse)))[1:]


def one_importance(task: tuple[str, int]) -> dict[str, Any]:
    what, number = task
    name, question = what.split("/")
    rng = stream("figure", what, number)
    common = {"method": kmerf.KMERF(), "null": kmerf.ChiSquare(), "rng": rng, "n_jobs": 1, "importances": "gain"}
    if question == "independence":
        x, y = simulations.simulate(name, 100, 5, kappa=0.0, definition="published", rng=rng)
        result = kmerf.independence(x, y, y_kind="numeric", **common)
    else:
        a, b = simulations.rotated(name, 100, 5, rng=rng)
        result = kmerf.ksample(a, b, **common)
    return {"kind": what, "importance": result.importances.mean.tolist()}


def stream(*key: Any) -> np.random.Generator:
    return np.random.default_rng([SEED, *(int.from_bytes(str(part).encode()[:24], "little") for part in key)])


def null_kinds() -> tuple[str, ...]:
    cells = product((20, 100, 300, 2000), ("normal", "rare", "correlated"), ("numbers", "classes"))
    return tuple(f"{features}, {y}, {p}" for p, features, y in cells)


def figure_kinds() -> tuple[str, ...]:
    return tuple(f"{name}/{question}" for question in ("independence", "ksample") for name in simulations.SIMULATIONS)


PARTS: dict[str, tuple[Callable[..., dict[str, Any]], Callable[[], tuple[str, ...]], int]] = {
    "null": (one_null, null_kinds, 200),
    "found": (one_found, lambda: FOUND, 100),
    "losses": (one_loss, lambda: LOSSES, 200),
    "order": (one_order, lambda: ORDERS, 200),
    "coverage": (one_interval, lambda: DESIGNS, 200),
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
    order = kinds()
    path.write_text(json.dumps(sorted([*known, *found], key=lambda row: order.index(row["kind"]))))


def progress(part: str) -> Callable[[int, int], None]:
    return lambda done, total: print(f"\r{part}: {done} of {total}", end="\n" if done == total else "", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "part", nargs="*", help="null, found, losses, order, coverage, figure, page; all of them by default"
    )
    parser.add_argument("--runs", type=int, help="data sets of each kind; each part has its own default")
    parser.add_argument("--kind", help="one kind of data only, beside what was found of the others")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    chosen = options.part or [*PARTS, "page"]
    for part in chosen:
        if part != "page":
            run(part, options.runs, options.jobs, options.kind)
    if "page" in chosen:
        from benchmarks.pages.importance_page import write

        write(OUT)


if __name__ == "__main__":
    main()
