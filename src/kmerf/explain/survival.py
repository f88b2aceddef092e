"""Kaplan-Meier curves of the rows on both sides of one column: a picture of a censored outcome.

Categories have a curve each, those with most rows. Numbers are cut once, where a tree would: where the mean scores of
the two sides (`kmerf.data.censoring`) differ most, weighted by their rows, with a tenth of them or more on each side.
The cut was looked for, so the distance of the curves is no test; that is the p-value's business.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kmerf.data.censoring import life_table
from kmerf.results.views import SurvivalCurve, SurvivalCurves

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints
    from kmerf.data.sample_values import Features, Response

MOST_CURVES = 5
_SMALLEST_SIDE = 0.1
_CUTS = 81  # between the smallest side and the largest
_CLEARLY = 3.0  # standard errors, as the cut, or the category, was looked for


class RowGroup(NamedTuple):
    """The rows of one curve."""

    label: str
    rows: Ints


def survival_curves(x: Features, y: Response, feature: int) -> SurvivalCurves | None:
    """Return the curves of the rows by one column of x; None where y has no times."""
    if y.followed is None:
        return None
    groups = _categories(x, feature) if x.categories[feature] else _sides(x, y, feature)
    ranked = sorted(groups, key=lambda group: -group.rows.size)
    drawn = [group for group in groups if any(group is each for each in ranked[:MOST_CURVES])]
    curves = []
    for label, rows in drawn:
        followed = y.followed.take(rows)
        table = life_table(followed)
        curves.append(SurvivalCurve(label, rows.size, int(followed.event.sum()), table.times, table.surviving))
    time, event = y.columns
    left_out = len(groups) - len(drawn)
    return SurvivalCurves(x.names[feature], time, tuple(curves), event, left_out, soonest(drawn, y.values[:, 0]))


def soonest(groups: Sequence[RowGroup], scores: Floats) -> str:
    """Return the label of the rows with events clearly sooner than the other rows, by their log-rank scores.

    >>> groups = [RowGroup("a", np.arange(20)), RowGroup("b", np.arange(20, 40))]
    >>> soonest(groups, np.repeat([1.0, -1.0], 20)), soonest(groups, np.tile([1.0, -1.0], 20))
    ('a', '')
    """
    if len(groups) < 2:
        return ""
    best = max(groups, key=lambda group: float(scores[group.rows].mean()))
    others = np.concatenate([group.rows for group in groups if group is not best])
    mine, theirs = scores[best.rows], scores[others]
    error = np.sqrt(mine.var() / mine.size + theirs.var() / theirs.size)
    return best.label if mine.mean() - theirs.mean() > _CLEARLY * error else ""


def _categories(x: Features, feature: int) -> list[RowGroup]:
    codes = x.column(feature)
    groups = [RowGroup(label, np.flatnonzero(codes == k)) for k, label in enumerate(x.categories[feature])]
    return _with_rows([*groups, RowGroup("missing", np.flatnonzero(np.isnan(codes)))])


def _sides(x: Features, y: Response, feature: int) -> list[RowGroup]:
    values = x.values[:, int(np.flatnonzero(x.column_of == feature)[0])]
    rows = np.flatnonzero(~np.isnan(values))
    cut = best_cut(values[rows], y.values[rows])
    low, high = rows[values[rows] <= cut], rows[values[rows] > cut]
    missing = RowGroup("missing", np.flatnonzero(np.isnan(values)))
    return _with_rows([RowGroup(f"up to {cut:.4g}", low), RowGroup(f"above {cut:.4g}", high), missing])


def _with_rows(groups: Sequence[RowGroup]) -> list[RowGroup]:
    return [group for group in groups if group.rows.size]


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
