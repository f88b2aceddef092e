"""Proximity between two sets of rows, against the matrices of the tests and against definitions."""

import numpy as np
import pytest

from grown_forests import grow
from kmerf.estimators.proximity_uses import grow_routed
from kmerf.forests import proximity
from kmerf.forests.growing import Forest, presort
from kmerf.forests.proximity import LeafLists
from kmerf.forests.spec import ForestSpec


@pytest.fixture
def data():
    rng = np.random.default_rng(8)
    x = rng.normal(size=(90, 4))
    return x, x[:, :1] + rng.normal(size=(90, 1))


@pytest.mark.parametrize("kind", ["all", "oob"])
@pytest.mark.parametrize("normalise", [False, True])
def test_proximity_of_rows_to_themselves_is_the_matrix_of_the_tests(data, kind, normalise):
    x, y = data
    spec = ForestSpec(n_trees=40)
    routed = grow_routed(Forest(spec, presort(x), y, False, 4))
    leaves = grow(spec, presort(x), y, classes=False, seed=4)
    codes = routed.counted(kind)
    for n_jobs in (1, 2):
        found = LeafLists(codes, routed.n_leaves).dense(codes, normalise=normalise, n_jobs=n_jobs)
        np.testing.assert_array_equal(found, proximity.proximity(leaves, kind, normalise=normalise))


def test_blocks_make_up_the_matrix(data, monkeypatch):
    x, y = data
    routed = grow_routed(Forest(ForestSpec(n_trees=9), presort(x), y, False, 4))
    lists = LeafLists(routed.codes, routed.n_leaves)
    whole = lists.dense(routed.codes[:, :50])
    monkeypatch.setattr(proximity, "CROSS_CELLS", 700)
    parts = list(lists.blocks(routed.codes[:, :50]))
    assert len(parts) == 8
    np.testing.assert_array_equal(np.vstack([block for _, block in parts]), whole)
    np.testing.assert_array_equal(lists.dense(routed.codes[:, :50], n_jobs=2), whole)
    rows, near = lists.nearest(routed.codes[:, :50], 3, n_jobs=2)
    np.testing.assert_array_equal(np.take_along_axis(whole, rows, axis=1), near)
    np.testing.assert_array_equal(near, -np.sort(-whole, axis=1)[:, :3])
