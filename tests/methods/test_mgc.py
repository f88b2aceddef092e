"""MGC, against scipy."""

import tracemalloc
import warnings

import numpy as np
import pytest
from scipy.stats import multiscale_graphcorr

import kmerf
from kmerf import InputError
from kmerf.baselines import MGC
from kmerf.execution import parallel
from kmerf.methods.mgc import BYTES
from kmerf.reading.samples import read_independence

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # hyppo imports names that scipy has deprecated

from baseline_cases import make, make_tied, statistic


@pytest.mark.parametrize(("p", "q"), [(1, 1), (3, 2)])
@pytest.mark.parametrize("make", [make, make_tied])
def test_mgc_equals_scipy(make, p, q):
    x, y = make(p, q)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of few permutations
        wanted = multiscale_graphcorr(x, y, reps=0).statistic
    assert statistic(MGC(scale="units"), x, y) == pytest.approx(wanted, rel=1e-12)


def test_mgc_has_the_same_bits_in_threads():
    found = [
        kmerf.independence(*make(2, 1), method=MGC(), null=kmerf.Permutation(60), rng=0, n_jobs=jobs).null
        for jobs in (1, 4)
    ]
    assert (found[0].distribution == found[1].distribution).all()


def test_more_rows_than_there_is_memory_for_are_refused_in_advance(monkeypatch):
    monkeypatch.setattr(parallel, "free_memory", lambda: 9e9)
    rows = np.arange(20_000.0)
    remedy = "pass rows=5000 to test a random sample of them, or choose another method"
    with pytest.raises(InputError, match=rf"x has 20,000 rows, for which MGC needs 36\.0 GB of memory, .*: {remedy}"):
        kmerf.independence(rows, rows % 7, method="mgc", rng=1)
    with pytest.raises(InputError, match="statistic='multiscale' needs"):
        kmerf.independence(rows, rows % 7, method=kmerf.KMERF(statistic="multiscale"), rng=1)
    monkeypatch.setattr(parallel, "free_memory", lambda: 1e6)
    with pytest.raises(InputError, match="x has 500 rows, for which HHG needs"):
        kmerf.independence(rows[:500], rows[:500] % 7, method="hhg", rng=1)


def test_the_memory_that_is_asked_for_is_what_is_taken():
    n = 400
    x = np.random.default_rng(0).normal(size=(n, 2))
    MGC().prepare(read_independence(x, x[:, 0]), 1).fit(np.arange(n), 0)  # compiled
    tracemalloc.start()
    MGC().prepare(read_independence(x, x[:, 0]), 1).fit(np.arange(n), 0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 0.6 * BYTES * n**2 < peak < BYTES * n**2
