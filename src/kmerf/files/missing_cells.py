"""Which cells of a file are missing. This is the one place that decides it: all code after it sees null.

In a text file, a cell is missing if it is empty, or NA without quotes around it; in any file, NaN is missing too, and
what the user names. All else is a value: `kmerf.data.missing_entries` points out those that look like codes. So
comparisons need no rule of their own for NaN, which polars would order above every number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kmerf.data.text_cells import is_number

if TYPE_CHECKING:
    import polars as pl

MARKS = ("", "NA")

_QUOTED = "\ue000"  # put before NA that has quotes around it, as parsers do not tell which cells had


def keep_quoted(data: bytes, separator: str) -> bytes:
    """Return a text file in UTF-8, or a line of it, with a mark in each cell that is NA in quotes.

    Quotes inside a cell are doubled, so that nothing inside another cell looks like one.

    >>> keep_quoted(b'a,"NA",NA', ",").decode().count("\ue000")
    1
    """
    if b'"NA"' not in data:
        return data
    ends = re.escape(separator).encode()
    return re.sub(
        rb"(^|[\r\n]|" + ends + rb')"NA"(?=$|[\r\n]|' + ends + rb")", rb'\1"' + _QUOTED.encode() + rb'NA"', data
    )


def unquoted(name: str) -> str:
    """Return a name without the mark of quotes."""
    return name.removeprefix(_QUOTED)


def marks_of(na: Sequence[str], names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the marks of each column: the usual ones, and the user's, which may be for one column ("age=999").

    >>> marks_of(["?", "age=999"], ["age", "sex"])
    {'age': ('', 'NA', '?', '999'), 'sex': ('', 'NA', '?')}
    """
    own = [mark.partition("=") for mark in na]
    everywhere = [mark for mark, (name, equals, _) in zip(na, own, strict=True) if not (equals and name in names)]
    return {
        name: (*MARKS, *everywhere, *(cell for column, equals, cell in own if equals and column == name))
        for name in names
    }


def without_marks(text: pl.Series, marks: Sequence[str] = MARKS) -> pl.Series:
    """Return text, already without blanks around it, with null where it is a mark of a missing cell.

    >>> import polars as pl
    >>> without_marks(pl.Series(["a", "NA", "", "?"]), (*MARKS, "?")).to_list()
    ['a', None, None, None]
    """
    named = "NA" in marks[len(MARKS) :]
    return text.set(text.is_in([*marks, *([f"{_QUOTED}NA"] if named else [])]), None)


def without_quotes(text: pl.Series) -> pl.Series:
    """Return text without the mark of quotes."""
    return text.str.strip_prefix(_QUOTED)


def without_codes(series: pl.Series, marks: Sequence[str]) -> pl.Series:
    """Return a column of numbers or of text with null where it is one of the user's marks; others as they are.

    >>> import polars as pl
    >>> without_codes(pl.Series([1, 999]), ("", "NA", "999.0")).to_list()
    [1, None]
    """
    import polars as pl

    own = marks[len(MARKS) :]
    if series.dtype == pl.String:
        return series.set(series.is_in(list(own)), None) if own else series
    numbers = [float(mark) for mark in own if is_number(mark)]
    if not numbers or not series.dtype.is_numeric():
        return series
    return series.set(series.cast(pl.Float64).is_in(numbers), None)


def without_blanks(series: pl.Series) -> pl.Series:
    """Return text without blanks around its cells, null where nothing is left; other cells as they are.

    >>> import polars as pl
    >>> without_blanks(pl.Series([" a", "", None])).to_list()
    ['a', None, None]
    """
    import polars as pl

    if series.dtype != pl.String:
        return series
    text = series.str.strip_chars()
    return text.set(text == "", None)


def without_nan(series: pl.Series) -> pl.Series:
    """Return a column with null where it holds NaN.

    >>> import polars as pl
    >>> without_nan(pl.Series([1.0, float("nan")])).to_list()
    [1.0, None]
    """
    if not series.dtype.is_float() or not math.isnan(series.sum()):  # a sum is quick, where there are many columns
        return series
    return series.fill_nan(None)
