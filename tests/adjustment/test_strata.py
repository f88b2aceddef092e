"""Strata: numbers, residuals and permutations inside them."""

from __future__ import annotations

import numpy as np

from kmerf.adjustment.strata import permuted_orders, strata_of, within


def test_rows_with_the_same_z_share_a_stratum():
    z = np.tile([[0.0, np.nan], [0.0, 1.0], [1.0, np.nan]], (10, 1))
    strata = strata_of(z)
    assert np.unique(strata).size == 3
    assert all(np.unique(strata[k::3]).size == 1 for k in range(3))


def test_many_values_make_no_strata():
    assert strata_of(np.arange(20.0)[:, None]) is None
    assert strata_of(np.repeat(np.arange(5.0), 4)[:, None]) is None
    assert strata_of(np.repeat(np.arange(4.0), 5)[:, None]) is not None


def test_residuals_have_mean_zero_in_every_stratum():
    rng = np.random.default_rng(1)
    strata = rng.integers(4, size=50)
    targets = rng.normal(size=(50, 3))
    left = within(targets, strata)
    for k in range(4):
        np.testing.assert_allclose(left[strata == k], targets[strata == k] - targets[strata == k].mean(axis=0))


def test_rows_stay_in_their_stratum_and_every_order_comes_up():
    strata = np.array([1, 0, 1, 0, 1])
    orders = permuted_orders(strata, seed=3, count=600)
    assert all((strata[order] == strata).all() and sorted(order) == list(range(5)) for order in orders)
    counts = np.unique(np.stack(orders), axis=0, return_counts=True)[1]
    assert counts.size == 2 * 6
    assert counts.min() > 20  # 50 are expected


def test_the_same_seed_gives_the_same_orders():
    strata = np.repeat([0, 1], 10)
    first, again = (permuted_orders(strata, seed=5, count=3) for _ in range(2))
    np.testing.assert_array_equal(first, again)
