"""Where bytes come from: a file, or standard input; decompressed, and known by their first bytes."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from kmerf.core.errors import InputError, nearest
from kmerf.reading.formats import ShellArgument, format_of

Opener = Callable[[], AbstractContextManager[BinaryIO]]

HEAD = 1 << 16  # bytes that are looked at before a file is read
CHUNK = 1 << 10  # bytes that are unpacked at a time: the most that they can become is some 30 MB
MAX_UNPACKED, MAX_RATIO = 1 << 30, 200  # bytes, and times its own size, beyond both of which a file is refused

_COMPRESSED = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
_CSV = "save the table as CSV or Parquet"
_REFUSED = {
    b"PK\x03\x04": ("a zip archive", f"unpack it, or {_CSV}"),
    b"FEA1": ("a Feather file of version 1", "write it again with a current pyarrow, pandas or polars"),
    b"\x89HDF": ("an HDF5 file", _CSV),
    b"SQLite format 3": ("an SQLite data base", _CSV),
    b"\x89PNG": ("a picture (PNG)", _CSV),
    b"\xff\xd8\xff": ("a picture (JPEG)", _CSV),
    b"GIF8": ("a picture (GIF)", _CSV),
    b"%PDF": ("a PDF document", _CSV),
    b"\x80\x04\x95": ("a Python pickle", _CSV),
    b"\x80\x05\x95": ("a Python pickle", _CSV),
    b"RDX": ("an R workspace", _CSV),
    b"ORC": ("an ORC file", _CSV),
    b"Obj\x01": ("an Avro file", _CSV),
}


def file_error(name: str, finding: str, remedy: str, line: int = 0) -> InputError:
    """Return an error about a file, or a line of it."""
    return InputError(finding, argument=ShellArgument("file", name, line), remedy=remedy)


@dataclass(frozen=True)
class Origin:
    """Bytes that can be read again from their beginning."""

    name: str
    open: Opener
    form: str
    """"text", or one of `kmerf.reading.formats`."""
    packed: str | None = None
    """The compression that was undone, if any."""
    path: str | None = None
    """The file, if what it holds can be read from there as it is."""
    whole: bool = True
    """Whether `head` is all there is."""
    head: bytes = b""

    def error(self, finding: str, remedy: str, line: int = 0) -> InputError:
        """Return an error about this file, or a line of it."""
        return file_error(self.name, finding, remedy, line)


def find(path: str) -> Origin:
    """Open a file, or standard input where the path is "-", and tell what it holds."""
    name, opener, plain = ("standard input", *_stdin()) if path == "-" else (path, *_file(path))
    head = _head(name, opener)
    packed = next((kind for magic, kind in _COMPRESSED.items() if head.startswith(magic)), None)
    if packed is not None:
        unpacked, plain = _unpacking(name, opener, packed), None
        head = _head(name, unpacked)
        opener = unpacked
    if not head.strip(b"\r\n\t \xef\xbb\xbf\x00"):
        raise file_error(name, "is empty", "it needs a line of column names and a line for every row")
    form = format_of(head)
    for magic, (what, remedy) in _REFUSED.items():
        if form is None and head.startswith(magic):
            raise file_error(name, f"is {what}", remedy)
    return Origin(name, opener, form or "text", packed, plain, len(head) < HEAD, head)


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Turn what goes wrong while bytes are read into one line."""
    try:
        yield
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise file_error(name, f"is compressed, and damaged or cut short ({error})", "copy or make it again") from None
    except IsADirectoryError:
        raise file_error(name, "is a directory", "name one file in it") from None
    except PermissionError:
        remedy = "change its permissions (chmod u+r), or name another file"
        raise file_error(name, "may not be read", remedy) from None
    except OSError as error:
        why = error.strerror or str(error)
        if error.errno is None:  # bz2 has no error of its own
            raise file_error(name, f"is compressed, and damaged ({why})", "copy or make it again") from None
        raise file_error(name, f"cannot be read ({why})", "check the disk, or make the file again") from None


def _stdin() -> tuple[Opener, None]:
    if sys.stdin is None or sys.stdin.isatty():
        raise file_error("-", "stands for standard input, and nothing is piped in", "use kmerf ... - < table.csv")
    with reading("standard input"):
        data = sys.stdin.buffer.read()
    return lambda: cast(BinaryIO, io.BytesIO(data)), None


