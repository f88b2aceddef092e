"""Forests without y."""

import numpy as np
import pytest

from grown_forests import grow
from kmerf.forests.fitted import FixedForest
from kmerf.forests.growing import Forest, add_made_up_rows, contrast, draw_combinations, presort
from kmerf.forests.proximity import proximity
from kmerf.forests.spec import ForestSpec

RNG = np.random.default_rng(2)
X = RNG.normal(size=(90, 3))
X[:, 1] = X[:, 0] + 0.1 * RNG.normal(size=90)
NONE = np.zeros(3, np.int64)


def test_made_up_rows_have_the_values_of_each_column_in_another_order():
    rows, classes = add_made_up_rows(X, 5)
    np.testing.assert_array_equal(rows[:90], X)
    np.testing.assert_array_equal(np.sort(rows[90:], axis=0), np.sort(X, axis=0))
    assert abs(np.corrcoef(rows[90:, 0], rows[90:, 1])[0, 1]) < 0.35  # 0.99 in X
    np.testing.assert_array_equal(classes, np.repeat([[1.0, 0.0], [0.0, 1.0]], 90, axis=0))


def test_a_contrast_forest_tells_rows_from_made_up_ones():
    spec = ForestSpec(20, min_samples_leaf=5)
    forest = FixedForest.of(contrast(spec, X, NONE, None, 5), 90, "all")
    rows, classes = add_made_up_rows(X, 5)
    expected = grow(spec, presort(rows), classes, classes=True, seed=5)
    np.testing.assert_array_equal(forest.leaves.codes, expected.codes[:, :90])
    np.testing.assert_array_equal(forest.leaves.counts, expected.counts[:, :90])
    assert forest.gains(X[:, 2:]).shape == (20, 3)


def test_combinations_of_made_up_rows_are_their_own():
    combined = draw_combinations(presort(X), 4, 1)
    forest = FixedForest.of(contrast(ForestSpec(20, min_samples_leaf=5), X, NONE, combined, 5), 90, "all")
    rows, classes = add_made_up_rows(X, 5)
    expected = grow(ForestSpec(20, min_samples_leaf=5), presort(combined.widen(rows)), classes, classes=True, seed=5)
    np.testing.assert_array_equal(forest.leaves.codes, expected.codes[:, :90])


@pytest.mark.parametrize("kind", ["all", "oob"])
def test_a_blind_forest_finds_rows_alike_that_are_near(kind):
    spec = ForestSpec(300, splits="blind", min_samples_leaf=5)
    forest = FixedForest.of(Forest(spec, presort(X), np.zeros((90, 1)), False, 1), 90, kind)
    K = proximity(forest.leaves, kind)
    gaps = np.abs(X[:, None, :] - X[None, :, :]).sum(axis=2)
    off = ~np.eye(90, dtype=bool)
    assert np.corrcoef(K[off], gaps[off])[0, 1] < -0.5
