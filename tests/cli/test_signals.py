"""Ctrl-C and SIGTERM: one line, workers gone, nothing computed lost."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="POSIX signals")

WAIT = 120  # seconds, for a computer that is busy with other things


STARTED: list[subprocess.Popen[str]] = []


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{i},{i * i % 17},{(i * i * i) % 23}\n" for i in range(60))
    (tmp_path / "t.csv").write_text("x,z,y\n" + rows, encoding="utf-8")
    yield tmp_path
    while STARTED:
        process = STARTED.pop()
        if process.poll() is None:  # a test that failed has left it
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


def start(*argv, **env):
    # a shell may have made its children ignore Ctrl-C, and nohup the end of the session
    code = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); import runpy; "
    code += "signal.signal(signal.SIGHUP, signal.SIG_DFL); " if hasattr(signal, "SIGHUP") else ""
    code += "sys.argv[0] = 'kmerf'; runpy.run_module('kmerf', run_name='__main__')"
    command = [sys.executable, "-c", code, *argv]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    STARTED.append(subprocess.Popen(command, env={**os.environ, **env}, start_new_session=True, **pipes))
    return STARTED[-1]


def rows_of(store, table):
    try:
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as connection:
            return connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0]
    except sqlite3.Error:
        return 0


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)])
def test_workers_end_with_the_command_and_what_they_did_stays(folder, number, code):
    """Only the command is sent the signal; its pipes close when the last of its workers is gone."""
    tests = ["--simulation", "linear", "--test", "dcorr", "--test", "hsic", "--n", "200", "--p", "20"]
    process = start("power", *tests, "--replicates", "1000000", "--store", "s.sqlite", "--jobs", "2", "-q")
    end = time.monotonic() + WAIT
    while rows_of("s.sqlite", "row") == 0:
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < end
        time.sleep(0.1)
    process.send_signal(number)
    out, err = process.communicate(timeout=WAIT)
    assert process.returncode == code
    assert out == ""
    assert err == "kmerf: stopped: what was computed is in 's.sqlite'; the same command continues from there.\n"
    with sqlite3.connect("s.sqlite") as connection:
        assert connection.execute("SELECT COUNT(*) FROM row").fetchone()[0] > 0
        assert connection.execute("SELECT (SELECT COUNT(*) FROM lease), (SELECT COUNT(*) FROM run)").fetchone() == (
            0,
            0,
        )
    connection.close()


def test_a_screen_that_is_stopped_goes_on(folder):
    lines = [",".join(str((i * k + i * i) % 401) for k in range(1, 41)) for i in range(401)]
    (folder / "wide.csv").write_text(",".join(f"c{k}" for k in range(40)) + "\n" + "\n".join(lines) + "\n")
    command = ["screen", "wide.csv", "--y", "c39", "--seed", "1", "--store", "s.sqlite", "--jobs", "2", "-q"]
    process = start(*command, "--method", "kmerf", "--resamples", "999")  # column by column, for a while
    end = time.monotonic() + WAIT
    while rows_of("s.sqlite", "task") < 4:  # more than the two columns that are tested at a time
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < end
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=WAIT)
    assert process.returncode == 130
    assert "stopped" in err
    assert "s.sqlite" in err
    assert rows_of("s.sqlite", "task") > 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_command_that_compiles_is_not_waited_for(folder, number):
    cache = folder / "cache"
    process = start("screen", "t.csv", "--y", "y", NUMBA_CACHE_DIR=str(cache))
    while "used as" not in process.stderr.readline():  # the data are read, and shown
        assert process.poll() is None
    time.sleep(0.7)
    process.send_signal(number)
    out, err = process.communicate(timeout=WAIT)
    assert (process.returncode, out) == (128 + number, "")
    assert err.splitlines()[-1].startswith("kmerf: stopped: nothing was written")
    assert "Traceback" not in err
    assert not list(cache.rglob("grow.grow-*.nbc"))  # which is what it was compiling


@pytest.mark.parametrize("delay", [0.02, 0.05, 0.1, 0.2, 0.4])
def test_ctrl_c_while_the_command_is_being_loaded_prints_no_traceback(folder, delay):
    process = start("independence", "t.csv", "--y", "y", "--method", "rv")
    end = time.monotonic() + WAIT
    while b"kmerf" not in Path(f"/proc/{process.pid}/cmdline").read_bytes() and time.monotonic() < end:
        time.sleep(0.01)
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=WAIT)
    starting = ("<string>", "site module", "' failed; traceback:")  # the last: of a module that Python itself imports
    if process.returncode == -signal.SIGINT or any(text in err for text in starting):
        pytest.skip("Python itself was still starting")
    assert process.returncode in (0, 130), err
    assert "Traceback" not in err
