"""P-values of single columns."""

from __future__ import annotations

import numpy as np

from kmerf.adjustment.rank_coordinates import of_features, of_response
from kmerf.adjustment.single_columns import columns_beyond_others, columns_given, shared
from kmerf.adjustment.testing import Given, compare
from kmerf.data.read_sample import read_independence


def test_a_column_given_z_has_the_pvalue_of_a_test_of_its_own():
    rng = np.random.default_rng(1)
    z = np.repeat([0.0, 1.0], 50)
    x, y = rng.normal(size=(100, 2)), rng.normal(size=100)
    sample = read_independence(x, y, given=z)
    given, coordinates = Given(sample.z.values, 1), of_features(sample.x)
    left, right = given.remove_from(coordinates, 1), given.remove_from(of_response(sample.y), 2)
    importance, pvalues = columns_given(given, left, coordinates.feature, right)
    for j in range(2):
        own = read_independence(x[:, j], y, given=z)
        alone = given.remove_from(of_features(own.x), 1)
        assert pvalues[j] == compare(given, alone, right).pvalue
        assert importance[j] == shared(alone.left, right.left)


def test_a_proxy_is_told_from_the_real_column():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(200, 4))
    x[:, 1] = x[:, 0] + 0.7 * rng.normal(size=200)
    sample = read_independence(x, x[:, 0] + 0.5 * rng.normal(size=200))
    importance, pvalues = columns_beyond_others(sample.x, sample.y, 1, 1)
    assert pvalues[0] < 1e-4
    assert (pvalues[1:] > 0.01).all()
    assert importance[0] == importance.max()
    again = columns_beyond_others(sample.x, sample.y, 1, 2)
    np.testing.assert_array_equal(again[1], pvalues)


def test_constant_columns_have_no_pvalue():
    rng = np.random.default_rng(3)
    x = np.column_stack([np.ones(60), rng.normal(size=(60, 2))])
    sample = read_independence(x, x[:, 1])
    assert np.isnan(columns_beyond_others(sample.x, sample.y, 1, 1)[1]).tolist() == [True, False, False]
