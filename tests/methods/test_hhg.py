"""HHG, against a slow version."""

import warnings

import numpy as np
import pytest

import oracles_baselines as oracle
from kmerf.baselines import HHG
from kmerf.execution import parallel
from kmerf.methods.distance_tests import Neighbourhoods

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # hyppo imports names that scipy has deprecated

from baseline_cases import make, make_tied, statistic


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("p", "q"), [(1, 1), (2, 3)])
@pytest.mark.parametrize("make", [make, make_tied])
def test_hhg_equals_oracle(make, p, q, seed):
    x, y = make(p, q, 12, seed)
    wanted = oracle.hhg(oracle.distance_matrix(x), oracle.distance_matrix(y))
    assert statistic(HHG(scale="units"), x, y) == pytest.approx(wanted, rel=1e-10)


def test_hhg_in_blocks(monkeypatch):
    x, y = make_tied(2, 1)
    wanted = statistic(HHG(), x, y)
    monkeypatch.setattr(parallel, "_PER_CALL", 3 * 8 * len(x))
    assert statistic(HHG(), x, y) == pytest.approx(wanted, rel=1e-12)


def test_only_the_order_of_distances_counts_whatever_their_sign():
    """A row is its own nearest neighbour even where others are below zero; the compiled loops rely on it."""
    x, y = make(2, 1)
    distances = [oracle.distance_matrix(each) for each in (x, y)]
    expected = Neighbourhoods.of_distances(*distances)
    found = Neighbourhoods.of_distances(*(each - 100.0 for each in distances))
    np.testing.assert_array_equal(found.neighbours, expected.neighbours)
    np.testing.assert_array_equal(found.ranks, expected.ranks)
    assert found(np.arange(len(x))) == expected(np.arange(len(x)))
