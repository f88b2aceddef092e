"""A store that cannot be used says why, and what to do; nothing in it is lost, and nothing waits in silence."""

from __future__ import annotations

import re
import sqlite3
import threading
import warnings
from contextlib import suppress

import pytest

from kmerf import Permutation, Portfolio, study
from kmerf.core.errors import InputError, KmerfWarning, StoreWarning
from kmerf.methods.column_tests import EachColumn
from kmerf.methods.ridge import Ridge
from kmerf.storage import sqlite_file
from kmerf.study import sqlite_store
from kmerf.study.design import Item, Key, ReplicateRow
from kmerf.study.sqlite_store import Store, open_store
from studies import LINEAR, Slope, check_flipped_bytes


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
    monkeypatch.setattr(sqlite_file, "SILENT_WAIT", 0.05)
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
    monkeypatch.setattr(sqlite_file, "SILENT_WAIT", 0.05)
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


def spoil(path, change):
    with sqlite3.connect(path) as connection:
        connection.executescript(change)
    connection.close()


@pytest.fixture
def studied(tmp_path):
    """A study with one test of one statistic and one of several, and what it found."""
    few = study.Study(
        {"slope": Slope(), "both": Portfolio(numeric={"line": Ridge(), "columns": EachColumn()})},
        [LINEAR],
        replicates=25,
        seed=3,
        pvalue={"slope": Permutation(19)},
    )
    path = tmp_path / "few.sqlite"
    study.run(few, path, n_jobs=1, backend="threads")
    return few, path, study.load(path), study.power(few, path)


CHANGES = [
    "UPDATE row SET statistic = 99.0",
    "UPDATE row SET permuted = NULL WHERE replicate = 3",
    "UPDATE row SET statistic = 'text'",
    "UPDATE row SET weight = 1e300 WHERE part = 1",
    "UPDATE row SET pvalue = 0.001",
    "UPDATE row SET pvalue = -5.0 WHERE replicate = 1",
    "UPDATE row SET part = 7 WHERE part = 1",
    "UPDATE row SET checksum = x'00' WHERE replicate = 2",
    "UPDATE row SET checksum = 5 WHERE replicate = 2",
    "DELETE FROM row WHERE part = 1 AND replicate = 4",
    "DELETE FROM row WHERE part = 0 AND replicate = 4",
    "INSERT INTO row SELECT cell, replicate, 2, weight, statistic, permuted, pvalue, checksum FROM row WHERE part = 0",
    "UPDATE cell SET id = -id; UPDATE cell SET id = 3 + id",  # rows change their cells
]


UNSEEN = [
    "UPDATE row SET replicate = replicate + 100 WHERE replicate < 10",
    "UPDATE cell SET id = 7 - id",
    "UPDATE cell SET test = 'other'",
    "DELETE FROM row WHERE replicate = 4",
    "DELETE FROM cell",
    "UPDATE timing SET seconds = 'text'",
]  # what is there is not damaged, and does not belong to the study


@pytest.mark.parametrize("change", [*CHANGES, *UNSEEN])
def test_rows_that_this_code_cannot_have_written_are_left_out_and_computed_again(studied, change):
    few, path, rows, powers = studied
    spoil(path, change)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        with suppress(InputError):  # no rows are left
            found = study.power(few, path)
            assert all(each.replicates <= 25 and each.cutoff != 99.0 for each in found)
        study.timings(few, path)
        heard.clear()
        study.run(few, path, n_jobs=1, backend="threads")
    assert [each.category for each in heard] == ([] if change in UNSEEN else [StoreWarning])
    if heard:
        expected = "replicates? of the store .*few.sqlite' are not as kmerf wrote them, and computed again"
        assert re.search(expected, str(heard[0].message))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert study.power(few, path) == powers
        if change in CHANGES:
            assert study.load(path) == rows


def test_what_is_read_says_how_many_replicates_it_leaves_out(studied):
    few, path, _, _ = studied
    spoil(path, "UPDATE row SET statistic = 99.0 WHERE cell = 1 AND replicate IN (3, 8)")
    with pytest.warns(StoreWarning, match=r"2 replicates of the store .* left out: run the study again"):
        found = study.power(few, path)
    assert {each.replicates for each in found if each.test == "slope"} == {23}


def test_a_store_that_forgets_what_is_written_is_refused_and_not_written_for_ever(studied):
    few, path, _, _ = studied
    spoil(path, "DELETE FROM row WHERE replicate = 5")
    spoil(path, "CREATE TRIGGER lose BEFORE INSERT ON row BEGIN SELECT RAISE(IGNORE); END")
    with pytest.raises(
        InputError, match="does not keep the rows that are written to it: it is damaged: restore a copy"
    ):
        study.run(few, path, n_jobs=1, backend="threads")


def test_flipped_bytes_never_change_a_result(studied, tmp_path):
    few, path, _, powers = studied

    def ask(copy):
        study.run(few, copy, n_jobs=1, backend="threads")
        return study.power(few, copy)

    check_flipped_bytes(path, tmp_path / "copy.sqlite", "path", ask, powers, times=60)
