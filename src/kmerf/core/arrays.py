"""Arrays: their types, read-only arrays, ranks and centring.

Smooth functions of z for the linear part of a regression: lines, cosines of one column, and products of cosines.

With t in [0, 1] the place of a value between the ends of its column (winsorised at the whiskers of a box plot), a
column has the line t, the cosines cos(pi k t) for k = 1, 2, ..., and each two columns have products of their first
cosines. A cosine is divided by k, so that a common penalty prefers smooth functions: it is a prior that falls with the
frequency. Lines are multiplied by 3 and so are hardly penalised.

Columns have a relevance between 0 and 1, which cosines are multiplied by, and products by that of each of their
columns: the penalty then spares columns that matter, and products are those of the most relevant columns. There are
never more functions than rows.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

ROUNDING = 1e-10  # relative difference below which values differ by rounding alone

Scalar = TypeVar("Scalar", bound=np.generic)


def read_only(array: NDArray[Scalar]) -> NDArray[Scalar]:
    """Return a contiguous view of an array that cannot be written to; the array itself stays as it is.

    Compiled kernels are built for arrays that are contiguous and read-only, so this is also what keeps them few.

    >>> read_only(np.zeros(3)).flags.writeable
    False
    """
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view


def without_rounding(values: Floats, observed: float) -> tuple[Floats, float]:
    """Return permuted statistics and the observed one for a picture; values that differ by rounding alone become one.

    >>> without_rounding(np.array([0.1 + 0.2, 0.3]), 0.4)
    (array([0.3, 0.3]), 0.4)
    """
    if np.ptp(values) > ROUNDING * np.abs(values).max():
        return values, observed
    one = float(values[0])
    return np.full(values.shape, one), one if abs(observed - one) <= ROUNDING * abs(one) else observed


def mid_ranks(values: NDArray[Any]) -> Floats:
    """Return the rank of each value, from 1; equal values share the mean of their ranks.

    >>> mid_ranks(np.array([10.0, 30.0, 10.0, 20.0])).tolist()
    [1.5, 4.0, 1.5, 3.0]
    """
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: Floats = (np.cumsum(counts) - (counts - 1) / 2.0)[codes.reshape(-1)]
    return ranks


def centred(values: Floats) -> Floats:
    """Return the columns less their means; constant ones exactly zero, whatever the mean was rounded to."""
    result = np.ascontiguousarray(values - values.mean(axis=0))
    result[:, (values == values[0]).all(axis=0)] = 0.0
    return result


def row_shares(values: Floats) -> Floats:
    """Return the share that each entry has in the sum of its row; zeros for a row of zeros.

    >>> row_shares(np.array([[1.0, 3.0], [0.0, 0.0]])).tolist()
    [[0.25, 0.75], [0.0, 0.0]]
    """
    total = values.sum(axis=1, keepdims=True)
    shares: Floats = np.divide(values, total, out=np.zeros_like(values), where=total > 0)
    return shares


MOST_WAVES = 24  # of one column
PRODUCT_WAVES = 5  # of a column, that take part in products of two
TRIPLE_WAVES = 2  # of a column, that take part in products of three
MOST_PAIRED, MOST_TRIPLED = 6, 4  # columns that take part in them
MOST_FUNCTIONS = 400
INDEX_WAVES = 6  # of a linear combination of all columns

_LINE = 3.0
INTERACTION_SCALE = 0.7  # of products, for each of their columns but one
_FEWEST_WAVES = 3
_FLAT = 1e-9  # a standard deviation that is none


def impute_median(z: Floats) -> Floats:
    """Fill missing values with the median of their column, and add a column that says where they were.

    >>> impute_median(np.array([[1.0], [np.nan], [3.0]])).tolist()
    [[1.0, 0.0], [2.0, 1.0], [3.0, 0.0]]
    """
    missing = np.isnan(z)
    if not missing.any():
        return z
    columns = []
    for values, lost in zip(z.T, missing.T, strict=True):
        middle = float(np.median(values[~lost])) if not lost.all() else 0.0
        columns.append(np.where(lost, middle, values))
    return np.column_stack([*columns, *(lost.astype(np.float64) for lost in missing.T if lost.any())])


def lines(z: Floats) -> Floats:
    """Return the columns that vary, drawn in, with mean 0 and variance 1."""
    return _standard([winsorise(column) for column in z.T], z.shape[0])


def functions(z: Floats, relevance: Floats | None = None) -> Floats:
    """Return the basis (n, functions) of complete columns z; without relevances (p,), all columns are alike."""
    varies = np.ptp(z, axis=0) > 0.0
    relevance = (np.ones(z.shape[1]) if relevance is None else relevance)[varies]
    z = z[:, varies]
    n, p = z.shape
    n_waves = max(_FEWEST_WAVES, min(MOST_WAVES, n // (3 * p), MOST_FUNCTIONS // (2 * p))) if p else 0
    single = [
        cosine_basis(column, max(n_waves, PRODUCT_WAVES)) * own for column, own in zip(z.T, relevance, strict=True)
    ]
    parts = [_LINE * lines(z), *(each[:, :n_waves] for each in single)]
    room = min(n, MOST_FUNCTIONS) - sum(part.shape[1] for part in parts)
    for chosen, first in _interactions(relevance):
        more = _product([single[j][:, :first] for j in chosen])
        if more.shape[1] > room:
            break
        room -= more.shape[1]
        parts.append(more)
    return np.concatenate(parts, axis=1)


def _interactions(relevance: Floats) -> list[tuple[tuple[int, ...], int]]:
    """Return twos and threes of columns, the most relevant first, and how many cosines of each take part."""
    order = [int(j) for j in np.argsort(-relevance, kind="stable")]
    found: list[tuple[tuple[int, ...], int]] = [(two, PRODUCT_WAVES) for two in combinations(order[:MOST_PAIRED], 2)]
    found += [(three, TRIPLE_WAVES) for three in combinations(order[:MOST_TRIPLED], 3)]
    return sorted(found, key=lambda each: -float(relevance[list(each[0])].prod()))


def all_cosine_bases(z: Floats, rows: int) -> list[Floats]:
    """Return the cosines of each complete column, a fortieth as many as rows; each costs power, as a row less would."""
    most = min(MOST_WAVES, rows // 40)
    return [cosine_basis(column, most) for column in z.T] if most else []


def cosine_basis(column: Floats, most: int) -> Floats:
    """Return the first cosines of a column; a column of m different values has m - 1 of them at most.

    >>> cosine_basis(np.array([0.0, 0.0, 1.0, 1.0]), 5).tolist()
    [[1.0], [1.0], [-1.0], [-1.0]]
    """
    drawn = winsorise(column)
    if np.ptp(drawn) == 0.0:
        return np.empty((column.size, 0))
    place = (drawn - drawn.min()) / np.ptp(drawn)
    numbers = range(1, min(most, np.unique(drawn).size - 1) + 1)
    unit = [_standard([np.cos(np.pi * k * place)], column.size) / k for k in numbers]
    return np.concatenate(unit, axis=1)


def _product(columns: list[Floats]) -> Floats:
    every = columns[0]
    for more in columns[1:]:
        every = INTERACTION_SCALE * (every[:, :, None] * more[:, None, :]).reshape(every.shape[0], -1)
    every = every - every.mean(axis=0)
    return np.asarray(every[:, every.std(axis=0) > _FLAT])


def winsorise(x: Floats, fence: float = 1.5) -> Floats:
    """Clip each column `fence` interquartile ranges beyond its quartiles, by default as the whiskers of a box plot.

    A column with equal quartiles, such as one with few ones among zeros, stays as it is.

    >>> winsorise(np.array([[0.0], [1.0], [2.0], [3.0], [99.0]])).ravel()
    array([0., 1., 2., 3., 6.])
    """
    low, high = np.quantile(x, [0.25, 0.75], axis=0)
    reach = np.where(high > low, fence * (high - low), np.inf)
    return np.clip(x, low - reach, high + reach)


def _standard(columns: list[Floats], n: int) -> Floats:
    kept = [column - column.mean() for column in columns]
    kept = [column / column.std() for column in kept if column.std() > _FLAT]
    return np.column_stack(kept) if kept else np.empty((n, 0))
