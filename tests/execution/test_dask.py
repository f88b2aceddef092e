"""A cluster of two worker processes: the same bits as one process, also when a worker is lost on the way."""

import os
import pickle
import signal
import sys

import numpy as np
import pytest

import kmerf
from kmerf.core.errors import InputError
from kmerf.execution import parallel
from kmerf.reading.samples import read_independence
from kmerf.screening import one_by_one
from kmerf.screening.one_by_one import read_units

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


def wide():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(80, 200))
    return x, x[:, 3] + rng.normal(size=80)


def test_a_screen_on_a_cluster_gives_the_same_bits(client, tmp_path):
    x, y = wide()
    asked = {"method": kmerf.KMERF(kmerf.ForestSpec(n_trees=5)), "null": kmerf.Permutation(39), "rng": 1}
    near = kmerf.screen(x, y, **asked)
    assert kmerf.screen(x, y, backend="dask", store=tmp_path / "s.sqlite", **asked) == near
    seen = []
    kept = kmerf.screen(x, y, store=tmp_path / "s.sqlite", progress=lambda *done: seen.append(done), **asked)
    assert kept == near
    assert seen == []  # here goes on what the cluster has computed


@pytest.mark.parametrize("length", [one_by_one._PIECE, one_by_one._QUICK_PIECE])
def test_no_task_of_a_screen_holds_more_than_its_columns(length):
    """So that the table may be larger than the memory of a worker, whether the method learns or is quick."""
    x, y = np.random.default_rng(1).normal(size=(80, 8 * length)), np.arange(80.0)
    units = read_units(read_independence(x, y).x, None)
    (pattern,) = one_by_one.find_patterns(units, 1)
    tasks = list(one_by_one._pieces(0, pattern, 0, len(units) + 999, length))
    sizes = [len(pickle.dumps(task)) for task in tasks]
    frame = len(pickle.dumps(tasks[-1]._replace(refits=[])))  # the pattern, and no column
    assert len(tasks) == 8 - (-999 // length)
    assert max(sizes) - frame < length * (80 + 200)  # a byte a row, and what it takes to be an array
    assert max(sizes) < x.nbytes / 16


def test_without_a_cluster_the_back_end_says_what_it_needs():
    with pytest.raises(
        InputError,
        match=r"backend='dask' needs a cluster: pip install '\.\[dask\]' .*, and make a",
    ):
        parallel.run(abs, [1, 2], n_jobs=2, backend="dask")
