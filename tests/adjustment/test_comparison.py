"""The test of x against y given z."""

from __future__ import annotations

import numpy as np
import pytest

from kmerf.adjustment.comparison import PERMUTATIONS, Given, compare
from kmerf.adjustment.rank_coordinates import of_features
from kmerf.data.sample import Features
from kmerf.reading.samples import read_features


def pvalue(x, y, z, seed=1, **options):
    given = Given(z if isinstance(z, Features) else read_features(z), seed)
    left, right = (given.remove_from(of_features(read_features(v)), k) for k, v in ((1, x), (2, y)))
    return compare(given, left, right, **options)


def test_a_common_cause_is_removed_and_a_relation_is_left():
    rng = np.random.default_rng(1)
    z = rng.normal(size=300)
    x, y = z + rng.normal(size=300), z + rng.normal(size=300)
    found = pvalue(x, y, z)
    assert found.pvalue > 0.05
    assert found.permuted is None
    assert [look.name for look in found.looks] == ["level", "shape", "varying"]
    assert pvalue(x, y + 0.5 * x, z).pvalue < 1e-4


def test_strata_are_permuted():
    rng = np.random.default_rng(2)
    z = rng.integers(0, 3, 60)
    x, y = z + rng.normal(size=60), z + rng.normal(size=60)
    found = pvalue(x, y, z)
    assert found.permuted.size == PERMUTATIONS
    assert found.pvalue == (1 + (found.permuted <= found.overall).sum()) / (1 + PERMUTATIONS)
    assert found.pvalue > 0.05
    assert pvalue(x, y + x, z).pvalue == 1 / (1 + PERMUTATIONS)
    assert pvalue(x, y + x, z, draws=1999).pvalue == 1 / 2000


def test_the_permuted_pvalues_are_uniform_under_the_null():
    rng = np.random.default_rng(3)
    found = np.array(
        [
            pvalue(x=rng.normal(size=20), y=rng.normal(size=20), z=np.repeat([0, 1], 10), seed=k).pvalue
            for k in range(60)
        ]
    )
    assert 0.35 < found.mean() < 0.65
    assert (found <= 0.05).mean() < 0.15


def test_without_columns_nothing_is_removed():
    rng = np.random.default_rng(4)
    x = rng.normal(size=100)
    given = Given(None, 1)
    left = given.remove_from(of_features(read_features(x)), 1)
    np.testing.assert_allclose(left.left.values, of_features(read_features(x)).values, atol=1e-12)
    right = given.remove_from(of_features(read_features(x + rng.normal(size=100))), 2)
    assert compare(given, left, right).pvalue < 1e-4


def test_nothing_to_compare_gives_one():
    z = np.repeat([0.0, 1.0], 10)
    found = pvalue(z, np.random.default_rng(5).normal(size=20), z)  # x is a function of z
    assert found.pvalue == 1.0
    assert found.looks == []


def test_the_same_seed_gives_the_same_bits():
    rng = np.random.default_rng(6)
    z = rng.normal(size=80)
    x, y = np.sign(z) + rng.normal(size=(2, 80))  # a step, which forests are used for
    assert pvalue(x, y, z).pvalue == pvalue(x, y, z).pvalue
    assert pvalue(x, y, z, seed=2).pvalue != pvalue(x, y, z).pvalue


@pytest.mark.parametrize("wiggles", [1.0, 12.0])
def test_a_function_that_is_too_wiggly_is_noticed(wiggles):
    rng = np.random.default_rng(7)
    z = rng.uniform(-1, 1, size=(150, 2))
    given = Given(read_features(z), 1)
    x = np.sin(np.pi * wiggles * z[:, 0]) + 0.05 * rng.normal(size=150)
    left = given.remove_from(of_features(read_features(x)), 1)
    assert (left.lack_of_fit <= 0.01) == (wiggles > 2)


def test_the_exact_test_ranks_the_statistic_among_all_orders():
    """Every order of six rows in two strata of three, by hand."""
    from itertools import permutations

    x, y = np.array([1.0, 5.0, 2.0, 4.0, 9.0, 3.0]), np.array([2.0, 6.0, 1.0, 5.0, 3.0, 9.0])
    z = np.repeat([0, 1], 3)
    orders = [[*a, *b] for a in permutations(range(3)) for b in permutations(range(3, 6))]
    overall = np.array([pvalue(x, y[order], z, draws=1).overall for order in orders])
    exact = (overall <= overall[0] * (1 + 1e-9)).mean()
    assert pvalue(x, y, z, draws=4000).pvalue == pytest.approx(exact, abs=0.03)


def test_permutations_stop_where_the_pvalue_is_clearly_large():
    rng = np.random.default_rng(8)
    x, y, z = rng.normal(size=40), rng.normal(size=40), np.repeat([0, 1], 20)
    whole, short = pvalue(x, y, z, draws=2000), pvalue(x, y, z, draws=2000, stop=20)
    reached = np.flatnonzero(whole.permuted <= whole.overall * (1 + 1e-9))
    assert short.permuted.size == reached[19] + 1
    assert short.pvalue == 20 / short.permuted.size
    assert whole.permuted.size == 2000
