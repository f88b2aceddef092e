"""P-values of single columns: each column of x given z, and each column of x given all its others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kmerf.adjustment.rank_coordinates import Coordinates, of_features, of_response
from kmerf.adjustment.testing import Given, Remainder, compare
from kmerf.core import parallel
from kmerf.core.arrays import Floats, Ints
from kmerf.core.linear_algebra import one_thread
from kmerf.core.streams import Purpose, seed_for
from kmerf.data.spread_levels import all_levels

if TYPE_CHECKING:
    from kmerf.adjustment.products import Residuals
    from kmerf.data.sample_values import Features, Response

FEW_TREES = 100  # of each forest, where there are forests for every column
FEW_DEGREES = 2
MANY_COLUMNS = 10  # above, a split tries a third of them


def shared(x: Residuals, y: Residuals) -> float:
    """Return how much of the levels of x and y goes together: the mean squared correlation of their residuals."""
    a, b = (each.some(each.degrees == 1).values for each in (x, y))
    a, b = ((each - each.mean(axis=0)) / np.maximum(each.std(axis=0), 1e-300) for each in (a, b))
    return float((np.einsum("ij,ik->jk", a, b) ** 2).mean() / len(a) ** 2)


def columns_given(given: Given, x: Remainder, feature: Ints, y: Remainder) -> tuple[Floats, Floats]:
    """Return what each original column of x shares with y given z, and its p-value."""
    parts = [x.left.some(feature == number) for number in range(int(feature.max()) + 1)]
    pvalues = [compare(given, replace(x, left=each), y).pvalue if each.degrees.size else np.nan for each in parts]
    return np.array([shared(each, y.left) if each.degrees.size else 0.0 for each in parts]), np.array(pvalues)


def columns_beyond_others(x: Features, y: Response, seed: int, n_jobs: int) -> tuple[Floats, Floats]:
    """Return what each original column of x shares with y given all other columns, and its p-value."""
    x = all_levels(x)
    mine, response = _few_degrees(of_features(x)), _few_degrees(of_response(y))

    def test(number: int) -> tuple[float, float]:
        own = np.flatnonzero(mine.feature == number)
        if not own.size:
            return 0.0, float("nan")
        others = x.values[:, x.column_of != number]
        given = Given(others, seed_for(seed, Purpose.ADJUSTED_COLUMN, number), trees=FEW_TREES, tried=_tried(others))
        left = given.remove_from(_some(mine, own), 1)
        rest = given.remove_from(response, 2)
        return shared(left.left, rest.left), compare(given, left, rest).pvalue

    with one_thread():  # around the workers, as each of them limits threads for all
        found = parallel.run(test, range(x.p), n_jobs=n_jobs)
    values = np.array(found)
    return values[:, 0], values[:, 1]


def _tried(others: Floats) -> str | float:
    return "all" if others.shape[1] <= MANY_COLUMNS else 1.0 / 3.0


def _few_degrees(coordinates: Coordinates) -> Coordinates:
    return _some(coordinates, np.flatnonzero(coordinates.degrees <= FEW_DEGREES))


def _some(coordinates: Coordinates, chosen: Ints) -> Coordinates:
    return Coordinates(coordinates.values[:, chosen], coordinates.degrees[chosen], coordinates.feature[chosen])
