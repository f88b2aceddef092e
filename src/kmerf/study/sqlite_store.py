"""The store of a study: one SQLite file, which any number of runs and programs may share.

Rows are keyed by cell and replicate and hold nothing that depends on time or machine; how long they took stands in
another table. Runs share the work through *leases*: a run claims what it is about to compute, and its claims hold
as long as it says, every few seconds, that it is alive. Leases only save work. If one is lost (a laptop sleeps, two
clocks differ), a row is computed twice, comes out the same, and is kept once.

Each row has a checksum of its values, of the cell that it belongs to and of the number of rows of its replicate. A
replicate whose rows do not all fit their checksums was not written by this code, and is not used.
"""

from __future__ import annotations

import itertools
import numbers
import operator
import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from kmerf.core.errors import StoreWarning, warn
from kmerf.storage.sqlite_file import FileKind, SqliteFile, checksum, open_file
from kmerf.study.design import Item, Key, ReplicateRow

_VALUES = "replicate, part, weight, statistic, permuted, pvalue, checksum"
_WRONG = "are not as kmerf wrote them"
LEASE = 10.0  # seconds for which a run counts as alive after its last sign of life

_TABLES = (
    """CREATE TABLE cell (id INTEGER PRIMARY KEY, code TEXT NOT NULL, test TEXT NOT NULL, data TEXT NOT NULL,
       seed TEXT NOT NULL, UNIQUE (code, test, data, seed))""",
    """CREATE TABLE row (cell INTEGER NOT NULL, replicate INTEGER NOT NULL, part INTEGER NOT NULL, weight REAL NOT NULL,
       statistic REAL, permuted REAL, pvalue REAL, checksum BLOB NOT NULL,
       PRIMARY KEY (cell, replicate, part)) WITHOUT ROWID""",
    """CREATE TABLE timing (cell INTEGER NOT NULL, replicate INTEGER NOT NULL, seconds REAL NOT NULL,
       PRIMARY KEY (cell, replicate)) WITHOUT ROWID""",
    "CREATE TABLE run (id TEXT PRIMARY KEY, until REAL NOT NULL) WITHOUT ROWID",
    """CREATE TABLE lease (cell INTEGER NOT NULL, replicate INTEGER NOT NULL, run TEXT NOT NULL,
       PRIMARY KEY (cell, replicate)) WITHOUT ROWID""",
)

KIND = FileKind(
    name="the store of a study",
    argument="path",
    example="study.sqlite",
    maker="kmerf.study.run(study, path)",
    number=0x6B6D7266,  # "kmrf"
    format=5,
    tables=_TABLES,
)


