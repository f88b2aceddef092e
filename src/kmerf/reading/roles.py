"""What a user asks of a table: which columns play which part, and which rows.

Columns by name, pattern or position.

A selector is, in this order: the exact name of a column; `#3` or `#3:7`, a position or a range of positions, both ends
included and counted from 1 (`#3:` goes to the last); a pattern with `*`, `?` or `[...]`; or several of these, with
commas between them. A column whose name looks like one of the others is still chosen by its name, as that comes first.

Which value of a column stands for an event: `--event status=2`, `--event status=dead`.

Rows whose cell equals the value had the event, all others that have a value are censored, and missing stays missing.
A column whose name is the whole text comes first, so that one named "status=2" can still be chosen.

From a table and a request to what is tested: columns by their roles, rows by a condition, and an account of it.

Nothing is guessed silently: every column has a role, a kind and a remark, and every row that was lost is counted. What
becomes of a column, `kmerf.reading.rulings` decides, as for dataframes, by the whole file and not by the rows chosen.
"""

from __future__ import annotations

import fnmatch
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kmerf.core.errors import Argument, InputError, Message, did_you_mean, listed
from kmerf.reading.containers import Column, read
from kmerf.reading.order_notes import order_notes, unordered_dates
from kmerf.reading.rulings import (
    ColumnFacts,
    ColumnRuling,
    code_notes,
    copies_of_y,
    facts_of,
    judge,
    lost_groups,
    refuse,
    typed,
)
from kmerf.reading.rulings import notes as ruling_notes
from kmerf.reading.typed_table import as_text
from kmerf.reading.where import keep

if TYPE_CHECKING:
    import polars as pl

    from kmerf.reading.typed_table import Table


@dataclass(frozen=True)
class TableRequest:
    """Columns by selectors (see `kmerf.reading.roles`), and a condition (see `kmerf.reading.where`)."""

    y: tuple[str, ...] = ()
    groups: str | None = None
    x: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    blocks: str | None = None
    categorical: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    where: str | None = None
    missing_y: str = "drop"
    given: tuple[str, ...] = ()
    time: str | None = None
    event: str | None = None
    """With `time`, in place of `y`: a column, and the value that stands for an event (`kmerf.reading.roles`)."""
    takes_blocks: bool = True
    """Whether the question can be told which rows belong together."""


_POSITION = re.compile(r"#(\d+)(:(\d*))?$")


