"""CSV and its kin: encoding and separator, a header, and records that all have as many fields as it has.

polars reads a file whose records are all alike: the same number of fields, and quotes only around whole fields. One
pass over the bytes checks that. Any other file is read again by the standard library's strict parser, which either
names the line of the fault or reads what is merely unusual: empty lines, a quote inside a field, a lone carriage
return. Both give the same cells for the same file.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections import Counter, deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kmerf.core.errors import InputError
from kmerf.reading.formats import ShellArgument
from kmerf.reading.layout import (
    HASH,
    MAX_FOOTNOTES,
    MAX_TITLES,
    FileLayout,
    find_layout,
    is_footnote,
    joined_names,
)
from kmerf.reading.opening import file_error, reading
from kmerf.reading.typed_table import keep_quoted, unquoted

if TYPE_CHECKING:
    import polars as pl

    from kmerf.reading.opening import Origin

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "space"}
SNIFFED = ",;\t|"  # separators that are tried unless the user names one

_SAVE = "save the table as CSV, Parquet or Feather"
SAMPLE = 200  # records that decide which separator it is

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins with the mark of UTF-16, so it is tried first
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True)
class Dialect:
    """How to read a text file."""

    encoding: str
    separator: str
    header: bool = True
    skip: int = 0
    """Lines above the names."""
    names: int = 1
    """Rows of names."""
    comment: str = ""
    """What lines begin with that are left out."""
    end: int | None = None
    """The line at which footnotes begin."""

    @property
    def spoken(self) -> str:
        """The separator, in words."""
        return SEPARATORS.get(self.separator, repr(self.separator))


def find_dialect(origin: Origin, sep: str | None, encoding: str | None, layout: FileLayout) -> Dialect:
    """Find the encoding and the separator from the first lines, unless they are given."""
    encoding = _encoding(origin, encoding)
    sample = _sample(origin, encoding)
    sample = "\n".join(_lines_of(sample, layout))
    header = layout.has_names
    if sep is not None:
        sep = _separator(sep)
        if header or sep in sample:
            _check_separator(origin, sample, sep)
    else:
        sep = sniff(origin.name, sample)
    return Dialect(encoding, sep, header, layout.skip or 0, 1, layout.comment or "")


def with_layout(origin: Origin, dialect: Dialect, layout: FileLayout) -> tuple[Dialect, list[str]]:
    """Find where the table begins, and return the dialect that says so, with notes."""
    asked = replace(dialect, skip=layout.skip or 0, comment=layout.comment or "")
    rows: list[tuple[int, list[str]]] = []
    try:
        with closing(_rows(origin, asked, strict=False)) as records:
            for record in records:
                rows.append(record)
                if len(rows) == SAMPLE:
                    break
    except InputError:
        pass  # reading the whole file will say what is wrong
    if not rows:
        return asked, []
    found, notes = find_layout(rows, layout)
    lines = found.header or ()
    return replace(
        asked, header=bool(lines), skip=found.skip or 0, names=max(1, len(lines)), comment=found.comment or ""
    ), notes


def _lines_of(sample: str, layout: FileLayout) -> list[str]:
    """Return the lines that tell the separator: without titles and comments that begin the sample."""
    lines = sample.splitlines()[layout.header[0] - 1 if layout.header else layout.skip or 0 :]
    comment = layout.comment or ("" if layout.comment == "" else HASH)
    body = [line for line in lines if not (comment and line.lstrip().startswith(comment))]
    lines = body or lines
    if layout.header is None and layout.skip is None:
        bare = 0
        while bare < min(MAX_TITLES, len(lines) - 2) and not any(sep in lines[bare].strip(",;\t| ") for sep in SNIFFED):
            bare += 1
        rest = lines[bare:]
        if bare > 0 and any(sep in rest[0] for sep in SNIFFED):
            return rest
    return lines


def sniff(name: str, sample: str) -> str:
    r"""Return the separator that splits all lines into the same number of fields.

    >>> sniff("a file", "a;b\\n1,5;2\\n3,5;4\\n")
    ';'
    """
    widths = {sep: _widths(sample, sep) for sep in SNIFFED}
    split = {sep: w for sep, w in widths.items() if w and w[0] > 1}
    if not split:
        blanks = {len(line.split()) for line in sample.splitlines()[:SAMPLE] if line.strip()}
        if len(blanks) == 1 and blanks != {1} and '"' not in sample and "\n" in sample.strip():
            raise file_error(name, "seems to be separated by spaces", "pass --sep ' ', or save it with commas")
        return ","
    usual = {sep: Counter(w).most_common(1)[0][0] for sep, w in widths.items() if w}
    most = max((sep for sep in usual if usual[sep] > 1), key=lambda sep: widths[sep].count(usual[sep]), default=",")
    if all(2 * w.count(w[0]) < len(w) for w in split.values()):  # the first line is a title
        return most
    # as many lines as possible agree with the header; of equals, the one that finds the most fields
    return max(split, key=lambda sep: (sum(w == split[sep][0] for w in split[sep]) / len(split[sep]), split[sep][0]))


def _widths(sample: str, sep: str) -> list[int]:
    widths: list[int] = []
    try:
        for row in csv.reader(io.StringIO(sample, newline=""), delimiter=sep):
            widths += [len(row)] if row else []
            if len(widths) == SAMPLE:
                break
    except csv.Error:
        pass  # reading the whole file will say what is wrong
    return widths


def _separator(sep: str) -> str:
    sep = {"\\t": "\t", "tab": "\t", "comma": ",", "semicolon": ";", "space": " "}.get(sep, sep)
    if len(sep) != 1 or sep in '\r\n"\0' or sep.isalnum():
        remedy = "pass one character, such as ',' ';' '|' or 'tab'"
        raise InputError("cannot separate fields", argument=ShellArgument("sep", sep), remedy=remedy)
    return sep


def _check_separator(origin: Origin, sample: str, sep: str) -> None:
    """Refuse a separator that is nowhere in the header where another one would split it."""
    header = sample.splitlines()[0] if sample.splitlines() else ""
    others = [other for other in SNIFFED if other in header]
    if sep not in header and others:
        better = SEPARATORS[others[0]]
        finding = f"has no {SEPARATORS.get(sep, repr(sep))} in its first line, but a {better}"
        raise origin.error(finding, f"leave out --sep, or pass --sep {better}")


def _encoding(origin: Origin, encoding: str | None) -> str:
    if encoding is not None:
        try:
            name = codecs.lookup(encoding).name
            "a".encode(name)  # codecs such as base64 do not make bytes of text
        except (LookupError, ValueError, TypeError):
            remedy = "try utf-8, cp1252 or latin-1"
            raise InputError("is not known", argument=ShellArgument("encoding", encoding), remedy=remedy) from None
        return "utf-8-sig" if name == "utf-8" else name
    for mark, name in _MARKS:
        if origin.head.startswith(mark):
            return name
    head = origin.head[:4096]
    if b"\0" in head:
        if head[1::2].count(0) > 0.4 * len(head) / 2 or head[::2].count(0) > 0.4 * len(head) / 2:
            order = "utf-16-le" if head[1::2].count(0) > head[::2].count(0) else "utf-16-be"
            raise origin.error("looks like UTF-16 without a byte-order mark", f"pass --encoding {order}")
        raise origin.error("is binary, and not a table that is known", _SAVE)
    if head.lstrip()[:1] in (b"{", b"[") or head.lstrip()[:1] == b"<":
        what = "JSON that is not a list of rows" if head.lstrip()[:1] != b"<" else "HTML or XML"
        raise origin.error(f"looks like {what}", _SAVE)
    return "utf-8"


def _sample(origin: Origin, encoding: str) -> str:
    decoder = codecs.getincrementaldecoder(encoding)()
    with decoding(origin, encoding):
        text = decoder.decode(origin.head, origin.whole)
    cut = text.rfind("\n")
    return text if origin.whole or cut < 0 else text[: cut + 1]


@contextmanager
def decoding(origin: Origin, encoding: str) -> Iterator[None]:
    """Turn what goes wrong while bytes become text into one line."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise _undecodable(origin, encoding, error) from None
    except UnicodeError as error:  # UTF-16 without the mark that it must begin with
        raise origin.error(f"is not {encoding} ({error})", "pass another --encoding") from None


