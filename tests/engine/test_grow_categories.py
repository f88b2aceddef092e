"""Categories with many levels in trees, against slow twins: what levels are worth, which splits win, where rows go."""

import numpy as np
import pytest

from grown_forests import grow, grow_trees
from kmerf.forests.growing import presort, route
from kmerf.forests.spec import ForestSpec
from oracles import all_splits, gain, level_means, more_than_chance, native_step, send

N_TREES = 5


def make(rng, *, q=1, missing=0.0, levels=(12,), numbers=1, n=70):
    """Numbers, then categories: of each a part of y, whose first output moves with the first category."""
    codes = np.column_stack([rng.integers(0, count, n) for count in levels]).astype(float)
    x = np.concatenate([rng.normal(size=(n, numbers)), codes], axis=1)
    y = rng.normal(size=(n, q)) + 0.5 * x[:, :1]
    y[:, 0] += rng.normal(size=max(levels))[codes[:, 0].astype(int)]
    x[rng.random(x.shape) < missing] = np.nan
    return x, y, np.array([0] * numbers + list(levels))


def forest(x, y, levels, spec, seed=3):
    columns = presort(x, levels)
    return grow(spec, columns, y, classes=False, seed=seed), grow_trees(spec, columns, y, classes=False, seed=seed)


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("bootstrap", [True, False])
def test_a_level_is_worth_its_mean_in_bag(missing, bootstrap):
    x, y, levels = make(np.random.default_rng(0), missing=missing, levels=(40, 7), numbers=2)
    spec = ForestSpec(n_trees=N_TREES, bootstrap=bootstrap, max_samples=0.6)
    leaves, trees = forest(x, y, levels, spec)
    absent = 0
    for w, weight in enumerate(leaves.counts):
        expected = [level_means(x[:, j], y - y.mean(), weight, levels[j])[:, 0] for j in (2, 3)]
        assert trees.level_code[w] == pytest.approx(np.concatenate(expected), abs=1e-12)
        absent += 40 - np.unique(x[weight > 0, 2][~np.isnan(x[weight > 0, 2])]).size
    assert absent > 0  # some levels had no row in bag


@pytest.mark.parametrize("q", [2, 5])
def test_of_several_outputs_levels_are_worth_their_place_along_the_widest_direction(q):
    x, y, levels = make(np.random.default_rng(1), q=q, levels=(30,), numbers=0, n=300)
    leaves, trees = forest(x, y, levels, ForestSpec(n_trees=N_TREES))
    for w, weight in enumerate(leaves.counts):
        means = level_means(x[:, 0], y - y.mean(axis=0), weight, 30)
        direction, off, *_ = np.linalg.lstsq(means, trees.level_code[w], rcond=None)
        assert off == pytest.approx(0.0, abs=1e-12)
        sizes = np.bincount(x[:, 0].astype(int), weight, 30)
        spread = np.cov(means.T, aweights=sizes)
        reached = direction @ spread @ direction / (direction @ direction)
        assert reached >= 0.95 * np.linalg.eigvalsh(spread)[-1]


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("levels", [(12,), (60, 5)])
def test_every_split_attains_the_best_gain_and_categories_count_by_what_is_more_than_chance(missing, levels):
    x, y, counts = make(np.random.default_rng(2), missing=missing, levels=levels)
    spec = ForestSpec(n_trees=N_TREES, min_samples_leaf=2)
    leaves, trees = forest(x, y, counts, spec)
    used = set()
    for w, weight in enumerate(leaves.counts):
        worth, trust, start = x.copy(), np.ones(x.shape[1]), 0
        for j in np.flatnonzero(counts):
            known = ~np.isnan(x[:, j])
            worth[known, j] = trees.level_code[w, start:][x[known, j].astype(int)]
            trust[j] = more_than_chance(x[:, j], y, weight)
            start += counts[j]
        todo = [(0, np.flatnonzero(weight > 0))]
        while todo:
            node, rows = todo.pop()
            taken = native_step(trees, w, node, x[rows])
            splits = all_splits(worth[rows], y[rows], weight[rows].astype(float), 2)
            assert (taken is None) == (not splits.gain.size)
            if taken is None:
                continue
            best = (splits.gain * trust[splits.feature]).max()
            own = trust[taken.feature] * gain(y[rows], weight[rows].astype(float), taken.goes_left)
            assert own == pytest.approx(best, rel=1e-9, abs=1e-9)
            used.add(taken.feature)
            todo += [(taken.children[0], rows[taken.goes_left]), (taken.children[1], rows[~taken.goes_left])]
    assert used >= {0, 1}


