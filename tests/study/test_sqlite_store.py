"""The store: leases, and files that are none."""

import sqlite3

import pytest

from kmerf import InputError, study
from kmerf.study import sqlite_store as store
from kmerf.study.design import Item
from studies import PLAN


def test_leases_keep_others_off_until_they_lapse(tmp_path, monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(store.time, "time", lambda: now[0])
    with store.open_store(tmp_path / "a.sqlite", create=True) as here:
        here.sign("one")
        assert here.claim("one", [1, 2], 4, 3) == [Item(0, (1, 2)), Item(1, (1, 2)), Item(2, (1, 2))]
        here.sign("two")
        assert here.claim("two", [1, 2], 4, 3) == [Item(3, (1, 2))]
        assert here.claim("two", [2, 5], 2, 3) == [Item(0, (5,)), Item(1, (5,))]
        now[0] += store.LEASE + 1
        here.sign("two")  # late, but nobody has taken what it claimed
        assert [item.replicate for item in here.claim("two", [1, 2], 4, 9)] == [0, 1, 2]
        here.write([], release="two")
        assert [item.replicate for item in here.free([1, 2], 4, 9)] == [0, 1, 2, 3]


def test_files_that_are_no_store_are_refused(tmp_path):
    other, text = tmp_path / "other.sqlite", tmp_path / "text.sqlite"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE t (x)")
    connection.close()
    text.write_text("not a database at all " * 100)
    for path in (other, text):
        with pytest.raises(InputError, match="is not the store of a study"):
            study.run(PLAN, path)
    with pytest.raises(InputError, match=r"does not exist: kmerf\.study\.run"):
        study.load(tmp_path / "none.sqlite")
    with pytest.raises(InputError, match="in a folder that does not exist"):
        study.run(PLAN, tmp_path / "none" / "a.sqlite")
