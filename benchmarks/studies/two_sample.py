"""Published benchmarks of kernel two-sample tests: what the default finds, beside the published rates.

    python -m benchmarks.studies.two_sample run --store two_sample [--replicates 40] [--permutations 10] [--cells ...]
    python -m benchmarks.studies.two_sample page --store two_sample --rates mmdfuse.csv [--library library]
    python -m benchmarks.studies.two_sample time [--rows 500 1000 2000]

`run` draws data sets of each cell (benchmarks/data/published_two_samples.py), each fitted as it is and with y permuted
some times; the permuted fits of all data sets of a cell are the null of each, with the weights of the default. A cell
is a file of the store, so that a run can be stopped and goes on; one of 500 + 500 rows takes 12 s on one core with the
numbers above, one of 3,000 + 3,000 rows 80 s. `page` writes its part of docs/power.md. `rates` has the published ones:
cell, test, rate. With a `library` (benchmarks/data/library.py, whose cells of 300 rows and more are taken) it also
writes what more weight of `local` would give on the benchmark, and what it would cost elsewhere. `run` also draws
relations of groups with 1,000 rows, for the same question.
"""

from __future__ import annotations

import argparse
import csv
import time
import zlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np

import kmerf
from benchmarks.data.published_two_samples import TwoSamples, cells
from benchmarks.data.varied import Varied
from benchmarks.pages import marks
from benchmarks.pages.marks import DOCS
from benchmarks.studies.fit_weights import LEVEL, rank
from benchmarks.studies.real import bold
from kmerf.methods.portfolio import CLASSES, MEMBERS, NUMERIC, Portfolio, learnt_weight, rows_factor
from kmerf.nulls.definitions import combine_many

SHOWN = ("MMDAgg", "FUSE", "ACTT", "Agginc", "AutoTST", "deep")
OTHERS = {
    "HDGM_d2": ("FUSE", (0.21, 0.55, 0.89, 1.0)),
    "HDGM_d10": ("FUSE", (0.06, 0.12, 0.38, 0.75)),
    "dependent": ("HSICAgg", (0.08, 0.23, 0.37, 0.59, 0.75)),
}
"""The best published test that does not split the data, and its rates in the order of the cells."""
NULLS = ("mixture_vary_dif 1.0", "perturbations_vary_dif_d1 0.0", "perturbations_vary_dif_d2 0.0")
GROUPS = tuple(
    Varied(name, 1000)
    for name in (
        "g_shift",
        "g_spread",
        "g_correlation",
        "g_xor",
        "g_two_humps",
        "g_ring",
    )
)
"""Relations of groups with many rows, that had no part in choosing the weight of `local`."""
MARGIN = 0.10  # below the best published test, from which a cell is named
WITHOUT = "local"  # the member that was added with these benchmarks in view
FIRST = 1000  # number of the first data set of a cell: the weight of `local` was chosen on data sets of lower numbers
TIMES = (0.0, 1.0, 2.0, 4.0, 8.0, np.inf)  # its weight; infinity is that member alone
MIN_LIBRARY_ROWS = 300  # below, its weight is small

Array = np.ndarray


def run(cell: TwoSamples | Varied, replicates: int, permutations: int) -> dict[str, Array]:
    """Return the members' statistics: observed (replicates, k) and permuted (replicates * permutations, k)."""
    observed, permuted = [], []
    for replicate in range(FIRST, FIRST + replicates):
        seed = zlib.crc32(f"{cell!r} {replicate}".encode())
        rng = np.random.default_rng(seed)
        sample = cell.draw(rng)
        problem = Portfolio().prepare(sample, seed)
        first = problem.fit(np.arange(sample.n), 0)
        observed.append(first.statistics)
        permuted += [problem.fit(rng.permutation(sample.n), 1 + k).statistics for k in range(permutations)]
    names = np.array([part.name for part in first.parts])
    tables = {"observed": np.array(observed), "permuted": np.array(permuted)}
    return {"names": names, "weights": first.weights, "p": np.array(sample.x.p), **tables}


def weighted(table: dict[str, Array], kind: str, n: int, p: int) -> dict[str, Array]:
    """Return a table with the present weight of the added member; no other has changed."""
    own = learnt_weight(kind, WITHOUT, 1.0) * rows_factor(kind, MEMBERS[kind][WITHOUT].method, n, p)
    return table | {"weights": np.where(table["names"] == WITHOUT, own, table["weights"])}


