"""What is compared of x and y."""

from __future__ import annotations

import numpy as np

from kmerf.adjustment.products import MAX_COORDINATES, of_features, of_response
from kmerf.reading.samples import read_features, read_independence


def test_numbers_have_four_polynomials_and_two_values_one():
    x = read_features(np.column_stack([np.arange(20.0), np.arange(20) % 2, np.arange(20) % 3]))
    found = of_features(x)
    assert found.degrees.tolist() == [1, 2, 3, 4, 1, 1, 2]
    assert found.feature.tolist() == [0, 0, 0, 0, 1, 2, 2]
    np.testing.assert_allclose(found.values.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(found.values.std(axis=0), 1.0)


def test_missing_values_are_zero_and_a_coordinate_of_their_own():
    column = np.arange(12.0)
    column[[2, 5]] = np.nan
    found = of_features(read_features(column))
    assert found.degrees.tolist() == [1, 2, 3, 4, 1]
    assert not found.values[[2, 5], :4].any()
    assert np.unique(found.values[:, 4]).size == 2


def test_classes_are_levels():
    y = read_independence(np.arange(9.0), list("abcabcabc")).y
    found = of_response(y)
    assert found.degrees.tolist() == [1, 1, 1]
    assert found.feature.tolist() == [0, 0, 0]
    assert found.levels.all()


def test_many_columns_have_fewer_degrees():
    rng = np.random.default_rng(1)
    assert of_features(read_features(rng.normal(size=(30, 20)))).degrees.max() == 2
    wide = of_features(read_features(rng.normal(size=(30, MAX_COORDINATES + 1))))
    assert wide.degrees.max() == 1
    assert wide.values.shape[1] == MAX_COORDINATES + 1
