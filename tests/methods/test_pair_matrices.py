"""Matrices of pairs: medians are exact, and blocks or storage change nothing."""

import warnings

import numpy as np
import pytest

from kmerf.baselines import Dcorr, Hsic
from kmerf.execution import parallel
from kmerf.methods import pair_matrices as pairs
from kmerf.methods.protocol import observe
from kmerf.reading.samples import read_independence

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # hyppo imports names that scipy has deprecated

from baseline_cases import make, make_tied, names, prepare


@pytest.mark.parametrize("points", [make(1, 1, 60)[0], make(3, 1, 61)[0], make_tied(2, 1, 62)[0], np.ones((30, 2))])
def test_median_distance_is_exact(points, monkeypatch):
    n = len(points)
    wanted = np.median(pairs.distances(points)[np.triu_indices(n, 1)])
    assert pairs.median_distance(points) == wanted
    monkeypatch.setattr(pairs, "MOST_STORED", 0)
    assert pairs.median_distance(points) == wanted


@pytest.mark.parametrize("n", [2**16, 2**17 + 1])
def test_median_of_many_is_exact(n):
    rng = np.random.default_rng(n)
    unlike = np.where(np.arange(n) % (n // 2**14) == 0, 5.0, rng.normal(size=n))  # what is sampled says nothing
    for values in (rng.normal(size=n), rng.integers(0, 3, size=n).astype(float), np.ones(n), unlike):
        inside, skipped = pairs._around_median(values.copy())
        middle = [(n - 1) // 2, n // 2]
        assert (np.sort(inside)[[rank - skipped for rank in middle]] == np.sort(values)[middle]).all()


@pytest.mark.parametrize("method", [Dcorr(), Hsic()], ids=names)
def test_stored_or_not_and_in_blocks_or_not(method, monkeypatch):
    x, y = make(3, 2)
    order = np.random.default_rng(0).permutation(len(x))
    wanted = prepare(method, x, y).fit(order, 1).statistic
    monkeypatch.setattr(pairs, "MOST_STORED", 0)
    monkeypatch.setattr(parallel, "_PER_CALL", 7 * len(x))
    streamed = prepare(method, x, y)
    assert isinstance(streamed.statistic, pairs.StreamedPairs)
    assert streamed.fit(order, 1).statistic == pytest.approx(wanted, rel=1e-10)


@pytest.mark.parametrize(("method", "most"), [(Dcorr(), 1.05), (Hsic(), 1.05)], ids=names)
def test_memory_is_at_most_one_matrix(method, most):
    import tracemalloc

    x, y = make(3, 2, 1000)
    sample = read_independence(x, y)
    method.prepare(sample, 0)  # compile
    tracemalloc.start()
    observe(method.prepare(sample, 0))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= most * 8 * 1000**2
