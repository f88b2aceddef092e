"""What a column of text cells holds: numbers, true/false, dates, text, or numbers that were written for people.

A column is numeric if all cells that are not missing (`kmerf.files.missing_cells`) are numbers. Where only some are,
nothing is guessed: the column gets a fault, which is raised if the column is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from kmerf.core.errors import Argument, Message
from kmerf.data.text_cells import LOCAL, YEAR_FIRST, Fault, StrayCells, number_fault
from kmerf.files import dates
from kmerf.files.missing_cells import MARKS, without_codes, without_marks, without_nan, without_quotes

if TYPE_CHECKING:
    import polars as pl


class Typed(NamedTuple):
    """A column with its type."""

    series: pl.Series
    kind: str
    """"numeric", "boolean", "date" or "text"."""
    fault: Fault | None = None
    """Why it cannot be used as numbers, where it seems to hold some."""


def typed(series: pl.Series, missing: Sequence[str] = MARKS) -> Typed:
    """Decide what a column of text holds.

    >>> import polars as pl
    >>> typed(pl.Series(["1", " 2.5", "NA"])).series.to_list()
    [1.0, 2.5, None]
    >>> typed(pl.Series(["1,200", "950"])).fault.text
    "has thousands separators, such as '1,200' in data row 1: write 1200"
    """
    import polars as pl

    numbers = _all_numbers(series, missing)
    if numbers is not None:
        return Typed(numbers, "numeric")
    text = without_quotes(without_marks(series.str.strip_chars(), missing))
    numbers = text.cast(pl.Float64, strict=False)
    wrong = text.is_not_null() & numbers.is_null()
    bad = text.filter(wrong)
    if bad.is_empty():
        return Typed(without_codes(without_nan(numbers), missing), "numeric")
    present = len(text) - text.null_count()
    if len(bad) == present and bad.str.to_lowercase().is_in(["true", "false"]).all():
        return Typed(text.str.to_lowercase() == "true", "boolean")
    first = int(wrong.arg_true()[0])
    texts = bad.unique().to_list()
    fault = number_fault(StrayCells(series.name, texts, len(bad), present, str(text[first]), first + 1))
    if len(bad) == present and bad.str.contains(LOCAL).all():
        return Typed(text, "date")
    if len(bad) == present and bad.str.contains(YEAR_FIRST).all():
        fault = _no_date(text)
        return Typed(text, "date" if fault is None else "text", fault)
    return Typed(text, "text", fault)


def _all_numbers(series: pl.Series, missing: Sequence[str]) -> pl.Series | None:
    """Return the numbers of a column without blanks around any cell, which need not be taken away; else None."""
    import polars as pl

    text = without_marks(series, missing)
    numbers = text.cast(pl.Float64, strict=False)
    if numbers.null_count() > text.null_count():
        return None
    return without_codes(without_nan(numbers), missing)


def _no_date(text: pl.Series) -> Fault | None:
    wrong = (text.is_not_null() & dates.parsed(text).is_null()).arg_true()
    if wrong.is_empty():
        return None
    cell, row = str(text[int(wrong[0])])[:40], int(wrong[0]) + 1
    remedy = Message("mend it, or pass ", Argument("na", cell), " if that means missing")
    return Fault(f"holds dates, but {cell!r} in data row {row} is not in the calendar", remedy)
