"""Any container (array, list, series, dataframe) becomes named 1-D columns, and each column says what it holds.

A column is numbers, true/false, categories or undeclared text, and from there on nothing depends on where it came
from. Categories sort by value, never by
appearance; few are one-hot encoded in that order, many stay codes. Names are text: 1, 1.0 and "1" name the same
column. Dataframes are read with narwhals, which is imported here only, and only when one arrives.

**Missing entries** are decided here and nowhere else. After it, NaN is the one mark of a missing number and None of a
missing label or text. Values such as "None", "?" or 999 are values, unless the user names them; they are pointed out
where they look like codes of a missing one.
"""

from __future__ import annotations

import datetime
import decimal
import math
import numbers
import operator
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kmerf.core.errors import Argument, InputError, Message, did_you_mean, listed
from kmerf.reading.text_cells import Fault

if TYPE_CHECKING:
    from kmerf.data.sample import Cycle, Kind


def is_missing(entry: Any) -> bool:
    """Say whether one entry is missing: None, NaN of any type of number, or pandas' NA and NaT.

    >>> [is_missing(entry) for entry in (None, float("nan"), "", "NA", 0)]
    [True, True, False, False, False]
    """
    # by the names of their types, for pandas may not be installed
    if entry is None or type(entry).__name__ in ("NAType", "NaTType"):
        return True
    number = isinstance(entry, numbers.Real | decimal.Decimal) and not isinstance(entry, np.timedelta64)
    return number and bool(entry != entry)


