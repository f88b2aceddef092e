"""A cluster of two worker processes: the same bits as one process, also when a worker is lost on the way."""

import os
import signal
import sys

import numpy as np
import pytest

import kmerf
from kmerf.core import parallel
from kmerf.core.errors import InputError

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")  # the cluster's own, in its own threads

METHOD = kmerf.KMERF(forest=kmerf.ForestSpec(n_trees=60))
NULL = kmerf.Permutation(120)


@pytest.fixture
def client():
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50}
    with distributed.LocalCluster(processes=True, **options) as cluster, distributed.Client(cluster) as client:
        yield client


def answer(**options):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(90, 4))
    return kmerf.independence(x, x[:, 0] + rng.normal(size=90), **{"method": METHOD, "null": NULL, "rng": 3} | options)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_cluster_gives_the_same_bits_as_one_process_even_if_it_loses_a_worker(client):
    serial = answer(n_jobs=1)
    whole = answer(backend="dask")
    workers = client.run(os.getpid)
    killed = []

    def kill_one(done, total):
        if done >= 10 and not killed:
            killed.append(workers.popitem()[1])
            os.kill(killed[0], signal.SIGKILL)

    broken = answer(backend="dask", progress=kill_one)
    assert killed
    for result in (whole, broken):
        assert (result.statistic, result.pvalue) == (serial.statistic, serial.pvalue)
        np.testing.assert_array_equal(result.null.distribution, serial.null.distribution)


def test_without_a_cluster_the_back_end_says_what_it_needs():
    with pytest.raises(
        InputError,
        match=r"backend='dask' needs a cluster: pip install '\.\[dask\]' .*, and make a",
    ):
        parallel.run(abs, [1, 2], n_jobs=2, backend="dask")
