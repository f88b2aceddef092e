"""Arrays: their types, read-only arrays, ranks and centring."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

ROUNDING = 1e-10  # relative difference below which values differ by rounding alone

Scalar = TypeVar("Scalar", bound=np.generic)


def read_only(array: NDArray[Scalar]) -> NDArray[Scalar]:
    """Return a contiguous view of an array that cannot be written to; the array itself stays as it is.

    Compiled kernels are built for arrays that are contiguous and read-only, so this is also what keeps them few.

    >>> read_only(np.zeros(3)).flags.writeable
    False
    """
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view


def without_rounding(values: Floats, observed: float) -> tuple[Floats, float]:
    """Return permuted statistics and the observed one for a picture; values that differ by rounding alone become one.

    >>> without_rounding(np.array([0.1 + 0.2, 0.3]), 0.4)
    (array([0.3, 0.3]), 0.4)
    """
    if np.ptp(values) > ROUNDING * np.abs(values).max():
        return values, observed
    one = float(values[0])
    return np.full(values.shape, one), one if abs(observed - one) <= ROUNDING * abs(one) else observed


def mid_ranks(values: NDArray[Any]) -> Floats:
    """Return the rank of each value, from 1; equal values share the mean of their ranks.

    >>> mid_ranks(np.array([10.0, 30.0, 10.0, 20.0])).tolist()
    [1.5, 4.0, 1.5, 3.0]
    """
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: Floats = (np.cumsum(counts) - (counts - 1) / 2.0)[codes.reshape(-1)]
    return ranks


def centred(values: Floats) -> Floats:
    """Return the columns less their means; constant ones exactly zero, whatever the mean was rounded to."""
    result = np.ascontiguousarray(values - values.mean(axis=0))
    result[:, (values == values[0]).all(axis=0)] = 0.0
    return result


def row_shares(values: Floats) -> Floats:
    """Return the share that each entry has in the sum of its row; zeros for a row of zeros.

    >>> row_shares(np.array([[1.0, 3.0], [0.0, 0.0]])).tolist()
    [[0.25, 0.75], [0.0, 0.0]]
    """
    total = values.sum(axis=1, keepdims=True)
    shares: Floats = np.divide(values, total, out=np.zeros_like(values), where=total > 0)
    return shares
