"""How y moves with a feature: y, and what the forest predicts of it out of bag, along the values of the feature.

Rows are put into bins of about equal size by the feature's value, or by its category; in each bin the mean of y and the
mean prediction are taken (for classes: the share of each). The prediction is from leaves that the row had no part in,
so where it is flat and y is not, y's ups and downs are noise to the forest. What predictions miss by gives the standard
error of a bin's mean. It is a view along one feature at a time,
not an effect of it: what other features do along with this one is in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kmerf.results.views import Profile

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats
    from kmerf.data.sample_values import Features, Response

BINS = 12
_FEWEST = 5  # rows of a bin, where there are enough


def profile(x: Features, y: Response, predicted: Floats, feature: int) -> Profile:
    """Return how y moves with one feature."""
    labels, at, bins = _bins(x, feature)
    rows = [bins == b for b in range(len(at))]
    return Profile(
        feature=x.names[feature],
        labels=labels,
        at=at,
        size=np.array([row.sum() for row in rows], dtype=np.int64),
        observed=np.array([y.values[row].mean(axis=0) for row in rows]),
        predicted=np.array([_mean(predicted[row]) for row in rows]),
        error=np.array([_error(y.values[row] - predicted[row]) for row in rows]),
    )


def plain_profile(x: Features, y: Response, feature: int) -> Profile:
    """Return how y moves with one feature where there is no forest: its mean in each bin takes the forest's place."""
    bins = _bins(x, feature)[2]
    means = np.array([y.values[bins == b].mean(axis=0) for b in range(int(bins.max()) + 1)])
    return profile(x, y, means[bins], feature)


def _mean(predicted: Floats) -> Floats:
    known = predicted[~np.isnan(predicted[:, 0])]
    return known.mean(axis=0) if len(known) else np.full(predicted.shape[1], np.nan)


def _error(missed: Floats) -> Floats:
    """Return the standard error of the mean of a bin, from what its predictions miss by."""
    known = missed[~np.isnan(missed[:, 0])]
    if len(known) < 2:
        return np.full(missed.shape[1], np.nan)
    return np.asarray(known.std(axis=0, ddof=1) / np.sqrt(len(known)))


def _bins(x: Features, feature: int) -> tuple[tuple[str, ...], Floats, NDArray[np.int64]]:
    """Return labels, places, and the bin of each row; bins without rows are left out, missing values come last."""
    values = x.column(feature)
    missing = np.isnan(values)
    categories = x.categories[feature]
    if categories:
        raw = np.where(missing, len(categories), np.nan_to_num(values)).astype(np.int64)
        names = [*categories, "missing"]
        places = np.full(len(names), np.nan)
    else:
        raw, places = _numeric_bins(values, missing)
        names = [*[""] * (len(places) - 1), "missing"]
    present, bins = np.unique(raw, return_inverse=True)
    return tuple(names[b] for b in present), places[present], bins.reshape(-1)


def _numeric_bins(values: Floats, missing: NDArray[np.bool_]) -> tuple[NDArray[np.int64], Floats]:
    """Cut numbers at their quantiles, equal ones never apart; one more bin for missing values."""
    known = values[~missing]
    distinct = np.unique(known)
    if distinct.size <= BINS:
        edges = distinct[1:]
    else:
        n_bins = max(2, min(BINS, known.size // _FEWEST))
        edges = np.unique(np.quantile(known, np.arange(1, n_bins) / n_bins, method="inverted_cdf"))
    raw = np.where(missing, edges.size + 1, np.searchsorted(edges, values, side="right"))
    places = [float(np.median(values[raw == b])) if (raw == b).any() else np.nan for b in range(edges.size + 1)]
    return raw, np.array([*places, np.nan])
