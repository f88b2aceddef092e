"""Which rows are equal, and the smallest p-value that they allow where rows change places.

**Keys.** Each row has a key of 64 bits, which equal rows share. Two different rows share one with a probability of
2^-64, so among a million rows no two do. Keys take one pass over the values, where sorting the rows takes long and much
memory.

**The smallest p-value.** Let the rows of y change places by the elements of a group G, drawn at random. Those that
leave y as it is are a subgroup Y, those that leave x as it is a subgroup X, and those that leave both their
intersection. An element that is one of Y followed by one of X gives the data as observed, with rows in another order.
There are |X| |Y| / |X and Y| of these elements, and each gives a statistic that is distributed as the observed one. So
no p-value can be below

    |X| |Y| / (|G| |X and Y|),

the probability that a random arrangement is the observed one. Without blocks, with a_i rows of each value of x, b_j of
each value of y and c_ij of each pair, that is

    prod a_i! prod b_j! / (n! prod c_ij!),

as in Fisher's exact test. If all rows of x differ, it is one over the number of arrangements of y, and the other way
round. A p-value that is a rank respects the bound by itself, but for chance; one from a model of the tail does not.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from kmerf.core.arrays import Ints
    from kmerf.data.exchangeability import Exchange

Keys = NDArray[np.uint64]

_CELLS = 1 << 20  # that are mixed at a time
_MIX = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(32)
_ROUNDING = 1e-12


def row_keys(values: NDArray[Any]) -> Keys:
    """Return a key for each row of an array (n, p); missing cells are equal to each other.

    >>> keys = row_keys(np.array([[1.0, np.nan], [1.0, 2.0], [1.0, np.nan], [0.0, 0.0], [-0.0, 0.0]]))
    >>> bool(keys[0] == keys[2]), bool(keys[0] == keys[1]), bool(keys[3] == keys[4])
    (True, False, True)
    """
    n, p = values.shape
    keys = np.zeros(n, np.uint64)
    wide = max(1, _CELLS // max(n, 1))
    for start in range(0, p, wide):
        part = values[:, start : start + wide].astype(np.float64) + 0.0  # -0.0 becomes 0.0
        part[np.isnan(part)] = np.nan  # of which there are many
        weights = mixed(np.arange(start + 1, start + 1 + part.shape[1], dtype=np.uint64)) | np.uint64(1)
        keys += mixed(mixed(part.view(np.uint64)) + weights).sum(axis=1, dtype=np.uint64)
    return keys


def mixed(keys: Keys) -> Keys:
    """Spread keys over all 64 bits, different ones to different ones."""
    keys = (keys ^ (keys >> _SHIFT)) * _MIX
    keys = (keys ^ (keys >> _SHIFT)) * _MIX
    return keys ^ (keys >> _SHIFT)


def sizes(keys: Keys) -> Ints:
    """Return how many rows there are of each key."""
    return np.unique(keys, return_counts=True)[1].astype(np.int64)


def log_orders(keys: Keys) -> float:
    """Return the logarithm of the number of ways in which rows can change places so that each key stays where it is.

    >>> round(math.exp(log_orders(np.array([1, 1, 1, 2, 2], dtype=np.uint64))))
    12
    """
    counts, times = np.unique(sizes(keys), return_counts=True)
    pairs = zip(counts.tolist(), times.tolist(), strict=True)
    return float(sum(many * math.lgamma(size + 1) for size, many in pairs))


def log_arrangements(
    x: NDArray[Any], y: NDArray[Any], exchange: Exchange | None = None, *, paired: bool = True
) -> float:
    """Return the logarithm of one over the smallest p-value, of rows of x (n, p) and y (n, q).

    By default all rows change places. Without `paired`, it is a bound for every pairing of these rows of x and y, and
    not only for theirs.

    >>> y = np.arange(40.0)[:, None]
    >>> round(math.exp(log_arrangements(y == 7.0, y))), round(math.exp(log_arrangements(y >= 38.0, y)))
    (40, 780)
    """
    first = None if exchange is None else exchange.first
    units = (exchange.units if exchange is not None else ()) or (np.arange(len(y))[:, None],)
    x_keys, y_keys = row_keys(x), row_keys(y)
    if first is not None:  # a line stands for its block, whose rows of x have no order
        inside = np.zeros(len(x), np.uint64)
        np.add.at(inside, first, mixed(x_keys))
        x_keys = inside
    total = sum(math.lgamma(len(rows) + 1) for rows in units)
    alike = np.zeros(3)
    for size in sorted({rows.shape[1] for rows in units}):
        of_size = [rows for rows in units if rows.shape[1] == size]
        lines = np.concatenate(of_size)
        unit = mixed(np.repeat(np.arange(len(of_size), dtype=np.uint64), [len(rows) for rows in of_size]))
        of_x, of_y = (mixed(_line_keys(keys, lines) + unit) for keys in (x_keys, y_keys))
        both = mixed(of_x + np.uint64(1)) + of_y
        alike += [log_orders(of_x), log_orders(of_y), log_orders(both)]
    if not paired:
        return float(total - max(alike[0], alike[1]))
    log = float(total - alike[0] - alike[1] + alike[2])
    return log if log > _ROUNDING * total else 0.0


def _line_keys(keys: Keys, lines: Ints) -> Keys:
    """Return a key for each line (k, size) of rows, from those of its rows in their order."""
    places = mixed(np.arange(1, lines.shape[1] + 1, dtype=np.uint64))
    return np.asarray(mixed(keys[lines] + places).sum(axis=1, dtype=np.uint64))
