"""What would be left if all rows had the same z: adjusted means of y, adjusted rows, and weights of rows.

Pictures of an answer given z must not show what z does. So y is regressed on the bins of one column of x and on z,

    y = beta[bin] + s(z) + e,

with s straight in each number of z and bent at its quartiles, and free in its categories. A row is then drawn at

    beta[bin] + e + c,    c such that the mean of all rows stays that of y,

so the mean of the rows of a bin is exactly the adjusted mean of that bin: what the regression predicts at the mean of
z, in the units of y. Its standard error is that of least squares. Subjects, sites and other blocks are one more
category of z. A category with many levels is removed by taking every column less its mean in each level, which is the
same as a column per level (Frisch and Waugh).

For survival curves, rows are weighted by P(group) / P(group | z) instead, the second from a multinomial logistic
regression on the same functions of z: weighted so, z is spread alike in all groups.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kmerf.data.sample import common_levels

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints
    from kmerf.data.sample import Features

_KNOTS = (0.25, 0.5, 0.75)
_ROWS_PER_COLUMN = 8  # with fewer rows per function of z, numbers of z are straight lines
_MIN_SPREAD = 1e-9  # of a column, relative to what it was before the means of levels were removed
_MAX_WEIGHT = 10.0  # of a row
_STEPS = 50
_PENALTY = 1e-4  # of the logistic regression, per row, so that it ends if z separates the groups


class Covariate(NamedTuple):
    """Functions of z: columns of numbers, and the levels of one category that is removed by its means."""

    functions: Floats
    """(n, k), each centred."""
    levels: Ints | None = None


class AdjustedMeans(NamedTuple):
    """Y with z removed, for one column of x."""

    rows: Floats
    """Each row of y at the mean of z (n, q)."""
    means: Floats
    """Of the bins (bins, q)."""
    errors: Floats
    """Standard errors of the means (bins, q); NaN where there is nothing left to estimate them from."""


def covariate(z: Features) -> Covariate:
    """Return functions of z that are to be removed.

    >>> from kmerf.reading.samples import read_features
    >>> covariate(read_features({"age": [20, 31, 42, 53], "sex": list("fmfm")}, categorical="sex")).functions.shape
    (4, 3)
    """
    codes = [(int(count), k) for k, count in enumerate(z.levels) if count]
    largest = max(codes)[1] if codes else None
    spread = common_levels(z)
    owner = None if largest is None else z.column_of[largest]
    columns = [j for j in range(spread.values.shape[1]) if spread.column_of[j] != owner]
    bent = z.n >= _ROWS_PER_COLUMN * (1 + len(_KNOTS)) * max(1, len(columns))
    parts = [_functions(spread.values[:, j], bent) for j in columns]
    functions = np.column_stack([*parts, np.empty((z.n, 0))])
    return Covariate(functions - functions.mean(axis=0), None if largest is None else _codes(z.values[:, largest]))


def _codes(values: Floats) -> Ints:
    return np.unique(np.where(np.isnan(values), -1.0, values), return_inverse=True)[1].reshape(-1)


def _functions(values: Floats, bent: bool) -> Floats:
    """Return a column, its bends at the quartiles, and where it is missing; each is scaled."""
    missing = np.isnan(values)
    known = values[~missing]
    filled = np.where(missing, known.mean() if known.size else 0.0, values)
    distinct = np.unique(known)
    knots = np.unique(np.quantile(known, _KNOTS)) if bent and distinct.size > 2 + len(_KNOTS) else np.empty(0)
    bends = [np.maximum(filled - knot, 0.0) for knot in knots if distinct[0] < knot < distinct[-1]]
    columns = np.column_stack([filled, *bends, *([missing.astype(np.float64)] if missing.any() else [])])
    spread = columns.std(axis=0)
    return np.asarray((columns / np.where(spread > 0.0, spread, 1.0))[:, spread > 0.0])


def adjust(y: Floats, bins: Ints, z: Covariate) -> AdjustedMeans:
    """Remove z from y (n, q) beside one column of x, given as the bin of each row."""
    n, count = len(bins), int(bins.max()) + 1
    member = np.zeros((n, count))
    member[np.arange(n), bins] = 1.0
    inner_y, inner_x, inner_z = (_inside(values, z.levels) for values in (y, member, z.functions))
    scale = z.functions.std(axis=0)
    inner_z = inner_z[:, inner_z.std(axis=0) > _MIN_SPREAD * np.where(scale > 0.0, scale, 1.0)]
    columns = np.column_stack([inner_x, inner_z])
    coefficients, _, rank, _ = np.linalg.lstsq(columns, inner_y, rcond=1e-10)
    residuals = inner_y - columns @ coefficients
    share = member.mean(axis=0)
    beta = coefficients[:count]
    means = y.mean(axis=0) + beta - share @ beta
    free = n - int(rank) - (0 if z.levels is None else int(z.levels.max()) + 1)
    variance = (residuals**2).sum(axis=0) / free if free > 0 else np.full(y.shape[1], np.nan)
    contrasts = np.eye(count) - share
    inverse = np.linalg.pinv(columns.T @ columns, rcond=1e-10, hermitian=True)[:count, :count]
    spread = np.einsum("ij,jk,ik->i", contrasts, inverse, contrasts) + 1.0 / n
    return AdjustedMeans(means[bins] + residuals, means, np.sqrt(np.maximum(spread, 0.0)[:, None] * variance))


def _inside(values: Floats, levels: Ints | None) -> Floats:
    """Return columns less their mean in each level; as they are without levels."""
    if levels is None:
        return values
    sizes = np.bincount(levels)
    sums = np.empty((sizes.size, values.shape[1]))
    for k, column in enumerate(values.T):
        sums[:, k] = np.bincount(levels, column)
    return np.asarray(values - (sums / sizes[:, None])[levels])


def weights(groups: Ints, z: Covariate) -> Floats:
    """Return the weight of each row with which z is spread alike in all groups; on average 1 in each group."""
    functions = z.functions
    if z.levels is not None:  # as shares of the groups among the other rows of a level
        sizes = np.bincount(z.levels)
        inside = [(np.bincount(z.levels, groups == k) / sizes)[z.levels] for k in range(1, int(groups.max()) + 1)]
        functions = np.column_stack([functions, *inside])
    chance = memberships(groups, functions)
    overall = np.bincount(groups) / groups.size
    raw = np.minimum(overall[groups] / chance[np.arange(groups.size), groups], _MAX_WEIGHT)
    means = np.bincount(groups, raw) / np.bincount(groups)
    return np.asarray(raw / means[groups])


def memberships(groups: Ints, functions: Floats) -> Floats:
    """Return the probability of each group for each row (n, groups): multinomial logistic regression, by Newton."""
    n, count = groups.size, int(groups.max()) + 1
    design = np.column_stack([np.ones(n), functions])
    wide = design.shape[1]
    target = np.eye(count)[groups][:, 1:]
    coefficients = np.zeros((wide, count - 1))
    penalty = np.full((wide, count - 1), _PENALTY * n)
    penalty[0] = 0.0
    for _ in range(_STEPS):
        chance = _softmax(design @ coefficients)[:, 1:]
        slope = design.T @ (target - chance) - penalty * coefficients
        curve = np.diag(penalty.T.ravel())
        for a in range(count - 1):
            for b in range(count - 1):
                joint = chance[:, a] * ((a == b) - chance[:, b])
                curve[a * wide : (a + 1) * wide, b * wide : (b + 1) * wide] += (design * joint[:, None]).T @ design
        step = np.linalg.lstsq(curve, slope.T.ravel(), rcond=1e-12)[0].reshape(count - 1, wide).T
        coefficients = coefficients + step * min(1.0, 5.0 / max(float(np.abs(step).max()), 1e-300))
        if np.abs(step).max() < 1e-8:
            break
    return _softmax(design @ coefficients)


def _softmax(scores: Floats) -> Floats:
    full = np.column_stack([np.zeros(len(scores)), scores])
    raised = np.exp(full - full.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))