def _undecodable(origin: Origin, encoding: str, error: UnicodeDecodeError) -> InputError:
    """Name the byte and, by going through the lines again, where it is."""
    byte, spot = error.object[error.start], ""
    if encoding.startswith("utf-8"):
        with origin.open() as stream:
            for number, line in enumerate(stream, 1):
                try:
                    line.decode("utf-8")
                except UnicodeDecodeError as again:
                    byte, spot = line[again.start], f" in line {number}"
                    break
    tried = "UTF-8" if encoding.startswith("utf-8") else encoding
    remedy = "pass --encoding cp1252 if it is from Windows, or save it as UTF-8"
    return origin.error(f"is not {tried}: byte 0x{byte:02x}{spot} does not belong", remedy)


PARCEL = 20_000  # records that are Python objects at any one time
BLOCK = 1 << 22  # bytes that are looked at together
MAX_FIELD = 1 << 20  # characters of one field

_QUOTE, _RETURN, _NEWLINE = b'"\r\n'
_BYTE_ORDER_MARK = "\ufeff".encode()

_Parcel = tuple[tuple[str, ...], ...]  # columns of some records


def read_head(origin: Origin, dialect: Dialect) -> tuple[tuple[str, ...], dict[int, str]]:
    """Return the names of the columns, without blanks around them, and units by column where a second row has some."""
    with closing(_rows(origin, dialect)) as rows:
        records = [cells for _, (_, cells) in zip(range(dialect.names), rows, strict=False)] or [[]]
    if not dialect.header:
        return tuple(f"x{i}" for i in range(1, len(records[0]) + 1)), {}
    if len({len(cells) for cells in records}) > 1:
        records = records[:1]
    names, units = joined_names([[unquoted(name.strip()) for name in cells] for cells in records])
    return tuple(names), units


