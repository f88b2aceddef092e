"""Tables for tests of what is read from files."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from datetime import time as clock

import polars as pl

from kmerf.reading.typed_table import FileSource, Table, table_of_frame


def table_of(columns, dates=()) -> Table:
    """Return a table as if it had been read; columns of text that hold dates are named."""
    frame = pl.DataFrame(columns)
    table = table_of_frame(frame, FileSource("t", "text", None, "comma", "utf-8", frame.height))
    table.kinds.update(dict.fromkeys(dates, "date"))
    return table


MONTHS = [(2019 + i // 12, i % 12 + 1, 5) for i in range(60)]
DATED = {
    "iso": [f"{y}-{m}-{d}" for y, m, d in MONTHS],
    "slashed": [f"{y}/{m}/{d} {m}:30" for y, m, d in MONTHS],
    "local": [f"{d:02}/{m:02}/{y}" for y, m, d in MONTHS],
    "zoned": [f"{y}-{m:02}-{d:02}T00:30+02:00" for y, m, d in MONTHS],
    "mixed": [f"{y}-{m:02}-{d:02}" + "T00:00Z" * (m % 2) for y, m, d in MONTHS],
    "noon": [datetime(y, m, d, 12) for y, m, d in MONTHS],
    "day": [date(y, m, d) for y, m, d in MONTHS],
    "rome": pl.Series([datetime(y, m, d) for y, m, d in MONTHS]).dt.replace_time_zone("Europe/Rome"),
    "nanoseconds": pl.Series([datetime(y, m, d, 12) for y, m, d in MONTHS]).cast(pl.Datetime("ns")),
    "clock": [clock(m, 0) for _, m, _ in MONTHS],
    "length": [timedelta(days=m) for _, m, _ in MONTHS],
}
