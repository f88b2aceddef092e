"""The 20 simulations at a glance: the paper's two supplementary figures, each drawn by one call.

All panels have p = 1, so that a data set is a plain scatter of y against x. The relation itself comes from
`noiseless`, which also strikes out the noise terms that carry no κ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kmerf.simulations import SIMULATIONS, noiseless, rotate, simulate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from kmerf.simulations.independence import Array, Seed

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
