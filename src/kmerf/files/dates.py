"""Dates: their moments, in microseconds since 1970, so that they can be compared and put in order.

Text is read if its year comes first, 2024-1-31 or 2024-01-31T10:30:00.5+02:00; a date is the midnight it begins with.
Instants with a zone are those of UTC, and are kept apart from those without, which could be anywhere. Which number of
05/03/2021 is the day is not known: such dates, and columns where only some have a zone, have no order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import polars as pl

_TIME = r"[T ]([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?(?: ?(Z|[+-][0-9]{2}:?[0-9]{2}))?"
YEAR_FIRST = rf"^([0-9]{{4}})[-/]([0-9]{{1,2}})[-/]([0-9]{{1,2}})(?:{_TIME})?$"
LOCAL = r"^[0-9]{1,2}[./-][0-9]{1,2}[./-]([0-9]{4}|[0-9]{2})( [0-9]{1,2}:[0-9]{2}(:[0-9]{2})?)?$"

_DAY = 86_400_000_000  # microseconds


class Instants(NamedTuple):
    """When the cells of a column are."""

    kind: str
    """"date", or "zoned date" where they are moments of UTC."""
    series: pl.Series
    """As datetimes, to the microsecond."""


def moments(series: pl.Series) -> Instants | None:
    """Return the moments of a column of dates or of text that `parsed` reads; None where they have no order.

    >>> import polars as pl
    >>> found = moments(pl.Series(["2024-1-31T12:00+02:00", "2024-01-31 9:30Z"]))
    >>> found.kind, [str(moment) for moment in found.series]
    ('zoned date', ['2024-01-31 10:00:00', '2024-01-31 09:30:00'])
    >>> moments(pl.Series(["05/03/2021"])) is None
    True
    """
    import polars as pl

    if series.dtype == pl.String:
        return _of_text(series)
    if series.dtype not in (pl.Date, pl.Datetime):  # a time of day, or a duration
        return None
    zone = getattr(series.dtype, "time_zone", None)
    if zone is not None:
        series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    return Instants("date" if zone is None else "zoned date", series.cast(pl.Datetime("us")))


def parsed(text: pl.Series) -> pl.Series:
    """Return text as datetimes; null where it is none, such as on the 30th of February."""
    import polars as pl

    parts = pl.DataFrame({"text": text}).select(pl.col("text").str.extract_groups(YEAR_FIRST).alias("parts"))
    year, month, day, hour, minute, second, fraction, zone = (
        parts["parts"].struct.rename_fields(list("ymdHMSfz")).struct.field(name) for name in "ymdHMSfz"
    )
    date = (year + "-" + month.str.zfill(2) + "-" + day.str.zfill(2)).str.to_date("%Y-%m-%d", strict=False)
    clock = [part.cast(pl.Int64).fill_null(0) for part in (hour, minute, second)]
    real = (clock[0] < 24) & (clock[1] < 60) & (clock[2] < 60)
    seconds = clock[0] * 3600 + clock[1] * 60 + clock[2] - _offset(zone)
    micro = fraction.str.slice(0, 6).str.pad_end(6, "0").cast(pl.Int64).fill_null(0)
    found = date.cast(pl.Int64) * _DAY + seconds * 1_000_000 + micro
    return found.set(~real, None).cast(pl.Datetime("us")).alias(text.name)


def _of_text(text: pl.Series) -> Instants | None:
    found = parsed(text)
    if found.null_count() > text.null_count():
        return None
    zoned = int(_has_zone(text).sum())
    if zoned not in (0, len(text) - text.null_count()):
        return None
    return Instants("zoned date" if zoned else "date", found)


def _has_zone(text: pl.Series) -> pl.Series:
    return text.str.contains(r":.*(Z|[+-][0-9]{2}:?[0-9]{2})$")


def _offset(zone: pl.Series) -> pl.Series:
    """Return how many seconds a zone is ahead of UTC."""
    import polars as pl

    digits = zone.str.replace_all("[^0-9]", "")
    hours, minutes = (digits.str.slice(begin, 2).cast(pl.Int64, strict=False).fill_null(0) for begin in (0, 2))
    ahead = hours * 3600 + minutes * 60
    return ahead * (1 - 2 * zone.str.starts_with("-").fill_null(False).cast(pl.Int64))
