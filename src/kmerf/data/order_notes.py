"""Notes on rows that look ordered in time or repeated per subject: one rule for files and dataframes.

What the signs are is in `kmerf.data.row_order`; here they are looked for in the columns of a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kmerf.data import row_order, table_rules
from kmerf.data.containers import Column, encode, labelled
from kmerf.data.date_moments import moments


def order_notes(
    columns: Sequence[Column], y: Sequence[Column], rows: NDArray[np.bool_], *, takes_blocks: bool = True
) -> list[str]:
    """Say where `rows` look ordered in time or repeated per subject.

    `columns` are those of the whole table without y, so that a column that counts its rows is known for what it is.
    Blocks are recommended to those whose question takes them.
    """
    if not columns or y[0].n != columns[0].n:
        return []
    rulings = [ruling for ruling in table_rules.judge(columns) if ruling.remark not in table_rules.COUNTING]
    chosen = [_some(ruling.column, rows) for ruling in rulings]
    known = [column for column in chosen if column.kind not in ("date", "other")]
    codes = {c.name: column_codes(c) for c in known}
    labels = [c.name for c in known if c.kind in ("text", "categorical")]
    subjects = row_order.subjects(codes, labels)
    notes: list[str] = []
    for name in subjects:
        notes.append(
            row_order.repeated_note(name, len(np.unique(codes[name])), int(rows.sum()), takes_blocks=takes_blocks)
        )
    dated = [c.name for c in chosen if c.kind == "date" and _in_order(c)]
    notes += [row_order.dates_note(name, takes_blocks=takes_blocks) for name in dated]
    together = any(row_order.is_grouped(codes[name]) for name in subjects)
    if not dated and not together and len(y) == 1 and y[0].kind not in ("date", "other"):
        lag = row_order.serial(column_codes(_some(y[0], rows)), codes.items())
        notes += [] if lag is None else [row_order.serial_note(y[0].name, lag, takes_blocks=takes_blocks)]
    return notes


def unordered_dates(columns: Sequence[Column]) -> list[str]:
    """Name the columns of dates for which nobody can say whether rows are in their order."""
    notes = []
    for column in (table_rules.typed(column) for column in columns):
        texts = [entry for entry in column.values if isinstance(entry, str)] if column.kind == "date" else []
        if texts and moments(column) is None:
            notes.append(
                f"Column {column.name!r} holds dates such as {texts[0]!r}, whose order is not known, so it is not "
                "known either whether rows are in that order: write them as 2024-01-31 to be told."
            )
    return notes


def column_codes(column: Column) -> NDArray[np.float64]:
    """Return numbers as they are, and of labels the place among the different ones, 0 where one is missing."""
    if column.values.dtype.kind == "f":
        return column.values
    codes, _ = encode(labelled(column), tuple(sorted(table_rules.distinct_labels(column))), most=column.n)
    return np.asarray(codes, dtype=np.float64) + 1.0


def _some(column: Column, rows: NDArray[np.bool_]) -> Column:
    return column if rows.all() else replace(column, values=column.values[rows])


def _in_order(column: Column) -> bool:
    """Tell whether rows are in the order of more than two dates, if those have one; rows without a date apart."""
    instants = moments(column)
    if instants is None or np.unique(instants[np.isfinite(instants)]).size <= 2:
        return False
    return row_order.is_sorted(instants)
