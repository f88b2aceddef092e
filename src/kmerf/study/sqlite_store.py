"""The store of a study: one SQLite file, which any number of runs may share and any number of programs may read.

Rows are keyed by cell and replicate and hold nothing that depends on time or machine; how long they took stands in
a table of its own. Runs share the work through *leases*: a run claims what it is about to compute, and its claims hold
as long as it says, every few seconds, that it is alive. Leases only save work. If one is lost (a laptop sleeps, two
clocks differ), a row is computed twice, comes out the same, and is kept once.

The journal is SQLite's default: a plain file, no companion files at rest, fit for network folders. Every transaction
takes the write lock when it begins, so a run waits for another one's commit instead of failing; a transaction that
a kill left half done is undone by the next one to open the file.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from kmerf.core.errors import InputError, warn
from kmerf.study.design import Key
from kmerf.study.replicate import Item, ReplicateRow

LEASE = 10.0  # seconds for which a run counts as alive after its last sign of life
PATIENCE = 60.0  # seconds to wait for another writer
QUIET = 5.0  # of which so many without a word

# What SQLite's errors mean for a user, by their primary codes.
_FAULTS = {
    sqlite3.SQLITE_BUSY: f"another program has locked it for {PATIENCE:.0f} s: close that program, and run again",
    sqlite3.SQLITE_FULL: "the disk is full: make room, and run again; what was written before is safe",
    sqlite3.SQLITE_READONLY: "it may only be read: change its permissions, or copy it to where you may write",
    sqlite3.SQLITE_IOERR: "the disk failed, or is full: check it, and run again; what was written before is safe",
    sqlite3.SQLITE_CANTOPEN: "it or its folder may not be opened and written: change their permissions",
    sqlite3.SQLITE_PERM: "it may not be opened: change its permissions",
    sqlite3.SQLITE_CORRUPT: "it is damaged: restore a copy, or name another file to begin again",
    sqlite3.SQLITE_NOTADB: "it is not the store of a study: name another file",
}

_KIND, _FORMAT = 0x6B6D7266, 4  # "kmrf", kept in the header of the file, and the version of the tables

_TABLES = (
    """CREATE TABLE cell (id INTEGER PRIMARY KEY, code TEXT NOT NULL, test TEXT NOT NULL, data TEXT NOT NULL,
       seed TEXT NOT NULL, UNIQUE (code, test, data, seed))""",
    """CREATE TABLE row (cell INTEGER NOT NULL, replicate INTEGER NOT NULL, part INTEGER NOT NULL, weight REAL NOT NULL,
       statistic REAL, permuted REAL, pvalue REAL, PRIMARY KEY (cell, replicate, part)) WITHOUT ROWID""",
    """CREATE TABLE timing (cell INTEGER NOT NULL, replicate INTEGER NOT NULL, seconds REAL NOT NULL,
       PRIMARY KEY (cell, replicate)) WITHOUT ROWID""",
    "CREATE TABLE run (id TEXT PRIMARY KEY, until REAL NOT NULL) WITHOUT ROWID",
    """CREATE TABLE lease (cell INTEGER NOT NULL, replicate INTEGER NOT NULL, run TEXT NOT NULL,
       PRIMARY KEY (cell, replicate)) WITHOUT ROWID""",
)


_NAMES = {statement.split()[2] for statement in _TABLES}


class Store:
    """An open store; each thread needs one of its own."""

    def __init__(self, connection: sqlite3.Connection, path: str) -> None:
        self._connection = connection
        self._path = path

    def query(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """Return all that a statement finds."""
        with explained(self._path):
            return self._patiently(statement, values).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Hold the write lock; commit at the end, or leave everything as it was."""
        with explained(self._path):
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
        end = time.monotonic() + PATIENCE - QUIET
        told = False
        while True:
            try:
                return self._connection.execute(statement, values)  # which waits for a while itself
            except sqlite3.OperationalError as error:
                if _code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                    raise
            if not told:
                warn(f"The store {self._path!r} is locked by another program: waiting for up to {PATIENCE:.0f} s.")
                told = True

    def register(self, keys: Iterable[Key]) -> dict[Key, int]:
        """Return the number of each cell, making those that are new."""
        wanted = list(keys)
        with self.transaction() as write:
            write.executemany("INSERT OR IGNORE INTO cell (code, test, data, seed) VALUES (?, ?, ?, ?)", wanted)
        return self.known(wanted)

    def known(self, keys: Iterable[Key]) -> dict[Key, int]:
        """Return the number of each cell that there is."""
        found = {Key(*key): number for number, *key in self.query("SELECT id, code, test, data, seed FROM cell")}
        return {key: found[key] for key in keys if key in found}

    def write(self, rows: Sequence[ReplicateRow], release: str = "") -> None:
        """Add rows; one that is there already is the same. Give up the leases of a run, if one is named."""
        with self.transaction() as write:
            write.executemany("INSERT OR IGNORE INTO row VALUES (?, ?, ?, ?, ?, ?, ?)", [row[:7] for row in rows])
            timed = [(row.cell, row.replicate, row.seconds) for row in rows if row.part == 0]
            write.executemany("INSERT OR IGNORE INTO timing VALUES (?, ?, ?)", timed)
            write.execute("DELETE FROM lease WHERE run = ?", (release,))

    def count(self, cells: Sequence[int], replicates: int) -> int:
        """Return how many of their first replicates these cells have, all cells together."""
        found = f"SELECT COUNT(*) FROM row WHERE cell IN ({_marks(cells)}) AND replicate < ? AND part = 0"
        return int(self.query(found, (*cells, replicates))[0][0])

    def free(self, cells: Sequence[int], replicates: int, limit: int) -> list[Item]:
        """Return the first `limit` replicates that some of these cells lack and no living run has claimed."""
        taken = set(
            self.query(
                f"""SELECT cell, replicate FROM row WHERE part = 0 AND cell IN ({_marks(cells)})
                UNION ALL SELECT lease.cell, lease.replicate FROM lease JOIN run ON run.id = lease.run
                WHERE run.until BETWEEN ? AND ? AND lease.cell IN ({_marks(cells)})""",
                (*cells, *_believable(time.time()), *cells),
            )
        )
        items: list[Item] = []
        for replicate in range(replicates):
            lacking = tuple(cell for cell in cells if (cell, replicate) not in taken)
            if lacking:
                items.append(Item(replicate, lacking))
            if len(items) == limit:
                break
        return items

    def claim(self, run: str, cells: Sequence[int], replicates: int, limit: int) -> list[Item]:
        """Lease up to `limit` free replicates to a run."""
        if not self.free(cells, replicates, 1):  # asked without the write lock, for a run that waits asks often
            return []
        with self.transaction() as write:
            items = self.free(cells, replicates, limit)
            leases = [(cell, item.replicate, run) for item in items for cell in item.cells]
            write.executemany("INSERT OR REPLACE INTO lease VALUES (?, ?, ?)", leases)
        return items

    def sign(self, run: str) -> float:
        """Let a run live for another while, and bury those that have not signed; return when to sign again."""
        now = time.time()
        with self.transaction() as write:
            write.execute("INSERT OR REPLACE INTO run VALUES (?, ?)", (run, now + LEASE))
            write.execute("DELETE FROM run WHERE until NOT BETWEEN ? AND ?", _believable(now))
            write.execute("DELETE FROM lease WHERE run NOT IN (SELECT id FROM run)")
        return LEASE / 5

    def leave(self, run: str) -> None:
        """Forget a run."""
        with self.transaction() as write:
            write.execute("DELETE FROM lease WHERE run = ?", (run,))
            write.execute("DELETE FROM run WHERE id = ?", (run,))


