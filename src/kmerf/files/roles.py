"""From a table and a request to what is tested: columns by their roles, rows by a condition, and an account of it.

Nothing is guessed silently: every column has a role, a kind and a remark, every row that was lost is counted, and what
cannot be used without a guess (high-cardinality text, dates, lists, numbers with commas) is refused with advice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kmerf.core.errors import InputError
from kmerf.data import row_order
from kmerf.data.containers import MOST_CATEGORIES
from kmerf.files.selectors import exact, select, select_one
from kmerf.files.where_rows import keep

if TYPE_CHECKING:
    from kmerf.files.request import TableRequest
    from kmerf.files.typed_table import Table

FEW_VALUES = 20  # text with no more different values than this, each twice on average, is read as categories


class ColumnFacts(NamedTuple):
    """How a column was read, and what it is used for."""

    name: str
    role: str
    """"x", "y", "groups", "blocks", "dropped" or "not used"."""
    kind: str
    missing: int
    distinct: int | None
    remark: str = ""


@dataclass(frozen=True, eq=False)
class RequestedTable:
    """Columns and rows that go into a test, and how they were chosen."""

    data: Any
    """A dataframe of x, y and blocks."""
    x: tuple[str, ...]
    y: tuple[str, ...]
    """Columns of y; for groups, the one that holds them."""
    grouped: bool
    blocks: str | None
    categorical: tuple[str, ...]
    columns: tuple[ColumnFacts, ...]
    rows: int
    lost: dict[str, int]
    """Rows that were lost, by reason: "condition", "condition missing" and "y missing"."""
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    row_numbers: NDArray[np.int64]
    """Where the rows stand in the file, counted from 1 below the head."""


def read_request(table: Table, request: TableRequest) -> RequestedTable:
    """Choose columns and rows, check them, and say how."""
    roles = _roles(table, request)
    declared = set(select("--categorical", request.categorical, table.names))
    y = [name for name, role in roles.items() if role in ("y", "groups")]
    x = [name for name, role in roles.items() if role == "x"]
    block = next((name for name, role in roles.items() if role == "blocks"), None)
    kept, lost, notes, numbers = _rows(table, request.where, y)
    facts = [_facts(kept, name, role, name in declared or role in ("groups", "blocks")) for name, role in roles.items()]
    for fact in facts:
        if fact.role in ("x", "y", "groups"):
            _check(kept, fact, fact.name in declared)
    texts = {fact.name for fact in facts if fact.role in ("x", "y", "groups") and fact.kind == "categorical"}
    labels = [name for name in (*x, *y, *([block] if block else [])) if kept.kinds[name] == "date"]
    return RequestedTable(
        data=kept.select([*x, *y, *([block] if block else [])], labels),
        x=tuple(x),
        y=tuple(y),
        grouped=request.groups is not None,
        blocks=block,
        categorical=tuple(name for name in (*x, *y) if name in texts),
        columns=tuple(facts),
        rows=kept.rows,
        lost=lost,
        notes=(*table.notes, *notes, *(_unordered(kept) if block is None and y else ())),
        warnings=tuple(_warnings(kept, facts, y)) if block is None and y else (),
        row_numbers=numbers,
    )


def _roles(table: Table, request: TableRequest) -> dict[str, str]:
    """Give every column its role, in the order of the table."""
    names = table.names
    y = select("--y", request.y, names)
    if request.groups is not None:
        y = [select_one("--groups", request.groups, names)]
    block = None if request.blocks is None else select_one("--blocks", request.blocks, names)
    dropped = set(select("--drop", request.drop, names))
    option = "--groups" if request.groups is not None else "--y"
    taken = dict.fromkeys(y, "groups" if request.groups is not None else "y") | ({block: "blocks"} if block else {})
    if block in y:
        raise InputError(f"{option} and --blocks both name {block!r}: blocks must be another column.")
    for name in dropped & set(taken):
        raise InputError(
            f"--drop takes away {name!r}, which {_option(taken[name])} names: leave it out of one of them."
        )
    for name in exact(request.x, names) & set(taken):
        raise InputError(f"--x names {name!r}, which is also {taken[name]}: x and {taken[name]} must be apart.")
    unnumbered = [name for name in names if name not in table.row_numbers]
    wanted = set(select("--x", request.x, names) if request.x else unnumbered) - dropped - set(taken)
    if not wanted:
        raise InputError("No columns are left for x: choose some with --x, or drop fewer.")
    rest = dict.fromkeys(dropped, "dropped") | taken | dict.fromkeys(wanted, "x")
    return {name: rest.get(name, "not used") for name in names}


def _option(role: str) -> str:
    return f"--{role}"


class _Rows(NamedTuple):
    table: Table
    lost: dict[str, int]
    notes: list[str]
    numbers: NDArray[np.int64]


def _rows(table: Table, where: str | None, y: Sequence[str]) -> _Rows:
    """Keep the rows that meet the condition and have y."""
    lost, notes = {"condition": 0, "condition missing": 0, "y missing": 0}, []
    numbers = np.arange(1, table.rows + 1)
    if where is not None:
        rows, lost["condition"], lost["condition missing"] = keep(where, table)
        if not rows.any():
            raise InputError(f"--where {where[:60]!r} is met by none of {table.rows} rows: ask for less.")
        notes.append(f"{_count(int(rows.sum()))} of {table.rows} meet the condition.")
        if lost["condition missing"]:
            notes.append(
                f"{_count(lost['condition missing'])} left out because the condition has a missing value there."
            )
        table, numbers = table.keep(rows), numbers[rows]
    if y:
        rows = table.present(list(y))
        lost["y missing"] = int((~rows).sum())
        if not rows.any():
            raise InputError(f"Column {y[0]!r} is missing in all {table.rows} rows: choose another, or mend the file.")
        if lost["y missing"]:
            notes.append(f"{_count(lost['y missing'])} without a value in {', '.join(map(repr, y))} dropped.")
            table, numbers = table.keep(rows), numbers[rows]
    return _Rows(table, lost, notes, numbers)


def _count(rows: int) -> str:
    return "1 row" if rows == 1 else f"{rows} rows"


def _facts(table: Table, name: str, role: str, as_labels: bool) -> ColumnFacts:
    kind, distinct, missing = table.kinds[name], table.distinct(name), table.missing(name)
    if as_labels and kind in ("numeric", "boolean", "text", "date"):
        kind = "categorical"
    elif kind == "text" and role in ("x", "y"):
        kind = "categorical" if _is_categories(table, name, role, distinct) else "text"
    fact = ColumnFacts(name, role, kind, missing, distinct)
    if name in table.row_numbers and role == "not used":
        return fact._replace(remark="counts the rows, and has no name")
    if missing == table.rows:
        return fact._replace(remark="all missing")
    if distinct == 1 and not missing:
        return fact._replace(remark="the same in every row")
    if kind == "categorical" and role != "blocks" and table.kinds[name] == "numeric":
        return fact._replace(remark="numbers as labels")
    return fact


def _is_categories(table: Table, name: str, role: str, distinct: int | None) -> bool:
    if name in table.faults or distinct is None:
        return False
    return role == "y" or (distinct <= FEW_VALUES and 2 * distinct <= max(table.rows - table.missing(name), 2))


def _check(table: Table, fact: ColumnFacts, declared: bool) -> None:
    """Refuse a column that cannot be used, with advice."""
    name, kind = fact.name, table.kinds[fact.name]
    leave = f"leave it out with --drop {_quoted(name)}" if fact.role == "x" else "choose another column"
    fault = table.faults.get(name)
    if kind in ("nested", "binary"):
        raise InputError(f"Column {name!r} {fault}, or {leave}.")
    if declared or fact.role == "groups":
        if (fact.distinct or 0) > MOST_CATEGORIES:
            limit = f"more than {MOST_CATEGORIES}"
            raise InputError(f"Column {name!r} has {fact.distinct} categories, {limit}: merge rare ones, or {leave}.")
        return
    if fault is not None:
        raise InputError(f"Column {name!r} {fault}; or {leave}.")
    if kind == "date":
        raise InputError(
            f"Column {name!r} holds dates, such as {table.example(name)!r}: turn them into numbers, such as days "
            f"since the first, or {leave}."
        )
    if fact.kind == "text":
        raise InputError(
            f"Column {name!r} is text with {fact.distinct} different values in {table.rows} rows: {leave}, or pass "
            f"--categorical {_quoted(name)} if they are categories."
        )


def _quoted(name: str) -> str:
    return name if name.replace("_", "").isalnum() else repr(name)


def _warnings(table: Table, facts: Sequence[ColumnFacts], y: Sequence[str]) -> list[str]:
    """Say where rows look ordered in time or repeated per subject."""
    warnings = []
    for fact in facts:
        if fact.role in ("y", "groups"):
            continue
        if fact.distinct and row_order.looks_like_subject(fact.name, table.rows, fact.distinct):
            warnings.append(
                f"Column {fact.name!r} has {fact.distinct} different values in {table.rows} rows. If rows with the "
                f"same one belong together, {row_order.REMEDY}: --blocks {_quoted(fact.name)}."
            )
        if table.kinds[fact.name] == "date" and (fact.distinct or 0) > 2 and _rises(table, fact.name):
            warnings.append(
                f"Rows are in the order of the dates in {fact.name!r}. If neighbouring rows may depend on each other, "
                f"the p-value is not valid as it is: {row_order.REMEDY}."
            )
    if len(y) == 1 and not any("order of the dates" in text for text in warnings):
        others = (f.name for f in facts if f.name != y[0] and f.distinct is not None)
        lag = row_order.serial(table.codes(y[0]), ((name, table.codes(name)) for name in others))
        if lag is not None:
            warnings.append(
                f"Neighbouring rows have similar values of {y[0]!r} (lag-one rank correlation {lag:.2f}). If rows "
                f"are in the order of time or place, the p-value is not valid as it is: {row_order.REMEDY}."
            )
    return warnings


def _unordered(table: Table) -> list[str]:
    """Name the columns of dates for which nobody can say whether rows are in their order."""
    return [
        f"Column {name!r} holds dates such as {table.example(name)!r}, whose order is not known, so it is not known "
        "either whether rows are in that order: write them as 2024-01-31 to be told."
        for name, kind in table.kinds.items()
        if kind == "date" and table.values(name).kind == "unordered date"
    ]


def _rises(table: Table, name: str) -> bool:
    """Say whether rows are in the order of the dates in a column, if those have one; rows without a date apart."""
    codes = table.codes(name)
    return table.moments(name) is not None and row_order.is_sorted(codes[codes > 0])
