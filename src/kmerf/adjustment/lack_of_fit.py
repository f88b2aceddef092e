"""Do residuals still depend on z? Two checks along each column of z; a small p-value says that they do.

With the rows sorted by a column of z:

- neighbours alike: products of residuals of neighbouring rows average to zero if nothing is left, and are positive
  where a smooth remainder is (von Neumann's ratio);
- neighbours better: half the squared difference of neighbouring targets estimates the noise and what other columns
  explain (Rice 1984). If the residuals vary more than that, a rule as simple as copying the neighbour predicts better
  than the regression did. Neither needs to know what the remainder looks like.

The p-value is the smallest of all columns, targets and checks, times their number.

Numbers may also be names: of subjects, sites or batches. `named_levels` finds such columns of z by an analysis of
variance: the residuals of rows with the same value are alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kmerf.adjustment.stratification import MAX_ROWS_PER_CONTRAST, numbered, within
from kmerf.core.arrays import Floats

if TYPE_CHECKING:
    from kmerf.data.sample import Features

_MIN_VALUES = 3  # different values of a column along which neighbours mean something
_NAMES_LEVEL = 0.1  # p-value at or below which numbers are taken for names: a name taken for a number costs much more


def lack_of_fit(z: Floats, residuals: Floats, prediction_errors: Floats, targets: Floats) -> float:
    """Return the p-value of whether residuals (n, q) depend on z (n, p).

    `prediction_errors` (n, q) are those of the best prediction of the targets (n, q); neighbours should not have
    smaller ones.
    """
    from scipy.special import ndtr

    scores: list[Floats] = []
    for column in z.T:
        different = np.unique(column).size
        order = np.argsort(column, kind="stable")
        if different >= _MIN_VALUES:
            scores.append(_alike(residuals[order]))
        if 2 * different >= column.size:
            scores.append(_better(prediction_errors[order], targets[order]))
    if not scores:  # columns of two values have no neighbours
        return 1.0
    every = np.concatenate(scores)
    return float(min(1.0, every.size * ndtr(-every.max())))


def named_levels(z: Features, residuals: Sequence[Floats]) -> tuple[int, ...]:
    """Return the numeric columns of z whose values are names of levels, by what is left of some variables (n, q)."""
    from scipy.special import fdtrc

    names = []
    for j in range(z.p):
        codes = numbered(z.column(j))
        levels = int(codes.max()) + 1
        if z.kinds[j] == "categorical" or levels < _MIN_VALUES or MAX_ROWS_PER_CONTRAST * (z.n - levels) < z.n:
            continue
        for each in residuals:
            inside = (within(each, codes) ** 2).sum(axis=0)
            between = ((each - each.mean(axis=0)) ** 2).sum(axis=0) - inside
            ratios = (between / (levels - 1)) / np.maximum(inside / (z.n - levels), np.finfo(np.float64).tiny)
            if each.shape[1] * float(fdtrc(levels - 1, z.n - levels, ratios).min()) <= _NAMES_LEVEL:
                names.append(j)
                break
    return tuple(names)


def _alike(residuals: Floats) -> Floats:
    """Return how many standard errors the products of neighbours are above zero."""
    centred = residuals - residuals.mean(axis=0)
    return _score(centred[1:] * centred[:-1])


def _better(residuals: Floats, values: Floats) -> Floats:
    """Return by how many standard errors residuals vary more than half the squared differences of neighbours."""
    squares = residuals**2
    return _score((squares[1:] + squares[:-1] - np.diff(values, axis=0) ** 2) / 2.0)


def _score(terms: Floats) -> Floats:
    size = np.sqrt((terms**2).sum(axis=0))
    return np.asarray(np.divide(terms.sum(axis=0), size, out=np.zeros(terms.shape[1]), where=size > 0.0))
