"""Pictures, each a matplotlib `Figure` returned by one call; matplotlib is imported only when one is drawn."""

from kmerf.figures.calibration import plot_tail
from kmerf.figures.power import plot_power, plot_study
from kmerf.figures.results import plot_features, plot_result
from kmerf.figures.screening import plot_screen
from kmerf.figures.simulations import plot_rotations, plot_simulations

__all__ = [
    "plot_features",
    "plot_power",
    "plot_result",
    "plot_rotations",
    "plot_screen",
    "plot_simulations",
    "plot_study",
    "plot_tail",
]
