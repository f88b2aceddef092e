"""Reading a file: see what it is, read it, and say what was decided."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kmerf.core.errors import InputError, KmerfError, explain_unknown, installing, listed
from kmerf.reading import delimited
from kmerf.reading import opening as origins
from kmerf.reading.delimited import find_dialect
from kmerf.reading.formats import FORMATS, read_sheet
from kmerf.reading.layout import MAX_FOOTNOTES, FileLayout, read_layout, rows_at_end
from kmerf.reading.number_cells import AUTO, NumberMarks, number_marks
from kmerf.reading.opening import find
from kmerf.reading.text_cells import FileOption
from kmerf.reading.typed_table import (
    FileSource,
    Table,
    Typed,
    marks_of,
    table_of_frame,
    typed,
    without_blanks,
    without_codes,
)

if TYPE_CHECKING:
    import polars as pl

    from kmerf.reading.formats import Source
    from kmerf.reading.opening import Origin

MAX_COLUMNS = 200_000
PART_ROWS = 200_000  # of a Parquet file that are held at a time
_INDEX = re.compile(r"__index_level_\d+__")  # what pandas calls an index without a name, in Parquet and Feather


class FileOptions(NamedTuple):
    """What the user says about a file."""

    sep: str | None = None
    encoding: str | None = None
    layout: FileLayout = FileLayout()
    sheet: str | int | None = None
    numbers: NumberMarks = AUTO
    na: tuple[str, ...] = ()


def read(
    path: str,
    *,
    sep: str | None = None,
    encoding: str | None = None,
    header: object = None,
    na: Sequence[str] = (),
    skip: int | None = None,
    footer: int | None = None,
    comment: str | None = None,
    sheet: str | int | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
) -> Table:
    """Read a table from a file, compressed or not; "-" is standard input. `kmerf.read_table` has the parameters."""
    options = FileOptions(
        sep, encoding, read_layout(skip, header, comment, footer), sheet, number_marks(decimal, thousands), tuple(na)
    )
    _need_polars()
    origin = origins.find(path)
    if options.sheet is not None and not (origin.form in FORMATS and FORMATS[origin.form].sheets):
        raise InputError("is for Excel files", argument=FileOption("sheet", sheet), remedy="leave it out")
    return _read_text(origin, options) if origin.form == "text" else _read_binary(origin, options)


class SampledTable(NamedTuple):
    """Some rows of a file."""

    table: Table
    total: int
    """Rows of the file."""
    rows: NDArray[np.int64]
    """Which of them were read, from 0."""


def read_sampled(path: str, most: int, draw: Callable[[int], NDArray[np.int64]], **options: Any) -> SampledTable:
    """Read a file, of one with more than so many rows only those that `draw` chooses.

    A Parquet file is read in parts, of which only these rows are kept; of other files all rows are read first.
    """
    import polars as pl

    _need_polars()
    origin = origins.find(path)
    if origin.form == "parquet" and origin.path is not None and origin.packed is None:
        with _polars(origin), _hushed():
            lazy = pl.scan_parquet(origin.path, glob=False, hive_partitioning=False)
            names, notes = without_index(lazy.collect_schema().names())
            lazy = lazy.select(names)
            total = int(lazy.select(pl.len()).collect().item())
            if total > most:
                rows = draw(total)
                parts = [
                    lazy.slice(start, PART_ROWS).collect()[rows[(rows >= start) & (rows < start + PART_ROWS)] - start]
                    for start in range(0, total, PART_ROWS)
                ]
                marks = marks_of(tuple(options.get("na", ())), parts[0].columns)
                columns = [without_codes(without_blanks(each), marks[each.name]) for each in pl.concat(parts)]
                source = FileSource(origin.name, origin.form, origin.packed, None, None, total)
                return SampledTable(
                    replace(table_of_frame(pl.DataFrame(columns), source), notes=tuple(notes)), total, rows
                )
    table = read(path, **options)
    if table.rows <= most:
        return SampledTable(table, table.rows, np.arange(table.rows))
    rows = draw(table.rows)
    return SampledTable(replace(table, frame=table.frame[rows]), table.rows, rows)


@explain_unknown
def read_table(
    path: str | os.PathLike[str],
    *,
    sep: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    skip: int | None = None,
    footer: int | None = None,
    header: int | Sequence[int] | bool | str | None = None,
    comment: str | None = None,
    sheet: str | int | None = None,
    na: str | Sequence[str] = (),
) -> Table:
    r"""Read a file exactly as the shell does.

    kmerf detects everything first; use an option if something was not detected, or was detected wrongly.

    Parameters
    ----------
    path
        The file, compressed or not. kmerf detects its format from its content, not from its name.
    sep
        The separator of fields; by default the one of comma, semicolon, tab and bar that fits the first lines.
    encoding
        By default UTF-8, or what a byte-order mark specifies.
    decimal
        "." or ",". By default what each column shows.
    thousands
        The thousands separator: ",", ".", " " or "'", or "" for nothing. By default what each column shows.
    skip
        Lines at the beginning to leave out. By default titles above the names are left out.
    footer
        Rows at the end to leave out; 0 for none. By default footnotes, and rows that are called totals.
    header
        The line that holds the names, counted from 1, or two lines, (2, 3); False if there are none.
    comment
        Lines that begin with this text are left out; "" for none. By default "#" if such lines come before the names.
    sheet
        Of an Excel file, by name or number; by default the first that holds a table.
    na
        Texts that mean missing, besides empty cells and NA without quotes; "age=999" for one column.

    Returns
    -------
    Table
        Its `frame` is a polars dataframe, `to_frame("pandas")` one of pandas, `notes` show how it was read, and `units`
        which units its numbers have. The functions of kmerf accept it in place of a dataframe.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import kmerf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "fat.csv")
    ...     _ = file.write_text("fat;age\n12,5 %;31\n8,0 %;45\n")
    ...     table = kmerf.read_table(file)
    >>> table.frame["fat"].to_list(), table.units
    ([12.5, 8.0], {'fat': '%'})
    """
    marks = [na] if isinstance(na, str) else list(na)
    return read(
        os.fspath(path),
        sep=sep,
        encoding=encoding,
        header=header,
        na=marks,
        skip=skip,
        footer=footer,
        comment=comment,
        sheet=sheet,
        decimal=decimal,
        thousands=thousands,
    )


def _need_polars() -> None:
    try:
        import polars  # noqa: F401
    except ImportError:
        finding = "Reading files needs polars, which is not installed"
        raise InputError(finding, remedy=installing("cli")) from None


def _read_text(origin: Origin, options: FileOptions) -> Table:
    import polars as pl

    dialect = find_dialect(origin, options.sep, options.encoding, options.layout)
    dialect, layout_notes = delimited.with_layout(origin, dialect, options.layout)
    given, units = delimited.read_head(origin, dialect)
    names, notes = _names(origin, given, dialect.header)
    notes = [*layout_notes, *notes]
    texts, end_notes = delimited.read_columns(origin, dialect, len(names), options.layout.footer)
    if not texts:
        raise origin.error("has a header and no rows", "a test needs rows below the names")
    frame, row_notes = _without_lines(pl.DataFrame([t.alias(n) for n, t in zip(names, texts, strict=True)]), options)
    texts, notes = frame.get_columns(), [*notes, *row_notes, *end_notes]
    del frame
    columns = _typed_columns(texts, names, options)
    unnamed = [name for name, text in zip(names, given, strict=True) if not text]
    for name in unnamed:
        if columns[name].series.null_count() == len(columns[name].series):
            notes.append(f"A column without a name, {name!r}, is empty and left out.")
            del columns[name]
    if not columns:
        raise origin.error("has no cells that are not missing", "check the file")
    rows = len(next(iter(columns.values())).series)
    head_units = {names[j]: unit for j, unit in units.items() if names[j] in columns}
    return Table(
        frame=pl.DataFrame([column.series for column in columns.values()]),
        kinds={name: column.kind for name, column in columns.items()},
        faults={name: column.fault for name, column in columns.items() if column.fault},
        source=FileSource(origin.name, "text", origin.packed, dialect.spoken, dialect.encoding, rows),
        notes=tuple(notes),
        units={n: u for n, c in columns.items() if c.kind == "numeric" and (u := c.unit or head_units.get(n, ""))},
        written={name: column.written for name, column in columns.items() if column.written},
    )


def _without_lines(frame: pl.DataFrame, options: FileOptions) -> tuple[pl.DataFrame, list[str]]:
    """Leave out rows that repeat the names, and totals and footnotes at the end; say so."""
    import polars as pl

    notes: list[str] = []
    text = [name for name, dtype in frame.schema.items() if dtype == pl.String] if options.layout.has_names else []
    if len(text) > 1 and frame[text[0]].str.contains(text[0], literal=True).any():
        same = frame.select(pl.all_horizontal(pl.col(name).str.strip_chars() == name for name in text)).to_series()
        count = int(same.sum())
        if 0 < count < frame.height:
            frame = frame.filter(~same.fill_null(False))
            repeat = "1 row that repeats" if count == 1 else f"{count} rows that repeat"
            notes.append(f"{repeat} the names left out.")
    if options.layout.footer is not None:
        return frame, notes
    tail = frame.tail(MAX_FOOTNOTES + 1)
    cells = [["" if cell is None else str(cell) for cell in row] for row in tail.rows()]
    count, said = rows_at_end(cells) if frame.width > 1 else (0, [])
    return frame.head(frame.height - count) if count else frame, [*notes, *said]


def _typed_columns(texts: list[pl.Series], names: Sequence[str], options: FileOptions) -> dict[str, Typed]:
    """Type columns one at a time, so that text and numbers are not both held in full."""
    import polars as pl

    columns: dict[str, Typed] = {}
    marks = marks_of(options.na, names)
    for i, name in enumerate(names):
        columns[name] = typed(texts[i].alias(name), marks[name], options.numbers)
        texts[i] = pl.Series(dtype=pl.String)
    hints = {column.decimal for column in columns.values()} - {None}
    unclear = [name for name, column in columns.items() if column.fault is not None and column.fault.ambiguous]
    if len(hints) == 1 and unclear:  # another column tells what commas mean
        (hint,) = hints
        columns |= {name: typed(columns[name].series, marks[name], options.numbers, hint) for name in unclear}
    return columns


def _names(origin: Origin, given: tuple[str, ...], header: bool) -> tuple[list[str], list[str]]:
    notes: list[str] = []
    names = [name or f"unnamed_{i}" for i, name in enumerate(given, 1)]
    seen: set[str] = set()
    for name in names:
        if name in seen:
            numbers = _all_numbers(names)
            remedy = "pass --no-header if the first line is data" if header and numbers else "rename one of them"
            raise origin.error(f"has two columns named {name[:60]!r}", remedy)
        seen.add(name)
    if len(names) > MAX_COLUMNS:
        raise origin.error(f"has {len(names)} columns, more than {MAX_COLUMNS}", "leave some out")
    if header and _all_numbers(names):
        notes.append("The first line is all numbers and was read as column names; if it is data, pass --no-header.")
    return names, notes


def _all_numbers(names: Sequence[str]) -> bool:
    try:
        [float(name) for name in names]
    except ValueError:
        return False
    return True


def _read_binary(origin: Origin, options: FileOptions) -> Table:
    import polars as pl

    units: dict[str, str] = {}
    notes: list[str] = []
    sheet: str | None = None
    sheets: tuple[str, ...] = ()
    with _polars(origin), _hushed():
        if FORMATS[origin.form].sheets:
            frame, units, notes, sheet, sheets = read_sheet(_source(origin), options.sheet, options.layout)
            frame = frame.head(max(0, frame.height - (options.layout.footer or 0)))
            frame, said = _without_lines(frame, options) if frame.width and frame.height else (frame, [])
            notes = [*notes, *said]
        else:
            frame = FORMATS[origin.form].read(_source(origin))
            names, notes = without_index(frame.columns)
            frame = frame.select(names)
        if frame.width == 0 or frame.height == 0:
            raise origin.error(f"has no {'rows' if frame.width else 'columns'}", "a test needs both")
        if "" in frame.columns:
            raise origin.error("has a column without a name", "give it one")
        marks = marks_of(options.na, frame.columns)
        frame = pl.DataFrame([without_codes(without_blanks(series), marks[series.name]) for series in frame])
        source = FileSource(origin.name, origin.form, origin.packed, None, None, frame.height, sheet, sheets)
        table = table_of_frame(frame, source)
        return replace(
            table, notes=tuple(notes), units={n: u for n, u in units.items() if table.kinds.get(n) == "numeric"}
        )


def without_index(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the names of columns without the nameless index that pandas writes, and a note on it.

    >>> without_index(["a", "__index_level_0__"])[0], without_index(["__index_level_0__"])[0]
    (['a'], ['__index_level_0__'])
    """
    kept = [name for name in names if not _INDEX.fullmatch(name)]
    if len(kept) in (0, len(names)):
        return list(names), []
    gone = listed([name for name in names if name not in kept])
    return kept, [f"Left out: {gone}, the index of a pandas table. An index that has a name is read as a column."]


