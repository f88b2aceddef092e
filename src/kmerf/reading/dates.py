"""Dates and times as numbers by their meaning: how much time has passed, and where in the year, week or day it is.

A column of dates becomes the time since its first date and, if rows cover two rounds or more, the month, the weekday
and the hour, which go round: December is beside January (`kmerf.data.sample.Cycle`). Times of day become hours, which
go round if they cover more than half of a day. Durations, also 75:30 and 2h 41m, are numbers.

Dates in text are read if the year comes first, or with words (Jan 15, 2024); weeks (2024-W05), months (2024-01) and
quarters (2024Q1) are the day they begin with. Numbers such as 20240131 are dates if the column is called so. Of
05/03/2021 nobody knows which number is the day, unless one of the column is above 12 or they are written with points;
`dates="day-first"` or `"month-first"` says so. Columns where only some dates have a zone have no order.
"""

from __future__ import annotations

import datetime
import math
import re
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kmerf.core.calendar import ELAPSED, dated_unit
from kmerf.core.errors import Argument, Message
from kmerf.data.sample import Cycle
from kmerf.reading.containers import Column
from kmerf.reading.text_cells import CLOCK, LAPSE, LOCAL, MONTHS, SPELLED, WORDED, Fault, are_lapses

DATES = ("auto", "elapsed", "drop", "day-first", "month-first")
DAY, HOUR = 86400.0, 3600.0
MIN_YEARS, MIN_WEEKS, MIN_DAYS = 700 * DAY, 14 * DAY, 2 * DAY  # spans from which on months, weekdays, hours come again
_UNITS = (("days", DAY), ("hours", HOUR), ("minutes", 60.0), ("seconds", 1.0))

_TEXT = re.compile(
    r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})"
    r"(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(\.\d{1,6})?\d*)?(?: ?(Z|[+-]\d{2}:?\d{2}))?)?"
)
_LOCAL = re.compile(
    r"(\d{1,2})[./-](\d{1,2})[./-](\d{4}|\d{2})(?: (\d{1,2}):(\d{2})(?::(\d{2}))?(?: ?([aApP])\.?[mM]\.?)?)?"
)
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d+)?))?(?: ?([aApP])\.?[mM]\.?)?")
_START = datetime.datetime(1970, 1, 1)


class TimePoints(NamedTuple):
    """When the cells of a column are."""

    kind: str
    """"date", "time" (of day) or "duration"."""
    seconds: NDArray[np.float64]
    """Since 1970, since midnight, or in all; NaN where one is missing."""


def date_parts(column: Column, dates: str = "auto") -> list[Column] | Fault:
    """Return what becomes of a column of dates or times; a fault where their order is not known.

    >>> from kmerf.reading.containers import read
    >>> days = [f"2024-01-{day:02d}" for day in range(1, 29)]
    >>> [(c.name, c.unit, c.values[:3].tolist()) for c in date_parts(read("x", {"day": days})[0])]
    [('day (elapsed)', 'days since 2024-01-01', [0.0, 1.0, 2.0]), ('day (weekday)', '', [1.0, 2.0, 3.0])]
    """
    instants = instants_of(column, dates)
    if instants is None:
        return _no_order(column)
    if instants.kind == "duration":
        return [_elapsed(column, instants.seconds, column.name)]
    if instants.kind == "time":
        return [_hours(column, instants.seconds)]
    elapsed = _since_first(column, instants.seconds, f"{column.name}{ELAPSED}")
    return [elapsed] if dates == "elapsed" else [elapsed, *_cycles(column, instants.seconds)]


_DATE_NAME = re.compile(r"(^|[^a-z])(date|datum|day|dob|birth|yyyymmdd)s?([^a-z]|$)", re.IGNORECASE)


def digits_as_dates(column: Column) -> Column | None:
    """Return a column of numbers as dates if it is called after them and all are days such as 20240131; else None.

    >>> from kmerf.reading.containers import read
    >>> digits_as_dates(read("x", {"date": [20240131, 20240201]})[0]).values.tolist()
    ['2024-01-31', '2024-02-01']
    """
    if _DATE_NAME.search(column.name) is None:
        return None
    numbers = set(column.values[np.isfinite(column.values)].tolist())
    if not numbers or min(numbers) < 1.7e7 or max(numbers) > 2.2e7 or any(number % 1 for number in numbers):
        return None
    texts = {number: f"{number // 10000:04.0f}-{number // 100 % 100:02.0f}-{number % 100:02.0f}" for number in numbers}
    try:
        [datetime.date.fromisoformat(text) for text in texts.values()]
    except ValueError:
        return None
    values = np.array([texts.get(number) for number in column.values.tolist()], dtype=object)
    return replace(column, kind="date", values=values)


