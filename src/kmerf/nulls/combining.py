"""One statistic from several: the largest, after each was put on the scale of its own permuted values.

Statistics of different kernels vary by different amounts when x and y are independent, so each is standardised first.
Row 0 of t holds the k statistics of the data as observed, rows 1 to B those of B permutations; with means and sds taken
over all rows *but the one at hand*,

    z_ij = (t_ij - mean_j) / sd_j,    T_i = max_j w_j z_ij,    w_j = q / (q_j + (q_j^2 - 1) g_j / 6).

The weights give each statistic its share of the chance to be large when nothing is: it is given a part a_j of the level
0.05, a_1 + ... + a_k = 0.05, and with g_j the skewness of column j over all rows, and q_j the upper quantile of level
a_j of a normal, its own is about q_j + (q_j^2 - 1) g_j / 6 (Cornish and Fisher 1938). q, that of level 0.05 / k, keeps
T in the units of z.

Every row is treated alike, so under independence T_0, ..., T_B are exchangeable as the rows are, and ranks among them
give an exact p-value, though the scale was learnt from the same permutations. Where T_0 is above all others, they are
standardised again without row 0, lest an outlier set the scale on which it is judged; that can only raise the p-value.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from kmerf.core.level import LEVEL

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats

_MOST_SKEWED = 2.5  # that a skewness is taken to be: an exponential has 2, a chi-square of one degree 2.8
_FLOOR = 0.01  # of the sd of all fits: the least that the sd of all but one of them is taken to be


def largest(observed: Floats, permuted: Floats, levels: Floats) -> tuple[float, Floats]:
    """Combine the statistics (k,) of the observed data and (B, k) of its permutations; one alone stays as it is.

    `levels` (k,) says how the level is divided among them; what they sum to does not matter.

    >>> permuted = np.random.default_rng(0).normal(size=(99, 2)) * [1.0, 100.0]
    >>> round(largest(np.array([5.0, 5.0]), permuted, np.ones(2))[0], 1)  # the second is not large on its scale
    5.2
    """
    if observed.size == 1 or len(permuted) < 3:
        return float(observed.max()), permuted.max(axis=1)
    found, others = scores(observed, permuted, levels)
    return float(found.max()), others


def scores(observed: Floats, permuted: Floats, levels: Floats) -> tuple[Floats, Floats]:
    """Return all w_j z_0j (k,), of which T_0 is the largest, and T_1 to T_B."""
    z = by_the_others(np.vstack([observed, permuted]))
    fair = weights(z, levels)
    top = (z * fair).max(axis=1)
    if top[0] > top[1:].max():
        alone = by_the_others(permuted)
        fair = weights(alone, levels)
        top[1:] = (alone * fair).max(axis=1)
    return z[0] * fair, top[1:]


def largest_of_many(observed: Floats, permuted: Floats, levels: Floats) -> tuple[Floats, Floats]:
    """Combine the statistics of many data sets (R, k) that have the permuted ones (B, k), B large, in common."""
    if observed.shape[1] == 1 or len(permuted) < 3:
        return observed.max(axis=1), permuted.max(axis=1)
    centre, spread = permuted.mean(axis=0), permuted.std(axis=0, ddof=1)
    varies = spread > 1e-12 * np.abs(permuted).max(axis=0)
    scaled = np.divide(observed - centre, spread, out=np.zeros_like(observed), where=varies)
    alone = by_the_others(permuted)
    fair = weights(alone, levels)
    return (scaled * fair).max(axis=1), (alone * fair).max(axis=1)


def weights(z: Floats, levels: Floats) -> Floats:
    """Return what to multiply each column with, so that it is large by chance as often as its level says.

    >>> even = np.linspace(-2.0, 2.0, 41)
    >>> weights(np.c_[even, even**2], np.ones(2)).round(2)  # the second is skew
    array([1.  , 0.87])
    >>> weights(np.c_[even, even], np.array([4.0, 1.0])).round(2)
    array([1.12, 0.84])
    """
    q, *own = (NormalDist().inv_cdf(1.0 - LEVEL * part) for part in (1.0 / len(levels), *(levels / levels.sum())))
    away = z - z.mean(axis=0)
    spread = np.maximum(np.sqrt((away**2).mean(axis=0)), 1e-12)
    skewness = np.clip(((away / spread) ** 3).mean(axis=0), 0.0, _MOST_SKEWED)
    quantile = np.array(own)
    found: Floats = q / (quantile + (quantile**2 - 1.0) * skewness / 6.0)
    return found


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
    spread = np.sqrt(np.maximum(others / (size - 2), _FLOOR**2 * squares / (size - 1)))
    away = centred * size / (size - 1)
    varies = squares > 1e-24 * (t**2).sum(axis=0)
    found: Floats = np.divide(away, spread + added, out=np.zeros_like(away), where=varies)
    return found
