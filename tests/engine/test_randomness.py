"""Random splits against a slow tree from the same random numbers."""

import numpy as np
import pytest
from scipy import stats

from grown_forests import grow, grow_trees
from kmerf.forests.growing import presort, route
from kmerf.forests.spec import ForestSpec
from oracles import native_step
from oracles_random_trees import RandomTree, Stream, allowed_cuts


def table(seed, n, missing=0.0, tied=False):
    """Columns of numbers, some of them tied or with gaps, and two outputs."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 4))
    if tied:
        x[:, 0] = np.round(x[:, 0])
        x[:, 1] = x[:, 1] > 0
    x[rng.random(x.shape) < missing] = np.nan
    return x, rng.normal(size=(n, 2))


@pytest.mark.parametrize("missing", [0.0, 0.3], ids=["complete", "missing"])
@pytest.mark.parametrize("tied", [False, True], ids=["plain", "tied"])
@pytest.mark.parametrize("tried", [1, 2, 4])
@pytest.mark.parametrize("outputs", [1, 2])
def test_trees_are_those_of_the_slow_version(missing, tied, tried, outputs):
    splits = 0
    for number, leaf in enumerate((1, 2, 5)):
        x, y = table(number, 40, missing, tied)
        y = y[:, :outputs]
        spec = ForestSpec(6, max_features=tried, min_samples_leaf=leaf, splits="random")
        leaves = grow(spec, presort(x), y, classes=False, seed=7, refit=3)
        for t in range(6):
            slow = RandomTree(x, y, spec, tried, 7, 3, t)
            np.testing.assert_array_equal(leaves.counts[t], slow.weight)
            assert leaves.n_leaves[t] == len(slow.leaves)
            for code, rows in enumerate(slow.leaves):
                np.testing.assert_array_equal(leaves.codes[t, rows], code)
            splits += len(slow.leaves) - 1
    assert splits > 100


@pytest.mark.parametrize("splits", ["random", "blind"])
def test_rows_out_of_bag_go_down_the_tree(splits):
    x, y = table(1, 80, 0.2, True)
    spec = ForestSpec(10, splits=splits)
    codes = grow(spec, presort(x), y, classes=False, seed=1).codes
    np.testing.assert_array_equal(route(grow_trees(spec, presort(x), y, classes=False, seed=1), x), codes)


def test_every_place_is_as_likely_as_another():
    x = np.exp(np.random.default_rng(0).normal(size=(21, 1)) * 5)  # however values are spaced
    y = np.arange(21.0)[:, None]
    spec = ForestSpec(4000, bootstrap=False, max_depth=1, splits="random")
    codes = grow(spec, presort(x), y, classes=False, seed=1).codes
    sizes = np.bincount((codes == codes[:, [x.argmin()]]).sum(axis=1), minlength=21)[1:]
    assert sizes.size == 20
    assert stats.chisquare(sizes).pvalue > 1e-3


def test_missing_rows_go_to_either_side():
    x = np.arange(30.0)[:, None]
    x[:10] = np.nan
    y = np.random.default_rng(0).normal(size=(30, 1))
    spec = ForestSpec(400, bootstrap=False, max_depth=1, splits="random")
    trees = grow_trees(spec, presort(x), y, classes=False, seed=1)
    left = [native_step(trees, w, 0, x).goes_left for w in range(400)]
    share = np.mean([each[0] for each in left])
    assert 0.4 < share < 0.6
    assert len({each.tobytes() for each in left}) == 19 + 20  # with the known rows cut anywhere, and all of them left


def test_a_cut_is_found_wherever_there_is_one():
    rng = np.random.default_rng(2)
    for number in range(300):
        x = rng.integers(0, 3, size=(int(rng.integers(3, 9)), 1)).astype(float)
        x[rng.random(x.shape) < 0.3] = np.nan
        y = rng.normal(size=x.shape)
        leaf = int(rng.integers(1, 4))
        spec = ForestSpec(1, bootstrap=False, max_depth=1, min_samples_leaf=leaf, splits="random")
        n_leaves = grow(spec, presort(x), y, classes=False, seed=number).n_leaves[0]
        values, n_missing = np.sort(x[:, 0]), int(np.isnan(x).sum())
        leaf = spec.rules(len(x), 1, classes=False).min_leaf  # smaller if it would leave no tree
        possible = any(allowed_cuts(values, n_missing, side, leaf) for side in (False, True))
        assert n_leaves == (2 if possible else 1)


def test_a_blind_forest_is_the_same_whatever_y_is():
    x, y = table(3, 60, 0.1, True)
    levels = np.array([0, 0, 0, 40])
    x[:, 3] = np.random.default_rng(0).integers(0, 40, 60)  # a category of many levels, which trees order by y
    spec = ForestSpec(20, splits="blind")
    one, other = (grow(spec, presort(x, levels), each, classes=False, seed=2) for each in (y, y[::-1] ** 3))
    np.testing.assert_array_equal(one.codes, other.codes)
    seeing = ForestSpec(20, splits="random")
    one, other = (grow(seeing, presort(x, levels), each, classes=False, seed=2) for each in (y, y[::-1] ** 3))
    assert (one.codes != other.codes).any()


@pytest.mark.parametrize("splits", ["random", "blind"])
def test_workers_do_not_matter(splits):
    x, y = table(4, 200)
    one, many = (grow(ForestSpec(50, splits=splits), presort(x), y, classes=False, seed=2, n_jobs=k) for k in (1, 3))
    np.testing.assert_array_equal(one.codes, many.codes)
    np.testing.assert_array_equal(one.gains, many.gains)


def test_the_slow_stream_permutes_evenly():
    firsts = [Stream(1, number, 0).permutation(6)[0] for number in range(1, 1201)]
    assert stats.chisquare(np.bincount(firsts, minlength=6)).pvalue > 1e-3
