"""Cox's model of hazards, and the pairs of rows of Harrell's concordance, for what is printed of censored times.

Both are as in lifelines, with which `tests/explain/test_hazards.py` compares them.
"""

from __future__ import annotations

import math

import numpy as np

from kmerf.core.arrays import Floats, Ints
from kmerf.data.sample import Followed

MOST_ITERATIONS = 30
_DEEPEST = 500.0  # logarithm of a risk beside the largest, below which it would be 0
MOST_COEFFICIENT = 15.0  # beyond, the likelihood has no maximum


def cox(design: Floats, followed: Followed, strata: Ints | None = None) -> tuple[Floats, Floats] | None:
    """Return coefficients and their covariance in Cox's model, with ties by Efron's method; None if it has no fit."""
    parts = [np.arange(len(design))] if strata is None else [np.flatnonzero(strata == k) for k in np.unique(strata)]
    ordered = [part[np.lexsort((-followed.event[part], followed.time[part]))] for part in parts]
    x = design - design.mean(axis=0)
    beta = np.zeros(design.shape[1])
    loglik = -math.inf
    for _ in range(MOST_ITERATIONS):
        likelihood, gradient, information = 0.0, np.zeros(beta.size), np.zeros((beta.size, beta.size))
        for part in ordered:
            a, b, c = _partial(x[part], followed.time[part], followed.event[part], beta)
            likelihood, gradient, information = likelihood + a, gradient + b, information + c
        try:
            step = np.linalg.solve(information, gradient)
        except np.linalg.LinAlgError:
            return None
        if abs(likelihood - loglik) < 1e-10 * (1.0 + abs(likelihood)):
            covariance = np.linalg.inv(information)
            settled = np.abs(beta).max() < MOST_COEFFICIENT and (np.diag(covariance) > 0.0).all()
            return (beta, np.asarray(covariance, np.float64)) if settled else None
        loglik = likelihood
        beta = beta + step * min(1.0, 5.0 / max(1e-12, float(np.abs(step).max())))
    return None


def _partial(x: Floats, time: Floats, event: Floats, beta: Floats) -> tuple[float, Floats, Floats]:
    """Return the partial log likelihood, its gradient and information; rows by time, events first."""
    score = x @ beta
    risk = np.exp(np.maximum(score - score.max(), -_DEEPEST))
    first = np.searchsorted(time, time, side="left")
    weighted = risk[:, None] * x
    squares = weighted[:, :, None] * x[:, None, :]
    at_risk, sums, moments = (np.cumsum(each[::-1], axis=0)[::-1] for each in (risk, weighted, squares))
    dead = np.flatnonzero(event > 0)
    starts, counts = np.unique(first[dead], return_counts=True)
    likelihood, gradient, information = 0.0, np.zeros(beta.size), np.zeros((beta.size, beta.size))
    for start, count in zip(starts.tolist(), counts.tolist(), strict=True):
        tied = slice(start, start + count)  # events come first among equal times
        own, own_sum, own_square = risk[tied].sum(), weighted[tied].sum(axis=0), squares[tied].sum(axis=0)
        likelihood += float((score[tied] - score.max()).sum())
        gradient = gradient + x[tied].sum(axis=0)
        for k in range(count):
            part = k / count
            total = at_risk[start] - part * own
            mean = (sums[start] - part * own_sum) / total
            likelihood -= math.log(total)
            gradient = gradient - mean
            information = information + (moments[start] - part * own_square) / total - np.outer(mean, mean)
    return likelihood, gradient, information


def compared(followed: Followed, score: Floats) -> tuple[Floats, Floats]:
    """Return for each row in how many pairs the higher score has its event first, and how many can be compared.

    Equal scores count half. Each pair counts for both of its rows.

    >>> followed = Followed(np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0, 0.0]))
    >>> [each.tolist() for each in compared(followed, np.array([3.0, 1.0, 2.0]))]
    [[2.0, 1.0, 1.0], [2.0, 2.0, 2.0]]
    """
    time, event = followed.time, followed.event > 0
    right, pairs = np.zeros(time.size), np.zeros(time.size)
    for i in np.flatnonzero(event):
        later = np.flatnonzero((time > time[i]) | ((time == time[i]) & ~event))
        won = np.where(score[later] < score[i], 1.0, np.where(score[later] == score[i], 0.5, 0.0))
        right[later] += won
        pairs[later] += 1.0
        right[i] += won.sum()
        pairs[i] += later.size
    return right, pairs
