"""The one door through which data come in: what makes a valid `Sample`, checked once and trusted below.

x and y, samples side by side, or one table with groups all become the same pair of features and a response
(`kmerf.data.sample_values`). The arrays that leave are read-only copies.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence, Sized
from dataclasses import replace
from typing import Any, Literal, NamedTuple, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from kmerf.core.arrays import read_only
from kmerf.core.errors import Argument, InputError, Message, choose
from kmerf.data import row_order, table_rules
from kmerf.data.containers import (
    MOST_CLASSES,
    Coded,
    Column,
    as_numbers,
    as_text,
    encode,
    expand,
    find,
    is_table,
    labelled,
    listed,
    raise_faults,
    read,
    width,
)
from kmerf.data.formula import is_formula, read_formula
from kmerf.data.index_labels import align, aligned_columns
from kmerf.data.sample_values import FEWEST_ROWS, Features, Kind, Response, Sample
from kmerf.data.spread_levels import FEW_LEVELS, MOST_CELLS
from kmerf.data.table_rules import code_notes, lost_groups, same_values

Declared: TypeAlias = str | int | Iterable[str | int]

FEW_CODES = 10  # a whole-number y with no more values than this may hold class codes


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
) -> Sample:
    """Check x and y and pair their rows; y may name one or more columns of the table x, x may be a formula of y.

    `categorical` names columns of x (or y) to be read as categories; a whole number is a position in x unless
    a column bears it as its name. `blocks` has a label for each row, or names the column of x that does; `given` has
    columns with as many rows, or names columns of x. Tables go by the rules of `kmerf.data.table_rules`, where `keep`
    names columns to be used in any case; arrays and lists are used as they are. Rows are paired by their labels where
    both have an index, else by position.

    >>> s = read_independence([[1.0, 5], [2.5, 4], [3.0, None], [4.5, 2]], ["b", "a", "b", "a"])
    >>> s.y.labels, s.y.codes.tolist(), s.x.missing
    (('a', 'b'), [1, 0, 1, 0], (0, 1))
    """
    choose("y_kind", y_kind, ("auto", "numeric", "categorical"))
    choose("missing_y", missing_y, ("auto", "drop", "raise"))
    rules = ReadingRules(categorical, keep, read_marks(na), y_kind, missing_y)
    return _sample(_paired("y", x, y, rules, blocks, given))


def read_ksample(
    *samples: Any,
    groups: Any = None,
    categorical: Declared = (),
    keep: Declared = (),
    na: Any = (),
    missing_y: str = "auto",
    blocks: Any = None,
    given: Any = None,
) -> Sample:
    """Check and stack samples (several, or one dict of them), or one table with `groups`: a column or labels.

    `blocks` has a label for each row, the samples one below the other, or names the column that does; `given` likewise.

    >>> s = read_ksample([1.0, 2.0], [3.0, 4.0, 5.0])
    >>> s.x.values[:, 0].tolist(), s.y.codes.tolist(), s.y.labels
    ([1.0, 2.0, 3.0, 4.0, 5.0], [0, 0, 1, 1, 1], ('1', '2'))
    """
    choose("missing_y", missing_y, ("auto", "drop", "raise"))
    reading = ReadingRules(categorical, keep, read_marks(na), "categorical", missing_y)
    passed = samples[0] if len(samples) == 1 else dict(enumerate(samples, 1))
    if groups is None:
        parts = passed if isinstance(passed, Mapping) else {1: passed}
        return _sample(_stacked(parts, reading, blocks, given))
    if isinstance(passed, Mapping) and not isinstance(groups, str):
        finding = f"was given with {len(passed)} samples"
        raise InputError(finding, argument="groups", remedy="pass one table with groups, or samples")
    return _sample(_paired("groups", passed, groups, reading, blocks, given))


def read_features(x: Any, *, categorical: Declared = (), argument: str = "x", like: Features | None = None) -> Features:
    """Check x alone; with `like`, give it the columns and categories of features read before.

    >>> f = read_features([[1, "b"], [2, "a"], [3, None]], categorical="x2")
    >>> f.values.tolist(), f.column_of.tolist(), f.categories
    ([[1.0, 0.0, 1.0], [2.0, 1.0, 0.0], [3.0, nan, nan]], [0, 1, 1], ((), ('a', 'b')))
    >>> read_features([[4, "b"]], like=f).values.tolist()
    [[4.0, 0.0, 1.0]]
    """
    columns = read(argument, x)
    declared = _declared(categorical, columns)
    if like is None:
        return _features(_usable(columns, declared))
    before = dict(zip(like.names, like.kinds, strict=True))
    declared |= {name for name, kind in before.items() if kind == "categorical"}
    columns = _usable(_ordered(columns, like.names, "the x read before"), declared)
    for column in columns:
        was = before[column.name]
        if column.kind == "categorical" and was != "categorical":
            raise column.error(f"is categorical, but was {was} before", "convert it to numbers")
    return _features(columns, like.categories)


class ReadingRules(NamedTuple):
    """What the user says about how to read the data."""

    categorical: Declared
    keep: Declared
    na: dict[str, list[object]]
    y_kind: str
    missing_y: str


class _Parts(NamedTuple):
    """The columns of x and of y, and the blocks; whether rows without y are dropped; what was decided."""

    x: list[Column]
    y: list[Column]
    block: Column | None
    drop: bool
    notes: list[str]
    given: list[Column]  # empty if nothing is
    tabular: bool = False


def read_marks(na: Any) -> dict[str, list[object]]:
    """Return the values that mean missing, those for all columns under "".

    >>> read_marks("?"), read_marks({"age": [999, -9]})
    ({'': ['?']}, {'age': [999, -9]})
    """
    if isinstance(na, Mapping):
        return {str(name): _several(codes) for name, codes in na.items()}
    codes = _several(na)
    return {"": codes} if codes else {}


def _several(value: Any) -> list[Any]:
    return list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]


def _paired(argument: Literal["y", "groups"], x: Any, y: Any, reading: ReadingRules, blocks: Any, given: Any) -> _Parts:
    """Read x and what it is tested against, which may be columns of x; say all that is wrong at once."""
    notes: list[str] = []
    tabular = is_table(x) or is_formula(x)
    unused: list[str] = []
    if is_formula(x):
        x, y, unused, reading = _by_formula(x, y, reading)
    x = aligned_columns(x)
    table = read("x", x, strict=not tabular, na=reading.na)
    table = [table_rules.trimmed(c) for c in table] if tabular else table
    blocks = align(x, blocks, "blocks")[0] if not isinstance(blocks, str) else blocks
    table, block = _split_blocks(table, blocks)
    table = [c for c in table if c.name not in unused]
    if not table:
        raise InputError("is empty", argument="x", remedy=Message("it has no columns besides ", Argument("blocks")))
    table, z_columns = _split_given(table, given)
    named = _naming(y, table)
    if named:
        y_columns = [replace(find(argument, key, table), argument=argument) for key in named]
        raise_faults(y_columns)
        inside = {c.name for c in y_columns}
    else:
        y, moved = align(x, y, argument)
        notes += [f"The rows of {argument} were put in the order of the index of x."] if moved else []
        y_columns, inside = read(argument, y, argument.removesuffix("s"), na=reading.na), set()
        y_columns = [table_rules.trimmed(c) for c in y_columns] if is_table(y) else y_columns
    if argument == "groups" and len(y_columns) > 1:
        raise InputError(f"has {len(y_columns)} columns", argument="groups", remedy="pass one label a row")
    declared = _declared(reading.categorical, table, (*y_columns, *z_columns))
    kept = _declared(reading.keep, table, argument="keep")
    x_columns = [c for c in table if c.name not in inside]
    y_declared = declared - {c.name for c in x_columns}  # a name that both have is x's
    raw = y_columns
    y_columns = [labelled(c) if c.name in y_declared else c for c in raw]
    y_columns = [_y_column(c, reading.y_kind, alone=len(raw) == 1) for c in y_columns]
    if len(raw) == 1 and raw[0].kind == "numeric" and not y_declared and reading.y_kind == "auto":
        notes += _two_values_note(y_columns[0])
    drop = reading.missing_y == "drop" or (reading.missing_y == "auto" and (tabular or is_table(y)))
    if not tabular:
        return _Parts(_usable(x_columns, declared), y_columns, block, drop, notes, _usable(z_columns, declared))
    x_columns, told = _judged(x_columns, kept, declared, raw)
    if z_columns:  # each was named, so each is used
        z_columns, more = _judged(z_columns, {c.name for c in z_columns}, declared, [])
        told += more
    if block is None:
        told += _order_notes([c for c in table if c.name not in inside], raw)
    told += code_notes([*x_columns, *y_columns])
    return _Parts(x_columns, y_columns, block, drop, [*notes, *told], z_columns, True)


def _by_formula(formula: str, table: Any, reading: ReadingRules) -> tuple[Any, list[str], list[str], ReadingRules]:
    """Return the table of a formula, the names of y, the columns that it leaves out, and what to keep."""
    if not is_table(table):
        raise InputError(f"x is the formula {formula!r}: pass the table whose columns it names as y.")
    columns = read("y", table, strict=False)
    chosen = read_formula(formula, [c.name for c in columns])
    out = [c.name for c in columns if c.name not in (*chosen.x, *chosen.y)]
    keep = [*_several(reading.keep), *chosen.named]
    return table, list(chosen.y), out, reading._replace(keep=keep)


def _judged(
    columns: Sequence[Column], kept: set[str], declared: set[str], y: Sequence[Column]
) -> tuple[list[Column], list[str]]:
    """Decide what becomes of the columns of x; raise all that the user has to decide."""
    rulings = table_rules.judge(columns, kept, declared)
    errors = table_rules.refuse(rulings)
    errors += [
        c.error("is y itself, the same in every row", "leave it out of x, or name y as a column of the table")
        for c in columns
        if c.name not in kept and any(same_values(c, each) for each in y)
    ]
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


def _order_notes(columns: Sequence[Column], y: Sequence[Column]) -> list[str]:
    """Say where rows look ordered in time or repeated per subject."""
    if not columns or y[0].n != columns[0].n:
        return []
    rows = ~np.any([c.missing for c in y], axis=0)
    rulings = table_rules.judge(columns)
    known = [
        replace(ruling.column, values=ruling.column.values[rows])
        for ruling in rulings
        if ruling.column.kind not in ("date", "other") and ruling.remark not in table_rules.COUNTING
    ]
    codes = {c.name: column_codes(c) for c in known}
    labels = [c.name for c in known if c.kind in ("text", "categorical")]
    sizes = {name: len(np.unique(values)) for name, values in codes.items()}
    told: list[str] = [row_order.repeated_note(n, sizes[n], int(rows.sum())) for n in row_order.subjects(codes, labels)]
    if len(y) == 1 and y[0].kind not in ("date", "other"):
        lag = row_order.serial(column_codes(replace(y[0], values=y[0].values[rows])), codes.items())
        told += [] if lag is None else [row_order.serial_note(y[0].name, lag)]
    return told


def column_codes(column: Column) -> NDArray[np.float64]:
    """Return numbers as they are, and of labels the place among the different ones, 0 where one is missing."""
    if column.values.dtype.kind == "f":
        return column.values
    codes, _ = encode(labelled(column), tuple(sorted(table_rules.distinct_labels(column))), most=column.n)
    return np.asarray(codes, dtype=np.float64) + 1.0


def _two_values_note(y: Column) -> list[str]:
    if y.kind != "categorical":
        return []
    first, second = sorted(set(y.values) - {None})
    reading = f"y has two values, {first} and {second}, and is read as classes; pass "
    return [Message(reading, Argument("y_kind", "numeric"), " to read it as numbers.")]


def _split_blocks(table: list[Column], blocks: Any) -> tuple[list[Column], Column | None]:
    """Read the blocks, and leave the column that they name, if they name one, out of the table."""
    if blocks is None:
        return table, None
    if isinstance(blocks, str):
        block = find("blocks", blocks, table)
        return [c for c in table if c is not block], labelled(replace(block, argument="blocks"))
    columns = read("blocks", blocks, "block")
    if len(columns) > 1:
        raise InputError(f"has {len(columns)} columns", argument="blocks", remedy="pass one label a row")
    return table, labelled(columns[0])


def _split_given(table: list[Column], given: Any) -> tuple[list[Column], list[Column]]:
    """Read what is given, and leave the columns that it names, if it names some, out of the table."""
    if given is None:
        return table, []
    named = _naming(given, table)
    if not named:
        return table, read("given", given, "z")
    chosen = [find("given", key, table) for key in named]
    inside = {column.name for column in chosen}
    rest = [column for column in table if column.name not in inside]
    if not rest:
        finding = Message("names every column of ", Argument("x"))
        raise InputError(finding, argument="given", remedy="leave one or more to be tested")
    return rest, [replace(column, argument="given") for column in chosen]


def _naming(y: Any, columns: Sequence[Column]) -> list[Any]:
    """Tell which columns of x y names, if any; what does not name columns is data, one entry a row.

    A list of text may be either, and of numbers too if numbers name the columns. So two signs of three decide: it is
    text or a single value, there is not one a row, there are such columns.
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


