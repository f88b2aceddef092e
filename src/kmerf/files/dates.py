"""Dates: their moments, in microseconds since 1970, so that they can be compared and put in order.

Text is read if its year comes first, 2024-1-31 or 2024-01-31T10:30:00.5+02:00; a date is the midnight it begins with.
Instants with a zone are those of UTC, and are kept apart from those without, which could be anywhere. Which number of
05/03/2021 is the day is not known: such dates, and columns where only some have a zone, have no order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kmerf.data.text_cells import YEAR_FIRST

if TYPE_CHECKING:
    import polars as pl

_ZONE = r"(?:Z|[+-][0-9]{2}:?[0-9]{2})"

_FORMATS = (
    "%Y-%m-%d",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%d %H:%M:%S%.f",
    "%Y-%m-%d %H:%M%z",
    "%Y-%m-%d %H:%M:%S%.f%z",
)


class Instants(NamedTuple):
    """When the cells of a column are."""

    kind: str
    """"date", or "zoned date" where they are moments of UTC."""
    series: pl.Series
    """As datetimes, to the microsecond."""


def moments(series: pl.Series) -> Instants | None:
    """Return the moments of a column of dates or of text that `parsed` reads; None where they have no order.

    >>> import polars as pl
    >>> instants = moments(pl.Series(["2024-1-31T12:00+02:00", "2024-01-31 9:30Z"]))
    >>> instants.kind, [str(moment) for moment in instants.series]
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

    dated = text.str.contains(YEAR_FIRST) & ~text.str.contains(":60")  # polars would read a 60th second
    plain = (
        text.set(~dated, None)
        .str.replace_all("/", "-", literal=True)
        .str.replace("T", " ", literal=True)
        .str.replace(" ?Z$", "+00:00")
        .str.replace(r" ([+-][0-9]{2}:?[0-9]{2})$", "$1")
        .alias("text")
    )
    instants = [pl.col("text").str.to_datetime(form, time_unit="us", strict=False) for form in _FORMATS]
    unzoned = [each.dt.replace_time_zone(None) for each in instants]
    return plain.to_frame().select(pl.coalesce(unzoned)).to_series().alias(text.name)


def _of_text(text: pl.Series) -> Instants | None:
    instants = parsed(text)
    if instants.null_count() > text.null_count():
        return None
    zoned = int(text.str.contains(rf":.*{_ZONE}$").sum())
    if zoned not in (0, len(text) - text.null_count()):
        return None
    return Instants("zoned date" if zoned else "date", instants)
