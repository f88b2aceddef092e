"""What every null looks like to the rest of the library, and what it returns.

A *null* is a value that says how a statistic becomes a p-value: `Sequential()`, `Permutation(999)`, `ChiSquare()`. It
says what it needs, so nobody has to ask which one it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats
    from kmerf.results.parts import NullResult


class InterimLook(NamedTuple):
    """A time to judge: after so many permuted statistics, and no more are drawn if p is above a bound."""

    size: int
    clear: float = 0.0


class Null(Protocol):
    """A way to find a p-value."""

    @property
    def n_resamples(self) -> int:
        """How many permuted statistics it needs at most."""
        ...

    @property
    def looks(self) -> tuple[InterimLook, ...]:
        """When it judges; the last is after `n_resamples`."""
        ...

    @property
    def models_tail(self) -> bool:
        """Whether p-values below 1 / (1 + n_resamples) rest on a model of the tail."""
        ...

    @property
    def needs_unbiased(self) -> bool:
        """Whether it holds only for an unbiased kernel correlation of rows that may all be exchanged."""
        ...

    def judge(self, statistic: float, distribution: Floats, n: int) -> NullResult:
        """Return the p-value of a statistic of n rows, among permuted ones."""
        ...
