"""The paper's real-data section, done with valid p-values: which peptides mark pancreatic cancer?

    python examples/peptides.py                              a synthetic look-alike: 40 peptides, two of them real
    python examples/peptides.py peptides.csv                 the data; samples.csv beside it tells pools
    python examples/peptides.py peptides.csv --write         the same, and docs/peptides.md with its figures

The authors publish the data as `proteomics.mat`, in `real_data/` of github.com/neurodata/kmerf and in
`Data/Preprocessed/` of github.com/neurodata/MGC-paper (Apache License 2.0). `peptides.csv` is its matrix: a row a
blood sample, a column `group` (normal, pancreatic, colorectal, ovarian), then a column for each peptide, named by its
sequence.
`samples.csv` has a line for each row of the source: `csv_row` in peptides.csv (empty for rows that are left out),
`pooled` (1 for a pool of many persons) and `annotation`, the group as it is written there.

Every peptide is tested by each method, pancreatic against normal and against all others; Benjamini and Hochberg's
method selects at a false discovery rate of 0.05. Then rows are classified by their nearest neighbours, leaving each out
in turn, on the peptides that a method selected against all others. What was found is kept, and not computed again
unless `--fresh` says so.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import kmerf
from kmerf import baselines

FDR = 0.05
MARKER = "GPGPGGPGGAGVAR"  # neurogranin's peptide
NEIGHBOURS = range(1, 11)
COMPARISONS = {"normal": "pancreatic against normal", "all": "pancreatic against all others"}
SELECTIONS = {
    "as coded": "95 rows as the papers' scripts use them",
    "without pools": "without the four rows that are pools of many persons",
    "by annotation": "two rows with the group that their text says, not their code",
    "both": "without pools, and by annotation",
}
TREES = 200  # of the forest of KMERF, for time: the default is 500


class Data(NamedTuple):
    """Abundances, and what is known of each row."""

    names: tuple[str, ...]
    values: NDArray[np.float64]
    group: NDArray[Any]
    annotation: NDArray[Any]
    pooled: NDArray[np.bool_]

    def choose(self, selection: str, comparison: str) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return the abundances and which rows are pancreatic."""
        group = self.annotation if selection in ("by annotation", "both") else self.group
        rows = ~self.pooled if selection in ("without pools", "both") else np.ones(len(group), bool)
        if comparison == "normal":
            rows = rows & np.isin(group, ["normal", "pancreatic"])
        return self.values[rows], group[rows] == "pancreatic"


def read(path: Path) -> Data:
    """Read peptides.csv, and samples.csv if it stands beside it."""
    with path.open(newline="") as file:
        head, *lines = list(csv.reader(file))
    place = head.index("group")
    names = tuple(name for j, name in enumerate(head) if j != place)
    group = np.array([line[place] for line in lines])
    values = np.array([[float(cell) for j, cell in enumerate(line) if j != place] for line in lines])
    annotation, pooled = group.copy(), np.zeros(len(group), bool)
    beside = path.with_name("samples.csv")
    if beside.exists():
        with beside.open(newline="") as file:
            for line in csv.DictReader(file):
                if line["csv_row"]:
                    annotation[int(line["csv_row"])] = line["annotation"]
                    pooled[int(line["csv_row"])] = line["pooled"] == "1"
    return Data(names, values, group, annotation, pooled)


def look_alike(seed: int = 0) -> Data:
    """Draw data of the same kind: skewed, tied, correlated; the first two peptides are raised in pancreatic cancer."""
    rng = np.random.default_rng(seed)
    group = np.repeat(["normal", "pancreatic", "colorectal", "ovarian"], [33, 10, 24, 28])
    shared = rng.normal(size=(len(group), 1))
    levels = np.exp(1.0 + 0.5 * shared + rng.normal(size=(len(group), 40)))
    levels[group == "pancreatic", :2] *= 12.0
    levels[group != "normal", 2:5] *= 4.0  # raised in every cancer
    names = (MARKER, "LOOKALIKEA", *(f"LOOKALIKE{j}" for j in range(38)))
    return Data(names, np.round(levels, 1), group, group.copy(), np.zeros(len(group), bool))


# --- tests ------------------------------------------------------------------------------------------------------------


def methods() -> dict[str, tuple[Any, Any]]:
    """Return each method and its null, None for the defaults. A peptide that is selected alone needs 0.05 / 318."""
    many = kmerf.Permutation(19_999)
    return {
        "KMERF": (kmerf.KMERF(kmerf.ForestSpec(TREES)), None),
        "default screen": (None, None),
        "Dcorr": (baselines.Dcorr(), many),
        "Hsic": (baselines.Hsic(), many),
        "HHG": (baselines.HHG(), many),
        "MGC": (baselines.MGC(), many),
        "CCA": (baselines.CCA(), many),
        "RV": (baselines.RV(), many),
    }


