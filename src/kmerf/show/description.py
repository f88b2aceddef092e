"""How a table is read, in plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kmerf.core.safe_text import clean, short

if TYPE_CHECKING:
    from kmerf.results.description import Description

_HEADS = ("column", "used as", "read as", "missing", "distinct")


def description_lines(table: Description) -> list[str]:
    """Return a description as lines: all columns, then what to know and what to decide."""
    cells = [
        (
            short(column.name),
            column.role,
            column.kind,
            str(column.missing or ""),
            "" if column.distinct is None else str(column.distinct),
        )
        for column in table.columns
    ]
    widths = [max(map(len, parts)) for parts in zip(_HEADS, *cells, strict=True)]
    remarks = ["", *(clean(column.remark) for column in table.columns)]
    lines = [
        "  ".join(
            f"{cell:>{wide}}" if head in _HEADS[3:] else f"{cell:<{wide}}"
            for head, cell, wide in zip(_HEADS, row, widths, strict=True)
        )
        for row in (_HEADS, *cells)
    ]
    return [
        f"{table.rows} rows, {len(table.columns)} columns",
        *(f"  {line}  {remark}".rstrip() for line, remark in zip(lines, remarks, strict=True)),
        *(f"note: {clean(note)}" for note in table.notes),
        *(f"to decide: {clean(problem)}" for problem in table.problems),
    ]
