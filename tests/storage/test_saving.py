"""Files are there whole or not at all, keep their mode and replace nothing else; results come back from them."""

from __future__ import annotations

import json
import os
import stat
import threading

import pytest

import kmerf
from kmerf.core.errors import InputError
from kmerf.storage import saving
from kmerf.storage.saving import load, save

KINDS = {"independence": "Result", "ksample": "Result", "screen": "Screen"}
posix = pytest.mark.skipif(os.name != "posix", reason="devices, pipes and modes of POSIX")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_a_file_is_there_whole_or_not_at_all(folder, monkeypatch, error):
    saving.write_text("a.csv", "one")

    def fail(*paths):
        raise error

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(KeyboardInterrupt if error is KeyboardInterrupt else InputError):
        saving.write_text("a.csv", "two")
    assert (folder / "a.csv").read_text() == "one"
    assert os.listdir() == ["a.csv"]


@posix
def test_an_existing_file_keeps_its_mode_and_a_new_one_has_the_usual(folder):
    (folder / "old").touch()
    os.chmod("old", 0o640)
    saving.write_text("old", "text")
    assert mode("old") == 0o640
    before = os.umask(0o027)
    try:
        saving.write_text("new", "text")
    finally:
        os.umask(before)
    assert mode("new") == 0o640


@posix
def test_a_link_stays_and_its_file_is_replaced(folder):
    (folder / "there").mkdir()
    (folder / "there" / "file").write_text("before")
    os.symlink("there/file", "link")
    saving.write_text("link", "after")
    assert os.readlink("link") == "there/file"
    assert (folder / "there" / "file").read_text() == "after"
    assert sorted(os.listdir("there")) == ["file"]


@posix
def test_a_link_to_nothing_yet_makes_the_file(folder):
    os.symlink("file", "link")
    saving.write_text("link", "text")
    assert os.path.islink("link")
    assert (folder / "file").read_text() == "text"


@posix
def test_a_device_is_written_into(folder):
    os.symlink(os.devnull, "null")
    for path in (os.devnull, "null"):
        saving.write_text(path, "text")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    assert os.path.islink("null")


@posix
def test_a_pipe_is_written_into(folder):
    os.mkfifo("pipe")
    read = []
    reader = threading.Thread(target=lambda: read.append((folder / "pipe").read_text()))
    reader.start()
    saving.write_text("pipe", "text")
    reader.join()
    assert read == ["text"]
    assert stat.S_ISFIFO(os.stat("pipe").st_mode)


@posix
def test_a_full_device_is_an_error_of_the_place(folder):
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full")
    with pytest.raises(InputError, match="path='/dev/full' could not be written .*No space left.*choose another place"):
        saving.write_text("/dev/full", "text")


def test_a_folder_that_is_not_there(folder):
    with pytest.raises(InputError, match="could not be written .*No such file.*choose another place"):
        saving.write_text("none/a.csv", "text")


def test_a_result_comes_back_as_it_was(tmp_path):
    save(tmp_path / "r.json", "screen", {"a": [1.5, None]})
    assert load(tmp_path / "r.json", "Screen", KINDS) == {"a": [1.5, None]}
    with pytest.raises(InputError, match=r"holds the outcome of screen: use kmerf.Screen.load"):
        load(tmp_path / "r.json", "Result", KINDS)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "could not be read"),
        ("{", "holds no JSON"),
        ('{"command": "independence", "schema": 1, "result": {"pvalue": NaN}}', "holds no JSON"),
        ('{"command": "independence", "schema": 1, "result": {"pvalue": -Infinity}}', "holds no JSON"),
        ("[1]", "holds no result of kmerf"),
        ('{"command": "screen", "result": 1}', "holds no result of kmerf"),
        (json.dumps({"command": "ksample", "result": {}, "schema": 0, "kmerf": "0.0"}), "written by kmerf 0.0"),
    ],
)
def test_what_is_no_result_is_refused(tmp_path, content, says):
    path = tmp_path / "r.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(InputError, match=says):
        load(path, "Result", KINDS)


@pytest.mark.parametrize("path", [5, None, b"bytes", "a\0b", ["a"]])
def test_what_is_no_path_is_refused(folder, path):
    result = kmerf.independence(range(6), [1, 3, 2, 5, 4, 6], method="rv", rng=1)
    says = "holds a null character" if path == "a\0b" else "is not the name of a file"
    for use in (result.save, result.report, kmerf.Result.load):
        with pytest.raises(InputError, match=says):
            use(path)
    assert os.listdir() == []


@posix
def test_threads_leave_the_umask_alone(folder):
    """A file that another thread makes meanwhile must not become writable by everybody."""
    seen, done = set(), threading.Event()

    def watch():
        while not done.is_set():
            handle = os.open("watched", os.O_CREAT | os.O_WRONLY, 0o666)
            os.close(handle)
            seen.add(mode("watched"))
            os.unlink("watched")

    before = os.umask(0o027)
    try:
        watcher = threading.Thread(target=watch)
        watcher.start()
        for number in range(300):
            saving.write_text(f"new{number % 3}", "text")
            os.unlink(f"new{number % 3}")
        done.set()
        watcher.join()
    finally:
        done.set()
        os.umask(before)
    assert seen == {0o640}
