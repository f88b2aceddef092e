"""SIGTERM and SIGHUP end work as Ctrl-C does, and then the process as they would have."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

from kmerf.execution.stopping import Terminated, raise_terminated, signals_interrupt

pytestmark = pytest.mark.skipif(os.name != "posix", reason="POSIX signals")

WAIT = 120  # seconds, for a computer that is busy with other things


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows(store):
    try:
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as connection:
            return connection.execute("SELECT COUNT(*) FROM row").fetchone()[0]
    except sqlite3.Error:
        return 0


def test_a_handler_of_the_program_is_left_alone():
    own = lambda number, frame: None  # noqa: E731
    before = signal.signal(signal.SIGTERM, own)
    hangup = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup has it ignored
    try:
        with signals_interrupt():
            assert signal.getsignal(signal.SIGTERM) is own
            assert signal.getsignal(signal.SIGHUP) is raise_terminated
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_DFL
    finally:
        signal.signal(signal.SIGTERM, before)
        signal.signal(signal.SIGHUP, hangup)


def test_the_signal_is_an_interruption_with_a_name():
    with pytest.raises(KeyboardInterrupt, match="SIGTERM"):
        raise_terminated(signal.SIGTERM, None)
    assert Terminated(signal.SIGHUP).number == signal.SIGHUP


LIBRARY = """
import sys
import kmerf.study as study
from kmerf import baselines
if __name__ == "__main__":
    plan = study.Study({"Hsic": baselines.Hsic()}, [study.Simulated("linear", 200, 20)], replicates=10**6)
    study.run(plan, "s.sqlite", n_jobs=2)
"""


def test_a_program_that_uses_the_library_ends_its_workers_too(folder):
    (folder / "program.py").write_text(LIBRARY, encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "program.py"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    end = time.monotonic() + WAIT
    while rows("s.sqlite") == 0:
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < end
        time.sleep(0.1)
    process.terminate()
    process.communicate(timeout=WAIT)
    assert process.returncode == -signal.SIGTERM
    with sqlite3.connect("s.sqlite") as connection:
        assert connection.execute("SELECT COUNT(*) FROM lease").fetchone() == (0,)
    connection.close()
