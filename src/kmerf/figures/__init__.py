"""Pictures, each made by one call; matplotlib is imported only when one is drawn.

`null`, `importances`, `profile`, `map`, `survival` and `compare` draw one thing each, take `ax=` and return
matplotlib's axes, so they can be put together as a paper needs them. `plot_...` return whole figures. Figures show
themselves in notebooks.
Colours are those of Okabe and Ito, which differ for every kind of colour vision.
"""

from kmerf.figures.drawing import (
    compare,
    importances,
    map,
    null,
    plot_features,
    plot_power,
    plot_result,
    plot_rotations,
    plot_screen,
    plot_simulations,
    plot_study,
    plot_tail,
    profile,
    survival,
)

__all__ = [
    "compare",
    "importances",
    "map",
    "null",
    "plot_features",
    "plot_power",
    "plot_result",
    "plot_rotations",
    "plot_screen",
    "plot_simulations",
    "plot_study",
    "plot_tail",
    "profile",
    "survival",
]
