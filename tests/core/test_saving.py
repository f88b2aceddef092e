"""Files are there whole or not at all, and results come back from them."""

import json
import os
import stat
import sys

import pytest

from kmerf.core.errors import InputError
from kmerf.core.saving import in_place, load, save, write_text


def test_a_failure_leaves_the_old_file_and_nothing_beside_it(tmp_path):
    place = tmp_path / "a.txt"
    write_text(place, "old")

    def fail(temporary):
        with open(temporary, "w") as file:
            file.write("half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        in_place(place, fail)
    assert place.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
def test_others_may_read_a_file_as_any_other_new_one(tmp_path):
    (tmp_path / "plain").write_text("")
    write_text(tmp_path / "ours", "")
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("plain", "ours")]
    assert modes[0] == modes[1]


def test_a_place_that_cannot_be_written_to_is_named(tmp_path):
    with pytest.raises(InputError, match=r"--out='.*none.a.txt' could not be written \(No such file.*another place"):
        write_text(tmp_path / "none" / "a.txt", "text", "--out=")


def test_a_result_comes_back_as_it_was(tmp_path):
    save(tmp_path / "r.json", "screen", {"a": [1.5, None]})
    assert load(tmp_path / "r.json", "Screen") == {"a": [1.5, None]}
    with pytest.raises(InputError, match=r"holds the outcome of screen: use kmerf.Screen.load"):
        load(tmp_path / "r.json", "Result")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "could not be read"),
        ("{", "holds no JSON"),
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
        load(path, "Result")
