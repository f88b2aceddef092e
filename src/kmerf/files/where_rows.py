"""Which rows meet a condition: its tree is compiled to one polars expression.

Truth has three values: a comparison with a missing cell is neither true nor false, "and" takes the smaller and "or" the
larger of false < unknown < true. That is how polars joins true, false and null. Only rows where the whole is true are
kept.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kmerf.core.errors import InputError
from kmerf.files.dates import moments
from kmerf.files.where_grammar import Among, Compare, IsMissing, Joined, Node, Not, Operand, parse, short

if TYPE_CHECKING:
    import polars as pl

    from kmerf.files.typed_table import CellValues, Table


class Kept(NamedTuple):
    """Which rows a condition keeps, and why it loses the others."""

    rows: NDArray[np.bool_]
    false: int
    unknown: int
    """Rows for which a missing value leaves it open."""


def keep(condition: str, table: Table) -> Kept:
    """Return the rows of a table that meet a condition.

    >>> import polars as pl
    >>> from kmerf.files.typed_table import FileSource, table_of_frame
    >>> frame = pl.DataFrame({"age": [30.0, 50.0, None]})
    >>> keep("age > 40", table_of_frame(frame, FileSource("t", "text", None, None, None, 3)))
    Kept(rows=array([False,  True, False]), false=1, unknown=1)
    """
    import polars as pl

    compiler = _Compiler(table)
    expression = compiler.compile(parse(condition, table.names))
    truth = pl.DataFrame(compiler.columns).select(expression).to_series()
    rows, unknown = truth.fill_null(False).to_numpy(), truth.null_count()
    return Kept(rows, table.rows - int(rows.sum()) - unknown, unknown)


class _Compiler:
    """Turns the tree of a condition into an expression on `columns`, which it gathers on the way; used once."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._cells: dict[str, CellValues] = {}

    @property
    def columns(self) -> dict[str, pl.Series]:
        """The columns that the expression uses, by their names in it."""
        return {str(i): cells.series for i, cells in enumerate(self._cells.values())}

    def compile(self, node: Node) -> pl.Expr:
        import polars as pl

        if isinstance(node, Not):
            return ~self.compile(node.part)
        if isinstance(node, Joined):
            join = pl.all_horizontal if node.word == "and" else pl.any_horizontal
            return join([self.compile(part) for part in node.parts])
        if isinstance(node, IsMissing):
            return self._expression(node.left).is_null()
        if isinstance(node, Among):
            return pl.any_horizontal([self._compared(node.left, "==", option) for option in node.options])
        if isinstance(node, Compare):
            return self._compared(node.left, node.operator, node.right)
        kind = self._column(node).kind
        if kind != "boolean":
            raise InputError(f"--where: column {node.value!r} is {kind}, not true or false: compare it with something.")
        return self._expression(node)

    def _compared(self, left: Operand, sign: str, right: Operand) -> pl.Expr:
        import polars as pl

        if left.kind != "column" and right.kind != "column":
            raise InputError(f"--where compares {left.value!r} with {right.value!r}: put a column on one side.")
        if left.kind != "column":
            turned = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
            return self._compared(right, turned.get(sign, sign), left)
        cells = self._column(left)
        if right.kind == "column":
            kind, other = self._column(right).kind, self._expression(right)
        else:
            kind, value = _literal(left, cells, sign, right)
            other = pl.lit(value)
        _check_kinds(left, cells.kind, sign, right, kind)
        result: pl.Expr = _OPERATIONS[sign](self._expression(left), other)
        return result

    def _column(self, operand: Operand) -> CellValues:
        if operand.kind != "column":
            raise InputError(f"--where: {operand.value!r} stands where a column belongs: begin with a column's name.")
        if operand.value not in self._cells:
            self._cells[operand.value] = self._table.values(operand.value)
        cells = self._cells[operand.value]
        if cells.kind not in _REMEDIES:
            raise InputError(
                f"--where: column {operand.value!r} is {cells.kind}, which cannot be compared: use another."
            )
        return cells

    def _expression(self, operand: Operand) -> pl.Expr:
        import polars as pl

        self._column(operand)
        # by number: polars takes names such as "*" or "^a$" for patterns
        return pl.col(str(list(self._cells).index(operand.value)))


_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
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


def _literal(left: Operand, cells: CellValues, sign: str, right: Operand) -> tuple[str, Any]:
    """Return the kind and the value of what a column is compared with; for a column of dates, text is a date."""
    import polars as pl

    if right.kind != "text" or cells.kind not in _DATES[:3]:
        return right.kind, right.value
    if cells.kind == "unordered date":
        if sign in ("==", "!="):
            _check_form(left, cells, right)
        return cells.kind, right.value
    instant = moments(pl.Series([right.value], dtype=pl.String))
    if instant is None:
        fault = f"--where: column {left.value!r} holds dates, and {short(right.value)} is none that can be read"
        raise InputError(f"{fault}: {_REMEDIES[cells.kind]}.")
    return instant.kind, instant.series.to_physical().item()


def _check_form(left: Operand, cells: CellValues, right: Operand) -> None:
    """Refuse a date, to be compared as text, whose figures and signs are not where those of any cell are."""
    present = cells.series.drop_nulls()
    form = re.sub("[0-9]", "0", right.value)
    if not (present.str.replace_all("[0-9]", "0") == form).any():
        fault = (
            f"--where: column {left.value!r} holds dates such as {present[0]!r}, and {short(right.value)} is written"
        )
        raise InputError(f"{fault} otherwise: write it as there, or all dates of the file as 2024-01-31.")


def _check_kinds(left: Operand, kind: str, sign: str, right: Operand, other: str) -> None:
    column = f"--where: column {left.value!r}"
    if kind != other:
        raise InputError(f"{column} is {kind}, and {short(str(right.value))} is {other}: {_REMEDIES[kind]}.")
    if sign in ("==", "!="):
        return
    if kind == "unordered date":
        fault = f"{column} holds dates whose order is not known, since day and month, or zones, could be others"
        raise InputError(f"{fault}: write them all as 2024-01-31, or use ==, != or in (...), not {sign}.")
    if kind in ("time", "duration"):
        raise InputError(f"{column} is {kind}, whose order is not read: {_REMEDIES[kind]}.")
    if kind in ("text", "boolean"):
        raise InputError(f"{column} is {kind}, which has no order: use ==, != or in (...), not {sign}.")
