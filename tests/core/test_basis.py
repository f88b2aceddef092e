"""Smooth functions of z."""

from __future__ import annotations

import numpy as np

from kmerf.core.arrays import MOST_FUNCTIONS, all_cosine_bases, cosine_basis, functions, impute_median, lines


def test_waves_are_cosines_with_variance_one_over_k_squared():
    column = np.random.default_rng(1).uniform(size=50)
    place = (column - column.min()) / np.ptp(column)
    found = cosine_basis(column, 4)
    for k in range(1, 5):
        wave = np.cos(np.pi * k * place)
        np.testing.assert_allclose(found[:, k - 1], (wave - wave.mean()) / wave.std() / k, atol=1e-12)


def test_outlying_values_are_drawn_in():
    column = np.random.default_rng(2).normal(size=100)
    column[0] = 1e6
    drawn = lines(column[:, None])[:, 0]
    assert np.abs(drawn).max() < 5.0
    assert drawn[0] == drawn.max()


def test_a_rare_value_is_not_drawn_in_until_the_column_is_constant():
    column = np.zeros(100)
    column[:3] = 1.0
    assert lines(column[:, None]).shape == (100, 1)
    assert cosine_basis(column, 5).shape == (100, 1)


def test_constant_columns_have_no_functions():
    z = np.column_stack([np.ones(60), np.random.default_rng(3).normal(size=60)])
    assert functions(z).shape == functions(z[:, 1:]).shape


def test_there_are_never_more_functions_than_allowed():
    rng = np.random.default_rng(4)
    for n, p in ((30, 1), (100, 50), (500, 7), (2000, 20)):
        assert functions(rng.normal(size=(n, p))).shape[1] <= max(min(n, MOST_FUNCTIONS), 4 * p)


def test_columns_have_a_fortieth_as_many_waves_as_rows():
    rng = np.random.default_rng(6)
    assert [each.shape for each in all_cosine_bases(rng.normal(size=(200, 2)), 200)] == [(200, 5), (200, 5)]
    assert all_cosine_bases(rng.normal(size=(200, 2)), 39) == []


def test_products_let_two_columns_interact():
    z = np.random.default_rng(5).normal(size=(200, 2))
    target = z[:, 0] * z[:, 1]
    basis = functions(z)
    left = target - basis @ np.linalg.lstsq(basis, target - target.mean(), rcond=None)[0] - target.mean()
    assert left.var() < 0.05 * target.var()


def test_missing_values_become_medians_and_a_column_of_their_own():
    z = np.array([[1.0, np.nan], [2.0, 5.0], [9.0, 7.0]])
    np.testing.assert_array_equal(impute_median(z), [[1.0, 6.0, 1.0], [2.0, 5.0, 0.0], [9.0, 7.0, 0.0]])
    whole = np.ones((3, 1))
    assert impute_median(whole) is whole
    np.testing.assert_array_equal(impute_median(np.full((2, 1), np.nan)), [[0.0, 1.0], [0.0, 1.0]])


def test_relevant_columns_have_products_and_larger_waves():
    z = np.random.default_rng(7).normal(size=(150, 8))
    relevance = np.full(8, 0.1)
    relevance[[3, 6]] = 1.0
    some, alike = functions(z, relevance), functions(z)
    np.testing.assert_allclose(some[:, :8], alike[:, :8])  # lines
    wave = cosine_basis(z[:, 3], 1)[:, 0]
    scales = np.sqrt(((some - 0.1 * wave[:, None]) ** 2).mean(axis=0))
    assert scales.min() > 1e-3  # the wave of a relevant column is not shrunk
    assert np.abs(some - wave[:, None]).max(axis=0).min() < 1e-12
    product = 0.7 * wave * cosine_basis(z[:, 6], 1)[:, 0]
    assert np.abs(some - (product - product.mean())[:, None]).max(axis=0).min() < 1e-12


def test_products_of_three_columns_are_functions_of_the_most_relevant():
    z = np.random.default_rng(8).normal(size=(300, 3))
    target = np.prod([cosine_basis(column, 1)[:, 0] for column in z.T], axis=0)
    basis = functions(z)
    left = target - basis @ np.linalg.lstsq(basis, target - target.mean(), rcond=None)[0] - target.mean()
    assert left.var() < 1e-12 * target.var()
