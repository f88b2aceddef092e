"""What the arguments of Python name: columns by name or position, by a formula, in sets, and rows by their labels.

A formula "y ~ a + b" names columns of a table. The marks are + for one more, - for one less and . for all others. Names
that are not words go into backticks: "y ~ `blood pressure` + age". There are no interactions or functions: a test of
dependence looks for them by itself. Of tables and series whose rows have labels (pandas' index), rows that belong
together have the same label.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence, Sized
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

import numpy as np

from kmerf.core.errors import Argument, InputError, Message, did_you_mean, listed
from kmerf.reading.containers import Column, as_text, find, is_table, labelled, read

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
    """Tell whether a value is a formula."""
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
        return table, [labelled(column) for column in read("blocks", blocks, "block")]
    columns = [find("blocks", key, table) for key in names]
    rest = [column for column in table if column.name not in {each.name for each in columns}]
    return rest, [labelled(replace(column, argument="blocks")) for column in columns]


def block_names(blocks: Any, table: Sequence[Column]) -> list[str]:
    """Tell which columns hold the blocks, if it is columns that are named: a text, or a list of names of columns."""
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
    """Tell which columns of x y names, if any; what does not name columns is data, one entry per row.

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
