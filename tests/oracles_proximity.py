"""Leaves at random, and the proximity by its definition."""

import numpy as np

from grown_forests import grow
from kmerf.forests.growing import Leaves, presort
from kmerf.forests.spec import ForestSpec


def leaves_of(n=40, p=3, seed=0, classes=False, **spec) -> Leaves:
    rng = np.random.default_rng(seed)
    y = np.eye(3)[rng.integers(0, 3, n)] if classes else rng.normal(size=(n, 1))
    return grow(ForestSpec(n_trees=60, **spec), presort(rng.normal(size=(n, p))), y, classes=classes, seed=seed)


def by_definition(leaves: Leaves, kind: str, normalise: bool = False) -> np.ndarray:
    n, m = leaves.n, leaves.n_trees
    assert leaves.counts is not None
    hits, chances = np.zeros((n, n)), np.zeros((n, n))
    for t in range(m):
        out = leaves.counts[t] == 0
        may = {"all": np.ones((n, n), bool), "either": out[:, None] | out[None], "oob": out[:, None] & out[None]}[kind]
        hits += may & (leaves.codes[t][:, None] == leaves.codes[t][None])
        chances += may
    return hits / np.maximum(chances, 1) if normalise else hits / m
