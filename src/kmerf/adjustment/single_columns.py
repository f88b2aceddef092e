"""P-values of single columns: each column of x given z, and each column of x given all its others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kmerf.adjustment.comparison import PERMUTATIONS, STOP, Given, Remainder, compare
from kmerf.adjustment.rank_coordinates import Coordinates, of_features, of_response
from kmerf.core.arrays import Floats, Ints
from kmerf.core.streams import Purpose, seed_for
from kmerf.data.levels import all_levels
from kmerf.data.sample import column_part
from kmerf.execution import parallel
from kmerf.execution.resources import one_thread

if TYPE_CHECKING:
    from kmerf.adjustment.products import Residuals
    from kmerf.data.sample import Features, Response

FEW_TREES = 100  # of each forest, where there are forests for every column
FEW_DEGREES = 2
ENOUGH, MOST_DRAWS = 20, 9_999  # permutations per column, so that one column alone may matter, and in all
MANY_COLUMNS = 10  # above, a split tries a third of them


def shared(x: Residuals, y: Residuals) -> float:
    """Return how much of the levels of x and y goes together: the mean squared correlation of their residuals."""
    a, b = (each.some(each.degrees == 1).values for each in (x, y))
    a, b = ((each - each.mean(axis=0)) / np.maximum(each.std(axis=0), 1e-300) for each in (a, b))
    return float((np.einsum("ij,ik->jk", a, b) ** 2).mean() / len(a) ** 2)


def columns_given(given: Given, x: Remainder, feature: Ints, y: Remainder, count: int) -> tuple[Floats, Floats]:
    """Return what each of so many original columns of x shares with y given z, and its p-value; 0 and 1 if constant."""
    parts = [x.left.some(feature == number) for number in range(count)]
    draws = min(MOST_DRAWS, max(PERMUTATIONS, ENOUGH * count - 1))
    stop = None if draws == PERMUTATIONS else STOP

    def pvalue(left: Residuals) -> float:
        return compare(given, replace(x, left=left), y, draws=draws, stop=stop).pvalue if left.degrees.size else 1.0

    return np.array([shared(each, y.left) if each.degrees.size else 0.0 for each in parts]), np.array(
        [pvalue(each) for each in parts]
    )


def columns_beyond_others(x: Features, y: Response, seed: int, n_jobs: int) -> tuple[Floats, Floats]:
    """Return what each original column of x shares with y given all others, and its p-value; 0 and 1 if constant."""
    mine, response = _few_degrees(of_features(x)), _few_degrees(of_response(y))
    varies = [j for j in range(x.p) if (mine.feature == j).any()]

    def test(number: int) -> tuple[float, float]:
        own = np.flatnonzero(mine.feature == number)
        others = [j for j in varies if j != number]
        if not own.size:
            return 0.0, 1.0
        given = beyond_others(x, others, seed_for(seed, Purpose.ADJUSTED_COLUMN, number))
        left = given.remove_from(_some(mine, own), 1)
        rest = given.remove_from(response, 2)
        return shared(left.left, rest.left), compare(given, left, rest).pvalue

    with one_thread():  # around the workers, as each of them limits threads for all
        found = parallel.run(test, range(x.p), n_jobs=n_jobs)
    values = np.array(found)
    return values[:, 0], values[:, 1]


def beyond_others(x: Features, others: Sequence[int], seed: int) -> Given:
    """Return some columns of x, by position, as what another is compared given; None of them explain nothing."""
    if not others:
        return Given(None, seed)
    some = column_part(x, others)
    wide = all_levels(some).values.shape[1]
    return Given(some, seed, trees=FEW_TREES, tried="all" if wide <= MANY_COLUMNS else 1.0 / 3.0)


def _few_degrees(coordinates: Coordinates) -> Coordinates:
    return _some(coordinates, np.flatnonzero(coordinates.degrees <= FEW_DEGREES))


def _some(coordinates: Coordinates, chosen: Ints) -> Coordinates:
    return Coordinates(coordinates.values[:, chosen], coordinates.degrees[chosen], coordinates.feature[chosen])
