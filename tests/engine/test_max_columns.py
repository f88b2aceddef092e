"""Trees that try, below their root, only the columns that split the root best."""

import numpy as np
import pytest

from grown_forests import grow, grow_trees
from kmerf.core.errors import InputError
from kmerf.forests.growing import presort, route
from kmerf.forests.spec import ForestSpec
from oracles import all_splits, gain, native_step

RNG = np.random.default_rng(3)
X = RNG.normal(size=(60, 9))
X[:, 4] = np.round(X[:, 4])
X[RNG.random(60) < 0.2, 7] = np.nan
Y = X[:, :1] + RNG.normal(size=(60, 2))
COLUMNS = presort(X)
SOME = ForestSpec(n_trees=12, max_columns=3)


def best_columns(splits, k):
    """Return the k columns that have the best splits."""
    best = [splits.gain[splits.feature == j].max(initial=-1.0) for j in range(9)]
    return np.argsort(best)[::-1][:k]


def nodes_of(trees, w, node, rows):
    """Yield every node of a tree with the in-bag rows that reach it."""
    step = native_step(trees, w, node, X[rows])
    if step is not None:
        yield node, rows, step
        for child, side in zip(step.children, (step.goes_left, ~step.goes_left), strict=True):
            yield from nodes_of(trees, w, child, rows[side])


def test_below_the_root_the_best_split_on_its_best_columns_is_taken():
    leaves = grow(SOME, COLUMNS, Y, classes=False, seed=5)
    trees = grow_trees(SOME, COLUMNS, Y, classes=False, seed=5)
    used = set()
    for w in range(12):
        weight = leaves.counts[w].astype(float)
        for node, rows, step in nodes_of(trees, w, 0, np.flatnonzero(weight)):
            splits = all_splits(X[rows], Y[rows], weight[rows], 1)
            if node == 0:
                kept = best_columns(splits, 3)
            assert step.feature in kept
            used.add(int(step.feature))
            if len(rows) > 2:  # of two rows, every column that parts them is as good
                most = splits.gain[np.isin(splits.feature, kept)].max()
                assert gain(Y[rows], weight[rows], step.goes_left) == pytest.approx(most, rel=1e-9)
    assert len(used) > 3  # each tree has columns of its own


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_rows_go_to_the_same_leaves_through_the_finished_trees(n_jobs):
    trees = grow_trees(SOME, COLUMNS, Y, classes=False, seed=5, n_jobs=n_jobs)
    leaves = grow(SOME, COLUMNS, Y, classes=False, seed=5, n_jobs=n_jobs)
    np.testing.assert_array_equal(route(trees, X), leaves.codes)


def test_the_root_is_that_of_all_columns():
    one, other = (grow_trees(ForestSpec(9, max_columns=k), COLUMNS, Y, classes=False, seed=1) for k in (None, 2))
    np.testing.assert_array_equal(one.feature[:, 0], other.feature[:, 0])
    np.testing.assert_array_equal(one.threshold[:, 0], other.threshold[:, 0])


@pytest.mark.parametrize("more", [{"max_columns": 40}, {"max_columns": 2, "max_features": 3}])
def test_all_columns_are_kept_where_they_are_few_or_not_all_are_scored(more):
    limited = ForestSpec(5, **more)
    plain = ForestSpec(5, max_features=limited.max_features)
    one, other = (grow(spec, COLUMNS, Y, classes=False, seed=1) for spec in (limited, plain))
    np.testing.assert_array_equal(one.codes, other.codes)


def test_a_wrong_number_of_columns_is_refused():
    with pytest.raises(InputError, match="max_columns=0 must be a whole number of at least 1"):
        ForestSpec(max_columns=0)
