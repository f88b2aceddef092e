"""HHG, against a slow version."""

import warnings

import pytest

import oracles_rivals as oracle
from kmerf.core import parallel
from kmerf.rivals import HHG

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # hyppo imports names that scipy has deprecated

from rival_cases import make, make_tied, statistic


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("p", "q"), [(1, 1), (2, 3)])
@pytest.mark.parametrize("make", [make, make_tied])
def test_hhg_equals_oracle(make, p, q, seed):
    x, y = make(p, q, 12, seed)
    wanted = oracle.hhg(oracle.distance_matrix(x), oracle.distance_matrix(y))
    assert statistic(HHG(), x, y) == pytest.approx(wanted, rel=1e-10)


def test_hhg_in_blocks(monkeypatch):
    x, y = make_tied(2, 1)
    wanted = statistic(HHG(), x, y)
    monkeypatch.setattr(parallel, "_PER_CALL", 3 * 8 * len(x))
    assert statistic(HHG(), x, y) == pytest.approx(wanted, rel=1e-12)
