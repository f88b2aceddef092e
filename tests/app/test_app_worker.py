"""The process that computes: it answers, refuses, stops, and never outlives the server."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import kmerf
from app_pages import gone, small_table
from kmerf.app import worker as worker_module
from kmerf.app.calls import Asked, Failure
from kmerf.app.worker import Bench, Worker

DATA = {"file": "t.csv", "format": "text", "columns": [], "y": ["y"], "notes": []}


@pytest.fixture(scope="module")
def worker():
    worker = Worker()
    yield worker
    worker.end()
    assert not Path(worker.folder.name).exists()


@pytest.fixture
def opened(worker):
    small_table().to_csv(Path(worker.folder.name) / "table" / "t.csv", index=False)
    return worker.ask("open", role="table", path="t.csv", options={})


def test_a_table_is_read_and_described(worker, opened):
    assert opened["names"] == ["id", "dose", "batch", "arm", "y"]
    assert opened["preview"][0][0] == "1"
    assert opened["separator"] == "comma"
    described = worker.ask("describe", y="y", options={"categorical": ["batch"]})
    by_name = {column["name"]: column for column in described["columns"]}
    assert by_name["id"]["role"] == "left out"
    assert by_name["batch"]["kind"] == "categorical"
    kept = [piece for note, _ in described["notes"] for piece in note if not isinstance(piece, str)]
    assert {"name": "keep", "value": ["id"], "text": "keep=['id']"} in kept


def test_an_answer_is_that_of_the_library(worker, opened):
    asked = Asked("independence", "t.csv", y="y", method="dcorr", seed=5)
    answer = worker.ask("run", asked=asked, data=DATA)
    table = kmerf.read_table(Path(worker.folder.name) / "table" / "t.csv")
    assert answer.pvalue == kmerf.independence(table, "y", method="dcorr", rng=5).pvalue
    assert "<title>" in answer.page
    assert answer.tables["answer"].startswith("question,")
    assert "seed 5" in answer.methods


def test_a_refusal_keeps_what_may_be_chosen(worker, opened):
    with pytest.raises(Failure) as refused:
        worker.ask("open", role="table", path="absent.csv", options={})
    assert "absent.csv" in str(refused.value)
    with pytest.raises(Failure, match="no column named|no such column|nope"):
        worker.ask("run", asked=Asked("independence", "t.csv", y="nope"), data=DATA)


def test_an_estimate_is_about_as_long_as_the_work(worker, opened):
    asked = Asked("screen", "t.csv", y="y", seed=5)
    worker.ask("run", asked=asked, data=DATA)  # compiled code is loaded
    assert 0 < worker.ask("estimate", asked=asked)["seconds"] < 60


def test_an_estimate_that_code_was_loaded_in_is_made_again(monkeypatch, tmp_path):
    bench = Bench(tmp_path, lambda kind, value: None)
    bench.tables["table"] = SimpleNamespace(rows=60)
    times = iter([None, 8.0])
    monkeypatch.setattr(bench, "_first_pieces", lambda *_: next(times))
    assert bench.estimate(Asked("independence", "t.csv", y="y", seed=5)) == {"seconds": 8.0}


def test_a_long_table_is_estimated_from_some_of_its_rows(worker):
    rng = np.random.default_rng(0)
    person = np.repeat(np.arange(2_500), 2)
    table = pd.DataFrame({"person": person, "a": rng.normal(size=5_000).round(3), "y": rng.normal(size=5_000).round(3)})
    table.to_csv(Path(worker.folder.name) / "table" / "long.csv", index=False)
    worker.ask("open", role="table", path="long.csv", options={})
    worker.ask("describe", y="y", options={})
    plain = Asked("independence", "long.csv", y="y", x=("a",), method="dcorr", seed=5)
    for asked in (plain, replace(plain, blocks="person"), Asked("screen", "long.csv", y="y", seed=5)):
        assert worker.ask("estimate", asked=asked)["seconds"] > 0
    with pytest.raises(Failure, match="nope"):
        worker.ask("estimate", asked=replace(plain, y="nope"))


def test_work_is_stopped_and_the_process_goes_on(worker, opened):
    asked = Asked("independence", "t.csv", y="y", seed=5)
    started = threading.Event()
    threading.Thread(target=lambda: (started.wait(120), worker.stop()), daemon=True).start()
    with pytest.raises(Failure) as stopped:
        worker.ask("run", lambda progress: started.set(), asked=asked, data=DATA)
    assert stopped.value.stopped
    assert worker.ask("open", role="table", path="t.csv", options={})["rows"] == 60


def test_a_stopped_screen_keeps_its_columns(worker):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(400, 40)), columns=[f"c{k}" for k in range(40)])
    table.round(3).assign(y=rng.normal(size=400)).to_csv(Path(worker.folder.name) / "table" / "wide.csv", index=False)
    worker.ask("open", role="table", path="wide.csv", options={})
    seen = []

    def once(progress):
        seen.append(progress)
        if len(seen) == 2:
            worker.stop()

    answer = worker.ask("run", once, asked=Asked("screen", "wide.csv", y="y", method="dcorr", seed=5), data=DATA)
    assert answer.interrupted
    assert "interrupted" in answer.tables["screen"]


def test_stopping_waits_for_an_import(monkeypatch, tmp_path):
    """A library of which half was loaded would fail from then on."""
    lines = (
        "import sys",
        "from kmerf.app import worker",
        "worker._interrupt(2, sys._getframe())",
        "worker._work[0] = 0",
    )
    (tmp_path / "loaded_slowly.py").write_text("\n".join((*lines, "ready = True\n")))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(worker_module, "_work", [7])
    assert importlib.import_module("loaded_slowly").ready
    worker_module._interrupt(2, sys._getframe())  # nothing is under way any more
    worker_module._work[0] = 8
    with pytest.raises(KeyboardInterrupt):
        worker_module._interrupt(2, sys._getframe())


def test_a_process_that_is_killed_is_replaced():
    worker = Worker()
    try:
        worker.kill()
        with pytest.raises(Failure) as lost:
            worker.ask("describe", y="", options={})
        assert lost.value.lost
        small_table().to_csv(Path(worker.folder.name) / "table" / "t.csv", index=False)
        assert worker.ask("open", role="table", path="t.csv", options={})["rows"] == 60
    finally:
        worker.end()


SERVER = """
import time
from kmerf.app.worker import Bench, Worker
if __name__ == "__main__":
    worker = Worker()
    print(worker._process.pid, worker.folder.name, flush=True)
    time.sleep(60)
"""


@pytest.mark.skipif(os.name != "posix", reason="kills as POSIX does")
def test_the_process_and_its_files_go_when_the_server_is_killed(tmp_path):
    script = tmp_path / "server.py"
    script.write_text(SERVER)
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        pid, folder = server.stdout.readline().split()
        time.sleep(0.5)
        server.send_signal(signal.SIGKILL)
        server.wait(10)
    assert gone([int(pid)])
    assert not Path(folder).exists()
