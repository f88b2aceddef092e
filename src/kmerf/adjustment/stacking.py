"""The best sum of several predictions."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from kmerf.core.arrays import Floats


def stacked(targets: Floats, candidates: tuple[Floats, ...]) -> tuple[Floats, Floats]:
    """Return what the best sum of candidates, each (n, q), leaves of centred targets, and its weights (q, k)."""
    left, weights = targets.copy(), np.empty((targets.shape[1], len(candidates)))
    for j, target in enumerate(targets.T):
        several = np.stack([each[:, j] for each in candidates])
        weights[j] = best_weights(several, target)
        left[:, j] -= np.einsum("i,in->n", weights[j], several - several.mean(axis=1, keepdims=True))
    return left, weights


def best_weights(candidates: Floats, target: Floats) -> Floats:
    """Return the weights (k,), none negative, with which centred candidates (k, n) come nearest to a centred target.

    The best such weights are the unconstrained best of some of them, so all choices are tried.
    """
    centred = candidates - candidates.mean(axis=1, keepdims=True)
    products, along = np.einsum("in,jn->ij", centred, centred), np.einsum("in,n->i", centred, target)
    best, chosen = 0.0, np.zeros(len(centred))
    for size in range(1, len(centred) + 1):
        for some in map(list, combinations(range(len(centred)), size)):
            within = products[np.ix_(some, some)]
            weights = np.linalg.lstsq(within, along[some], rcond=1e-10)[0]
            gain = float(2.0 * weights @ along[some] - weights @ within @ weights)
            if (weights >= 0.0).all() and gain > best:
                best, chosen = gain, np.zeros(len(centred))
                chosen[some] = weights
    return chosen
