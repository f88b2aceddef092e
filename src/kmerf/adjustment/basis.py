"""Smooth functions of z for the linear part of a regression: lines, waves of one column, and products of two waves.

With t in [0, 1] the place of a value between the ends of its column (outlying values drawn in to the whiskers of a box
plot), a column has the line t, the waves cos(pi k t) for k = 1, 2, ..., and each two columns have products of their
first waves. A wave is divided by k, so that a common penalty prefers smooth functions: it is a prior that falls with
the frequency. Lines are multiplied by 3 and so are hardly penalised.

How many waves there are depends on the rows and columns alone: at most a quarter as many waves as rows, and a third as
many functions in all.
"""

from __future__ import annotations

import math

import numpy as np

from kmerf.core.arrays import Floats

MOST_WAVES = 24  # of one column
MOST_PRODUCTS = 6  # waves of a column that take part in products
MOST_FUNCTIONS = 400
INDEX_WAVES = 6  # of a linear combination of all columns

_LINE = 3.0
_PRODUCT = 0.7
_FENCE = 1.5  # interquartile ranges beyond the quartiles
_FLAT = 1e-9  # a standard deviation that is none


def complete(z: Floats) -> Floats:
    """Fill missing values with the median of their column, and add a column that says where they were.

    >>> complete(np.array([[1.0], [np.nan], [3.0]])).tolist()
    [[1.0, 0.0], [2.0, 1.0], [3.0, 0.0]]
    """
    missing = np.isnan(z)
    if not missing.any():
        return z
    columns = []
    for values, lost in zip(z.T, missing.T, strict=True):
        middle = float(np.median(values[~lost])) if not lost.all() else 0.0
        columns.append(np.where(lost, middle, values))
    return np.column_stack([*columns, *(lost.astype(np.float64) for lost in missing.T if lost.any())])


def lines(z: Floats) -> Floats:
    """Return the columns that vary, drawn in, with mean 0 and variance 1."""
    return _standard([_drawn_in(column) for column in z.T], z.shape[0])


def functions(z: Floats) -> Floats:
    """Return the basis (n, functions) of complete columns z."""
    columns = [column for column in z.T if np.ptp(column) > 0.0]
    n, p = z.shape[0], len(columns)
    n_waves = min(MOST_WAVES, n // (4 * p)) if p else 0
    single = [waves(column, max(n_waves, MOST_PRODUCTS)) for column in columns]
    parts = [_LINE * lines(z), *(each[:, :n_waves] for each in single)]
    room = min(n // 3, MOST_FUNCTIONS) - sum(part.shape[1] for part in parts)
    pairs = p * (p - 1) // 2
    if pairs and room >= pairs:
        first = min(MOST_PRODUCTS, math.isqrt(room // pairs))
        parts += [_products(single[i][:, :first], single[j][:, :first]) for i in range(p) for j in range(i + 1, p)]
    return np.concatenate(parts, axis=1)


def all_waves(z: Floats) -> list[Floats]:
    """Return the waves of each complete column, a fortieth as many as rows; each costs power, as a row less would."""
    most = min(MOST_WAVES, z.shape[0] // 40)
    return [waves(column, most) for column in z.T] if most else []


def waves(column: Floats, most: int) -> Floats:
    """Return the first waves of a column; a column of m different values has m - 1 of them at most.

    >>> waves(np.array([0.0, 0.0, 1.0, 1.0]), 5).tolist()
    [[1.0], [1.0], [-1.0], [-1.0]]
    """
    drawn = _drawn_in(column)
    if np.ptp(drawn) == 0.0:
        return np.empty((column.size, 0))
    place = (drawn - drawn.min()) / np.ptp(drawn)
    numbers = range(1, min(most, np.unique(drawn).size - 1) + 1)
    unit = [_standard([np.cos(np.pi * k * place)], column.size) / k for k in numbers]
    return np.concatenate(unit, axis=1)


def _products(first: Floats, second: Floats) -> Floats:
    every = (first[:, :, None] * second[:, None, :]).reshape(first.shape[0], -1)
    every = every - every.mean(axis=0)
    return np.asarray(_PRODUCT * every[:, every.std(axis=0) > _FLAT])


def _drawn_in(column: Floats) -> Floats:
    """Move values beyond the whiskers of a box plot to their ends, unless nothing would be left."""
    low, high = np.quantile(column, [0.25, 0.75])
    reach = _FENCE * (high - low)
    drawn: Floats = np.clip(column, low - reach, high + reach)
    return drawn if np.ptp(drawn) > 0.0 else column


def _standard(columns: list[Floats], n: int) -> Floats:
    kept = [column - column.mean() for column in columns]
    kept = [column / column.std() for column in kept if column.std() > _FLAT]
    return np.column_stack(kept) if kept else np.empty((n, 0))
