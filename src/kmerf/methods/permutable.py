"""Tests that learn nothing from y, so that y can be permuted with nothing fitted again.

Each turns a sample into a statistic: a function of the order of y's rows, for which everything else is ready.
`PermutableProblem` makes that the problem that nulls and studies know.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from kmerf.core.errors import Argument, Call, InputError, Message
from kmerf.data.levels import common_levels
from kmerf.methods.protocol import Fit, Problem

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints
    from kmerf.data.sample import Sample

LARGEST_EXPONENT = 100  # of two: fourth powers of such numbers, and sums of them, are far from the ends of floats


class PermutableStatistic(Protocol):
    """A statistic of x and y, ready for any order of the rows of y."""

    @property
    def n(self) -> int:
        """Number of rows."""
        ...

    def __call__(self, order: Ints) -> float:
        """Return the statistic with row i of x beside row `order[i]` of y."""
        ...


@dataclass(frozen=True, eq=False)
class PermutableProblem(Problem):
    """A sample made ready for a test that learns nothing."""

    method: str
    statistic: PermutableStatistic
    chi_square: bool
    """Whether the statistic is an unbiased kernel correlation, for which there is a chi-square null."""

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.statistic.n

    def fit(self, order: Ints, refit: int, n_jobs: int = 1, importances: bool = False) -> Fit:
        """Return the statistic with row i of x beside row `order[i]` of y."""
        return Fit.of(self.method, self.statistic(order), correlation=self.chi_square)

    @property
    def chi_square_refusal(self) -> str:
        """Why there is no chi-square null; where there is one, it is conservative."""
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
    return _scaled(common_levels(x).values), y.values[:, :1] if two else y.values


def _scaled(x: Floats) -> Floats:
    """Return x, or where its products could overflow or vanish, x in another unit: none of these tests has one.

    The unit is a power of two, so that nothing is rounded.

    >>> _scaled(np.ldexp([[3.0], [6.0]], -800)).ravel()
    array([0.375, 0.75 ])
    """
    _, exponent = np.frexp(np.abs(x).max())
    return x if abs(int(exponent)) <= LARGEST_EXPONENT else np.ldexp(x, -int(exponent))
