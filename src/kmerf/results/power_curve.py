"""What `power_curve` returns: how often a test would find the relation of a pilot, by the number of rows."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from kmerf._version import __version__
from kmerf.core.arrays import Floats, Ints
from kmerf.core.errors import Argument, InputError, needs
from kmerf.results.records import Reported, frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class RowsNeeded(NamedTuple):
    """How many rows a power takes: an estimate and the ends of its interval; infinite if no number is enough."""

    rows: float
    low: float
    high: float


@dataclass(frozen=True, eq=False, repr=False)
class PowerCurve(Reported):
    """The result of `power_curve`: power by the number of rows, with an interval for the uncertainty of the pilot."""

    question: ClassVar = "plan"

    method: str
    n: int
    """The number of rows of the pilot."""
    sizes: Ints
    """Numbers of rows, ascending."""
    power: Floats
    """The estimated power for each number of rows."""
    low: Floats
    high: Floats
    """The ends of the interval of the power."""
    level: float
    """The significance level of the test."""
    confidence: float
    """The confidence level of the interval."""
    target: float
    """The power to reach."""
    tried_sizes: Ints
    """The sizes of the subsamples of the pilot that were tested."""
    tried_power: Floats
    """The share of subsamples in which the test rejects."""
    subsamples: int
    """The number of subsamples of each size."""
    fine: Floats
    """Numbers of rows, power and the ends of its interval (4, grid) on a finer grid."""
    settings: dict[str, Any]
    seed: int
    notes: tuple[str, ...] = ()
    version: str = __version__
    events: int | None = None
    """Number of events of the pilot, if its y is censored."""
    y_names: tuple[str, ...] = ()
    """The columns of y, or of the groups; empty if they have no names."""

    @property
    def words(self) -> dict[str, str]:
        """The first lines of the printed curve: question and headline."""
        from kmerf.show.verdict import curve_words

        return curve_words(self)

    @property
    def needed(self) -> RowsNeeded:
        """The number of rows that the target power needs, with its interval."""
        return self.rows_for(self.target)

    @property
    def conclusive(self) -> bool:
        """Whether the pilot is large enough: whether the interval of `needed` is finite."""
        return math.isfinite(self.needed.high)

    def rows_for(self, target: float) -> RowsNeeded:
        """Return the number of rows for a power, with its interval; infinite beyond 16 times the pilot."""
        if not self.level < target < 1:
            remedy = "0.8, for example"
            raise InputError(
                f"must lie between the level {self.level:g} and 1", argument=Argument("target", target), remedy=remedy
            )
        rows, power, low, high = self.fine
        return RowsNeeded(*(_first(rows, curve, target) for curve in (power, high, low)))

    @property
    def furthest(self) -> int:
        """The largest number of rows that `rows_for` considers."""
        return int(self.fine[0, -1])

    def to_frame(self, library: str | None = None) -> Any:
        """Return the curve as a dataframe with the columns rows, power, low and high.

        `library` is "pandas", "polars" or "pyarrow"; by default the first of these that is installed.
        """
        columns = {"rows": self.sizes, "power": self.power, "low": self.low, "high": self.high}
        return frame({name: values.tolist() for name, values in columns.items()}, library)

    def plot(self, *, ax: Axes | None = None) -> Figure:
        """Draw power against the number of rows, with its interval, the target, and the subsamples of the pilot."""
        with needs("plot"):
            from kmerf.figures import plot_power_curve

            return plot_power_curve(self, ax=ax)


PowerCurve.KEYS = (*(each.name for each in fields(PowerCurve)), "words")


def _first(sizes: Floats, curve: Floats, target: float) -> float:
    """Return where a curve first reaches the target, interpolated by the logarithm of the rows; at least the first."""
    reached = np.flatnonzero(curve >= target)
    if reached.size == 0:
        return math.inf
    k = int(reached[0])
    if k == 0:
        return float(sizes[0])
    below, above = float(curve[k - 1]), float(curve[k])
    part = (target - below) / (above - below)
    a, b = math.log(sizes[k - 1]), math.log(sizes[k])
    return float(math.ceil(math.exp(a + part * (b - a)) - 1e-9))
