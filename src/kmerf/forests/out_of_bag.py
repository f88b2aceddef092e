"""What a forest predicts for the rows that each tree has not seen.

Each row is predicted by the trees for which it is out of bag, by the mean y of the in-bag rows of its leaf. R2 tells
how good that is for numbers, 1 - sum (y - prediction)^2 / sum (y - mean)^2 over all columns of y, and for classes by
the area under the ROC curve, the probability that a row of a class is given a higher share of it than another row,
averaged over classes. Neither depends on n as a p-value does.
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


def score(predicted: Floats, y: Response) -> tuple[str, float]:
    """Return the name of the measure that goes with y, and its value.

    >>> from kmerf.data.sample_values import Response
    >>> y = Response(np.array([[1.0], [2.0], [3.0]]), ("y",), "numeric", None, ())
    >>> score(np.array([[1.5], [2.0], [2.5]]), y)
    ('R2', 0.75)
    """
    rows = ~np.isnan(predicted[:, 0])
    truth, guess = y.values[rows], predicted[rows]
    if y.codes is None:
        around = ((truth - truth.mean(axis=0)) ** 2).sum()
        return "R2", float(1.0 - ((truth - guess) ** 2).sum() / around) if around > 0 else 0.0
    codes = y.codes[rows]
    present = [k for k in range(y.q) if 0 < (codes == k).sum() < codes.size]
    return "AUC", float(np.mean([auc(guess[:, k], codes == k) for k in present])) if present else 0.5


def auc(values: Floats, positive: NDArray[np.bool_]) -> float:
    """Return the probability that a positive row has a larger value than another one; equal values count half.

    >>> auc(np.array([0.1, 0.5, 0.5, 0.9]), np.array([False, False, True, True]))
    0.875
    """
    ranks = mid_ranks(values)
    ones = int(positive.sum())
    return float((ranks[positive].sum() - ones * (ones + 1) / 2) / (ones * (positive.size - ones)))