class Store:
    """An open store; each thread needs another."""

    def __init__(self, file: SqliteFile) -> None:
        self.query = file.query
        self.transaction = file.transaction
        self.damaged = file.damaged
        self.path = file.path
        self._keys: dict[int, Key] = {}

    def register(self, keys: Iterable[Key]) -> dict[Key, int]:
        """Return the number of each cell, making those that are new."""
        new = list(dict.fromkeys(keys))
        with self.transaction() as write:
            write.executemany("INSERT OR IGNORE INTO cell (code, test, data, seed) VALUES (?, ?, ?, ?)", new)
        numbers = self.numbers(new)
        if len(numbers) < len(new):
            raise self.damaged("does not keep the cells that are written to it")
        return numbers

    def numbers(self, keys: Iterable[Key]) -> dict[Key, int]:
        """Return the number of each cell that there is."""
        stored = {key: number for number, key in self.cells().items()}
        return {key: stored[key] for key in keys if key in stored}

    def cells(self) -> dict[int, Key]:
        """Return what each number of a cell stands for."""
        rows = self.query("SELECT id, code, test, data, seed FROM cell")
        self._keys = {number: Key(*map(str, key)) for number, *key in rows}
        return self._keys

    def rows(self, cell: int, replicates: int | None = None) -> list[tuple[Any, ...]]:
        """Return replicate, part, weight, statistic, permuted statistic and p-value of a cell's sound replicates.

        They are sorted by replicate and part; `replicates` is how many of the first ones to return. The damaged ones
        are left out, with a warning.
        """
        sound, damaged = self._sorted_out(cell, replicates)
        if damaged:
            parts = f"{_counted(damaged)} of the store {self.path!r} {_WRONG}"
            warn(f"{parts}, and left out: run the study again.", StoreWarning)
        return sound

    def discard_damaged(self, cells: Iterable[int], replicates: int) -> None:
        """Delete the replicates of cells that are not as they were written, with one warning for all."""
        damaged = [(cell, replicate) for cell in cells for replicate in self._sorted_out(cell, replicates)[1]]
        if not damaged:
            return
        warn(f"{_counted(damaged)} of the store {self.path!r} {_WRONG}, and computed again.", StoreWarning)
        with self.transaction() as write:
            for table in ("row", "timing"):
                write.executemany(f"DELETE FROM {table} WHERE cell = ? AND replicate = ?", damaged)

    def _sorted_out(self, cell: int, replicates: int | None) -> tuple[list[tuple[Any, ...]], list[Any]]:
        """Return the rows of a cell whose replicates are sound, and the replicates that are not."""
        limit, values = ("", ()) if replicates is None else ("AND replicate < ?", (replicates,))
        select = f"SELECT {_VALUES} FROM row WHERE cell = ? {limit} ORDER BY replicate, part"
        stored = self.query(select, (cell, *values))
        sound, damaged, key = list[tuple[Any, ...]](), list[Any](), self._key(cell)
        for replicate, group in itertools.groupby(stored, operator.itemgetter(0)):
            rows = list(group)
            sums = [row_checksum(key, len(rows), part, row[:-1]) for part, row in enumerate(rows)]
            if [row[-1] for row in rows] == sums:
                sound += [row[:-1] for row in rows]
            else:
                damaged.append(replicate)
        return sound, damaged

    def _key(self, cell: int) -> Key | None:
        """Return what a cell is; None for a number that no cell has."""
        if cell not in self._keys:
            self.cells()
        return self._keys.get(cell)

    def write(self, rows: Sequence[ReplicateRow], release: str = "") -> None:
        """Add whole replicates; one that is there already is the same. Give up the leases of a run, if one is named."""
        parts = Counter((row.cell, row.replicate) for row in rows)
        checked = [
            (*row[:7], row_checksum(self._key(row.cell), parts[row.cell, row.replicate], row.part, row[1:7]))
            for row in rows
        ]
        with self.transaction() as write:
            write.executemany("INSERT OR IGNORE INTO row VALUES (?, ?, ?, ?, ?, ?, ?, ?)", checked)
            timed = [(row.cell, row.replicate, row.seconds) for row in rows if row.part == 0]
            write.executemany("INSERT OR IGNORE INTO timing VALUES (?, ?, ?)", timed)
            write.execute("DELETE FROM lease WHERE run = ?", (release,))

    def count(self, cells: Sequence[int], replicates: int) -> int:
        """Return how many of their first replicates these cells have, all cells together."""
        select = f"SELECT COUNT(*) FROM row WHERE cell IN ({_marks(cells)}) AND replicate < ? AND part = 0"
        return int(self.query(select, (*cells, replicates))[0][0])

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
        """Extend the life of a run, and forget those that have not signed; return when to sign again."""
        now = time.time()
        with self.transaction() as write:
            write.execute("INSERT OR REPLACE INTO run VALUES (?, ?)", (run, now + LEASE))
            write.execute("DELETE FROM run WHERE until NOT BETWEEN ? AND ?", _believable(now))
            write.execute("DELETE FROM lease WHERE run NOT IN (SELECT id FROM run)")
        return LEASE / 5

    def has_other_runs(self, run: str) -> bool:
        """Return whether another run is alive and has claimed something."""
        others = "SELECT 1 FROM lease JOIN run ON run.id = lease.run WHERE run.id != ? AND run.until BETWEEN ? AND ?"
        return bool(self.query(others, (run, *_believable(time.time()))))

    def leave(self, run: str) -> None:
        """Forget a run."""
        with self.transaction() as write:
            write.execute("DELETE FROM lease WHERE run = ?", (run,))
            write.execute("DELETE FROM run WHERE id = ?", (run,))


def row_checksum(key: Key | None, parts: int, part: int, values: Sequence[Any]) -> bytes:
    """Return the checksum of one of the parts of a replicate; `values` are its replicate, part, weight, and so on."""
    return checksum(None if key is None else tuple(key), parts, part, *map(_as_kept, values))


def _as_kept(value: Any) -> Any:
    """Return a number as it comes back from SQLite, which has no NaN and keeps NULL."""
    number = float(value) if isinstance(value, numbers.Real) else value
    return None if number != number else number


def _counted(replicates: Sequence[Any]) -> str:
    return "1 replicate" if len(replicates) == 1 else f"{len(replicates)} replicates"


@contextmanager
def open_store(path: str | os.PathLike[str], *, create: bool = False) -> Iterator[Store]:
    """Open a store, or make one."""
    with open_file(path, KIND, create=create) as file:
        yield Store(file)


def _believable(now: float) -> tuple[float, float]:
    """Return from when to when a living run can have signed for; later, the clock was set back since it signed."""
    return now, now + 2 * LEASE


def _marks(values: Sequence[Any]) -> str:
    return ",".join("?" * len(values))
