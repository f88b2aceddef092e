"""How y is read: as numbers, as classes, or as times and whether each ended in an event."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kmerf.core.arrays import read_only
from kmerf.core.errors import Argument, EventValue, InputError, Message
from kmerf.data.censoring import FEWEST_EVENTS, Followed
from kmerf.reading.containers import Column, as_numbers, labelled

MAX_EVENT_CODES = 10  # values of a column that may stand for what became of a row
_ORDER = "pass the time first, then the event"


def in_columns(y: Any) -> Any:
    """Return `(times, events)`, or a structured array of both, as columns; anything else as it is.

    Of a structured array, as scikit-survival has them, the field that is true or false is the event.

    >>> in_columns(([5.0, 3.0, 8.0], [True, False, True])).tolist()
    [[5.0, True], [3.0, False], [8.0, True]]
    >>> list(in_columns(np.array([(True, 5.0), (False, 3.0)], dtype=[("died", bool), ("days", float)])))
    ['days', 'died']
    """
    if isinstance(y, np.ndarray) and len(y.dtype.names or ()) == 2:
        fields = sorted(y.dtype.names or (), key=lambda name: y.dtype[name].kind == "b")
        return {name: y[name] for name in fields}
    if not isinstance(y, tuple | list) or len(y) != 2 or any(np.ndim(part) != 1 or len(part) < 3 for part in y):
        return y
    if len(y[0]) == len(y[1]) and not any(hasattr(part, "name") for part in y):
        return np.column_stack([np.asarray(part, dtype=object) for part in y])
    names = {part.name for part in y if getattr(part, "name", None) is not None}
    return {part.name: part for part in y} if len(names) == 2 else dict(zip(("time", "event"), y, strict=True))


def read_followed(columns: Sequence[Column]) -> Followed:
    """Check two columns, times and events, and return them."""
    if len(columns) != 2:
        names = ", ".join(repr(column.name) for column in columns)
        several = Message(f"has {_counted(len(columns), 'column')} ({names}) with ", Argument("y_kind", "censored"))
        raise InputError(several, argument="y", remedy="pass two, the time and then the event: y=('time', 'event')")
    time, event = columns
    _check_time(time)
    _check_event(event, swapped=_is_event(time))
    followed = Followed(*(read_only(np.array(column.values, dtype=np.float64)) for column in (time, event)))
    count = int(followed.event.sum())
    if count < FEWEST_EVENTS:
        finding = f"has {_counted(count, 'event')}, and a test needs {FEWEST_EVENTS}"
        raise event.error(finding, "check which value stands for the event")
    return followed


def _check_time(time: Column) -> None:
    """Refuse a column that is not times."""
    if time.kind == "boolean":
        raise time.error("is true or false, and a time is a number of at least 0", _ORDER)
    if time.kind != "numeric":
        raise time.error(f"is text, such as {time.values[0]!r}, and times are numbers", "convert it to numbers")
    if time.values.min() < 0:
        finding = f"holds {time.values.min():g}, and a time is a number of at least 0"
        raise time.error(finding, "check how it was computed, and pass the time first, then the event")


def _check_event(event: Column, *, swapped: bool) -> None:
    """Refuse a column that does not say by itself which rows had an event."""
    if _is_event(event):
        return
    values = sorted(set(event.values.tolist()), key=lambda value: (isinstance(value, str), value))
    shown = [_plain(value) for value in values]
    odd = next(value for value in shown if value not in (0, 1))
    finding = f"holds {odd!r}, and an event is 1 or true, a censored row 0 or false"
    if swapped:
        raise event.error(finding, _ORDER)
    if len(values) > MAX_EVENT_CODES:
        raise event.error(finding, "pass a column that says which rows had the event")
    raise event.error(finding, Message("say which value is the event, such as ", EventValue(event.name, shown[-1])))


def _is_event(column: Column) -> bool:
    """Tell whether a column is true and false, or 1 and 0."""
    return column.kind == "boolean" or (column.kind == "numeric" and set(np.unique(column.values)) <= {0.0, 1.0})


def _plain(value: object) -> object:
    """Return a whole number without its decimals.

    >>> _plain(2.0), _plain("dead")
    (2, 'dead')
    """
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _counted(count: int, noun: str) -> str:
    return f"{count or 'no'} {noun}{'' if count == 1 else 's'}"


def followed_note(columns: Sequence[Column]) -> list[str]:
    """Say so where two columns that are read as numbers may be a time and an event."""
    if len(columns) != 2:
        return []
    time, event = columns
    values = event.values[~event.missing]
    two = event.kind == "boolean" or (event.kind == "numeric" and set(np.unique(values).tolist()) == {0.0, 1.0})
    if not two or time.kind != "numeric" or np.nanmin(time.values, initial=0.0) < 0 or np.unique(time.values).size < 3:
        return []
    reading = f"y may be a time, {time.name!r}, and whether it ended in an event, {event.name!r}; pass "
    return [Message(reading, Argument("y_kind", "censored"), " to read it so.")]


def read_y(raw: Sequence[Column], y_kind: str, declared: Collection[str]) -> tuple[list[Column], list[str]]:
    """Read the columns of y, or of the groups, as numbers or classes, with notes on what the user may see otherwise."""
    columns = [replace(labelled(c), order=(), ordered=False) if c.name in declared else c for c in raw]
    if raw[0].argument != "y":
        y_kind = "categorical"
    columns = [read_y_column(c, y_kind, alone=len(raw) == 1) for c in columns]
    notes = [note for c in columns for note in order_note(c, y_kind)]
    if y_kind == "auto":
        plain = len(raw) == 1 and raw[0].kind == "numeric" and raw[0].name not in declared
        notes += [*(two_values_note(columns[0]) if plain else ()), *followed_note(raw)]
    return columns, notes


MAX_LISTED = 7  # categories that are named


def read_y_column(column: Column, y_kind: str, *, alone: bool) -> Column:
    """Read one column of y as numbers or as classes; beside others, true/false stays one 0/1 column.

    Three or more categories whose type gives them an order become their ranks, from 1.
    """
    ranks = _ranks(column) if (column.ordered and y_kind == "auto") or y_kind == "numeric" else None
    if ranks is not None:
        return ranks
    if y_kind == "numeric" and column.kind in ("text", "categorical"):
        finding = Message(f"is {column.kind}, but ", Argument("y_kind", "numeric"))
        raise column.error(finding, "convert it to numbers")
    if y_kind == "auto" and column.kind == "text":
        labels = [str(entry) for entry in column.values if entry is not None]
        if as_numbers(labels) is not None:
            declare = Argument("y_kind", "categorical")
            raise column.error(
                f"holds numbers as text, such as {labels[0]!r}",
                Message("convert it to numbers, or pass ", declare, " if they are labels"),
            )
    classes = column.kind == "text" or (alone and y_kind == "auto" and _has_two_values(column))
    return labelled(column) if classes or y_kind == "categorical" else column


def _has_two_values(column: Column) -> bool:
    """Tell whether a column of numbers or of true/false is best read as classes."""
    if column.kind != "numeric":
        return column.kind == "boolean"
    present = column.values[~column.missing]
    return present.size > 0 and bool((np.abs(present) < 2**53).all()) and np.unique(present).size == 2


def _ranks(column: Column) -> Column | None:
    """Return the places of categories in their order, as numbers; None where fewer than three of them occur."""
    if not column.order:
        return None
    occurring = set(column.values) - {None}
    order = [label for label in (label.strip() for label in column.order) if label in occurring]
    if len(order) < 3 or set(order) != occurring:
        return None
    place = {label: float(rank) for rank, label in enumerate(order, 1)}
    values = np.array([place.get(label, np.nan) for label in column.values])
    return replace(column, kind="numeric", values=values, order=tuple(order))


def order_note(y: Column, y_kind: str) -> list[str]:
    """Say what became of the order of categories, unless the user said what y is."""
    if y.argument == "groups":
        note = "The groups are ordered, and their order is not used; independence, with the groups as y, uses it."
        return [note] if y.ordered else []
    if y_kind != "auto" or not y.order or len(set(y.values) - {None}) < 3:
        return []
    if y.kind != "numeric":
        return [
            Message(
                "The order of the categories of y is not used; pass ", Argument("y_kind", "numeric"), " if it counts."
            )
        ]
    listing = " < ".join(y.order) if len(y.order) <= MAX_LISTED else f"{y.order[0]} < ... < {y.order[-1]}"
    reading = f"y has ordered categories, {listing}, and is read as their ranks, 1 to {len(y.order)}; pass "
    return [Message(reading, Argument("y_kind", "categorical"), " to ignore the order.")]


def two_values_note(y: Column) -> list[str]:
    """Say that numbers of two different values are read as classes."""
    if y.kind != "categorical":
        return []
    first, second = sorted(set(y.values) - {None})
    reading = f"y has two values, {first} and {second}, and is read as classes; pass "
    return [Message(reading, Argument("y_kind", "numeric"), " to read it as numbers.")]
