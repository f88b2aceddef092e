"""What tests on the columns of x and y have in common: their products, what they span, and values far out.

No BLAS: its sums change with the number of threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kmerf.core.arrays import centred

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints

_FENCE = 1.5  # interquartile ranges beyond the quartiles, as of a box plot's whiskers
_DEPENDENT = 1e-10  # a column of which less than this is left, beside the others, is a combination of them


def products(x: Floats, y: Floats, order: Ints) -> Floats:
    """Return the products (q, p) of the columns of y, its rows in `order`, and x."""
    from kmerf.engine.linear import products as fill

    out = np.empty((y.shape[1], x.shape[1]))
    fill(x, y, order, out)
    return out


def orthonormal_columns(values: Floats) -> Floats:
    """Return orthonormal columns that span the columns less their means."""
    from kmerf.engine.linear import orthonormal

    columns = np.array(centred(values).T, order="C")
    rank = int(orthonormal(columns, _DEPENDENT))
    return np.ascontiguousarray(columns[:rank].T)


def unit_columns(values: Floats) -> Floats:
    """Centre the columns and give them length 1; those that do not vary become 0.

    >>> unit_columns(np.array([[1.0, 5.0], [3.0, 5.0]])).round(2).tolist()
    [[-0.71, 0.0], [0.71, 0.0]]
    """
    away = centred(values)
    length = np.sqrt((away**2).sum(axis=0))
    return np.ascontiguousarray(np.divide(away, length, out=np.zeros_like(away), where=length > 1e-9))


def drawn_in(x: Floats) -> Floats:
    """Bring values beyond the whiskers of a box plot of their column back to them.

    A column with equal quartiles, such as one with few ones among zeros, stays as it is.

    >>> drawn_in(np.array([[0.0], [1.0], [2.0], [3.0], [99.0]])).ravel()
    array([0., 1., 2., 3., 6.])
    """
    low, high = np.quantile(x, [0.25, 0.75], axis=0)
    reach = np.where(high > low, _FENCE * (high - low), np.inf)
    return np.clip(x, low - reach, high + reach)
