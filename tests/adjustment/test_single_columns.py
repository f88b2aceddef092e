"""P-values of single columns."""

from __future__ import annotations

import numpy as np
import pytest

from kmerf.adjustment.answering import columns_beyond_others, columns_given, shared_variance
from kmerf.adjustment.comparison import Given, judge
from kmerf.adjustment.products import of_features, of_response
from kmerf.reading.samples import read_independence


def test_a_column_given_z_has_the_pvalue_of_a_test_of_its_own():
    rng = np.random.default_rng(1)
    z = np.repeat([0.0, 1.0], 50)
    x, y = rng.normal(size=(100, 2)), rng.normal(size=100)
    sample = read_independence(x, y, given=z)
    given, coordinates = Given(sample.z, 1), of_features(sample.x)
    left, right = given.remove_from(coordinates, 1), given.remove_from(of_response(sample.y), 2)
    importance, pvalues = columns_given(given, left, coordinates.feature, right, 2)
    for j in range(2):
        own = read_independence(x[:, j], y, given=z)
        alone = given.remove_from(of_features(own.x), 1)
        assert pvalues[j] == judge(given, alone, right).pvalue
        assert importance[j] == pytest.approx(shared_variance(alone, right), rel=1e-12)


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


@pytest.mark.parametrize("place", [0, 1, 2])
def test_constant_columns_share_nothing_and_have_a_pvalue_of_one(place):
    rng = np.random.default_rng(3)
    x = np.insert(rng.normal(size=(60, 2)), place, 1.0, axis=1)
    sample = read_independence(x, x[:, 1 - min(place, 1)], given=rng.integers(0, 3, 60))
    given, coordinates = Given(sample.z, 1), of_features(sample.x)
    left, right = given.remove_from(coordinates, 1), given.remove_from(of_response(sample.y), 2)
    for importance, pvalues in (
        columns_beyond_others(sample.x, sample.y, 1, 1),
        columns_given(given, left, coordinates.feature, right, 3),
    ):
        assert (importance[place], pvalues[place]) == (0.0, 1.0)
        assert np.isfinite(pvalues).all()
        assert pvalues.size == 3
