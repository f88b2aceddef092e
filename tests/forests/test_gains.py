"""Gains of columns are added up by feature, and shares are of each tree."""

import numpy as np

from kmerf.core.arrays import row_shares
from kmerf.forests.growing import by_feature


def test_columns_of_a_category_are_one_feature():
    gains = np.array([[1.0, 2.0, 4.0, 8.0], [0.0, 1.0, 0.0, 3.0]])
    assert by_feature(gains, np.array([0, 1, 1, 2]), 3).tolist() == [[1.0, 6.0, 8.0], [0.0, 1.0, 3.0]]
    assert by_feature(gains, np.arange(4), 4) is gains


def test_shares_add_up_to_one_in_every_tree_that_splits():
    found = row_shares(np.array([[1.0, 3.0], [0.0, 0.0]]))
    assert found.tolist() == [[0.25, 0.75], [0.0, 0.0]]
