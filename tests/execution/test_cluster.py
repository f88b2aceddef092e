"""A cluster that is gone is named, and not waited for."""

import sys
import threading
import time

import pytest

from kmerf.core.errors import KmerfError
from kmerf.execution import parallel

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")  # the cluster's own, in its own threads

# two workers: joblib computes in this process where there is but one
OPTIONS = {"threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_cluster_that_has_lost_all_its_workers_is_named():
    with distributed.LocalCluster(n_workers=2, processes=True, **OPTIONS) as local, distributed.Client(local):

        def lose(done, total):
            if done == 3:
                local.scale(0)

        with pytest.raises(KmerfError, match=r"has lost all its workers: start some \(dask worker ADDRESS\)"):
            parallel.run(_slowly, range(200), backend="dask", progress=lose)


def test_a_scheduler_that_is_gone_is_named():
    with distributed.LocalCluster(n_workers=2, processes=True, **OPTIONS) as local, distributed.Client(local):

        def close(done, total):
            if done == 3:
                local.close()

        with pytest.raises(KmerfError, match=r"The Dask scheduler is gone: start one \(dask scheduler\), connect"):
            parallel.run(_slowly, range(200), backend="dask", progress=close)


def test_results_that_will_never_come_are_not_waited_for(monkeypatch):
    monkeypatch.setattr(parallel, "GRACE", 1.0)
    never = threading.Event()

    def draw():
        yield 1
        never.wait()

    with (
        distributed.LocalCluster(n_workers=2, processes=False, **OPTIONS) as local,
        distributed.Client(local) as client,
    ):
        results = parallel.watched(draw, client)
        assert next(results) == 1
        threading.Timer(3.0, local.scale, [0]).start()  # after a look at the workers
        with pytest.raises(parallel.LostClusterError, match="has lost all its workers"):
            next(results)
    never.set()


def test_errors_of_the_work_itself_are_left_alone():
    options = {"n_workers": 2, "processes": False} | OPTIONS
    with distributed.LocalCluster(**options) as local, distributed.Client(local):
        with pytest.raises(ZeroDivisionError):
            parallel.run(_divide, range(3), backend="dask")
        assert parallel.run(_slowly, range(3), backend="dask") == [0, 1, 2]


def _slowly(number):
    time.sleep(0.1)
    return number


def _divide(number):
    return 1 / number
