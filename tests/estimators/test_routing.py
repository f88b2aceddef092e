"""Forests that new rows are sent through: the rows they were grown on fall where growing put them."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from grown_forests import grow
from kmerf.core.errors import InputError
from kmerf.estimators.proximity_uses import RoutedForest, grow_routed
from kmerf.forests import sklearn_forest
from kmerf.forests.growing import Forest, presort
from kmerf.forests.spec import ForestSpec
from kmerf.reading.samples import read_independence


@pytest.fixture
def data():
    rng = np.random.default_rng(8)
    x = rng.normal(size=(90, 4))
    x[:, 1] = np.round(x[:, 1])
    x[rng.random(x.shape) < 0.1] = np.nan
    return x, np.nan_to_num(x[:, :1]) + rng.normal(size=(90, 1))


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("spec", [ForestSpec(n_trees=23), ForestSpec(n_trees=5, bootstrap=False)])
def test_a_routed_forest_is_the_one_that_grow_grows(data, spec, n_jobs):
    x, y = data
    routed = grow_routed(Forest(spec, presort(x), y, False, 4), n_jobs)
    leaves = grow(spec, presort(x), y, classes=False, seed=4)
    np.testing.assert_array_equal(routed.codes, leaves.codes)
    np.testing.assert_array_equal(routed.n_leaves, leaves.n_leaves)
    assert (routed.free is None) == (leaves.counts is None)
    if leaves.counts is not None:
        np.testing.assert_array_equal(routed.free, leaves.counts == 0)
    np.testing.assert_array_equal(routed.router.route(x), leaves.codes)


def test_rows_out_of_bag_are_asked_for_in_vain_where_there_are_none(data):
    x, y = data
    routed = grow_routed(Forest(ForestSpec(n_trees=3, bootstrap=False), presort(x), y, False, 4))
    with pytest.raises(InputError, match=r"proximity='oob' needs rows out of bag, .*: set bootstrap=True"):
        routed.counted("oob")


def test_a_plugin_forest_routes_as_it_applies_and_knows_leaves_without_fitted_rows(data):
    x, y = data
    sample = read_independence(x, np.where(y[:, 0] > 0, "a", "b"))
    leaves, router = sklearn_forest.Plugin(RandomForestClassifier(7), presort(sample.x.values), sample.y, 1).fit()
    np.testing.assert_array_equal(router.route(sample.x.values), leaves.codes)
    nodes = router.fitted.apply(sample.x.values)
    for t in range(7):
        assert len({*zip(nodes[:, t], leaves.codes[t], strict=True)}) == leaves.n_leaves[t] == len(set(nodes[:, t]))
    fewer = sklearn_forest.PluginRouter(
        router.fitted, tuple(known[known != nodes[5, t]] for t, known in enumerate(router.leaves))
    )
    assert (fewer.route(sample.x.values)[:, 5] == -1).all()
    assert RoutedForest.of(router, leaves).first(10).codes.shape == (7, 10)
