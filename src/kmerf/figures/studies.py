"""Are p-values of true nulls what they should be? A picture of their lower tail, where decisions are made.

Power curves: one panel a simulation, one line a test, with Monte Carlo intervals; the paper's Figures 1 and 2.

Lines differ in colour, marker and dash, so they can be told apart in grey and by the colour-blind (Okabe and Ito's
palette). The first test of the study is drawn last and thickest.

The 20 simulations at a glance: the paper's two supplementary figures, each drawn by one call.

All panels have p = 1, so that a data set is a plain scatter of y against x. The relation itself comes from
`noiseless`, which also strikes out the noise terms that carry no κ.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kmerf import study
from kmerf.core.errors import InputError, choose
from kmerf.core.settings import LEVEL
from kmerf.figures.canvas import COLOURS, MARKERS
from kmerf.simulations import SIMULATIONS, noiseless, rotate, simulate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from kmerf.simulations.independence import Array, Seed


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


# Apart in lightness as well as in hue, so that they survive a grey printout and colour blindness.
_DARK, _LIGHT, _TURNED = "#333333", "#b5b5b5", "#e69f00"


def plot_simulations(
    definition: str = "paper", rng: Seed = 0, *, kappa: float = 0.5, n_noisy: int = 100, n_clear: int = 1000
) -> Figure:
    """Draw all 20 relations: noisy points (light) over points without noise (dark).

    `kappa` is 0.5 because at 1, the default of `simulate`, a few noisy points set the scale and flatten the relation
    under them, the sines most. Noise terms without κ are as they are. In the last two relations nothing counts as
    noise, so both clouds have the same law.

    >>> len(plot_simulations(n_clear=50).axes)
    20
    """
    stream = np.random.default_rng(rng)
    figure, axes = _grid()
    for ax, name in zip(axes, SIMULATIONS, strict=True):
        clear = np.hstack(noiseless(name, n_clear, 1, definition=definition, rng=stream))
        noisy = np.hstack(simulate(name, n_noisy, 1, kappa=kappa, definition=definition, rng=stream))
        _cloud(ax, clear, "without noise", s=_size(clear), color=_DARK)
        _cloud(ax, noisy, "with noise", s=16, color=_LIGHT, edgecolors="white", linewidths=0.4)
    return _labelled(figure, axes)


def plot_rotations(angle: float = 10.0, definition: str = "paper", rng: Seed = 0, *, n: int = 1000) -> Figure:
    """Draw all 20 relations without noise (dark), and the same points turned by `angle` degrees (orange).

    As in `rotated` it is the raw coordinates that turn, counter-clockwise. Only then is each panel min-max
    normalised, both clouds together, so an angle is not drawn true where x and y have different ranges: the cubic,
    whose y runs a hundred times as far as its x, comes out as two lines.

    >>> len(plot_rotations(n=50).axes)
    20
    """
    stream = np.random.default_rng(rng)
    figure, axes = _grid()
    for ax, name in zip(axes, SIMULATIONS, strict=True):
        z = np.hstack(noiseless(name, n, 1, definition=definition, rng=stream))
        both = _normalised(np.vstack([z, rotate(z, angle)]))
        _cloud(ax, both[:n], "as drawn", s=_size(z), color=_DARK)
        _cloud(ax, both[n:], f"turned by {angle:g}°", s=_size(z), color=_TURNED)
    return _labelled(figure, axes)


def _normalised(z: Array) -> Array:
    """Return z with each column mapped onto [0, 1]."""
    low, high = z.min(axis=0), z.max(axis=0)
    return np.asarray((z - low) / (high - low))


def _size(z: Array) -> float:
    """Return the area of a mark: large where all points fall on a few places."""
    return 60.0 if len(np.unique(z, axis=0)) < 10 else 5.0


def _grid() -> tuple[Figure, list[Axes]]:
    # The object interface: no pyplot, so no global state and no window.
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = Figure(figsize=(11.5, 10), dpi=150, layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.06))
    axes = list(figure.subplots(4, 5).flat)
    for ax, simulation in zip(axes, SIMULATIONS.values(), strict=True):
        ax.set_title(simulation.title, fontsize=10.5)
        ax.set_xticks([])
        ax.set_yticks([])
        ax.margins(0.08)
        ax.set_box_aspect(1)
        ax.spines[["top", "right"]].set_visible(False)
        ax.spines[["left", "bottom"]].set_color("#999999")
    return figure, axes


def _cloud(ax: Axes, z: Array, label: str, **style: Any) -> None:
    ax.scatter(z[:, 0], z[:, 1], label=label, **{"linewidths": 0, **style})


def _labelled(figure: Figure, axes: list[Axes]) -> Figure:
    figure.supxlabel("x", fontsize=11)
    figure.supylabel("y", fontsize=11)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=2, frameon=False, markerscale=2, fontsize=11)
    return figure
