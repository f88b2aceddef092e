"""Small data and tests that questions are asked with."""

import numpy as np

import kmerf

FEW = kmerf.Permutation(19)
SMALL = kmerf.KMERF(forest=kmerf.ForestSpec(n_trees=40))


def data(n=50, p=3, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p))
    return x, x[:, 0] ** 2 + 0.2 * rng.normal(size=n)


PAPER = kmerf.KMERF(proximity="all")
