"""Power against rows, from a pilot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from kmerf.figures.canvas import axes_for, figure_of
from kmerf.figures.style import COLOURS, GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from kmerf.results.power_curve import PowerCurve


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
