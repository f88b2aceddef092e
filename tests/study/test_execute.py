"""Studies: what they compute does not depend on how, and nothing stops them for good."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

import kmerf
from kmerf import ChiSquare, InputError, study
from kmerf.study import execute
from studies import LINEAR, PLAN, SLOW, Slope


@pytest.fixture(scope="module")
def slow_rows(tmp_path_factory):
    path = tmp_path_factory.mktemp("plain") / "slow.sqlite"
    study.run(SLOW, path, n_jobs=4, backend="threads")
    return study.load(path)


def child(path, *options):
    call = f"import studies; studies.execute_slow({str(path)!r}, *{options!r})"
    places = [str(Path(__file__).parents[1]), str(Path(kmerf.__file__).parent.parent)]
    return subprocess.Popen(
        [sys.executable, "-c", call],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(places)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # so that a kill reaches its workers as well
    )


def count(path):
    try:
        return len(study.load(path)["replicate"])
    except InputError:  # not made yet
        return 0


def wait_for(path, least):
    end = time.monotonic() + 30
    while count(path) < least:
        assert time.monotonic() < end, f"{count(path)} rows after 30 seconds"
        time.sleep(0.05)


@pytest.mark.parametrize(("n_jobs", "backend"), [(3, "threads"), (2, "loky"), (1, "loky")])
def test_rows_do_not_depend_on_workers_or_back_end(tmp_path, rows, n_jobs, backend):
    study.run(PLAN, tmp_path / "a.sqlite", n_jobs=n_jobs, backend=backend)
    assert study.load(tmp_path / "a.sqlite") == rows


@pytest.mark.parametrize(("round_", "batch", "probe"), [(0.01, 0.001, 1), (0.1, 1e-6, 5), (100.0, 100.0, 2)])
def test_rows_do_not_depend_on_the_size_of_batches(tmp_path, rows, monkeypatch, round_, batch, probe):
    monkeypatch.setattr(execute, "ROUND", round_)
    monkeypatch.setattr(execute, "BATCH", batch)
    monkeypatch.setattr(execute, "PROBE", probe)
    study.run(PLAN, tmp_path / "a.sqlite", n_jobs=2, backend="threads")
    assert study.load(tmp_path / "a.sqlite") == rows


def test_rows_do_not_depend_on_order_or_labels_or_company(tmp_path, rows):
    path = tmp_path / "a.sqlite"
    one = replace(PLAN, tests={"s": Slope()}, data=PLAN.data[:2], replicates=10, pvalue={"s": ChiSquare()})
    turned = replace(PLAN, data=PLAN.data[::-1], tests=dict(reversed(PLAN.tests.items())))
    assert study.run(one, path, n_jobs=1, backend="threads") == 20
    assert study.run(turned, path, n_jobs=1, backend="threads") == 200 - 20
    assert study.load(path) == rows


def test_a_finished_study_computes_nothing_and_a_larger_one_the_rest(tmp_path):
    path = tmp_path / "a.sqlite"
    small = study.Study({"slope": Slope()}, [LINEAR], replicates=5)
    assert [study.run(small, path, n_jobs=1) for _ in range(2)] == [5, 0]
    assert study.run(replace(small, replicates=8), path, n_jobs=1) == 3
    assert study.run(replace(small, tests={"a": Slope(), "b": Slope()}), path, n_jobs=1) == 0
    assert study.run(replace(small, seed=1), path, n_jobs=1) == 5


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("options", [("threads", 1), ("loky", 2)])
def test_a_killed_run_is_resumed_where_it_was(tmp_path, slow_rows, options):
    path = tmp_path / "a.sqlite"
    with child(path, *options) as first:
        wait_for(path, 60)
        os.killpg(first.pid, signal.SIGKILL)
    assert first.returncode == -signal.SIGKILL
    survived = count(path)
    assert 60 <= survived < 480
    with child(path) as second:
        out, err = second.communicate(timeout=30)
    assert (int(out), err) == (480 - survived, "")
    assert study.load(path) == slow_rows


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("options", [("threads", 1), ("threads", 2), ("loky", 2)])
def test_ctrl_c_keeps_what_is_done_and_gives_the_rest_back(tmp_path, slow_rows, options):
    path = tmp_path / "a.sqlite"
    with child(path, *options) as first:
        wait_for(path, 20)
        os.killpg(first.pid, signal.SIGINT)  # as a terminal does: to the workers as well
        out, err = first.communicate(timeout=10)
    assert out == ""
    assert "KeyboardInterrupt" in err
    assert 20 <= count(path) < 480
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT (SELECT COUNT(*) FROM lease), (SELECT COUNT(*) FROM run)").fetchone() == (
            0,
            0,
        )
    connection.close()
    study.run(SLOW, path, n_jobs=4, backend="threads")
    assert study.load(path) == slow_rows


def test_an_error_keeps_what_is_done_and_names_the_replicate(tmp_path):
    plan = study.Study({"bad": Slope(fail=True)}, [LINEAR], replicates=5)
    with pytest.raises(ZeroDivisionError, match="no slope") as caught:
        study.run(plan, tmp_path / "a.sqlite", n_jobs=1, backend="threads")
    assert caught.value.__notes__ == [f"in replicate 0 of {LINEAR}, with seed 0"]
    assert study.run(study.Study({"good": Slope()}, [LINEAR], replicates=5), tmp_path / "a.sqlite", n_jobs=1) == 5


def test_two_runs_on_one_file_share_the_work(tmp_path, slow_rows, monkeypatch):
    path = tmp_path / "a.sqlite"
    with child(path) as first, child(path) as second:
        answers = [each.communicate(timeout=40) for each in (first, second)]
    assert [err for _, err in answers] == ["", ""]
    added = [int(out) for out, _ in answers]
    assert sum(added) == 480  # none computed twice
    assert min(added) > 0
    assert study.load(path) == slow_rows


def test_many_runs_on_one_file_do_not_meet_a_locked_database(tmp_path, rows, monkeypatch):
    monkeypatch.setattr(execute, "ROUND", 0.01)  # claims and writes as often as can be
    monkeypatch.setattr(execute, "PROBE", 1)
    path, errors = tmp_path / "a.sqlite", []

    def go():
        try:
            study.run(PLAN, path, n_jobs=1, backend="threads")
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=go) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert study.load(path) == rows


def test_progress_counts_what_was_lacking(tmp_path):
    told, path = [], tmp_path / "a.sqlite"
    plan = study.Study({"slope": Slope()}, [LINEAR], replicates=50)
    study.run(replace(plan, replicates=20), path, n_jobs=1)
    study.run(plan, path, n_jobs=1, backend="threads", progress=lambda *state: told.append(state))
    assert told == sorted(told)
    assert told[-1] == (30, 30)
    study.run(plan, path, n_jobs=1, progress=lambda *state: pytest.fail("nothing to do"))


def test_an_unknown_back_end_is_refused(tmp_path):
    with pytest.raises(InputError, match="backend='spark9' is not known"):
        study.run(PLAN, tmp_path / "a.sqlite", n_jobs=2, backend="spark9")
