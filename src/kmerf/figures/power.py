"""Power curves: one panel a simulation, one line a test, with Monte Carlo intervals; the paper's Figures 1 and 2.

Lines differ in colour, marker and dash, so they can be told apart in grey and by the colour-blind (Okabe and Ito's
palette). The first test of the study is drawn last and thickest.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kmerf import study
from kmerf.core.errors import InputError, choose
from kmerf.figures.style import MARKERS
from kmerf.simulations import SIMULATIONS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOURS = ("#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
_DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))
_LABELS = {"p": "dimension p", "n": "sample size n"}


def plot_study(
    plan: study.Study, path: str | os.PathLike[str], *, against: str = "p", rules: dict[str, str] | None = None
) -> Figure:
    """Draw the power of every test of a study from its store, against dimension ("p") or sample size ("n").

    A test is drawn by the empirical null unless `rules` names "pvalue" for it: `{"Dcorr": "pvalue"}`.
    """
    return plot_power(study.power(plan, path), against=against, rules=rules)


def plot_power(
    found: Sequence[study.Power], *, against: str = "p", rules: dict[str, str] | None = None, columns: int = 5
) -> Figure:
    """Draw powers, one panel for each simulation.

    >>> from kmerf.study import Power, Simulated
    >>> cells = [Power("KMERF", Simulated("linear", p=p), "pvalue", 0.05, 9, p, 0.1, (0, 1), (0, 1)) for p in (3, 5)]
    >>> [ax.get_title() for ax in plot_power(cells, rules={"KMERF": "pvalue"}).axes if ax.get_visible()]
    ['Linear']
    """
    from matplotlib.figure import Figure

    choose("against", against, _LABELS)
    wanted = rules or {}
    shown = [cell for cell in found if cell.rule == wanted.get(cell.test, "published")]
    if not shown:
        raise InputError("found has no power by the rules asked for: see Power.rule.")
    tests = list(dict.fromkeys(cell.test for cell in shown))
    names = list(dict.fromkeys(cell.data.name for cell in shown))
    lines = -(-len(names) // columns)
    figure = Figure(figsize=(2.2 * min(columns, len(names)) + 0.4, 1.9 * lines + 0.9), layout="constrained", dpi=150)
    axes = figure.subplots(lines, min(columns, len(names)), squeeze=False, sharey=True)
    for ax, name in zip(axes.flat, names, strict=False):
        _panel(ax, [cell for cell in shown if cell.data.name == name], tests, against)
    for ax in axes.flat[len(names) :]:
        ax.set_visible(False)
    figure.supxlabel(_LABELS[against], fontsize=10)
    figure.supylabel(f"power at level {shown[0].level:g}", fontsize=10)
    handles, labels = axes.flat[0].get_legend_handles_labels()
    by_label = dict(zip(labels, handles, strict=True))
    figure.legend(
        [by_label[test] for test in tests],
        tests,
        loc="outside upper center",
        ncols=len(tests),
        frameon=False,
        fontsize=9,
    )
    return figure


def _panel(ax: Axes, cells: list[study.Power], tests: list[str], against: str) -> None:
    for k, test in reversed(list(enumerate(tests))):
        line = sorted((cell for cell in cells if cell.test == test), key=lambda cell: getattr(cell.data, against))
        if not line:
            continue
        at = [getattr(cell.data, against) for cell in line]
        style = k % len(_COLOURS)
        low, high = np.array([cell.interval for cell in line]).T
        ax.fill_between(at, low, high, color=_COLOURS[style], alpha=0.13, linewidth=0)
        ax.plot(
            at,
            [cell.power for cell in line],
            color=_COLOURS[style],
            linestyle=_DASHES[style],
            marker=MARKERS[style],
            markersize=5 if k == 0 else 3.5,
            linewidth=2.2 if k == 0 else 1.2,
            label=test,
        )
    ax.axhline(cells[0].level, color="#999999", linewidth=0.8, zorder=0)
    name = cells[0].data.name
    ax.set_title(SIMULATIONS[name].title if name in SIMULATIONS else name.replace("_", " "), fontsize=9)
    ax.set_ylim(-0.03, 1.03)
    ax.set_yticks([0, 0.5, 1])
    ticks = sorted({getattr(cell.data, against) for cell in cells})
    ax.set_xticks(ticks if len(ticks) <= 4 else ticks[:: len(ticks) // 3])
    ax.tick_params(labelsize=8)
    ax.spines[["top", "right"]].set_visible(False)
