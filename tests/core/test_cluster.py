"""A cluster that is gone is named, and not waited for."""

import sys
import time

import pytest

from kmerf.core import cluster, parallel
from kmerf.core.errors import KmerfError

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")  # the cluster's own, in its own threads

OPTIONS = {"threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_cluster_that_has_lost_all_its_workers_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(cluster, "GRACE", 1.0)
    with distributed.LocalCluster(n_workers=1, processes=True, **OPTIONS) as local, distributed.Client(local):

        def lose(done, total):
            if done == 3:
                local.scale(0)

        with pytest.raises(KmerfError, match=r"has lost all its workers, .* start workers \(dask worker ADDRESS\)"):
            parallel.run(_slowly, range(200), backend="dask", progress=lose)


def test_a_scheduler_that_is_gone_is_named():
    with distributed.LocalCluster(n_workers=1, processes=True, **OPTIONS) as local, distributed.Client(local):

        def close(done, total):
            if done == 3:
                local.close()

        with pytest.raises(KmerfError, match=r"The Dask scheduler is gone.*start one \(dask scheduler\), connect"):
            parallel.run(_slowly, range(200), backend="dask", progress=close)


def test_errors_of_the_work_itself_are_left_alone():
    options = {"n_workers": 1, "processes": False} | OPTIONS
    with distributed.LocalCluster(**options) as local, distributed.Client(local):
        with pytest.raises(ZeroDivisionError):
            parallel.run(_divide, range(3), backend="dask")
        assert parallel.run(_slowly, range(3), backend="dask") == [0, 1, 2]


def _slowly(number):
    time.sleep(0.1)
    return number


def _divide(number):
    return 1 / number
