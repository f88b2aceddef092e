"""Sparse matrices of leaves and of proximities."""

import numpy as np

from kmerf.estimators.proximity_uses import largest_entries, leaf_map


def test_the_leaf_map_has_one_entry_for_each_leaf_that_is_known():
    codes = np.array([[0, 1, -1], [2, 2, 0]], np.int32)
    Z = leaf_map(codes, np.array([2, 3], np.int32)).toarray() * np.sqrt(2)
    np.testing.assert_allclose(Z, [[1, 0, 0, 0, 1], [0, 1, 0, 0, 1], [0, 0, 1, 0, 0]])


def test_entries_stand_in_their_columns():
    K = largest_entries(np.array([[2, 0], [1, -1]]), np.array([[0.9, 0.5], [0.3, 0.0]]), 4)
    assert K.toarray().tolist() == [[0.5, 0, 0.9, 0], [0, 0.3, 0, 0]]
    assert K.has_sorted_indices
    assert K.nnz == 3