def tasks(quick: bool) -> Iterator[tuple[str, str, str]]:
    """Yield what is to be done, the quickest first; the look-alike has one selection of rows."""
    order = sorted(methods(), key=lambda name: name == "KMERF")
    for selection in SELECTIONS:
        for name in order:
            for comparison in COMPARISONS:
                if not (quick and selection != "as coded"):
                    yield selection, comparison, name


def find(data: Data, store: Path, quick: bool) -> dict[str, list[float]]:
    """Return the p-values of every peptide for each task, kept in a file as they are found."""
    found: dict[str, list[float]] = json.loads(store.read_text()) if store.exists() else {}
    for selection, comparison, name in tasks(quick):
        key = "/".join((selection, comparison, name))
        if key not in found:
            method, null = methods()[name]
            null = kmerf.Permutation(1_999) if quick and null is not None else null
            x, y = data.choose(selection, comparison)
            screen = kmerf.screen(x, y, fdr=FDR, method=method, null=null, rng=1)
            found[key] = screen.adjusted_from.tolist()
            store.parent.mkdir(parents=True, exist_ok=True)
            store.write_text(json.dumps(found))
        print(f"{key}: {len(selected(found[key]))} selected", flush=True)
    return found


def selected(pvalues: list[float]) -> list[int]:
    """Return the peptides that Benjamini and Hochberg's method selects, smallest p-value first."""
    from kmerf.nulls.definitions import benjamini_hochberg

    adjusted = benjamini_hochberg(np.array(pvalues))
    return [int(j) for j in np.argsort(pvalues, kind="stable") if adjusted[j] <= FDR]


# --- what a selection is good for -------------------------------------------------------------------------------------


class Votes(NamedTuple):
    """How nearest neighbours classify, leaving each row out in turn."""

    k: int
    true_positives: int
    false_positives: int


def classify(x: NDArray[np.float64], positive: NDArray[np.bool_]) -> Votes:
    """Return the result of the best k from 1 to 10: the most true less false positives, then the smallest k.

    Distances are Euclidean, on values as they are; a row is called positive if more than half of its k neighbours are.
    Rows at equal distance come in their order.
    """
    away = np.sqrt(((x[:, None, :] - x[None, :, :]) ** 2).sum(axis=2))
    np.fill_diagonal(away, np.inf)
    nearest = np.argsort(away, axis=1, kind="stable")
    votes = []
    for k in NEIGHBOURS:
        called = 2 * positive[nearest[:, :k]].sum(axis=1) > k
        votes.append(Votes(k, int((called & positive).sum()), int((called & ~positive).sum())))
    return max(votes, key=lambda vote: (vote.true_positives - vote.false_positives, -vote.k))


def classified(data: Data, found: dict[str, list[float]], selection: str) -> dict[str, Votes | None]:
    """Classify pancreatic against all others by each method's selection; None where it selected nothing."""
    x, positive = data.choose(selection, "all")
    out: dict[str, Votes | None] = {}
    for name in methods():
        pvalues = found.get(f"{selection}/all/{name}")
        if pvalues is not None:
            chosen = selected(pvalues)
            out[name] = classify(x[:, chosen], positive) if chosen else None
    return out


def main() -> None:
    """Read, test, classify, and draw or write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", nargs="?", type=Path, help="peptides.csv; without it, a synthetic look-alike")
    parser.add_argument("--write", action="store_true", help="write docs/peptides.md and its figures")
    parser.add_argument("--fresh", action="store_true", help="compute again what was found before")
    parser.add_argument("--out", type=Path, default=Path("build/peptides"), help="where to keep what is found")
    options = parser.parse_args()
    data = look_alike() if options.path is None else read(options.path)
    store = options.out / ("look_alike.json" if options.path is None else "found.json")
    if options.fresh:
        store.unlink(missing_ok=True)
    found = find(data, store, quick=options.path is None)
    for selection in SELECTIONS:
        for name, votes in classified(data, found, selection).items():
            told = "nothing selected" if votes is None else f"TP {votes.true_positives}, FP {votes.false_positives}"
            print(f"{selection}, nearest neighbours, {name}: {told}" + (f" (k = {votes.k})" if votes else ""))
    from peptides_page import draw, write

    if options.write:
        write(data, found)
    else:
        for name, figure in draw(data, found, "as coded").items():
            figure.savefig(options.out / name)
            print(f"wrote {options.out / name}")


if __name__ == "__main__":
    main()
