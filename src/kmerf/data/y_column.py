"""Is a column of y numbers or classes?"""

from __future__ import annotations

import numpy as np

from kmerf.core.errors import Argument, Message
from kmerf.data.containers import Column, as_numbers, labelled


def read_y_column(column: Column, y_kind: str, *, alone: bool) -> Column:
    """Read one column of y as numbers or as classes; beside others, true/false stays one 0/1 column."""
    if y_kind == "numeric" and column.kind in ("text", "categorical"):
        finding = Message(f"is {column.kind}, but ", Argument("y_kind", "numeric"))
        raise column.error(finding, "convert it to numbers")
    if y_kind == "auto" and column.kind == "text":
        labels = [str(entry) for entry in column.values if entry is not None]
        if as_numbers(labels) is not None:
            declare = Argument("y_kind", "categorical")
            raise column.error(
                f"holds numbers as text, such as {labels[0]!r}",
                Message("convert it to numbers, or pass ", declare, " if they are labels"),
            )
    classes = column.kind == "text" or (alone and y_kind == "auto" and _has_two_values(column))
    return labelled(column) if classes or y_kind == "categorical" else column


def _has_two_values(column: Column) -> bool:
    """Tell whether a column of numbers or of true/false is best read as classes."""
    if column.kind != "numeric":
        return column.kind == "boolean"
    present = column.values[~column.missing]
    return present.size > 0 and bool((np.abs(present) < 2**53).all()) and np.unique(present).size == 2


def two_values_note(y: Column) -> list[str]:
    """Say that numbers of two different values are read as classes."""
    if y.kind != "categorical":
        return []
    first, second = sorted(set(y.values) - {None})
    reading = f"y has two values, {first} and {second}, and is read as classes; pass "
    return [Message(reading, Argument("y_kind", "numeric"), " to read it as numbers.")]
