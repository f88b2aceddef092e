"""Gains: what the splits of each tree earned, added up by the feature that they split on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints


def by_feature(gains: Floats, column_of: Ints, p: int) -> Floats:
    """Add up the gains (m, expanded columns) of the columns that a category was expanded to (m, p).

    >>> by_feature(np.array([[1.0, 1.0, 2.0], [0.0, 1.0, 3.0]]), np.array([0, 0, 1]), 2)
    array([[2., 2.],
           [1., 3.]])
    """
    if p == column_of.size:
        return gains
    by_column = np.zeros((gains.shape[0], p))
    for column, feature in enumerate(column_of):
        by_column[:, feature] += gains[:, column]
    return by_column


def gain_shares(gains: Floats) -> Floats:
    """Return the share that each feature has in the gains of each tree; zeros for a tree without a split."""
    total = gains.sum(axis=1, keepdims=True)
    shares: Floats = np.divide(gains, total, out=np.zeros_like(gains), where=total > 0)
    return shares
