"""Small data and forests that tests of several rooms use."""

import numpy as np

import kmerf
from kmerf.methods.protocol import observe

SMALL = kmerf.KMERF(kmerf.ForestSpec(n_trees=30))


def related(n=80, p=4, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p))
    return x, x[:, 1] ** 2 + 0.2 * rng.normal(size=n)


def grown(sample, method=SMALL, seed=1):
    return observe(method.prepare(sample, seed)).parts[0].forest
