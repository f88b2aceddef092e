"""Few different rows of z: what z explains is then a mean for each of them, and rows of y change places inside.

Where z takes a value several times, no regression is needed. Rows with the same z form a stratum; the residuals are
the distances from the stratum's mean, and the statistics are compared with those of y permuted within strata, which
holds for any number of rows.
"""

from __future__ import annotations

import numpy as np

from kmerf.core.arrays import Floats, Ints
from kmerf.core.streams import Purpose, stream

FEWEST_A_STRATUM = 5  # rows, on average


def strata_of(z: Floats) -> Ints | None:
    """Number the strata of z (n, p), missing values being one value; None where rows seldom share one.

    >>> strata_of(np.array([[0.0], [1.0], [0.0]] * 5)).tolist()[:3]
    [0, 1, 0]
    """
    codes: Ints = np.unique(np.where(np.isnan(z), np.inf, z), axis=0, return_inverse=True)[1].reshape(-1)
    return codes if (codes.max() + 1) * FEWEST_A_STRATUM <= codes.size else None


def within(targets: Floats, strata: Ints) -> Floats:
    """Return targets (n, q) less the mean of their stratum."""
    sizes = np.bincount(strata)
    means = np.column_stack([np.bincount(strata, column) / sizes for column in targets.T])
    return np.asarray(targets - means[strata])


def permuted_orders(strata: Ints, seed: int, count: int) -> list[Ints]:
    """Return orders of the rows, each row staying in its stratum."""
    by_stratum = np.argsort(strata, kind="stable")
    orders = []
    for number in range(count):
        keys = stream(seed, Purpose.STRATUM, number).random(strata.size)
        order = np.empty(strata.size, np.int64)
        order[by_stratum] = np.lexsort((keys, strata))
        orders.append(order)
    return orders
