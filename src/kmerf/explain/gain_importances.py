"""How much each feature did for the forest: the share of the impurity decrease that its splits brought.

In each tree the shares add up to one (a tree without a split gives zeros); the importance of a feature is the mean of
its shares over trees, and what one-hot columns of a category earned is added up. The spread that goes with it is
that of single trees, which differ in rows and choices; it is not a confidence interval for the importance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kmerf.forests.gains import gain_shares
from kmerf.results.parts import Importances

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats


def summarise(gains: Floats, names: tuple[str, ...]) -> Importances:
    """Turn the gains of each feature in each tree (m, p) into importances.

    >>> summarise(np.array([[2.0, 2.0], [1.0, 3.0]]), ("colour", "size")).mean
    array([0.375, 0.625])
    """
    shares = gain_shares(gains)
    low, high = np.percentile(shares, [2.5, 97.5], axis=0)
    return Importances(names, shares.mean(axis=0), low, high, "gain")
