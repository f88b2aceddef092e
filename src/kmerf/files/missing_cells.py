"""Which cells of a file are missing. This is the one place that decides it: all code after it sees null.

In a text file, a cell is missing if, without blanks around it, it is one of the marks. In any file, NaN is missing too.
So comparisons need no rule of their own for NaN, which polars would order above every number.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

MARKS = ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "-nan", "null", "NULL", "None", ".")


def without_marks(text: pl.Series, marks: Sequence[str] = MARKS) -> pl.Series:
    """Return text, already without blanks around it, with null where it is a mark of a missing cell.

    >>> import polars as pl
    >>> without_marks(pl.Series(["a", "NA", "", "?"]), (*MARKS, "?")).to_list()
    ['a', None, None, None]
    """
    return text.set(text.is_in(list(marks)), None)


def without_nan(series: pl.Series) -> pl.Series:
    """Return a column with null where it holds NaN.

    >>> import polars as pl
    >>> without_nan(pl.Series([1.0, float("nan")])).to_list()
    [1.0, None]
    """
    if not series.dtype.is_float() or not math.isnan(series.sum()):  # a sum is quick, where there are many columns
        return series
    return series.fill_nan(None)
