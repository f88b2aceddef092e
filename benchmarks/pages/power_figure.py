"""The power study at a glance: a square for every test and kind of data, and our distance to the best other test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ABOVE, BELOW, INK = "#0072b2", "#d55e00", "#1a1a1a"


@dataclass(frozen=True)
class Block:
    """Lines that belong together: the powers of all tests, by the title of the line."""

    title: str
    rows: dict[str, list[float]]


def draw(tests: Sequence[str], rivals: Sequence[int], blocks: Sequence[Block], path: Path, margin: float) -> None:
    """Draw the powers of all tests, of which the first is ours; `rivals` are the places of those to compare it with."""
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    colours = LinearSegmentedColormap.from_list("power", ["#fbfbf8", "#c9dcea", "#5b9bc8", "#0b3c68"])
    sizes = [len(block.rows) for block in blocks]
    width = len(tests)
    figure = Figure(figsize=(9.6, 0.3 * sum(sizes) + 0.55 * len(blocks) + 0.9), dpi=150, layout="constrained")
    axes = figure.subplots(len(blocks), 2, squeeze=False, height_ratios=sizes, width_ratios=[width, 2.6])
    values = [np.array(list(block.rows.values())) for block in blocks]
    gaps = [each[:, 0] - each[:, list(rivals)].max(axis=1) for each in values]
    reach = max(0.1, 1.15 * max(float(np.abs(gap).max()) for gap in gaps))
    for (heat, bars), block, powers, gap in zip(axes, blocks, values, gaps, strict=True):
        lines = len(powers)
        heat.imshow(powers, cmap=colours, vmin=0, vmax=1, aspect="auto")
        for i, j in np.ndindex(*powers.shape):
            best = j in rivals and powers[i, j] == powers[i, list(rivals)].max()
            heat.text(
                j,
                i,
                f"{powers[i, j]:.2f}",
                ha="center",
                va="center",
                fontsize=8,
                color="white" if powers[i, j] > 0.62 else INK,
                fontweight="bold" if best or j == 0 else "normal",
            )
        heat.set_xticks(np.arange(-0.5, width), minor=True)
        heat.set_yticks(np.arange(-0.5, lines), minor=True)
        heat.grid(which="minor", color="white", linewidth=1.2)
        heat.tick_params(which="both", length=0, labelsize=8.5)
        heat.spines[:].set_visible(False)
        heat.add_patch(
            Rectangle((-0.5, -0.5), 1, lines, fill=False, edgecolor=INK, linewidth=2, clip_on=False, zorder=5)
        )
        heat.set_yticks(range(lines), list(block.rows))
        heat.set_xticks(range(width), [test.replace(" ", "\n") for test in tests])
        heat.xaxis.tick_top()
        heat.get_xticklabels()[0].set_fontweight("bold")
        if block is not blocks[0]:
            heat.set_xticklabels([])
        for k, label in enumerate(block.rows):
            if label == "mean":
                heat.get_yticklabels()[k].set_fontweight("bold")
                for ax in (heat, bars):
                    ax.axhline(k - 0.5, color=INK, linewidth=1.2)
        heat.set_title(block.title, fontsize=9.5, loc="left", fontweight="bold", pad=8)
        bars.barh(range(lines), gap, color=[ABOVE if each >= 0 else BELOW for each in gap], height=0.66)
        for k, each in enumerate(gap):
            bars.annotate(
                f"{each:+.2f}".replace("-", "−"),
                (each if each >= 0 else min(each, -margin), k),  # clear of the dashed line
                (3 if each >= 0 else -3, 0),
                textcoords="offset points",
                ha="left" if each >= 0 else "right",
                va="center",
                fontsize=7.5,
            )
        bars.axvline(0, color=INK, linewidth=0.9)
        bars.axvline(-margin, color="#888888", linewidth=0.9, linestyle=(0, (4, 3)))
        bars.set_xlim(-1.35 * reach, 1.35 * reach)
        bars.set_ylim(lines - 0.5, -0.5)
        bars.set_xticks([])
        bars.set_yticks([])
        bars.spines[:].set_visible(False)
        if block is blocks[0]:
            bars.set_title(f"{tests[0]} − best other test", fontsize=9)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, facecolor="white")
