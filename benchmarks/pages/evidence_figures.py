"""The pictures with which pages of evidence open, from the tables of these pages.

python -m benchmarks.pages.evidence_figures
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from benchmarks.pages.marks import DOCS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#8c959f"
NUMBER = r"(-?\d\.\d+)"
ESTIMATE = re.compile(r"([+-]?\d+\.\d+) (?:± |\()(\d+\.\d+)")
LEVEL = 0.05


def rows(page: str, mark: str, *, head: bool = False) -> list[list[str]]:
    """Return the cells of the table between two marks, without its head unless it is asked for."""
    text = (DOCS / page).read_text(encoding="utf-8")
    table = text.partition(f"<!-- {mark}:begin -->")[2].partition(f"<!-- {mark}:end -->")[0]
    names, _, *lines = (line for line in table.splitlines() if line.startswith("|"))
    lines = [names, *lines] if head else lines
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def estimate(cell: str) -> tuple[float, float]:
    """Return a number and its standard error, as in `0.04 ± 0.01` or `0.04 (0.01; 300)`; NaN if there is none."""
    found = ESTIMATE.match(cell.strip("*"))
    return (float(found[1]), float(found[2])) if found else (math.nan, math.nan)


def dots(ax: Axes, labels: list[str], series: dict[str, list[str]]) -> None:
    """Draw rates with their standard errors, a line for each label and a sign for each series."""
    signs = [("o", BLUE), ("D", ORANGE), ("^", GREEN), ("x", GREY)]
    for k, ((name, cells), (sign, colour)) in enumerate(zip(series.items(), signs, strict=False)):
        values, errors = zip(*map(estimate, cells), strict=True)
        at = [i + 0.16 * (k - (len(series) - 1) / 2) for i in range(len(labels))]
        ax.errorbar(values, at, xerr=errors, fmt=sign, color=colour, ms=5, lw=1.2, label=name)
    ax.set_yticks(range(len(labels)), labels)
    ax.invert_yaxis()


def series(ax: Axes) -> None:
    """Draw how often independent series are rejected."""
    light, default = ({row[0]: row[1] for row in rows("series.md", mark)} for mark in ("light", "nulls"))
    ways = {row[0]: row[1] for row in rows("series.md", "ways")}
    labels = list(light)
    dots(
        ax,
        labels,
        {
            "light statistic": list(light.values()),
            "default test": [default.get(name, "-") for name in labels],
            "order ignored": [ways.get(name, "-") for name in labels],
        },
    )
    ax.axvline(LEVEL, color=GREY, lw=1)
    ax.set_xlim(left=0)
    ax.set_xlabel("independent series rejected at level 0.05, 50 rows")


def effects(ax: Axes) -> None:
    """Draw the bias of each design against its number of rows."""
    known = {
        "R2 of ranks": [(row[1], row[4]) for row in rows("effects.md", "shares")],
        "AUC": [(row[1], row[4]) for row in rows("effects.md", "areas")],
        "designs that took no part in any choice": [(row[1], row[5]) for row in rows("effects.md", "fresh")],
    }
    for k, ((name, cells), colour) in enumerate(zip(known.items(), (BLUE, ORANGE, GREEN), strict=True)):
        size = [int(n.replace(",", "")) * (0.96 + 0.04 * k) for n, _ in cells]
        values, errors = zip(*(estimate(cell) for _, cell in cells), strict=True)
        ax.errorbar(size, values, yerr=errors, fmt="o", color=colour, ms=4, lw=0.8, alpha=0.7, label=name)
    ax.axhspan(-0.02, 0.02, color="#e5e7eb", zorder=0)
    ax.set_xscale("log")
    ticks = sorted({int(n.replace(",", "")) for cells in known.values() for n, _ in cells} & {24, 50, 100, 300, 1000})
    ax.set_xticks(ticks, map(str, ticks), minor=False)
    ax.set_xticks([], minor=True)
    ax.set_xlabel("rows")
    ax.set_ylabel("bias")


def compare(ax: Axes) -> None:
    """Draw the share of alarms of each tool, by change."""
    names = {
        "kmerf": "kmerf",
        "evidently, any column": "evidently,\nany column",
        "alibi-detect, columns (Bonferroni)": "alibi-\ndetect",
        "nannyml, domain classifier": "nannyml",
        "frouros, MMD": "frouros",
    }
    head, *table = rows("compare.md", "rates_200", head=True)
    labels = ["unchanged: false alarms" if row[0] == "unchanged" else row[0] for row in table]
    heat(ax, labels, list(names.values()), [[row[head.index(name)] for name in names] for row in table])


def heat(ax: Axes, labels: list[str], names: list[str], cells: list[list[str]]) -> None:
    """Draw rates as shades of blue; a dash where there is none."""
    texts = [[cell.split()[0] if cell else "-" for cell in row] for row in cells]
    values = [[math.nan if text == "-" else float(text) for text in row] for row in texts]
    ax.imshow(values, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for i, line in enumerate(texts):
        for j, text in enumerate(line):
            ax.text(j, i, text, ha="center", va="center", color="white" if values[i][j] > 0.5 else "black", fontsize=9)
    ax.set_xticks(range(len(names)), names)
    ax.xaxis.tick_top()
    ax.set_yticks(range(len(labels)), labels)
    ax.tick_params(length=0)


def conditional(ax: Axes) -> None:
    """Draw how often true nulls are rejected, from the lowest rate to the highest."""
    known = {
        "smooth and additive functions of z": ("nulls", BLUE),
        "jumps and interactions": ("jumps", ORANGE),
        "few rows per value of z": ("strata", GREEN),
    }
    for name, (mark, colour) in known.items():
        rates = sorted(estimate(row[4]) for row in rows("conditional.md", mark))
        values, errors = zip(*rates, strict=True)
        at = [(k + 0.5) / len(values) for k in range(len(values))]
        ax.errorbar(at, values, yerr=errors, fmt="o", color=colour, ms=4, lw=0.8, label=name)
    ax.axhline(LEVEL, color=GREY, lw=1)
    ax.set_xticks([])
    ax.set_xlabel("designs in which x and y are independent given z, sorted")
    ax.set_ylabel("rejected at level 0.05")
    ax.set_ylim(bottom=0)


def blocks(ax: Axes) -> None:
    """Draw power beside that of the classical test."""
    table = rows("block-designs.md", "blocks")
    labels = [f"{row[0]} ({row[3]})" for row in table]
    dots(ax, labels, {"kmerf": [row[2] for row in table], "classical test": [row[5] for row in table]})
    ax.set_xlim(0.6, 1)
    ax.set_xlabel("power; the classical test in brackets")


def censored(ax: Axes) -> None:
    """Draw power beside that of Cox's model and of a survival forest."""
    table = rows("censored.md", "censored-power")
    named = {"kmerf": 2, "Cox": 3, "survival forest": 6}
    dots(
        ax,
        [f"{row[0]}, {row[1]} censored" for row in table],
        {k: [row[at] for row in table] for k, at in named.items()},
    )
    ax.set_xlim(0, 1)
    ax.set_xlabel("power")


