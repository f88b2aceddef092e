"""Tables and series whose rows have labels (pandas' index): rows that belong together have the same label."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kmerf.core.errors import Argument, InputError, Message


def align(x: Any, other: Any, argument: str) -> tuple[Any, bool]:
    """Return `other` with its rows in the order of the labels of x, and whether they had another order.

    Where only one of the two has labels, rows pair by position. Labels that repeat, or are not the same, are refused.
    Of a dictionary, each column is put in order.

    >>> import pandas as pd
    >>> align(pd.Series([1, 2], index=["a", "b"]), pd.Series([3, 4], index=["b", "a"]), "y")[0].tolist()
    [4, 3]
    """
    if isinstance(other, Mapping):
        columns = {name: align(x, column, argument) for name, column in other.items()}
        return {name: column for name, (column, _) in columns.items()}, any(moved for _, moved in columns.values())
    left, right = _index(x), _index(other)
    if left is None or right is None or len(left) != len(right) or left.equals(right):
        return other, False
    if left.is_unique and right.is_unique and bool(right.isin(left).all()):
        return other.loc[left], True
    why = "repeat" if not (left.is_unique and right.is_unique) else "are not the same"
    raise InputError(
        Message("and ", Argument("x"), f" have indexes that differ, and whose labels {why}"),
        argument=argument,
        remedy="give both the same labels, or drop them with .reset_index(drop=True) where rows pair by position",
    )


def aligned_columns(x: Any) -> Any:
    """Return a dictionary of columns with the rows of each in the order of the first; anything else as it is."""
    if not isinstance(x, Mapping):
        return x
    first = next((column for column in x.values() if _index(column) is not None), None)
    return {name: align(first, column, "x")[0] for name, column in x.items()}


def _index(data: Any) -> Any:
    """Return the labels of rows, or None; lists and tuples have a method of that name."""
    index = getattr(data, "index", None)
    return index if hasattr(index, "is_unique") and hasattr(data, "loc") else None
