"""The test of x against y given z."""

from __future__ import annotations

import numpy as np
import pytest

from kmerf.adjustment.comparison import DEFAULT_NULL, Given, judge
from kmerf.adjustment.products import of_features
from kmerf.data.sample import Features
from kmerf.nulls.definitions import BesagClifford, Extrapolated, Permutation, Sequential, normal_score
from kmerf.reading.samples import read_features


def compare(x, y, z, seed=1, null=DEFAULT_NULL):
    given = Given(z if isinstance(z, Features) else read_features(z), seed)
    left, right = (given.remove_from(of_features(read_features(v)), k) for k, v in ((1, x), (2, y)))
    return judge(given, left, right, null)


def test_a_common_cause_is_removed_and_a_relation_is_left():
    rng = np.random.default_rng(1)
    z = rng.normal(size=300)
    x, y = z + rng.normal(size=300), z + rng.normal(size=300)
    found = compare(x, y, z)
    assert found.pvalue > 0.05
    assert found.null.distribution is None
    assert [component.name for component in found.components] == ["level", "shape", "varying"]
    assert compare(x, y + 0.5 * x, z).pvalue < 1e-4


def test_strata_are_permuted():
    rng = np.random.default_rng(2)
    z = rng.integers(0, 3, 60)
    x, y = z + rng.normal(size=60), z + rng.normal(size=60)
    found = compare(x, y, z)
    size = DEFAULT_NULL.n_resamples
    assert found.null.distribution.size == size
    assert found.pvalue == (1 + (found.null.distribution >= normal_score(found.limit)).sum()) / (1 + size)
    assert found.pvalue > 0.05
    assert compare(x, y + x, z).pvalue == 1 / (1 + size)
    assert compare(x, y + x, z, null=Permutation(1999)).pvalue == 1 / 2000


def test_the_permuted_pvalues_are_uniform_under_the_null():
    rng = np.random.default_rng(3)
    found = np.array(
        [
            compare(x=rng.normal(size=20), y=rng.normal(size=20), z=np.repeat([0, 1], 10), seed=k).pvalue
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
    np.testing.assert_allclose(left.values, of_features(read_features(x)).values, atol=1e-12)
    right = given.remove_from(of_features(read_features(x + rng.normal(size=100))), 2)
    assert judge(given, left, right).pvalue < 1e-4


def test_nothing_to_compare_gives_one():
    z = np.repeat([0.0, 1.0], 10)
    found = compare(z, np.random.default_rng(5).normal(size=20), z)  # x is a function of z
    assert found.pvalue == 1.0
    assert found.components == []


def test_the_same_seed_gives_the_same_bits():
    rng = np.random.default_rng(6)
    z = rng.normal(size=80)
    x, y = np.sign(z) + rng.normal(size=(2, 80))  # a step, which forests are used for
    assert compare(x, y, z).pvalue == compare(x, y, z).pvalue
    assert compare(x, y, z, seed=2).pvalue != compare(x, y, z).pvalue


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
    limits = np.array([compare(x, y[order], z, null=Permutation(1)).limit for order in orders])
    exact = (limits <= limits[0] * (1 + 1e-9)).mean()
    assert compare(x, y, z, null=Permutation(4000)).pvalue == pytest.approx(exact, abs=0.03)


def test_permutations_stop_where_the_pvalue_is_clearly_large():
    rng = np.random.default_rng(8)
    x, y, z = rng.normal(size=40), rng.normal(size=40), np.repeat([0, 1], 20)
    whole, short = (compare(x, y, z, null=each).null for each in (Permutation(2000), BesagClifford(Permutation(2000))))
    reached = np.flatnonzero(whole.distribution >= normal_score(compare(x, y, z).limit))
    assert short.distribution.size == reached[19] + 1
    assert short.pvalue == 20 / short.distribution.size
    assert short.stopped
    assert whole.distribution.size == 2000


def test_any_null_that_permutes_judges_inside_strata():
    rng = np.random.default_rng(9)
    z = np.repeat([0, 1], 40)
    x = rng.normal(size=80)
    none, strong = rng.normal(size=80), x + 0.3 * rng.normal(size=80)
    stopped = compare(x, none, z, null=Sequential(999)).null
    assert stopped.stopped
    assert stopped.distribution.size in (19, 39, 99)
    every = compare(x, none, z, null=Permutation(stopped.distribution.size)).null
    assert stopped.pvalue == every.pvalue
    assert compare(x, strong, z, null=Sequential(199)).pvalue == 1 / 200
    modelled = compare(x, strong, z, null=Extrapolated(99)).null
    assert modelled.extrapolated
    assert modelled.pvalue < modelled.bound == 0.01


def test_no_p_value_is_below_what_arrangements_can_give():
    rng = np.random.default_rng(10)
    x, z = rng.normal(size=40), np.repeat([0, 1], 20)
    given = Given(read_features(z), 1)
    left, right = (given.remove_from(of_features(read_features(each)), k) for k, each in ((1, x), (2, x)))
    assert judge(given, left, right, Permutation(99), np.log(30)).pvalue == pytest.approx(1 / 30)
