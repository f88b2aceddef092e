"""A store that cannot be used says why, and what to do; nothing in it is lost, and nothing waits in silence."""

from __future__ import annotations

import sqlite3
import threading

import pytest

from kmerf.core import sqlite_file
from kmerf.core.errors import InputError, KmerfWarning
from kmerf.study import sqlite_store
from kmerf.study.design import Key
from kmerf.study.replicate import Item, ReplicateRow
from kmerf.study.sqlite_store import Store, open_store


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "s.sqlite"
    with open_store(path, create=True) as store:
        store.register([Key("c", "t", "d", "0")])
        store.write([row(0)])
    return path


def row(replicate):
    return ReplicateRow(1, replicate, 0, 1.0, 0.5, 0.25, None, 0.1)


def kept(path):
    with open_store(path) as store:
        return [replicate for (replicate,) in store.query("SELECT replicate FROM row")]


def test_a_directory(tmp_path):
    for create in (True, False):
        with pytest.raises(InputError, match="is a directory: name a file in it"), open_store(tmp_path, create=create):
            pass


def test_a_full_disk_loses_nothing_that_was_written(path):
    with open_store(path) as store:
        (pages,) = store.query("PRAGMA page_count")[0]
        store.query(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(InputError, match=r"s\.sqlite' .*the disk is full: make room, and run again; .* safe"):
            store.write([row(k) for k in range(1, 5000)])
        store.query("PRAGMA max_page_count = 1000000")
        store.write([row(1)])  # the store is still of use
    assert kept(path) == [0, 1]


def test_a_file_that_may_only_be_read(path):
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None)
    with pytest.raises(InputError, match="it may only be read: change its permissions, or copy it"):
        Store(sqlite_file.SqliteFile(connection, "s.sqlite", sqlite_store.KIND)).write([row(1)])
    connection.close()
    assert kept(path) == [0]


def test_a_damaged_file(path):
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    with pytest.raises(InputError, match="restore a copy|not the store of a study"):
        kept(path)
    path.write_bytes(b"x" * 5000)
    with pytest.raises(InputError, match="it is not the store of a study: name another file"):
        kept(path)


def test_a_lost_table(path):
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE lease")
    connection.close()
    with pytest.raises(InputError, match="is damaged: it lacks the table 'lease': restore a copy, or name another"):
        kept(path)


def test_a_lock_is_waited_for_aloud_and_not_for_ever(path, monkeypatch):
    monkeypatch.setattr(sqlite_file, "QUIET", 0.05)
    monkeypatch.setattr(sqlite_file, "PATIENCE", 0.5)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with (
        pytest.warns(KmerfWarning, match="is locked by another program: waiting"),
        pytest.raises(InputError, match="another program has locked it .*: close that program, and run again"),
    ):
        kept(path)
    other.execute("ROLLBACK")
    other.close()
    assert kept(path) == [0]


def test_a_lock_that_is_let_go_costs_a_warning_alone(path, monkeypatch):
    monkeypatch.setattr(sqlite_file, "QUIET", 0.05)
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN EXCLUSIVE")
    timer = threading.Timer(0.5, lambda: other.execute("ROLLBACK"))
    timer.start()
    with pytest.warns(KmerfWarning, match="waiting"):
        assert kept(path) == [0]
    timer.join()
    other.close()


def test_a_lease_from_the_future_is_not_waited_for(path, monkeypatch):
    """A clock that was set back leaves leases that end long after their runs did."""
    now = [10_000.0]
    monkeypatch.setattr(sqlite_store.time, "time", lambda: now[0])
    with open_store(path) as store:
        store.sign("before")
        assert store.claim("before", [1], 3, 9) == [Item(1, (1,)), Item(2, (1,))]
        assert store.free([1], 3, 9) == []
        now[0] -= 3600.0
        assert store.free([1], 3, 9) == [Item(1, (1,)), Item(2, (1,))]
        store.sign("after")
        assert store.query("SELECT id FROM run") == [("after",)]
        assert store.query("SELECT * FROM lease") == []