def _source(origin: Origin) -> Source:
    if origin.path is not None:
        return origin.path
    with origins.reading(origin.name), origin.open() as stream:
        return io.BytesIO(stream.read())


@contextmanager
def _hushed() -> Iterator[None]:
    """Hide what compiled code writes to standard error about a damaged file: the user gets our message."""
    try:
        sys.stderr.flush()
        stderr = os.dup(2)
    except (OSError, AttributeError):  # there is no standard error
        yield
        return
    try:
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)


@contextmanager
def _polars(origin: Origin) -> Iterator[None]:
    """Turn whatever polars finds wrong with a file into one line."""
    try:
        yield
    except (InputError, KeyboardInterrupt, MemoryError, SystemExit):
        raise
    except BaseException as error:  # a panic of its compiled code is no Exception
        why = str(error).strip().splitlines()[0][:80] if str(error).strip() else type(error).__name__
        words = FORMATS[origin.form].words
        finding = f"is damaged, or of a kind of {words} that cannot be read ({why})"
        raise origin.error(finding, "write it again") from None


def column_names(path: str) -> list[str]:
    """Return the names of the columns; none where the file cannot be read, or is standard input.

    >>> column_names("no such file")
    []
    """
    if path == "-":
        return []
    try:
        origin = find(path)
        if origin.form == "parquet" and origin.path is not None:  # which may be large, and has its names apart
            import polars as pl

            return without_index(list(pl.read_parquet_schema(origin.path)))[0]
        if origin.form != "text":
            return read(path).names
        dialect, _ = delimited.with_layout(origin, find_dialect(origin, None, None, FileLayout()), FileLayout())
        return [name for name in delimited.read_header(origin, dialect) if name]
    except (KmerfError, OSError, ValueError):
        return []
