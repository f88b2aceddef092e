"""Tests that learn nothing from y, so that y can be permuted with nothing fitted again, and what they have in common.

Each turns a sample into a statistic: a function of the order of y's rows, for which everything else is ready.
`PermutableMethod` makes that the problem that nulls and studies know.

Products of columns are summed without BLAS, whose sums change with the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np

from kmerf.core.arrays import centred
from kmerf.core.errors import Argument, Call, InputError, Message
from kmerf.data.levels import common_levels
from kmerf.methods.protocol import Fit, Method, Problem

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints
    from kmerf.data.sample import Sample
    from kmerf.forests.targets import Labels

LARGEST_EXPONENT = 100  # of two: fourth powers of such numbers, and sums of them, are far from the ends of floats


PermutableStatistic = Callable[["Ints"], float]
"""A statistic of x and y: called with an order, it has row i of x beside row `order[i]` of y."""


class PermutableMethod(Method, Protocol):
    """A method that learns nothing: it says how to make its statistic."""

    has_chi_square: ClassVar[bool] = False
    """Whether the statistic is an unbiased kernel correlation, for which there is a (conservative) chi-square null."""

    def statistic(self, x: Floats, y: Floats, sample: Sample, seed: int) -> PermutableStatistic:
        """Return the statistic of x (n, p) and y (n, q), which are those of the sample as numbers."""
        ...

    def prepare(self, sample: Sample, seed: int) -> PermutableProblem:
        """Make the statistic."""
        statistic = self.statistic(*matrices(sample, self.name), sample, seed)
        return PermutableProblem(self.name, statistic, sample.n, self.has_chi_square)


@dataclass(frozen=True, eq=False)
class PermutableProblem(Problem):
    """A sample made ready for a test that learns nothing."""

    method: str
    statistic: PermutableStatistic
    rows: int
    chi_square: bool = False

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.rows

    def fit(self, order: Ints, refit: int, n_jobs: int = 1, importances: bool = False) -> Fit:
        """Return the statistic with row i of x beside row `order[i]` of y."""
        return Fit.of(self.method, self.statistic(order), correlation=self.chi_square)

    @property
    def chi_square_refusal(self) -> str:
        """Why there is no chi-square null."""
        return "" if self.chi_square else f"the statistic of {self.method} is not one"


def matrices(sample: Sample, method: str) -> tuple[Floats, Floats]:
    """Return x (n, p) and y (n, q); of the two columns of a y with two classes, one, as it says everything."""
    x, y = sample.x, sample.y
    if any(x.missing):
        holes = [name for name, missing in zip(x.names, x.missing, strict=True) if missing]
        more = f" and {len(holes) - 3} more" if len(holes) > 3 else ""
        raise InputError(
            f"has missing values in {', '.join(map(repr, holes[:3]))}{more}, and {method} cannot use them",
            argument="x",
            remedy=Message(
                "fill them, drop those rows or columns, or use ", Argument("method", Call("KMERF")), ", which can"
            ),
        )
    two = y.kind == "categorical" and y.q == 2
    return scaled(common_levels(x).values, LARGEST_EXPONENT), y.values[:, :1] if two else y.values


def scaled(x: Floats, largest: int = 0) -> Floats:
    """Divide by the power of two that brings the largest value to about one, unless it is at most 2^largest away.

    Then powers of x neither overflow nor vanish, and nothing is rounded.

    >>> scaled(np.array([[1e200], [-3e200]])).round(2).ravel()
    array([ 0.33, -0.98])
    """
    _, exponent = np.frexp(np.abs(x).max())
    return x if abs(int(exponent)) <= largest else np.ldexp(x, -int(exponent))


_FENCE = 1.5  # interquartile ranges beyond the quartiles, as of a box plot's whiskers
_DEPENDENT = 1e-10  # a column of which less than this is left, beside the others, is a combination of them


@dataclass(frozen=True, eq=False)
class ClassColumns:
    """A column for each of many classes, which is not written down: scale where a row is of the class, else 0.

    Less the mean, if it is `centred`.
    """

    labels: Labels
    scale: Floats
    centred: bool

    @classmethod
    def unit(cls, labels: Labels) -> ClassColumns:
        """Return columns that are centred and of length 1; those that do not vary are 0."""
        sizes = np.bincount(labels.codes, minlength=labels.n_classes)
        square = sizes * (1.0 - sizes / labels.codes.size)
        return cls(labels, np.divide(1.0, np.sqrt(square), out=np.zeros(sizes.size), where=square > 0.0), True)

    @classmethod
    def orthonormal(cls, labels: Labels) -> ClassColumns:
        """Return orthonormal columns, which span what the columns of classes do; those of no row are 0."""
        sizes = np.bincount(labels.codes, minlength=labels.n_classes)
        return cls(labels, np.divide(1.0, np.sqrt(sizes), out=np.zeros(sizes.size), where=sizes > 0), False)

    @property
    def rank(self) -> int:
        """How many dimensions the columns span, less their means."""
        return int((self.scale > 0.0).sum()) - 1

    def products(self, x: Floats, order: Ints) -> Floats:
        """Return the products (classes, p) with the columns of x."""
        from kmerf.engine.linear import class_sums

        out = np.empty((self.labels.n_classes, x.shape[1]))
        class_sums(x, self.labels.codes, order, out)
        if self.centred:
            sizes = np.bincount(self.labels.codes, minlength=self.labels.n_classes)
            out -= sizes[:, None] * x.mean(axis=0)
        return out * self.scale[:, None]


def products(x: Floats, y: Floats | ClassColumns, order: Ints) -> Floats:
    """Return the products (q, p) of the columns of y, its rows in `order`, and x."""
    from kmerf.engine.linear import products as fill

    if isinstance(y, ClassColumns):
        return y.products(x, order)
    out = np.empty((y.shape[1], x.shape[1]))
    fill(x, y, order, out)
    return out


def orthonormal_columns(values: Floats) -> Floats:
    """Return orthonormal columns that span the columns less their means."""
    from kmerf.engine.linear import orthonormal

    columns = np.array(centred(values).T, order="C")
    rank = int(orthonormal(columns, _DEPENDENT))
    return np.ascontiguousarray(columns[:rank].T)


def unit_columns(values: Floats) -> Floats:
    """Centre the columns and give them length 1; those that do not vary become 0.

    >>> unit_columns(np.array([[1.0, 5.0], [3.0, 5.0]])).round(2).tolist()
    [[-0.71, 0.0], [0.71, 0.0]]
    """
    away = centred(values)
    length = np.sqrt((away**2).sum(axis=0))
    return np.ascontiguousarray(np.divide(away, length, out=np.zeros_like(away), where=length > 1e-9))


def winsorise(x: Floats) -> Floats:
    """Clip each column to the whiskers of its box plot.

    A column with equal quartiles, such as one with few ones among zeros, stays as it is.

    >>> winsorise(np.array([[0.0], [1.0], [2.0], [3.0], [99.0]])).ravel()
    array([0., 1., 2., 3., 6.])
    """
    low, high = np.quantile(x, [0.25, 0.75], axis=0)
    reach = np.where(high > low, _FENCE * (high - low), np.inf)
    return np.clip(x, low - reach, high + reach)


def check_censored(sample: Sample, name: str) -> None:
    """Raise unless y has times and events."""
    if sample.y.kind != "censored":
        remedy = Message("pass times and events with ", Argument("y_kind", "censored"))
        raise InputError(f": {name} is for times until an event", argument="y", remedy=remedy)
