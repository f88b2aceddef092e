"""How a column was read and what it is used for, in the same words for files and dataframes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from kmerf.data.containers import Column
    from kmerf.data.table_rules import ColumnRuling


class ColumnFacts(NamedTuple):
    """How a column was read, and what it is used for."""

    name: str
    role: str
    """"x", "y", "groups", "blocks", "left out", "dropped" or "not used"."""
    kind: str
    missing: int
    distinct: int | None
    remark: str = ""


def facts_of(column: Column, role: str, ruling: ColumnRuling | None = None) -> ColumnFacts:
    """Return the facts of a column; `ruling` where it is one of x.

    >>> from kmerf.data.containers import read
    >>> facts_of(read("x", {"a": [1.0, 1.0, None]})[0], "x")
    ColumnFacts(name='a', role='x', kind='numeric', missing=1, distinct=1, remark='')
    """
    labels = role in ("groups", "blocks") and column.kind in ("numeric", "boolean", "text", "date")
    kind = "categorical" if labels else (column if ruling is None else ruling.column).kind
    if role == "y" and kind == "text":
        kind = "categorical"
    present = ~column.missing if column.values.dtype.kind == "f" else np.array([v is not None for v in column.values])
    held = column.values[present]
    try:
        distinct: int | None = int(np.unique(held).size) if held.dtype.kind == "f" else len(set(held.tolist()))
    except TypeError:  # lists and the like cannot be compared
        distinct = None
    missing = column.n - int(present.sum())
    facts = ColumnFacts(column.name, role, kind, missing, distinct)
    if ruling is not None and not ruling.use:
        return facts._replace(role="left out", remark=ruling.remark)
    if missing == column.n:
        return facts._replace(remark="all missing")
    if distinct == 1 and not missing:
        return facts._replace(remark="the same in every row")
    if kind == "categorical" and role != "blocks" and column.kind == "numeric":
        return facts._replace(remark="numbers as labels")
    return facts
