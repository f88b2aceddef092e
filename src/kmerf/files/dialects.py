"""How a text file is written: its encoding, and the character between fields."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kmerf.core.errors import InputError

if TYPE_CHECKING:
    from kmerf.files.opening import Origin

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "space"}
SNIFFED = ",;\t|"  # separators that are tried unless the user names one

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

    @property
    def spoken(self) -> str:
        """The separator, in words."""
        return SEPARATORS.get(self.separator, repr(self.separator))


def find_dialect(origin: Origin, sep: str | None, encoding: str | None, header: bool) -> Dialect:
    """Find the encoding and the separator from the first lines, unless they are given."""
    encoding = _encoding(origin, encoding)
    sample = _sample(origin, encoding)
    if sep is not None:
        sep = _separator(sep)
        if not header and sep not in sample:
            return Dialect(encoding, sep, header)
        _check_separator(origin, sample, sep)
        return Dialect(encoding, sep, header)
    return Dialect(encoding, sniff(origin.name, sample), header)


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
            raise InputError(f"{name!r} seems to be separated by spaces: pass --sep ' ', or save it with commas.")
        return ","
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
        raise InputError(f"--sep {sep!r} cannot separate fields: pass one character, such as ',' ';' '|' or 'tab'.")
    return sep


def _check_separator(origin: Origin, sample: str, sep: str) -> None:
    """Refuse a separator that is nowhere in the header where another one would split it."""
    header = sample.splitlines()[0] if sample.splitlines() else ""
    others = [other for other in SNIFFED if other in header]
    if sep not in header and others:
        better = SEPARATORS[others[0]]
        raise InputError(
            f"{origin.quoted} has no {SEPARATORS.get(sep, repr(sep))} in its first line, but a {better}: "
            f"leave out --sep, or pass --sep {better}."
        )


def _encoding(origin: Origin, encoding: str | None) -> str:
    if encoding is not None:
        try:
            name = codecs.lookup(encoding).name
            "a".encode(name)  # codecs such as base64 do not make bytes of text
        except (LookupError, ValueError, TypeError):
            raise InputError(f"--encoding {encoding!r} is not known: try utf-8, cp1252 or latin-1.") from None
        return "utf-8-sig" if name == "utf-8" else name
    for mark, name in _MARKS:
        if origin.head.startswith(mark):
            return name
    head = origin.head[:4096]
    if b"\0" in head:
        if head[1::2].count(0) > 0.4 * len(head) / 2 or head[::2].count(0) > 0.4 * len(head) / 2:
            order = "utf-16-le" if head[1::2].count(0) > head[::2].count(0) else "utf-16-be"
            raise InputError(f"{origin.quoted} looks like UTF-16 without a byte-order mark: pass --encoding {order}.")
        raise InputError(f"{origin.quoted} is binary, and no table that is known: save it as CSV, Parquet or Feather.")
    if head.lstrip()[:1] in (b"{", b"[") or head.lstrip()[:1] == b"<":
        what = "JSON" if head.lstrip()[:1] != b"<" else "HTML or XML"
        raise InputError(f"{origin.quoted} looks like {what}: save the table as CSV, Parquet or Feather.")
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
        raise InputError(_undecodable(origin, encoding, error)) from None
    except UnicodeError as error:  # UTF-16 without the mark that it must begin with
        raise InputError(f"{origin.quoted} is not {encoding} ({error}): pass another --encoding.") from None


def _undecodable(origin: Origin, encoding: str, error: UnicodeDecodeError) -> str:
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
    return f"{origin.quoted} is not {tried}: byte 0x{byte:02x}{spot} does not belong: {remedy}."
