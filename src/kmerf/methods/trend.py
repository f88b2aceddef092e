"""Trends: the ranks of y move along some direction of x, even if very little along each column.

The statistic is the RV coefficient of something of each column of x and something of each column of y. Of either side
it takes how far along a value is (degree 1), or the square of how far its rank is from the middle one (degree 2), which
makes four tests:

    x  y
    1  1   trend   the level of y rises or falls with x
    2  1   bend    it is different in the middle of x from what it is at both ends
    1  2   flare   the spread of y grows or shrinks along x
    2  2   pinch   it is different in the middle of x from what it is at both ends

Where a relation is shared by many columns, of x or of y, they have more power than trees, which look at one column at a
time, and more than a distance correlation, which spends some on what else may be there.

How far along x is taken from its values, with outlying ones drawn in, and so depends on the units of x, as distances
do; all else is polynomials of ranks (`kmerf.forests.targets`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kmerf.core.errors import InputError
from kmerf.forests.targets import polynomial
from kmerf.methods.column_products import drawn_in
from kmerf.methods.permutable import PermutableProblem, matrices
from kmerf.methods.protocol import Method, Wording
from kmerf.methods.rv import rv

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats
    from kmerf.data.sample import Sample

NAMES = {(1, 1): "Trend", (2, 1): "Bend", (1, 2): "Flare", (2, 2): "Pinch"}

_QUESTIONS = {
    (1, 1): ("Does y rise or fall with x, even if very little with each column?", ""),
    (2, 1): ("Is y different in the middle of x from what it is at both ends?", ""),
    (1, 2): (
        "Does the spread of y grow or shrink along x?",
        "the spread of {y} grows or shrinks along them, more than its average",
    ),
    (2, 2): (
        "Is the spread of y different in the middle of x from that at both ends?",
        "the spread of {y} is different in their middle from that at their ends, more than its average",
    ),
}
_OF_GROUPS = {
    1: "Do the groups lie apart along x, even if very little along each column?",
    2: "Do the groups differ in how far they are from the middle of x?",
}


@dataclass(frozen=True)
class Trend(Method):
    """A test for a trend in the ranks of y, or in the shares of classes.

    Parameters
    ----------
    x
        What of each column of x: 1 for how far along its values are, 2 for how far from their middle.
    y
        The same of y; classes know 1 alone.

    >>> import kmerf
    >>> x = np.random.default_rng(0).normal(size=(50, 10))
    >>> y = np.exp(x.sum(axis=1))
    >>> kmerf.independence(x, y, method=Trend(), null=kmerf.Permutation(99), rng=1).pvalue
    0.01
    >>> kmerf.independence(x, (x**2).sum(axis=1), method=Trend(x=2), null=kmerf.Permutation(99), rng=1).pvalue
    0.01

    """

    x: int = 1
    y: int = 1

    most_rows: ClassVar[int] = 10_000  # beyond, it takes more time and tells no more

    def __post_init__(self) -> None:
        for argument in ("x", "y"):
            degree = getattr(self, argument)
            if type(degree) is not int or degree not in (1, 2):
                raise InputError(f"{argument}={degree!r} must be 1, for a trend, or 2, for the distance to the middle.")

    @property
    def name(self) -> str:
        """The name that results and figures show."""
        return NAMES[self.x, self.y]

    def wording(self, classes: bool) -> Wording:
        """Say what it asks."""
        asks, carries = (_OF_GROUPS[self.x], "") if classes else _QUESTIONS[self.x, self.y]
        return Wording(asks, carries, "a correlation")

    def prepare(self, sample: Sample, seed: int) -> PermutableProblem:
        """Draw in what is far out in x, and rank y."""
        x, y = matrices(sample, self.name)
        if sample.y.codes is None:
            y = polynomial(y, self.y)
        elif self.y != 1:
            raise InputError(f"y=2 of {self.name} is for numbers, and y has classes: use Trend(x={self.x}).")
        return PermutableProblem(
            self.name, rv(near_one(drawn_in(x)) if self.x == 1 else polynomial(x, 2), y), chi_square=False
        )


def near_one(x: Floats) -> Floats:
    """Divide by the power of two that brings the largest value to about one, as fourth powers are taken of it.

    >>> near_one(np.array([[1e200], [-3e200]])).round(2).ravel()
    array([ 0.33, -0.98])
    """
    _, exponent = np.frexp(np.abs(x).max())
    scaled: Floats = np.ldexp(x, -exponent)
    return scaled