def read_header(origin: Origin, dialect: Dialect) -> tuple[str, ...]:
    """Return the names of the columns."""
    return read_head(origin, dialect)[0]


def read_columns(origin: Origin, dialect: Dialect, width: int, footer: int | None) -> tuple[list[pl.Series], list[str]]:
    """Return the cells below the header as text, one series a column; an empty list if there are none. And notes.

    A cell that is empty is the empty text or null. `footer` rows at the end are left out; if None, footnotes that have
    fewer fields than the table.
    """
    columns = columns_by_polars(origin, dialect, width) if not footer else None
    if columns is not None:
        return columns, []
    end, notes = _find_end(origin, dialect, width, footer)
    return columns_by_csv(origin, replace(dialect, end=end), width), notes


def _find_end(origin: Origin, dialect: Dialect, width: int, footer: int | None) -> tuple[int | None, list[str]]:
    """Return the line at which footnotes begin, or the last `footer` records; None if there are none."""
    last: deque[tuple[int, list[str]]] = deque(maxlen=(footer or MAX_FOOTNOTES) + 1)
    with closing(_rows(origin, dialect, strict=False)) as rows:
        last.extend(rows)
    if footer is not None:
        return (last[1][0] if footer and len(last) > footer else None), []
    notes: list[tuple[int, list[str]]] = []
    while last and len(last[-1][1]) < width:
        notes.insert(0, last.pop())
    if not notes or not last or not is_footnote(notes[0][1], apart=last[-1][0] + 1 < notes[0][0]):
        return None, []
    what = "line is a footnote" if len(notes) == 1 else f"{len(notes)} lines are footnotes"
    return notes[0][0], [f"The last {what}, such as {notes[0][1][0].strip()[:40]!r}, and left out."]


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
    below = frame.slice(dialect.names) if dialect.header else frame
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
    data = _without_lines(data, dialect)
    return keep_quoted(data.rstrip(b"\r\n"), dialect.separator) + b"\n"