def elapsed_time(column: Column, dates: str = "auto") -> Column:
    """Return a column of dates or times as one column of numbers, or raise; any other column as it is."""
    if column.kind != "date":
        return column
    instants = instants_of(column, dates)
    if instants is None:
        raise column.refused(_no_order(column))
    make = _since_first if instants.kind == "date" else _elapsed
    numbers = make(column, instants.seconds, column.name)
    return replace(numbers, remark=numbers.unit)


def instants_of(column: Column, dates: str = "auto") -> TimePoints | None:
    """Return when the cells of a column are; None where they have no order, or are none.

    >>> from kmerf.reading.containers import read
    >>> instants_of(read("x", {"at": ["9:30", "1:00 pm"]})[0]).seconds.tolist()
    [34200.0, 46800.0]
    >>> instants_of(read("x", {"day": ["05/03/2021"]})[0]) is None
    True
    """
    entries = set(column.values) - {None}
    first = next(iter(entries), None)
    texts = [entry for entry in entries if isinstance(entry, str)]
    if len(texts) == len(entries) and texts and are_lapses(texts):
        return _spread(column, "duration", {text: _lapse(text) for text in texts})
    if isinstance(first, str) and re.search(CLOCK, first):
        return _spread(column, "time", {entry: _clock(entry) for entry in entries})
    if isinstance(first, datetime.time):
        return _spread(
            column, "time", {e: e.hour * HOUR + e.minute * 60.0 + e.second + e.microsecond / 1e6 for e in entries}
        )
    if isinstance(first, datetime.timedelta):
        return _spread(column, "duration", {entry: entry.total_seconds() for entry in entries})
    local = _day_first(entries, dates)
    read = {entry: _moment(entry, local) for entry in entries}
    zoned = {moment.tzinfo is not None for moment in read.values() if moment is not None}
    if not read or None in read.values() or len(zoned) > 1:
        return None
    return _spread(column, "date", {entry: _seconds(moment) for entry, moment in read.items() if moment is not None})


def _spread(column: Column, kind: str, seconds: dict[Any, float]) -> TimePoints:
    return TimePoints(kind, np.array([seconds.get(entry, math.nan) for entry in column.values]))


def _seconds(moment: datetime.datetime) -> float:
    return moment.timestamp() if moment.tzinfo is not None else (moment - _START).total_seconds()


def _lapse(text: str) -> float:
    """Return the seconds of 26:10:05, of 75:30, which has minutes, and of 2h 41m."""
    match = LAPSE.fullmatch(text)
    if match is None:
        parts = [float(part or 0.0) for part in SPELLED.fullmatch(text).groups()]  # type: ignore[union-attr]
        return float(np.dot(parts, (DAY, HOUR, 60.0, 1.0)))
    first, second, third = match.groups()
    return int(first) * 60.0 + int(second) if third is None else int(first) * HOUR + int(second) * 60.0 + float(third)


def _clock(text: str) -> float:
    match = _CLOCK.fullmatch(text)
    assert match is not None
    hour, minute, second, half = match.groups()
    hours = int(hour) if half is None else int(hour) % 12 + 12 * (half in "pP")
    return hours * HOUR + int(minute) * 60.0 + float(second or 0.0)


def _day_first(entries: set[Any], dates: str) -> bool | None:
    """Return whether dates such as 05/03/2021 have the day first; None where nobody knows."""
    if dates in ("day-first", "month-first"):
        return dates == "day-first"
    matches = [match for entry in entries if isinstance(entry, str) and (match := _LOCAL.fullmatch(entry))]
    if not matches:
        return None
    if all("." in match[0].split(" ")[0] for match in matches):  # 5.3.2021
        return True
    first, second = max(int(match[1]) for match in matches), max(int(match[2]) for match in matches)
    return None if (first > 12) == (second > 12) else first > 12


def _moment(entry: Any, day_first: bool | None) -> datetime.datetime | None:
    if isinstance(entry, datetime.datetime):
        return entry
    if isinstance(entry, datetime.date):
        return datetime.datetime(entry.year, entry.month, entry.day)
    if not isinstance(entry, str):
        return None
    parts = _TEXT.fullmatch(entry)
    if parts is None:
        return _local_moment(entry, day_first)
    year, month, day, hour, minute, second, fraction, zone = parts.groups()
    time = f"{hour or '0':0>2}:{minute or '00'}:{second or '00'}{fraction or ''}{zone or ''}"
    try:
        return datetime.datetime.fromisoformat(f"{year}-{month:0>2}-{day:0>2}T{time}")
    except ValueError:  # the 30th of February
        return None