def found(table: Mapping[str, Array], times: float = 1.0) -> Array:
    """Return whether each data set is told from the null, with so many times the weight of the added member."""
    own = table["names"] == WITHOUT
    kept = own if np.isinf(times) else np.full(own.size, True) if times else ~own
    weights = np.where(own & np.isfinite(times), table["weights"] * min(times, max(TIMES[:-1])), table["weights"])[kept]
    top, null = combine_many(table["observed"][:, kept], table["permuted"][:, kept], weights)
    return rank(np.column_stack([top, np.tile(null, (len(top), 1))])) <= LEVEL


def relations(library: Path) -> dict[str, list[dict[str, Array]]]:
    """Return the tables of the library's relations with many rows, by the kind of y and the number of rows."""
    tables: dict[str, list[dict[str, Array]]] = {}
    for path in sorted(library.glob("cell-*.npz")):
        with np.load(path) as file:
            n, p, classes = int(file["_n"]), int(file["_p"]), bool(file["_classes"])
            if n < MIN_LIBRARY_ROWS:
                continue
            members = CLASSES if classes else NUMERIC
            both = np.array([file[name] for name in members])
            alike = float(np.median(file["_redundancy"]))
        kind = "categorical" if classes else "numeric"
        weights = [
            learnt_weight(kind, name, alike) * rows_factor(kind, each.method, n, p) for name, each in members.items()
        ]
        table = {"names": np.array(list(members)), "weights": np.array(weights)}
        title = f"relations of the library, {kind} y, {n:,} rows"
        tables.setdefault(title, []).append(table | {"observed": both[:, 0].T, "permuted": both[:, 1].T})
    return tables


def weights_table(groups: Mapping[str, list[dict[str, Array]]]) -> str:
    """Return what several weights of the added member detect, and the difference from its weight, with its error."""
    lines = []
    for title, tables in groups.items():
        rates = np.array([[found(table, times).mean() for times in TIMES] for table in tables])
        own = TIMES.index(1.0)
        away = rates - rates[:, [own]]
        errors = away.std(axis=0, ddof=1) / len(tables) ** 0.5
        texts = [f"{rate:.3f}" for rate in rates.mean(axis=0)]
        for k in range(len(TIMES)):
            if k != own:
                texts[k] += f" ({away[:, k].mean():+.3f} ± {errors[k]:.3f})"
        lines.append([title, str(len(tables)), *texts])
    heads = [f"without `{WITHOUT}`", "default", "weight × 2", "× 4", "× 8", f"`{WITHOUT}` alone"]
    return marks.table(["data", "cells", *heads], lines)


def seconds(n: int, d: int) -> float:
    """Return the time of one call of `ksample` on two samples of n rows that do not differ much."""
    rng = np.random.default_rng(n)
    x = rng.normal(size=(2 * n, d))
    x[n:, 0] += 5.0 / np.sqrt(n)
    begun = time.process_time()
    kmerf.ksample(x, groups=np.repeat([0, 1], n), rng=1, n_jobs=1)
    return time.process_time() - begun


def write(store: Path, rates: Path, library: Path | None = None) -> None:
    """Write the tables of docs/power.md."""
    with rates.open(newline="") as file:
        published: dict[str, dict[str, float]] = {}
        for row in csv.DictReader(file):
            published.setdefault(row["cell"], {})[row["test"]] = float(row["rate"])
    tables = {}
    for cell in cells():
        if (store / f"{_file(cell)}.npz").exists():
            kind = "numeric" if cell.kind == "dependent" else "categorical"
            n = cell.n if cell.kind == "dependent" else 2 * cell.n
            tables[cell.name] = weighted(_read(store / f"{_file(cell)}.npz"), kind, n, cell.p)
    ours = {name: float(found(table).mean()) for name, table in tables.items()}
    before = {name: float(found(table, 0.0).mean()) for name, table in tables.items()}
    lines = []
    for name in ours:
        if name in published:
            texts = bold([ours[name], *(published[name][test] for test in SHOWN)])
            texts = [text.strip("*") for text in texts] if name in NULLS else texts
            lines.append([name.replace("_", " "), *texts])
            lines[-1].insert(2, f"{before[name]:.2f}")
    judged = [name for name in ours if name in published and name not in NULLS]
    means = [np.mean([ours[name] for name in judged])]
    means += [np.mean([published[name][test] for name in judged]) for test in SHOWN]
    lines.append([f"mean of {len(judged)} cells that differ", *bold([float(each) for each in means], 3)])
    lines[-1].insert(2, f"{np.mean([before[name] for name in judged]):.3f}")
    others = []
    for family, (test, known) in OTHERS.items():
        own = [cell.name for cell in cells() if cell.name.startswith(family + " ")]
        for name, rate in zip(own, known, strict=True):
            if name in ours:
                others.append(
                    [name.replace("_", " "), f"{ours[name]:.2f}", f"{before[name]:.2f}", f"{test} {rate:.2f}"]
                )
    others_table = marks.table(["cell", "default", f"without `{WITHOUT}`", "published"], others)
    sizes = {name: len(table["observed"]) for name, table in tables.items()}
    fewest, most = min(sizes.values()), max(sizes.values())
    error = np.sqrt(sum(ours[name] * (1 - ours[name]) / sizes[name] for name in judged)) / len(judged)
    number = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    of_one = f"{number} data sets per cell, so ± {0.5 / fewest**0.5:.2f} at most for one cell"
    text = f"{of_one}; the mean is known to ± {error:.3f}"
    if library is not None:
        benchmark = {"published cells that differ": [tables[name] for name in judged]}
        marks.write(DOCS / "power.md", {"two_samples_weights": weights_table(benchmark | relations(library))})
    marks.write(
        DOCS / "power.md",
        {
            "two_samples": marks.table(["cell", "default", f"without `{WITHOUT}`", *SHOWN], lines),
            "two_samples_others": others_table if others else None,
            "two_samples_size": text,
            "two_samples_behind": behind(ours, published),
            "two_samples_groups": groups_table(store),
        },
    )


