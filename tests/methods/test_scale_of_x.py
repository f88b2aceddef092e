"""The unit of x does not matter, however small or large it makes the numbers."""

from __future__ import annotations

import numpy as np
import pytest

import kmerf
from kmerf import baselines

METHODS = [baselines.Dcorr(), baselines.Hsic(), baselines.HHG(), baselines.CCA(), baselines.RV(), baselines.MGC()]


@pytest.fixture(scope="module")
def data():
    x = np.random.default_rng(0).normal(size=(40, 2))
    return x, x[:, 0] ** 2 + x[:, 1]


@pytest.mark.parametrize("power", [-1000, -548, 500, 1000], ids="2^{}".format)
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_baselines(data, method, power):
    x, y = data
    expected, found = (
        kmerf.independence(unit, y, method=method, null=kmerf.Permutation(49), rng=1)
        for unit in (x, np.ldexp(x, power))
    )
    assert (found.statistic, found.pvalue) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-9)
    assert found.pvalue < 1


@pytest.mark.parametrize("power", [-548, 500], ids="2^{}".format)
def test_every_member_of_the_default(data, power):
    x, y = data
    method, null = kmerf.Portfolio().with_trees(10), kmerf.Permutation(19)
    expected, found = (kmerf.independence(unit, y, method=method, null=null, rng=1) for unit in (x, np.ldexp(x, power)))
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-9)
    assert [member.statistic for member in found.members] == pytest.approx([m.statistic for m in expected.members])
