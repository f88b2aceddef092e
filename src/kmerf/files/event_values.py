"""Which value of a column stands for an event: `--event status=2`, `--event status=dead`.

Rows whose cell equals the value had the event, all others that have a value are censored, and missing stays missing.
A column whose name is the whole text comes first, so that one named "status=2" can still be chosen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from kmerf.core.errors import InputError, listed
from kmerf.files.selectors import select_one
from kmerf.files.typed_table import as_text

if TYPE_CHECKING:
    import polars as pl

    from kmerf.data.column_facts import ColumnFacts
    from kmerf.files.typed_table import Table

_UNREADABLE = ("nested", "binary")


class EventChoice(NamedTuple):
    """The column of events, and the value that stands for one; None where the column says so itself, as 1 or true."""

    column: str
    value: str | None = None


class FollowedColumns(NamedTuple):
    """The columns of a censored y."""

    time: str
    event: EventChoice

    @property
    def names(self) -> tuple[str, str]:
        """The columns, the time first."""
        return self.time, self.event.column

    @property
    def recoded(self) -> set[str]:
        """The column of events, where one of its values stands for an event."""
        return set() if self.event.value is None else {self.event.column}

    @property
    def notes(self) -> list[str]:
        """What to say of it."""
        column, value = self.event
        return [] if value is None else [f"Event: {column!r} is {value}; rows with another value are censored."]

    def remarked(self, fact: ColumnFacts) -> ColumnFacts:
        """Say of a column that it is the time, or the event and by which value."""
        column, value = self.event
        event = "the event" if value is None else f"the event: {value}"
        what = {self.time: "the time", column: event}.get(fact.name, "")
        return fact._replace(remark="; ".join(filter(None, (what, fact.remark))))


def find_followed(table: Table, time: str | None, event: str | None) -> FollowedColumns | None:
    """Return the columns that `--time` and `--event` name, if they name any."""
    if time is None or event is None:
        return None
    followed = FollowedColumns(select_one("--time", time, table.names), choose_event(event, table.names))
    if followed.time == followed.event.column:
        raise InputError(f"--time and --event both name {followed.time!r}: name two columns.")
    _check_value(table, followed.event)
    return followed


def choose_event(text: str, names: Sequence[str]) -> EventChoice:
    """Return the column, and the value, that an option names.

    >>> choose_event("status=2", ["time", "status"]), choose_event("status=2", ["time", "status=2"])
    (EventChoice(column='status', value='2'), EventChoice(column='status=2', value=None))
    """
    ends = [k for k, letter in enumerate(text) if letter == "="]
    if text in names or not ends:
        return EventChoice(select_one("--event", text, names))
    known = [k for k in ends if text[:k].strip() in names]  # a name may hold the sign itself
    end = known[-1] if known else ends[0]
    return EventChoice(select_one("--event", text[:end].strip(), names), text[end + 1 :].strip())


def with_events(table: Table, followed: FollowedColumns) -> Table:
    """Return the table with true in the place of the value of an event, and false in that of others."""
    column, value = followed.event
    if value is None or table.kinds[column] in _UNREADABLE:
        return table
    frame = table.frame.with_columns(_is_event(table, column, value).alias(column))
    return replace(table, frame=frame, kinds=table.kinds | {column: "boolean"})


def _check_value(table: Table, event: EventChoice) -> None:
    """Refuse a value that no row has."""
    column, value = event
    if value is None or table.kinds[column] in _UNREADABLE or _is_event(table, column, value).any():
        return
    cells = table.frame[column].drop_nulls().unique().sort()
    numeric = table.kinds[column] == "numeric"
    values = [f"{cell:g}" for cell in cells.to_list()] if numeric else as_text(cells).to_list()
    raise InputError(f"--event {f'{column}={value}'!r}: {column!r} is {value!r} in no row. Values: {listed(values)}.")


def _is_event(table: Table, column: str, value: str) -> pl.Series:
    """Tell which cells equal a value; null where one is missing."""
    import polars as pl

    cells = table.frame[column]
    if table.kinds[column] == "numeric":
        return cells.cast(pl.Float64) == _number(value)
    texts = as_text(cells).str.strip_chars()
    return texts == (value.lower() if table.kinds[column] == "boolean" else value)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.inf  # which no cell is
