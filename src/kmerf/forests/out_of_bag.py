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


def rank_score(predicted: Floats, y: Response) -> float | None:
    """Return the R2 of ranks, which no outlier spoils: the squared rank correlation of y with its predictions.

    It is negative where predictions go the wrong way, and the mean over the columns of y; None for classes.

    >>> from kmerf.data.sample_values import Response
    >>> y = Response(np.array([[1.0], [2.0], [900.0]]), ("y",), "numeric", None, ())
    >>> rank_score(np.array([[1.5], [2.0], [2.5]]), y)
    1.0
    """
    if y.codes is not None:
        return None
    rows = ~np.isnan(predicted[:, 0])
    each = [rank_correlation(guess, truth) for guess, truth in zip(predicted[rows].T, y.values[rows].T, strict=True)]
    return float(np.mean([rho * abs(rho) for rho in each]))


def rank_correlation(a: Floats, b: Floats) -> float:
    """Return the correlation of ranks, equal values having their mean rank; 0 where one is constant.

    >>> rank_correlation(np.array([1.0, 2.0, 3.0]), np.array([10.0, 9.0, 1.0]))
    -1.0
    """
    first, second = mid_ranks(a), mid_ranks(b)
    first, second = first - first.mean(), second - second.mean()
    size = float(np.sqrt((first**2).sum() * (second**2).sum()))
    return float((first * second).sum() / size) if size else 0.0


def auc(values: Floats, positive: NDArray[np.bool_]) -> float:
    """Return the probability that a positive row has a larger value than another one; equal values count half.

    >>> auc(np.array([0.1, 0.5, 0.5, 0.9]), np.array([False, False, True, True]))
    0.875
    """
    ranks = mid_ranks(values)
    ones = int(positive.sum())
    return float((ranks[positive].sum() - ones * (ones + 1) / 2) / (ones * (positive.size - ones)))
