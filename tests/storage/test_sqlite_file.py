"""Files of a kind: made, opened again, and refused where they are something else; the store of a study has more."""

from __future__ import annotations

import sqlite3

import pytest

from kmerf.core.errors import InputError
from kmerf.storage.sqlite_file import FileKind, open_file

KIND = FileKind("a box", "box", "box.sqlite", "make_box(path)", 17, 2, ("CREATE TABLE thing (name TEXT)",))


def put(path, *names, kind=KIND):
    with open_file(path, kind, create=True) as file, file.transaction() as write:
        write.executemany("INSERT INTO thing VALUES (?)", [(name,) for name in names])


def held(path, kind=KIND):
    with open_file(path, kind) as file:
        return [name for (name,) in file.query("SELECT name FROM thing")]


def test_what_was_put_in_is_there_when_it_is_opened_again(tmp_path):
    put(tmp_path / "b.sqlite", "cup")
    put(tmp_path / "b.sqlite", "pen")
    assert held(tmp_path / "b.sqlite") == ["cup", "pen"]


def fail_after_deleting(file):
    with file.transaction() as write:
        write.execute("DELETE FROM thing")
        write.execute("DELETE FROM things")


def test_a_transaction_that_fails_leaves_everything_as_it_was(tmp_path):
    put(tmp_path / "b.sqlite", "cup")
    with open_file(tmp_path / "b.sqlite", KIND) as file:
        with pytest.raises(sqlite3.OperationalError, match="no such table: things"):
            fail_after_deleting(file)
        put(tmp_path / "b.sqlite", "pen")  # the lock is free again
    assert held(tmp_path / "b.sqlite") == ["cup", "pen"]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        (".", "is a directory: name a file in it, such as box.sqlite."),
        ("none.sqlite", "does not exist: make_box(path) makes it."),
        ("none/b.sqlite", "does not exist: make_box(path) makes it."),
        ("text.sqlite", "it is not a box: name another file."),
        ("table.sqlite", "is not a box: name another file."),
        ("old.sqlite", "was made by another version of kmerf: name another file."),
        ("lost.sqlite", "is damaged: it lacks the table 'thing': restore a copy, or name another file to begin again."),
    ],
)
def test_other_files_are_refused(tmp_path, name, says):
    (tmp_path / "text.sqlite").write_text("not a database at all " * 100)
    with sqlite3.connect(tmp_path / "table.sqlite") as connection:
        connection.execute("CREATE TABLE thing (name TEXT)")
    connection.close()
    put(tmp_path / "old.sqlite", kind=KIND._replace(format=1))
    put(tmp_path / "lost.sqlite")
    with sqlite3.connect(tmp_path / "lost.sqlite") as connection:
        connection.execute("DROP TABLE thing")
    connection.close()
    with pytest.raises(InputError) as caught:
        held(tmp_path / name)
    assert str(caught.value).startswith("box=")
    assert str(caught.value).endswith(says)


def test_a_new_file_needs_its_folder(tmp_path):
    with pytest.raises(InputError, match="is in a folder that does not exist: make the folder first"):
        put(tmp_path / "none" / "b.sqlite")


def test_tables_that_are_not_as_they_are_made_are_refused(tmp_path):
    put(tmp_path / "b.sqlite", "cup")
    with sqlite3.connect(tmp_path / "b.sqlite") as connection:
        connection.execute("ALTER TABLE thing RENAME COLUMN name TO label")
    connection.close()
    with pytest.raises(InputError, match="is damaged: it lacks the table 'thing'"):
        held(tmp_path / "b.sqlite")


@pytest.mark.parametrize(
    ("path", "says"),
    [(5, "box=5 is not the name of a file: pass a text"), ("a\0b", r"box='a\\x00b' holds a null character")],
)
def test_what_is_no_path_is_refused(tmp_path, monkeypatch, path, says):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=says):
        put(path)
    assert list(tmp_path.iterdir()) == []


def test_a_header_that_sqlite_does_not_know_is_damage(tmp_path):
    put(tmp_path / "b.sqlite", "cup")
    content = bytearray((tmp_path / "b.sqlite").read_bytes())
    content[44:48] = b"\x00\x00\x00\x63"  # the format of the schema
    (tmp_path / "b.sqlite").write_bytes(content)
    with pytest.raises(InputError, match=r"\(unsupported file format\): it is damaged: restore a copy"):
        put(tmp_path / "b.sqlite", "pen")
