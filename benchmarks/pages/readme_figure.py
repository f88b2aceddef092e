"""Draw the README's picture, `docs/images/overview.png`, from one test with a fixed seed.

    python -m benchmarks.pages.readme_figure

Left, the data: y against the one feature of six that it depends on, with no linear correlation to speak of. Middle, the
observed statistic and those of the refitted permutations. Right, the importances and their intervals.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

import kmerf

OUT = Path(__file__).resolve().parents[2] / "docs" / "images" / "overview.png"
N, P, INFORMATIVE = 120, 6, 2

# From Okabe and Ito's palette: apart for every kind of colour vision, and in lightness.
BLUE, ORANGE, GREY = "#0072b2", "#d55e00", "#9a9a9a"


def data() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    rng = np.random.default_rng(4)
    x = rng.uniform(-1, 1, size=(N, P))
    return x, relation(x[:, INFORMATIVE]) + 0.5 * rng.normal(size=N)


def relation(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.cos(1.5 * np.pi * x))


def draw(x: NDArray[np.float64], y: NDArray[np.float64], result: kmerf.Result) -> Figure:
    figure = Figure(figsize=(10.5, 3.4), dpi=200, layout="constrained")
    figure.get_layout_engine().set(w_pad=0.1)
    left, middle, right = figure.subplots(1, 3, width_ratios=[1, 1.15, 1])
    draw_data(left, x[:, INFORMATIVE], y)
    draw_null(middle, result)
    draw_importances(right, result)
    for ax in (left, middle, right):
        ax.spines[["top", "right"]].set_visible(False)
        ax.set_title(ax.get_title(loc="left"), loc="left", fontsize=11, fontweight="bold")
        ax.tick_params(labelsize=9)
    return figure


def draw_data(ax: Axes, x: NDArray[np.float64], y: NDArray[np.float64]) -> None:
    grid = np.linspace(-1, 1, 200)
    ax.plot(grid, relation(grid), color=ORANGE, lw=2, zorder=1, label="mean of y")
    ax.scatter(x, y, s=16, color=BLUE, edgecolors="white", linewidths=0.4, zorder=2)
    ax.set(
        xlabel=f"x{INFORMATIVE + 1} (one of {P} features; {N} rows)", ylabel="y", ylim=(y.min() - 0.2, y.max() + 0.7)
    )
    r = f"{np.corrcoef(x, y)[0, 1]:.2f}".replace("-", "\N{MINUS SIGN}")
    ax.set_title(f"Data: linear correlation {r}", loc="left")
    ax.legend(loc="upper right", bbox_to_anchor=(1.02, 1.0), frameon=False, fontsize=9, handlelength=1.4)


def draw_null(ax: Axes, result: kmerf.Result) -> None:
    permuted = result.null.distribution
    assert permuted is not None
    heights, _, _ = ax.hist(permuted, bins=30, color=GREY, edgecolor="white", linewidth=0.4)
    top = float(np.max(heights))
    ax.vlines(result.statistic, 0, 0.8 * top, color=ORANGE, lw=2.5)
    sign = "=" if result.null.bound is None else "≤"
    label = f"observed\n{result.statistic:.3f}\np {sign} {result.pvalue:.3f}"
    ax.text(result.statistic, 0.82 * top, label, color=ORANGE, ha="center", va="bottom", fontsize=9)
    told = f"{permuted.size} permutations of y,\nforests grown again"
    ax.text(0.5 * (np.median(permuted) + result.statistic), 0.5 * top, told, ha="center", fontsize=9)
    ax.set_xlim(permuted.min() - 0.2, result.statistic + 1.0)
    ax.set(xlabel="soft maximum of the scores", ylabel="permutations")
    ax.set_title("Statistic against its null", loc="left")


def draw_importances(ax: Axes, result: kmerf.Result) -> None:
    table = result.importances
    assert table is not None
    order = np.argsort(table.mean)
    place = np.arange(order.size)
    colours = [ORANGE if i == INFORMATIVE else BLUE for i in order]
    ax.hlines(place, table.low[order], table.high[order], color=colours, lw=2.5, alpha=0.45)
    ax.scatter(table.mean[order], place, color=colours, s=32, zorder=2)
    ax.set_yticks(place, [table.names[i] for i in order])
    ax.set(xlim=(min(-0.1, float(table.low.min())), 1), ylim=(-0.6, order.size - 0.4))
    ax.set_xlabel("share of the variance lost if shuffled")
    ax.text(0.97, 0.2, "dot: mean over trees\nline: 95 % interval", transform=ax.transAxes, ha="right", fontsize=9)
    ax.set_title("Importance of each feature", loc="left")


def main() -> None:
    x, y = data()
    result = kmerf.independence(x, y, null=kmerf.Permutation(999), rng=1)
    print(result)
    OUT.parent.mkdir(parents=True, exist_ok=True)
    draw(x, y, result).savefig(OUT)


if __name__ == "__main__":
    main()
