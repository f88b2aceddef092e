"""How strong the relation of two columns of any type is, on one scale from 0 to 1, and which way it goes.

The effect is a correlation: its square is the share of one column that the other explains, less what chance explains.
With n rows that have both values,

- of two columns of numbers, r^2 = 1 - (1 - rho^2) (n - 1) / (n - 2), with rho the rank correlation of Spearman. If a
  curve explains clearly more than the line does (an F test of ten parts of one column on what the line leaves of the
  other, p <= 0.01 in one direction or the other), the share of the variance of ranks between these parts takes its
  place, the larger one of both directions (`kmerf.explain.column_effects`);
- of numbers and a category, the share of the variance of ranks between the levels, adjusted for chance (epsilon
  squared);
- of two categories, the squared V of Cramer, adjusted for chance (Bergsma 2013).

Negative shares count as 0. Columns are put in the order of a tree of clusters (average linkage of one minus the
effect), so that columns that belong together are neighbours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kmerf.core.arrays import mid_ranks
from kmerf.explain.column_effects import cramer, explained, parts

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints

CURVED_LEVEL = 0.01  # of the test of whether a curve explains more than a line
_MAX_ORDERED = 200  # columns up to which neighbouring branches are also turned


class PairEffect(NamedTuple):
    """The relation of two columns."""

    size: float
    sign: int
    """1 if both rise together, -1 if one falls as the other rises, 0 if there is no direction."""
    direction: str


def pair_effect(a: Floats, a_levels: tuple[str, ...], b: Floats, b_levels: tuple[str, ...]) -> PairEffect:
    """Measure two columns without missing values: numbers, or the codes of the levels of a category.

    >>> pair_effect(np.arange(9.0), (), -np.arange(9.0), ())
    PairEffect(size=1.0, sign=-1, direction='falls')
    """
    if a_levels and b_levels:
        return PairEffect(float(np.sqrt(cramer(a.astype(np.int64), b.astype(np.int64)))), 0, "")
    if b_levels:
        return pair_effect(b, b_levels, a, a_levels)
    if a_levels:
        return _by_levels(a.astype(np.int64), a_levels, mid_ranks(b))
    return _numbers(a, b)


def _by_levels(codes: Ints, levels: tuple[str, ...], ranks: Floats) -> PairEffect:
    share = explained(ranks, codes)
    if share <= 0.0:
        return PairEffect(0.0, 0, "")
    present = np.unique(codes)
    highest = present[np.argmax([ranks[codes == k].mean() for k in present])]
    return PairEffect(float(np.sqrt(share)), 0, f"highest in {levels[highest]}")


def _numbers(a: Floats, b: Floats) -> PairEffect:
    n = a.size
    ranks = mid_ranks(a), mid_ranks(b)
    rho = float(np.clip(np.corrcoef(*ranks)[0, 1], -1.0, 1.0))
    share = max(0.0, 1.0 - (1.0 - rho**2) * (n - 1) / (n - 2))
    curves = [_curve(x, r, s, rho) for x, r, s in ((a, *ranks), (b, *ranks[::-1]))]
    curved = max(curves) > share
    sign = int(np.sign(rho)) if abs(rho) > 1.96 / np.sqrt(n - 1) else 0
    direction = {1: "rises", -1: "falls"}.get(sign, "curved" if curved else "")
    return PairEffect(float(np.sqrt(max(share, *curves))), sign, direction)


def _curve(x: Floats, x_ranks: Floats, y_ranks: Floats, rho: float) -> float:
    """Return the share that ten parts of x explain of the ranks of y; 0 unless it is clearly more than the line."""
    from scipy.special import fdtrc

    classes = parts(x)
    count, n = int(classes.max()) + 1, x.size
    if count < 3 or n <= count + 1:
        return 0.0
    left = y_ranks - y_ranks.mean() - rho * y_ranks.std() / x_ranks.std() * (x_ranks - x_ranks.mean())
    sizes = np.bincount(classes, minlength=count)
    between = float((np.bincount(classes, weights=left, minlength=count) ** 2 / np.maximum(sizes, 1)).sum())
    within = float((left**2).sum()) - between
    used = int((sizes > 0).sum())
    if within <= 1e-9 * n or used < 3:
        return explained(y_ranks, classes) if between > 1e-6 * n else 0.0
    ratio = (between / (used - 2)) / (within / (n - used))
    return explained(y_ranks, classes) if fdtrc(used - 2, n - used, ratio) <= CURVED_LEVEL else 0.0


def cluster_order(effects: Floats) -> Ints:
    """Return columns in the order of a tree of clusters, from effects (p, p); NaN counts as none.

    >>> table = np.array([[1.0, 0.1, 0.9], [0.1, 1.0, 0.2], [0.9, 0.2, 1.0]])
    >>> cluster_order(table).tolist()
    [1, 2, 0]
    """
    from scipy.cluster.hierarchy import leaves_list, linkage

    p = len(effects)
    if p < 3:
        return np.arange(p)
    distances = 1.0 - np.nan_to_num(effects)[np.triu_indices(p, 1)]
    return np.asarray(leaves_list(linkage(distances, "average", optimal_ordering=p <= _MAX_ORDERED)), dtype=np.int64)