def test_levels_by_their_means_give_the_best_of_all_ways_to_part_them():
    """For one output; there are 2^6 - 1 ways to part seven levels."""
    x, y, levels = make(np.random.default_rng(4), levels=(7,), numbers=0, n=60)
    spec = ForestSpec(n_trees=1, bootstrap=False, max_depth=1)
    _, trees = forest(x, y, levels, spec)
    own = gain(y, np.ones(60), native_step(trees, 0, 0, x).goes_left)
    ways = [np.isin(x[:, 0], [k for k in range(7) if way >> k & 1]) for way in range(1, 64)]
    assert own == pytest.approx(max(gain(y, np.ones(60), left) for left in ways))


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("q", [1, 3])
def test_rows_seen_unseen_and_new_go_by_the_worth_of_their_levels(missing, q):
    rng = np.random.default_rng(5)
    x, y, levels = make(rng, missing=missing, levels=(50, 9), q=q, n=90)
    leaves, trees = forest(x, y, levels, ForestSpec(n_trees=N_TREES))
    expected = [[send(trees, w, row) for row in x] for w in range(N_TREES)]
    assert leaves.codes.tolist() == expected
    new = make(rng, missing=missing, levels=(50, 9), n=40)[0]
    assert route(trees, new).tolist() == [[send(trees, w, row) for row in new] for w in range(N_TREES)]


def test_trees_on_some_of_the_columns_know_their_levels():
    rng = np.random.default_rng(11)
    x, y, levels = make(rng, levels=(50, 9, 33), numbers=2, n=90)
    leaves, trees = forest(x, y, levels, ForestSpec(n_trees=8, max_columns=3))
    assert leaves.codes.tolist() == [[send(trees, w, row) for row in x] for w in range(8)]
    assert route(trees, x).tolist() == leaves.codes.tolist()


def test_names_of_levels_do_not_matter():
    x, y, levels = make(np.random.default_rng(6), levels=(40,))
    names = np.random.default_rng(7).permutation(40)
    other = x.copy()
    other[:, 1] = names[x[:, 1].astype(int)]
    spec = ForestSpec(n_trees=N_TREES, min_samples_leaf=3)
    same, renamed = forest(x, y, levels, spec)[0], forest(other, y, levels, spec)[0]
    for w in range(N_TREES):
        assert len(set(zip(same.codes[w], renamed.codes[w], strict=True))) == same.n_leaves[w]


def test_a_category_without_meaning_does_not_hide_a_number():
    """By their means alone, a hundred levels of three rows each would win every split near the root."""
    rng = np.random.default_rng(8)
    x = np.column_stack([rng.normal(size=300), rng.integers(0, 100, 300)])
    y = x[:, :1] + rng.normal(size=(300, 1))
    trees = forest(x, y, np.array([0, 100]), ForestSpec(n_trees=20))[1]
    assert (trees.feature[:, 0] == 0).all()


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_threads_change_nothing(n_jobs):
    x, y, levels = make(np.random.default_rng(9), levels=(45,), q=3)
    columns, spec = presort(x, levels), ForestSpec(n_trees=40)
    alone, many = (grow(spec, columns, y, classes=False, seed=0, n_jobs=jobs) for jobs in (1, n_jobs))
    assert np.array_equal(alone.codes, many.codes)
    assert np.array_equal(alone.gains, many.gains)


def test_a_level_in_every_row_and_a_category_without_rows_do_no_harm():
    x = np.column_stack([np.arange(40.0), np.full(40, np.nan), np.repeat([0.0, 1.0], 20)])
    y = np.random.default_rng(10).normal(size=(40, 1))
    leaves = forest(x, y, np.array([40, 33, 0]), ForestSpec(n_trees=N_TREES))[0]
    assert (leaves.n_leaves > 1).all()
    assert np.isfinite(leaves.gains).all()
