"""Reading a file: see what it is, read it, and say what was decided."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kmerf.core.errors import InputError, KmerfError, installing
from kmerf.reading import delimited
from kmerf.reading import opening as origins
from kmerf.reading.delimited import find_dialect
from kmerf.reading.formats import FORMATS
from kmerf.reading.opening import find
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

    from kmerf.reading.opening import Origin

MAX_COLUMNS = 200_000


def read(
    path: str,
    *,
    sep: str | None = None,
    encoding: str | None = None,
    header: bool = True,
    na: Sequence[str] = (),
) -> Table:
    """Read a table from a file, compressed or not; "-" is standard input.

    Parameters
    ----------
    path
        The file. What it holds decides how it is read, not its ending.
    sep
        The separator of fields; by default the one of comma, semicolon, tab and bar that fits the first lines.
    encoding
        By default UTF-8, or what a byte-order mark says.
    header
        Whether the first line of a text file holds the names of the columns.
    na
        Texts that mean missing, besides empty cells and NA without quotes; "age=999" for one column.
    """
    _need_polars()
    origin = origins.find(path)
    if origin.form == "text":
        return _read_text(origin, sep, encoding, header, na)
    return _read_binary(origin, na)


def _need_polars() -> None:
    try:
        import polars  # noqa: F401
    except ImportError:
        finding = "Reading files needs polars, which is not installed"
        raise InputError(finding, remedy=installing("cli")) from None


def _read_text(origin: Origin, sep: str | None, encoding: str | None, header: bool, na: Sequence[str]) -> Table:
    import polars as pl

    dialect = find_dialect(origin, sep, encoding, header)
    given = delimited.read_header(origin, dialect)
    names, notes = _names(origin, given, header)
    texts = delimited.read_columns(origin, dialect, len(names))
    if not texts:
        raise origin.error("has a header and no rows", "a test needs rows below the names")
    columns: dict[str, Typed] = {}
    marks = marks_of(na, names)
    for i, name in enumerate(names):  # one column at a time, so that text and numbers are not both held in full
        columns[name] = typed(texts[i].alias(name), marks[name])
        texts[i] = pl.Series(dtype=pl.String)
    unnamed = [name for name, text in zip(names, given, strict=True) if not text]
    for name in unnamed:
        if columns[name].series.null_count() == len(columns[name].series):
            notes.append(f"A column without a name, {name!r}, is empty and left out.")
            del columns[name]
    if not columns:
        raise origin.error("has no cells that are not missing", "check the file")
    rows = len(next(iter(columns.values())).series)
    return Table(
        frame=pl.DataFrame([column.series for column in columns.values()]),
        kinds={name: column.kind for name, column in columns.items()},
        faults={name: column.fault for name, column in columns.items() if column.fault},
        source=FileSource(origin.name, "text", origin.packed, dialect.spoken, dialect.encoding, rows),
        notes=tuple(notes),
    )


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
        notes.append("The first line is all numbers, and was taken for names; if it is data, pass --no-header.")
    return names, notes


def _all_numbers(names: Sequence[str]) -> bool:
    try:
        [float(name) for name in names]
    except ValueError:
        return False
    return True


def _read_binary(origin: Origin, na: Sequence[str]) -> Table:
    import polars as pl

    with _polars(origin), _hushed():
        frame = _frame(origin)
        if frame.width == 0 or frame.height == 0:
            raise origin.error(f"has no {'rows' if frame.width else 'columns'}", "a test needs both")
        if "" in frame.columns:
            raise origin.error("has a column without a name", "give it one")
        marks = marks_of(na, frame.columns)
        frame = pl.DataFrame([without_codes(without_blanks(series), marks[series.name]) for series in frame])
        return table_of_frame(frame, FileSource(origin.name, origin.form, origin.packed, None, None, frame.height))


def _frame(origin: Origin) -> pl.DataFrame:
    form = FORMATS[origin.form]
    if origin.path is not None:
        return form.read(origin.path)
    with origins.reading(origin.name), origin.open() as stream:
        content = io.BytesIO(stream.read())
    return form.read(content)


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
        if origin.form != "text":
            return read(path).names
        return [name for name in delimited.read_header(origin, find_dialect(origin, None, None, True)) if name]
    except (KmerfError, OSError, ValueError):
        return []
