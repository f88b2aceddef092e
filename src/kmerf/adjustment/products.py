"""Do the residuals of x and y go together? Three component statistics of their products.

With residuals a of x's coordinates and b of y's, scaled to variance 1, the products a_ij b_ik average to zero if x
and y are independent given z and z is removed well. Each average, divided by its standard error, is nearly normal,
t_jk, and the three components are sums of squares:

    level    t_jk of degree 1: y rises or falls with x (GCM of Shah and Peters 2020, on ranks)
    shape    all t_jk, divided by the product of their degrees: spread, bends, dependence of other kinds
    varying  products of degrees 1 and 2 times the rank of each column of z: relations that differ with z, and may
             cancel on average (the weighted GCM of Scheidegger, Hoerrmann and Buehlmann 2022)

Regressions of x and y on the same functions of z make their residuals a little more alike than the spread of single
products tells: after d degrees of freedom, t^2 is n / (n - d) on average, as in a partial correlation. So t^2 is
multiplied by 1 - d / n, with d the smaller of what the two regressions spent. Products that are multiplied by a column
of z are alike only as far as the functions that were spent vary with that column: of k columns, each function varies
with one or two, so that d is 2 d / k for them. Columns that go together count as fewer: k is the square of the sum of
the eigenvalues of their correlations, divided by the sum of the squares.

Regressions on z never remove all of it, and what is left in x and in y is taken for a relation. How much is left is
seen from coarser regressions, with residuals a' and b': E[a'b'] - E[ab] is how far the common remainder fell, and it
would fall further with finer ones. If it is in proportion to a power of the rows, as for regressions whose error is not
all noise, what remains is some share of what fell; so the products are a b - REMAINDER_RATIO (a'b' - a b). The same
differences tell whether the remainder is worth a warning (`shrinking`).

Given the correlations R of the products, a sum of w t^2 has cumulants tr S, 2 tr S^2 and 8 tr S^3 with
S = w^1/2 R w^1/2; a gamma distribution with these three gives its p-value. `kmerf.nulls.definitions.combine_pvalues`
makes one p-value of those of the components.

What is compared of x and y: polynomials of the ranks of each number, and each class.

A number has up to four polynomials of its ranks (level, spread, skewness, tails), of m different values m - 1 of them.
Where values are missing, a number's polynomials are those of the values known and zero elsewhere, and that it is
missing is one more coordinate, a level. With many columns the highest degrees are left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kmerf.core.arrays import Bools, Floats, Ints, mid_ranks
from kmerf.data.sample import all_levels
from kmerf.forests.growing import rank_polynomials

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


WEIGHTS = {"level": 0.6, "shape": 0.1, "varying": 0.3}  # most questions are about levels
REMAINDER_RATIO = 1.0 / (math.sqrt(2.0) - 1.0)  # of what fell with twice the rows, where the remainder is as n^-1/2
MAX_VARYING = 400  # products with columns of z; beyond, principal directions of z stand for its columns

_FLAT = 1e-12
_TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True, eq=False)
class Component:
    """A sum of squared averages: of products of two sets of columns, each with a weight."""

    name: str
    left: Floats  # (n, k)
    right: Floats  # (n, r)
    weights: Floats  # (k, r), zero for products that do not count
    spent: Floats  # (k, r), the share of the rows that regressions spent on both columns
    coarse: tuple[Floats, Floats] | None = None  # left and right of coarser regressions
    means: float = 0.0  # the share of the rows that went into means of strata, which permuted rows have lost as well
    exact: bool = False  # whether ranks among permuted statistics are exact, so that averages need no standard errors

    def statistic(self) -> float:
        """Return the sum of w t^2."""
        return float(self._sums(1.0 - self.spent, np.arange(self.left.shape[0])[None])[0])

    def permuted(self, orders: Ints) -> Floats:
        """Return the same (b,) with the rows on the right in other orders (b, n)."""
        return self._sums(np.full(self.spent.shape, 1.0 - self.means), orders)

    def _sums(self, unspent: Floats, orders: Ints) -> Floats:
        n, parts = self.left.shape[0], self._parts
        if self.exact:  # standard errors are largest where there is a relation, and cost power
            sizes = np.multiply.outer((self.right**2).mean(axis=0), (self.left**2).mean(axis=0))[:, None]
            mean = self.right.T[:, orders] @ self.left / n
            squares = np.divide(n * mean**2, sizes, out=np.zeros_like(mean), where=sizes > _FLAT)
            return np.asarray(np.einsum("rbk,kr->b", squares, self.weights * unspent))
        mean, square = (np.zeros((self.right.shape[1], len(orders), self.left.shape[1])) for _ in range(2))
        for share, left, right in parts:
            mean += share / n * (right.T[:, orders] @ left)
            for other, left_too, right_too in parts:
                square += share * other / n * ((right * right_too).T[:, orders] @ (left * left_too))
        variance = square - mean**2
        squares = np.divide(n * mean**2, variance, out=np.zeros_like(mean), where=variance > _FLAT)
        return np.asarray(np.einsum("rbk,kr->b", squares, self.weights * unspent))

    @property
    def _parts(self) -> list[tuple[float, Floats, Floats]]:
        """What products are added up of: shares, and the columns on the left and right."""
        if self.coarse is None:
            return [(1.0, self.left, self.right)]
        return [(1.0 + REMAINDER_RATIO, self.left, self.right), (-REMAINDER_RATIO, *self.coarse)]

    def cumulants(self) -> tuple[float, float, float] | None:
        """Return the cumulants of the statistic where x and y are independent given z; None if no product varies."""
        rows, columns = np.nonzero(self.weights)
        products = sum(share * left[:, rows] * right[:, columns] for share, left, right in self._parts)
        centred = products - np.mean(products, axis=0)
        spread = centred.std(axis=0)
        varies = spread**2 > _FLAT
        if not varies.any():
            return None
        size = np.sqrt(self.weights[rows, columns][varies] / centred.shape[0])
        scaled = centred[:, varies] * (size / spread[varies])
        return cumulants(scaled.T @ scaled)

    def invariants(self) -> tuple[float, float, float] | None:
        """Return cumulants that are the same for every order of the rows; None if no product varies.

        The correlation of two products is taken to be the product of those of their columns. As permuted statistics
        are then scored by the very function that scores the observed one, ranks among them are exact.
        """
        rows, columns = np.nonzero(self.weights)
        varies = (self.left.std(axis=0) > _FLAT)[rows] & (self.right.std(axis=0) > _FLAT)[columns]
        if not varies.any():
            return None
        rows, columns = rows[varies], columns[varies]
        alike = _correlations(self.left)[np.ix_(rows, rows)] * _correlations(self.right)[np.ix_(columns, columns)]
        size = np.sqrt(self.weights[rows, columns])
        return cumulants(alike * np.multiply.outer(size, size))

    def shrinking(self) -> float:
        """Return the p-value of whether an average product shrinks as regressions get finer; 1 if all are as fine.

        It is the smallest of those of single products, times their number.
        """
        from scipy.special import ndtr

        if self.coarse is None:
            return 1.0
        rows, columns = np.nonzero(self.weights)
        fine, coarse = (a[:, rows] * b[:, columns] for a, b in ((self.left, self.right), self.coarse))
        fell = (coarse - fine) * np.sign(fine.mean(axis=0))
        size = np.sqrt((fell**2).sum(axis=0))
        scores = np.divide(fell.sum(axis=0), size, out=np.zeros(size.shape), where=size > _FLAT)
        return min(1.0, float(scores.size * ndtr(-scores.max())))


def cumulants(S: Floats) -> tuple[float, float, float]:
    """Return the first three cumulants of g' S g for standard normal g.

    >>> cumulants(np.eye(3))
    (3.0, 6.0, 24.0)
    """
    square = S @ S
    return float(np.trace(S)), 2.0 * float(np.trace(square)), 8.0 * float((square * S).sum())


def tail(values: Floats, mean: float, variance: float, third: float) -> Floats:
    """Return the probabilities that a gamma variable with these cumulants, shifted, is at or above each value.

    >>> tail(np.array([7.814728]), 3.0, 6.0, 24.0).round(6).tolist()  # chi-square with 3 degrees of freedom
    [0.05]
    """
    from scipy.special import gammaincc

    shape = 4.0 * variance**3 / third**2
    at = shape + (values - mean) * np.sqrt(shape / variance)
    return np.asarray(np.maximum(gammaincc(shape, np.maximum(at, 0.0)), _TINY))


@dataclass(frozen=True, eq=False)
class Residuals:
    """What z leaves of a variable, by coordinates, each with its degree and the degrees of freedom spent on it."""

    values: Floats  # (n, q)
    degrees: Ints  # (q,)
    freedom: Floats  # (q,)
    coarse: Floats | None = None  # what coarser regressions leave (n, q)
    means: float = 0.0  # those degrees of freedom that went into means of strata
    explained: float = 0.0  # share of the variance of its levels that z explains, for rows not seen
    lack_of_fit: float = 1.0  # p-value of whether the residuals still depend on z

    @property
    def levels(self) -> Residuals:
        """The coordinates of degree 1."""
        return self.some(self.degrees == 1)

    def some(self, columns: Bools) -> Residuals:
        """Return some of the columns (q,)."""
        coarse = None if self.coarse is None else self.coarse[:, columns]
        values, degrees, freedom = self.values[:, columns], self.degrees[columns], self.freedom[columns]
        return replace(self, values=values, degrees=degrees, freedom=freedom, coarse=coarse)

    def scaled(self) -> Residuals:
        """Return residuals of variance 1: coarse ones are larger, and relations of larger residuals are, too."""
        return replace(self, values=_scaled(self.values), coarse=None if self.coarse is None else _scaled(self.coarse))


def components(x: Residuals, y: Residuals, z: Floats) -> list[Component]:
    """Return the components of the test of residuals of x and of y; `z` (n, m) are the modifiers."""
    x, y = x.scaled(), y.scaled()
    a, b = x.levels, y.levels
    every = [_component("level", a, b, np.ones((a.degrees.size, b.degrees.size)))]
    degrees = np.multiply.outer(x.degrees, y.degrees)
    if degrees.max() > 1:
        every.append(_component("shape", x, y, 1.0 / degrees))
    low_x, low_y = x.some(x.degrees <= 2), y.some(y.degrees <= 2)
    if low_x.degrees.size * low_y.degrees.size * z.shape[1] <= MAX_VARYING:
        a, b = low_x, low_y
    some = z[:, : max(1, MAX_VARYING // (a.degrees.size * b.degrees.size))]
    if some.shape[1]:
        m, part = some.shape[1], min(1.0, 2.0 / effective_columns(some))
        varying = Residuals(_times(a.values, some), np.repeat(a.degrees, m), np.repeat(a.freedom, m), means=a.means)
        every.append(_component("varying", varying, b, np.ones((varying.degrees.size, b.degrees.size)), part))
    return every


def _component(name: str, x: Residuals, y: Residuals, weights: Floats, part: float = 1.0) -> Component:
    """Return a component; `part` of the degrees of freedom that were spent matter for it."""
    n = x.values.shape[0]
    spent = part * np.minimum.outer(x.freedom, y.freedom) / n
    coarse = None if x.coarse is None or y.coarse is None else (x.coarse, y.coarse)
    return Component(name, x.values, y.values, weights, spent, coarse, part * min(x.means, y.means) / n)


def _correlations(columns: Floats) -> Floats:
    scaled = _scaled(columns - columns.mean(axis=0))
    return np.asarray(scaled.T @ scaled / len(columns))


def _times(columns: Floats, modifiers: Floats) -> Floats:
    return np.asarray((columns[:, :, None] * modifiers[:, None, :]).reshape(len(modifiers), -1))


def effective_columns(z: Floats) -> float:
    """Return how many columns without correlations scaled columns (n, m) are worth.

    >>> alike = np.array([1.0, -1.0, 1.0, -1.0])
    >>> effective_columns(np.column_stack([alike, alike])), effective_columns(np.column_stack([alike, np.sort(alike)]))
    (1.0, 2.0)
    """
    correlations = z.T @ z / z.shape[0]
    return float(np.trace(correlations) ** 2 / (correlations**2).sum())


def modifiers(z: Floats) -> Floats:
    """Return the ranks of each complete column of z, centred, as directions of falling variance."""
    columns = [mid_ranks(column) for column in z.T if np.ptp(column) > 0.0]
    if not columns:
        return np.empty((z.shape[0], 0))
    scaled = _scaled(np.column_stack([column - column.mean() for column in columns]))
    if scaled.shape[1] <= MAX_VARYING // 4:
        return scaled
    values, vectors = np.linalg.eigh(scaled.T @ scaled)
    return _scaled(scaled @ vectors[:, np.argsort(-values)])


def _scaled(columns: Floats) -> Floats:
    spread = columns.std(axis=0)
    return np.asarray(np.divide(columns, spread, out=np.zeros_like(columns), where=spread > _FLAT))
