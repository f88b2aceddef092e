"""A table that was read from a file: which of its cells are missing, and what each column holds.

In a text file, a cell is missing if it is empty, or NA without quotes around it; in any file, NaN is missing too, and
what the user names. All code after this sees null, so that comparisons need no rule of their own for NaN, which polars
would order above every number. All else is a value: `kmerf.reading.containers` points out those that look like
codes.

A column of text cells is numeric if all cells that are not missing are numbers. Where only some are, nothing is
guessed: the column gets a fault, which is raised if the column is used.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from kmerf.core.errors import Argument, InputError, Message, choose, did_you_mean, listed
from kmerf.core.safe_text import is_number
from kmerf.reading import where
from kmerf.reading.containers import Column, read
from kmerf.reading.number_cells import (
    AUTO,
    MAX_TRIED,
    NumberMarks,
    WrittenNumbers,
    may_hold_numbers,
    stray_texts,
    written_numbers,
)
from kmerf.reading.rulings import trimmed, typed_columns
from kmerf.reading.text_cells import LOCAL, YEAR_FIRST, Fault, StrayCells, are_times, number_fault

if TYPE_CHECKING:
    import polars as pl


class FileSource(NamedTuple):
    """Where a table came from, and how it was written there."""

    name: str
    form: str
    packed: str | None
    separator: str | None
    encoding: str | None
    rows: int
    sheet: str | None = None
    """The sheet that was read, of an Excel file."""
    sheets: tuple[str, ...] = ()
    """All sheets of an Excel file."""

    @property
    def spoken(self) -> str:
        """All of it, for people."""
        parts = [self.form if self.packed is None else f"{self.form}, {self.packed}"]
        if self.separator is not None:
            parts.append(f"separator: {self.separator}")
        if self.encoding is not None and not self.encoding.startswith("utf-8"):
            parts.append(f"encoding: {self.encoding}")
        return ", ".join(parts)


MAX_SHOWN = 40  # columns that the text of a table lists


class CellValues(NamedTuple):
    """The cells of a column, for comparisons, with null where one is missing.

    Numbers are floats, dates microseconds since 1970; text, also that of dates without order, of times of day and of
    durations, is text.
    """

    kind: str
    """As in `Table.kinds`, but dates are "date", "zoned date", "unordered date", "time" or "duration"."""
    series: pl.Series


@dataclass(frozen=True, eq=False)
class Table:
    """A table as kmerf reads it: columns, their types, units, and problems."""

    frame: pl.DataFrame
    """The cells; a missing one is null, never NaN."""
    kinds: dict[str, str]
    """"numeric", "boolean", "text", "date", or "nested" and "binary", which cannot be used."""
    faults: dict[str, Fault]
    source: FileSource
    notes: tuple[str, ...] = ()
    units: dict[str, str] = field(default_factory=dict)
    """Of columns that have one."""
    written: dict[str, str] = field(default_factory=dict)
    """How numbers were written that are not plain."""

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return list(self.frame.columns)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.frame.height

    def select(self, names: Iterable[str]) -> Table:
        """Return a table with some of the columns, in the order of the table."""
        wanted = [names] if isinstance(names, str) else list(names)
        for name in wanted:
            if name not in self.frame.columns:
                finding = f": there is no column {name!r}{did_you_mean(str(name), self.names)}"
                raise InputError(finding, argument="names", remedy=f"Columns: {listed(self.names)}")
        return replace(self, frame=self.frame.select([name for name in self.names if name in wanted]))

    def values(self, name: str) -> CellValues:
        """Return the cells of a column."""
        import polars as pl

        kind, series = self.kinds[name], self.frame[name]
        if kind == "numeric":
            return CellValues(kind, series.cast(pl.Float64))
        if kind == "text":
            return CellValues(kind, as_text(series))
        if kind != "date":
            return CellValues(kind, series)
        instants = self.moments(name)
        if instants is not None:
            return CellValues(instants.kind, instants.series.to_physical())
        kind = {pl.Time: "time", pl.Duration: "duration"}.get(series.dtype.base_type(), "unordered date")
        return CellValues(kind, as_text(series))

    def moments(self, name: str) -> where.Instants | None:
        """Return the dates of a column; None if it has no dates, or their order is unknown."""
        return where.moments(self.frame[name]) if self.kinds[name] == "date" else None

    def columns(self, argument: str = "x") -> list[Column]:
        """Return the columns for an argument, with their problems."""
        if argument not in self._columns:
            self._columns[argument] = [replace(column, argument=argument) for column in self._plain_columns]
        return self._columns[argument]

    @cached_property
    def _columns(self) -> dict[str, list[Column]]:
        return {}

    @cached_property
    def _plain_columns(self) -> list[Column]:
        columns = typed_columns([trimmed(column) for column in read("x", self.frame, strict=False)])
        columns = [replace(c, fault=self.faults[c.name]) if c.name in self.faults else c for c in columns]
        return [
            replace(c, unit=self.units.get(c.name, c.unit), remark=self.written.get(c.name, c.remark)) for c in columns
        ]

    def to_frame(self, library: str | None = None) -> Any:
        """Return the cells as a dataframe of "polars", "pandas" or "pyarrow"; by default of polars."""
        choose("library", library or "polars", ("polars", "pandas", "pyarrow"))
        if library == "pandas":
            return self.frame.to_pandas()
        return self.frame.to_arrow() if library == "pyarrow" else self.frame

    def __repr__(self) -> str:
        lines = [f"{self.source.name} ({self.source.spoken}): {self.rows} rows, {self.frame.width} columns"]
        lines += [f"  {name}: {self.kinds[name]}{self._aside(name)}" for name in self.names[:MAX_SHOWN]]
        lines += [f"  ... and {self.frame.width - MAX_SHOWN} more"] if self.frame.width > MAX_SHOWN else []
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    def _aside(self, name: str) -> str:
        words = self.faults[name].finding if name in self.faults else self.written.get(name, "")
        return f", {words}" if words else ""


def table_of_frame(frame: pl.DataFrame, source: FileSource) -> Table:
    """Return the table of a dataframe whose columns have types.

    >>> import polars as pl
    >>> source = FileSource("a.parquet", "parquet", None, None, None, 2)
    >>> table = table_of_frame(pl.DataFrame({"a": [1.0, float("nan")]}), source)
    >>> table.kinds, table.frame["a"].null_count()
    ({'a': 'numeric'}, 1)
    """
    import polars as pl

    kinds = {name: kind_of(dtype) for name, dtype in frame.schema.items()}
    faults = {
        name: Fault(f"holds {frame.schema[name]} values", "make columns of numbers or text of it")
        for name, kind in kinds.items()
        if kind in ("nested", "binary")
    }
    columns = [series.cast(pl.Float64) if series.dtype == pl.Null else without_nan(series) for series in frame]
    return Table(pl.DataFrame(columns), kinds, faults, source)


def kind_of(dtype: pl.DataType) -> str:
    """Return what a column of a type holds, as in `Table.kinds`.

    >>> import polars as pl
    >>> kind_of(pl.Int8()), kind_of(pl.Categorical()), kind_of(pl.List(pl.Int8()))
    ('numeric', 'text', 'nested')
    """
    import polars as pl

    if dtype.is_numeric() or dtype == pl.Null:
        return "numeric"
    if dtype.is_temporal():
        return "date"
    if dtype == pl.Boolean:
        return "boolean"
    if dtype in (pl.String, pl.Categorical, pl.Enum):
        return "text"
    return "binary" if dtype == pl.Binary else "nested"


def as_text(series: pl.Series) -> pl.Series:
    """Return cells as text; durations as their number of units, since polars has no text for them."""
    import polars as pl

    return (series.cast(pl.Int64) if series.dtype == pl.Duration else series).cast(pl.String)


MARKS = ("", "NA")

_QUOTED = "\ue000"  # put before NA that has quotes around it, as parsers do not tell which cells had


def keep_quoted(data: bytes, separator: str) -> bytes:
    """Return a text file in UTF-8, or a line of it, with a mark in each cell that is NA in quotes.

    Quotes inside a cell are doubled, so that nothing inside another cell looks like one.

    >>> keep_quoted(b'a,"NA",NA', ",").decode().count("\ue000")
    1
    """
    if b'"NA"' not in data:
        return data
    ends = re.escape(separator).encode()
    return re.sub(
        rb"(^|[\r\n]|" + ends + rb')"NA"(?=$|[\r\n]|' + ends + rb")", rb'\1"' + _QUOTED.encode() + rb'NA"', data
    )


def unquoted(name: str) -> str:
    """Return a name without the mark of quotes."""
    return name.removeprefix(_QUOTED)


def marks_of(na: Sequence[str], names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the marks of each column: the usual ones, and the user's, which may be for one column ("age=999").

    >>> marks_of(["?", "age=999"], ["age", "sex"])
    {'age': ('', 'NA', '?', '999'), 'sex': ('', 'NA', '?')}
    """
    pairs = [mark.partition("=") for mark in na]
    everywhere = [mark for mark, (name, equals, _) in zip(na, pairs, strict=True) if not (equals and name in names)]
    return {
        name: (*MARKS, *everywhere, *(cell for column, equals, cell in pairs if equals and column == name))
        for name in names
    }


