"""The paper's p-value: under independence, n times the unbiased correlation plus one is about chi-square."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kmerf.nulls.protocol import InterimLook
from kmerf.results.parts import NullResult

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats


@dataclass(frozen=True)
class ChiSquare:
    """The paper's p-value: n times the correlation plus one, against chi-square with one degree of freedom.

    It needs no resampling, and holds only for a kernel that has not seen y. With KMERF use it for speed, with
    `proximity="oob"`, where it rejected 1 to 10 % of true nulls at level 0.05 (docs/validity.md).
    """

    @property
    def n_resamples(self) -> int:
        """None are needed."""
        return 0

    @property
    def looks(self) -> tuple[InterimLook, ...]:
        """Once, at what was observed."""
        return (InterimLook(0),)

    @property
    def models_tail(self) -> bool:
        """Whether p-values below 1 / (1 + n_resamples) rest on a model of the tail."""
        return False

    @property
    def needs_unbiased(self) -> bool:
        """Whether it holds only for an unbiased kernel correlation."""
        return True

    def judge(self, statistic: float, distribution: Floats, n: int) -> NullResult:
        """Return the p-value of a statistic of n rows."""
        from scipy.special import chdtrc

        return NullResult("chi-square", float(chdtrc(1.0, max(0.0, n * statistic + 1.0))))
