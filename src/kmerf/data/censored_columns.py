"""Two columns that say how long each row was followed, and whether that ended in an event."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kmerf.core.arrays import read_only
from kmerf.core.errors import Argument, EventValue, InputError, Message
from kmerf.data.censoring import FEWEST_EVENTS, Followed

if TYPE_CHECKING:
    from kmerf.data.containers import Column

_MOST_CODES = 10  # values of a column that may stand for what became of a row
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
        names = sorted(y.dtype.names or (), key=lambda name: y.dtype[name].kind == "b")
        return {name: y[name] for name in names}
    if not isinstance(y, tuple | list) or len(y) != 2 or any(np.ndim(part) != 1 or len(part) < 3 for part in y):
        return y
    if len(y[0]) == len(y[1]) and not any(hasattr(part, "name") for part in y):
        return np.column_stack([np.asarray(part, dtype=object) for part in y])
    known = {part.name for part in y if getattr(part, "name", None) is not None}
    return {part.name: part for part in y} if len(known) == 2 else dict(zip(("time", "event"), y, strict=True))


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
    if len(values) > _MOST_CODES:
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
    known = event.values[~event.missing]
    two = event.kind == "boolean" or (event.kind == "numeric" and set(np.unique(known).tolist()) == {0.0, 1.0})
    if not two or time.kind != "numeric" or np.nanmin(time.values, initial=0.0) < 0 or np.unique(time.values).size < 3:
        return []
    reading = f"y may be a time, {time.name!r}, and whether it ended in an event, {event.name!r}; pass "
    return [Message(reading, Argument("y_kind", "censored"), " to read it so.")]