def planning(ax: Axes) -> None:
    """Draw the median estimate against the true power."""
    for k, (size, colour) in enumerate(zip((50, 100, 200), (BLUE, ORANGE, GREEN), strict=True), 1):
        pairs = [tuple(map(float, row[k].split(" / "))) for row in rows("planning.md", "planning-kmerf")]
        ax.plot(*zip(*pairs, strict=True), "o", color=colour, ms=5, label=f"{size} rows")
    ax.plot([0, 1], [0, 1], color=GREY, lw=1, zorder=0)
    ax.set_xlabel("true power")
    ax.set_ylabel("median estimate from a pilot of 100 rows")
    ax.set_aspect("equal")


def kernels(ax: Axes) -> None:
    """Draw what single forests detect."""
    table = rows("kernels.md", "other-forests-power")
    named = {"simulated relations": 2, "real tables": 4}
    labels = [f"{row[0].removeprefix('no forest: ')} ({row[7]})" for row in table]
    dots(ax, labels, {name: [row[at] for row in table] for name, at in named.items()})
    ax.set_xlabel("share detected, numeric y; time of a test with 100 rows in brackets")


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


def recognition(ax: Axes) -> None:
    """Draw the rates of misses and of false alarms."""
    table = [row for row in rows("recognition.md", "row-order") if "(" in row[0]]
    for kind, shape, colour in (("misses", "o", BLUE), ("false alarms", "D", ORANGE)):
        chosen = [k for k, row in enumerate(table) if f"({kind})" in row[0]]
        rates = [[float(part) for part in f"{table[k][2]} ± 0".split(" ± ")[:2]] for k in chosen]
        shares, errors = zip(*rates, strict=True)
        ax.errorbar(shares, chosen, xerr=errors, fmt=shape, color=colour, ms=6, lw=1.2, label=kind)
    labels = [row[0].partition(" (")[0] for row in table]
    labels = [f"UCI and KEEL: {label}" if k == len(table) - 1 else label for k, label in enumerate(labels)]
    ax.set_yticks(range(len(table)), [label.replace("the same, ", "") for label in labels])
    ax.invert_yaxis()
    ax.set_xlim(left=-0.005)
    ax.set_xlabel("share of tables")


def kinds(ax: Axes) -> None:
    """Draw how often each kind is below 0.05, by what changes between groups."""
    table = rows("changes.md", "kinds-groups")
    heat(ax, [row[0] for row in table], ["level", "spread", "shape", "correlation"], [row[2:] for row in table])


PICTURES = {
    associations: 4.0,
    blocks: 4.4,
    censored: 3.8,
    compare: 4.0,
    conditional: 3.6,
    effects: 3.8,
    everyday: 4.2,
    kernels: 3.8,
    kinds: 4.6,
    planning: 4.4,
    recognition: 3.2,
    series: 4.4,
}


def main() -> None:
    """Draw all."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    for draw, size in PICTURES.items():
        figure, ax = plt.subplots(figsize=(7.6, size), layout="constrained")
        draw(ax)
        if draw not in (kinds, compare):
            ax.spines[["top", "right"]].set_visible(False)
            ax.grid(axis="both" if draw is planning else "x", color="#e5e7eb", zorder=0)
            ax.set_axisbelow(True)
            figure.legend(loc="outside upper right", ncols=4, frameon=False)
        figure.savefig(DOCS / "images" / f"{draw.__name__}.png", dpi=150)
        plt.close(figure)


if __name__ == "__main__":
    main()
