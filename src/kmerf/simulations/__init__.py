"""Data with known answers: the paper's 20 relations, their rotations, and 15 normal mixtures.

`simulate` draws a pair (x, y) for an independence test, `rotated` and `mixture` a pair of samples (a, b) for a
two-sample test. `definition="published"` gives the variants that the published power tables were made with, which
differ from the paper's formulas in most rows.
"""

from kmerf.simulations.relations import (
    SIMULATIONS,
    Simulation,
    circle,
    cubic,
    diamond,
    dimension_grid,
    ellipse,
    exponential,
    fourth_root,
    joint_normal,
    linear,
    logarithmic,
    multimodal_independence,
    multiplicative_noise,
    noiseless,
    quadratic,
    simulate,
    sin_four_pi,
    sin_sixteen_pi,
    spiral,
    square,
    step,
    two_parabolas,
    uncorrelated_bernoulli,
    w_shaped,
)
from kmerf.simulations.two_sample import MIXTURES, Mixture, mixture, rotate, rotated

__all__ = [
    "MIXTURES",
    "SIMULATIONS",
    "Mixture",
    "Simulation",
    "circle",
    "cubic",
    "diamond",
    "dimension_grid",
    "ellipse",
    "exponential",
    "fourth_root",
    "joint_normal",
    "linear",
    "logarithmic",
    "mixture",
    "multimodal_independence",
    "multiplicative_noise",
    "noiseless",
    "quadratic",
    "rotate",
    "rotated",
    "simulate",
    "sin_four_pi",
    "sin_sixteen_pi",
    "spiral",
    "square",
    "step",
    "two_parabolas",
    "uncorrelated_bernoulli",
    "w_shaped",
]
