"""From the options of the shell to roles: columns by name, pattern or position, and rows by a condition.

A selector is, in this order: the exact name of a column; `#3` or `#3:7`, a position or a range of positions, both ends
included and counted from 1 (`#3:` goes to the last); a pattern with `*`, `?` or `[...]`; or several of these, with
commas between them. A column whose name looks like one of the others is still chosen by its name, as that comes first.

`--event status=2` says which value of a column stands for an event: rows with another one are censored, and missing
stays missing. A column whose name is the whole text comes first, so that one named "status=2" can still be chosen.

Nothing is guessed silently: every column has a role, a kind and a remark, and every row that was lost is counted. What
becomes of a column, `kmerf.reading.sample_building` decides, as for dataframes, by the whole file and not by the rows
chosen.
"""

from __future__ import annotations

import fnmatch
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kmerf.core.errors import InputError, did_you_mean, listed, of_rank, rank_of
from kmerf.reading.containers import Column
from kmerf.reading.dates import elapsed_time
from kmerf.reading.formats import ShellArgument
from kmerf.reading.rulings import ColumnFacts, ColumnRuling, facts_of
from kmerf.reading.sample_building import Decision, RoleColumns, decide, split_order
from kmerf.reading.summaries import ColumnSummary, summarise
from kmerf.reading.typed_table import as_text
from kmerf.reading.where import keep

if TYPE_CHECKING:
    import polars as pl

    from kmerf.data.sample import Sample
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
    weights: str | None = None
    weights_kind: str = "auto"
    order: str | None = None
    """The column of time, or "rows" if rows are in its order."""
    dates: str = "auto"
    takes_blocks: bool = True
    """Whether the question can be told which rows belong together."""
    compares_groups: bool = False
    """Whether each group needs two rows or more, and rows of different groups are not to be the same."""


def _error(option: str, value: str, finding: str, remedy: str) -> InputError:
    return InputError(finding, argument=ShellArgument(option, value), remedy=remedy)


def _both(option: str, column: str) -> str:
    return f"and --{option} both name {column!r}"


_POSITION = re.compile(r"#(\d+)(:(\d*))?$")


