"""Which rows meet a condition.

Truth has three values: a comparison with a missing cell is neither true nor false, "and" takes the smaller and "or" the
larger of false < unknown < true. Only rows where the whole is true are kept.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from kmerf.core.errors import InputError
from kmerf.files.where_grammar import Among, Both, Compare, IsMissing, Node, Not, Operand, parse, short

FALSE, UNKNOWN, TRUE = 0, 1, 2
Truth = NDArray[np.int8]


class ColumnCells(Protocol):
    """Cells of a column, as `kmerf.files.typed_table.ColumnCells` holds them."""

    @property
    def kind(self) -> str:
        """What they are: "numeric", "boolean", "text", or one of the kinds of dates in `_DATES`."""
        ...

    @property
    def array(self) -> NDArray[Any]:
        """The cells."""
        ...

    def moment(self, text: str) -> tuple[str, np.datetime64] | None:
        """Return the kind and the value of a date in text; None if it is none."""
        ...


Lookup = Callable[[str], ColumnCells]


class Kept(NamedTuple):
    """Which rows a condition keeps, and why it loses the others."""

    rows: NDArray[np.bool_]
    false: int
    unknown: int
    """Rows for which a missing value leaves it open."""


def keep(condition: str, names: list[str], lookup: Lookup) -> Kept:
    """Return the rows that meet a condition on the named columns.

    >>> from types import SimpleNamespace as V
    >>> age = V(kind="numeric", array=np.array([30.0, 50.0, np.nan]))
    >>> keep("age > 40 and not age is missing", ["age"], {"age": age}.__getitem__).rows.tolist()
    [False, True, False]
    """
    truth = _truth(parse(condition, names), lookup)
    return Kept(truth == TRUE, int((truth == FALSE).sum()), int((truth == UNKNOWN).sum()))


def _truth(node: Node, lookup: Lookup) -> Truth:
    if isinstance(node, Not):
        return (TRUE - _truth(node.part, lookup)).astype(np.int8)
    if isinstance(node, Both):
        join = np.minimum if node.word == "and" else np.maximum
        return np.asarray(join(_truth(node.left, lookup), _truth(node.right, lookup)))
    if isinstance(node, IsMissing):
        return np.where(_missing(_column(node.left, lookup).array), TRUE, FALSE).astype(np.int8)
    if isinstance(node, Among):
        each = [_compared(node.left, "==", option, lookup) for option in node.options]
        return np.asarray(np.maximum.reduce(each))
    if isinstance(node, Compare):
        return _compared(node.left, node.operator, node.right, lookup)
    cells = _column(node, lookup)
    if cells.kind != "boolean":
        raise InputError(
            f"--where: column {node.value!r} is {cells.kind}, not true or false: compare it with something."
        )
    return _three(cells.array == 1.0, _missing(cells.array))


def _column(operand: Operand, lookup: Lookup) -> ColumnCells:
    if operand.kind != "column":
        raise InputError(f"--where: {operand.value!r} stands where a column belongs: begin with a column's name.")
    cells = lookup(operand.value)
    if cells.kind not in _REMEDIES:
        raise InputError(f"--where: column {operand.value!r} is {cells.kind}, which cannot be compared: use another.")
    return cells


def _compared(left: Operand, operator: str, right: Operand, lookup: Lookup) -> Truth:
    if left.kind != "column" and right.kind != "column":
        raise InputError(f"--where compares {left.value!r} with {right.value!r}: put a column on one side.")
    if left.kind != "column":
        turned = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
        return _compared(right, turned.get(operator, operator), left, lookup)
    cells = _column(left, lookup)
    other: Any
    if right.kind == "column":
        second = _column(right, lookup)
        kind, other, lost = second.kind, second.array, _missing(second.array)
    else:
        kind, other = _literal(left, cells, operator, right)
        lost = np.zeros(len(cells.array), dtype=np.bool_)
    _check_kinds(left, cells.kind, operator, right, kind)
    lost = lost | _missing(cells.array)
    result = np.zeros(len(cells.array), dtype=np.bool_)
    there = ~lost
    values = cells.array[there]
    others = other[there] if right.kind == "column" else other
    result[there] = _OPERATIONS[operator](values, others)
    return _three(result, lost)


_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


_DATES = ("date", "zoned date", "unordered date", "time", "duration")
_REMEDIES = {
    "numeric": "compare it with a number, without quotes",
    "text": "compare it with text in quotes",
    "boolean": "compare it with true or false",
    "date": "compare it with a date such as '2024-01-31', without a zone",
    "zoned date": "compare it with a moment and its zone, such as '2024-01-31T00:00Z'",
    "unordered date": "compare it with a date in quotes, written as there",
    "time": "make a column of numbers of it",
    "duration": "make a column of numbers of it",
}


def _literal(left: Operand, cells: ColumnCells, operator: str, right: Operand) -> tuple[str, Any]:
    """Return the kind and the value of what a column is compared with; for a column of dates, text is a date."""
    if right.kind != "text" or cells.kind not in _DATES[:3]:
        return right.kind, right.value
    if cells.kind == "unordered date":
        if operator in ("==", "!="):
            _check_form(left, cells, right)
        return cells.kind, right.value
    found = cells.moment(right.value)
    if found is None:
        told = f"--where: column {left.value!r} holds dates, and {short(right.value)} is none that can be read"
        raise InputError(f"{told}: {_REMEDIES[cells.kind]}.")
    return found


def _check_form(left: Operand, cells: ColumnCells, right: Operand) -> None:
    """Refuse a date, to be compared as text, whose figures and signs are not where those of any cell are."""
    held = [cell for cell in cells.array if cell is not None]
    if _form(right.value) not in set(map(_form, held)):
        example = held[0]
        told = f"--where: column {left.value!r} holds dates such as {example!r}, and {short(right.value)} is written"
        raise InputError(f"{told} otherwise: write it as there, or all dates of the file as 2024-01-31.")


def _form(text: str) -> str:
    return "".join("0" if sign.isdigit() else sign for sign in text)


def _check_kinds(left: Operand, kind: str, operator: str, right: Operand, other: str) -> None:
    column = f"--where: column {left.value!r}"
    if kind != other:
        raise InputError(f"{column} is {kind}, and {short(str(right.value))} is {other}: {_REMEDIES[kind]}.")
    if operator in ("==", "!="):
        return
    if kind == "unordered date":
        told = f"{column} holds dates whose order is not known, since day and month, or zones, could be others"
        raise InputError(f"{told}: write them all as 2024-01-31, or use ==, != or in (...), not {operator}.")
    if kind in ("time", "duration"):
        raise InputError(f"{column} is {kind}, whose order is not read: {_REMEDIES[kind]}.")
    if kind in ("text", "boolean"):
        raise InputError(f"{column} is {kind}, which has no order: use ==, != or in (...), not {operator}.")


def _missing(array: NDArray[Any]) -> NDArray[np.bool_]:
    if array.dtype == object:
        return np.fromiter((cell is None for cell in array), dtype=np.bool_, count=len(array))
    return np.asarray(np.isnan(array))


def _three(true: NDArray[np.bool_], unknown: NDArray[np.bool_]) -> Truth:
    return np.where(unknown, UNKNOWN, np.where(true, TRUE, FALSE)).astype(np.int8)
