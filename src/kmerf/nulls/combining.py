"""One statistic from several, or one p-value.

**Statistics** become a soft maximum of scores, each on the scale of its own permuted values.

Row 0 of t holds the k statistics of the data as observed, rows 1 to B those of B permutations. Statistics of different
tests vary by different amounts, and more or less skewly, when x and y are independent. With mean, sd and skewness g
taken over all rows *but this one*, the score of an entry is

    u = (6 / g) ((1 + g z / 2)^(1/3) - 1) + g / 6,    z = (t - mean) / sd,

which is about standard normal for anything shaped like a gamma distribution (Wilson and Hilferty 1931). The test's
statistic is

    T_i = (1 / a) log(sum_j w_j exp(a u_ij) / sum_j w_j),    a = 1.3.

If member j is the right test for a fraction w_j of alternatives, under which its score density is tilted by exp(a u),
this is the log likelihood ratio of dependence against independence: among fixed functions of the members, it has the
most power on average. It lies between the mean and the largest of the scores and rises with every one of them. The
share of a member in it is its term of the sum. The default's weights are fitted (`kmerf.methods.portfolio`).

Every row is treated alike, so under independence T_0, ..., T_B are exchangeable as the rows are, and ranks among them
give an exact p-value whatever the weights, though the scale is estimated from the same permutations. If T_0 is above
all others, they are scored again without row 0, so that an outlier does not set its own scale; that can only raise the
p-value.

**P-values** of the components of the test given z: the smallest counts, each of them being 1 - (1 - p)^(1 / weight)
before: uniform if components are independent, and a little too large if they go together (`combine_pvalues`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats

FEWEST = 3  # permutations from which a scale can be estimated
STEEPNESS = 1.3  # a: 0 for the mean of the scores, infinity for the largest; benchmarks/studies/fit_weights.py

_MIN_SKEWNESS = 1e-3  # below, the score is z but for rounding, and 6 / g is large
_MAX_SKEWNESS = 2.5  # an exponential has 2, a chi-square of one degree 2.8
_MIN_SD_RATIO = 0.01  # of the sd of all rows but one to that of all rows
_MIN_SCORE = -3.0  # how far below the mean does not matter
_MAX_PVALUE = 1.0 - 1e-12  # as the normal score of 1 is not finite
_TINY = float(np.finfo(np.float64).tiny)


def combine(observed: Floats, permuted: Floats, weights: Floats) -> tuple[float, Floats]:
    """Combine the statistics (k,) of the observed data and (B, k) of its permutations; one alone stays as it is.

    >>> permuted = np.random.default_rng(0).normal(size=(99, 2)) * [1.0, 100.0]
    >>> round(combine(np.array([5.0, 5.0]), permuted, np.ones(2))[0], 1)  # the second is not large on its scale
    4.6
    """
    if observed.size == 1 or len(permuted) < FEWEST:
        return float(observed.max()), permuted.max(axis=1)
    top = soft_maximum(scores(np.vstack([observed, permuted])), weights)
    others = top[1:]
    if top[0] > others.max():
        others = soft_maximum(scores(permuted), weights)
    return float(top[0]), others


def combine_many(observed: Floats, permuted: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Combine the statistics of many data sets (R, k) that have the permuted ones (B, k), B large, in common."""
    if observed.shape[1] == 1 or len(permuted) < FEWEST:
        return observed.max(axis=1), permuted.max(axis=1)
    return soft_maximum(scores_among(observed, permuted), weights), soft_maximum(scores(permuted), weights)


def combine_pvalues(pvalues: Floats, weights: Floats) -> Floats:
    """Return one p-value for several (..., k): the smallest, adjusted for there being others and for its weight.

    >>> combine_pvalues(np.array([[0.01, 0.6, 0.3]]), np.ones(3)).round(4).tolist()
    [0.0297]
    """
    share = weights / weights.sum()
    adjusted = -np.expm1(np.log1p(-np.minimum(pvalues, _MAX_PVALUE)) / share)
    return np.asarray(np.clip(adjusted.min(axis=-1), _TINY, _MAX_PVALUE))


