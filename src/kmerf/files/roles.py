"""From a table and a request to what is tested: columns by their roles, rows by a condition, and an account of it.

Nothing is guessed silently: every column has a role, a kind and a remark, and every row that was lost is counted. What
becomes of a column, `kmerf.data.table_rules` decides, as for dataframes, by the whole file and not by the rows chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kmerf.core.errors import Argument, InputError, Message
from kmerf.data import table_rules
from kmerf.data.column_facts import ColumnFacts, facts_of
from kmerf.data.containers import Column, read
from kmerf.data.order_notes import order_notes, unordered_dates
from kmerf.data.table_rules import ColumnRuling, code_notes, copies_of_y, judge, lost_groups, refuse, typed
from kmerf.files.event_values import FollowedColumns, find_followed, with_events
from kmerf.files.selectors import exact, select, select_in_order, select_one
from kmerf.files.where_rows import keep

if TYPE_CHECKING:
    from kmerf.files.request import TableRequest
    from kmerf.files.typed_table import Table


@dataclass(frozen=True, eq=False)
class RequestedTable:
    """Columns and rows that go into a test, and how they were chosen."""

    data: Any
    """A dataframe of x, y, blocks and what is given."""
    x: tuple[str, ...]
    y: tuple[str, ...]
    """Columns of y, a time before its event; for groups, the one that holds them."""
    grouped: bool
    blocks: list[str] | None
    """Columns of blocks, the outermost first."""
    given: tuple[str, ...]
    categorical: tuple[str, ...]
    columns: tuple[ColumnFacts, ...]
    rows: int
    lost: dict[str, int]
    """Rows that were lost, by reason: "condition", "condition missing" and "y missing"."""
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    row_numbers: NDArray[np.int64]
    """Where the rows stand in the file, counted from 1 below the head."""
    problems: tuple[InputError, ...] = ()
    """What the user has to decide before this can be tested."""

    def raise_problems(self) -> None:
        """Raise all problems as one error."""
        if self.problems:
            raise InputError.together(self.problems)


def read_request(table: Table, request: TableRequest) -> RequestedTable:
    """Choose columns and rows, check them, and say how."""
    followed = find_followed(table, request.time, request.event)
    roles = _roles(table, request, followed)
    declared = set(select("--categorical", request.categorical, table.names))
    kept_names = set(select("--keep", request.keep, table.names)) | exact(request.x, table.names)
    y = [name for name, role in roles.items() if role in ("y", "groups")] if followed is None else list(followed.names)
    blocks = None if request.blocks is None else select_in_order("--blocks", request.blocks, table.names)
    columns = {column.name: column for column in _columns(table)}
    given = [name for name, role in roles.items() if role == "given"]
    candidates = [columns[name] for name, role in roles.items() if role in ("x", "given")]
    rulings = {ruling.column.name: ruling for ruling in judge(candidates, kept_names | set(given), declared)}
    kept, lost, notes, numbers = _rows(table, request, y, [each.column for each in rulings.values() if each.use])
    x = [name for name, ruling in rulings.items() if ruling.use and name not in given]
    facts = _facts(columns if kept is table else {c.name: c for c in _columns(kept)}, roles, rulings, declared)
    facts = facts if followed is None else [followed.remarked(fact) for fact in facts]
    recoded = set() if followed is None else followed.recoded
    problems = [*refuse(rulings.values()), *_y_problems([columns[name] for name in y], declared | recoded)]
    problems += copies_of_y([columns[name] for name in x], [columns[name] for name in y], kept_names)
    kept = kept if followed is None else with_events(kept, followed)
    texts = {fact.name for fact in facts if fact.role in ("x", "y", "groups", "given") and fact.kind == "categorical"}
    wanted = [*x, *y, *given, *(blocks or [])]
    labels = [name for name in wanted if kept.kinds[name] == "date"]
    chosen = np.isin(np.arange(1, table.rows + 1), numbers)
    used = [rulings[name].column if name in rulings else columns[name] for name in (*x, *y)]
    used = used if chosen.all() else [replace(column, values=column.values[chosen]) for column in used]
    others = [column for name, column in columns.items() if name not in y] if blocks is None and y else []
    return RequestedTable(
        data=kept.select(wanted, labels),
        x=tuple(x),
        y=tuple(y),
        grouped=request.groups is not None,
        blocks=blocks,
        given=tuple(given),
        categorical=tuple(name for name in (*x, *y, *given) if name in texts - recoded),
        columns=tuple(facts),
        rows=kept.rows,
        lost=lost,
        notes=(
            *table.notes,
            *notes,
            *([] if followed is None else followed.notes),
            *table_rules.notes(list(rulings.values())),
            *code_notes(used),
            *unordered_dates(others),
        ),
        warnings=tuple(
            order_notes(others, [columns[name] for name in y], chosen, takes_blocks=request.takes_blocks and not given)
        ),
        row_numbers=numbers,
        problems=tuple(problems),
    )


def _columns(table: Table) -> list[Column]:
    """Return all columns as those of a dataframe, with what reading found wrong with them."""
    columns = [typed(column) for column in read("x", table.frame, strict=False)]
    return [replace(c, fault=table.faults[c.name]) if c.name in table.faults else c for c in columns]


def _facts(
    columns: dict[str, Column], roles: dict[str, str], rulings: dict[str, ColumnRuling], declared: set[str]
) -> list[ColumnFacts]:
    facts = []
    for name, role in roles.items():
        fact = facts_of(columns[name], role, rulings.get(name))
        if name in declared and fact.role == "y":
            fact = fact._replace(kind="categorical", remark="numbers as labels" if fact.kind == "numeric" else "")
        facts.append(fact)
    return facts


def _y_problems(columns: list[Column], declared: set[str]) -> list[InputError]:
    """Say what keeps columns from being y."""
    wrong = [replace(c, argument="y") for c in columns if c.fault is not None]
    return [c.error(*c.fault) for c in wrong if c.fault is not None and (c.kind == "other" or (c.name not in declared))]


def _roles(table: Table, request: TableRequest, followed: FollowedColumns | None) -> dict[str, str]:
    """Give every column its role, in the order of the table."""
    names = table.names
    options = _y_options(names, request, followed)
    y = list(options)
    blocks = [] if request.blocks is None else select_in_order("--blocks", request.blocks, names)
    dropped = set(select("--drop", request.drop, names))
    taken = dict.fromkeys(y, "groups" if request.groups is not None else "y") | dict.fromkeys(blocks, "blocks")
    for name in set(blocks) & set(y):
        raise InputError(f"{options[name]} and --blocks both name {name!r}: blocks must be another column.")
    given = select("--given", request.given, names)
    for name in exact(request.given, names) & set(taken):
        raise InputError(f"{options.get(name, '--blocks')} and --given both name {name!r}: they must be apart.")
    taken |= {name: "given" for name in given if name not in taken and name not in dropped}
    for name in dropped & set(taken):
        option = options.get(name, f"--{taken[name]}")
        raise InputError(f"--drop takes away {name!r}, which {option} names: leave it out of one of them.")
    for name in exact(request.x, names) & set(taken):
        raise InputError(f"--x names {name!r}, which is also {taken[name]}: x and {taken[name]} must be apart.")
    wanted = set(select("--x", request.x, names) if request.x else names) - dropped - set(taken)
    wanted |= set(select("--keep", request.keep, names)) - dropped - set(taken)
    if not wanted:
        raise InputError("No columns are left for x: choose some with --x, or drop fewer.")
    rest = dict.fromkeys(dropped, "dropped") | taken | dict.fromkeys(wanted, "x")
    return {name: rest.get(name, "not used") for name in names}


def _y_options(names: list[str], request: TableRequest, followed: FollowedColumns | None) -> dict[str, str]:
    """Return the columns of y, or of groups, each with the option that names it."""
    if request.groups is not None:
        return {select_one("--groups", request.groups, names): "--groups"}
    if followed is None:
        return dict.fromkeys(select("--y", request.y, names), "--y")
    return dict(zip(followed.names, ("--time", "--event"), strict=True))


class _Rows(NamedTuple):
    table: Table
    lost: dict[str, int]
    notes: list[str]
    numbers: NDArray[np.int64]


def _rows(table: Table, request: TableRequest, y: Sequence[str], x: Sequence[Column]) -> _Rows:
    """Keep the rows that meet the condition and have y."""
    where = request.where
    chosen = np.ones(table.rows, dtype=np.bool_)
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
        table, chosen, numbers = table.keep(rows), rows, numbers[rows]
    if y:
        rows = table.present(list(y))
        lost["y missing"] = int((~rows).sum())
        holes = [name for name in y if table.missing(name)]
        if not rows.any():
            empty = next((name for name in y if table.missing(name) == table.rows), y[0])
            raise InputError(f"Column {empty!r} is missing in all {table.rows} rows: choose another, or mend the file.")
        if lost["y missing"] and request.missing_y == "raise":
            raise InputError(
                f"is missing in {_count(lost['y missing'])}",
                argument="y",
                remedy=Message("fill in, or leave out ", Argument("missing_y", "raise"), " to drop them"),
            )
        if lost["y missing"]:
            gone = lost_groups([replace(c, values=c.values[chosen]) for c in x], ~rows)
            notes.append(
                f"{_count(lost['y missing'])} without a value in {' or '.join(map(repr, holes))} dropped{gone}."
            )
            table, numbers = table.keep(rows), numbers[rows]
    return _Rows(table, lost, notes, numbers)


def _count(rows: int) -> str:
    return "1 row" if rows == 1 else f"{rows} rows"
