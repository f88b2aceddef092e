"""From what a caller passes to a `Sample`: containers become columns, and columns get their roles.

x and y are paired by position or by the labels of their rows, and y may name columns of x. Samples are put one below
the other, their columns matched by name, and the group of each row is y. What becomes of the columns then,
`kmerf.reading.sample_building` decides, for files too (`kmerf.reading.roles`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np

from kmerf.core.errors import Argument, InputError, Message, choose, listed
from kmerf.data.exchangeability import read_permutations
from kmerf.data.sample import Features, Sample
from kmerf.reading.containers import Column, find, is_table, known_only, raise_faults, read, without_codes
from kmerf.reading.dates import DATES, elapsed_time
from kmerf.reading.named_columns import (
    Declared,
    ReadingRules,
    align,
    aligned_columns,
    block_names,
    by_formula,
    declared_names,
    in_columns,
    is_formula,
    named_by,
    read_marks,
    several,
    split_blocks,
    split_given,
)
from kmerf.reading.rulings import judge, refuse, trimmed, typed, typed_columns, usable
from kmerf.reading.sample_building import Decision, RoleColumns, build_features, decide, split_order, split_weights
from kmerf.reading.typed_table import Table


def paired(
    argument: Literal["y", "groups"], x: Any, y: Any, reading: ReadingRules, blocks: Any, given: Any, order: Any
) -> RoleColumns:
    """Give the columns of x, and of what it is tested against, their roles; y may name columns of x."""
    tabular = is_table(x) or is_formula(x)
    unused: list[str] = []
    if is_formula(x):
        x, y, unused, reading = by_formula(x, y, reading)
    y = in_columns(y) if reading.y_kind == "censored" else y
    x = aligned_columns(x)
    table = columns_of("x", x, strict=not tabular, na=reading.na)
    undeclared = [c for c in table if c.kind == "text" and c.name not in _names_of(reading.categorical)]
    as_text = not tabular and bool(undeclared) and not isinstance(reading.categorical, int)
    tabular = tabular or as_text  # an array of text is read as a table is
    table = [trimmed(c) for c in table] if tabular else table
    table, weights = split_weights(table, reading.weights)
    table, block_columns = split_blocks(table, align(x, blocks, "blocks")[0])
    table, times = split_order(table, align(x, order, "order")[0])
    table = [c for c in table if c.name not in unused]
    if not table:
        raise InputError("is empty", argument="x", remedy=Message("it has no columns besides ", Argument("blocks")))
    table, z_columns = split_given(table, given)
    y_columns, inside, notes = _read_y(argument, x, y, table, reading)
    x_columns = [c for c in table if c.name not in inside]
    if tabular:
        x_columns = typed_columns(x_columns, numbers_as_text=as_text)
        z_columns = typed_columns(z_columns, numbers_as_text=as_text)
    return RoleColumns(
        x=x_columns,
        y=y_columns,
        blocks=block_columns,
        order=times,
        given=z_columns,
        declared=declared_names(reading.categorical, table, (*y_columns, *z_columns)),
        keep=declared_names(reading.keep, table, argument="keep"),
        ruled=tabular,
        others=[*x_columns, *z_columns] if tabular else None,
        takes_blocks=reading.takes_blocks,
        drop=reading.missing_y == "drop" or (reading.missing_y == "auto" and (tabular or is_table(y))),
        notes=notes,
        dates=reading.dates,
        weights=weights,
        weights_kind=reading.weights_kind,
    )


def columns_of(argument: str, data: Any, stem: str = "x", *, strict: bool, na: Any = None) -> list[Column]:
    """Read any container, or a table that was read from a file."""
    if isinstance(data, Table):
        marks = na or {}
        columns = data.columns(argument)
        codes = [[*marks.get("", ()), *marks.get(column.name, ())] for column in columns]
        return [
            replace(c, values=without_codes(c.values, each)) if each else c
            for c, each in zip(columns, codes, strict=True)
        ]
    return read(argument, data, stem, strict=strict, na=na)


def _names_of(declared: Declared) -> set[str]:
    return {str(entry) for entry in several(declared)}


class _Y(NamedTuple):
    columns: list[Column]
    inside: set[str]  # those that are columns of the table
    notes: list[str]


def _read_y(argument: Literal["y", "groups"], x: Any, y: Any, table: list[Column], reading: ReadingRules) -> _Y:
    """Read y, or find the columns of the table that it names."""
    notes: list[str] = []
    names = named_by(y, table)
    if names:
        columns = [replace(find(argument, key, table), argument=argument) for key in names]
        columns = typed_y(columns, reading) if is_table(x) else columns
        inside = {c.name for c in columns}
    else:
        y, moved = align(x, y, argument)
        notes += [f"The rows of {argument} were reordered to match the index of x."] if moved else []
        strict = not is_table(y)
        columns, inside = columns_of(argument, y, argument.removesuffix("s"), strict=strict, na=reading.na), set()
        columns = typed_y([trimmed(c) for c in columns], reading) if is_table(y) else columns
    raise_faults(columns)
    if argument == "groups" and len(columns) > 1:
        raise InputError(f"has {len(columns)} columns", argument="groups", remedy="pass one label per row")
    return _Y(columns, inside, notes)


def typed_y(columns: list[Column], reading: ReadingRules) -> list[Column]:
    """Return the columns of y with numbers in text as numbers, and dates as elapsed time, unless they are labels."""
    if reading.y_kind == "categorical":
        return [replace(c, fault=None) if c.kind in ("text", "date") else c for c in columns]
    labels = _names_of(reading.categorical)
    typed_ones = [c if c.name in labels else t for c, t in zip(columns, typed_columns(columns), strict=True)]
    # numbers as text have an error of their own (`read_y_column`)
    plain = [
        replace(c, fault=None) if t.kind == "text" and not _unclear(t) else t
        for c, t in zip(columns, typed_ones, strict=True)
    ]
    return [elapsed_time(c, reading.dates) for c in plain]


def _unclear(column: Column) -> bool:
    return column.fault is not None and "as text" not in column.fault.finding


def stacked(samples: Mapping[Any, Any], reading: ReadingRules, blocks: Any, given: Any, order: Any) -> RoleColumns:
    """Put samples one below the other; the group of each row is y."""
    tabular = all(is_table(part) for part in samples.values())
    tables = _matched(samples, tabular, reading)
    declared_text = _names_of(reading.categorical)
    as_text = not tabular and any(c.kind == "text" and c.name not in declared_text for t in tables for c in t)
    tabular = tabular or as_text
    tables, block_columns = _without_blocks(tables, blocks)
    if not tables[0]:
        finding = Message(": they have no columns besides ", Argument("blocks"))
        raise InputError(finding, argument="samples", remedy="pass one or more to be tested")
    _, z_columns = split_given(tables[0], given)
    declared = declared_names(reading.categorical, tables[0], z_columns)
    tables = tables if tabular else [usable(table, declared) for table in tables]
    names = np.array([str(name) for name in samples], dtype=object)
    labels = np.repeat(names, [table[0].n for table in tables])
    x_columns = [joined(parts, declared) for parts in zip(*tables, strict=True)]
    if z_columns and all(column.name in {c.name for c in x_columns} for column in z_columns):
        x_columns, z_columns = split_given(x_columns, [column.name for column in z_columns])
    x_columns, times = split_order(x_columns, order)
    if tabular:
        x_columns = typed_columns([trimmed(c) for c in x_columns], numbers_as_text=as_text)
        z_columns = typed_columns(z_columns)
    return RoleColumns(
        x=x_columns,
        y=[Column("samples", "group", "categorical", labels)],
        blocks=block_columns,
        order=times,
        given=z_columns,
        declared=declared,
        keep=declared_names(reading.keep, tables[0], argument="keep"),
        ruled=tabular,
        dates=reading.dates,
        weights=split_weights([], reading.weights)[1],
        weights_kind=reading.weights_kind,
    )


def _without_blocks(tables: list[list[Column]], blocks: Any) -> tuple[list[list[Column]], list[Column]]:
    """Read the blocks of all rows, and leave the columns that they name, if they name some, out of the tables."""
    names = block_names(blocks, tables[0])
    if not names:
        return tables, split_blocks([], blocks)[1]
    split = [split_blocks(table, names) for table in tables]
    each = zip(*(columns for _, columns in split), strict=True)
    return [rest for rest, _ in split], [joined(parts) for parts in each]


def _matched(samples: Mapping[Any, Any], tabular: bool, reading: ReadingRules) -> list[list[Column]]:
    """Read two or more samples, with the columns of the first in its order."""
    names = [str(name) for name in samples]
    if len(names) < 2:
        remedy = "pass two or more, or one table with groups= a column"
        raise InputError(f": {len(names)} given", argument="samples", remedy=remedy)
    if len(set(names)) < len(names):
        finding = f": two groups have the same name in {listed(names)}"
        raise InputError(finding, argument="samples", remedy="rename one")
    tables = [
        columns_of(f"sample {name!r}", part, strict=not tabular, na=reading.na)
        for name, part in zip(names, samples.values(), strict=True)
    ]
    # series such as t["before"] and t["after"] are one variable, whatever their names
    flat = all(len(getattr(part, "shape", (0,))) == 1 for part in samples.values())
    if flat and all(len(table) == 1 for table in tables) and len({table[0].name for table in tables}) > 1:
        tables = [[replace(table[0], name="x1")] for table in tables]
    first = [c.name for c in tables[0]]
    return [in_order_of(table, first, "the first sample") for table in tables]


def in_order_of(columns: Sequence[Column], names: Sequence[str], other: str) -> list[Column]:
    """Return columns in the order of names that another table has; both must have the same."""
    have = {c.name: c for c in columns}
    if set(have) != set(names):
        counts, odd = f"{len(have)} and {len(names)} columns", sorted(set(have) ^ set(names))
        finding = f"and {other} have {counts}, {listed(odd)} not in both"
        raise InputError(finding, argument=columns[0].argument, remedy="give both the same")
    return [have[name] for name in names]


def joined(parts: Sequence[Column], declared: Collection[str] = ()) -> Column:
    """One column from one of each sample; what is all missing in a sample takes the kind it has elsewhere."""
    name = parts[0].name
    kinds = {c.kind: c.argument for c in parts if not c.missing.all()}
    if len(kinds) > 1 and name in declared and "other" not in kinds:
        kinds, parts = {"categorical": "x"}, [replace(c, fault=None).labelled for c in parts]
    if len(kinds) > 1 and not kinds.keys() <= {"numeric", "boolean"}:
        each = ", ".join(f"{kind} in {argument}" for kind, argument in kinds.items())
        remedy = Message("convert it, or pass ", Argument("categorical", [name]))
        raise InputError(f": column {name!r} is {each}", argument="samples", remedy=remedy)
    kind = next(iter(kinds)) if len(kinds) == 1 else "numeric"
    if kind in ("text", "categorical") or any(c.kind == "categorical" for c in parts):
        text = kind == "text" and all(c.kind == "text" or c.missing.all() for c in parts)
        kind, parts = "text" if text else "categorical", [c.labelled for c in parts]
    fault = next((c.fault for c in parts if c.fault is not None), None)
    orders = {(c.order, c.ordered) for c in parts}
    order, ordered = orders.pop() if len(orders) == 1 and kind == "categorical" else ((), False)
    return Column("x", name, kind, np.concatenate([c.values for c in parts]), fault, order, ordered)


def read_independence(
    x: Any,
    y: Any,
    *,
    categorical: Declared = (),
    keep: Declared = (),
    na: Any = (),
    y_kind: str = "auto",
    missing_y: str = "auto",
    blocks: Any = None,
    given: Any = None,
    order: Any = None,
    permutations: Any = None,
    once: bool = True,
    takes_blocks: bool = True,
    dates: str = "auto",
    weights: Any = None,
    weights_kind: str = "auto",
) -> Sample:
    """Check x and y and pair their rows; y may name one or more columns of the table x, x may be a formula of y.

    `categorical` names columns of x (or y) to be read as categories; a whole number is a position in x unless
    a column bears it as its name. `blocks` has a label for each row, or names the column of x that does, or there
    are several of either, the outermost first; `given` has columns with as many rows, or names columns of x. Tables go
    by the rules of `kmerf.reading.rulings`, where `keep` names columns to be used in any case; arrays and lists are
    used as they are. Rows are paired by their labels where both have an index, else by position. With `once`, rows that
    are copies of others are left out (`kmerf.reading.copied_rows`). `takes_blocks`: whether to recommend blocks where
    rows seem to belong together. A `Sample` in place of x was read before, by the shell, and is returned as it is.

    >>> s = read_independence([[1.0, 5], [2.5, 4], [3.0, None], [4.5, 2]], ["b", "a", "b", "a"])
    >>> s.y.labels, s.y.codes.tolist(), s.x.missing
    (('a', 'b'), [1, 0, 1, 0], (0, 1))
    """
    if isinstance(x, Sample):
        return with_permutations(x, permutations)
    choose("y_kind", y_kind, ("auto", "numeric", "categorical", "censored"))
    choose("missing_y", missing_y, ("auto", "drop", "raise"))
    choose("dates", dates, DATES)
    marks = read_marks(na)
    rules = ReadingRules(categorical, keep, marks, y_kind, missing_y, takes_blocks, dates, weights, weights_kind)
    return _permuted(decide(paired("y", x, y, rules, blocks, given, order)), permutations, y_kind, once)


def read_ksample(
    *samples: Any,
    groups: Any = None,
    categorical: Declared = (),
    keep: Declared = (),
    na: Any = (),
    missing_y: str = "auto",
    blocks: Any = None,
    given: Any = None,
    order: Any = None,
    permutations: Any = None,
    once: bool = True,
    takes_blocks: bool = True,
    dates: str = "auto",
    weights: Any = None,
    weights_kind: str = "auto",
) -> Sample:
    """Check and stack samples (several, or one dict of them), or one table with `groups`: a column or labels.

    `blocks` has a label for each row, the samples one below the other, or names the column that does; `given` likewise.
    With `once`, rows that are copies of others are left out (`kmerf.reading.copied_rows`). `takes_blocks` is as in
    `read_independence`. A `Sample` is returned as it is.

    >>> s = read_ksample([1.0, 2.0], [3.0, 4.0, 5.0])
    >>> s.x.values[:, 0].tolist(), s.y.codes.tolist(), s.y.labels
    ([1.0, 2.0, 3.0, 4.0, 5.0], [0, 0, 1, 1, 1], ('1', '2'))
    """
    if len(samples) == 1 and isinstance(samples[0], Sample):
        return with_permutations(samples[0], permutations)
    choose("missing_y", missing_y, ("auto", "drop", "raise"))
    choose("dates", dates, DATES)
    marks = read_marks(na)
    reading = ReadingRules(
        categorical, keep, marks, "categorical", missing_y, takes_blocks, dates, weights, weights_kind
    )
    passed = samples[0] if len(samples) == 1 else dict(enumerate(samples, 1))
    if groups is None:
        roles = stacked(passed if isinstance(passed, Mapping) else {1: passed}, reading, blocks, given, order)
    elif isinstance(passed, Mapping) and not isinstance(groups, str):
        finding = f"was given with {len(passed)} samples"
        raise InputError(finding, argument="groups", remedy="pass one table with groups, or samples")
    else:
        roles = paired("groups", passed, groups, reading, blocks, given, order)
    return _permuted(decide(roles), permutations, "auto", once)


def _permuted(decision: Decision, permutations: Any, y_kind: str, once: bool) -> Sample:
    """Return the sample; with permutations of the user, which are of all rows, no copied row is left out."""
    if permutations is not None and decision.roles.weights is not None:
        finding = Message("was passed together with ", Argument("weights"), ", which change how many rows there are")
        raise InputError(finding, argument="permutations", remedy="leave one out")
    if permutations is not None:  # which say what rows resemble each other
        decision = replace(decision, order_notes=[])
    return with_permutations(decision.sample(y_kind, once=once and permutations is None), permutations)


def with_permutations(sample: Sample, permutations: Any) -> Sample:
    """Return the sample with the row orders of the user, if there are any, checked."""
    if permutations is None:
        return sample
    for argument, present in {"order": sample.times, "blocks": sample.blocks, "given": sample.z}.items():
        if present is not None:
            finding = Message(
                "was passed together with ", Argument(argument), ", which already defines how rows are permuted"
            )
            raise InputError(finding, argument="permutations", remedy="leave one out")
    if sample.dropped:
        rows = f"is of all rows, and {sample.dropped} rows have no y"
        raise InputError(rows, argument="permutations", remedy="leave such rows out of x, y and permutations")
    return replace(sample, permutations=read_permutations(permutations, sample.n))


def read_columns(
    table: Any, *, categorical: Declared = (), keep: Declared = (), na: Any = (), dates: str = "auto"
) -> Sample:
    """Check a table of which no column is y; they are all x (`Decision.without_y`). A `Sample` is returned as it is.

    >>> read_columns({"age": [31, 45, 27, 61], "sex": ["f", "m", "m", "f"]}).x.names
    ('age', 'sex')
    """
    if isinstance(table, Sample):
        return table
    choose("dates", dates, DATES)
    tabular = is_table(table)
    columns = [trimmed(c) for c in columns_of("table", table, strict=False, na=read_marks(na))]
    declared = declared_names(categorical, columns)
    ruled = tabular or any(c.kind == "text" for c in columns)
    columns = typed_columns(columns, numbers_as_text=not tabular) if ruled else columns
    roles = RoleColumns(
        x=columns,
        y=[],
        declared=declared,
        keep=declared_names(keep, columns, argument="keep"),
        ruled=ruled,
        dates=dates,
    )
    return decide(roles).without_y()


def read_features(
    x: Any, *, categorical: Declared = (), argument: str = "x", text_is_categories: bool = False
) -> Features:
    """Check x alone. Text that is not declared is refused, or with `text_is_categories` read as categories.

    >>> f = read_features([[1, "b"], [2, "a"], [3, None]], categorical="x2")
    >>> f.values.tolist(), f.column_of.tolist(), f.categories
    ([[1.0, 0.0, 1.0], [2.0, 1.0, 0.0], [3.0, nan, nan]], [0, 1, 1], ((), ('a', 'b')))
    """
    columns = read(argument, x, strict=not text_is_categories)
    declared = declared_names(categorical, columns)
    if text_is_categories:
        rulings = judge([typed(column) for column in columns], {column.name for column in columns}, declared)
        dated = [c for c in columns if c.kind == "date" and c.name not in declared]
        errors = [*refuse(rulings), *(c.error("holds dates", "turn them into numbers, or leave it out") for c in dated)]
        if errors:
            raise InputError.together(errors)
        return build_features([ruling.column for ruling in rulings if ruling.use])
    return build_features(usable(columns, declared))


def read_like(x: Any, like: Features, *, argument: str = "x", unknown: str = "error") -> Features:
    """Check x, and give it the columns and categories of features read before.

    A category that was not there before is an error, or with `unknown="missing"` a missing value.

    >>> f = read_features([[1, "b"], [2, "a"]], categorical="x2")
    >>> read_like([[4, "b"]], f).values.tolist()
    [[4.0, 0.0, 1.0]]
    >>> read_like([[4, "c"]], f, unknown="missing").values.tolist()
    [[4.0, nan, nan]]
    """
    before = dict(zip(like.names, like.kinds, strict=True))
    columns = in_order_of(read(argument, x, strict=False), like.names, "the rows read before")
    numbers = [typed(c) if before[c.name] == "numeric" and c.kind == "text" else c for c in columns]
    columns = [t if t.kind == "numeric" else c for c, t in zip(columns, numbers, strict=True)]
    raise_faults(columns)
    columns = [column.labelled if before[column.name] == "categorical" else column for column in columns]
    for column in columns:
        was = before[column.name]
        if was != "categorical" and column.kind in ("categorical", "text"):
            raise column.error(f"is {column.kind}, but was {was} before", "convert it to numbers")
    if unknown == "missing":
        columns = [known_only(column, levels) for column, levels in zip(columns, like.categories, strict=True)]
    return build_features(columns, like.categories)
