"""Distance correlation, against hyppo and dcor."""

import pickle
import warnings

import numpy as np
import pytest

from kmerf.baselines import Dcorr
from kmerf.methods.protocol import observe
from kmerf.reading.samples import read_ksample

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # hyppo imports names that scipy has deprecated
    import dcor
    from hyppo.ksample import KSample

from baseline_cases import SHAPES, groups, make, make_tied, prepare, statistic


def test_k_sample_on_a_line_equals_hyppo():
    samples = groups(2, p=1)
    found = Dcorr().prepare(read_ksample(*samples), 0)
    assert type(found.statistic).__name__ == "OnLine"  # two groups are one column
    assert observe(found).statistic == pytest.approx(KSample("Dcorr").statistic(*samples), rel=1e-10)


@pytest.mark.parametrize(("p", "q"), SHAPES)
@pytest.mark.parametrize("make", [make, make_tied])
def test_dcorr_equals_dcor(make, p, q):
    x, y = make(p, q)
    wanted = dcor.u_distance_correlation_sqr(x, y)
    assert statistic(Dcorr(scale="units"), x, y) == pytest.approx(wanted, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("n", [4, 5, 17, 400])
@pytest.mark.parametrize("make", [make, make_tied])
def test_line_equals_dcor(make, n):
    x, y = make(1, 1, n)
    wanted = dcor.u_distance_correlation_sqr(x[:, 0], y[:, 0], method="naive")
    assert statistic(Dcorr(), x, y) == pytest.approx(wanted, rel=1e-10, abs=1e-12)


def test_numbers_need_no_matrix():
    x, y = make(1, 1, 200_000)
    ready = prepare(Dcorr(), x, y)
    assert len(pickle.dumps(ready)) < 100 * ready.n
    assert observe(ready).statistic > 0.1
    assert abs(ready.fit(np.random.default_rng(0).permutation(ready.n), 1).statistic) < 1e-3
