"""The pictures of docs/everyday.md, docs/associations.md and docs/changes.md, from the tables of these pages.

python -m benchmarks.pages.evidence_figures
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from benchmarks.pages.marks import DOCS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#8c959f"
NUMBER = r"(-?\d\.\d+)"


def rows(page: str, mark: str) -> list[list[str]]:
    """Return the cells of the table between two marks, without its head."""
    text = (DOCS / page).read_text(encoding="utf-8")
    table = text.partition(f"<!-- {mark}:begin -->")[2].partition(f"<!-- {mark}:end -->")[0]
    lines = [line for line in table.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def everyday(ax: Axes) -> None:
    """Draw effects with their intervals beside those of the classical method."""
    labels = []
    for table, question, ours, other in rows("everyday.md", "everyday-effects"):
        measure = "R2 of ranks" if "R2 of ranks" in ours else "AUC"
        found = re.search(rf"{measure} {NUMBER} \({NUMBER} to {NUMBER}\)", ours)
        known = re.search(rf"{measure} {NUMBER}", other)
        if found is None or known is None:
            continue
        at = len(labels)
        labels.append(f"{table}: {question} ({'R2' if measure != 'AUC' else measure})")
        estimate, low, high = map(float, found.groups())
        ax.plot([low, high], [at, at], color=BLUE, lw=2, label="kmerf, 95 % interval" if not at else None)
        ax.plot(estimate, at, "o", color=BLUE, ms=6)
        ax.plot(float(known[1]), at, "D", color=ORANGE, ms=6, mfc="none", label="classical" if not at else None)
    ax.set_yticks(range(len(labels)), labels)
    ax.invert_yaxis()
    ax.set_xlim(-0.02, 1)
    ax.set_xlabel("R2 of ranks, or AUC")


def associations(ax: Axes) -> None:
    """Draw the power of each measure by relation."""
    table = [row for row in rows("associations.md", "associations-others") if "mean power" not in row[0]]
    names = ["kmerf, p-value", "phik", "dython", "mutual information"]
    marks = [("o", BLUE), ("s", ORANGE), ("^", "#009E73"), ("x", GREY)]
    for name, column, (shape, colour) in zip(names, (1, 3, 4, 5), marks, strict=True):
        power = [float(row[column].split()[0]) for row in table]
        ax.plot(power, range(len(table)), shape, color=colour, label=name, ms=6)
    ax.set_yticks(range(len(table)), [row[0] for row in table])
    ax.invert_yaxis()
    ax.set_xlim(-0.02, 1.02)
    ax.set_xlabel("power, n = 200")


def kinds(ax: Axes) -> None:
    """Draw how often each kind is below 0.05, by what changes between groups."""
    table = rows("changes.md", "kinds-groups")
    names = ("level", "spread", "shape", "correlation")
    values = [[float(cell) if cell != "-" else float("nan") for cell in row[2:]] for row in table]
    ax.imshow(values, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for i, line in enumerate(values):
        for j, value in enumerate(line):
            text = "-" if math.isnan(value) else f"{value:.2f}"
            ax.text(j, i, text, ha="center", va="center", color="white" if value > 0.5 else "black", fontsize=9)
    ax.set_xticks(range(len(names)), names)
    ax.xaxis.tick_top()
    ax.set_yticks(range(len(table)), [row[0] for row in table])
    ax.tick_params(length=0)


def main() -> None:
    """Draw all."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    for name, draw, size in (("everyday", everyday, 4.2), ("associations", associations, 4.0), ("kinds", kinds, 4.6)):
        figure, ax = plt.subplots(figsize=(7.6, size), layout="constrained")
        draw(ax)
        if name != "kinds":
            ax.spines[["top", "right"]].set_visible(False)
            ax.grid(axis="x", color="#e5e7eb", zorder=0)
            ax.set_axisbelow(True)
            figure.legend(loc="outside upper right", ncols=4, frameon=False)
        figure.savefig(DOCS / "images" / f"{name}.png", dpi=150)
        plt.close(figure)


if __name__ == "__main__":
    main()
