"""Strata: which rows belong together, residuals, predictions and permutations inside them."""

from __future__ import annotations

import numpy as np
import pytest

from kmerf.adjustment.stratification import (
    log_arrangements,
    means_of_others,
    named_levels,
    strata_of,
    varies_inside,
    within,
)
from kmerf.nulls.definitions import Permutation, Stratified
from kmerf.reading.samples import read_features


def test_rows_with_the_same_z_share_a_stratum():
    z = np.tile([[0.0, np.nan], [0.0, 1.0], [1.0, np.nan]], (10, 1))
    found = strata_of(read_features(z))
    assert found.count == 3
    assert found.rest == ()
    assert all(np.unique(found.codes[k::3]).size == 1 for k in range(3))


@pytest.mark.parametrize("rows", [2, 3, 4, 5])
def test_numbers_that_two_rows_share_on_average_are_strata(rows):
    found = strata_of(read_features(np.repeat(np.arange(10.0), rows)))
    assert (found.count, found.freedom, found.sizes.tolist()) == (10, 10 * (rows - 1), [rows] * 10)
    np.testing.assert_allclose(found.own, 1 / rows)


def test_numbers_that_few_rows_share_are_left_to_regressions():
    assert strata_of(read_features(np.arange(20.0))) is None
    assert strata_of(read_features(np.append(np.arange(11.0), np.arange(9.0)))) is None


def table(**columns):
    return read_features(columns, categorical=[name for name, values in columns.items() if isinstance(values[0], str)])


def names(codes):
    return [f"level {code}" for code in codes]


def test_categories_are_strata_however_few_rows_share_a_level():
    found = strata_of(table(subject=names([*range(30), 0, 1, 2])))
    assert (found.count, found.freedom, found.rest) == (30, 3, ())


def test_sparse_categories_are_strata_and_regressions_have_the_rest():
    rng = np.random.default_rng(1)
    z = table(age=rng.normal(size=60), subject=names(np.repeat(range(20), 3)), sex=names(np.repeat(range(2), 30)))
    found = strata_of(z)
    assert (found.count, found.rest) == (20, (0,))  # sex does not vary inside subjects
    crossed = table(subject=names(np.repeat(range(30), 2)), period=names(np.tile([0, 1], 30)))
    assert strata_of(crossed).rest == (1,)


def test_columns_of_zeros_and_ones_may_be_levels():
    rng = np.random.default_rng(2)
    group = np.repeat(range(20), 3)
    found = strata_of(read_features(np.column_stack([np.eye(20)[group], rng.normal(size=60)])))
    assert (found.count, found.rest) == (20, (20,))


def test_categories_of_many_rows_are_left_to_regressions():
    rng = np.random.default_rng(3)
    assert strata_of(table(site=names(np.repeat(range(6), 10)), age=rng.normal(size=60))) is None


def test_residuals_have_mean_zero_in_every_stratum():
    rng = np.random.default_rng(1)
    strata = rng.integers(4, size=50)
    targets = rng.normal(size=(50, 3))
    left = within(targets, strata)
    for k in range(4):
        np.testing.assert_allclose(left[strata == k], targets[strata == k] - targets[strata == k].mean(axis=0))


def test_a_row_is_predicted_by_the_others_of_its_stratum():
    strata, targets = np.array([0, 1, 0, 0, 2]), np.array([[1.0], [5.0], [2.0], [6.0], [7.0]])
    np.testing.assert_allclose(means_of_others(targets, strata).ravel(), [4.0, 0.0, 3.5, 1.5, 0.0])


def test_rounding_does_not_vary():
    strata = np.repeat([0, 1], 50)
    values = np.column_stack([0.1 + 0.2 * strata, np.arange(100.0)])
    assert varies_inside(values, strata).tolist() == [False, True]


def test_rows_stay_in_their_stratum_and_every_order_comes_up():
    strata = np.array([1, 0, 1, 0, 1])
    orders = np.concatenate(list(Stratified(Permutation(600), strata, seed=3).orders()))
    assert orders.shape == (600, 5)
    assert all((strata[order] == strata).all() and sorted(order) == list(range(5)) for order in orders)
    counts = np.unique(orders, axis=0, return_counts=True)[1]
    assert counts.size == 2 * 6
    assert counts.min() > 20  # 50 are expected
    assert np.log(counts.size) == pytest.approx(log_arrangements(np.arange(5.0)[:, None], strata))


def test_the_same_seed_gives_the_same_orders():
    strata = np.repeat([0, 1], 10)
    first, more = (next(Stratified(Permutation(count), strata, seed=5).orders()) for count in (3, 9))
    np.testing.assert_array_equal(first, more[:3])


def test_a_number_that_is_mostly_zero_is_not_a_name():
    """Earnings, say: zero is one value of many, and differs from the rest."""
    rng = np.random.default_rng(12)
    earnings = np.r_[np.zeros(130), rng.exponential(size=70)]
    left = [(rng.normal(size=200) + (earnings == 0.0))[:, None]]
    assert named_levels(read_features(earnings), left) == ()
    subjects = np.repeat(np.arange(50.0), 4)
    left = [(rng.normal(size=200) + rng.normal(size=50)[subjects.astype(int)])[:, None]]
    assert named_levels(read_features(np.column_stack([earnings, subjects])), left) == (1,)
