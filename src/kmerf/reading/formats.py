"""Excel, Stata, SPSS and JSON lines: read by polars or pandas, which the extra `formats` brings along."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from kmerf.core.errors import InputError, installing

if TYPE_CHECKING:
    import polars as pl

_STATA = tuple(bytes([release]) for release in range(0x69, 0x77))  # 105 to 118, of which the old have no other mark


def form_of(head: bytes) -> str | None:
    """Return which of these formats a file is in, by its first bytes; None for any other.

    >>> form_of(b'{"a": 1}'), form_of(b"a,b"), form_of(b"$FL2@(#) SPSS DATA FILE")
    ('json lines', None, 'spss')
    """
    if head.startswith(b"PK\x03\x04") and (b"xl/" in head or b"[Content_Types].xml" in head[:100]):
        return "excel"
    if head.startswith(b"\xd0\xcf\x11\xe0"):
        return "excel"
    if head.startswith(b"<stata_dta>") or (head[:1] in _STATA and head[1:2] in b"\x01\x02" and head[2:3] == b"\x01"):
        return "stata"
    if head.startswith((b"$FL2", b"$FL3")):
        return "spss"
    return "json lines" if head.lstrip().startswith(b"{") else None


def named_format(form: str) -> str:
    """Return a format as people write it.

    >>> named_format("spss"), named_format("parquet")
    ('SPSS', 'Parquet')
    """
    return "SPSS" if form == "spss" else form.capitalize()


def read_other(form: str, data: bytes) -> pl.DataFrame:
    """Return the table of a file; of a workbook, its first sheet."""
    frame: pl.DataFrame = _READERS[form](data)
    return frame


def _excel(data: bytes) -> pl.DataFrame:
    import polars as pl

    with _needed("Excel"):
        import fastexcel  # noqa: F401
    return pl.read_excel(io.BytesIO(data), engine="calamine")


def _json_lines(data: bytes) -> pl.DataFrame:
    import polars as pl

    return pl.read_ndjson(data, infer_schema_length=None)


def _stata(data: bytes) -> pl.DataFrame:
    with _needed("Stata"):
        import pandas
    return _from_pandas(pandas.read_stata(io.BytesIO(data)))


def _spss(data: bytes) -> pl.DataFrame:
    import tempfile
    from pathlib import Path

    with _needed("SPSS"):
        import pandas
        import pyreadstat  # noqa: F401
    with tempfile.TemporaryDirectory() as folder:  # its reader wants a file
        path = Path(folder) / "table.sav"
        path.write_bytes(data)
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
def _needed(format_name: str) -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        remedy = f"{installing('formats')}, or save the table as CSV or Parquet"
        missing = f"Reading {format_name} files needs {error.name}, which is not installed"
        raise InputError(f"{missing}: {remedy}.") from None


_READERS: dict[str, Callable[[bytes], Any]] = {
    "excel": _excel,
    "json lines": _json_lines,
    "stata": _stata,
    "spss": _spss,
}
