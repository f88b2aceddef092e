"""What the rivals have in common: none of them learns from y, so y can be permuted with nothing fitted again.

Each rival turns a sample into a statistic, a function of the order of y's rows for which everything else is ready.
`Fixed` makes that the problem that nulls and studies know.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from kmerf.core.arrays import Floats, Ints
from kmerf.core.errors import InputError
from kmerf.data.sample import Sample
from kmerf.methods.protocol import Fit

_PER_CALL = 2**23  # pairs of rows that a compiled loop takes before it comes back to hear Ctrl-C


class Statistic(Protocol):
    """A statistic of x and y, ready for any order of the rows of y."""

    @property
    def n(self) -> int:
        """Number of rows."""
        ...

    def __call__(self, order: Ints) -> float:
        """Return the statistic with row i of x beside row `order[i]` of y."""
        ...


@dataclass(frozen=True, eq=False)
class Fixed:
    """A sample made ready for a rival."""

    method: str
    statistic: Statistic
    chi_square: bool
    """Whether the statistic is an unbiased kernel correlation, for which there is a chi-square null."""

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.statistic.n

    @property
    def learns(self) -> bool:
        """Nothing is fitted to y."""
        return False

    def fit(self, order: Ints, refit: int, n_jobs: int = 1, reasons: bool = False) -> Fit:
        """Return the statistic with row i of x beside row `order[i]` of y."""
        return Fit.of(self.method, self.statistic(order), correlation=self.chi_square)

    def doubts(self) -> str | None:
        """Return None where the chi-square null may be used (it is conservative); else raise."""
        if self.chi_square:
            return None
        raise InputError(
            f"null=ChiSquare() needs an unbiased kernel correlation, and the statistic of {self.method} is none: "
            "use null=Permutation()."
        )


def matrices(sample: Sample, method: str) -> tuple[Floats, Floats]:
    """Return x (n, p) and y (n, q); of the two columns of a y with two classes, one, as it says everything."""
    x, y = sample.x, sample.y
    if any(x.missing):
        holes = [name for name, missing in zip(x.names, x.missing, strict=True) if missing]
        more = f" and {len(holes) - 3} more" if len(holes) > 3 else ""
        raise InputError(
            f"x has missing values in {', '.join(map(repr, holes[:3]))}{more}, and {method} cannot use them: "
            "fill them, drop those rows or columns, or use method=KMERF(), which can."
        )
    if np.abs(x.values).max() > 1e140:
        raise InputError(f"x has values beyond 1e140, whose squares {method} cannot add up: change their unit.")
    two = y.kind == "categorical" and y.q == 2
    return x.values, y.values[:, :1] if two else y.values


def centred(values: Floats) -> Floats:
    """Return the columns less their means; constant ones exactly zero, whatever the mean was rounded to."""
    result = np.ascontiguousarray(values - values.mean(axis=0))
    result[:, (values == values[0]).all(axis=0)] = 0.0
    return result


def blocks(n: int, *, cost: int = 1) -> Iterator[tuple[int, int]]:
    """Part n rows so that each part has few enough pairs with all rows, at so much a pair, for one compiled call.

    >>> list(blocks(100))
    [(0, 100)]
    """
    size = max(1, _PER_CALL // (n * cost))
    for start in range(0, n, size):
        yield start, min(n, start + size)
