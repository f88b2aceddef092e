"""The formats of files: how each is known by its first bytes, and read. A new format is added here, and nowhere else.

Text (CSV and its kin) is what is left where no format knows a file (`kmerf.reading.delimited`). Excel, Stata and SPSS
are read by packages that the extra `formats` brings along.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

from kmerf.core.errors import Argument, InputError, installing

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
    import polars as pl

    with _needed("Excel"):
        import fastexcel  # noqa: F401
    return pl.read_excel(io.BytesIO(_bytes(source)), engine="calamine")


def _json_lines(source: Source) -> pl.DataFrame:
    import polars as pl

    return pl.read_ndjson(_bytes(source), infer_schema_length=None)


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
    "excel": FileFormat("Excel", _is_excel, _excel),
    "stata": FileFormat("Stata", _is_stata, _stata),
    "spss": FileFormat("SPSS", _begins(b"$FL2", b"$FL3"), _spss),
}