def without_marks(text: pl.Series, marks: Sequence[str] = MARKS) -> pl.Series:
    """Return text, already without blanks around it, with null where it is a mark of a missing cell.

    >>> import polars as pl
    >>> without_marks(pl.Series(["a", "NA", "", "?"]), (*MARKS, "?")).to_list()
    ['a', None, None, None]
    """
    na_named = "NA" in marks[len(MARKS) :]
    return text.set(text.is_in([*marks, *([f"{_QUOTED}NA"] if na_named else [])]), None)


def without_quotes(text: pl.Series) -> pl.Series:
    """Return text without the mark of quotes."""
    return text.str.strip_prefix(_QUOTED)


def without_codes(series: pl.Series, marks: Sequence[str]) -> pl.Series:
    """Return a column of numbers or of text with null where it is one of the user's marks; others as they are.

    >>> import polars as pl
    >>> without_codes(pl.Series([1, 999]), ("", "NA", "999.0")).to_list()
    [1, None]
    """
    import polars as pl

    codes = marks[len(MARKS) :]
    if series.dtype == pl.String:
        return series.set(series.is_in(list(codes)), None) if codes else series
    numbers = [float(mark) for mark in codes if is_number(mark)]
    if not numbers or not series.dtype.is_numeric():
        return series
    return series.set(series.cast(pl.Float64).is_in(numbers), None)