@contextmanager
def open_store(path: str | os.PathLike[str], *, create: bool = False) -> Iterator[Store]:
    """Open a store, or make one."""
    file = Path(path).absolute()
    if file.is_dir():
        raise InputError(f"path={str(path)!r} is a directory: name a file in it, such as study.sqlite.")
    if not create and not file.exists():
        raise InputError(f"path={str(path)!r} does not exist: kmerf.study.run(study, path) makes it.")
    if not file.parent.is_dir():
        raise InputError(f"path={str(path)!r} is in a folder that does not exist: make the folder first.")
    address = f"{file.as_uri()}?mode={'rwc' if create else 'rw'}"
    with explained(str(path)):
        opened = sqlite3.connect(address, uri=True, timeout=QUIET, isolation_level=None)
    with closing(opened) as connection:
        store = Store(connection, str(path))
        _check(store, str(path), create)
        yield store


@contextmanager
def explained(path: str) -> Iterator[None]:
    """Say what an error of SQLite means, and what to do."""
    try:
        yield
    except sqlite3.Error as error:
        known = _FAULTS.get(_code(error))
        if known is None:
            raise
        raise InputError(f"path={path!r} could not be used as a store ({error}): {known}.") from error


def _code(error: sqlite3.Error) -> int:
    """Return the primary code of an error; errors of Python's own have none."""
    code: int = getattr(error, "sqlite_errorcode", -1)
    return code & 0xFF if code >= 0 else code


def _believable(now: float) -> tuple[float, float]:
    """Return from when to when a living run can have signed for; later, the clock was set back since it signed."""
    return now, now + 2 * LEASE


def _check(store: Store, path: str, create: bool) -> None:
    """Make the tables of a new file; refuse a file that is something else."""
    if create and not store.query("SELECT 1 FROM sqlite_master"):
        with store.transaction() as write:
            if not store.query("SELECT 1 FROM sqlite_master"):  # another run may have been faster
                for statement in (*_TABLES, f"PRAGMA application_id = {_KIND}", f"PRAGMA user_version = {_FORMAT}"):
                    write.execute(statement)
    if store.query("PRAGMA application_id") != [(_KIND,)]:
        raise InputError(f"path={path!r} is not the store of a study: name another file.")
    if store.query("PRAGMA user_version") != [(_FORMAT,)]:
        raise InputError(f"path={path!r} was made by another version of kmerf.study: name another file.")
    lost = sorted(_NAMES - {name for (name,) in store.query("SELECT name FROM sqlite_master")})
    if lost:
        remedy = "restore a copy, or name another file to begin again"
        raise InputError(f"path={path!r} is damaged: it lacks the table {', '.join(map(repr, lost))}: {remedy}.")


def _marks(values: Sequence[Any]) -> str:
    return ",".join("?" * len(values))
