"""Dates as numbers: the unit "days since 2012-03-01" says when each number of a column is, and what steps mean."""

from __future__ import annotations

import datetime
import math

SECONDS = {"days": 86400.0, "hours": 3600.0, "minutes": 60.0, "seconds": 1.0}
ELAPSED = " (elapsed)"  # ends the name of the part of a date that has such a unit
_START = datetime.datetime(1970, 1, 1)
_SINCE = " since "
_DAY_STEPS = (1, 2, 7, 14)
_MONTH_STEPS = (1, 2, 3, 6)
_SECOND_STEPS = (1, 5, 15, 30, 60, 300, 900, 1800, 3600, 10800, 21600, 43200)
_MONTH = 30.44 * SECONDS["days"]


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


def date_ticks(low: float, high: float, unit: str, most: int = 4) -> tuple[tuple[float, ...], tuple[str, ...]]:
    """Return where an axis of dates has ticks, and what stands there: years, months, days or times of day.

    >>> date_ticks(0.0, 1500.0, "days since 2012-03-01")[1], date_ticks(0.0, 100.0, "days since 2012-03-01")[1]
    (('2013', '2014', '2015', '2016'), ('2012-03', '2012-04', '2012-05', '2012-06'))
    >>> date_ticks(0.0, 20.0, "days since 2012-03-01")[1], date_ticks(0.0, 9.0, "hours since 2012-03-01")[1]
    (('2012-03-01', '2012-03-08', '2012-03-15'), ('00:00', '03:00', '06:00', '09:00'))
    """
    first, last = _moment(low, unit), _moment(high, unit)
    if first is None or last is None:
        return (), ()
    rough = (last - first).total_seconds() / most
    if rough > 6 * _MONTH:
        moments, form = _years(first, last, 0.6 * rough / (12 * _MONTH)), "%Y"  # short, so more fit
    elif rough > 14 * SECONDS["days"]:
        moments, form = _months(first, last, rough / _MONTH), "%Y-%m"
    elif rough > 0.5 * SECONDS["days"]:
        step = next(each for each in _DAY_STEPS if each >= rough / SECONDS["days"] * 0.999)
        start = datetime.datetime.combine(first.date(), datetime.time())
        moments, form = _even(start, first, last, step * SECONDS["days"]), "%Y-%m-%d"
    else:
        step = next(each for each in _SECOND_STEPS if each >= rough * 0.999)
        start = datetime.datetime.combine(first.date(), datetime.time())
        form = ("%H:%M" if step >= 60 else "%H:%M:%S") if first.date() == last.date() else "%m-%d %H:%M"
        moments = _even(start, first, last, float(step))
    origin, size = _origin(unit), SECONDS[step_unit(unit)]
    assert origin is not None
    ticks = tuple((each - origin).total_seconds() / size for each in moments)
    return ticks, tuple(f"{each.year:04d}" if form == "%Y" else each.strftime(form) for each in moments)


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


def _years(first: datetime.datetime, last: datetime.datetime, rough: float) -> list[datetime.datetime]:
    size = 10.0 ** math.floor(math.log10(max(rough, 1.0)))
    step = int(next(size * factor for factor in (1, 2, 5, 10) if size * factor >= rough * 0.999))
    years = range(-(-first.year // step) * step, last.year + 1, step)
    return [each for year in years if year > 0 and first <= (each := datetime.datetime(year, 1, 1)) <= last]


def _months(first: datetime.datetime, last: datetime.datetime, rough: float) -> list[datetime.datetime]:
    step = next(each for each in _MONTH_STEPS if each >= rough * 0.98)
    months = range((first.year * 12 + first.month - 1) // step * step, last.year * 12 + last.month, step)
    moments = [datetime.datetime(month // 12, month % 12 + 1, 1) for month in months]
    return [each for each in moments if first <= each <= last]


def _even(
    start: datetime.datetime, first: datetime.datetime, last: datetime.datetime, step: float
) -> list[datetime.datetime]:
    count = int((last - start).total_seconds() // step)
    moments = [start + datetime.timedelta(seconds=k * step) for k in range(count + 1)]
    return [each for each in moments if first <= each <= last]
