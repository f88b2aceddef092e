"""Notes on rows that look ordered in time or repeated per subject: one rule for files and dataframes.

The signs are in `kmerf.reading.row_order`; here they are looked for in a table. Dates in text are read if
the year comes first. Nobody knows which number of 05/03/2021 is the day; such dates, columns where only some have a
zone, times of day and durations have no order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

from kmerf.core.errors import Argument, Note
from kmerf.reading import row_order, rulings
from kmerf.reading.containers import Column, encode, labelled
from kmerf.reading.dates import instants_of


def moments(column: Column) -> NDArray[np.float64] | None:
    """Return the seconds from 1970 to each date, NaN where it is missing; None where dates have no order.

    >>> from kmerf.reading.containers import read
    >>> moments(read("x", {"day": ["1970-1-2", None, "1970-01-03T00:00"]})[0]).tolist()
    [86400.0, nan, 172800.0]
    >>> moments(read("x", {"day": ["05/03/2021"]})[0]) is None
    True
    """
    instants = instants_of(column)
    return None if instants is None or instants.kind != "date" else instants.seconds


def order_notes(
    columns: Sequence[Column],
    y: Sequence[Column],
    rows: NDArray[np.bool_],
    *,
    takes_blocks: bool = True,
    blocks: NDArray[np.int64] | None = None,
) -> list[str]:
    """Say where `rows` look ordered in time or repeated per subject.

    `columns` are those of the whole table without y, each of them `typed`, so that a column that counts its rows is
    known for what it is.
    Blocks and an order are recommended to those whose question takes them. `blocks` numbers those of `rows`, if the
    user has named some.
    """
    if not columns or y[0].n != columns[0].n:
        return []
    if blocks is not None:
        return _notes_inside(columns, y, rows, blocks)
    others = [column.some(rows) for column in columns if not rulings.counts_rows(column)]
    codable = [column for column in others if column.kind not in ("date", "other")]
    codes = {c.name: column_codes(c) for c in codable}
    labels = [c.name for c in codable if c.kind in ("text", "categorical")]
    subjects = row_order.subjects(codes, labels)
    notes: list[str] = []
    for name in subjects:
        notes.append(
            row_order.repeated_note(name, len(np.unique(codes[name])), int(rows.sum()), takes_blocks=takes_blocks)
        )
    dated = [c.name for c in others if c.kind == "date" and _in_order(c)]
    usable_y = len(y) == 1 and y[0].kind not in ("date", "other")
    y_codes = column_codes(y[0].some(rows)) if usable_y else None
    rank = "doubt" if y_codes is None or row_order.lag_is_strong(y_codes) else "detail"
    notes += [row_order.dates_note(name, takes_blocks=takes_blocks, rank=rank) for name in dated]
    together = any(row_order.is_grouped(codes[name]) for name in subjects)
    if not dated and not together and y_codes is not None:
        lag = row_order.serial(y_codes, codes.items())
        timed = any(row_order.is_time(name, values) for name, values in codes.items())
        few = np.unique(y_codes).size <= MAX_COARSE and not timed  # classes stand together in most files
        rank = "detail" if few else "doubt"
        notes += [] if lag is None else [row_order.serial_note(y[0].name, lag, takes_blocks=takes_blocks, rank=rank)]
    return notes


def _notes_inside(
    columns: Sequence[Column], y: Sequence[Column], rows: NDArray[np.bool_], blocks: NDArray[np.int64]
) -> list[str]:
    """Say where rows inside blocks are like their neighbours; a column of x that rises in all may be the reason."""
    if len(y) > 1 or y[0].kind in ("date", "other"):
        return []
    lag = row_order.serial_inside(column_codes(y[0].some(rows)), blocks)
    if lag is None:
        return []
    numbers = [column.some(rows) for column in columns if column.kind == "numeric"]
    rises = any(row_order.rises_inside(column.values, blocks) for column in numbers)
    return [row_order.inner_note(y[0].name, lag, "detail" if rises else "doubt")]


def noticed_order(notes: Sequence[str]) -> str | bool | None:
    """Return the order that a note on a doubt recommends: the name of a column, or True for that of the rows.

    >>> noticed_order([row_order.dates_note("day")]), noticed_order([row_order.dates_note("day", rank="detail")])
    ('day', None)
    """
    for note in notes:
        if isinstance(note, Note) and note.rank == "doubt":
            named = [part for part in note.parts if isinstance(part, Argument) and part.name == "order"]
            if len(named) == 1 and named[0].has_value:
                return cast("str | bool", named[0].value)
    return None


MAX_COARSE = 10  # different values of a y that a file may be sorted by without anybody noticing


def column_codes(column: Column) -> NDArray[np.float64]:
    """Return numbers as they are, and of labels the place among the different ones, 0 where one is missing."""
    if column.values.dtype.kind == "f":
        return column.values
    codes, _ = encode(labelled(column), tuple(sorted(rulings.distinct_labels(column))), most=column.n)
    return np.asarray(codes, dtype=np.float64) + 1.0


def _in_order(column: Column) -> bool:
    """Return whether rows are in the order of more than two dates, if those have one; rows without a date apart."""
    instants = moments(column)
    if instants is None or np.unique(instants[np.isfinite(instants)]).size <= 2:
        return False
    return row_order.is_sorted(instants)
