"""Dates as numbers: the unit "days since 2012-03-01" says when each number of a column is, and what steps mean."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

SECONDS = {"days": 86400.0, "hours": 3600.0, "minutes": 60.0, "seconds": 1.0}
ELAPSED = " (elapsed)"  # ends the name of the part of a date that has such a unit
_START = datetime.datetime(1970, 1, 1)
_SINCE = " since "
_SIXTIETHS = (1, 2, 3, 5, 10, 15, 30)
DAY = SECONDS["days"]
SHORT, LONG = 5, 4  # ticks of short and of long texts, at most


def dated_unit(unit: str, first: float) -> str:
    """Return the unit of times since a moment, which is in seconds since 1970.

    >>> dated_unit("days", 15400 * 86400.0), dated_unit("hours", 60.0)
    ('days since 2012-03-01', 'hours since 1970-01-01 00:01:00')
    """
    moment = _START + datetime.timedelta(seconds=first)
    midnight = moment.time() == datetime.time()
    return f"{unit}{_SINCE}{moment.date().isoformat() if midnight else moment.isoformat(sep=' ')}"


def is_dated(unit: str) -> bool:
    """Return whether numbers of this unit are dates.

    >>> is_dated("days since 2012-03-01"), is_dated("days"), is_dated("kg since 2012-03-01")
    (True, False, False)
    """
    return _origin(unit) is not None


def step_unit(unit: str) -> str:
    """Return the unit of differences.

    >>> step_unit("days since 2012-03-01"), step_unit("kg")
    ('days', 'kg')
    """
    return unit.partition(_SINCE)[0] if is_dated(unit) else unit


def plain_name(name: str, unit: str) -> str:
    """Return what a column of dates is called where its numbers are shown as dates."""
    return name.removesuffix(ELAPSED) if is_dated(unit) else name


def date_text(value: float, unit: str, *, day: bool = False) -> str:
    """Write a number of a dated unit as a date, with the time unless it is a whole `day`, or only that is asked for.

    >>> date_text(10.0, "days since 2012-03-01"), date_text(0.5, "days since 2012-03-01")
    ('2012-03-11', '2012-03-01 12:00')
    >>> date_text(0.5, "days since 2012-03-01", day=True), date_text(7.0, "seconds since 2012-03-01 10:00:00")
    ('2012-03-01', '2012-03-01 10:00:07')
    """
    moment = _moment(value, unit)
    if moment is None:
        return f"{value:.6g}"
    days = step_unit(unit) == "days"
    if days and (day or moment.time() == datetime.time()):
        return moment.date().isoformat()
    return moment.isoformat(sep=" ", timespec="seconds" if step_unit(unit) == "seconds" else "minutes")


def date_ticks(low: float, high: float, unit: str) -> tuple[tuple[float, ...], tuple[str, ...]]:
    """Return where an axis of dates has ticks, and what stands there: years, months, days or times of day.

    >>> date_ticks(0.0, 1500.0, "days since 2012-03-01")[1], date_ticks(0.0, 100.0, "days since 2012-03-01")[1]
    (('2013', '2014', '2015', '2016'), ('2012-03', '2012-04', '2012-05', '2012-06'))
    >>> date_ticks(0.0, 20.0, "days since 2012-03-01")[1], date_ticks(0.0, 9.0, "hours since 2012-03-01")[1]
    (('2012-03-01', '2012-03-08', '2012-03-15'), ('00:00', '02:00', '04:00', '06:00', '08:00'))
    """
    first, last, origin = _moment(low, unit), _moment(high, unit), _origin(unit)
    if first is None or last is None or origin is None:
        return (), ()
    moments: list[datetime.datetime] = []
    form = ""
    for step, form in _steps(first, last):
        moments = _multiples(first, last, step)
        if len(moments) <= (LONG if len(form) > len("%H:%M:%S") or form == "%Y-%m-%d" else SHORT):
            break
    ticks = tuple((each - origin).total_seconds() / SECONDS[step_unit(unit)] for each in moments)
    return ticks, tuple(each.strftime(form).rjust(4, "0") for each in moments)


def _steps(first: datetime.datetime, last: datetime.datetime) -> Iterator[tuple[float, str]]:
    """Yield steps from the finest on, each at most 2.5 times the one before: seconds, or minus so many months."""
    span = (last - first).total_seconds()
    one_day = first.date() == last.date()
    for size, counts in (
        (1.0, _SIXTIETHS),
        (60.0, _SIXTIETHS),
        (3600.0, (1, 2, 3, 6, 12)),
        (DAY, (1, 2, 4, 7, 14, 21)),
    ):
        form = "%Y-%m-%d" if size == DAY else "%m-%d %H:%M" if not one_day else "%H:%M" if size > 1.0 else "%H:%M:%S"
        yield from ((count * size, form) for count in counts if count * size * 2 * SHORT > span)
    yield from ((-months, "%Y-%m") for months in (1, 2, 3, 6))
    yield from ((-12.0 * each * 10**power, "%Y") for power in range(4) for each in (1, 2, 5))


def _multiples(first: datetime.datetime, last: datetime.datetime, step: float) -> list[datetime.datetime]:
    """Return the multiples of a step from the first moment to the last."""
    if step > 0.0:
        start = datetime.datetime.combine(first.date(), datetime.time())
        count = int((last - start).total_seconds() // step)
        moments = [start + datetime.timedelta(seconds=k * step) for k in range(count + 1)]
    else:
        size = int(-step)
        months = range((first.year * 12 + first.month - 1) // size * size, last.year * 12 + last.month, size)
        moments = [datetime.datetime(month // 12, month % 12 + 1, 1) for month in months if month >= 12]
    return [each for each in moments if first <= each <= last]


def _origin(unit: str) -> datetime.datetime | None:
    size, since, text = unit.partition(_SINCE)
    if not since or size not in SECONDS:
        return None
    try:
        return datetime.datetime.fromisoformat(text)
    except ValueError:
        return None


def _moment(value: float, unit: str) -> datetime.datetime | None:
    """Return when a number is; None if that is not in the calendar."""
    origin = _origin(unit)
    if origin is None:
        return None
    try:
        return origin + datetime.timedelta(seconds=round(value * SECONDS[step_unit(unit)], 3))
    except (OverflowError, ValueError):
        return None
