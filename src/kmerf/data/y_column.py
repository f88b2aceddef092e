"""Is a column of y numbers or classes?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kmerf.core.errors import Argument, Message
from kmerf.data.containers import Column, as_numbers, labelled

_LISTED = 7  # categories that are named


def read_y_column(column: Column, y_kind: str, *, alone: bool) -> Column:
    """Read one column of y as numbers or as classes; beside others, true/false stays one 0/1 column.

    Three or more categories whose type gives them an order become their ranks, from 1.
    """
    ranks = _ranks(column) if (column.ordered and y_kind == "auto") or y_kind == "numeric" else None
    if ranks is not None:
        return ranks
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


def _ranks(column: Column) -> Column | None:
    """Return the places of categories in their order, as numbers; None where fewer than three of them occur."""
    if not column.order:
        return None
    occurring = set(column.values) - {None}
    order = [label for label in (label.strip() for label in column.order) if label in occurring]
    if len(order) < 3 or set(order) != occurring:
        return None
    place = {label: float(rank) for rank, label in enumerate(order, 1)}
    values = np.array([place.get(label, np.nan) for label in column.values])
    return replace(column, kind="numeric", values=values, order=tuple(order))


def order_note(y: Column, argument: str, y_kind: str) -> list[str]:
    """Say what became of the order of categories, unless the user said what y is."""
    if argument == "groups":
        said = "The groups are ordered, and their order is not used; independence, with the groups as y, uses it."
        return [said] if y.ordered else []
    if y_kind != "auto" or not y.order or len(set(y.values) - {None}) < 3:
        return []
    if y.kind != "numeric":
        return [
            Message(
                "The order of the categories of y is not used; pass ", Argument("y_kind", "numeric"), " if it counts."
            )
        ]
    listing = " < ".join(y.order) if len(y.order) <= _LISTED else f"{y.order[0]} < ... < {y.order[-1]}"
    reading = f"y has ordered categories, {listing}, and is read as their ranks, 1 to {len(y.order)}; pass "
    return [Message(reading, Argument("y_kind", "categorical"), " to ignore the order.")]


def two_values_note(y: Column) -> list[str]:
    """Say that numbers of two different values are read as classes."""
    if y.kind != "categorical":
        return []
    first, second = sorted(set(y.values) - {None})
    reading = f"y has two values, {first} and {second}, and is read as classes; pass "
    return [Message(reading, Argument("y_kind", "numeric"), " to read it as numbers.")]