def _declared(
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
        declared.add(find(argument, entry, list(columns.values())).name)
    return declared


def _usable(columns: Sequence[Column], declared: Collection[str]) -> list[Column]:
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


def _y_column(column: Column, y_kind: str, *, alone: bool) -> Column:
    """Read one column of y as numbers or as classes; beside others, true/false stays one 0/1 column."""
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
    classes = column.kind == "text" or (alone and y_kind == "auto" and _has_two_values(column))
    return labelled(column) if classes or y_kind == "categorical" else column


def _has_two_values(column: Column) -> bool:
    """Tell whether a column of numbers or of true/false is best read as classes."""
    if column.kind != "numeric":
        return column.kind == "boolean"
    present = column.values[~column.missing]
    return present.size > 0 and bool((np.abs(present) < 2**53).all()) and np.unique(present).size == 2


def _stacked(samples: Mapping[Any, Any], reading: ReadingRules, blocks: Any, given: Any) -> _Parts:
    """Read samples, one below the other, and the group of each row."""
    names = [str(name) for name in samples]
    if len(names) < 2:
        remedy = "pass two or more, or one table with groups= a column"
        raise InputError(f": {len(names)} given", argument="samples", remedy=remedy)
    if len(set(names)) < len(names):
        finding = f": two groups have the same name in {listed(names)}"
        raise InputError(finding, argument="samples", remedy="rename one")
    tabular = all(is_table(part) for part in samples.values())
    tables = [
        read(f"sample {name!r}", part, strict=not tabular, na=reading.na)
        for name, part in zip(names, samples.values(), strict=True)
    ]
    # series such as t["before"] and t["after"] are one variable, whatever their names
    flat = all(len(getattr(part, "shape", (0,))) == 1 for part in samples.values())
    if flat and all(len(table) == 1 for table in tables) and len({table[0].name for table in tables}) > 1:
        tables = [[replace(table[0], name="x1")] for table in tables]
    first = [c.name for c in tables[0]]
    tables = [_ordered(table, first, "the first sample") for table in tables]
    if isinstance(blocks, str):
        block: Column | None = _joined([labelled(find("blocks", blocks, table)) for table in tables])
        tables = [[c for c in table if c.name != blocks] for table in tables]
    else:
        block = _split_blocks([], blocks)[1]
    if not tables[0]:
        raise InputError(Message(": they have no columns besides ", Argument("blocks")), argument="samples")
    _, z_columns = _split_given(tables[0], given)
    declared = _declared(reading.categorical, tables[0], z_columns)
    kept = _declared(reading.keep, tables[0], argument="keep")
    tables = tables if tabular else [_usable(table, declared) for table in tables]
    labels = np.repeat(np.array(names, dtype=object), [table[0].n for table in tables])
    x_columns, told = [_joined(parts) for parts in zip(*tables, strict=True)], list[str]()
    if z_columns and all(column.name in {c.name for c in x_columns} for column in z_columns):
        x_columns, z_columns = _split_given(x_columns, [column.name for column in z_columns])
    if tabular:
        x_columns, told = _judged([table_rules.trimmed(c) for c in x_columns], kept, declared, [])
        told += code_notes(x_columns)
        if z_columns:
            z_columns, more = _judged(z_columns, {c.name for c in z_columns}, declared, [])
            told += more
    else:
        z_columns = _usable(z_columns, declared)
    group = Column("samples", "group", "categorical", labels)
    return _Parts(x_columns, [group], block, reading.missing_y == "drop", told, z_columns)


def _ordered(columns: Sequence[Column], names: Sequence[str], other: str) -> list[Column]:
    have = {c.name: c for c in columns}
    if set(have) != set(names):
        counts, odd = f"{len(have)} and {len(names)} columns", sorted(set(have) ^ set(names))
        finding = f"and {other} have {counts}, {listed(odd)} not in both"
        raise InputError(finding, argument=columns[0].argument, remedy="give both the same")
    return [have[name] for name in names]


def _joined(parts: Sequence[Column]) -> Column:
    """One column from one of each sample; what is all missing in a sample takes the kind it has elsewhere."""
    name = parts[0].name
    kinds = {c.kind: c.argument for c in parts if not c.missing.all()}
    if "categorical" in kinds and len(kinds) > 1:
        each = ", ".join(f"{kind} in {argument}" for kind, argument in kinds.items())
        remedy = Message("convert it, or pass ", Argument("categorical", [name]))
        raise InputError(f": column {name!r} is {each}", argument="samples", remedy=remedy)
    kind = next(iter(kinds)) if len(kinds) == 1 else "numeric"
    if kind in ("text", "categorical") or any(c.kind == "categorical" for c in parts):
        text = kind == "text" and all(c.kind == "text" or c.missing.all() for c in parts)
        kind, parts = "text" if text else "categorical", [labelled(c) for c in parts]
    fault = next((c.fault for c in parts if c.fault is not None), None)
    return Column("x", name, kind, np.concatenate([c.values for c in parts]), fault)


def _sample(parts: _Parts) -> Sample:
    """Pair the rows, drop those without y if allowed, and check that a test is possible."""
    x, y, z = parts.x, parts.y, parts.given
    argument = y[0].argument
    if not x:
        raise InputError("is empty", argument="x", remedy=Message("it has no columns besides ", Argument(argument)))
    if x[0].n != y[0].n:
        sizes = Message(f"has {x[0].n} rows but ", Argument(argument), f" has {y[0].n}")
        raise InputError(sizes, argument="x", remedy="pass one a row")
    if z and z[0].n != x[0].n:
        sizes = Message(f"has {z[0].n} rows but ", Argument("x"), f" has {x[0].n}")
        raise InputError(sizes, argument="given", remedy="pass one a row")
    lost = np.any([c.missing for c in y], axis=0)
    blocks = None if parts.block is None else _block_codes(parts.block, x[0].n)[~lost]
    dropped, notes = int(lost.sum()), []
    if dropped:
        rows, were = ("1 row", "was") if dropped == 1 else (f"{dropped} rows", "were")
        if not parts.drop:
            remedy = Message("fill in, or pass ", Argument("missing_y", "drop"), " to drop them")
            raise InputError(f"is missing in {rows}", argument=argument, remedy=remedy)
        gone = lost_groups(x, lost)
        x, y, z = ([replace(c, values=c.values[~lost]) for c in columns] for columns in (x, y, z))
        notes.append(f"{rows} with a missing {argument.removesuffix('s')} {were} dropped{gone}.")
    if x[0].n < FEWEST_ROWS:
        finding = f"has only {x[0].n} usable rows ({dropped} dropped for a missing {argument.removesuffix('s')})"
        raise InputError(finding, argument="x", remedy=f"a test needs at least {FEWEST_ROWS}")
    if not any(c.varies for c in x):
        finding = "is constant in every column, so nothing can depend on it"
        raise InputError(finding, argument="x", remedy="pass one that varies")
    if z and not any(c.varies for c in z):
        finding = "is constant in every column, so it explains nothing"
        raise InputError(finding, argument="given", remedy="leave it out")
    response = _response(y, argument)
    told = (*notes, *parts.notes, *_code_notes(response))
    features = _features(z) if z else None
    return Sample(_features(x), response, dropped, told, blocks, features, parts.tabular)


def _block_codes(block: Column, n: int) -> NDArray[np.int64]:
    """Number the blocks."""
    if block.n != n:
        raise InputError(f"has {block.n} rows but x has {n}", argument="blocks", remedy="pass one label a row")
    if block.missing.any():
        finding = f"is missing in {block.missing.sum()} rows"
        raise InputError(finding, argument="blocks", remedy="give every row a block")
    codes: NDArray[np.int64] = np.unique(block.values.astype(str), return_inverse=True)[1].reshape(-1)
    return codes


def _code_notes(y: Response) -> list[str]:
    """Tell of a numeric y that looks like class codes."""
    if y.kind == "categorical" or y.q > 1:
        return []
    values = np.unique(y.values)
    if not 2 < len(values) <= FEW_CODES or np.any(values != np.round(values)):
        return []
    reading = f"y has {len(values)} distinct whole numbers and is read as numeric; pass "
    return [Message(reading, Argument("y_kind", "categorical"), " if they are class codes.")]


def _features(columns: Sequence[Column], known: Iterable[tuple[str, ...] | None] | None = None) -> Features:
    """Expand x, with the categories that are known from before if any are."""
    levels = [None] * len(columns) if known is None else known
    coded = [encode(column, level) for column, level in zip(columns, levels, strict=True)]
    return Features(
        values=read_only(_expanded(columns, coded, FEW_LEVELS)),
        names=tuple(c.name for c in columns),
        kinds=tuple(cast("Kind", c.kind) for c in columns),  # none is text: _usable or _judged saw to that
        column_of=read_only(np.repeat(np.arange(len(coded), dtype=np.int64), [width(c, FEW_LEVELS) for c in coded])),
        missing=tuple(int(c.missing.sum()) for c in columns),
        categories=tuple(labels for _, labels in coded),
    )


def _expanded(columns: Sequence[Column], coded: Sequence[Coded], most: int) -> NDArray[np.float64]:
    """Put all columns side by side, each written once, as with a million rows there is no room for copies."""
    n, widths = columns[0].n, [width(c, most) for c in coded]
    spread = sum(cells for cells, (_, levels) in zip(widths, coded, strict=True) if levels)
    if n * spread > MOST_CELLS:
        size = f"{spread} categories in {n} rows are {8e-9 * n * spread:.0f} GB of numbers"
        remedy = "merge rare categories, or leave out such columns"
        raise InputError(f": {size}", argument=columns[0].argument, remedy=remedy)
    ends = np.cumsum(widths)
    out = np.empty((n, ends[-1]))
    for column, each, end, cells in zip(columns, coded, ends, widths, strict=True):
        expand(column, each, out[:, end - cells : end])
    return out


def _response(columns: Sequence[Column], argument: str) -> Response:
    """Expand y, or the groups, and check that there is something to tell apart."""
    if not any(c.varies for c in columns):
        wrong = "is constant" if argument == "y" else ": there is only one group"
        finding = f"{wrong}, {columns[0].values[0]!s} in every row"
        raise InputError(finding, argument=argument, remedy="a test needs at least two values")
    parts = [encode(c, most=MOST_CLASSES) for c in columns]
    for column, (codes, labels) in zip(columns, parts, strict=True):
        sizes = np.array([2]) if codes is None else np.bincount(codes)
        if argument == "y" and sizes.max() < 2:
            raise column.error("has another class in every row", "pass numbers, or classes that repeat")
        if argument != "y" and sizes.min() < 2:
            label = labels[int(sizes.argmin())]
            finding = f": group {label!r} has one row"
            raise InputError(finding, argument=argument, remedy="give it two or more, or leave it out")
    values = read_only(_expanded(columns, parts, MOST_CLASSES))
    _check_size(values)
    names = tuple(c.name for c in columns)
    codes, labels = parts[0]
    if codes is not None and len(parts) == 1:
        return Response(values, names, "categorical", read_only(codes), labels)
    return Response(values, names, "numeric", None, ())


def _check_size(y: NDArray[np.float64]) -> None:
    """Refuse a y whose squares would overflow, or vanish."""
    middle = y.mean(axis=0)
    size = float(np.abs(y - middle).max()) if np.isfinite(middle).all() else np.inf
    if not 1e-140 < size < 1e140:
        finding = f"varies by about {size:.0e}, too much or too little to be squared"
        raise InputError(finding, argument="y", remedy="change its unit")
