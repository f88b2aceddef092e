"""When are the dates of a column? So that rows can be seen to be in their order.

Text is read if its year comes first, as `kmerf.files.dates` reads it for conditions. Which number of 05/03/2021 is the
day is not known; such dates, columns where only some have a zone, times of day and durations have no order.
"""

from __future__ import annotations

import datetime
import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from kmerf.data.containers import Column

_TEXT = re.compile(
    r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})"
    r"(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(\.\d{1,6})?\d*)?(?: ?(Z|[+-]\d{2}:?\d{2}))?)?"
)
_START = datetime.datetime(1970, 1, 1)


def moments(column: Column) -> NDArray[np.float64] | None:
    """Return the seconds from 1970 to each date, NaN where it is missing; None where dates have no order.

    >>> from kmerf.data.containers import read
    >>> moments(read("x", {"day": ["1970-1-2", None, "1970-01-03T00:00"]})[0]).tolist()
    [86400.0, nan, 172800.0]
    >>> moments(read("x", {"day": ["05/03/2021"]})[0]) is None
    True
    """
    read = {entry: _moment(entry) for entry in set(column.values) - {None}}
    known = [moment for moment in read.values() if moment is not None]
    zoned = {moment.tzinfo is not None for moment in known}
    if not known or len(known) < len(read) or len(zoned) > 1:
        return None
    seconds = {entry: _seconds(moment) for entry, moment in read.items() if moment is not None}
    return np.array([seconds.get(entry, math.nan) for entry in column.values])


def _seconds(moment: datetime.datetime) -> float:
    return moment.timestamp() if moment.tzinfo is not None else (moment - _START).total_seconds()


def _moment(entry: Any) -> datetime.datetime | None:
    if isinstance(entry, datetime.datetime):
        return entry
    if isinstance(entry, datetime.date):
        return datetime.datetime(entry.year, entry.month, entry.day)
    parts = _TEXT.fullmatch(entry) if isinstance(entry, str) else None
    if parts is None:
        return None
    year, month, day, hour, minute, second, fraction, zone = parts.groups()
    time = f"{hour or '0':0>2}:{minute or '00'}:{second or '00'}{fraction or ''}{zone or ''}"
    try:
        return datetime.datetime.fromisoformat(f"{year}-{month:0>2}-{day:0>2}T{time}")
    except ValueError:  # the 30th of February
        return None
