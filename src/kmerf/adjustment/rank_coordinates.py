"""What is compared of x and y: polynomials of the ranks of each number, and each class.

A number has up to four polynomials of its ranks (level, spread, skewness, tails), of m different values m - 1 of them.
Where values are missing, a number's polynomials are those of the values known and zero elsewhere, and that it is
missing is one more coordinate, a level. With many columns the highest degrees are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kmerf.core.arrays import Bools, Floats, Ints
from kmerf.data.sample import all_levels
from kmerf.forests.targets import rank_polynomials

if TYPE_CHECKING:
    from kmerf.data.sample import Features, Response

MAX_DEGREE = 4
MAX_COORDINATES = 48  # of one side, before degrees are left out


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Numbers for each row, centred and with variance 1."""

    values: Floats  # (n, q)
    degrees: Ints  # (q,), 1 for levels, classes and what is missing
    feature: Ints  # (q,), the original column that each is of

    @property
    def levels(self) -> Floats:
        """One for coordinates of degree 1, zero for others."""
        return np.asarray(self.degrees == 1, dtype=np.float64)

    def some(self, columns: Bools) -> Coordinates:
        """Return some of them (q,)."""
        return Coordinates(self.values[:, columns], self.degrees[columns], self.feature[columns])


def of_features(x: Features) -> Coordinates:
    """Return the coordinates of x, or of any columns."""
    x = all_levels(x)
    classes = np.array([kind == "categorical" for kind in x.kinds])[x.column_of]
    return _coordinates(x.values, classes, x.column_of)


def of_response(y: Response) -> Coordinates:
    """Return the coordinates of y."""
    classes = np.full(y.q, y.codes is not None)
    return _coordinates(y.values, classes, np.zeros(y.q, np.int64) if y.codes is not None else np.arange(y.q))


def shapes_of(coordinates: Coordinates, levels: Floats) -> Floats:
    """Return the coordinates of degrees above 1 of other levels (n, k): columns in place of those of degree 1."""
    owners, degrees = coordinates.feature[coordinates.degrees == 1], coordinates.degrees
    first = {int(owner): k for k, owner in reversed(list(enumerate(owners)))}  # after it, that it is missing
    polynomials = {owner: rank_polynomials(levels[:, k]) for owner, k in first.items()}
    higher = np.flatnonzero(degrees > 1)
    return np.column_stack([polynomials[int(coordinates.feature[j])][:, degrees[j] - 1] for j in higher])


def _coordinates(values: Floats, classes: Bools, feature: Ints) -> Coordinates:
    highest = max(1, min(MAX_DEGREE, MAX_COORDINATES // max(1, values.shape[1])))
    parts, degrees, owners = [], [], []
    for column, is_class, owner in zip(values.T, classes, feature, strict=True):
        present = ~np.isnan(column)
        polynomials = _polynomials(column, present, 1 if is_class else highest)
        missing = (~present).astype(np.float64)[:, None]
        block = np.concatenate([polynomials, (missing - missing.mean()) / (missing.std() or 1.0)], axis=1)
        varies = block.std(axis=0) > 0.0
        parts.append(block[:, varies])
        degrees += [*(np.flatnonzero(varies[:-1]) + 1), *([1] if varies[-1] else [])]
        owners += [owner] * int(varies.sum())
    return Coordinates(np.concatenate(parts, axis=1), np.array(degrees, np.int64), np.array(owners, np.int64))


def _polynomials(column: Floats, present: Bools, highest: int) -> Floats:
    """Return the polynomials of the known values (n, highest): those that m values do not have are zero."""
    polynomials = np.zeros((column.size, highest))
    some = column[present]
    degrees = min(highest, np.unique(some).size - 1)
    if degrees > 0:
        polynomials[present, :degrees] = rank_polynomials(some)[:, :degrees]
    return polynomials