def select(option: str, selectors: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the columns that any of the selectors means, in the order of the table.

    >>> select("x", ["gene_*", "#1"], ["id", "gene_a", "gene_b", "age"])
    ['id', 'gene_a', 'gene_b']
    """
    matches = {name for selector in selectors for name in _matching(option, selector, names)}
    return [name for name in names if name in matches]


def select_one(option: str, selector: str, names: Sequence[str]) -> str:
    """Return the one column that a selector means.

    >>> select_one("blocks", "#2", ["id", "litter"])
    'litter'
    """
    matches = select(option, [selector], names)
    if len(matches) > 1:
        raise _error(option, selector, f"means {len(matches)} columns, {listed(matches, 3)}", "name one")
    return matches[0]


def select_in_order(option: str, selector: str, names: Sequence[str]) -> list[str]:
    """Return the columns that the parts of a selector mean, one each, in the order in which they are named.

    >>> select_in_order("blocks", "site,plot", ["plot", "site", "yield"])
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
            raise _error(option, selector, "matches no column.", f"Columns: {listed(names)}")
        return matching
    finding = f": there is no such column{did_you_mean(selector, names)}"
    raise _error(option, selector, finding, f"Columns: {listed(names)}")


def _parts(selector: str) -> list[str]:
    return [part.strip() for part in selector.split(",") if part.strip()] or [selector.replace(",", "")]


def _positions(option: str, selector: str, position: re.Match[str], names: Sequence[str]) -> list[str]:
    first, last = _number(position[1]), len(names) if position[3] == "" else _number(position[3] or position[1])
    if not 1 <= first <= last <= len(names):
        raise _error(option, selector, f": there are {len(names)} columns", f"positions go from #1 to #{len(names)}")
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
    followed = FollowedColumns(select_one("time", time, table.names), choose_event(event, table.names))
    if followed.time == followed.event.column:
        raise InputError(_both("event", followed.time), argument=ShellArgument("time"), remedy="name two columns")
    _check_value(table, followed.event)
    return followed


def choose_event(text: str, names: Sequence[str]) -> EventChoice:
    """Return the column, and the value, that an option names.

    >>> choose_event("status=2", ["time", "status"]), choose_event("status=2", ["time", "status=2"])
    (EventChoice(column='status', value='2'), EventChoice(column='status=2', value=None))
    """
    ends = [k for k, letter in enumerate(text) if letter == "="]
    if text in names or not ends:
        return EventChoice(select_one("event", text, names))
    places = [k for k in ends if text[:k].strip() in names]  # a name may hold the sign itself
    end = places[-1] if places else ends[0]
    return EventChoice(select_one("event", text[:end].strip(), names), text[end + 1 :].strip())


def with_events(table: Table, followed: FollowedColumns, column: Column) -> Column:
    """Return the column of events with true in the place of the value of an event, and false in that of others."""
    name, value = followed.event
    if value is None or column.kind == "other":
        return column
    events = _is_event(table, name, value)
    return Column(column.argument, column.name, "boolean", events.cast(float).to_numpy())


def _check_value(table: Table, event: EventChoice) -> None:
    """Refuse a value that no row has."""
    column, value = event
    if value is None or table.kinds[column] in _UNREADABLE or _is_event(table, column, value).any():
        return
    cells = table.frame[column].drop_nulls().unique().sort()
    numeric = table.kinds[column] == "numeric"
    values = [f"{cell:g}" for cell in cells.to_list()] if numeric else as_text(cells).to_list()
    raise _error("event", f"{column}={value}", f": {column!r} is {value!r} in no row.", f"Values: {listed(values)}")


def _is_event(table: Table, column: str, value: str) -> pl.Series:
    """Return which cells equal a value; null where one is missing."""
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

    decision: Decision
    x: tuple[str, ...]
    y: tuple[str, ...]
    """Columns of y, a time before its event; for groups, the one that holds them."""
    grouped: bool
    columns: tuple[ColumnFacts, ...]
    lost: dict[str, int]
    """Rows that were lost, by reason: "condition", "condition missing" and "y missing"."""
    notes: tuple[str, ...]
    problems: tuple[InputError, ...] = ()
    """What the user has to decide before this can be tested."""
    all_columns: tuple[Column, ...] = ()
    """Those of the file, all rows of them."""

    @property
    def rows(self) -> int:
        """Number of rows that are used."""
        return int(self.decision.rows.sum())

    @property
    def row_numbers(self) -> NDArray[np.int64]:
        """Where the rows stand in the file, counted from 1 below the head."""
        return np.flatnonzero(self.decision.rows) + 1

    @property
    def warnings(self) -> tuple[str, ...]:
        """Signs that rows are not exchangeable."""
        return tuple(of_rank("doubt", [*self.decision.order_notes, *self.decision.code_notes]))

    def summaries(self) -> dict[str, ColumnSummary]:
        """Return what each column holds, in the rows that are used."""
        return {column.name: summarise(column.some(self.decision.rows)) for column in self.all_columns}

    def sample(self, y_kind: str = "auto", *, once: bool = True) -> Sample:
        """Return the sample to be tested, or raise all problems as one error; `once` without copied rows."""
        if self.problems:
            raise InputError.together(self.problems)
        return self.decision.sample(y_kind, once=once, noted=False)

    def without_y(self) -> Sample:
        """Return all columns that are used, or raise all problems as one error."""
        if self.problems:
            raise InputError.together(self.problems)
        return self.decision.without_y(noted=False)


def read_request(table: Table, request: TableRequest) -> RequestedTable:
    """Give columns their roles, choose rows, and say how."""
    followed = find_followed(table, request.time, request.event)
    roles = _roles(table, request, followed)
    columns = {column.name: column for column in table.columns()}
    named = {role: [name for name, each in roles.items() if each == role] for role in ("x", "given")}
    y = [name for name, role in roles.items() if role in ("y", "groups")] if followed is None else list(followed.names)
    blocks = [] if request.blocks is None else select_in_order("blocks", request.blocks, table.names)
    argument = "groups" if request.compares_groups else "y"
    y_columns = [replace(columns[name], argument=argument) for name in y]
    declared = set(select("categorical", request.categorical, table.names))
    weights = next((name for name, role in roles.items() if role == "weights"), None)
    labels = request.compares_groups or request.groups is not None
    y_columns = (
        y_columns
        if labels
        else [c if c.name in declared or c.fault is not None else elapsed_time(c, request.dates) for c in y_columns]
    )
    problems = _y_problems(y_columns, declared | (set() if followed is None else followed.recoded))
    rows, lost, notes = _rows(table, request, y_columns)
    if followed is not None:
        y_columns = [with_events(table, followed, c) if c.name == followed.event.column else c for c in y_columns]
    decision = decide(
        RoleColumns(
            x=[columns[name] for name in named["x"]],
            y=y_columns,
            blocks=[replace(columns[name], argument="blocks").labelled for name in blocks],
            order=_order_column(table, request, columns),
            given=[replace(columns[name], argument="given") for name in named["given"]],
            declared=declared,
            keep=set(select("keep", request.keep, table.names)) | exact(request.x, table.names),
            others=[column for name, column in columns.items() if name not in y],
            takes_blocks=request.takes_blocks,
            rows=rows,
            drop=request.missing_y != "raise",
            dates=request.dates,
            weights=None if weights is None else replace(columns[weights], argument="weights"),
            weights_kind=request.weights_kind,
        ),
        strict=False,
    )
    facts = _facts({name: c.some(decision.rows) for name, c in columns.items()}, roles, decision.rulings, declared)
    return RequestedTable(
        decision=decision,
        x=tuple(column.name for column in decision.x),
        y=tuple(y),
        grouped=request.groups is not None,
        columns=tuple(facts if followed is None else map(followed.remarked, facts)),
        lost=lost | {"y missing": decision.dropped},
        notes=(
            *table.notes,
            *notes,
            *decision.row_notes,
            *([] if followed is None else followed.notes),
            *decision.column_notes,
            *(note for note in (*decision.code_notes, *decision.order_notes) if rank_of(note) != "doubt"),
        ),
        problems=(*problems, *decision.errors),
        all_columns=tuple(columns.values()),
    )


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
    wrong = [c for c in columns if c.kind == "other" or c.name not in declared]
    return [c.refused(c.fault) for c in wrong if c.fault is not None]


def _roles(table: Table, request: TableRequest, followed: FollowedColumns | None) -> dict[str, str]:
    """Give every column its role, in the order of the table."""
    names = table.names
    options = _y_options(names, request, followed)
    y = list(options)
    blocks = [] if request.blocks is None else select_in_order("blocks", request.blocks, names)
    dropped = set(select("drop", request.drop, names))
    taken = dict.fromkeys(y, "groups" if request.groups is not None else "y") | dict.fromkeys(blocks, "blocks")
    if request.weights is not None:
        weights = select_one("weights", request.weights, names)
        for name in {weights} & set(taken):
            raise InputError(
                _both(options.get(name, "blocks"), name), argument=ShellArgument("weights"), remedy="name two columns"
            )
        taken[weights] = "weights"
    if request.order is not None and not _by_rows(request, names):
        when = select_one("order", request.order, names)
        for name in {when} & set(taken):
            other = options.get(name, taken[name])
            raise InputError(_both(other, name), argument=ShellArgument("order"), remedy="name two columns")
        taken[when] = "order"
    for name in set(blocks) & set(y):
        remedy = "blocks must be another column"
        raise InputError(_both("blocks", name), argument=ShellArgument(options[name]), remedy=remedy)
    given = select("given", request.given, names)
    for name in exact(request.given, names) & set(taken):
        option = ShellArgument(options.get(name, "blocks"))
        raise InputError(_both("given", name), argument=option, remedy="they must not share columns")
    taken |= {name: "given" for name in given if name not in taken and name not in dropped}
    for name in dropped & set(taken):
        finding = f"takes away {name!r}, which --{options.get(name, taken[name])} names"
        raise InputError(finding, argument=ShellArgument("drop"), remedy="leave it out of one of them")
    for name in exact(request.x, names) & set(taken):
        finding, remedy = f"names {name!r}, which is also {taken[name]}", f"x and {taken[name]} must not share columns"
        raise InputError(finding, argument=ShellArgument("x"), remedy=remedy)
    features = set(select("x", request.x, names) if request.x else names) - dropped - set(taken)
    features |= set(select("keep", request.keep, names)) - dropped - set(taken)
    if not features:
        raise InputError(": no columns are left", argument="x", remedy="choose some with --x, or drop fewer")
    rest = dict.fromkeys(dropped, "dropped") | taken | dict.fromkeys(features, "x")
    return {name: rest.get(name, "not used") for name in names}


def _by_rows(request: TableRequest, names: Sequence[str]) -> bool:
    return request.order == "rows" and "rows" not in names


def _order_column(table: Table, request: TableRequest, columns: dict[str, Column]) -> Column | None:
    """Return the times of the rows, if they are a series."""
    if request.order is None:
        return None
    every = list(columns.values())
    named = True if _by_rows(request, table.names) else select_one("order", request.order, table.names)
    return split_order(every, named)[1] if len(every) > 1 or named is True else None


def _y_options(names: list[str], request: TableRequest, followed: FollowedColumns | None) -> dict[str, str]:
    """Return the columns of y, or of groups, each with the option that names it."""
    if request.groups is not None:
        return {select_one("groups", request.groups, names): "groups"}
    if followed is None:
        return dict.fromkeys(select("y", request.y, names), "y")
    return dict(zip(followed.names, ("time", "event"), strict=True))


class _Rows(NamedTuple):
    met: NDArray[np.bool_] | None
    lost: dict[str, int]
    notes: list[str]


def _rows(table: Table, request: TableRequest, y: Sequence[Column]) -> _Rows:
    """Find the rows that meet the condition; some must have y."""
    met, lost, notes = None, {"condition": 0, "condition missing": 0}, []
    if request.where is not None:
        met, false, unknown = keep(request.where, table)
        lost = {"condition": false, "condition missing": unknown}
        if not met.any():
            finding = f"is met by none of {table.rows} rows"
            raise _error("where", request.where[:60], finding, _values_hint(request.where, table))
        notes.append(f"{_count(int(met.sum()))} of {table.rows} meet the condition.")
        if unknown:
            notes.append(f"{_count(unknown)} left out because the condition has a missing value there.")
    rows = np.ones(table.rows, dtype=np.bool_) if met is None else met
    if y and np.all(np.any([c.missing[rows] for c in y], axis=0)):
        empty = next((c for c in y if c.missing[rows].all()), y[0])
        finding = f"is missing in all {int(rows.sum())} rows"
        raise empty.error(finding, "choose another, or mend the file")
    return _Rows(met, lost, notes)


def _values_hint(condition: str, table: Table) -> str:
    """Name the values of a column that a condition compares with a text that no row has."""
    for name, value in re.findall(r"`?([^\W\d][\w. ]*?)`?\s*(?:==?|in\s*\()\s*['\"]([^'\"]*)['\"]", condition):
        if name in table.names and table.kinds[name] == "text":
            values = as_text(table.frame[name].drop_nulls().unique().sort()).to_list()
            if value not in values:
                return f"{name} is {value!r} in no row; its values are {listed(values)}"
    return "ask for less"


def _count(rows: int) -> str:
    return "1 row" if rows == 1 else f"{rows} rows"
