"""The store of a study: one SQLite file, which any number of runs may share and any number of programs may read.

Rows are keyed by cell and replicate and hold nothing that depends on time or machine; how long they took stands in
a table of its own. Runs share the work through *leases*: a run claims what it is about to compute, and its claims hold
as long as it says, every few seconds, that it is alive. Leases only save work. If one is lost (a laptop sleeps, two
clocks differ), a row is computed twice, comes out the same, and is kept once.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from kmerf.core.sqlite_file import FileKind, SqliteFile, open_file
from kmerf.study.design import Key
from kmerf.study.replicate import Item, ReplicateRow

LEASE = 10.0  # seconds for which a run counts as alive after its last sign of life

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

KIND = FileKind(
    name="the store of a study",
    argument="path",
    example="study.sqlite",
    maker="kmerf.study.run(study, path)",
    number=0x6B6D7266,  # "kmrf"
    format=4,
    tables=_TABLES,
)


class Store:
    """An open store; each thread needs one of its own."""

    def __init__(self, file: SqliteFile) -> None:
        self.query = file.query
        self.transaction = file.transaction

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
    with open_file(path, KIND, create=create) as file:
        yield Store(file)


def _believable(now: float) -> tuple[float, float]:
    """Return from when to when a living run can have signed for; later, the clock was set back since it signed."""
    return now, now + 2 * LEASE


def _marks(values: Sequence[Any]) -> str:
    return ",".join("?" * len(values))