def groups_table(store: Path) -> str | None:
    """Return what is detected of groups in 1,000 rows, without the added member and with it."""
    rows = []
    for cell in GROUPS:
        path = store / f"{_file(cell)}.npz"
        if path.exists():
            table = _read(path)
            rows.append((cell.name, int(table["p"]), *(float(found(table, times).mean()) for times in (0.0, 1.0))))
    if not rows:
        return None
    lines = [[name[2:].replace("_", " "), str(p), f"{before:.2f}", f"{own:.2f}"] for name, p, before, own in rows]
    rates = np.array([row[2:] for row in rows])
    away = rates[:, 1] - rates[:, 0]
    error = away.std(ddof=1) / len(away) ** 0.5
    before, own = rates.mean(axis=0)
    lines.append(["mean", "", f"{before:.3f}", f"{own:.3f} ({away.mean():+.3f} ± {error:.3f})"])
    return marks.table(["relation", "columns", f"without `{WITHOUT}`", "default"], lines)


def behind(ours: Mapping[str, float], published: Mapping[str, Mapping[str, float]]) -> str:
    """Name the cells in which the default is far below the best of the published tests."""
    lines = []
    for name in (name for name in ours if name in published and name not in NULLS):
        best = max(SHOWN, key=lambda test: published[name][test])
        if ours[name] < published[name][best] - MARGIN:
            lines.append(f"{name.replace('_', ' ')} ({ours[name]:.2f}, {best} {published[name][best]:.2f})")
    return f"More than {MARGIN:.2f} below the best: {', '.join(lines) or 'none'}."


def _read(path: Path) -> dict[str, Array]:
    with np.load(path) as file:
        return {name: file[name] for name in file.files}


def _file(cell: TwoSamples | Varied) -> str:
    return cell.name.replace(" ", "_")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["run", "page", "time"])
    parser.add_argument("--store", type=Path, default=Path("two_sample"))
    parser.add_argument("--replicates", type=int, default=40)
    parser.add_argument("--permutations", type=int, default=10)
    parser.add_argument("--cells", nargs="*", default=[], help="only cells whose names start so")
    parser.add_argument("--rates", type=Path)
    parser.add_argument("--library", type=Path)
    parser.add_argument("--rows", nargs="*", type=int, default=[500, 1000, 2000], help="per sample, to be timed")
    options = parser.parse_args()
    if options.part == "page":
        write(options.store, options.rates, options.library)
        return
    if options.part == "time":
        lines = [[f"{n:,} + {n:,}", *(f"{seconds(n, d):.1f}" for d in (2, 10))] for n in options.rows]
        marks.write(DOCS / "power.md", {"two_samples_time": marks.table(["rows", "2 columns", "10 columns"], lines)})
        return
    options.store.mkdir(exist_ok=True)
    for cell in (*cells(), *GROUPS):
        path = options.store / f"{_file(cell)}.npz"
        if not path.exists() and (not options.cells or cell.name.startswith(tuple(options.cells))):
            np.savez_compressed(path, **run(cell, options.replicates, options.permutations))
            print(cell.name, flush=True)


if __name__ == "__main__":
    main()