def soft_maximum(u: Floats, weights: Floats) -> Floats:
    """Return T of the scores (N, k); at least one weight must be above 0.

    >>> soft_maximum(np.array([[0.0, 0.0], [9.0, 0.0]]), np.array([1.0, 1.0])).round(2).tolist()
    [0.0, 8.47]
    """
    most = u.max(axis=1)
    total = (weights * np.exp(STEEPNESS * (u - most[:, None]))).sum(axis=1)
    return np.asarray(most + np.log(total / weights.sum()) / STEEPNESS)


def shares(u: Floats, weights: Floats) -> Floats:
    """Return what part of the sum in T each of the scores (k,) makes up.

    >>> shares(np.array([2.0, 0.0]), np.array([1.0, 1.0])).round(2).tolist()
    [0.93, 0.07]
    """
    terms = weights * np.exp(STEEPNESS * (u - u.max()))
    return np.asarray(terms / terms.sum())


def scores(t: Floats) -> Floats:
    """Return the score of each entry of t (N, k) among the other rows; 0 in columns that do not vary.

    >>> scores(np.array([[0.0], [2.0], [4.0], [12.0]])).ravel().round(2).tolist()
    [-1.19, -0.5, 0.0, 5.0]
    """
    size = len(t)
    away, varies = _scaled(t - t.mean(axis=0), t)
    second, third = (away**2).sum(axis=0), (away**3).sum(axis=0)
    # Of the others: raw moments about the mean of all rows, then about their own mean.
    mean = -away / (size - 1)
    raw = (second - away**2) / (size - 1)
    variance = np.maximum(raw - mean**2, _MIN_SD_RATIO**2)
    skewness = ((third - away**3) / (size - 1) - 3.0 * mean * raw + 2.0 * mean**3) / variance**1.5
    z = (away - mean) / np.sqrt(variance * (size - 1) / (size - 2))
    return np.where(varies, _normal(z, skewness), 0.0)


def scores_among(observed: Floats, permuted: Floats) -> Floats:
    """Return the score of each entry of the observed (R, k) among the permuted (B, k)."""
    centre = permuted.mean(axis=0)
    away, varies = _scaled(permuted - centre, permuted)
    scale = np.where(varies, (permuted - centre).std(axis=0, ddof=1), 1.0)
    return np.where(varies, _normal((observed - centre) / scale, (away**3).mean(axis=0)), 0.0)


def by_the_others(t: Floats, added: Floats | float = 0.0) -> Floats:
    """Standardise each row by the mean and sd of all other rows, column by column; `added` is added to the sd.

    A column that does not vary gives 0. Where all other rows agree their sd would be 0: it is taken to be at least a
    hundredth of the sd of all rows.

    >>> by_the_others(np.array([0.0, 2.0, 4.0, 12.0])[:, None, None]).ravel().round(2).tolist()
    [-1.13, -0.55, -0.1, 5.0]
    """
    size = len(t)
    centred = t - t.mean(axis=0)
    squares = (centred**2).sum(axis=0)
    # Of the others: their mean is -c / (N - 1), their sum of squares that of all less c^2, about that mean.
    others = np.maximum(squares - centred**2 * size / (size - 1), 0.0)
    spread = np.sqrt(np.maximum(others / (size - 2), _MIN_SD_RATIO**2 * squares / (size - 1)))
    away = centred * size / (size - 1)
    varies = squares > 1e-24 * (t**2).sum(axis=0)
    return np.asarray(np.divide(away, spread + added, out=np.zeros_like(away), where=varies))


def _scaled(centred: Floats, t: Floats) -> tuple[Floats, Floats]:
    """Return centred columns over their sd, and which of them vary by more than rounding."""
    spread = np.sqrt((centred**2).mean(axis=0))
    varies = spread > 1e-12 * np.sqrt((t**2).mean(axis=0))
    return np.divide(centred, spread, out=np.zeros_like(centred), where=varies), varies


def _normal(z: Floats, skewness: Floats) -> Floats:
    """Return the score of standardised values of a column with that skewness."""
    g = np.clip(skewness, _MIN_SKEWNESS, _MAX_SKEWNESS)
    u = 6.0 / g * (np.cbrt(np.maximum(1.0 + g * z / 2.0, 0.0)) - 1.0) + g / 6.0
    return np.asarray(np.maximum(u, _MIN_SCORE))
