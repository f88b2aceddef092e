"""When rows were observed: the column that `order` names, as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kmerf.core.errors import InputError
from kmerf.reading.containers import Column, find, read
from kmerf.reading.order_notes import moments
from kmerf.reading.rulings import typed

MONTH = 365.2425 / 12 * 86400  # seconds


def split_order(table: list[Column], order: Any) -> tuple[list[Column], Column | None]:
    """Read the times of rows, and leave the column that they are named by out of the table.

    >>> rest, when = split_order(read("x", {"day": [3, 1, 2], "size": [1.0, 2, 3]}), "day")
    >>> [column.name for column in rest], when.values.tolist()
    (['size'], [3.0, 1.0, 2.0])
    """
    if order is None or order is False:
        return table, None
    if order is True:
        return table, Column("order", "row", "numeric", np.arange(table[0].n, dtype=np.float64))
    if isinstance(order, str):
        column = find("order", order, table)
        rest = [each for each in table if each.name != column.name]
        if not rest:
            raise InputError("names the only column of x", argument="order", remedy="pass columns to be tested")
        return rest, typed(replace(column, argument="order"))
    columns = read("order", order, "order", strict=False)
    if len(columns) > 1:
        raise InputError(f"has {len(columns)} columns", argument="order", remedy="pass one time per row")
    return table, typed(columns[0])


def times_of(column: Column) -> NDArray[np.float64]:
    """Return times as numbers: dates in seconds, those of months, quarters and years in months.

    >>> times_of(Column("order", "day", "date", np.array(["2024-01-01", "2024-02-01", "2024-03-01"], object))).tolist()
    [648.0, 649.0, 650.0]
    """
    if column.missing.any():
        count = int(column.missing.sum())
        remedy = "fill in, or leave such rows out"
        raise InputError(f": {column.name!r} is missing in {count} rows", argument="order", remedy=remedy)
    if column.kind == "numeric":
        return np.asarray(column.values, dtype=np.float64)
    seconds = moments(column) if column.kind == "date" else None
    if seconds is None:
        finding = (
            f": {column.name!r} holds {column.values[0]!r}, which is neither a number nor a date such as 2024-01-31"
        )
        raise InputError(finding, argument="order", remedy="pass numbers or dates")
    return _months(seconds)


def _months(seconds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Count months if all dates have the same day and time of the month, or the last day; else return seconds."""
    stamps = seconds.astype("datetime64[s]")
    months = stamps.astype("datetime64[M]")
    inside = (stamps - months.astype("datetime64[s]")).astype(np.int64)
    ends = ((months + 1).astype("datetime64[s]") - stamps).astype(np.int64)
    monthly = np.unique(inside).size == 1 or np.unique(ends).size == 1
    several = np.unique(months).size == seconds.size > 2
    return months.astype(np.int64).astype(np.float64) if monthly and several else seconds


def check_length(column: Column | None, columns: Sequence[Column]) -> None:
    """Raise unless there is one time per row."""
    if column is not None and column.n != columns[0].n:
        finding = f"has {column.n} rows but x has {columns[0].n}"
        raise InputError(finding, argument="order", remedy="pass one time per row")