def _local_moment(text: str, day_first: bool | None) -> datetime.datetime | None:
    parts = _LOCAL.fullmatch(text)
    if parts is None:
        return _worded_moment(text)
    if day_first is None:
        return None
    first, second, year, *time, half = parts.groups()
    day, month = (first, second) if day_first else (second, first)
    century = "" if len(year) == 4 else "20" if int(year) < 70 else "19"
    try:
        hour, minute, second_part = (int(part or 0) for part in time)
        hour = hour if half is None else hour % 12 + 12 * (half in "pP")
        return datetime.datetime(int(century + year), int(month), int(day), hour, minute, second_part)
    except ValueError:
        return None


def _worded_moment(text: str) -> datetime.datetime | None:
    """Return when a date with words is, or begin a week, a month or a quarter."""
    match = next((match for way in WORDED if (match := way.fullmatch(text))), None)
    if match is None:
        return None
    parts = match.groupdict()
    year = int(parts["year"])
    try:
        if parts.get("week"):
            return datetime.datetime.fromisocalendar(year, int(parts["week"]), 1)
        if parts.get("quarter"):
            return datetime.datetime(year, 3 * int(parts["quarter"]) - 2, 1)
        month = 1 + MONTHS.index(parts["name"][:3].lower()) if parts.get("name") else int(parts["month"])
        return datetime.datetime(year, month, int(parts.get("day") or 1))
    except ValueError:  # the 30th of February, or a 53rd week
        return None


def _no_order(column: Column) -> Fault:
    """Say why dates cannot be put in order."""
    texts = [entry for entry in column.values if isinstance(entry, str)]
    if not texts:
        return Fault("has dates of which only some have a time zone", "give all of them one")
    if not all(re.search(LOCAL, text) for text in texts):
        return Fault(f"has dates, such as {texts[0]!r}, of which some cannot be read", "write all as 2024-01-31")
    finding = f"holds dates such as {texts[0]!r}, of which the day or the month may come first"
    return Fault(finding, Message("pass ", Argument("dates", "day-first"), " or ", Argument("dates", "month-first")))


def _since_first(column: Column, seconds: NDArray[np.float64], name: str) -> Column:
    """Return dates as the time since the first of them, with a unit that says when that is."""
    first = float(np.nanmin(seconds))
    numbers = _elapsed(column, seconds - first, name)
    return replace(numbers, unit=dated_unit(numbers.unit, first))


def _elapsed(column: Column, seconds: NDArray[np.float64], name: str) -> Column:
    """Return seconds in the largest unit of which there are three or more."""
    present = seconds[np.isfinite(seconds)]
    longest = float(np.abs(present).max()) if present.size else 0.0
    whole_days = bool(present.size) and not (present % DAY).any()
    unit, size = next(
        (each for each in _UNITS if longest >= 3.0 * each[1] or (whole_days and each[0] == "days")), _UNITS[-1]
    )
    return replace(column, name=name, kind="numeric", values=seconds / size, unit=unit, fault=None)


def _hours(column: Column, seconds: NDArray[np.float64]) -> Column:
    wide = float(np.nanmax(seconds) - np.nanmin(seconds)) > DAY / 2.0
    name, cycle = f"{column.name} (hour)", Cycle(0.0, 24.0) if wide else None
    return replace(column, name=name, kind="numeric", values=seconds / HOUR, unit="h", cycle=cycle, fault=None)


def _cycles(column: Column, seconds: NDArray[np.float64]) -> list[Column]:
    """Return the month, weekday and hour of dates, each if the span has two rounds of it and it varies."""
    span = float(np.nanmax(seconds) - np.nanmin(seconds))
    days = np.floor(np.unique(seconds[np.isfinite(seconds)]) / DAY)
    month_of_day = {day: (_START + datetime.timedelta(days=day)) for day in days.tolist()}
    parts = []
    if span >= MIN_YEARS:
        months = {day: float(date.month) for day, date in month_of_day.items()}
        parts.append(("month", Cycle(1.0, 12.0), _looked_up(seconds, months)))
    regular = len({date.day for date in month_of_day.values()}) <= 2  # once a month: weekdays mean nothing
    if span >= MIN_WEEKS and not regular:
        parts.append(
            ("weekday", Cycle(1.0, 7.0), 1.0 + (np.floor(seconds / DAY) + 3.0) % 7.0)
        )  # 1970 began on a Thursday
    if span >= MIN_DAYS:
        parts.append(("hour", Cycle(0.0, 24.0), seconds % DAY / HOUR))
    columns = [
        replace(column, name=f"{column.name} ({name})", kind="numeric", values=values, cycle=cycle, fault=None)
        for name, cycle, values in parts
    ]
    return [each for each in columns if np.unique(each.values[np.isfinite(each.values)]).size > 1]


def _looked_up(seconds: NDArray[np.float64], by_day: dict[float, float]) -> NDArray[np.float64]:
    days, places = np.unique(np.floor(seconds / DAY), return_inverse=True)
    return np.array([by_day.get(day, math.nan) for day in days.tolist()])[places.reshape(-1)]
