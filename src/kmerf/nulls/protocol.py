"""What every null looks like to the rest of the library, and what it returns.

A *null* is a value that says how a statistic becomes a p-value: `Extrapolated()`, `Permutation(999)`, `ChiSquare()`. It
says what it needs, so nobody has to ask which one it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from kmerf.core.arrays import Floats


@dataclass(frozen=True, eq=False)
class NullResult:
    """A p-value, the method that gave it, and what it was compared with."""

    name: str
    pvalue: float
    standard_error: float | None = None
    """Monte Carlo error of the p-value; None where there is none."""
    distribution: Floats | None = None
    """The permuted statistics, in the order in which they were drawn."""
    extrapolated: bool = False
    """Whether the p-value lies below the smallest that permuting could give, and rests on a model of the tail."""

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary."""
        distribution = None if self.distribution is None else self.distribution.tolist()
        return {
            "name": self.name,
            "pvalue": self.pvalue,
            "standard_error": self.standard_error,
            "distribution": distribution,
            "extrapolated": self.extrapolated,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> NullResult:
        """Rebuild what `to_dict` gave."""
        distribution = data["distribution"]
        array = None if distribution is None else np.array(distribution, dtype=np.float64)
        return cls(data["name"], data["pvalue"], data["standard_error"], array, data["extrapolated"])


class Null(Protocol):
    """A way to find a p-value."""

    @property
    def n_resamples(self) -> int:
        """How many permuted statistics it needs."""
        ...

    def judge(self, statistic: float, distribution: Floats, n: int) -> NullResult:
        """Return the p-value of a statistic of n rows, among permuted ones."""
        ...
