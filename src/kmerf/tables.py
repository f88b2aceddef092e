"""The one door through which data come in: arrays, lists and dataframes become one validated `Sample`.

Every container is first split into named 1-D columns; a column is then numbers, true/false, categories or
undeclared text, and from there on nothing depends on where it came from. Categories are one-hot encoded in
sorted order, NaN is the one mark of a missing cell, and the arrays that leave are read-only copies.
Dataframes go through narwhals, which is imported only when one arrives.
"""

from __future__ import annotations

import datetime
import decimal
import difflib
import math
import numbers
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NoReturn, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from kmerf.errors import InputError, choose

Kind = Literal["numeric", "boolean", "categorical"]
Declared: TypeAlias = str | int | Iterable[str | int]

FEWEST_ROWS = 4  # the unbiased statistic divides by n (n - 3)
MOST_CATEGORIES = 1000  # one-hot columns that a single original column may become
FEW_CODES = 10  # a whole-number y with no more values than this may hold class codes


@dataclass(frozen=True, eq=False)
class Features:
    """The columns of x: numbers, with each categorical column spread over its one-hot columns."""

    values: NDArray[np.float64]  # (n, expanded columns), NaN = missing
    names: tuple[str, ...]  # original columns
    kinds: tuple[Kind, ...]
    column_of: NDArray[np.int64]  # expanded column -> its original column
    missing: tuple[int, ...]  # missing cells per original column
    categories: tuple[tuple[str, ...], ...] = ()  # per original column, in one-hot order; () if not categorical

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.values)

    @property
    def p(self) -> int:
        """Number of original columns."""
        return len(self.names)


