"""The tables and figures of docs/importance.md, from what `importance.py` found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from benchmarks.pages import marks
from benchmarks.pages.marks import DOCS, table
from kmerf.simulations import SIMULATIONS

INK, BAND = "#1f4e79", "#9dbad5"
MIN_DATA_SETS = 40  # a kind of data with fewer is not shown


def write(found: Path) -> None:
    """Rewrite the parts of the page that there are results for, and the figures."""
    parts = {}
    sections = {
        "null": _null,
        "found": _found,
        "losses": _losses,
        "order": _order,
        "coverage": _coverage,
        "figure": _figure,
    }
    for part, section in sections.items():
        path = found / f"{part}.json"
        if path.exists():
            parts[part] = section(json.loads(path.read_text()))
    marks.write(DOCS / "importance.md", parts)


def _kinds(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    kinds = {kind: [row for row in rows if row["kind"] == kind] for kind in dict.fromkeys(row["kind"] for row in rows)}
    return {kind: some for kind, some in kinds.items() if len(some) >= MIN_DATA_SETS}


def _error(share: float, size: int) -> str:
    return f"{share:.3f} ± {np.sqrt(max(share * (1 - share), 1e-12) / size):.3f}"


def _mean(values: Any) -> str:
    return f"{values.mean():.3f} ± {values.std(ddof=1) / np.sqrt(len(values)):.3f}"


def _null(rows: list[dict[str, Any]]) -> str:
    heads = ["features", "y", "p", "data sets", "family", "FDR", "p <= 0.05", "p <= 0.01"]
    lines = []
    kinds = _kinds(rows)
    for kind, some in (kinds | {"all, , ": [row for row in rows if row["kind"] in kinds]}).items():
        size, single = len(some), np.mean([row["single"] for row in some], axis=0)
        called = (np.mean([row[key] <= 0.05 for row in some]) for key in ("family", "fdr"))
        numbers = (f"{single[0]:.4f}", f"{single[1]:.4f}")
        lines.append([*kind.split(", "), str(size), *(_error(float(share), size) for share in called), *numbers])
    return table(heads, lines)


def _found(rows: list[dict[str, Any]]) -> str:
    heads = ["real", "data sets", "family", "any false", "FDR", "false"]
    lines = []
    for kind, some in _kinds(rows).items():
        family, fdr = (np.array([row[key] for row in some]) for key in ("family", "fdr"))
        cells = [kind, str(len(some)), _mean(family[:, 0]), _error(float((family[:, 1] > 0).mean()), len(some))]
        cells += [_mean(fdr[:, 0]), _mean(fdr[:, 1] / np.maximum(fdr[:, 2], 1))]
        lines.append([*cells, f"{np.mean([row['single'] for row in some]):.4f}"])
    return table([*heads, "others, p <= 0.05"], lines)


def _losses(rows: list[dict[str, Any]]) -> str:
    lines = []
    for kind, some in _kinds(rows).items():
        at, low, high = np.array([row["first"] for row in some]).T
        truth, width, perfect = at.mean(), (high - low).mean(), 2 * 1.96 * at.std(ddof=1)
        holds = _error(float(((low <= truth) & (truth <= high)).mean()), len(some))
        last, lowest, _ = np.array([row["last"] for row in some]).T
        above = _error(float((lowest > 0.0).mean()), len(some))
        numbers = (f"{truth:.3f}", holds, f"{width:.3f}", f"{perfect:.3f}", f"{last.mean():.4f}", above)
        lines.append([*kind.split(", "), str(len(some)), *numbers])
    heads = ["y", "n", "data sets", "mean loss", "coverage", "width", "perfect", "mean loss, last", "above 0, last"]
    return table(heads, lines)


def _order(rows: list[dict[str, Any]]) -> str:
    lines = []
    for kind, some in _kinds(rows).items():
        means, lines_of = (np.array([row[key] for row in some]) for key in ("mean", "slopes"))
        first = [_error(float((each[:, 0] > each[:, 1]).mean()), len(some)) for each in (means, lines_of)]
        apart = f"{np.mean([row['apart'] for row in some]):.3f}"
        lines.append([*kind.split(", "), *(_mean(column) for column in means.T), *first, apart])
    heads = ["y", "share, binary", "share, normal", "binary", "normal", "binary noise", "normal noise"]
    return table([*heads, "binary first", "by t", "intervals apart"], lines)


def _coverage(rows: list[dict[str, Any]]) -> str:
    lines = []
    for kind, some in _kinds(rows).items():
        at, low, high = (np.array([row[key] for row in some]) for key in ("at", "low", "high"))
        truth, width, perfect = at.mean(), (high - low).mean(), 2 * 1.96 * at.std(ddof=1)
        holds = _error(float(((low <= truth) & (truth <= high)).mean()), len(some))
        widths = (f"{width:.3f}", f"{perfect:.3f}", f"{width / perfect:.2f}")
        lines.append([*kind.split(", "), str(len(some)), f"{truth:.3f}", holds, *widths])
    return table(["y", "n", "data sets", "mean correlation", "coverage", "width", "perfect", "ratio"], lines)


def _figure(rows: list[dict[str, Any]]) -> str:
    """Draw the figures, and return over how many data sets."""
    for question in ("independence", "ksample"):
        figure(rows, question).savefig(DOCS / "images" / f"importance_{question}.png")
    return str(len(next(iter(_kinds(rows).values()))))


def figure(rows: list[dict[str, Any]], question: str) -> Figure:
    """Draw the importances of all simulations."""
    picture = Figure(figsize=(11.5, 9.0), dpi=130, layout="constrained")
    for ax, (name, simulation) in zip(picture.subplots(4, 5, sharey=True).flat, SIMULATIONS.items(), strict=True):
        found = np.array([row["importance"] for row in rows if row["kind"] == f"{name}/{question}"])
        at = np.arange(1, found.shape[1] + 1)
        mean, half = found.mean(axis=0), 1.984 * found.std(axis=0, ddof=1) / np.sqrt(len(found))
        low, high = np.percentile(found, [2.5, 97.5], axis=0)
        ax.fill_between(at, low, high, color=BAND, alpha=0.45, linewidth=0, label="middle 95 % of data sets")
        ax.fill_between(at, mean - half, mean + half, color=BAND, linewidth=0, label="95 % interval of the mean")
        ax.plot(at, mean, color=INK, linewidth=1.6, marker="o", markersize=3, label="mean")
        ax.set_title(simulation.title, fontsize=9.5)
        ax.set_xticks(at)
        ax.set_ylim(0, 1)
        ax.tick_params(labelsize=8)
        ax.spines[["top", "right"]].set_visible(False)
    handles, labels = picture.axes[0].get_legend_handles_labels()
    picture.legend(handles, labels, loc="outside upper center", ncols=3, frameon=False, fontsize=9)
    picture.supxlabel("feature", fontsize=10)
    picture.supylabel("importance (share of the gain)", fontsize=10)
    return picture
