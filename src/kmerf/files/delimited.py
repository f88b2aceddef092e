"""CSV and its kin: a header, and records that all have as many fields as it has.

polars reads a file whose records are all alike: the same number of fields, and quotes only around whole fields. One
pass over the bytes checks that. Any other file is read again by the standard library's strict parser, which either
names the line of the fault or reads what is merely unusual: empty lines, a quote inside a field, a lone carriage
return. Both give the same cells for the same file.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Generator, Iterator
from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kmerf.core.errors import InputError
from kmerf.files.dialects import decoding
from kmerf.files.missing_cells import keep_quoted, unquoted
from kmerf.files.opening import reading

if TYPE_CHECKING:
    import polars as pl

    from kmerf.files.dialects import Dialect
    from kmerf.files.opening import Origin

PARCEL = 20_000  # records that are Python objects at any one time
BLOCK = 1 << 22  # bytes that are looked at together
LONGEST = 1 << 20  # characters of one field

_QUOTE, _RETURN, _NEWLINE = b'"\r\n'
_BYTE_ORDER_MARK = "\ufeff".encode()

_Parcel = tuple[tuple[str, ...], ...]  # columns of some records


def read_header(origin: Origin, dialect: Dialect) -> tuple[str, ...]:
    """Return the names of the columns, without blanks around them."""
    with closing(_rows(origin, dialect)) as rows:
        _, first = next(rows, (0, []))
    return tuple(unquoted(name.strip()) if dialect.header else f"x{i}" for i, name in enumerate(first, 1))


def read_columns(origin: Origin, dialect: Dialect, width: int) -> list[pl.Series]:
    """Return the cells below the header as text, one series a column; an empty list if there are none.

    A cell that is empty is the empty text or null.
    """
    columns = columns_by_polars(origin, dialect, width)
    return columns_by_csv(origin, dialect, width) if columns is None else columns


def columns_by_polars(origin: Origin, dialect: Dialect, width: int) -> list[pl.Series] | None:
    """Read with polars; None if not all records are alike."""
    import polars as pl

    if width < 2 or dialect.separator == " " or not dialect.separator.isascii():
        return None  # a lone empty field is no record; several blanks separate once; polars wants one byte
    data = _as_utf8(origin, dialect)
    if not dialect.header and (data[:1].isspace() or data.startswith(_BYTE_ORDER_MARK)):
        return None  # that belongs to the first cell, and some versions of polars take it away
    records = count_records(data, ord(dialect.separator), width)
    if records is None:
        return None
    frame = pl.read_csv(
        data,
        has_header=False,
        separator=dialect.separator,
        quote_char='"' if _QUOTE in data else None,
        schema={str(i): pl.String for i in range(width)},
    )
    if frame.height != records:
        return None
    below = frame.slice(1) if dialect.header else frame
    return below.get_columns() if below.height else []


def _as_utf8(origin: Origin, dialect: Dialect) -> bytes:
    """Return the whole file in UTF-8, with one line end after the last record."""
    with reading(origin.name), origin.open() as stream:
        data = stream.read()
    parts: list[bytes] = []
    decoder = codecs.getincrementaldecoder(dialect.encoding)()
    if not (dialect.encoding == "utf-8" and data.isascii()):
        with decoding(origin, dialect.encoding):
            for start in range(0, len(data), BLOCK):
                parts.append(decoder.decode(data[start : start + BLOCK], start + BLOCK >= len(data)).encode())
        data = b"".join(parts)
    return keep_quoted(data.rstrip(b"\r\n"), dialect.separator) + b"\n"


def count_records(data: bytes, separator: int, width: int) -> int | None:
    r"""Return how many records there are; None if not all have `width` fields, or a quote is out of place.

    The last byte must be a line end.

    >>> count_records(b'a,b\n1,"2,\n3"\n', ord(","), 2)
    2
    >>> [count_records(data, ord(","), 2) for data in (b"a,b\n1,2,3\n", b'a,b\n1,"2"3\n', b'a,b\n1,"2\n')]
    [None, None, None]
    """
    content = np.frombuffer(data, dtype=np.uint8)
    careful = _QUOTE in data or _RETURN in data
    count, last, inside = 0, -1, False
    for start in range(0, len(content), BLOCK):
        at = _marks(content[start : start + BLOCK], separator, careful) + start
        if careful:
            quoted = _inside_quotes(content, at, separator, inside)
            if quoted is None:
                return None
            inside = bool(quoted[-1]) if len(quoted) else inside
            at = at[~quoted & (content[at] != _QUOTE) & (content[at] != _RETURN)]
        is_end = content[at] == _NEWLINE
        due = is_end[(width - 1 - count) % width :: width]  # every width-th mark ends a record, and no other does
        longest = np.diff(at, prepend=last).max(initial=0)
        if not due.all() or len(due) != is_end.sum() or longest > LONGEST:
            return None
        count += len(at)
        last = int(at[-1]) if len(at) else last
    return count // width if count % width == 0 and not inside else None


def _marks(block: NDArray[np.uint8], separator: int, careful: bool) -> NDArray[np.intp]:
    """Return where separators and line ends are and, if asked to be careful, quotes and carriage returns."""
    marked = (block == separator) | (block == _NEWLINE)
    if careful:
        marked |= (block == _QUOTE) | (block == _RETURN)
    return np.flatnonzero(marked)


def _inside_quotes(
    content: NDArray[np.uint8], at: NDArray[np.intp], separator: int, inside: bool
) -> NDArray[np.bool_] | None:
    """Return which marks are inside quotes; None if a quote or a carriage return is out of place.

    A mark is inside if the number of quotes up to it is odd. A quote is in its place if it opens or closes a whole
    field, or is one of a doubled pair, whose two quotes close and open in turn.
    """
    kind = content[at]
    quoted: NDArray[np.bool_] = (np.cumsum(kind == _QUOTE) + inside) % 2 == 1
    opening = at[(kind == _QUOTE) & quoted]
    before = content[opening[opening > 0] - 1]
    if not np.isin(before, (separator, _NEWLINE, _QUOTE)).all():
        return None
    after = content[at[(kind == _QUOTE) & ~quoted] + 1]
    if not np.isin(after, (separator, _NEWLINE, _RETURN, _QUOTE)).all():
        return None
    if not (content[at[(kind == _RETURN) & ~quoted] + 1] == _NEWLINE).all():
        return None
    return quoted


def columns_by_csv(origin: Origin, dialect: Dialect, width: int) -> list[pl.Series]:
    """Read with the standard library, or say in which line the fault is."""
    import polars as pl

    rows = _rows(origin, dialect)
    if dialect.header:
        next(rows, None)
    parcels = [
        [pl.Series(cells, dtype=pl.String) for cells in parcel] for parcel in _parcels(origin, dialect, rows, width)
    ]
    return [pl.concat(parts) for parts in zip(*parcels, strict=True)]


def _rows(origin: Origin, dialect: Dialect) -> Generator[tuple[int, list[str]], None, None]:
    """Yield the line and the fields of each record, without those that are empty."""
    csv.field_size_limit(LONGEST)
    with reading(origin.name), decoding(origin, dialect.encoding), origin.open() as stream:
        lines = io.TextIOWrapper(stream, encoding=dialect.encoding, newline="")
        blank = dialect.separator == " "
        kept = (keep_quoted(line.encode(), dialect.separator).decode() if '"NA"' in line else line for line in lines)
        reader = csv.reader(kept, delimiter=dialect.separator, strict=True, skipinitialspace=blank)
        begun = 1
        try:
            for row in reader:
                if row and (len(row) > 1 or row[0].strip()):
                    yield begun, row
                begun = reader.line_num + 1
        except csv.Error as error:
            raise InputError(_csv_fault(origin, begun, str(error))) from None


def _csv_fault(origin: Origin, line: int, fault: str) -> str:
    where = f"{origin.quoted}, line {line}"
    if "end of data" in fault or "field larger" in fault:
        return f'{where}: a quote (") is opened and never closed: close it, or double the quotes inside the text.'
    if "expected after" in fault:
        return (
            f'{where}: text follows a closing quote ("): put a separator there, or double the quotes inside the text.'
        )
    return f"{where}: the line cannot be parsed ({fault}): mend it."


def _parcels(origin: Origin, dialect: Dialect, rows: Iterator[tuple[int, list[str]]], width: int) -> Iterator[_Parcel]:
    held: list[list[str]] = []
    for line, row in rows:
        if len(row) != width:
            raise InputError(_ragged(origin, dialect, line, len(row), width))
        held.append(row)
        if len(held) == PARCEL:
            yield tuple(zip(*held, strict=True))
            held = []
    if held:
        yield tuple(zip(*held, strict=True))


def _ragged(origin: Origin, dialect: Dialect, line: int, fields: int, width: int) -> str:
    counted = "1 field" if fields == 1 else f"{fields} fields"
    what = "the header has" if dialect.header else "the first line has"
    remedy = "mend the line, or put quotes around text that holds the separator"
    if dialect.header and fields == width + 1:
        remedy += "; or, if row names have no header, give them one"
    return f"{origin.quoted}, line {line}: {counted} where {what} {width} (separator: {dialect.spoken}): {remedy}."
