"""The units of a screen (columns, or named sets of columns), the plan of their tests, and the result of each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from kmerf.core.errors import KmerfError
from kmerf.data.sample import Features, Response, column_part
from kmerf.nulls.definitions import Extrapolated, Permutation
from kmerf.nulls.judging import refits_take_time
from kmerf.reading.named_columns import read_sets

if TYPE_CHECKING:
    from kmerf.nulls.definitions import Null
    from kmerf.questions.answer import PreparedTest
    from kmerf.results.parts import NullResult
    from kmerf.screening.screen_store import StorePath

MIN_DRAWS, MAX_DRAWS = 999, 99_999  # of the default null
MIN_UNSHARED_DRAWS = 99  # if few columns share a pattern, and pay for its null statistics themselves
MANY_COLUMNS = 10  # columns with one pattern, from which on all null statistics are drawn
FAILURES = (KmerfError, ValueError, ArithmeticError)  # errors of a single column; numpy's LinAlgError is among them


class Plan(NamedTuple):
    """What all columns have in common; `chosen` is the null that the user asks for."""

    ready: PreparedTest
    user_null: Null | None
    y: Response
    fdr: float
    store: StorePath | None = None

    def null(self, columns: int, tests: int) -> Null:
        """Return the null for some columns that share it, out of all that are tested."""
        if self.user_null is not None:
            return self.user_null
        if not refits_take_time(self.ready.problem):
            needed = math.ceil(tests / self.fdr)
            if columns >= MANY_COLUMNS and needed > MAX_DRAWS:  # only a model of the tail goes far enough
                return Extrapolated(MAX_DRAWS)
            finer = 2 if self.ready.method.ranks_only else 1  # so quick that one unlucky draw need not decide
            return Permutation(min(MAX_DRAWS, max(MIN_DRAWS, finer * needed)))
        if columns < MANY_COLUMNS:  # up to 50 tests, enough to select one column alone by ranks at a rate of 0.05
            return Extrapolated(min(MIN_DRAWS, max(MIN_UNSHARED_DRAWS, math.ceil(tests / self.fdr) - 1)))
        return Extrapolated(min(MAX_DRAWS, max(MIN_DRAWS, math.ceil(columns / self.fdr))))


class Unit(NamedTuple):
    """A column or a set of columns to be tested."""

    number: int
    name: str
    x: Features


@dataclass(frozen=True, eq=False)
class Units(Sequence[Unit]):
    """All units, each taken out of the table when it is needed: all at once would need much memory."""

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
    """The result of one unit, or why it could not be tested."""

    statistic: float = math.nan
    pvalue: float = math.nan
    draws: int = 0
    extrapolated: bool = False
    error: str | None = None
    """Why it could not be tested; `INTERRUPTED` if the screen ended before."""

    @classmethod
    def of(cls, statistic: float, result: NullResult) -> UnitResult:
        """Return what a null gave for a statistic."""
        draws = 0 if result.distribution is None else result.distribution.size
        return cls(statistic, result.pvalue, draws, result.extrapolated)
