"""On how many real questions does each test find the relation? Writes docs/real.md and its picture.

    python benchmarks/library.py --store library --questions questions.csv
    python benchmarks/real.py --store library

Ours has weights that were fitted without the table at hand (and on the library's other tables and relations). Every
test has its own p-value, by rank among 99 permutations of the same rows.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import marks
import numpy as np
from fit_weights import LEVEL, DataSet, Design, left_out, read
from library import NEWER, PAPER, RIVALS
from marks import DOCS, README

from kmerf.methods.portfolio import CLASSES, NUMERIC

OURS = "default, table left out"
BOOTSTRAPS = 4000

Array = np.ndarray
Row = tuple[str, Array, Array]
"""A test, the share that it finds of each table, and the share that ours finds of the same data sets."""


def by_table(found: Array, sets: Sequence[DataSet]) -> Array:
    """Return the share of questions and draws that are found, of each table."""
    tables: dict[str, list[bool]] = {}
    for each, yes in zip(sets, found, strict=True):
        tables.setdefault(each.family, []).append(bool(yes))
    return np.array([np.mean(tables[name]) for name in sorted(tables)])


def interval(shares: Array) -> tuple[float, float]:
    """Return a 95 % interval of the mean, from tables drawn with replacement."""
    rng = np.random.default_rng(0)
    means = shares[rng.integers(shares.size, size=(BOOTSTRAPS, shares.size))].mean(axis=1)
    return float(np.quantile(means, 0.025)), float(np.quantile(means, 0.975))


def rows(sets: list[DataSet], classes: bool) -> list[Row]:
    """Return what each test finds in each real table, ours first, then the best first."""
    chosen = [each for each in sets if each.classes == classes]
    real = [k for k, each in enumerate(chosen) if each.real]
    pvalues, _ = left_out(Design.of(chosen, list(CLASSES if classes else NUMERIC)))
    tables, ours = [chosen[k] for k in real], pvalues[real] <= LEVEL
    others = []
    for name in (PAPER, *RIVALS, *NEWER):
        # CCA cannot be computed with too many columns, and finds nothing there; others may not have been tried.
        tried = [k for k, each in enumerate(tables) if name in each.observed or name == "CCA"]
        if tried:
            own = [tables[k] for k in tried]
            found = np.array([each.pvalue(name) <= LEVEL for each in own])
            others.append((name, by_table(found, own), by_table(ours[tried], own)))
    everywhere = by_table(ours, tables)
    return [(OURS, everywhere, everywhere), *sorted(others, key=lambda row: -row[1].mean())]


def table(found: list[Row]) -> str:
    """Return the rows as a table of the page, with what ours finds beyond each."""
    lines = []
    for name, shares, ours in found:
        low, high = interval(shares)
        more = ours - shares
        few, many = interval(more)
        beyond = "" if name == OURS else f"{more.mean():+.3f} ({few:+.3f} to {many:+.3f})"
        title = f"**{name}**" if name == OURS else LABELS.get(name, name)
        lines.append([title, f"{shares.size}", f"{shares.mean():.3f}", f"{low:.3f} to {high:.3f}", beyond])
    return marks.table(
        ["test", "tables", "found", "95 % interval over tables", "ours beyond it, same data sets"], lines
    )


def readme(parts: dict[str, list[Row]]) -> str:
    """Return the README's table: what each test finds, a line for numbers and one for classes."""
    order = [name for name, *_ in parts["numbers"]]
    lines = []
    for kind, found in parts.items():
        shares = {name: values for name, values, _ in found}
        low, high = interval(shares[OURS])
        cells = [f"{shares[name].mean():.2f}" if name in shares else "" for name in order if name != OURS]
        ours = f"**{shares[OURS].mean():.2f}** ({low:.2f} to {high:.2f})"
        lines.append([f"{kind}, {shares[OURS].size} tables", ours, *cells])
    return marks.table(["share found", "default", *(LABELS.get(name, name) for name in order if name != OURS)], lines)


LABELS = {PAPER: "paper's KMERF"}


def draw(path: Path, parts: dict[str, list[Row]]) -> None:
    """Draw what each test finds, with intervals."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(parts), figsize=(9, 3.4), layout="constrained", sharex=True)
    for ax, (title, found) in zip(np.atleast_1d(axes), parts.items(), strict=True):
        for place, (name, shares, _) in enumerate(reversed(found)):
            low, high = interval(shares)
            colour = "#00796b" if name == OURS else "#777777"
            ax.plot([low, high], [place, place], color=colour, linewidth=2)
            ax.plot(shares.mean(), place, "o", color=colour)
        ax.set_yticks(range(len(found)), [LABELS.get(name, name) for name, *_ in reversed(found)])
        ax.set(title=title, xlim=(0, 1), xlabel="share of real questions found at level 0.05")
        ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, default=Path("library"))
    options = parser.parse_args()
    sets, digest = read(options.store)
    numbers, classes = rows(sets, False), rows(sets, True)
    counts = {kind: sum(each.real and each.classes == kind for each in sets) for kind in (False, True)}
    marks.write(
        DOCS / "real.md",
        {
            "numbers": table(numbers),
            "classes": table(classes),
            "n_numbers": f"{counts[False]} data sets of {numbers[0][1].size} tables",
            "n_classes": f"{counts[True]} data sets of {classes[0][1].size} tables",
            "digest": digest[:16],
        },
    )
    marks.write(README, {"real": readme({"numbers": numbers, "classes": classes})})
    draw(DOCS / "images" / "real.png", {"numbers": numbers, "classes": classes})


if __name__ == "__main__":
    main()
