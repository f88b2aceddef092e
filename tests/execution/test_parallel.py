"""Order, errors and progress of parallel work, and Ctrl-C."""

import math
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from kmerf.core.errors import InputError
from kmerf.execution import parallel
from kmerf.forests.growing import Forest, presort
from kmerf.forests.spec import ForestSpec


def slow_first(task):
    """Finish early tasks last."""
    time.sleep(0.1 if task < 2 else 0.0)
    return task * task


def fail_on_three(task):
    if task == 3:
        raise ZeroDivisionError(f"task {task}")
    return task


@pytest.mark.parametrize("n_jobs", [1, 2, 3, 50])
def test_results_keep_the_order_of_the_tasks(n_jobs):
    assert parallel.run(slow_first, range(8), n_jobs=n_jobs) == [task * task for task in range(8)]


def test_a_stream_gives_results_as_they_come():
    found = list(parallel.stream(slow_first, range(8), n_jobs=3))
    assert sorted(found) == [task * task for task in range(8)]
    assert found[0] > 1  # tasks 0 and 1 are slow


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_stream_that_is_closed_gives_up_the_work_that_is_left(n_jobs):
    begun = []

    def work(task):
        begun.append(task)
        time.sleep(0.01)
        return task

    results = parallel.stream(work, range(200), n_jobs=n_jobs)
    next(results)
    results.close()
    assert len(begun) < 100


def test_tasks_may_come_from_a_generator():
    assert parallel.run(abs, (-k for k in range(5)), n_jobs=2) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("backend", ["threads", "loky"])
def test_no_tasks_give_no_results(backend):
    assert parallel.run(abs, [], n_jobs=2, backend=backend) == []


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_an_error_in_a_task_reaches_the_caller(n_jobs):
    with pytest.raises(ZeroDivisionError, match="task 3"):
        parallel.run(fail_on_three, range(6), n_jobs=n_jobs)


def test_an_error_stops_the_other_workers_at_their_next_checkpoint():
    ended = []

    def work(task):
        if task == 0:
            raise ZeroDivisionError
        try:
            for _ in range(500):
                time.sleep(0.01)
                parallel.checkpoint()
        except parallel.Cancelled:
            ended.append(task)
            raise

    with pytest.raises(ZeroDivisionError):
        parallel.run(work, range(40), n_jobs=3)
    assert len(ended) <= 3  # those under way; the others never began
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("kmerf")]


def test_a_checkpoint_outside_a_pool_does_nothing():
    assert parallel.checkpoint() is None


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_progress_counts_up_to_the_end(n_jobs):
    told = []
    parallel.run(slow_first, range(5), n_jobs=n_jobs, progress=lambda done, total: told.append((done, total)))
    assert told == [(done, 5) for done in range(1, 6)]


def test_loky_processes_give_the_same_results():
    told = []
    options = {"n_jobs": 2, "backend": "loky", "progress": lambda done, total: told.append((done, total))}
    assert parallel.run(math.factorial, range(6), **options) == [math.factorial(k) for k in range(6)]
    assert told == [(done, 6) for done in range(1, 7)]


def test_a_forest_grown_in_another_process_is_the_same():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(40, 3)), rng.normal(size=(40, 1))

    def codes(seed):
        return Forest(ForestSpec(n_trees=20), presort(x), y, False, seed).leaves().codes

    processes = parallel.run(codes, range(2), n_jobs=2, backend="loky")
    np.testing.assert_array_equal(processes, [codes(seed) for seed in range(2)])


def test_an_unknown_backend_is_refused():
    with pytest.raises(
        InputError, match=r"backend='spark9' is not known: use 'threads', 'loky' \(processes\), 'dask' \(a"
    ):
        parallel.run(abs, [1, 2], n_jobs=2, backend="spark9")


@pytest.mark.parametrize("n_jobs", [None, -1])
def test_all_cores_means_those_of_this_process(n_jobs):
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert parallel.worker_count(n_jobs) == cores


@pytest.mark.parametrize("n_jobs", [0, -2, 1.5, "2", True])
def test_other_numbers_of_workers_are_refused(n_jobs):
    with pytest.raises(InputError, match=rf"n_jobs={n_jobs!r} must be a whole number of at least 1, or -1"):
        parallel.worker_count(n_jobs)


@pytest.mark.parametrize("n_jobs", [1, 4])
def test_a_number_of_workers_stands_for_itself(n_jobs):
    assert parallel.worker_count(n_jobs) == n_jobs


LONG_WORK = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have told its children to ignore it
import numpy as np
from kmerf.forests.spec import ForestSpec
from kmerf.forests.growing import Forest, presort
n, n_trees = int(sys.argv[2]), int(sys.argv[3])
rng = np.random.default_rng(0)
columns, y = presort(rng.normal(size=(n, 10))), rng.normal(size=(n, 1))
Forest(ForestSpec(n_trees=1), columns, y, False, 0).leaves()  # compiled before the clock starts
if n > 2**16:  # wider numbers, another kernel
    Forest(ForestSpec(n_trees=1, max_samples=1.0, max_depth=1), columns, y, False, 0).leaves()
print("started", flush=True)
Forest(ForestSpec(n_trees=n_trees, max_samples=1.0), columns, y, False, 0).leaves(int(sys.argv[1]))
print("finished", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send to one process")
@pytest.mark.parametrize(
    ("n", "n_trees", "n_jobs"), [(20_000, 1500, 1), (400_000, 20, 2)], ids=["many trees", "large trees"]
)
def test_ctrl_c_is_answered_long_before_the_work_is_done(n, n_trees, n_jobs):
    command = [sys.executable, "-c", LONG_WORK, str(n_jobs), str(n), str(n_trees)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout.readline() == "started\n"
            time.sleep(0.3)
            child.send_signal(signal.SIGINT)
            out, err = child.communicate(timeout=5)
        finally:
            child.kill()
    assert "finished" not in out
    assert err.rstrip().endswith("KeyboardInterrupt")


@pytest.mark.parametrize("backend", [None, 5, object()])
def test_a_back_end_is_a_name(backend):
    with pytest.raises(InputError, match="backend=.* must be a name: use 'threads', 'loky'"):
        parallel.run(abs, [1], backend=backend)
