"""What is tested (every column of x, or the sets of columns that are named), with what, and what each test found."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from kmerf.core.arrays import Floats
from kmerf.core.errors import KmerfError, share
from kmerf.data.sample import Features, Response, column_part
from kmerf.nulls.definitions import Extrapolated, Permutation
from kmerf.nulls.judging import refits_take_time
from kmerf.reading.named_columns import read_sets

if TYPE_CHECKING:
    from kmerf.nulls.definitions import Null
    from kmerf.questions.setup import PreparedTest
    from kmerf.results.parts import NullResult
    from kmerf.screening.screen_store import StorePath

Value = TypeVar("Value", float, Floats)

FEWEST_DRAWS, MOST_DRAWS = 999, 99_999  # of a null that the user did not choose
FEWEST_OF_FEW = 99  # where a pattern is that of few columns, which pay for its null statistics themselves
MANY = 10  # columns that share a null, from which on all of it is drawn
FAILURES = (KmerfError, ValueError, ArithmeticError)  # what one column may do wrong; numpy's LinAlgError is among them


class Plan(NamedTuple):
    """What all columns have in common."""

    ready: PreparedTest
    given: Null | None
    y: Response
    fdr: float
    store: StorePath | None = None

    def null(self, columns: int, tests: int) -> Null:
        """Return the null for some columns that share it, out of all that are tested."""
        if self.given is not None:
            return self.given
        if not refits_take_time(self.ready.problem):
            return Permutation(min(MOST_DRAWS, max(FEWEST_DRAWS, math.ceil(tests / self.fdr))))
        if columns < MANY:  # up to 50 tests, enough to select one column alone by ranks at a rate of 0.05
            return Extrapolated(min(FEWEST_DRAWS, max(FEWEST_OF_FEW, math.ceil(tests / self.fdr) - 1)))
        return Extrapolated(min(MOST_DRAWS, max(FEWEST_DRAWS, math.ceil(columns / self.fdr))))


class Unit(NamedTuple):
    """A column or a set of columns to be tested."""

    number: int
    name: str
    x: Features


def check_fdr(fdr: object) -> None:
    """Raise unless a false discovery rate can be meant."""
    share("fdr", fdr)


@dataclass(frozen=True, eq=False)
class Units(Sequence[Unit]):
    """What is to be tested, each taken out of the table when it is asked for: all at once would need much memory."""

    x: Features
    columns: Mapping[str, Sequence[int]]  # of each unit, by its name
    numbers: Sequence[int]  # of the units that are here

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return replace(self, numbers=self.numbers[index])
        number = self.numbers[index]
        name = self.names[number]
        return Unit(number, name, column_part(self.x, self.columns[name]))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of all units, by their numbers."""
        return tuple(self.columns)


def read_units(x: Features, sets: Mapping[str, Any] | None) -> Units:
    """Return what is to be tested."""
    columns = {name: [j] for j, name in enumerate(x.names)} if sets is None else read_sets("sets", sets, x)
    return Units(x, columns, range(len(columns)))


class UnitResult(NamedTuple):
    """What the test of a unit found, or why there was none."""

    statistic: float = math.nan
    pvalue: float = math.nan
    draws: int = 0
    extrapolated: bool = False
    error: str | None = None


def finite(statistic: Value) -> Value:
    """Return a statistic, or several, or raise if they are not finite numbers."""
    if not np.isfinite(statistic).all():
        raise KmerfError("The statistic is not a finite number on this column: look for extreme values.")
    return statistic


def judged(statistic: float, result: NullResult, log_fewest: float) -> UnitResult:
    """Keep the p-value at or above what arrangements can give: `log_fewest` as `kmerf.data.equal_rows` has it."""
    draws = 0 if result.distribution is None else result.distribution.size
    result = result.at_least(math.exp(-log_fewest))
    return UnitResult(statistic, result.pvalue, draws, result.extrapolated)