def _file(path: str) -> tuple[Opener, str | None]:
    if "\0" in path or not path:
        raise file_error(path, "is not the name of a file", "name a CSV, Parquet or Feather file")
    if "://" in path:
        raise file_error(path, "is an address", "download the file first, and name the copy")
    with reading(path):
        try:
            mode = os.stat(path).st_mode
        except FileNotFoundError:
            raise file_error(path, "does not exist", f"check the name{_near(path)}") from None
        if stat.S_ISDIR(mode):
            raise IsADirectoryError
        if stat.S_ISREG(mode):
            return lambda: cast(BinaryIO, open(path, "rb")), path
        data = Path(path).read_bytes()  # a pipe can be read once
    return lambda: cast(BinaryIO, io.BytesIO(data)), None


def _near(path: str) -> str:
    folder = Path(path).parent
    names = [entry.name for entry in os.scandir(folder)] if folder.is_dir() else []
    near = nearest(Path(path).name, names, similarity=0.6)
    return f", did you mean {str(folder / near)!r}?" if near else f", or the folder {str(folder.absolute())!r}"


def _head(name: str, opener: Opener) -> bytes:
    with reading(name), opener() as stream:
        return stream.read(HEAD)


def _unpacking(name: str, opener: Opener, packed: str) -> Opener:
    @contextmanager
    def unpack() -> Iterator[BinaryIO]:
        with opener() as stream:
            size = stream.seek(0, os.SEEK_END)
            stream.seek(0)
            with _unpacked(name, stream, packed) as plain:
                yield cast(BinaryIO, io.BufferedReader(_Limited(name, plain, size)))

    return unpack


def _unpacked(name: str, stream: BinaryIO, packed: str) -> BinaryIO:
    if packed == "gzip":
        return cast(BinaryIO, gzip.GzipFile(fileobj=stream))
    if packed == "bzip2":
        return cast(BinaryIO, bz2.BZ2File(stream))
    if packed == "xz":
        return cast(BinaryIO, lzma.LZMAFile(stream))
    return _zstd(name, stream)


def _zstd(name: str, stream: BinaryIO) -> BinaryIO:
    try:
        import zstandard
    except ImportError:
        remedy = "pip install zstandard, or unpack it with zstd -d"
        raise file_error(name, "is compressed with zstd, which needs another package", remedy) from None
    return cast(BinaryIO, io.BufferedReader(_Zstd(stream, zstandard)))


class _Limited(io.RawIOBase):
    """What was unpacked, as long as it is not so much more than the file that somebody means harm."""

    def __init__(self, name: str, stream: BinaryIO, size: int) -> None:
        self._name, self._stream, self._size, self._done = name, stream, size, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        part = self._stream.read(len(buffer))
        buffer[: len(part)] = part
        self._done += len(part)
        limit = max(MAX_UNPACKED, MAX_RATIO * self._size)
        if self._done > limit:
            finding = f"has {self._size} bytes and unpacks to more than {limit >> 20} MB"
            raise file_error(self._name, finding, "if that is right, unpack it yourself, and name what comes out")
        return len(part)


class _Zstd(io.RawIOBase):
    """A zstd stream that, unlike zstandard's own reader, notices when it is cut short."""

    def __init__(self, stream: BinaryIO, zstandard: Any) -> None:
        self._stream, self._zstandard = stream, zstandard
        self._frame: Any = None
        self._packed, self._ready = b"", memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            self._packed = self._packed or self._stream.read(CHUNK)
            if not self._packed and self._frame is None:
                return 0
            self._unpack()
        size = min(len(buffer), len(self._ready))
        buffer[:size], self._ready = self._ready[:size], self._ready[size:]
        return size

    def _unpack(self) -> None:
        if not self._packed:
            raise EOFError("its last part is incomplete")
        if self._frame is None:
            self._frame = self._zstandard.ZstdDecompressor(max_window_size=2**31).decompressobj()
        try:
            self._ready = memoryview(self._frame.decompress(self._packed))
        except self._zstandard.ZstdError as error:
            raise EOFError(str(error)) from None
        self._packed = self._frame.unused_data if self._frame.eof else b""
        self._frame = None if self._frame.eof else self._frame