def without_blanks(series: pl.Series) -> pl.Series:
    """Return text without blanks around its cells, null where nothing is left; other cells as they are.

    >>> import polars as pl
    >>> without_blanks(pl.Series([" a", "", None])).to_list()
    ['a', None, None]
    """
    import polars as pl

    if series.dtype != pl.String:
        return series
    text = series.str.strip_chars()
    return text.set(text == "", None)


def without_nan(series: pl.Series) -> pl.Series:
    """Return a column with null where it holds NaN.

    >>> import polars as pl
    >>> without_nan(pl.Series([1.0, float("nan")])).to_list()
    [1.0, None]
    """
    if not series.dtype.is_float() or not math.isnan(series.sum()):  # a sum is quick, where there are many columns
        return series
    return series.fill_nan(None)


class Typed(NamedTuple):
    """A column with its type."""

    series: pl.Series
    kind: str
    """"numeric", "boolean", "date" or "text"."""
    fault: Fault | None = None
    """Why it cannot be used as numbers, where it seems to hold some."""
    unit: str = ""
    written: str = ""
    """How its numbers were written, if not plainly."""
    decimal: str | None = None
    """The decimal mark, where the cells show it."""


def typed(
    series: pl.Series, missing: Sequence[str] = MARKS, numbers: NumberMarks = AUTO, hint: str | None = None
) -> Typed:
    """Decide what a column of text holds.

    >>> import polars as pl
    >>> typed(pl.Series(["1", " 2.5", "NA"])).series.to_list()
    [1.0, 2.5, None]
    >>> typed(pl.Series(["1,200", "950.5"])).series.to_list()
    [1200.0, 950.5]
    """
    import polars as pl

    plain = None if numbers.named else _all_numbers(series, missing)
    if plain is not None:
        return Typed(plain, "numeric")
    text = without_quotes(without_marks(series.str.strip_chars(), missing))
    floats = text.cast(pl.Float64, strict=False)
    wrong = text.is_not_null() & floats.is_null()
    bad = text.filter(wrong)
    if bad.is_empty() and not (numbers.named and bool(text.str.contains("[.,]").any())):
        return Typed(without_codes(without_nan(floats), missing), "numeric")
    present = len(text) - text.null_count()
    if len(bad) == present and bad.str.to_lowercase().is_in(["true", "false"]).all():
        return Typed(text.str.to_lowercase() == "true", "boolean")
    if len(bad) == present and bad.str.contains(LOCAL).all():
        return Typed(text, "date")
    if len(bad) == present and bad.str.contains(YEAR_FIRST).all():
        fault = _no_date(text)
        return Typed(text, "date" if fault is None else "text", fault)
    if len(bad) == present and bad.str.contains("^[0-9]").all() and are_times(bad.unique().to_list()):
        return Typed(text, "text")  # which `columns` makes a date of
    return _written(text, bad if not bad.is_empty() else text.drop_nulls(), present, missing, numbers, hint)


