"""A screen at a glance: the p-value of every column in its place, those selected with their names.

Power against rows, from a pilot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter
from numpy.typing import NDArray

from kmerf.core.errors import whole
from kmerf.core.safe_text import short
from kmerf.figures.canvas import CHOSEN, COLOURS, GREY, axes_for, figure_of, label
from kmerf.show.numbers import PLAIN

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from kmerf.results.power_curve import PowerCurve
    from kmerf.results.screen_result import Screen

_DARK = "#5b6770"
_WIDEST = 18  # letters of a name
_NAMED = 40  # columns that can each have their name on the axis


def plot_screen(result: Screen, *, labels: int = 20, ax: Axes | None = None) -> Figure:
    """Draw -log10 of the p-values in the order of the columns, and the p-value up to which columns are selected.

    Of the selected columns the `labels` with the smallest p-values are named. A triangle is a p-value from a model of
    the tail; a cross on the axis is a column that could not be tested.

    >>> import kmerf
    >>> x = np.random.default_rng(0).normal(size=(30, 4))
    >>> figure = plot_screen(kmerf.screen(x, x[:, 0], method=kmerf.rivals.Dcorr(), rng=1))
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['x1']
    """
    whole("labels", labels, at_least=0)
    size = len(result)
    ax = axes_for(ax, (9.0, 4.4))
    heights = -np.log10(np.maximum(result.pvalues, 1e-300))
    chosen = result.adjusted_bh <= result.fdr
    _points(ax, heights, ~chosen & ~np.isnan(heights), result.extrapolated, _DARK, 1.0 if size <= 500 else 0.5)
    _points(ax, heights, chosen, result.extrapolated, CHOSEN, 1.0)
    failed = np.flatnonzero(np.isnan(heights))
    ax.scatter(failed + 1, np.zeros(failed.size), marker="x", s=18, color=GREY, linewidths=0.9, clip_on=False)
    line = -float(np.log10(result.threshold))
    ax.axhline(line, color=CHOSEN, linewidth=1.0, linestyle="--", zorder=0)
    top = max(float(np.nanmax(heights)), line, 1.0)
    ax.set(xlim=(0.5 - 0.02 * size, 1.02 * size + 0.5), ylim=(0.0, 1.18 * top))
    _label(ax, result, heights, labels)
    _axes(ax, result)
    _legend(ax, result)
    return figure_of(ax)


def _points(
    ax: Axes,
    heights: NDArray[np.float64],
    shown: NDArray[np.bool_],
    model: NDArray[np.bool_],
    colour: str,
    alpha: float,
) -> None:
    area = float(np.clip(2500.0 / heights.size, 4.0, 36.0))
    for marker, some in (("o", shown & ~model), ("^", shown & model)):
        at = np.flatnonzero(some)
        dots = ax.scatter(at + 1, heights[at], s=area, marker=marker, color=colour, alpha=alpha, linewidths=0)
        dots.set_rasterized(heights.size > 5000)


def _label(ax: Axes, result: Screen, heights: NDArray[np.float64], most: int) -> None:
    """Name the best of the selected columns; a name that would cover a point or another name moves up."""
    place = {name: i for i, name in enumerate(result.names)}
    named = result.selected[:most]
    high = ax.get_ylim()[1]
    left, right = ax.get_xlim()
    at = [(place[name] + 1.0, heights[place[name]]) for name in result.selected[:500]]
    taken = [(x, 0.0, y - 0.012 * high, y + 0.012 * high) for x, y in at]  # middle, half width, bottom and top
    for name, (x, y) in zip(named, at, strict=False):
        half = 0.0048 * (len(short(name, _WIDEST)) + 2) * (right - left)
        bottom = y + 0.02 * high
        while any(abs(x - u) < half + w and bottom < end and bottom + 0.036 * high > low for u, w, low, end in taken):
            bottom += 0.012 * high
        taken.append((x, half, bottom, bottom + 0.036 * high))
        leader: dict[str, Any] = {"arrowstyle": "-", "color": "#cccccc", "linewidth": 0.6, "shrinkA": 0, "shrinkB": 2}
        text: dict[str, Any] = {"ha": "center", "va": "bottom", "fontsize": 7.5, "color": "#222222"}
        ax.annotate(label(name, _WIDEST), (x, y), (x, bottom), arrowprops=leader, **text)
    ax.set_ylim(0.0, max([high, *(end + 0.02 * high for _, _, _, end in taken)]))


def _legend(ax: Axes, result: Screen) -> None:
    from matplotlib.lines import Line2D

    entries: list[tuple[Any, dict[str, Any], str]] = [
        (
            True,
            {"color": CHOSEN, "linestyle": "--", "linewidth": 1.0},
            f"selected up to {PLAIN.p_is(result.threshold)}",
        ),
        (result.extrapolated.any(), {"color": GREY, "linestyle": "", "marker": "^"}, "p from a model of the tail"),
        (result.errors, {"color": GREY, "linestyle": "", "marker": "x"}, "not tested"),
    ]
    handles = [Line2D([], [], label=words, markersize=5, **style) for some, style, words in entries if some]
    ax.legend(handles=handles, loc="upper right", bbox_to_anchor=(1.0, -0.12), ncols=len(handles), frameon=False)


def _axes(ax: Axes, result: Screen) -> None:
    size, chosen = len(result), len(result.selected)
    what = "set" if "sets" in result.settings else "column"
    if size <= _NAMED:
        long = max(map(len, result.names)) * size > 110
        names = [label(name, _WIDEST) for name in result.names]
        ax.set_xticks(np.arange(1, size + 1), names, rotation=60 if long else 0, ha="right" if long else "center")
    ax.set_xlabel(what if size <= _NAMED else f"{what}, in the order given")
    ax.set_ylabel("-log10 p-value")
    failed = f"; {len(result.errors)} not tested" if result.errors else ""
    title = f"{result.method}: {chosen} of {result.tested} selected at a false discovery rate of {result.fdr:g}{failed}"
    ax.set_title(title, fontsize=10)
    ax.tick_params(labelsize=8)
    ax.spines[["top", "right"]].set_visible(False)


def plot_power_curve(curve: PowerCurve, *, ax: Axes | None = None) -> Figure:
    """Draw a power curve with its interval, the target, and the shares found in parts of the pilot."""
    ax = axes_for(ax, (5.2, 3.4))
    sizes, power, low, high = curve.fine
    band = f"{curve.confidence:.0%} interval"
    ax.fill_between(sizes, low, high, color=COLOURS[0], alpha=0.15, linewidth=0, label=band)
    ax.plot(sizes, power, color=COLOURS[0], linewidth=2, label="power")
    parts = curve.tried_sizes < curve.n  # the pilot itself is found or not, which is no share
    tried = curve.tried_sizes[parts], curve.tried_power[parts]
    ax.plot(*tried, "o", color=COLOURS[1], markersize=4, label="parts of the pilot", zorder=3)
    ax.axhline(curve.target, color=GREY, linewidth=0.8, linestyle="--")
    ax.axhline(curve.level, color=GREY, linewidth=0.8, linestyle=":")
    ax.axvline(curve.n, color=GREY, linewidth=0.8, label="rows of the pilot")
    rows = curve.needed.rows
    if curve.conclusive:
        ax.plot([rows], [curve.target], "D", color=COLOURS[0], markersize=6)
        ax.annotate(f"{rows:,.0f}", (rows, curve.target), textcoords="offset points", xytext=(6, -12), fontsize=9)
    ax.set(xscale="log", xlabel="rows", ylabel=f"power at level {curve.level:g}", ylim=(-0.03, 1.03))
    ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.legend(frameon=False, fontsize=8, loc="lower right")
    return figure_of(ax)