@dataclass(frozen=True, eq=False)
class Response:
    """What x is tested against: a numeric matrix, or one column of classes, one-hot."""

    values: NDArray[np.float64]  # (n, q)
    names: tuple[str, ...]
    kind: Literal["numeric", "categorical"]
    codes: NDArray[np.int64] | None  # class of each row, if categorical
    labels: tuple[str, ...]  # of the classes, in the order of the codes

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.values)

    @property
    def q(self) -> int:
        """Number of columns of `values`."""
        return int(self.values.shape[1])


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows of x and y that belong together, checked."""

    x: Features
    y: Response
    dropped: int  # rows dropped for a missing y
    notes: tuple[str, ...]  # what the user should know

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.x.n


def read_independence(
    x: Any, y: Any, *, categorical: Declared = (), y_kind: str = "auto", missing_y: str = "raise"
) -> Sample:
    """Check x and y and pair their rows by position; y may name one or more columns of the table x.

    `categorical` names columns of x (or y) to be read as categories; a whole number is a position in x unless
    a column bears it as its name.

    >>> s = read_independence([[1.0, 5], [2.5, 4], [3.0, None], [4.5, 2]], ["b", "a", "b", "a"])
    >>> s.y.labels, s.y.codes.tolist(), s.x.missing
    (('a', 'b'), [1, 0, 1, 0], (0, 1))
    """
    choose("y_kind", y_kind, ("auto", "numeric", "categorical"))
    choose("missing_y", missing_y, ("drop", "raise"))
    table, named = _read("x", x, "x")
    inside = _y_names(y, table, named)
    y_columns = _read("y", y, "y")[0] if inside is None else [_find("y", name, table) for name in inside]
    declared = _declared(categorical, table, y_columns)
    x_columns = [c for c in table if inside is None or c.name not in inside]
    y_declared = declared - {c.name for c in x_columns}  # a name that both have is x's
    y_columns = [_labelled("y", c) if c.name in y_declared else c for c in y_columns]
    y_columns = [_y_column(c, y_kind, alone=len(y_columns) == 1) for c in y_columns]
    return _sample(_usable("x", x_columns, declared), y_columns, missing_y=missing_y, argument="y")


def read_ksample(*samples: Any, groups: Any = None, categorical: Declared = (), missing_y: str = "raise") -> Sample:
    """Check and stack samples (several, or one dict of them), or one table with `groups`: a column or labels.

    >>> s = read_ksample([1.0, 2.0], [3.0, 4.0, 5.0])
    >>> s.x.values[:, 0].tolist(), s.y.codes.tolist(), s.y.labels
    ([1.0, 2.0, 3.0, 4.0, 5.0], [0, 0, 1, 1, 1], ('1', '2'))
    """
    choose("missing_y", missing_y, ("drop", "raise"))
    one = samples[0] if len(samples) == 1 else None
    if groups is not None and one is not None and not isinstance(one, Mapping):
        return _grouped(one, groups, categorical, missing_y)
    parts = list(one.items()) if isinstance(one, Mapping) else list(enumerate(samples, 1))
    names = [str(name) for name, _ in parts]
    if groups is not None:
        raise InputError(f"groups was given with {len(parts)} samples: pass one table with groups, or samples.")
    if len(parts) < 2:
        raise InputError(f"samples: {len(parts)} given: pass two or more, or one table with groups= a column.")
    if len(set(names)) < len(names):
        raise InputError(f"samples: two groups have the same name in {_listed(names)}: rename one.")
    tables = _aligned(names, [part for _, part in parts], categorical)
    x_columns = [_stacked(columns, names) for columns in zip(*tables, strict=True)]
    labels = np.repeat(np.array(names, dtype=object), [table[0].n for table in tables])
    group = _Column("group", "categorical", labels)
    return _sample(x_columns, [group], missing_y=missing_y, argument="samples")


def read_features(x: Any, *, categorical: Declared = (), argument: str = "x", like: Features | None = None) -> Features:
    """Check x alone; with `like`, give it the columns and categories of features read before.

    >>> f = read_features([[1, "b"], [2, "a"], [3, None]], categorical="x2")
    >>> f.values.tolist(), f.column_of.tolist(), f.categories
    ([[1.0, 0.0, 1.0], [2.0, 1.0, 0.0], [3.0, nan, nan]], [0, 1, 1], ((), ('a', 'b')))
    >>> read_features([[4, "b"]], like=f).values.tolist()
    [[4.0, 0.0, 1.0]]
    """
    columns, _ = _read(argument, x, "x")
    declared = _declared(categorical, columns)
    if like is not None:
        columns = _ordered(argument, columns, like.names, "the x read before")
        declared |= {name for name, kind in zip(like.names, like.kinds, strict=True) if kind == "categorical"}
    return _features(_usable(argument, columns, declared), argument, like)


@dataclass(frozen=True, eq=False)
class _Column:
    name: str
    kind: Literal["numeric", "boolean", "categorical", "text"]
    values: NDArray[Any]  # floats with NaN; for categories, labels as text with None; for text, as given

    @property
    def n(self) -> int:
        return len(self.values)

    @property
    def missing(self) -> NDArray[np.bool_]:
        if self.values.dtype == object:
            return np.array([entry is None for entry in self.values], dtype=np.bool_)
        return np.asarray(np.isnan(self.values))


def _read(argument: str, data: Any, stem: str) -> tuple[list[_Column], bool]:
    """Columns of any container, and whether it names them itself."""
    plain = isinstance(data, np.ndarray | list | tuple)
    found = _split_array(argument, data) if plain else _split_table(argument, data)
    if not found or len(found[0][1]) == 0:
        raise InputError(f"{argument} is empty: it has no {'rows' if found else 'columns'}.")
    lone = len(found) == 1 and stem != "x"
    names = [name or (stem if lone else f"{stem}{i}") for i, (name, _, _) in enumerate(found, 1)]
    if len(set(names)) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise InputError(f"{argument} has duplicate column names, {_listed(twice)}: rename them.")
    columns = [_column(argument, name, a, c) for name, (_, a, c) in zip(names, found, strict=True)]
    return columns, any(name for name, _, _ in found)


_Raw: TypeAlias = tuple[str, NDArray[Any], bool]  # name if any, entries, whether its dtype is categorical


def _split_table(argument: str, data: Any) -> list[_Raw]:
    import narwhals as nw
    from narwhals.exceptions import DuplicateError

    try:
        table = nw.from_native(data, allow_series=True, pass_through=True)
    except DuplicateError:
        raise InputError(f"{argument} has duplicate column names: rename them.") from None
    if isinstance(table, nw.LazyFrame):
        raise InputError(f"{argument} is a lazy table: call .collect() on it first.")
    if not isinstance(table, nw.DataFrame | nw.Series):
        return _split_array(argument, data)
    found = []
    for series in [table] if isinstance(table, nw.Series) else table.iter_columns():
        if series.dtype.is_numeric():
            values = series.cast(nw.Float64).to_numpy()
        else:  # through a list: to_numpy of a pyarrow dictionary puts a category where a null should be
            values = _objects(series.to_list())
        name = "" if series.name is None else str(series.name)
        found.append((name, values, isinstance(series.dtype, nw.Categorical | nw.Enum)))
    return found


def _split_array(argument: str, data: Any) -> list[_Raw]:
    if hasattr(data, "__arrow_c_array__"):  # their __array__ forgets names and categories
        raise InputError(f"{argument} is a pyarrow {type(data).__name__}: pass a Table or a ChunkedArray.")
    if isinstance(data, np.ma.MaskedArray):
        mask, data = np.ma.getmaskarray(data), data.data.astype(object)  # asarray would bare what is masked
        data[mask] = None
    try:  # lists as objects, lest numpy turn the numbers beside a text column into text
        array = np.asarray(data, dtype=object if isinstance(data, list | tuple) else None)
    except ValueError:
        raise InputError(f"{argument} has rows of different lengths: pass a rectangular table.") from None
    if array.ndim == 0:
        kind = type(data).__name__
        raise InputError(f"{argument} is of type {kind}: pass an array, a list or a dataframe (sparse: .toarray()).")
    if array.ndim > 2:
        raise InputError(f"{argument} has {array.ndim} dimensions, {array.shape}: make it rows by columns.")
    return [("", column, False) for column in ([array] if array.ndim == 1 else array.T)]


def _objects(entries: Sequence[Any]) -> NDArray[np.object_]:
    return np.fromiter(entries, dtype=object, count=len(entries))  # np.array makes a matrix of a list of lists


def _column(argument: str, name: str, values: NDArray[Any], categorical: bool) -> _Column:
    """Decide what a column holds, or say what is wrong with it."""
    where = f"{argument}: column {name!r}"
    if values.dtype.kind in "Mm":  # as objects, nanoseconds would pass for numbers
        _refuse(where, "date")
    if categorical:  # by its dtype, so that anything, even an interval, is a label
        return _Column(name, "categorical", _objects([_label(entry) for entry in values]))
    kind: Literal["numeric", "boolean"] = "boolean" if values.dtype.kind == "b" else "numeric"
    if values.dtype.kind not in "biuf":
        values = values.astype(object)  # plain str, not np.str_
        held = [_entry_kind(entry) for entry in values]
        for row, what in enumerate(held):
            if what in _UNREADABLE:
                _refuse(where, what, row, values[row])
        entries = [None if what == "missing" else e for e, what in zip(values, held, strict=True)]
        if "text" in held:
            return _Column(name, "text", _objects(entries))
        kind = "boolean" if set(held) - {"missing"} == {"boolean"} else "numeric"
        values = np.array([math.nan if entry is None else float(entry) for entry in entries])
    values = values.astype(np.float64, copy=False)
    infinite = np.isinf(values)
    if infinite.any():
        row = int(infinite.argmax())
        raise InputError(f"{where} is infinite in row {row} (counted from 0): put a number or NaN in its place.")
    return _Column(name, kind, values)


def _entry_kind(entry: Any) -> str:
    # pandas' NA and NaT are known by the names of their types, for pandas may not be there to ask
    if entry is None or type(entry).__name__ in ("NAType", "NaTType"):
        return "missing"
    if isinstance(entry, str):
        return "text"
    if isinstance(entry, bool | np.bool_):
        return "boolean"
    # before numbers: numpy's durations count as integers
    if isinstance(entry, datetime.date | datetime.time | datetime.timedelta | np.datetime64 | np.timedelta64):
        return "date"
    if isinstance(entry, numbers.Real | decimal.Decimal):
        return "number" if entry == entry else "missing"
    return "complex" if isinstance(entry, numbers.Complex) else "other"


_UNREADABLE = {
    "date": "dates or durations: convert them to numbers such as days since the first date, or to text labels.",
    "complex": "complex numbers: pass real and imaginary parts as two columns.",
    "other": "{entry!r} in row {row} (counted from 0): only numbers, true/false, text and None can be read.",
}


def _refuse(where: str, what: str, row: int = 0, entry: Any = None) -> NoReturn:
    raise InputError(f"{where} holds {_UNREADABLE[what].format(row=row, entry=entry)}")


def _label(entry: Any) -> str | None:
    """Return a label as text; 1, 1.0 and Decimal(1) are one, since containers differ in which they give."""
    kind = _entry_kind(entry)
    if kind == "number":
        return str(int(entry)) if float(entry).is_integer() else repr(float(entry))
    return None if kind == "missing" else str(entry)


def _labelled(argument: str, column: _Column) -> _Column:
    """Turn a column into categories, whatever it held."""
    if column.kind == "categorical":
        return column
    if column.kind == "numeric" and np.any(np.abs(column.values) >= 2**53):
        where = f"{argument}: column {column.name!r}"
        raise InputError(f"{where} has labels of 2**53 or more, too long to tell apart: convert them to text.")
    entries: Sequence[Any] = list(column.values)
    if column.kind == "boolean":
        entries = [None if math.isnan(entry) else bool(entry) for entry in entries]
    return replace(column, kind="categorical", values=_objects([_label(entry) for entry in entries]))


def _as_numbers(labels: Collection[str]) -> list[float] | None:
    """Labels as finite numbers, or None unless all are."""
    try:
        found = [float(label) for label in labels]
    except ValueError:
        return None
    return found if all(map(math.isfinite, found)) else None


def _sorted(labels: Collection[str]) -> tuple[str, ...]:
    """Sort by value if all are numbers ("10" after "9"), else as text; never by appearance."""
    values = _as_numbers(labels) or [0.0] * len(labels)
    return tuple(label for _, label in sorted(zip(values, labels, strict=True)))


def _one_hot(
    argument: str, column: _Column, known: tuple[str, ...] | None = None
) -> tuple[NDArray[np.float64], NDArray[np.int64], tuple[str, ...]]:
    """One-hot columns (at least one), codes (-1 where missing) and levels of a categorical column."""
    where = f"{argument}: column {column.name!r}"
    occurring = set(column.values) - {None}
    levels = _sorted(occurring) if known is None else known
    unseen = _sorted(occurring - set(levels))
    if unseen:
        raise InputError(f"{where} holds {unseen[0]!r}, not one of {_listed(levels)}: set it to missing.")
    if len(levels) > MOST_CATEGORIES:
        limit = f"{len(levels)} categories, more than {MOST_CATEGORIES}"
        raise InputError(f"{where} has {limit}: merge rare ones, leave it out, or pass it as numbers.")
    code = {label: i for i, label in enumerate(levels)}
    codes = np.array([code.get(label, -1) for label in column.values], dtype=np.int64)
    block = (codes[:, None] == np.arange(max(len(levels), 1))).astype(np.float64)
    block[codes < 0] = np.nan
    return block, codes, levels


def _y_names(y: Any, columns: Sequence[_Column], named: bool) -> list[str] | None:
    """Tell which columns of x y names; None if y is data itself."""
    if isinstance(y, str):
        return [y]
    if not isinstance(y, list | tuple) or not y or not all(isinstance(name, str) for name in y):
        return None
    # a list of text may also be labels, one a row
    known = {c.name for c in columns}
    names = len(set(y)) == len(y) and (known.issuperset(y) or (named and len(y) != columns[0].n))
    return list(y) if names else None


def _find(argument: str, name: object, columns: Sequence[_Column]) -> _Column:
    names = [c.name for c in columns]
    if name in names:
        return columns[names.index(str(name))]
    near = difflib.get_close_matches(str(name), names, n=1, cutoff=0.4)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    raise InputError(f"{argument}: there is no column {name!r}{hint} Columns: {_listed(names)}.")


def _listed(names: Iterable[str], limit: int = 8) -> str:
    texts = [repr(name) for name in names]
    return ", ".join(texts[:limit]) + (f", ... ({len(texts)} in all)" if len(texts) > limit else "")


def _declared(categorical: Declared, x: Sequence[_Column], y: Sequence[_Column] = ()) -> set[str]:
    """Names of the columns that `categorical` lists by name, or by position in x."""
    names, found = {c.name for c in (*x, *y)}, set()
    several = isinstance(categorical, Iterable) and not isinstance(categorical, str)
    entries: Iterable[Any] = cast("Iterable[Any]", categorical) if several else [categorical]
    for entry in entries:
        position = hasattr(entry, "__index__") and not isinstance(entry, bool)
        if position and str(entry) in names:  # pandas names columns by number too
            entry = str(entry)
        elif position and 0 <= int(entry) < len(x):
            entry = x[int(entry)].name
        found.add(_find("categorical", entry, (*x, *y)).name)
    return found


def _usable(argument: str, columns: Sequence[_Column], declared: Collection[str]) -> list[_Column]:
    """Columns of x with the declared ones as categories; text that is not declared is refused."""
    out = [_labelled(argument, c) if c.name in declared else c for c in columns]
    for column in out:
        if column.kind == "text":
            row, entry = next((i, e) for i, e in enumerate(column.values) if isinstance(e, str))
            raise InputError(
                f"{argument}: column {column.name!r} holds text, {entry!r} in row {row} (counted from 0): "
                f"pass categorical=[{column.name!r}] if it holds categories, or convert it to numbers."
            )
    return out


def _y_column(column: _Column, y_kind: str, *, alone: bool) -> _Column:
    """Read one column of y as numbers or as classes; beside others, true/false stays one 0/1 column."""
    where = f"y: column {column.name!r}"
    if y_kind == "numeric" and column.kind in ("text", "categorical"):
        raise InputError(f"{where} is {column.kind}, but y_kind='numeric': convert it to numbers.")
    if y_kind == "auto" and column.kind == "text":
        labels = [str(entry) for entry in column.values if entry is not None]
        if _as_numbers(labels) is not None:
            remedy = "convert it to numbers, or pass y_kind='categorical' if they are labels"
            raise InputError(f"{where} holds numbers as text, such as {labels[0]!r}: {remedy}.")
    classes = column.kind == "text" or (column.kind == "boolean" and alone and y_kind == "auto")
    return _labelled("y", column) if classes or y_kind == "categorical" else column


def _grouped(table: Any, groups: Any, categorical: Declared, missing_y: str) -> Sample:
    """Read one table whose rows `groups` sorts into groups."""
    columns, _ = _read("x", table, "x")
    inside = isinstance(groups, str)
    labels = [_find("groups", groups, columns)] if inside else _read("groups", groups, "group")[0]
    if len(labels) > 1:
        raise InputError(f"groups has {len(labels)} columns: pass one label a row.")
    declared = _declared(categorical, columns)
    x_columns = _usable("x", [c for c in columns if not inside or c.name != groups], declared)
    return _sample(x_columns, [_labelled("groups", labels[0])], missing_y=missing_y, argument="groups")


def _aligned(names: Sequence[str], samples: Sequence[Any], categorical: Declared) -> list[list[_Column]]:
    """Each sample's columns, in the order of the first's."""
    tables = [_read(f"sample {name!r}", part, "x")[0] for name, part in zip(names, samples, strict=True)]
    # series such as t["before"] and t["after"] are one variable, whatever their names
    flat = all(len(getattr(part, "shape", (0,))) == 1 for part in samples)
    if flat and len({c.name for columns in tables for c in columns}) > 1:
        tables = [[replace(c, name="x1") for c in columns] for columns in tables]
    first = [c.name for c in tables[0]]
    declared = _declared(categorical, tables[0])
    tables = [_ordered(f"sample {n!r}", t, first, "the first sample") for n, t in zip(names, tables, strict=True)]
    return [_usable(f"sample {n!r}", t, declared) for n, t in zip(names, tables, strict=True)]


def _ordered(argument: str, columns: Sequence[_Column], names: Sequence[str], other: str) -> list[_Column]:
    have = {c.name: c for c in columns}
    if set(have) != set(names):
        counts, odd = f"{len(have)} and {len(names)} columns", sorted(set(have) ^ set(names))
        raise InputError(f"{argument} and {other} have {counts}, {_listed(odd)} not in both: give both the same.")
    return [have[name] for name in names]


def _stacked(columns: Sequence[_Column], groups: Sequence[str]) -> _Column:
    """One column from one of each sample; what is all missing in a sample takes the kind it has elsewhere."""
    name = columns[0].name
    kinds = {c.kind: group for c, group in zip(columns, groups, strict=True) if not c.missing.all()}
    if "categorical" in kinds and len(kinds) > 1:
        found = ", ".join(f"{kind} in sample {group!r}" for kind, group in kinds.items())
        raise InputError(f"samples: column {name!r} is {found}: convert it, or pass categorical=[{name!r}].")
    if any(c.kind == "categorical" for c in columns):
        columns = [_labelled("samples", c) for c in columns]
        kinds = {"categorical": ""}
    kind = next(iter(kinds)) if len(kinds) == 1 else "numeric"
    return _Column(name, kind, np.concatenate([c.values for c in columns]))


def _sample(x: Sequence[_Column], y: Sequence[_Column], *, missing_y: str, argument: str) -> Sample:
    """Pair the rows, drop those without y if allowed, and check that a test is possible."""
    if not x:
        raise InputError(f"x is empty: it has no columns besides {argument}.")
    if x[0].n != y[0].n:
        raise InputError(f"x has {x[0].n} rows but {argument} has {y[0].n}: pass one a row.")
    lost = np.any([c.missing for c in y], axis=0)
    dropped, notes = int(lost.sum()), []
    if dropped:
        rows, were = ("1 row", "was") if dropped == 1 else (f"{dropped} rows", "were")
        if missing_y == "raise":
            raise InputError(f"{argument} is missing in {rows}: fill in, or pass missing_y='drop' to drop them.")
        x, y = ([replace(c, values=c.values[~lost]) for c in columns] for columns in (x, y))
        notes.append(f"{rows} with a missing {argument.removesuffix('s')} {were} dropped.")
    if x[0].n < FEWEST_ROWS:
        found = f"only {x[0].n} usable rows ({dropped} dropped for a missing {argument.removesuffix('s')})"
        raise InputError(f"x has {found}: a test needs at least {FEWEST_ROWS}.")
    if not any(map(_varies, x)):
        raise InputError("x is constant in every column, so nothing can depend on it: pass one that varies.")
    response = _response(y, argument)
    if response.kind == "numeric" and response.q == 1:
        codes = np.unique(response.values)
        if 2 < len(codes) <= FEW_CODES and np.all(codes == np.round(codes)):
            found = f"y has {len(codes)} distinct whole numbers and is read as numeric"
            notes.append(f"{found}; pass y_kind='categorical' if they are class codes.")
    return Sample(_features(x, "x"), response, dropped, tuple(notes))


def _varies(column: _Column) -> bool:
    """Whether two rows differ; a missing cell differs from a number, for a forest may split on it."""
    if column.kind == "categorical":
        return len(set(column.values)) > 1
    return len(np.unique(column.values)) > 1


def _features(columns: Sequence[_Column], argument: str, like: Features | None = None) -> Features:
    blocks: list[NDArray[np.float64]] = []
    categories: list[tuple[str, ...]] = []
    for j, column in enumerate(columns):
        block, levels = column.values[:, None], tuple[str, ...]()
        if column.kind == "categorical":
            if like is not None and like.kinds[j] != "categorical":
                where = f"{argument}: column {column.name!r}"
                raise InputError(f"{where} is categorical, but was {like.kinds[j]} before: convert it to numbers.")
            block, _, levels = _one_hot(argument, column, None if like is None else like.categories[j])
        blocks.append(block)
        categories.append(levels)
    return Features(
        values=_frozen(np.concatenate(blocks, axis=1)),
        names=tuple(c.name for c in columns),
        kinds=tuple(c.kind for c in columns if c.kind != "text"),  # none is: _usable saw to that
        column_of=_frozen(np.repeat(np.arange(len(blocks), dtype=np.int64), [b.shape[1] for b in blocks])),
        missing=tuple(int(c.missing.sum()) for c in columns),
        categories=tuple(categories),
    )


def _response(columns: Sequence[_Column], argument: str) -> Response:
    """Expand y, or the groups, and check that there is something to tell apart."""
    names, first = tuple(c.name for c in columns), columns[0]
    if not any(map(_varies, columns)):
        found = "y is constant" if argument == "y" else f"{argument}: there is only one group"
        raise InputError(f"{found}, {first.values[0]!s} in every row: a test needs at least two values.")
    parts = [_one_hot(argument, c) if c.kind == "categorical" else (c.values[:, None], None, ()) for c in columns]
    for column, (_, codes, labels) in zip(columns, parts, strict=True):
        sizes = np.array([2]) if codes is None else np.bincount(codes)
        if argument == "y" and sizes.max() < 2:
            where = f"y: column {column.name!r}"
            raise InputError(f"{where} has another class in every row: pass numbers, or classes that repeat.")
        if argument != "y" and sizes.min() < 2:
            label = labels[int(sizes.argmin())]
            raise InputError(f"{argument}: group {label!r} has one row: give it two or more, or leave it out.")
    values = _frozen(np.concatenate([block for block, _, _ in parts], axis=1))
    _, codes, labels = parts[0]
    if codes is not None and len(parts) == 1:
        return Response(values, names, "categorical", _frozen(codes), labels)
    return Response(values, names, "numeric", None, ())


def _frozen(fresh: NDArray[Any]) -> NDArray[Any]:
    """Make an array of our own (no view of the caller's data) C-ordered and read-only."""
    out = np.ascontiguousarray(fresh)
    out.flags.writeable = False
    return out
