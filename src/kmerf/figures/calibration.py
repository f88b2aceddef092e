"""Are p-values of true nulls what they should be? A picture of their lower tail, where decisions are made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kmerf.core.level import LEVEL
from kmerf.figures.style import COLOURS

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_tail(pvalues: Mapping[str, NDArray[np.float64]], *, lowest: float = 1e-3, title: str = "") -> Figure:
    """Draw the share of p-values at or below each level against the level, both on a logarithmic scale.

    A test that keeps its level follows the diagonal; above it there are too many rejections. The grey band holds 95 %
    of what chance gives a test that keeps its level exactly, for the smallest number of p-values drawn.

    >>> figure = plot_tail({"uniform": np.random.default_rng(0).uniform(size=500)})
    >>> figure.axes[0].get_xlabel()
    'level'
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.4, 4.0), layout="constrained", dpi=150)
    ax = figure.subplots()
    levels = np.geomspace(lowest, 1.0, 200)
    size = min(values.size for values in pvalues.values())
    half = 1.96 * np.sqrt(levels * (1 - levels) / size)
    floor = lowest / 4
    ax.fill_between(levels, np.maximum(levels - half, floor), levels + half, color="#dddddd", linewidth=0)
    ax.plot([lowest, 1], [lowest, 1], color="#777777", linewidth=1)
    for (name, values), colour in zip(pvalues.items(), COLOURS, strict=False):
        share = np.searchsorted(np.sort(values), levels, side="right") / values.size
        ax.plot(levels, np.where(share > 0, share, np.nan), color=colour, linewidth=1.8, label=name)
    for level in (0.01, LEVEL):
        ax.axvline(level, color="#bbbbbb", linewidth=0.8, linestyle=":")
    ax.set(xscale="log", yscale="log", xlim=(lowest, 1), ylim=(floor, 1.1), xlabel="level", ylabel="share rejected")
    ax.set_title(title, fontsize=10)
    ax.legend(frameon=False, fontsize=8, loc="lower right")
    ax.spines[["top", "right"]].set_visible(False)
    return figure
