"""The tables and figures of docs/importance.md, from what `importance.py` found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import marks
import numpy as np
from marks import DOCS, table
from matplotlib.figure import Figure

from kmerf.simulations import SIMULATIONS

LEVELS = (0.05, 0.01, 0.001)
INK, BAND = "#1f4e79", "#9dbad5"


def write(found: Path) -> None:
    """Rewrite the parts of the page that there are results for, and the figures."""
    parts = {}
    for part, section in (("null", _null), ("found", _found), ("coverage", _coverage), ("figure", _figure)):
        path = found / f"{part}.json"
        if path.exists():
            parts[part] = section(json.loads(path.read_text()))
    marks.write(DOCS / "importance.md", parts)


def _kinds(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    return {kind: [row for row in rows if row["kind"] == kind] for kind in dict.fromkeys(row["kind"] for row in rows)}


def _error(share: float, size: int) -> str:
    return f"{share:.3f} ± {np.sqrt(max(share * (1 - share), 1e-12) / size):.3f}"


def _null(rows: list[dict[str, Any]]) -> str:
    heads = ["y", "data sets", *(f"family {level}" for level in LEVELS), "FDR 0.05"]
    lines = []
    for kind, some in _kinds(rows).items():
        family, single = np.array([row["family"] for row in some]), np.concatenate([row["single"] for row in some])
        cells = [_error(float((family <= level).mean()), len(some)) for level in LEVELS]
        cells.append(_error(float(np.mean([row["fdr"] <= 0.05 for row in some])), len(some)))
        cells += [f"{(single <= level).mean():.4f}" for level in LEVELS]
        lines.append([kind, str(len(some)), *cells])
    return table([*heads, *(f"single {level}" for level in LEVELS)], lines)


def _found(rows: list[dict[str, Any]]) -> str:
    heads = ["y", "data sets", "all three called", "each", "any noise called", "a noise feature called"]
    lines = []
    for kind, some in _kinds(rows).items():
        size = len(some)
        false, false_fdr = np.array([row["false"] for row in some]), np.array([row["false_fdr"] for row in some])
        called = false_fdr.sum(axis=1) + 3
        each = " ".join(f"{share:.2f}" for share in np.mean([row["each"] for row in some], axis=0))
        cells = [
            _error(float(np.mean([row["all"] for row in some])), size),
            each,
            _error(float(false.any(axis=1).mean()), size),
            f"{false.mean():.4f}",
            _error(float(np.mean([row["all_fdr"] for row in some])), size),
            f"{(false_fdr.sum(axis=1) / called).mean():.4f}",
            f"{np.mean([row['single'] for row in some]):.4f}",
        ]
        lines.append([kind, str(size), *cells])
    return table([*heads, "all three (FDR)", "share of false (FDR)", "noise, p <= 0.05"], lines)


def _coverage(rows: list[dict[str, Any]]) -> str:
    lines = []
    for kind, some in _kinds(rows).items():
        at, low, high = (np.array([row[key] for row in some]) for key in ("at", "low", "high"))
        truth = at.mean()
        holds = _error(float(((low <= truth) & (truth <= high)).mean()), len(some))
        widths = [f"{(high - low).mean():.3f}", f"{2 * 1.96 * at.std(ddof=1):.3f}"]
        lines.append([kind, str(len(some)), f"{truth:.3f}", holds, *widths])
    return table(["y", "data sets", "mean correlation", "holds it", "width", "perfect"], lines)


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
