"""What a forest predicts for the rows that each tree has not seen, and the area under the ROC curve.

Each row is predicted by the trees for which it is out of bag, by the mean y of the in-bag rows of its leaf. These
predictions serve pictures. They are not compared with y to say how strong a relation is: among rows with the same x
they differ only because the row's own y is left out, and so run against y. `kmerf.explain.effects` holds out rows
instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kmerf.core.arrays import Floats, mid_ranks

if TYPE_CHECKING:
    from kmerf.data.sample_values import Response
    from kmerf.forests.fitted import FittedForest


def predict(forests: Sequence[FittedForest], y: Response) -> Floats | None:
    """Return what all trees together predict out of bag (n, q), NaN for a row that all have seen; None if none tell."""
    sums, trees = np.zeros(y.values.shape), np.zeros(y.n)
    for forest in forests:
        predictions = forest.predictions(y.values)
        sums += predictions.total
        trees += predictions.times
    if not trees.any():
        return None
    predicted: Floats = np.divide(sums, trees[:, None], out=np.full(sums.shape, np.nan), where=trees[:, None] > 0)
    return predicted


def auc(values: Floats, positive: NDArray[np.bool_]) -> float:
    """Return the probability that a positive row has a larger value than another one; equal values count half.

    >>> auc(np.array([0.1, 0.5, 0.5, 0.9]), np.array([False, False, True, True]))
    0.875
    """
    ranks = mid_ranks(values)
    ones = int(positive.sum())
    return float((ranks[positive].sum() - ones * (ones + 1) / 2) / (ones * (positive.size - ones)))
