"""A SQLite file of one kind of ours: opened, checked, read and written with patience, and its faults explained.

The journal is SQLite's default: a plain file, no companion files at rest, fit for network folders. Every transaction
takes the write lock when it begins, so a process waits for another one's commit instead of failing; a transaction that
a kill left half done is undone by the next one to open the file.

SQLite notices damage to the structure of a file, not to the values in it. So every value that a result rests on is kept
with a `checksum`, and one that does not agree with its checksum is not used.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from kmerf.core.errors import Argument, InputError, StoreWarning, warn
from kmerf.storage.saving import check_path

PATIENCE = 60.0  # seconds to wait for another writer
SILENT_WAIT = 5.0  # seconds of them before a warning that we wait

# What SQLite's errors mean for a user, by their primary codes.
_FAULTS = {
    sqlite3.SQLITE_BUSY: f"another program has locked it for {PATIENCE:.0f} s: close that program, and run again",
    sqlite3.SQLITE_FULL: "the disk is full: make room, and run again; what was written before is safe",
    sqlite3.SQLITE_READONLY: "it may only be read: change its permissions, or copy it to where you may write",
    sqlite3.SQLITE_IOERR: "the disk failed, or is full: check it, and run again; what was written before is safe",
    sqlite3.SQLITE_CANTOPEN: "it or its folder may not be opened and written: change their permissions",
    sqlite3.SQLITE_PERM: "it may not be opened: change its permissions",
}
_DAMAGED = "it is damaged: restore a copy, or name another file to begin again"


def checksum(*parts: object) -> bytes:
    """Return what shows that values are as they were written.

    >>> checksum("a", 1.5) == checksum("a", 1.5), checksum("a", 1.5) == checksum("a", 1.25)
    (True, False)
    """
    return hashlib.blake2b(repr(parts).encode(errors="surrogatepass"), digest_size=8).digest()


class FileKind(NamedTuple):
    """What a file holds, and how errors speak of it."""

    name: str  # "the store of a study"
    argument: str  # by which users name it
    example: str  # of a name
    maker: str  # the call that makes one
    number: int  # kept in the header of the file
    format: int  # the version of the tables, kept there too
    tables: tuple[str, ...]  # the statements that make them

    def fault(self, path: str, finding: str, remedy: str) -> InputError:
        """Return an error about a file of this kind."""
        return InputError(finding, argument=Argument(self.argument, path), remedy=remedy)


class SqliteFile:
    """An open file; each thread needs another."""

    def __init__(self, connection: sqlite3.Connection, path: str, kind: FileKind) -> None:
        self._connection = connection
        self.path = path
        self._kind = kind

    def damaged(self, finding: str) -> InputError:
        """Return an error about a file that does not hold what it should."""
        return self._kind.fault(self.path, finding, _DAMAGED)

    def query(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """Return all that a statement finds."""
        with explained(self.path, self._kind):
            return self._patiently(statement, values).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Hold the write lock; commit at the end, or leave everything as it was."""
        with explained(self.path, self._kind):
            self._patiently("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:  # a full disk has ended it already
                    self._connection.execute("ROLLBACK")
                raise

    def _patiently(self, statement: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Execute a statement; say so where another program's lock is being waited for."""
        end = time.monotonic() + PATIENCE - SILENT_WAIT
        warned = False
        while True:
            try:
                return self._connection.execute(statement, values)  # which waits for a while itself
            except sqlite3.OperationalError as error:
                if _code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                    raise
            if not warned:
                locked = f"The store {self.path!r} is locked by another program"
                warn(f"{locked}: waiting for up to {PATIENCE:.0f} s.", StoreWarning)
                warned = True


@contextmanager
def open_file(path: str | os.PathLike[str], kind: FileKind, *, create: bool = False) -> Iterator[SqliteFile]:
    """Open a file of a kind, or make one."""
    check_path(path, kind.argument)
    file, name = Path(path).absolute(), os.fspath(path)
    if file.is_dir():
        raise kind.fault(name, "is a directory", f"name a file in it, such as {kind.example}")
    if not create and not file.exists():
        raise kind.fault(name, "does not exist", f"{kind.maker} makes it")
    if not file.parent.is_dir():
        raise kind.fault(name, "is in a folder that does not exist", "make the folder first")
    address = f"{file.as_uri()}?mode={'rwc' if create else 'rw'}"
    with explained(name, kind):
        opened = sqlite3.connect(address, uri=True, timeout=SILENT_WAIT, isolation_level=None)
    with closing(opened) as connection:
        # text that is not text any more becomes other text, which its checksum does not fit
        connection.text_factory = lambda text: text.decode(errors="replace")
        there = SqliteFile(connection, name, kind)
        try:
            _check(there, name, kind, create)
        except sqlite3.OperationalError as error:  # what is asked here is asked of any file, so the file is to blame
            raise kind.fault(name, f"could not be used as a store ({error})", _DAMAGED) from error
        yield there


@contextmanager
def explained(path: str, kind: FileKind) -> Iterator[None]:
    """Say what an error of SQLite means, and what to do."""
    try:
        yield
    except (MemoryError, UnicodeDecodeError) as error:
        # a damaged file can ask for any amount of memory, and SQLite's message about it can quote what is no text
        raise kind.fault(path, f"could not be used as a store ({type(error).__name__})", _DAMAGED) from error
    except sqlite3.Error as error:
        code = _code(error)
        if code in (-1, sqlite3.SQLITE_ERROR):  # a mistake of our own: the tables were checked when the file was opened
            raise
        other_kind = {sqlite3.SQLITE_NOTADB: f"it is not {kind.name}: name another file"}
        remedy = (_FAULTS | other_kind).get(code, _DAMAGED)
        raise kind.fault(path, f"could not be used as a store ({error})", remedy) from error


def _code(error: sqlite3.Error) -> int:
    """Return the primary code of an error; errors of Python's own have none."""
    code: int = getattr(error, "sqlite_errorcode", -1)
    return code & 0xFF if code >= 0 else code


def _check(file: SqliteFile, path: str, kind: FileKind, create: bool) -> None:
    """Make the tables of a new file; refuse a file that is something else."""
    if create and not file.query("SELECT 1 FROM sqlite_master"):
        with file.transaction() as write:
            if not file.query("SELECT 1 FROM sqlite_master"):  # another process may have been faster
                header = (f"PRAGMA application_id = {kind.number}", f"PRAGMA user_version = {kind.format}")
                for statement in (*kind.tables, *header):
                    write.execute(statement)
    if file.query("PRAGMA application_id") != [(kind.number,)]:
        raise kind.fault(path, f"is not {kind.name}", "name another file")
    if file.query("PRAGMA user_version") != [(kind.format,)]:
        raise kind.fault(path, "was made by another version of kmerf", "name another file")
    tables = {name: str(made).split() for name, made in file.query("SELECT name, sql FROM sqlite_master")}
    expected = {statement.split()[2]: statement.split() for statement in kind.tables}
    wrong = sorted(name for name, made in expected.items() if tables.get(name) != made)
    if wrong:
        remedy = "restore a copy, or name another file to begin again"
        raise kind.fault(path, f"is damaged: it lacks the table {', '.join(map(repr, wrong))}", remedy)
