"""Kaplan and Meier's curves of the rows on both sides of one column: a picture of a censored outcome.

Categories have a curve each, those with most rows. Numbers are cut once, where a tree would: where the mean scores of
the two sides (`kmerf.data.censoring`) differ most, weighted by their rows, with a tenth of them or more on each side.
The cut was looked for, so the distance of the curves is no test; that is the p-value's business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kmerf.data.censoring import life_table
from kmerf.results.views import SurvivalCurve, SurvivalCurves

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints
    from kmerf.data.sample_values import Features, Response

MOST_CURVES = 5
_SMALLEST_SIDE = 0.1
_CUTS = 81  # between the smallest side and the largest


def survival_curves(x: Features, y: Response, feature: int) -> SurvivalCurves | None:
    """Return the curves of the rows by one column of x; None where y has no times."""
    if y.followed is None:
        return None
    groups = _category_rows(x, feature) if x.categories[feature] else _sides(x, y, feature)
    curves = []
    for label, rows in groups:
        followed = y.followed.take(rows)
        table = life_table(followed)
        curves.append(SurvivalCurve(label, rows.size, int(followed.event.sum()), table.times, table.surviving))
    return SurvivalCurves(x.names[feature], y.names[0].rpartition(",")[0], tuple(curves))


def _category_rows(x: Features, feature: int) -> list[tuple[str, Ints]]:
    codes = x.column(feature)
    groups = [(label, np.flatnonzero(codes == k)) for k, label in enumerate(x.categories[feature])]
    largest = sorted((each for each in groups if each[1].size), key=lambda each: -each[1].size)[:MOST_CURVES]
    return [each for each in groups if any(each[0] == label for label, _ in largest)]


def _sides(x: Features, y: Response, feature: int) -> list[tuple[str, Ints]]:
    values = x.values[:, int(np.flatnonzero(x.column_of == feature)[0])]
    rows = np.flatnonzero(~np.isnan(values))
    cut = best_cut(values[rows], y.values[rows])
    low, high = rows[values[rows] <= cut], rows[values[rows] > cut]
    sides = [(f"up to {cut:.4g}", low), (f"above {cut:.4g}", high)]
    missing = np.flatnonzero(np.isnan(values))
    return [(label, side) for label, side in (*sides, ("missing", missing)) if side.size]


def best_cut(values: Floats, scores: Floats) -> float:
    """Return the value up to which rows are on the lower side.

    >>> best_cut(np.arange(10.0), np.array([[0.0]] * 6 + [[1.0]] * 4))
    5.0
    """
    cuts = np.unique(np.quantile(values, np.linspace(_SMALLEST_SIDE, 1 - _SMALLEST_SIDE, _CUTS), method="lower"))
    gains = []
    for cut in cuts:
        low = values <= cut
        count = int(low.sum())
        apart = scores[low].mean(axis=0) - scores[~low].mean(axis=0) if count < values.size else np.zeros(1)
        gains.append(float(count * (values.size - count) * (apart**2).sum()))
    return float(cuts[int(np.argmax(gains))])
