"""Data with gaps, and forests grown on them."""

import numpy as np

from kmerf.forests.growing import grow, presort
from kmerf.forests.spec import ForestSpec

RNG = np.random.default_rng(0)
X = np.round(RNG.normal(size=(120, 5)), 1)
X[RNG.random(X.shape) < 0.05] = np.nan
COLUMNS = presort(X)
NUMBERS = RNG.normal(size=(120, 2))
CLASSES = np.eye(3)[RNG.integers(0, 3, 120)]
SPEC = ForestSpec(n_trees=60, max_features="sqrt")


def leaves(spec=SPEC, classes=False, **options):
    return grow(spec, COLUMNS, CLASSES if classes else NUMBERS, classes=classes, **{"seed": 1} | options)