def select(option: str, selectors: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the columns that any of the selectors means, in the order of the table.

    >>> select("--x", ["gene_*", "#1"], ["id", "gene_a", "gene_b", "age"])
    ['id', 'gene_a', 'gene_b']
    """
    chosen = {name for selector in selectors for name in _matching(option, selector, names)}
    return [name for name in names if name in chosen]


def select_one(option: str, selector: str, names: Sequence[str]) -> str:
    """Return the one column that a selector means.

    >>> select_one("--blocks", "#2", ["id", "litter"])
    'litter'
    """
    chosen = select(option, [selector], names)
    if len(chosen) > 1:
        raise InputError(f"{option} {selector!r} means {len(chosen)} columns, {listed(chosen, 3)}: name one.")
    return chosen[0]


def select_in_order(option: str, selector: str, names: Sequence[str]) -> list[str]:
    """Return the columns that the parts of a selector mean, one each, in the order in which they are named.

    >>> select_in_order("--blocks", "site,plot", ["plot", "site", "yield"])
    ['site', 'plot']
    """
    parts = [selector] if selector in names else _parts(selector)
    return list(dict.fromkeys(select_one(option, part, names) for part in parts))


def exact(selectors: Sequence[str], names: Sequence[str]) -> set[str]:
    """Return the columns that are meant one by one, and not only because a pattern or a range takes them in."""
    parts = [part for selector in selectors for part in ([selector] if selector in names else _parts(selector))]
    single = {part for part in parts if part in names}
    positions = [int(m[1]) for part in parts if (m := _POSITION.match(part)) and m[2] is None]
    return single | {names[k - 1] for k in positions if 1 <= k <= len(names)}


def _matching(option: str, selector: str, names: Sequence[str]) -> list[str]:
    if selector in names:
        return [selector]
    if "," in selector:
        return [name for part in _parts(selector) for name in _matching(option, part, names)]
    if position := _POSITION.match(selector):
        return _positions(option, selector, position, names)
    if any(mark in selector for mark in "*?["):
        matching = [name for name in names if fnmatch.fnmatchcase(name, selector)]
        if not matching:
            raise InputError(f"{option} {selector!r} matches no column. Columns: {listed(names)}.")
        return matching
    hint = did_you_mean(selector, names)
    raise InputError(f"{option} {selector!r}: there is no such column{hint} Columns: {listed(names)}.")


def _parts(selector: str) -> list[str]:
    return [part.strip() for part in selector.split(",") if part.strip()] or [selector.replace(",", "")]


def _positions(option: str, selector: str, position: re.Match[str], names: Sequence[str]) -> list[str]:
    first, last = _number(position[1]), len(names) if position[3] == "" else _number(position[3] or position[1])
    if not 1 <= first <= last <= len(names):
        raise InputError(
            f"{option} {selector!r}: there are {len(names)} columns: positions go from #1 to #{len(names)}."
        )
    return list(names[first - 1 : last])


def _number(digits: str) -> int:
    return int(digits) if len(digits) < 10 else 10**9


_UNREADABLE = ("nested", "binary")


class EventChoice(NamedTuple):
    """The column of events, and the value that stands for one; None where the column says so itself, as 1 or true."""

    column: str
    value: str | None = None


class FollowedColumns(NamedTuple):
    """The columns of a censored y."""

    time: str
    event: EventChoice

    @property
    def names(self) -> tuple[str, str]:
        """The columns, the time first."""
        return self.time, self.event.column

    @property
    def recoded(self) -> set[str]:
        """The column of events, where one of its values stands for an event."""
        return set() if self.event.value is None else {self.event.column}

    @property
    def notes(self) -> list[str]:
        """What to say of it."""
        column, value = self.event
        return [] if value is None else [f"Event: {column!r} is {value}; rows with another value are censored."]

    def remarked(self, fact: ColumnFacts) -> ColumnFacts:
        """Say of a column that it is the time, or the event and by which value."""
        column, value = self.event
        event = "the event" if value is None else f"the event: {value}"
        what = {self.time: "the time", column: event}.get(fact.name, "")
        return fact._replace(remark="; ".join(filter(None, (what, fact.remark))))


def find_followed(table: Table, time: str | None, event: str | None) -> FollowedColumns | None:
    """Return the columns that `--time` and `--event` name, if they name any."""
    if time is None or event is None:
        return None
    followed = FollowedColumns(select_one("--time", time, table.names), choose_event(event, table.names))
    if followed.time == followed.event.column:
        raise InputError(f"--time and --event both name {followed.time!r}: name two columns.")
    _check_value(table, followed.event)
    return followed


def choose_event(text: str, names: Sequence[str]) -> EventChoice:
    """Return the column, and the value, that an option names.

    >>> choose_event("status=2", ["time", "status"]), choose_event("status=2", ["time", "status=2"])
    (EventChoice(column='status', value='2'), EventChoice(column='status=2', value=None))
    """
    ends = [k for k, letter in enumerate(text) if letter == "="]
    if text in names or not ends:
        return EventChoice(select_one("--event", text, names))
    known = [k for k in ends if text[:k].strip() in names]  # a name may hold the sign itself
    end = known[-1] if known else ends[0]
    return EventChoice(select_one("--event", text[:end].strip(), names), text[end + 1 :].strip())


def with_events(table: Table, followed: FollowedColumns) -> Table:
    """Return the table with true in the place of the value of an event, and false in that of others."""
    column, value = followed.event
    if value is None or table.kinds[column] in _UNREADABLE:
        return table
    frame = table.frame.with_columns(_is_event(table, column, value).alias(column))
    return replace(table, frame=frame, kinds=table.kinds | {column: "boolean"})


def _check_value(table: Table, event: EventChoice) -> None:
    """Refuse a value that no row has."""
    column, value = event
    if value is None or table.kinds[column] in _UNREADABLE or _is_event(table, column, value).any():
        return
    cells = table.frame[column].drop_nulls().unique().sort()
    numeric = table.kinds[column] == "numeric"
    values = [f"{cell:g}" for cell in cells.to_list()] if numeric else as_text(cells).to_list()
    raise InputError(f"--event {f'{column}={value}'!r}: {column!r} is {value!r} in no row. Values: {listed(values)}.")


def _is_event(table: Table, column: str, value: str) -> pl.Series:
    """Tell which cells equal a value; null where one is missing."""
    import polars as pl

    cells = table.frame[column]
    if table.kinds[column] == "numeric":
        return cells.cast(pl.Float64) == _as_number(value)
    texts = as_text(cells).str.strip_chars()
    return texts == (value.lower() if table.kinds[column] == "boolean" else value)


def _as_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.inf  # which no cell is


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
            *ruling_notes(list(rulings.values())),
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
