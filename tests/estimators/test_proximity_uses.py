"""Outliers, prototypes and missing values from proximities given as matrices."""

import numpy as np

from kmerf.estimators.proximity_uses import collapse, cover, group_squares, learn_outlyingness, weigh_values
from kmerf.reading.samples import read_features


def test_rows_alike_have_no_outliers():
    same = learn_outlyingness(np.ones((4, 1)), np.zeros(4, np.int64), 10)
    np.testing.assert_array_equal(same.scores(np.ones((4, 1)), np.zeros(4, np.int64), own=1), 0.0)


def test_a_row_away_from_rows_that_are_all_alike_is_infinitely_far():
    same = learn_outlyingness(np.ones((4, 1)), np.zeros(4, np.int64), 10)
    scores = same.scores(np.array([[4.0 / 3.0], [0.2]]), np.zeros(2, np.int64))
    np.testing.assert_array_equal(scores, [0.0, np.inf])


def test_a_class_of_one_row_has_nothing_to_compare_with():
    squares, group = np.array([[1.0, 0.1], [1.0, 0.2], [0.1, 0.0]]), np.array([0, 0, 1])
    scores = learn_outlyingness(squares, group, 10).scores(squares, group, own=1)
    np.testing.assert_array_equal(scores, [0.0, 0.0, np.nan])


def test_prototypes_cover_as_well_as_any_pair():
    rng = np.random.default_rng(2)
    K = rng.random((12, 12))
    K = np.maximum(K, K.T)
    np.fill_diagonal(K, 1.0)
    first, second = cover(K, 2)
    assert first == K.sum(axis=0).argmax()
    assert second == max(range(12), key=lambda j: np.maximum(K[:, first], K[:, j]).sum())
    assert sorted(cover(K, 20)) == list(range(12))


def test_a_column_known_nowhere_near_takes_its_mean():
    known = np.array([[1.0], [3.0], [np.nan]])
    blocks = iter([(slice(0, 1), np.array([[0.0, 0.0, 1.0]]))])
    assert weigh_values(blocks, known, np.array([[np.nan]]))[0, 0] == 2.0


def test_squares_are_summed_by_group_without_the_row_itself():
    K = np.array([[1.0, 0.5, 0.2], [0.5, 1.0, 0.1], [0.2, 0.1, 1.0]])
    group = np.array([0, 0, 1])
    blocks = [(slice(0, 2), K[:2]), (slice(2, 3), K[2:])]
    given = (group, 2, 3)
    with_self = group_squares(iter([(part, block.copy()) for part, block in blocks]), *given, without_self=False)
    np.testing.assert_allclose(with_self, [[1.25, 0.04], [1.25, 0.01], [0.05, 1.0]])
    without = group_squares(iter([(part, block.copy()) for part, block in blocks]), *given, without_self=True)
    np.testing.assert_allclose(without, [[0.25, 0.04], [0.25, 0.01], [0.05, 0.0]])


def test_one_hot_columns_become_labels_again():
    features = read_features([[1.5, "b"], [2.5, "a"]], categorical="x2")
    assert collapse(features.values, features).tolist() == [[1.5, "b"], [2.5, "a"]]
    shares = np.array([[1.5, 0.4, 0.6]])
    assert collapse(shares, features).tolist() == [[1.5, "b"]]
    numbers = read_features([[1.0], [2.0]])
    assert collapse(numbers.values, numbers) is numbers.values
