"""What a column of text cells holds: numbers, true/false, dates, text, or numbers that were written for people.

A column is numeric if all cells that are not missing (`kmerf.files.missing_cells`) are numbers. Where only some are,
nothing is guessed: the column gets a fault, which is raised if the column is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from kmerf.files import dates
from kmerf.files.missing_cells import MARKS, without_marks, without_nan

if TYPE_CHECKING:
    import polars as pl

_THOUSANDS = r"^[+-]?\d{1,3}([,' \u{a0}\u{202f}]\d{3})+(\.\d+)?$|^[+-]?\d{1,3}(\.\d{3})+,\d+$"
_DECIMAL_COMMA = r"^[+-]?\d+,\d+([eE][+-]?\d+)?$"
_UNIT = r"^[<>≤≥~$€£]? ?[+-]?\d+([.,]\d+)* ?(%|[a-zA-Zµ°/]{1,6}|€|\$)?$"


class Typed(NamedTuple):
    """A column with its type."""

    series: pl.Series
    kind: str
    """"numeric", "boolean", "date" or "text"."""
    fault: str | None = None
    """Why it cannot be used as numbers, where it seems to hold some."""


def typed(series: pl.Series, missing: Sequence[str] = MARKS) -> Typed:
    """Decide what a column of text holds.

    >>> import polars as pl
    >>> typed(pl.Series(["1", " 2.5", "NA"])).series.to_list()
    [1.0, 2.5, None]
    >>> typed(pl.Series(["1,200", "950"])).fault
    "has thousands separators, such as '1,200' in data row 1: write 1200"
    """
    import polars as pl

    numbers = _all_numbers(series, missing)
    if numbers is not None:
        return Typed(numbers, "numeric")
    text = without_marks(series.str.strip_chars(), missing)
    numbers = text.cast(pl.Float64, strict=False)
    wrong = text.is_not_null() & numbers.is_null()
    bad = text.filter(wrong)
    if bad.is_empty():
        return Typed(without_nan(numbers), "numeric")
    present = len(text) - text.null_count()
    if len(bad) == present and bad.str.to_lowercase().is_in(["true", "false"]).all():
        return Typed(text.str.to_lowercase() == "true", "boolean")
    first = int(wrong.arg_true()[0])
    fault = _fault(bad, present, str(text[first]), first + 1)
    if len(bad) == present and bad.str.contains(dates.LOCAL).all():
        return Typed(text, "date")
    if len(bad) == present and bad.str.contains(dates.YEAR_FIRST).all():
        fault = _no_date(text)
        return Typed(text, "date" if fault is None else "text", fault)
    return Typed(text, "text", fault)


def _all_numbers(series: pl.Series, missing: Sequence[str]) -> pl.Series | None:
    """Return the numbers of a column without blanks around any cell, which need not be taken away; else None."""
    import polars as pl

    text = without_marks(series, missing)
    numbers = text.cast(pl.Float64, strict=False)
    return without_nan(numbers) if numbers.null_count() == text.null_count() else None


def _no_date(text: pl.Series) -> str | None:
    wrong = (text.is_not_null() & dates.parsed(text).is_null()).arg_true()
    if wrong.is_empty():
        return None
    cell, row = str(text[int(wrong[0])])[:40], int(wrong[0]) + 1
    remedy = f"mend it, or pass --missing {cell!r} if that means missing"
    return f"holds dates, but {cell!r} in data row {row} is not in the calendar: {remedy}"


def _fault(bad: pl.Series, present: int, cell: str, row: int) -> str | None:
    shown = f"such as {cell[:40]!r} in data row {row}"
    if bad.str.contains(_THOUSANDS).all():
        return f"has thousands separators, {shown}: write {_without_marks(cell)}"
    if bad.str.contains(_DECIMAL_COMMA).all():
        return f"has decimal commas, {shown}: write {cell.replace(',', '.')}"
    if len(bad) < present and bad.str.contains(_UNIT).all():
        return f"has numbers with signs or units, {shown}: leave only the number"
    if 2 * len(bad) <= present:
        cells = "cell is not" if len(bad) == 1 else "cells are not"
        remedy = f"put numbers there, pass --missing {cell[:40]!r} if that means missing, or --categorical"
        return f"holds numbers, but {len(bad)} {cells}, {shown}: {remedy}"
    return None


def _without_marks(cell: str) -> str:
    if "." in cell and "," in cell and cell.rindex(",") > cell.rindex("."):  # 1.234,5
        return cell.replace(".", "").replace(",", ".")
    return "".join(c for c in cell if c.isdigit() or c in "+-.")
