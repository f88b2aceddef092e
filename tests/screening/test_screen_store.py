"""A screen with a store: stopped anywhere, it goes on to the same bits, and nothing is used for another screen."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

import kmerf
from kmerf import baselines, study
from kmerf.core.errors import InputError, KmerfWarning, StoreWarning
from kmerf.screening.screen_store import fingerprint
from kmerf.screening.screening import screen
from kmerf.storage import sqlite_file
from studies import PLAN, check_flipped_bytes

SMALL = kmerf.KMERF(kmerf.ForestSpec(n_trees=20))
WAIT = 120  # seconds, for a computer that is busy with other things

# 14 columns without ties and two with, so that there are several patterns and rounds
DATA = """
import numpy as np
rng = np.random.default_rng(0)
x = rng.normal(size=(40, 16))
x[:, 14:] = np.round(x[:, 14:])
y = x[:, 0] + x[:, 15] + rng.normal(size=40)
"""
SLOWLY = """
import sys, time
import kmerf
from kmerf.screening import screen_store
screen_store.FLUSH = 0.0
method = kmerf.KMERF(kmerf.ForestSpec(n_trees=20)) if sys.argv[1] == "KMERF" else kmerf.baselines.Dcorr()
kmerf.screen(x, y, method=method, rng=1, n_jobs=2, store=sys.argv[2], progress=lambda done, total: time.sleep(0.2))
"""


def data():
    names: dict = {}
    exec(DATA, names)
    return names["x"], names["y"]


def ask(x, y, **options):
    return screen(x, y, **{"method": SMALL, "rng": 1, "n_jobs": 1} | options)


def count(path):
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
            return connection.execute("SELECT COUNT(*) FROM task").fetchone()[0]
    except sqlite3.Error:  # not made yet
        return 0


def totals(seen):
    return lambda done, total: seen.append(total)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("method", [SMALL, baselines.Dcorr()], ids=lambda method: method.name)
def test_a_killed_screen_goes_on_to_the_same_bits(tmp_path, method):
    path = tmp_path / "s.sqlite"
    places = os.pathsep.join([str(Path(kmerf.__file__).parent.parent)])
    command = [sys.executable, "-c", DATA + SLOWLY, method.name, str(path)]
    child = subprocess.Popen(command, env=os.environ | {"PYTHONPATH": places}, stderr=subprocess.PIPE)
    end = time.monotonic() + WAIT
    while count(path) < 3:
        assert child.poll() is None, child.stderr.read()
        assert time.monotonic() < end
        time.sleep(0.02)
    child.send_signal(signal.SIGKILL)
    child.communicate()
    before = count(path)
    whole, rest = [], []
    expected = ask(*data(), method=method, progress=totals(whole))
    assert ask(*data(), method=method, store=path, progress=totals(rest)) == expected
    assert 3 <= before < count(path)
    assert 0 < rest[0] < whole[0]  # what was there is not computed again


@pytest.mark.parametrize("method", [SMALL, baselines.Dcorr(), baselines.HHG()], ids=lambda method: method.name)
def test_what_is_there_is_not_computed_again(tmp_path, method):
    x, y = data()
    x[3, 5] = np.nan  # which rivals cannot use: what went wrong is not kept
    path = tmp_path / "s.sqlite"
    plain = ask(x, y, method=method)
    assert ask(x, y, method=method, store=path) == plain
    kept, seen = count(path), []
    assert ask(x, y, method=method, store=path, progress=lambda done, total: seen.append(done)) == plain
    assert count(path) == kept
    assert len(seen) == len(plain.errors)


def test_ctrl_c_keeps_what_was_computed(tmp_path):
    path = tmp_path / "s.sqlite"

    def interrupt(done, total):
        if done > 40:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ask(*data(), store=path, progress=interrupt)
    assert count(path) > 0
    assert ask(*data(), store=path) == ask(*data())


OTHER = {
    "seed": {"rng": 2},
    "trees": {"method": kmerf.KMERF(kmerf.ForestSpec(n_trees=21))},
    "kernel": {"method": kmerf.KMERF(kmerf.ForestSpec(n_trees=20), proximity="all")},
    "rows": {"rows": 30},
}


@pytest.mark.parametrize("options", OTHER.values(), ids=OTHER)
def test_another_screen_uses_nothing_of_it(tmp_path, options):
    path, alone, x, y = tmp_path / "s.sqlite", tmp_path / "t.sqlite", *data()
    ask(x[:, :3], y, store=path)
    before = count(path)
    assert ask(x[:, :3], y, store=path, **options) == ask(x[:, :3], y, store=alone, **options)
    assert count(path) == before + count(alone)


@pytest.mark.parametrize("method", [SMALL, baselines.Dcorr()], ids=lambda method: method.name)
@pytest.mark.parametrize("part", ["x", "y", "classes"])
def test_other_data_use_nothing_of_it(tmp_path, method, part):
    path, alone, x, y = tmp_path / "s.sqlite", tmp_path / "t.sqlite", *data()
    x = np.round(x[:, :2], 1)  # patterns of their own: a null statistic does depend on the pattern and on y alone
    ask(x, y, method=method, store=path)
    before = count(path)
    if part == "x":
        x = np.round(2 * x)
    else:
        y = y > 0 if part == "classes" else y + (np.arange(40) == 7)
    assert ask(x, y, method=method, store=path) == ask(x, y, method=method, store=alone)
    assert count(path) == before + count(alone)


def test_more_refits_go_on_from_fewer(tmp_path):
    x, y = data()
    path, alone = tmp_path / "s.sqlite", tmp_path / "t.sqlite"
    ask(x[:, :14], y, null=kmerf.Permutation(130), store=path)
    before = count(path)
    assert ask(x[:, :14], y, null=kmerf.Permutation(290), store=path) == ask(
        x[:, :14], y, null=kmerf.Permutation(290), store=alone
    )
    assert count(path) < before + count(alone)


def test_other_code_uses_nothing_of_it(tmp_path, monkeypatch):
    path, (x, y) = tmp_path / "s.sqlite", data()
    ask(x[:, :2], y, store=path)
    before = count(path)
    monkeypatch.setattr("kmerf.storage.provenance.__version__", "99.0")
    ask(x[:, :2], y, store=path)
    assert count(path) == 2 * before


def test_the_bar_says_what_was_there(tmp_path, capsys):
    path, (x, y) = tmp_path / "s.sqlite", data()
    ask(x[:, :2], y, store=path)
    capsys.readouterr()
    ask(x[:, :2], y, store=path, progress=True)
    assert f"of the work were in {str(path)!r} already." in capsys.readouterr().err


def test_a_store_that_cannot_be_used_says_why(tmp_path):
    x, y = data()
    studied = tmp_path / "study.sqlite"
    study.run(PLAN, studied, n_jobs=1)
    (tmp_path / "text.sqlite").write_text("not a database at all " * 100)
    cases = [
        ({"store": tmp_path}, "is a directory: name a file in it, such as screen.sqlite"),
        ({"store": studied}, "is not the store of a screen: name another file"),
        ({"store": tmp_path / "text.sqlite"}, "it is not the store of a screen: name another file"),
        ({"store": tmp_path / "none" / "s.sqlite"}, "is in a folder that does not exist: make the folder first"),
        ({"store": "s.sqlite", "rng": None}, "store='s.sqlite' needs a seed, which identifies .*: pass rng=1"),
        ({"store": "s.sqlite", "given": x[:, 0], "method": None}, "stores tests of single columns, .*: leave it out"),
    ]
    for options, says in cases:
        with pytest.raises(InputError, match=says):
            ask(x[:, :2], y, **options)


def test_a_lock_is_waited_for_aloud_and_not_for_ever(tmp_path, monkeypatch):
    path, (x, y) = tmp_path / "s.sqlite", data()
    ask(x[:, :1], y, store=path)
    monkeypatch.setattr(sqlite_file, "SILENT_WAIT", 0.05)
    monkeypatch.setattr(sqlite_file, "PATIENCE", 0.5)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with (
        pytest.warns(KmerfWarning, match="is locked by another program: waiting"),
        pytest.raises(InputError, match="store=.* another program has locked it .*: close that program, and run again"),
    ):
        ask(x[:, :1], y, store=path)
    other.execute("ROLLBACK")
    other.close()


def test_fingerprints_tell_parts_apart():
    values = [(), ("a", "b"), ("ab",), (("a",), "b"), (1,), (1.0,), (True,), (None,), np.arange(2), np.arange(2.0)]
    assert len({fingerprint(value) for value in values}) == len(values)
    assert fingerprint(np.arange(6)[::2]) == fingerprint(np.array([0, 2, 4]))


WRONG = {
    "not a number": "[[[NaN]],[1.0]]",
    "too few statistics": "[[[0.5]],[1.0]]",
    "no statistics": "[[],[]]",
    "another JSON": '{"a": 1}',
    "a number": "7",
    "nothing": "null",
    "no JSON": "[[",
    "empty": "",
    "a p-value of 0": "[0.5,0.0,999,false]",
    "a p-value of 7": "[0.5,7.0,999,false]",
    "text": '["a","b","c","d"]',
    "deep": "[" * 5000 + "]" * 5000,
}


def damage(path, change, values=()):
    with sqlite3.connect(path) as connection:
        connection.execute(change, values)
    connection.close()


def ask_twice(path, method, spoil):
    """Screen with a store, spoil it, and screen again: the same result, one warning, and a sound store."""
    x, y = data()
    x = x[:, 11:]
    expected = ask(x, y, method=method, store=path)
    spoil()
    with pytest.warns(
        StoreWarning, match="s.sqlite' is damaged: .* not as kmerf wrote .*, and computed again"
    ) as heard:
        assert ask(x, y, method=method, store=path) == expected
    assert len(heard) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ask(x, y, method=method, store=path) == expected


@pytest.mark.parametrize("method", [SMALL, baselines.Dcorr()], ids=lambda method: method.name)
@pytest.mark.parametrize("value", WRONG.values(), ids=WRONG)
def test_values_that_this_code_cannot_have_written_are_computed_again(tmp_path, method, value):
    path = tmp_path / "s.sqlite"
    ask_twice(path, method, lambda: damage(path, "UPDATE task SET value = ?", (value,)))


@pytest.mark.parametrize("method", [SMALL, baselines.Dcorr()], ids=lambda method: method.name)
@pytest.mark.parametrize(
    "change",
    [
        "UPDATE task SET value = replace(value, '0.', '1.')",
        "UPDATE task SET value = 99",
        "UPDATE task SET value = x'ff00'",
        "UPDATE task SET value = CAST(x'5bff5d' AS TEXT)",  # no UTF-8
        "UPDATE task SET checksum = x'00'",
        "UPDATE task SET checksum = 'text'",
    ],
)
def test_values_that_do_not_fit_their_checksum_are_computed_again(tmp_path, method, change):
    path = tmp_path / "s.sqlite"
    ask_twice(path, method, lambda: damage(path, change))


@pytest.mark.parametrize("method", [SMALL, baselines.Dcorr()], ids=lambda method: method.name)
def test_plausible_statistics_of_another_task_are_computed_again(tmp_path, method):
    """All statistics 99, and all values those of another key: nothing but a checksum tells."""
    path = tmp_path / "s.sqlite"

    def spoil():
        with sqlite3.connect(path) as connection:
            rows = connection.execute("SELECT key, value FROM task").fetchall()
            for (key, _), (_, other) in zip(rows, [*rows[1:], rows[0]], strict=True):
                alike = re.sub(r"-?[0-9]+\.[0-9e-]+", "99.0", other)
                connection.execute("UPDATE task SET value = ? WHERE key = ?", (alike, key))
        connection.close()

    ask_twice(path, method, spoil)


@pytest.mark.parametrize("method", [SMALL, baselines.Dcorr()], ids=lambda method: method.name)
@pytest.mark.parametrize("value", [value for name, value in WRONG.items() if name != "deep"])
def test_wrong_values_are_refused_even_with_a_checksum_that_fits(tmp_path, method, value):
    path = tmp_path / "s.sqlite"

    def spoil():
        with sqlite3.connect(path) as connection:
            for (key,) in connection.execute("SELECT key FROM task").fetchall():
                fits = sqlite_file.checksum(key, value)
                connection.execute("UPDATE task SET value = ?, checksum = ? WHERE key = ?", (value, fits, key))
        connection.close()

    ask_twice(path, method, spoil)


def test_bytes_that_were_flipped_never_change_a_result(tmp_path):
    path, (x, y) = tmp_path / "s.sqlite", data()

    def again(store):
        return ask(x[:, 12:], y, method=baselines.Dcorr(), store=store)

    check_flipped_bytes(path, tmp_path / "t.sqlite", "store", again, again(path), times=150)


@pytest.mark.parametrize("store", [5, b"s.sqlite", "a\0b"])
def test_what_is_no_path_is_refused(tmp_path, monkeypatch, store):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"^store=.* (is not the name of a file|holds a null character)"):
        ask(*data(), store=store)
    assert os.listdir() == []
