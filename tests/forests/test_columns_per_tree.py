"""Trees that are grown on some of the columns of x."""

import numpy as np
import pytest

from kmerf.core.errors import InputError
from kmerf.core.streams import Purpose, stream
from kmerf.forests.growing import grow, grow_trees, presort, route
from kmerf.forests.spec import ForestSpec

RNG = np.random.default_rng(3)
X = RNG.normal(size=(60, 9))
X[:, 4] = np.round(X[:, 4])
X[RNG.random(60) < 0.2, 7] = np.nan
Y = X[:, :1] + RNG.normal(size=(60, 2))
COLUMNS = presort(X)
SOME = ForestSpec(n_trees=12, max_columns=3)


def chosen(tree, refit=2):
    """Return the columns that a tree should have."""
    return np.sort(stream(5, Purpose.TREE_COLUMNS, refit, tree).choice(9, 3, replace=False))


def test_a_tree_is_that_of_its_columns_alone():
    found = grow(SOME, COLUMNS, Y, classes=False, seed=5, refit=2, credited=True)
    for tree in range(12):
        columns = chosen(tree)
        alone = grow(ForestSpec(n_trees=12), presort(X[:, columns]), Y, classes=False, seed=5, refit=2, credited=True)
        np.testing.assert_array_equal(found.codes[tree], alone.codes[tree])
        np.testing.assert_array_equal(found.counts[tree], alone.counts[tree])
        np.testing.assert_array_equal(found.gains[tree, columns], alone.gains[tree])
        np.testing.assert_array_equal(found.credits[tree, columns], alone.credits[tree])
        others = np.setdiff1d(np.arange(9), columns)
        assert not found.gains[tree, others].any()
        assert not found.credits[tree, others].any()
    assert len({tuple(chosen(tree)) for tree in range(12)}) > 6


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_rows_go_to_the_same_leaves_through_the_finished_trees(n_jobs):
    trees = grow_trees(SOME, COLUMNS, Y, classes=False, seed=5, n_jobs=n_jobs)
    leaves = grow(SOME, COLUMNS, Y, classes=False, seed=5, n_jobs=n_jobs)
    np.testing.assert_array_equal(route(trees, X), leaves.codes)
    for tree in range(12):
        nodes = trees.feature[tree, : 2 * leaves.n_leaves[tree] - 1]
        assert set(nodes[nodes >= 0]) <= set(chosen(tree, refit=0))


def test_more_columns_than_there_are_is_all_of_them():
    one, other = (grow(ForestSpec(5, max_columns=k), COLUMNS, Y, classes=False, seed=1) for k in (None, 40))
    np.testing.assert_array_equal(one.codes, other.codes)


def test_a_wrong_number_of_columns_is_refused():
    with pytest.raises(InputError, match="max_columns=0 must be a whole number of at least 1"):
        ForestSpec(max_columns=0)