def missing_rows(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which rows of a column are missing: NaN among floats, None among objects.

    >>> missing_rows(np.array([1.0, np.nan])).tolist(), missing_rows(np.array(["a", None], dtype=object)).tolist()
    ([False, True], [False, True])
    """
    if values.dtype == object:
        return np.fromiter(map(operator.is_, values, repeat(None)), dtype=np.bool_, count=len(values))
    return np.asarray(np.isnan(values))


def without_mask(data: np.ma.MaskedArray[Any, Any]) -> NDArray[np.object_]:
    """Return a masked array as objects with None where it is masked.

    >>> without_mask(np.ma.array([1.0, 2.0], mask=[False, True])).tolist()
    [1.0, None]
    """
    entries: NDArray[np.object_] = data.data.astype(object)  # np.asarray would uncover what is masked
    entries[np.ma.getmaskarray(data)] = None
    return entries


_SPELLINGS = "none null nil nan -nan na n/a n.a. #n/a <na> - -- --- . ? ?? unknown unk missing"
WORDS = frozenset(re.split(" ", _SPELLINGS))
NUMBERS = frozenset(sign * number for sign in (1.0, -1.0) for number in (9, 99, 999, 9999, 99999, 999999))


def word_codes(labels: Iterable[str]) -> list[str]:
    """Return which of some different labels often stand for a missing one.

    >>> word_codes(["Low", "None", "High", "?"])
    ['None', '?']
    """
    return [label for label in labels if label.strip().lower() in WORDS]


def number_codes(values: NDArray[np.float64]) -> list[float]:
    """Return the numbers that look like codes of a missing one: 99, 999, -9 ..., several, and far from all others.

    Far is as far as the others are from each other.

    >>> number_codes(np.array([31.0, 45.0, 28.0, 999.0, 60.0, 999.0])), number_codes(np.array([98.0, 99, 99, 100, 97]))
    ([999.0], [])
    """
    distinct, counts = np.unique(values[np.isfinite(values)], return_counts=True)
    codes = []
    for end in (0, -1):
        if distinct.size < 4 or float(distinct[end]) not in NUMBERS or counts[end] < 2:
            continue
        others = np.delete(distinct, end)
        gap = abs(float(distinct[end] - others[end]))
        if gap >= float(np.ptp(others)):
            codes.append(float(distinct[end]))
    return codes


def without_codes(values: NDArray[Any], codes: Collection[object]) -> NDArray[Any]:
    """Return a column with the missing mark where it holds one of the codes: numbers by value, others by their text.

    >>> without_codes(np.array([1.0, 999.0]), ["999"]).tolist()
    [1.0, nan]
    >>> without_codes(np.array(["a", "?"], dtype=object), ["?"]).tolist()
    ['a', None]
    """
    texts = {str(code).strip() for code in codes}
    if values.dtype.kind in "iuf":
        numbers = [number for text in texts if (number := _number(text)) is not None]
        return np.where(np.isin(values, numbers), np.nan, values) if numbers else values
    if values.dtype.kind not in "OUS":
        return values
    hit = np.fromiter((str(entry).strip() in texts for entry in values), dtype=np.bool_, count=len(values))
    entries = values.astype(object)
    entries[hit] = None
    return entries


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


MAX_CLASSES = 1000  # of y, each of which is a column
MAX_SHOWN = 60  # characters of an entry that a message shows


@dataclass(frozen=True, eq=False)
class Column:
    """One variable, and the argument that it came in with, for messages.

    What takes a look at every entry is computed once, for a long table is described again and again.
    """

    argument: str
    name: str
    kind: Kind | Literal["text", "date", "other"]
    values: NDArray[Any]  # floats with NaN; for categories, labels as text with None; for text and others, as given
    fault: Fault | None = None  # why it cannot be used as it is
    order: tuple[str, ...] = ()  # of its categories, lowest first, where its type lists them so
    ordered: bool = False  # whether its type also says that the order counts
    unit: str = ""  # of its numbers, where cells or the head say so
    cycle: Cycle | None = None  # of what goes round, as the hour does
    remark: str = ""  # how it was read, where that is not plain

    def error(self, finding: str, remedy: str) -> InputError:
        """Return an error about this column."""
        return InputError(Message(f": column {self.name!r} ", finding), argument=self.argument, remedy=remedy)

    def refused(self, fault: Fault) -> InputError:
        """Return why this column cannot be used as it is."""
        return self.error(fault.finding, fault.remedy)

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.values)

    @cached_property
    def missing(self) -> NDArray[np.bool_]:
        """Which rows are missing."""
        rows = missing_rows(self.values)
        rows.flags.writeable = False
        return rows

    @cached_property
    def tally(self) -> Mapping[Any, int]:
        """How many rows have each entry, the first entry first; missing ones do not count."""
        counts = Counter(self.values.tolist())
        counts.pop(None, None)
        return counts

    @cached_property
    def distinct(self) -> int | None:
        """How many entries are different, missing ones aside; None for lists and the like, which cannot be compared."""
        try:
            return int(np.unique(self.values[~self.missing]).size) if self.values.dtype.kind == "f" else len(self.tally)
        except TypeError:
            return None

    @cached_property
    def number_codes(self) -> list[float]:
        """Which numbers look like codes of a missing one."""
        return number_codes(self.values)

    @cached_property
    def labelled(self) -> Column:
        """The column as categories, whatever it holds."""
        if self.kind == "categorical":
            return self
        if self.kind == "numeric" and np.any(np.abs(self.values) >= 2**53):
            raise self.error("has labels of 2**53 or more, too long to distinguish", "convert them to text")
        if self.kind == "text" and all(type(entry) is str for entry in self.tally):
            return replace(self, kind="categorical")
        entries = self.values.tolist()
        if self.kind == "boolean":
            entries = [None if math.isnan(entry) else bool(entry) for entry in entries]
        return replace(self, kind="categorical", values=_objects([as_text(entry) for entry in entries]))

    @cached_property
    def codes(self) -> NDArray[np.float64]:
        """Numbers as they are, and of labels the place among the different ones, 0 where one is missing."""
        if self.values.dtype.kind == "f":
            return self.values
        entries = self.labelled
        places = {label: place for place, label in enumerate(sorted(map(str, entries.tally)), 1)}
        codes = np.array([places.get(label, 0) for label in entries.values.tolist()], dtype=np.float64)
        codes.flags.writeable = False
        return codes

    def some(self, rows: NDArray[np.bool_]) -> Column:
        """Return the column with some of its rows."""
        return self if rows.all() else replace(self, values=self.values[rows])

    @property
    def varies(self) -> bool:
        """Whether two rows differ; a missing cell differs from a number, for a forest may split on it."""
        distinct = np.unique(self.values) if self.values.dtype.kind == "f" else set(self.values)
        return len(distinct) > 1


def is_table(data: Any) -> bool:
    """Return whether data are columns with names, or one of them: a dataframe, a series, a dictionary.

    >>> is_table({"a": [1, 2]}), is_table([1, 2])
    (True, False)
    """
    named = hasattr(data, "columns") or hasattr(data, "name") or hasattr(data, "column_names")  # also a `Table`
    return isinstance(data, Mapping) or (named and not isinstance(data, np.ndarray | list | tuple))


def row_count(data: Any) -> int:
    """Return how many rows a container has.

    >>> row_count({"a": [1, 2]}), row_count([[1], [2], [3]])
    (2, 3)
    """
    if isinstance(data, Mapping):
        return max((len(entries) for entries in data.values()), default=0)
    shape = getattr(data, "shape", None)
    return int(shape[0]) if shape else len(data)


def rows_of(data: Any, rows: NDArray[np.int64]) -> Any:
    """Return some rows of a container, as a container of the same kind.

    >>> rows_of({"a": [1, 2, 3]}, np.array([0, 2]))
    {'a': [1, 3]}
    """
    if isinstance(data, Mapping):
        return {name: rows_of(entries, rows) for name, entries in data.items()}
    if isinstance(data, list | tuple):
        return [data[row] for row in rows.tolist()]
    if isinstance(data, np.ndarray):
        return data[rows]
    import narwhals as nw

    table = nw.from_native(data, allow_series=True, pass_through=True)
    if isinstance(table, nw.DataFrame | nw.Series):
        return table[rows.tolist()].to_native()
    return data.take(rows.tolist())  # pyarrow's RecordBatch


def read(
    argument: str,
    data: Any,
    stem: str = "x",
    *,
    strict: bool = True,
    na: Mapping[str, Collection[object]] | None = None,
) -> list[Column]:
    """Split any container into columns; those without a name are called after `stem`.

    Columns that cannot be used are refused, all of them at once; unless `strict`, they have a fault instead. `na` has
    values that mean missing, for columns by name and for all others under "".

    >>> [(c.name, c.kind) for c in read("x", [[1, True, "a"], [None, False, "b"]])]
    [('x1', 'numeric'), ('x2', 'boolean'), ('x3', 'text')]
    """
    plain = isinstance(data, np.ndarray | list | tuple)
    raw = _split_array(argument, data) if plain else _split_table(argument, data)
    if not raw or len(raw[0][1]) == 0:
        raise InputError("is empty", argument=argument, remedy=f"it has no {'rows' if raw else 'columns'}")
    lone = len(raw) == 1 and stem != "x"
    names = [as_text(label) or (stem if lone else f"{stem}{i}") for i, (label, _, _) in enumerate(raw, 1)]
    if len(set(names)) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise InputError(f"has duplicate column names, {listed(twice)}", argument=argument, remedy="rename them")
    marks = na or {}
    columns = [
        _column(argument, name, without_codes(entries, codes) if codes else entries, dtype)
        for name, (_, entries, dtype) in zip(names, raw, strict=True)
        for codes in [[*marks.get("", ()), *marks.get(name, ())]]
    ]
    if strict:
        raise_faults(columns)
    return columns


def raise_faults(columns: Iterable[Column]) -> None:
    """Refuse columns that have a fault, all in one error."""
    errors = [column.refused(column.fault) for column in columns if column.fault is not None]
    if errors:
        raise InputError.together(errors)


def find(argument: str, key: object, columns: Sequence[Column]) -> Column:
    """Return the column that bears a name, or raise with the nearest one."""
    names = [c.name for c in columns]
    text = as_text(key)
    if text in names:
        return columns[names.index(text)]
    finding = f": there is no column {key!r}{did_you_mean(str(key), names)}"
    raise InputError(finding, argument=argument, remedy=f"Columns: {listed(names)}")


def as_text(entry: Any) -> str | None:
    """Return a name or label as text; 1, 1.0 and Decimal(1) are one, since containers differ in which they give.

    >>> as_text(1.0), as_text("b"), as_text(True), as_text(0.5), as_text(None)
    ('1', 'b', 'True', '0.5', None)
    """
    kind = _entry_kind(entry)
    if kind != "number":
        return None if kind == "missing" else str(entry)
    if isinstance(entry, numbers.Integral) or _as_float(entry).is_integer():
        return str(decimal.Decimal(int(entry)))  # int's own text ends at 4300 digits
    return repr(_as_float(entry))


def as_numbers(labels: Collection[str]) -> list[float] | None:
    """Labels as finite numbers, or None unless all are."""
    try:
        numbers = [float(label) for label in labels]
    except ValueError:
        return None
    return numbers if all(map(math.isfinite, numbers)) else None


def known_only(column: Column, levels: Collection[str]) -> Column:
    """Return a column of categories with those that are not among the levels missing; any other as it is."""
    if column.kind != "categorical" or column.tally.keys() <= set(levels):
        return column
    allowed = set(levels)
    return replace(column, values=_objects([label if label in allowed else None for label in column.values]))


Coded: TypeAlias = tuple[NDArray[np.int64] | None, tuple[str, ...]]


def encode(column: Column, known: tuple[str, ...] | None = None, most: int | None = None) -> Coded:
    """Return the codes (-1 where missing) and levels of a categorical column, in the order of `known` or of values."""
    if column.kind != "categorical":
        return None, ()
    occurring = set(column.tally)
    levels = _sorted(occurring) if known is None else known
    unseen = _sorted(occurring - set(levels))
    if unseen:
        remedy = Message("set it to missing, or pass ", Argument("handle_unknown", "missing"))
        raise column.error(f"holds {unseen[0]!r}, not one of {listed(levels)}", remedy)
    if most is not None and len(levels) > most:
        finding = f"has {len(levels)} categories, more than {most}"
        raise column.error(finding, "merge rare ones, leave it out, or pass it as numbers")
    code = {label: i for i, label in enumerate(levels)}
    codes = np.fromiter((code.get(label, -1) for label in column.values), dtype=np.int64, count=column.n)
    return codes, levels


def width(column: Column, coded: Coded, most: int) -> int:
    """Return how many numeric columns one column becomes: one for each category, or a single one for more than most.

    What goes round becomes two.
    """
    if column.cycle is not None:
        return 2
    return max(len(coded[1]), 1) if len(coded[1]) <= most else 1


def expand(column: Column, coded: Coded, out: NDArray[np.float64]) -> None:
    """Write a column into `out` (n, width): numbers as they are, categories one-hot, or their codes if that is wide."""
    codes, levels = coded
    if column.cycle is not None:
        out[:] = column.cycle.points(column.values)
        return
    if codes is None:
        out[:, 0] = column.values
        return
    if out.shape[1] < len(levels):
        out[:, 0] = np.where(codes < 0, np.nan, codes)
        return
    for level in range(out.shape[1]):
        out[:, level] = codes == level
    out[codes < 0] = np.nan


def _sorted(labels: Collection[str]) -> tuple[str, ...]:
    """Sort by value if all are numbers ("10" after "9"), else as text."""
    values = as_numbers(labels) or [0.0] * len(labels)
    return tuple(label for _, label in sorted(zip(values, labels, strict=True)))


class _Listed(NamedTuple):
    """A categorical type that lists its categories."""

    order: tuple[Any, ...]
    ordered: bool


_Raw: TypeAlias = tuple[Any, NDArray[Any], bool | _Listed]
"""Label if any, entries, and whether its type is categorical, or how it lists its categories."""


def _split_table(argument: str, data: Any) -> list[_Raw]:
    import narwhals as nw

    if isinstance(data, Mapping):
        return _split_mapping(argument, data)
    if hasattr(data, "__arrow_c_array__") and hasattr(data, "to_pylist"):
        return _split_arrow(data)
    try:
        table = nw.from_native(data, allow_series=True, pass_through=True)
        # by position, as NaN can be the name of several
        columns = list(table.iter_columns()) if isinstance(table, nw.DataFrame) else [table]
    except (KeyError, ValueError):  # narwhals' own DuplicateError is new
        raise InputError("has duplicate column names", argument=argument, remedy="rename them") from None
    if isinstance(table, nw.LazyFrame):
        raise InputError("is a lazy table", argument=argument, remedy="call .collect() on it first")
    if not isinstance(table, nw.DataFrame | nw.Series):
        return _split_array(argument, data)
    raw = []
    for series in columns:
        if series.dtype.is_integer() and series.null_count() == 0:
            values = np.asarray(series.to_numpy())
        elif series.dtype.is_integer() and max(abs(series.min() or 0), abs(series.max() or 0)) >= 2**53:
            values = _objects(series.to_list())
        elif series.dtype.is_numeric():
            values = series.cast(nw.Float64).to_numpy()
        elif series.dtype == nw.Boolean and series.null_count() == 0:
            values = np.asarray(series.to_numpy(), dtype=np.bool_)
        else:  # through a list: to_numpy of a pyarrow dictionary puts a category where a null should be
            values = _objects(_shared(series.to_list()))
        raw.append((series.name, values, _categories(series)))
    return raw


def _categories(series: Any) -> bool | _Listed:
    """Return whether the type of a series of narwhals is categorical, and how it lists its categories if it does.

    pandas has categories with an order and without; those of a polars Enum have one.
    """
    import narwhals as nw

    order = getattr(series.dtype, "categories", None) if isinstance(series.dtype, nw.Enum) else None
    if order is not None:
        return _Listed(tuple(order), True)
    return isinstance(series.dtype, nw.Categorical | nw.Enum)


def _split_mapping(argument: str, data: Mapping[Any, Any]) -> list[_Raw]:
    """Split a dictionary of columns."""
    raw: list[_Raw] = []
    for label, entries in data.items():
        parts = (_split_array if isinstance(entries, np.ndarray | list | tuple) else _split_table)(argument, entries)
        if len(parts) != 1:
            remedy = "give each name one value per row"
            raise InputError(f": column {label!r} has {len(parts)} columns", argument=argument, remedy=remedy)
        raw.append((label, *parts[0][1:]))
    sizes = {len(entries) for _, entries, _ in raw}
    if len(sizes) > 1:
        finding = f"has columns of different lengths, {min(sizes)} to {max(sizes)}"
        raise InputError(finding, argument=argument, remedy="give each one value per row")
    return raw


def _shared(entries: Iterable[Any]) -> list[Any]:
    """Hold each text once, for a column of categories repeats a few of them in a million rows."""
    seen: dict[str, str] = {}
    return [seen.setdefault(entry, entry) if type(entry) is str else entry for entry in entries]


def _split_arrow(data: Any) -> list[_Raw]:
    """Split pyarrow's RecordBatch or Array, which narwhals does not read."""
    columns = zip(data.column_names, data.columns, strict=True) if hasattr(data, "columns") else [(None, data)]
    return [(label, _objects(array.to_pylist()), hasattr(array, "dictionary")) for label, array in columns]


def _split_array(argument: str, data: Any) -> list[_Raw]:
    if isinstance(data, np.ma.MaskedArray):
        data = without_mask(data)
    try:  # lists as objects, lest numpy turn the numbers beside a text column into text
        array = np.asarray(data, dtype=object if isinstance(data, list | tuple) else None)
    except ValueError:
        finding = "has rows of different lengths"
        raise InputError(finding, argument=argument, remedy="pass a rectangular table") from None
    if array.ndim == 0:
        remedy = "pass an array, a list or a dataframe (sparse: .toarray())"
        raise InputError(f"is of type {type(data).__name__}", argument=argument, remedy=remedy)
    if array.ndim > 2:
        finding = f"has {array.ndim} dimensions, {array.shape}"
        raise InputError(finding, argument=argument, remedy="make it rows by columns")
    return [(None, column, False) for column in ([array] if array.ndim == 1 else array.T)]


def _objects(entries: Sequence[Any]) -> NDArray[np.object_]:
    return np.fromiter(entries, dtype=object, count=len(entries))  # np.array makes a matrix of a list of lists


def _column(argument: str, name: str, values: NDArray[Any], categorical: bool | _Listed) -> Column:
    """Decide what a column holds, or say what is wrong with it."""
    if categorical:  # by its dtype, so that anything, even an interval, is a label
        labels = Column(argument, name, "categorical", _objects([as_text(entry) for entry in values]))
        if not isinstance(categorical, _Listed):
            return labels
        order = tuple(as_text(entry) or "" for entry in categorical.order)
        return replace(labels, order=order, ordered=categorical.ordered)
    kind: Kind = "boolean" if values.dtype.kind == "b" else "numeric"
    if values.dtype.kind in "biuf":
        return _finite(_distinct(Column(argument, name, kind, values.astype(np.float64, copy=False)), values))
    dated = values.dtype.kind in "Mm"  # to the microsecond, as nanoseconds become integers
    exact = values.astype(f"{values.dtype.kind}8[us]") if dated else values
    text = Column(argument, name, "text", exact.astype(object))  # plain str, not np.str_
    kinds = ["date"] * len(values) if dated else [_entry_kind(entry) for entry in text.values]
    for row, what in enumerate(kinds):
        if what in _UNREADABLE:
            content, remedy = _UNREADABLE[what]
            fault = Fault(f"holds {content.format(row=row, entry=_shown(text.values[row]))}", remedy)
            entries = [None if _is_blank(*each) else each[0] for each in zip(text.values, kinds, strict=True)]
            return replace(text, kind="date" if what == "date" else "other", fault=fault, values=_objects(entries))
    entries = [None if what == "missing" else entry for entry, what in zip(text.values, kinds, strict=True)]
    if "text" in kinds:
        return replace(text, values=_objects(entries))
    kind = "boolean" if set(kinds) - {"missing"} == {"boolean"} else "numeric"
    floats = np.array([math.nan if entry is None else _as_float(entry) for entry in entries])
    return _finite(_distinct(replace(text, kind=kind, values=floats), entries))


def _is_blank(entry: Any, kind: str) -> bool:
    """Return whether an entry of a column of dates, or of something else, is missing; NaT of numpy is, too."""
    return kind == "missing" or (kind in ("date", "complex") and bool(entry != entry))


def _shown(entry: Any) -> str:
    """Return an entry for a message; a long one, such as a table, by its type alone."""
    text = repr(entry)
    return text if len(text) <= MAX_SHOWN and "\n" not in text else f"a {type(entry).__name__}"


def _distinct(column: Column, given: Sequence[Any] | NDArray[Any]) -> Column:
    """Refuse whole numbers so large that different ones become the same float."""
    if not np.any(np.abs(column.values) >= 2**53):
        return column
    whole = [int(entry) for entry in given if isinstance(entry, numbers.Integral)]
    if len(set(whole)) > len(set(map(_as_float, whole))):
        remedy = "subtract a constant such as the smallest, or pass it as categories (text)"
        raise column.error("has whole numbers of 2**53 or more, too close to distinguish", remedy)
    return column


def _finite(column: Column) -> Column:
    infinite = np.isinf(column.values)
    if infinite.any():
        finding = f"is infinite in row {int(infinite.argmax())} (counted from 0)"
        return replace(column, fault=Fault(finding, "replace it by a number or NaN (the largest float is 1.8e308)"))
    return column


def _as_float(entry: Any) -> float:
    try:
        return float(entry)
    except OverflowError:  # an int or a fraction; decimals and text of that size become inf by themselves
        return math.inf if entry > 0 else -math.inf


def _entry_kind(entry: Any) -> str:
    if type(entry) is str:  # the most frequent by far
        return "text"
    if is_missing(entry):
        return "missing"
    if isinstance(entry, str):
        return "text"
    if isinstance(entry, bool | np.bool_):
        return "boolean"
    # before numbers: numpy's durations count as integers
    if isinstance(entry, datetime.date | datetime.time | datetime.timedelta | np.datetime64 | np.timedelta64):
        return "date"
    if isinstance(entry, numbers.Real | decimal.Decimal):
        return "number"
    return "complex" if isinstance(entry, numbers.Complex) else "other"


_UNREADABLE = {  # what a column holds, and the remedy
    "date": (
        "dates or durations",
        "convert them to numbers such as days since the first date, or to text labels",
    ),
    "complex": ("complex numbers", "pass real and imaginary parts as two columns"),
    "other": (
        "{entry} in row {row} (counted from 0)",
        "only numbers, true/false, text and None can be read",
    ),
}
