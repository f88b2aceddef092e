"""What every null looks like to the rest of the library, and what it returns.

A *null* is a value that says how a statistic becomes a p-value: `Extrapolated()`, `Permutation(999)`, `ChiSquare()`. It
says what it needs, so nobody has to ask which one it is.
"""

from __future__ import annotations

from typing import Protocol

from kmerf.core.arrays import Floats
from kmerf.results.parts import NullResult


class Null(Protocol):
    """A way to find a p-value."""

    @property
    def n_resamples(self) -> int:
        """How many permuted statistics it needs."""
        ...

    def judge(self, statistic: float, distribution: Floats, n: int) -> NullResult:
        """Return the p-value of a statistic of n rows, among permuted ones."""
        ...
