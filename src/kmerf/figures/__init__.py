"""Pictures, each made by one call; matplotlib is imported only when one is drawn.

`null`, `importances`, `profile`, `map`, `survival` and `compare` draw one thing each, take `ax=` and return
matplotlib's axes, so they can be put together as a paper needs them. `plot_...` return whole figures. Figures show
themselves in notebooks.
Colours are those of Okabe and Ito, which differ for every kind of colour vision.
"""

from kmerf.figures.panels import compare, importances, null, profile
from kmerf.figures.panels import row_map as map
from kmerf.figures.screened import plot_screen
from kmerf.figures.single import plot_features, plot_result, survival
from kmerf.figures.studies import plot_power, plot_rotations, plot_simulations, plot_study, plot_tail

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