def _without_lines(data: bytes, dialect: Dialect) -> bytes:
    """Return a file without titles and comments."""
    for _ in range(dialect.skip):
        data = data[data.find(b"\n") + 1 :] if b"\n" in data else b""
    mark = dialect.comment.encode()
    if not mark or mark not in data:
        return data
    lines, inside = [], False
    for line in data.splitlines(keepends=True):
        if inside or not line.lstrip(b" \t").startswith(mark):
            lines.append(line)
            inside ^= line.count(b'"') % 2 == 1
    return b"".join(lines)


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
        if not due.all() or len(due) != is_end.sum() or longest > MAX_FIELD:
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
    for _ in range(dialect.names if dialect.header else 0):
        next(rows, None)
    parcels = [
        [pl.Series(cells, dtype=pl.String) for cells in parcel] for parcel in _parcels(origin, dialect, rows, width)
    ]
    return [pl.concat(parts) for parts in zip(*parcels, strict=True)]


def _rows(origin: Origin, dialect: Dialect, *, strict: bool = True) -> Generator[tuple[int, list[str]], None, None]:
    """Yield the line and the fields of each record, without those that are empty."""
    csv.field_size_limit(MAX_FIELD)
    with reading(origin.name), decoding(origin, dialect.encoding), origin.open() as stream:
        lines = io.TextIOWrapper(stream, encoding=dialect.encoding, newline="")
        blank = dialect.separator == " "
        marked = (
            keep_quoted(line.encode(), dialect.separator).decode() if '"NA"' in line else line
            for line in _table_lines(lines, dialect)
        )
        reader = csv.reader(marked, delimiter=dialect.separator, strict=strict, skipinitialspace=blank)
        begun = 1
        try:
            for row in reader:
                if begun == dialect.end:
                    return
                if row and (len(row) > 1 or row[0].strip()):
                    yield begun, row
                begun = reader.line_num + 1
        except csv.Error as error:
            raise _csv_fault(origin, begun, str(error)) from None


def _table_lines(lines: Iterable[str], dialect: Dialect) -> Iterator[str]:
    """Yield lines, empty ones in the place of titles and comments, so that they can be counted."""
    inside = False
    for number, line in enumerate(lines):
        title = number < dialect.skip
        if title or (not inside and dialect.comment and line.lstrip(" \t").startswith(dialect.comment)):
            yield "\n"
            continue
        inside ^= line.count('"') % 2 == 1
        yield line


def _csv_fault(origin: Origin, line: int, fault: str) -> InputError:
    if "end of data" in fault or "field larger" in fault:
        finding, remedy = 'a quote (") is opened and never closed', "close it, or double the quotes inside the text"
    elif "expected after" in fault:
        finding = 'text follows a closing quote (")'
        remedy = "put a separator there, or double the quotes inside the text"
    else:
        finding, remedy = f"the line cannot be parsed ({fault})", "mend it"
    return origin.error(f": {finding}", remedy, line)


def _parcels(origin: Origin, dialect: Dialect, rows: Iterator[tuple[int, list[str]]], width: int) -> Iterator[_Parcel]:
    records: list[list[str]] = []
    for line, row in rows:
        if len(row) != width:
            raise _ragged(origin, dialect, line, len(row), width)
        records.append(row)
        if len(records) == PARCEL:
            yield tuple(zip(*records, strict=True))
            records = []
    if records:
        yield tuple(zip(*records, strict=True))


def _ragged(origin: Origin, dialect: Dialect, line: int, fields: int, width: int) -> InputError:
    counted = "1 field" if fields == 1 else f"{fields} fields"
    what = "the header has" if dialect.header else "the first line has"
    remedy = "mend the line, or put quotes around text that holds the separator"
    if dialect.header and fields == width + 1:
        remedy += "; or, if row names have no header, give them one"
    finding = f": {counted} where {what} {width} (separator: {dialect.spoken})"
    return origin.error(finding, remedy, line)
