"""Columns of x as they are tested: by the rules of tables, or as they are; the rest is refused with a remedy."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kmerf.core.errors import Argument, InputError, Message
from kmerf.data import table_rules
from kmerf.data.containers import Column, labelled


def judged(
    columns: Sequence[Column], kept: set[str], declared: set[str], y: Sequence[Column]
) -> tuple[list[Column], list[str]]:
    """Decide what becomes of the columns of x; raise all that the user has to decide."""
    rulings = table_rules.judge(columns, kept, declared)
    errors = [*table_rules.refuse(rulings), *table_rules.copies_of_y(columns, y, kept)]
    if errors:
        raise InputError.together(errors)
    used = [ruling.column for ruling in rulings if ruling.use]
    if columns and not used:
        reasons = "; ".join(f"{ruling.column.name!r} {ruling.remark}" for ruling in rulings[:8])
        keep = Argument("keep", [c.name for c in columns[:8]])
        raise InputError(
            f": no columns are left, {reasons}", argument="x", remedy=Message("pass ", keep, " to use them")
        )
    return used, table_rules.notes(rulings)


def usable(columns: Sequence[Column], declared: Collection[str]) -> list[Column]:
    """Columns of x with the declared ones as categories; text that is not declared is refused."""
    out = [labelled(c) if c.name in declared else c for c in columns]
    for column in out:
        if column.kind == "text":
            row, entry = next((i, e) for i, e in enumerate(column.values) if isinstance(e, str))
            declare = Argument("categorical", [column.name])
            raise column.error(
                f"holds text, {entry!r} in row {row} (counted from 0)",
                Message("pass ", declare, " if it holds categories, or convert it to numbers"),
            )
    return out
