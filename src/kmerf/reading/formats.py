"""The formats of files: how each is known by its first bytes, and read. A new format is added here, and nowhere else.

Text (CSV and its kin) is what is left where no format knows a file (`kmerf.reading.delimited`). Excel, Stata and SPSS
are read by packages that the extra `formats` brings along.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, TypeAlias

from kmerf.core.errors import Argument, InputError, Message, did_you_mean, installing, listed
from kmerf.reading.layout import FileLayout, find_layout, joined_names
from kmerf.reading.text_cells import FileOption

if TYPE_CHECKING:
    import polars as pl

Source: TypeAlias = "str | BinaryIO"
"""The path of a file, or an open one that is not, or no longer, as it is on the disk."""


@dataclass(frozen=True)
class ShellArgument(Argument):
    """An argument that only the shell has: a file, or an option about one.

    >>> str(ShellArgument("sep", ";")), str(ShellArgument("where")), str(ShellArgument("file", "a.csv", line=3))
    ("--sep ';'", '--where', "'a.csv', line 3")
    """

    line: int = 0  # of the file, where that is known

    def __str__(self) -> str:
        if self.name == "file":
            return f"{self.value!r}, line {self.line}" if self.line else repr(self.value)
        return f"--{self.name} {self.value!r}" if self.has_value else f"--{self.name}"


@dataclass(frozen=True)
class FileFormat:
    """One format: how people write its name, which first bytes it has, and what reads it."""

    words: str
    knows: Callable[[bytes], bool]
    read: Callable[[Source], pl.DataFrame]
    sheets: bool = False
    """Whether a file has sheets, with titles and names in any row."""


def format_of(head: bytes) -> str | None:
    """Return the format of a file by its first bytes; None for text, and for what cannot be read.

    >>> format_of(b'{"a": 1}'), format_of(b"a,b"), format_of(b"$FL2@(#) SPSS DATA FILE")
    ('json lines', None, 'spss')
    """
    return next((name for name, form in FORMATS.items() if form.knows(head)), None)


def format_words() -> list[str]:
    """Return the formats as people write them, text first.

    >>> format_words()[:3]
    ['CSV', 'TSV', 'Parquet']
    """
    return ["CSV", "TSV", *(form.words for form in FORMATS.values())]


def _begins(*magic: bytes) -> Callable[[bytes], bool]:
    return lambda head: head.startswith(magic)


_STATA = tuple(bytes([release]) for release in range(0x69, 0x77))  # 105 to 118, of which the old have no other mark


def _is_stata(head: bytes) -> bool:
    old = head[:1] in _STATA and head[1:2] in b"\x01\x02" and head[2:3] == b"\x01"
    return head.startswith(b"<stata_dta>") or old


def _is_excel(head: bytes) -> bool:
    zipped = head.startswith(b"PK\x03\x04") and (b"xl/" in head or b"[Content_Types].xml" in head[:100])
    return zipped or head.startswith(b"\xd0\xcf\x11\xe0")


def _bytes(source: Source) -> bytes:
    if not isinstance(source, str):
        return source.read()
    with open(source, "rb") as file:
        return file.read()


def _parquet(source: Source) -> pl.DataFrame:
    import polars as pl

    return pl.read_parquet(source, glob=False, hive_partitioning=False)


def _feather(source: Source) -> pl.DataFrame:
    import polars as pl

    return pl.read_ipc(source)


def _arrow_stream(source: Source) -> pl.DataFrame:
    import polars as pl

    return pl.read_ipc_stream(source)


def _excel(source: Source) -> pl.DataFrame:
    return read_sheet(source).frame


class Sheet(NamedTuple):
    """A sheet that was read."""

    frame: pl.DataFrame
    units: dict[str, str]
    notes: list[str]
    name: str
    names: tuple[str, ...]
    """Of all sheets of the file."""


def read_sheet(source: Source, sheet: str | int | None = None, layout: FileLayout | None = None) -> Sheet:
    """Read a sheet of an Excel file: the one named, by name or number from 1, or the first that holds a table."""
    import polars as pl

    with _needed("Excel"):
        import fastexcel
    book = fastexcel.read_excel(_bytes(source))
    names = book.sheet_names
    notes: list[str] = []
    if sheet is not None:
        tried = [_sheet_number(names, sheet)]
    else:
        tried = list(range(len(names)))
    for number in tried:
        head = book.load_sheet(number, header_row=None, n_rows=200, dtypes="string").to_polars()
        rows = [(k, ["" if cell is None else cell for cell in row]) for k, row in enumerate(head.rows(), 1)]
        full = [row for row in rows if any(cell.strip() for cell in row[1])]
        if len(full) > 1 or len(tried) == 1:
            break
    if sheet is None and len(names) > 1:
        others = f"{len(names) - 1} other{'s' if len(names) > 2 else ''}"
        notes.append(
            Message(
                f"Sheet {names[number]!r} was read, and {others} not; pass ",
                FileOption("sheet", _other(names, number)),
                " for another.",
            )
        )
    found, said = find_layout(full, layout or FileLayout()) if full else (FileLayout(0, (1,)), [])
    lines = found.header or ()
    which = names[number], tuple(names)
    if not full:
        return Sheet(pl.DataFrame(), {}, notes, *which)
    at = lines[0] - 1 if lines else None
    frame = book.load_sheet(
        number, header_row=at, skip_rows=(found.skip or 0) if at is None else len(lines) - 1
    ).to_polars()
    if at is None:
        unnamed = {name: f"x{i}" for i, name in enumerate(frame.columns, 1)}
        return Sheet(frame.rename(unnamed), {}, [*notes, *said], *which)
    cells = dict(rows)
    given, units = joined_names([cells[line] for line in lines])
    named = [name or f"unnamed_{i}" for i, name in enumerate(given, 1)][: frame.width]
    repeated = sorted({name for name in named if named.count(name) > 1})
    if repeated:
        raise InputError(
            f": the sheet has two columns named {repeated[0]!r}", argument="file", remedy="rename one of them"
        )
    frame = frame.rename(dict(zip(frame.columns, named, strict=True)))
    empty = [
        name for name, text in zip(named, given, strict=False) if not text and frame[name].null_count() == frame.height
    ]
    return Sheet(frame.drop(empty), {named[j]: unit for j, unit in units.items()}, [*notes, *said], *which)


def _other(names: Sequence[str], number: int) -> str:
    return names[0 if number else 1]


def _sheet_number(names: Sequence[str], sheet: str | int) -> int:
    text = str(sheet)
    if text in names:
        return list(names).index(text)
    if text.isdecimal() and 1 <= int(text) <= len(names):
        return int(text) - 1
    finding = f"is not a sheet of the file{did_you_mean(text, names)}"
    raise InputError(finding, argument=FileOption("sheet", sheet), remedy=f"Sheets: {listed(names)}")


def _json_lines(source: Source) -> pl.DataFrame:
    import polars as pl

    content = _bytes(source)
    try:
        frame = pl.read_ndjson(content, infer_schema_length=None)
    except pl.exceptions.PolarsError:
        return _json(content)
    return _json(content) if frame.height == 1 and any(kind.is_nested() for kind in frame.dtypes) else frame


def _json_array(source: Source) -> pl.DataFrame:
    return _json(_bytes(source))


def _json(content: bytes) -> pl.DataFrame:
    """Read a list of rows, each an object or a list, or an object of columns."""
    import json

    import polars as pl

    data = json.loads(content)
    if isinstance(data, dict):
        lists = [key for key, value in data.items() if isinstance(value, list)]
        if len(lists) == 1 and data[lists[0]] and all(isinstance(row, dict) for row in data[lists[0]]):
            data = data[lists[0]]  # {"data": [...]}
        elif len(lists) == len(data) and len({len(column) for column in data.values()}) == 1:
            return pl.DataFrame(data, strict=False)
        else:
            data = [data]
    if (
        not isinstance(data, list)
        or not data
        or not (all(isinstance(r, dict) for r in data) or all(isinstance(r, list) for r in data))
    ):
        finding = "The JSON is not a list of rows"
        raise InputError(finding, remedy='write [{"a": 1, "b": 2}, ...], one object per row')
    if isinstance(data[0], list):
        if len({len(row) for row in data}) > 1:
            finding = "The JSON has rows of different lengths"
            raise InputError(finding, remedy="write one object per row")
        names = [str(cell) for cell in data[0]] if all(isinstance(cell, str) for cell in data[0]) else None
        rows = data[1:] if names else data
        columns = names or [f"x{i}" for i in range(1, len(data[0]) + 1)]
        return pl.DataFrame(dict(zip(columns, (list(c) for c in zip(*rows, strict=True)), strict=True)), strict=False)
    return pl.from_dicts(data, infer_schema_length=None)


def _stata(source: Source) -> pl.DataFrame:
    with _needed("Stata"):
        import pandas
    return _from_pandas(pandas.read_stata(io.BytesIO(_bytes(source))))


def _spss(source: Source) -> pl.DataFrame:
    import tempfile
    from pathlib import Path

    with _needed("SPSS"):
        import pandas
        import pyreadstat  # noqa: F401
    with tempfile.TemporaryDirectory() as folder:  # its reader wants a file
        path = Path(folder) / "table.sav"
        path.write_bytes(_bytes(source))
        return _from_pandas(pandas.read_spss(path))


def _from_pandas(frame: Any) -> pl.DataFrame:
    """Return the columns of a dataframe one by one, labels as text."""
    import polars as pl

    columns = {}
    for name in frame.columns:
        series = frame[name]
        cells = series.tolist()
        if str(series.dtype) == "category":
            cells = [None if gap else str(cell) for cell, gap in zip(cells, series.isna(), strict=True)]
        columns[str(name)] = pl.Series(str(name), cells, strict=False, nan_to_null=True)
    return pl.DataFrame(columns)


@contextmanager
def _needed(words: str) -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        finding = f"Reading {words} files needs {error.name}, which is not installed"
        remedy = f"{installing('formats')}, or save the table as CSV or Parquet"
        raise InputError(finding, remedy=remedy) from None


FORMATS: dict[str, FileFormat] = {
    "parquet": FileFormat("Parquet", _begins(b"PAR1"), _parquet),
    "feather": FileFormat("Feather", _begins(b"ARROW1"), _feather),
    "arrow stream": FileFormat("Arrow stream", _begins(b"\xff\xff\xff\xff"), _arrow_stream),
    "json lines": FileFormat("JSON lines", lambda head: head.lstrip().startswith(b"{"), _json_lines),
    "json": FileFormat("JSON", lambda head: head.lstrip().startswith(b"["), _json_array),
    "excel": FileFormat("Excel", _is_excel, _excel, sheets=True),
    "stata": FileFormat("Stata", _is_stata, _stata),
    "spss": FileFormat("SPSS", _begins(b"$FL2", b"$FL3"), _spss),
}
