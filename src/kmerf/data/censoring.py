"""Times until an event, some of them censored: two scores for each row, which tests take in the place of y.

A row is followed for a time T, which ends in an event (D = 1) or is censored before one (D = 0). With d(t) events at
time t among the Y(t) rows that are still followed, the score of a row is

    D w(T) - sum over t <= T of w(t) d(t) / Y(t),

its events less those that were to be expected, weighted by w. With w = 1 these are the scores of the log-rank test, the
martingale residuals of a model without columns, and low for rows that last long. With w = 1 - 2 S(t), S the share that
is without an event just before t (Kaplan-Meier), early and late events count with opposite signs: that shows hazards
that cross, where neither side does better overall. Only the order of the times matters.

A test that permutes the scores permutes the pairs (T, D), so it is exact where x is independent of the pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kmerf.core.arrays import Floats, read_only
from kmerf.core.errors import Argument, EventValue, InputError, Message

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kmerf.data.containers import Column

FEWEST_EVENTS = 2
_MOST_CODES = 10  # values of a column that may stand for what became of a row
_ORDER = "pass the time first, then the event"


class Followed(NamedTuple):
    """How long each row was followed, and whether that ended in an event."""

    time: Floats
    event: Floats

    def take(self, order: NDArray[np.int64]) -> Followed:
        """Return the rows in another order."""
        return Followed(self.time[order], self.event[order])


class LifeTable(NamedTuple):
    """At each different time: how many are followed until then or longer, how many events, and S just after it."""

    times: Floats
    at_risk: Floats
    events: Floats
    surviving: Floats


def life_table(followed: Followed) -> LifeTable:
    """Return the numbers at each time, and the Kaplan-Meier estimate of the share without an event.

    >>> life_table(Followed(np.array([1.0, 2.0, 2.0, 3.0]), np.array([1.0, 1.0, 0.0, 1.0]))).surviving.tolist()
    [0.75, 0.5, 0.0]
    """
    times, place = np.unique(followed.time, return_inverse=True)
    place = place.reshape(-1)
    at_risk: Floats = np.bincount(place, minlength=times.size)[::-1].cumsum()[::-1].astype(np.float64)
    events: Floats = np.bincount(place, weights=followed.event, minlength=times.size).astype(np.float64)
    return LifeTable(times, at_risk, events, np.asarray(np.cumprod(1.0 - events / at_risk)))


def log_rank_scores(followed: Followed) -> Floats:
    """Return the two scores of each row (n, 2), each with mean 0 and variance 1.

    >>> log_rank_scores(Followed(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 1.0, 0.0, 1.0])))[:, 0].round(2)
    array([ 1.26,  0.7 , -0.98, -0.98])
    """
    table = life_table(followed)
    place = np.searchsorted(table.times, followed.time)
    hazard = table.events / table.at_risk
    before = np.concatenate([[1.0], table.surviving[:-1]])
    scores = np.empty((followed.time.size, 2))
    for k, weight in enumerate((np.ones(before.size), 1.0 - 2.0 * before)):
        scores[:, k] = followed.event * weight[place] - np.cumsum(weight * hazard)[place]
    scores -= scores.mean(axis=0)
    spread = scores.std(axis=0)
    scaled: Floats = np.divide(scores, spread, out=np.zeros_like(scores), where=spread > 0.0)
    return scaled


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
