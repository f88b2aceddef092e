"""What the arguments of Python name: columns by name or position, by a formula, in sets, and rows by their labels.

A formula "y ~ a + b" names columns of a table. The marks are + for one more, - for one less and . for all others. Names
that are not words go into backticks: "y ~ `blood pressure` + age". There are no interactions or functions: a test of
dependence looks for them by itself. Of tables and series whose rows have labels (pandas' index), rows that belong
together have the same label.

y is read as numbers, as classes, or as times and whether each ended in an event.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence, Sized
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

import numpy as np

from kmerf.core.arrays import read_only
from kmerf.core.errors import Argument, EventValue, InputError, Message, did_you_mean, listed
from kmerf.data.sample import FEWEST_EVENTS, Followed
from kmerf.reading.containers import Column, as_numbers, as_text, find, is_table, read
from kmerf.reading.rulings import MAX_LISTED, ordered_ranks

if TYPE_CHECKING:
    from kmerf.data.sample import Features

Declared: TypeAlias = str | int | Iterable[str | int]


class ReadingRules(NamedTuple):
    """What the user says about how to read the data."""

    categorical: Declared
    keep: Declared
    na: dict[str, list[object]]
    y_kind: str
    missing_y: str
    takes_blocks: bool = True  # whether the question can be told which rows belong together
    dates: str = "auto"
    weights: Any = None
    weights_kind: str = "auto"


def read_marks(na: Any) -> dict[str, list[object]]:
    """Return the values that mean missing, those for all columns under "".

    >>> read_marks("?"), read_marks({"age": [999, -9]})
    ({'': ['?']}, {'age': [999, -9]})
    """
    if isinstance(na, Mapping):
        return {str(name): several(codes) for name, codes in na.items()}
    codes = several(na)
    return {"": codes} if codes else {}


def several(value: Any) -> list[Any]:
    """Return one or more values as a list."""
    return list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]


def declared_names(
    categorical: Declared, x: Sequence[Column], y: Sequence[Column] = (), argument: str = "categorical"
) -> set[str]:
    """Names of the columns that `categorical` lists by name, or by position in x."""
    columns, declared = {c.name: c for c in (*x, *y)}, set()
    several = isinstance(categorical, Iterable) and not isinstance(categorical, str)
    entries: Iterable[Any] = cast("Iterable[Any]", categorical) if several else [categorical]
    for entry in entries:
        whole = hasattr(entry, "__index__") and not isinstance(entry, bool | np.bool_)
        if whole and as_text(entry) not in columns and 0 <= int(entry) < len(x):
            entry = x[int(entry)].name
        name = as_text(entry)  # looked up here, as a file may declare every one of its columns
        declared.add(name if name in columns else find(argument, entry, list(columns.values())).name)
    return declared


_TERM = re.compile(r"\s*([+-]?)\s*(`([^`]+)`|\.(?![\w.])|[^\W\d][\w.]*)\s*")


class NamedColumns(NamedTuple):
    """The columns that a formula names."""

    y: tuple[str, ...]
    x: tuple[str, ...]
    named: tuple[str, ...]
    """Those of x that it names one by one."""


def is_formula(text: object) -> bool:
    """Return whether a value is a formula."""
    return isinstance(text, str) and "~" in text


def read_formula(text: str, names: Sequence[str]) -> NamedColumns:
    """Return the columns that a formula names.

    >>> read_formula("y ~ . - id", ["id", "a", "b", "y"])
    NamedColumns(y=('y',), x=('a', 'b'), named=())
    """
    left, _, right = text.partition("~")
    y = [_known(text, name, names) for sign, name in _terms(text, left) if sign != "-" and name != "."]
    added: list[str] = []
    named: list[str] = []
    for sign, name in _terms(text, right):
        meant = [each for each in names if each not in y] if name == "." else [_known(text, name, names)]
        if sign == "-":
            added = [each for each in added if each not in meant]
        else:
            added += [each for each in meant if each not in added]
            named += [] if name == "." else meant
    both = set(y) & set(added)
    if both:
        raise _formula_error(text, f"has {listed(sorted(both))} on both sides", "leave it out of one")
    return NamedColumns(tuple(y), tuple(added), tuple(name for name in named if name in added))


def _terms(text: str, side: str) -> list[tuple[str, str]]:
    terms: list[tuple[str, str]] = []
    at = 0
    while at < len(side.rstrip()):
        match = _TERM.match(side, at)
        if match is None or (bool(terms) and not match[1]):
            remedy = "write it as 'y ~ a + b', other names in backticks"
            raise _formula_error(text, f"cannot be read at {side[at:].strip()[:20]!r}", remedy)
        terms.append((match[1], match[3] or match[2]))
        at = match.end()
    if not terms:
        raise _formula_error(text, "names no column on one side of ~", "write it as 'y ~ a + b'")
    return terms


def _known(text: str, name: str, names: Sequence[str]) -> str:
    if name in names:
        return name
    finding = f"names {name!r}, and there is no such column{did_you_mean(name, names)}"
    raise _formula_error(text, finding, f"Columns: {listed(names)}")


def _formula_error(text: str, finding: str, remedy: str) -> InputError:
    return InputError(f": the formula {text!r} {finding}", argument="x", remedy=remedy)


def align(x: Any, other: Any, argument: str) -> tuple[Any, bool]:
    """Return `other` with its rows in the order of the labels of x, and whether they had another order.

    Where only one of the two has labels, rows pair by position. Labels that repeat, or are not the same, are refused.
    Of a dictionary, each column is put in order.

    >>> import pandas as pd
    >>> align(pd.Series([1, 2], index=["a", "b"]), pd.Series([3, 4], index=["b", "a"]), "y")[0].tolist()
    [4, 3]
    """
    if isinstance(other, Mapping):
        columns = {name: align(x, column, argument) for name, column in other.items()}
        return {name: column for name, (column, _) in columns.items()}, any(moved for _, moved in columns.values())
    left, right = _index(x), _index(other)
    if left is None or right is None or len(left) != len(right) or left.equals(right):
        return other, False
    if left.is_unique and right.is_unique and bool(right.isin(left).all()):
        return other.loc[left], True
    why = "repeat" if not (left.is_unique and right.is_unique) else "are not the same"
    raise InputError(
        Message("and ", Argument("x"), f" have indexes that differ, and whose labels {why}"),
        argument=argument,
        remedy="give both the same labels, or drop them with .reset_index(drop=True) where rows pair by position",
    )


def aligned_columns(x: Any) -> Any:
    """Return a dictionary of columns with the rows of each in the order of the first; anything else as it is."""
    if not isinstance(x, Mapping):
        return x
    first = next((column for column in x.values() if _index(column) is not None), None)
    return {name: align(first, column, "x")[0] for name, column in x.items()}


def _index(data: Any) -> Any:
    """Return the labels of rows, or None; lists and tuples have a method of that name."""
    index = getattr(data, "index", None)
    return index if hasattr(index, "is_unique") and hasattr(data, "loc") else None


def read_sets(argument: str, sets: Any, x: Features) -> dict[str, list[int]]:
    """Return the numbers of the columns of x in each set.

    >>> from kmerf.reading.samples import read_features
    >>> read_sets("sets", {"both": ["x2", 0], "one": "x1"}, read_features([[1, 2], [3, 5]]))
    {'both': [1, 0], 'one': [0]}
    """
    if not isinstance(sets, Mapping) or not sets:
        remedy = "pass a dictionary such as {'first': ['x1', 'x2']}"
        raise InputError("must name sets of columns", argument=Argument(argument, sets), remedy=remedy)
    columns_of = {str(name): columns for name, columns in sets.items()}
    if len(columns_of) < len(sets):
        raise InputError(": two sets have the same name", argument=argument, remedy="rename one")
    return {name: _members(f"{argument}[{name!r}]", columns, x) for name, columns in columns_of.items()}


def _members(where: str, columns: Any, x: Features) -> list[int]:
    """Return the numbers of the columns that a set lists."""
    several = isinstance(columns, Iterable) and not isinstance(columns, str)
    place: dict[Any, int] = {column: j for j, column in enumerate(x.names)}
    members = [place.get(as_text(entry), entry) for entry in (columns if several else [columns])]
    for entry in members:
        if isinstance(entry, bool) or not hasattr(entry, "__index__") or not 0 <= int(entry) < x.p:  # then raise
            find(where, entry, [Column("x", column, "numeric", np.empty(0)) for column in x.names])
    if not members or len(set(members)) < len(members):
        finding = "lists a column twice" if members else "has no columns"
        remedy = "pass one or more different columns of x, by name or position"
        raise InputError(finding, argument=where, remedy=remedy)
    return [int(entry) for entry in members]


def by_formula(formula: str, table: Any, reading: ReadingRules) -> tuple[Any, list[str], list[str], ReadingRules]:
    """Return the table of a formula, the names of y, the columns that it leaves out, and what to keep."""
    if not is_table(table):
        raise InputError(
            f"is the formula {formula!r}", argument="x", remedy="pass the table whose columns it names as y"
        )
    columns = read("y", table, strict=False)
    terms = read_formula(formula, [c.name for c in columns])
    out = [c.name for c in columns if c.name not in (*terms.x, *terms.y)]
    keep = [*several(reading.keep), *terms.named]
    return table, list(terms.y), out, reading._replace(keep=keep)


def split_blocks(table: list[Column], blocks: Any) -> tuple[list[Column], list[Column]]:
    """Read the blocks, outermost first, and leave the columns that they name, if they name some, out of the table."""
    if blocks is None:
        return table, []
    names = block_names(blocks, table)
    if not names:
        return table, [column.labelled for column in read("blocks", blocks, "block")]
    columns = [find("blocks", key, table) for key in names]
    rest = [column for column in table if column.name not in {each.name for each in columns}]
    return rest, [replace(column, argument="blocks").labelled for column in columns]


def block_names(blocks: Any, table: Sequence[Column]) -> list[str]:
    """Return which columns hold the blocks, if it is columns that are named: a text, or a list of names of columns."""
    if isinstance(blocks, str):
        return [blocks]
    texts = isinstance(blocks, list | tuple) and all(isinstance(each, str) for each in blocks)
    return list(blocks) if texts and {column.name for column in table}.issuperset(blocks) else []


def split_given(table: list[Column], given: Any) -> tuple[list[Column], list[Column]]:
    """Read what is given, and leave the columns that it names, if it names some, out of the table."""
    if given is None:
        return table, []
    names = named_by(given, table)
    if not names:
        return table, read("given", given, "z")
    z_columns = [find("given", key, table) for key in names]
    inside = {column.name for column in z_columns}
    rest = [column for column in table if column.name not in inside]
    if not rest:
        finding = Message("names every column of ", Argument("x"))
        raise InputError(finding, argument="given", remedy="leave one or more to be tested")
    return rest, [replace(column, argument="given") for column in z_columns]


def named_by(y: Any, columns: Sequence[Column]) -> list[Any]:
    """Return which columns of x y names, if any; what does not name columns is data, one entry per row.

    A list of text may be either, and of numbers too if numbers name the columns. So two signs of three decide: it is
    text or a single value, there is not one per row, there are such columns.
    """
    scalar = isinstance(y, str) or (isinstance(y, Hashable) and not isinstance(y, Sized))
    keys = [y] if scalar else list(y) if isinstance(y, list | tuple) else []
    texts = [as_text(key) for key in keys]
    if len(set(texts)) < len(texts):
        return []
    signs = (
        np.isscalar(y) or all(isinstance(key, str) for key in keys),
        len(keys) != columns[0].n,
        {c.name for c in columns}.issuperset(texts),
    )
    return keys if sum(signs) >= 2 else []


MAX_EVENT_CODES = 10  # values of a column that may stand for what became of a row
_ORDER = "pass the time first, then the event"


def in_columns(y: Any) -> Any:
    """Return `(times, events)`, or a structured array of both, as columns; anything else as it is.

    Of a structured array, as scikit-survival has them, the field that is true or false is the event.

    >>> in_columns(([5.0, 3.0, 8.0], [True, False, True])).tolist()
    [[5.0, True], [3.0, False], [8.0, True]]
    >>> list(in_columns(np.array([(True, 5.0), (False, 3.0)], dtype=[("died", bool), ("days", float)])))
    ['days', 'died']
    """
    if isinstance(y, np.ndarray) and len(y.dtype.names or ()) == 2:
        fields = sorted(y.dtype.names or (), key=lambda name: y.dtype[name].kind == "b")
        return {name: y[name] for name in fields}
    if not isinstance(y, tuple | list) or len(y) != 2 or any(np.ndim(part) != 1 or len(part) < 3 for part in y):
        return y
    if len(y[0]) == len(y[1]) and not any(hasattr(part, "name") for part in y):
        return np.column_stack([np.asarray(part, dtype=object) for part in y])
    names = {part.name for part in y if getattr(part, "name", None) is not None}
    return {part.name: part for part in y} if len(names) == 2 else dict(zip(("time", "event"), y, strict=True))


def read_followed(columns: Sequence[Column]) -> Followed:
    """Check two columns, times and events, and return them."""
    if len(columns) != 2:
        names = ", ".join(repr(column.name) for column in columns)
        several = Message(f"has {_counted(len(columns), 'column')} ({names}) with ", Argument("y_kind", "censored"))
        raise InputError(several, argument="y", remedy="pass two, the time and then the event: y=('time', 'event')")
    time, event = columns
    _check_time(time)
    _check_event(event, swapped=_is_event(time))
    followed = Followed(*(read_only(np.array(column.values, dtype=np.float64)) for column in (time, event)))
    count = int(followed.event.sum())
    if count < FEWEST_EVENTS:
        finding = f"has {_counted(count, 'event')}, and a test needs {FEWEST_EVENTS}"
        raise event.error(finding, "check which value stands for the event")
    return followed


def _check_time(time: Column) -> None:
    """Refuse a column that is not times."""
    if time.kind == "boolean":
        raise time.error("is true or false, and a time is a number of at least 0", _ORDER)
    if time.kind != "numeric":
        raise time.error(f"is text, such as {time.values[0]!r}, and times are numbers", "convert it to numbers")
    if time.values.min() < 0:
        finding = f"holds {time.values.min():g}, and a time is a number of at least 0"
        raise time.error(finding, "check how it was computed, and pass the time first, then the event")


def _check_event(event: Column, *, swapped: bool) -> None:
    """Refuse a column that does not say by itself which rows had an event."""
    if _is_event(event):
        return
    values = sorted(set(event.values.tolist()), key=lambda value: (isinstance(value, str), value))
    shown = [_plain(value) for value in values]
    odd = next(value for value in shown if value not in (0, 1))
    finding = f"holds {odd!r}, and an event is 1 or true, a censored row 0 or false"
    if swapped:
        raise event.error(finding, _ORDER)
    if len(values) > MAX_EVENT_CODES:
        raise event.error(finding, "pass a column that says which rows had the event")
    raise event.error(finding, Message("say which value is the event, such as ", EventValue(event.name, shown[-1])))


def _is_event(column: Column) -> bool:
    """Return whether a column is true and false, or 1 and 0."""
    return column.kind == "boolean" or (column.kind == "numeric" and set(np.unique(column.values)) <= {0.0, 1.0})


def _plain(value: object) -> object:
    """Return a whole number without its decimals.

    >>> _plain(2.0), _plain("dead")
    (2, 'dead')
    """
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _counted(count: int, noun: str) -> str:
    return f"{count or 'no'} {noun}{'' if count == 1 else 's'}"


def followed_note(columns: Sequence[Column]) -> list[str]:
    """Say so where two columns that are read as numbers may be a time and an event."""
    if len(columns) != 2:
        return []
    time, event = columns
    values = event.values[~event.missing]
    two = event.kind == "boolean" or (event.kind == "numeric" and set(np.unique(values).tolist()) == {0.0, 1.0})
    if not two or time.kind != "numeric" or np.nanmin(time.values, initial=0.0) < 0 or np.unique(time.values).size < 3:
        return []
    reading = f"y may be a time, {time.name!r}, and whether it ended in an event, {event.name!r}; pass "
    return [Message(reading, Argument("y_kind", "censored"), " to read it so.")]


def read_y(raw: Sequence[Column], y_kind: str, declared: Collection[str]) -> tuple[list[Column], list[str]]:
    """Read the columns of y, or of the groups, as numbers or classes, with notes on what the user may see otherwise."""
    columns = [replace(c.labelled, order=(), ordered=False) if c.name in declared else c for c in raw]
    if raw[0].argument != "y":
        y_kind = "categorical"
    columns = [read_y_column(c, y_kind, alone=len(raw) == 1) for c in columns]
    notes = [note for c in columns for note in order_note(c, y_kind)]
    if y_kind == "auto":
        plain = len(raw) == 1 and raw[0].kind == "numeric" and raw[0].name not in declared
        notes += [*(two_values_note(columns[0]) if plain else ()), *followed_note(raw)]
    return columns, notes


def read_y_column(column: Column, y_kind: str, *, alone: bool) -> Column:
    """Read one column of y as numbers or as classes; beside others, true/false stays one 0/1 column.

    Three or more categories whose type gives them an order become their ranks, from 1.
    """
    ranks = ordered_ranks(column) if (column.ordered and y_kind == "auto") or y_kind == "numeric" else None
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
    if y_kind == "auto" and column.kind == "text":
        _check_repeated(column)
    classes = column.kind == "text" or (alone and y_kind == "auto" and _has_two_values(column))
    return column.labelled if classes or y_kind == "categorical" else column


MIN_TEXT_ROWS = 20  # from which on text that hardly repeats is not taken for classes
MAX_DISTINCT = 0.6  # share of rows with another text


def _check_repeated(column: Column) -> None:
    """Refuse text that hardly repeats, and say what it looks like."""
    texts = [str(entry) for entry in column.values if entry is not None]
    different = len(set(texts))
    if len(texts) < MIN_TEXT_ROWS or different <= MAX_DISTINCT * len(texts):
        return
    first = texts[0][:40]
    looks = "ids" if all(re.search(r"[0-9]", t) and " " not in t for t in texts) else "names or free text"
    finding = f"has {different} different texts in {len(texts)} rows, and looks like {looks}, such as {first!r}"
    remedy = Message(
        "name a column of numbers or classes, or pass ", Argument("y_kind", "categorical"), " if these are"
    )
    raise column.error(finding, remedy)


def _has_two_values(column: Column) -> bool:
    """Return whether a column of numbers or of true/false is best read as classes."""
    if column.kind != "numeric":
        return column.kind == "boolean"
    present = column.values[~column.missing]
    return present.size > 0 and bool((np.abs(present) < 2**53).all()) and np.unique(present).size == 2


def order_note(y: Column, y_kind: str) -> list[str]:
    """Say what became of the order of categories, unless the user said what y is."""
    if y.argument == "groups":
        note = "The groups are ordered, and their order is not used; independence, with the groups as y, uses it."
        return [note] if y.ordered else []
    if y_kind != "auto" or not y.order or len(set(y.values) - {None}) < 3:
        return []
    if y.kind != "numeric":
        return [
            Message(
                "The order of the categories of y is not used; pass ", Argument("y_kind", "numeric"), " if it counts."
            )
        ]
    listing = " < ".join(y.order) if len(y.order) <= MAX_LISTED else f"{y.order[0]} < ... < {y.order[-1]}"
    reading = f"y has ordered categories, {listing}, and is read as their ranks, 1 to {len(y.order)}; pass "
    return [Message(reading, Argument("y_kind", "categorical"), " to ignore the order.")]


def two_values_note(y: Column) -> list[str]:
    """Say that numbers of two different values are read as classes."""
    if y.kind != "categorical":
        return []
    first, second = sorted(set(y.values) - {None})
    reading = f"y has two values, {first} and {second}, and is read as classes; pass "
    return [Message(reading, Argument("y_kind", "numeric"), " to read it as numbers.")]
