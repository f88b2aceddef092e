"""Figure 4 A and B of the paper, and the numbers of docs/peptides.md, from what `peptides.py` found."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from peptides import COMPARISONS, FDR, MARKER, SELECTIONS, TREES, Data, Votes, classified, methods, selected

sys.path.append(str(Path(__file__).resolve().parents[1]))
from benchmarks.pages import marks

GREY, CHOSEN, MARK = "#8a9ba8", "#0072b2", "#d55e00"
PValues = dict[str, list[float]]


def draw(data: Data, found: PValues, selection: str) -> dict[str, Figure]:
    """Return the two figures by the names of their files."""
    return {
        "peptides_pvalues.png": draw_pvalues(data, found, selection),
        "peptides_neighbours.png": draw_votes(classified(data, found, selection)),
    }


def draw_pvalues(data: Data, found: PValues, selection: str) -> Figure:
    """Draw the p-value against all others over the one against normal, for three methods."""
    names = [name for name in ("KMERF", "default screen", "HHG") if f"{selection}/all/{name}" in found]
    figure = Figure(figsize=(3.9 * len(names), 3.9), layout="constrained", dpi=150)
    for ax, name in zip(figure.subplots(1, len(names), squeeze=False).flat, names, strict=True):
        _scatter(ax, data, *(found[f"{selection}/{comparison}/{name}"] for comparison in COMPARISONS))
        ax.set_title(name, fontsize=10, loc="left")
    return figure


def _scatter(ax: Axes, data: Data, normal: list[float], everyone: list[float]) -> None:
    chosen = [set(selected(values)) for values in (normal, everyone)]
    colours = [MARK if j in chosen[1] else CHOSEN if j in chosen[0] else GREY for j in range(len(normal))]
    order = np.argsort([c != GREY for c in colours], kind="stable")
    ax.scatter(np.array(normal)[order], np.array(everyone)[order], s=14, c=np.array(colours)[order], linewidths=0)
    best = sorted(chosen[1], key=lambda j: everyone[j])[:3]  # more names would cover each other
    marker = [data.names.index(MARKER)] if MARKER in data.names else []
    for place, j in enumerate(dict.fromkeys([*best, *marker])):
        label = "neurogranin" if data.names[j] == MARKER else data.names[j][:10]
        left = place < 2 and normal[j] > 1e-4 * 10**place  # so that neighbours do not cover each other
        style = {"ha": "right" if left else "left", "textcoords": "offset points", "fontsize": 7}
        ax.annotate(label, (normal[j], everyone[j]), (-5 if left else 5, 2 if left else 4), **style)
    for values, line in ((normal, ax.axvline), (everyone, ax.axhline)):
        cut = max((values[j] for j in selected(values)), default=FDR / len(values))
        line(cut, color="#bbbbbb", linewidth=0.8, linestyle="--", zorder=0)
    ax.set(xscale="log", yscale="log", xlabel="p, against normal", ylabel="p, against all others")
    ax.tick_params(labelsize=8)
    ax.spines[["top", "right"]].set_visible(False)


def draw_votes(votes: dict[str, Votes | None]) -> Figure:
    """Draw true and false positives of each method's selection."""
    figure = Figure(figsize=(6.4, 3.2), layout="constrained", dpi=150)
    ax = figure.subplots()
    for at, (name, vote) in enumerate(votes.items()):
        del name
        if vote is None:
            ax.text(at, 0.1, "none\nselected", ha="center", va="bottom", fontsize=7, color="#666666")
            continue
        for shift, count, colour in ((-0.19, vote.true_positives, CHOSEN), (0.19, vote.false_positives, MARK)):
            ax.bar(at + shift, count, width=0.36, color=colour)
            ax.text(at + shift, count, str(count), ha="center", va="bottom", fontsize=7.5)
    ax.set_xticks(range(len(votes)), [name.replace(" ", "\n") for name in votes], fontsize=8)
    ax.set_ylabel("rows")
    ax.margins(y=0.15)
    ax.set_xlim(-0.6, len(votes) - 0.4)
    ax.bar(0, 0, color=CHOSEN, label="true positives")
    ax.bar(0, 0, color=MARK, label="false positives")
    figure.legend(loc="outside upper center", ncols=2, frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
    return figure


def write(data: Data, found: PValues) -> None:
    """Write the page and its figures."""
    for name, figure in draw(data, found, "as coded").items():
        figure.savefig(marks.DOCS / "images" / name)
    marks.write(marks.DOCS / "peptides.md", parts(data, found))


def parts(data: Data, found: PValues) -> dict[str, str]:
    """Return the parts of docs/peptides.md that are computed, by their marks."""
    counts = {group: int((data.group == group).sum()) for group in dict.fromkeys(data.group.tolist())}
    groups = ", ".join(f"{group} {size}" for group, size in counts.items())
    return {
        "samples": f"{len(data.group)} blood samples ({groups}), {len(data.names)} peptides",
        "fdr": f"{FDR}",
        "trees": f"{TREES}",
        "selected": "\n".join(_selected_table(found)),
        "named": "\n".join(_named(data, found)),
        "rows": "\n".join(f"- *{name}*: {what}." for name, what in SELECTIONS.items()),
        "votes": "\n".join(_votes_table(data, found)),
        "claims": "\n".join(_compared(data, found)),
    }


def _selected_table(found: PValues) -> list[str]:
    names = list(methods())
    lines = ["| rows | against | " + " | ".join(names) + " |", "|---|---|" + "---|" * len(names)]
    for selection in SELECTIONS:
        for comparison in COMPARISONS:
            keys = [f"{selection}/{comparison}/{name}" for name in names]
            cells = [str(len(selected(found[key]))) if key in found else "-" for key in keys]
            lines.append(f"| {selection} | {comparison} | " + " | ".join(cells) + " |")
    return lines


def _named(data: Data, found: PValues) -> list[str]:
    """Name what is selected against all others, and say where neurogranin stands."""
    lines = ["| rows | method | selected | neurogranin |", "|---|---|---|---|"]
    place = data.names.index(MARKER)
    for selection in SELECTIONS:
        for name in methods():
            values = found.get(f"{selection}/all/{name}")
            if values is None:
                continue
            chosen = selected(values)
            shown = [f"{_short(data.names[j])} ({values[j]:.1e})" for j in chosen[:6]]
            more = f" and {len(chosen) - 6} more" if len(chosen) > 6 else ""
            rank = 1 + int((np.array(values) < values[place]).sum())
            lines.append(f"| {selection} | {name} | {', '.join(shown) or 'none'}{more} | {values[place]:.1e}, {rank} |")
    return lines


def _short(name: str) -> str:
    return "neurogranin" if name == MARKER else name if len(name) <= 14 else name[:13] + "…"


def _votes_table(data: Data, found: PValues) -> list[str]:
    names = list(methods())
    lines = ["| rows | pancreatic | " + " | ".join(names) + " |", "|---|---|" + "---|" * len(names)]
    for selection in SELECTIONS:
        votes = classified(data, found, selection)
        positive = int(data.choose(selection, "all")[1].sum())
        cells = []
        for name in names:
            vote = votes.get(name)
            told = "none selected" if name in votes else "-"
            cells.append(told if vote is None else f"{vote.true_positives} / {vote.false_positives} ({vote.k})")
        lines.append(f"| {selection} | {positive} | " + " | ".join(cells) + " |")
    return lines


def _compared(data: Data, found: PValues) -> list[str]:
    """Say in words what came out, from the numbers."""
    everyone = found["as coded/all/KMERF"]
    chosen = [_short(data.names[j]) for j in selected(everyone)]
    place = data.names.index(MARKER)
    p = everyone[place]
    by = [name for name in methods() if place in selected(found.get(f"as coded/all/{name}", []) or [1.0])]
    told = (
        "The paper reports that KMERF selects neurogranin and nothing else. With valid p-values KMERF selects "
        f"{', '.join(chosen) if chosen else 'no peptide'} against all others; neurogranin's p-value is {p:.1e}, where "
        f"a peptide selected alone needs {FDR / len(data.names):.1e}. "
        + (f"Neurogranin is selected by {', '.join(by)}." if by else "No method selects neurogranin.")
        + " The published KMERF p-values are from a chi-square approximation that does not hold for groups "
        "([False-positive rates](validity.md)). KMERF and the default screen use the ranks of a peptide, the other "
        "tests its values. There is no ground truth, so the number of selected peptides does not measure how many are "
        "real."
    )
    return textwrap.wrap(told, 120)