def _written(
    text: pl.Series, bad: pl.Series, present: int, missing: Sequence[str], numbers: NumberMarks, hint: str | None
) -> Typed:
    """Read text as numbers with something attached, or say what keeps it from being numbers."""
    import polars as pl

    if mark := _only_mark(text, numbers):
        plain = WrittenNumbers({}, "", NumberMarks(mark, ""), decisive=mark == ",")
        values = text.str.replace(mark, ".", literal=True).cast(pl.Float64)
        return Typed(without_codes(values, missing), "numeric", None, "", plain.words, "," if plain.decisive else None)
    written: WrittenNumbers | Fault | None = None
    if may_hold_numbers(bad.head(MAX_TRIED).to_list()):
        texts = text.drop_nulls().unique(maintain_order=True)
        written = written_numbers(texts.to_list(), numbers, hint)
    if isinstance(written, WrittenNumbers):
        values = text.replace_strict(list(written.numbers), list(written.numbers.values()), return_dtype=pl.Float64)
        decimal = (written.marks.decimal or ".") if written.decisive else None
        return Typed(without_codes(values, missing), "numeric", None, written.unit, written.words, decimal)
    return Typed(text, "text", written or _stray_fault(text, bad, present))


def _only_mark(text: pl.Series, numbers: NumberMarks) -> str | None:
    """Return the decimal mark if numbers have nothing else, and it is beyond doubt: most columns are read at once.

    >>> import polars as pl
    >>> [_only_mark(pl.Series([cell, "2"]), NumberMarks()) for cell in ("0,5", "-12,25", "1,234", "1 000,5", "3.1")]
    [',', ',', None, None, None]
    """
    mark = numbers.decimal or ","
    if numbers.thousands is not None or not text.str.contains(rf"^-?[0-9]+([{mark}][0-9]+)?$").all():
        return None
    doubt = numbers.decimal is None and not text.str.contains(r",([0-9]{1,2}|[0-9]{4,})$|^-?(0|[0-9]{4,}).*,").any()
    return None if doubt else mark


def _stray_fault(text: pl.Series, bad: pl.Series, present: int) -> Fault | None:
    """Say which cells of a column that seems to hold numbers are none."""
    stray = bad.filter(bad.is_in(list(stray_texts(text.drop_nulls().unique().to_list()))))
    if stray.is_empty():
        return None
    first = int((text == stray[0]).arg_true()[0])
    texts = stray.unique().to_list()
    return number_fault(StrayCells(text.name, texts, len(stray), present, str(text[first]), first + 1))


def _all_numbers(series: pl.Series, missing: Sequence[str]) -> pl.Series | None:
    """Return the numbers of a column without blanks around any cell, which need not be taken away; else None."""
    import polars as pl

    text = without_marks(series, missing)
    numbers = text.cast(pl.Float64, strict=False)
    if numbers.null_count() > text.null_count():
        return None
    return without_codes(without_nan(numbers), missing)


def _no_date(text: pl.Series) -> Fault | None:
    wrong = (text.is_not_null() & where.parsed(text).is_null()).arg_true()
    if wrong.is_empty():
        return None
    cell, row = str(text[int(wrong[0])])[:40], int(wrong[0]) + 1
    remedy = Message("mend it, or pass ", Argument("na", cell), " if that means missing")
    return Fault(f"holds dates, but {cell!r} in data row {row} is not in the calendar", remedy)
