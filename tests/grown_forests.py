"""Data with gaps, forests grown on them, and short ways to grow others."""

import numpy as np

from kmerf.forests.growing import Forest, presort
from kmerf.forests.spec import ForestSpec

RNG = np.random.default_rng(0)
X = np.round(RNG.normal(size=(120, 5)), 1)
X[RNG.random(X.shape) < 0.05] = np.nan
COLUMNS = presort(X)
NUMBERS = RNG.normal(size=(120, 2))
CLASSES = np.eye(3)[RNG.integers(0, 3, 120)]
SPEC = ForestSpec(n_trees=60, max_features="sqrt")


def grow(spec, columns, y, *, classes, seed, refit=0, n_jobs=1, credited=False):
    """Return the leaves of a forest."""
    return Forest(spec, columns, y, classes, seed, refit).leaves(n_jobs, credited=credited)


def grow_trees(spec, columns, y, *, classes, seed, n_jobs=1):
    """Return the trees of a forest."""
    return Forest(spec, columns, y, classes, seed).trees(n_jobs)


def leaves(spec=SPEC, classes=False, **options):
    return grow(spec, COLUMNS, CLASSES if classes else NUMBERS, classes=classes, **{"seed": 1} | options)
