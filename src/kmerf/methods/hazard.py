"""Does some weighted sum of the columns go with when events come? A ridge regression of the scores of times and events.

The first score of each row is that of the log-rank test (`kmerf.data.censoring`). Its regression on x is the score test
of Cox's model, with a small penalty (`kmerf.methods.ridge`): the test to beat where hazards are proportional. Of the
second score, in which early and late events have opposite signs, it sees hazards that cross.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from kmerf.core.arrays import read_only
from kmerf.core.errors import Argument, InputError, Message
from kmerf.methods.column_products import drawn_in, orthonormal_columns
from kmerf.methods.each_column import EachColumn
from kmerf.methods.permutable import PermutableProblem, matrices
from kmerf.methods.protocol import Method, Wording
from kmerf.methods.ridge import FittedShare, ridge_factor

if TYPE_CHECKING:
    from kmerf.data.sample import Sample


@dataclass(frozen=True)
class Hazard(Method):
    """Cox's score test, by permutation, for a y of times and events.

    Parameters
    ----------
    crossing
        Whether to look for hazards that cross instead: events that come earlier here and later there.

    >>> import numpy as np
    >>> import kmerf
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(80, 3))
    >>> y = np.column_stack([rng.exponential(np.exp(-x[:, 0])), rng.random(80) < 0.7])
    >>> kmerf.independence(x, y, y_kind="censored", method=Hazard(), null=kmerf.Permutation(99), rng=1).pvalue
    0.01
    """

    crossing: bool = False

    most_rows: ClassVar[int] = 10_000  # beyond, it takes more time and tells no more

    @property
    def name(self) -> str:
        """The name that results and figures show."""
        return "Crossing hazards" if self.crossing else "Hazard"

    def wording(self, classes: bool) -> Wording:
        """Say what it asks."""
        measures = "the share of the variance of the scores that a ridge regression fits"
        if self.crossing:
            asks = "Do events come earlier here and later there along some weighted sum of the columns?"
            return Wording(asks, "events of some rows come earlier, or later, than those of others", measures)
        asks = "Do more events come, and sooner, along some weighted sum of the columns?"
        return Wording(asks, "some rows have more events, and sooner", measures)

    def prepare(self, sample: Sample, seed: int) -> PermutableProblem:
        """Find F and the score."""
        _check(sample, self.name)
        x, y = matrices(sample, self.name)
        score = orthonormal_columns(y[:, 1:] if self.crossing else y[:, :1])
        return PermutableProblem(self.name, FittedShare(ridge_factor(drawn_in(x)), score), chi_square=False)


@dataclass(frozen=True)
class HazardColumn(Method):
    """A test for one column of x, its middle or its ends, that goes with more or fewer events.

    It is `EachColumn` of the log-rank score.
    """

    name: ClassVar[str] = "Hazard, best column"
    most_rows: ClassVar[int] = EachColumn().most_rows

    def wording(self, classes: bool) -> Wording:
        """Say what it asks."""
        asks = "Is there one column along which, or at whose ends, more events come?"
        carries = "more events come along one column, or at both of its ends"
        return Wording(asks, carries, EachColumn().wording(classes=False).measures)

    def prepare(self, sample: Sample, seed: int) -> PermutableProblem:
        """Take the first score alone."""
        _check(sample, self.name)
        first = replace(sample.y, values=read_only(sample.y.values[:, :1]), names=sample.y.names[:1])
        return EachColumn(2, "location").prepare(replace(sample, y=first), seed)


def _check(sample: Sample, name: str) -> None:
    if sample.y.kind != "censored":
        remedy = Message("pass times and events with ", Argument("y_kind", "censored"))
        raise InputError(f"{name} is for times until an event", remedy=remedy)
