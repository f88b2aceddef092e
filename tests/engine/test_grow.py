"""Trees against a brute-force oracle and against scikit-learn, node by node."""

from collections import Counter
from typing import NamedTuple

import numpy as np
import pytest
from scipy import stats
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from grown_forests import grow, grow_trees
from kmerf.engine.workspace import LEAF
from kmerf.forests.growing import presort, route
from kmerf.forests.spec import ForestSpec
from oracles import all_splits, error_left, gain, native_step, same_partition, send, sklearn_step

WHOLE = {"n_trees": 1, "bootstrap": False, "max_features": "all"}  # one tree of all rows and features


class Data(NamedTuple):
    x: np.ndarray
    y: np.ndarray  # (n, q), one-hot for classes
    classes: bool

    def grow(self, spec, **options):
        return grow(spec, presort(self.x), self.y, classes=self.classes, **{"seed": 0} | options)

    def trees(self, spec, **options):
        return grow_trees(spec, presort(self.x), self.y, classes=self.classes, **{"seed": 0} | options)

    @property
    def target(self):
        """What scikit-learn is given."""
        return self.y.argmax(axis=1) if self.classes else self.y

    @property
    def grown_on(self):
        """What the engine is given: the second of two one-hot columns says nothing new."""
        return self.y[:, :1] if self.classes and self.y.shape[1] == 2 else self.y


def make(rng, *, classes=False, whole=False, tied=False, missing=0.0, n=None, p=None, q=None):
    """Random data with a weak signal; x is a multiple of 2^-8 (or 2^-1 if tied), so exact in float32."""
    n = n or int(rng.integers(12, 61))
    p = p or int(rng.integers(1, 6))
    q = q or int(rng.integers(2, 5) if classes else rng.integers(1, 4))
    step = 2 if tied else 256
    x = np.round(rng.normal(size=(n, p)) * step) / step
    y = np.abs(x[:, :1]) + rng.normal(size=(n, q))
    if classes:
        y = np.eye(q)[y.argmax(axis=1)]
    elif whole:
        y = np.round(y)
    x[rng.random((n, p)) < missing] = np.nan
    return Data(x, y, classes)


def random_spec(rng, **fixed):
    depth = [None, 2, 3, 5][rng.integers(4)]
    return ForestSpec(min_samples_leaf=int(rng.integers(1, 7)), max_depth=depth, **fixed)


def contenders(x, y, weight, min_leaf):
    """Return the best gain of all splits, what counts as equal to it, and the splits that attain it."""
    splits = all_splits(x, y, weight, min_leaf)
    if not splits.gain.size:
        return 0.0, 0.0, []
    best = splits.gain.max()
    slack = 1e-9 * best + 1e-12 * (weight @ (y - y.mean(axis=0)) ** 2).sum()  # a best gain of 0 has rounding too
    top = [(splits.feature[k], splits.left[k]) for k in np.flatnonzero(splits.gain >= best - slack)]
    return best, slack, top


def must_stop(x, y, weight, spec, depth):
    """Tell whether a node has to be a leaf."""
    deep = spec.max_depth is not None and depth >= spec.max_depth
    return deep or np.ptp(y, axis=0).max() == 0 or not all_splits(x, y, weight, spec.min_samples_leaf).gain.size


def walk(trees, w, data, weight, spec):
    """Go down tree w from its root; yield each inner node's rows, step and best splits, checking where it stops."""
    todo = [(0, np.flatnonzero(weight > 0), 0)]
    while todo:
        node, rows, depth = todo.pop()
        here = data.x[rows], data.y[rows], weight[rows].astype(float)
        taken = native_step(trees, w, node, here[0])
        assert (taken is None) == must_stop(*here, spec, depth)
        if taken is not None:
            yield node, here, taken, contenders(*here, spec.min_samples_leaf)
            parts = rows[taken.goes_left], rows[~taken.goes_left]
            todo += [(child, part, depth + 1) for child, part in zip(taken.children, parts, strict=True)]


def sklearn_tree(data, spec):
    kind = DecisionTreeClassifier if data.classes else DecisionTreeRegressor
    model = kind(min_samples_leaf=spec.min_samples_leaf, max_depth=spec.max_depth, random_state=0)
    return model.fit(data.x, data.target).tree_


def compare_trees(ours, theirs, data, spec):
    """Go down two trees while they agree; count the nodes, and those whose best partition is unique."""
    seen = Counter()
    todo = [(0, 0, np.arange(len(data.x)))]
    while todo:
        our_node, their_node, rows = todo.pop()
        x, y, weight = data.x[rows], data.y[rows], np.ones(rows.size)
        mine, yours = native_step(ours, 0, our_node, x), sklearn_step(theirs, their_node, x)
        assert (mine is None) == (yours is None)
        if mine is None:
            seen["leaf"] += 1
            continue
        best, slack, top = contenders(x, y, weight, spec.min_samples_leaf)
        for taken in (mine, yours):
            assert gain(y, weight, taken.goes_left) == pytest.approx(best, abs=slack + 1e-12)
        unique = all(same_partition(left, top[0][1]) for _, left in top)
        alike = same_partition(mine.goes_left, yours.goes_left)
        seen["split"] += 1
        seen["unique"] += unique
        seen["alike"] += alike
        assert alike or not unique
        if not alike:
            continue
        straight = np.array_equal(mine.goes_left, yours.goes_left)
        left, right = mine.children
        parts = [(left, mine.goes_left), (right, ~mine.goes_left)]
        others = yours.children if straight else yours.children[::-1]
        todo += [(a, b, rows[part]) for (a, part), b in zip(parts, others, strict=True)]
    return seen


# --- without bootstrap ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tied", [False, True], ids=["plain", "tied"])
@pytest.mark.parametrize(("kind", "share"), [("numbers", 1.0), ("whole", 0.85), ("classes", 0.75)])
def test_partitions_equal_scikit_learns_wherever_the_best_is_unique(kind, share, tied):
    seen = Counter()
    for number in range(80):
        rng = np.random.default_rng([number, tied])
        data = make(rng, classes=kind == "classes", whole=kind == "whole", tied=tied)
        spec = random_spec(rng, **WHOLE)
        seen += compare_trees(data.trees(spec), sklearn_tree(data, spec), data, spec)
    assert seen["split"] > 300
    assert seen["unique"] >= share * seen["split"]
    assert seen["alike"] >= seen["unique"]


@pytest.mark.parametrize("classes", [False, True], ids=["numbers", "classes"])
def test_gains_equal_scikit_learns_importances_where_every_split_is_unique(classes):
    compared = 0
    for number in range(100):
        rng = np.random.default_rng([number, classes])
        data, spec = make(rng, classes=classes), ForestSpec(min_samples_leaf=3, max_depth=3, **WHOLE)
        trees, weight = data.trees(spec), np.ones(len(data.x))
        nodes = walk(trees, 0, data, weight, spec)
        if any(len(top) > 1 for _, _, _, (_, _, top) in nodes):
            continue
        q = data.y.shape[1]
        # scikit-learn divides by n, and averages over outputs. Gini adds up the variances of the one-hot columns, of
        # which the engine sees one of two or all of more.
        scale = len(data.x) * ((0.5 if q == 2 else 1.0) if classes else q)
        expected = sklearn_tree(data, spec).compute_feature_importances(normalize=False) * scale
        np.testing.assert_allclose(data.grow(spec).gains[0], expected, rtol=1e-9, atol=1e-9)
        compared += 1
    assert compared >= 15


# --- with bootstrap: every tree, node by node ----------------------------------------------------------------------

SAMPLES = [{"bootstrap": True}, {"bootstrap": True, "max_samples": 0.7}, {"bootstrap": False, "max_samples": 0.6}]


@pytest.mark.parametrize("missing", [0.0, 0.3], ids=["complete", "missing"])
@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_every_split_attains_the_best_gain_of_its_in_bag_rows(sample, missing):
    splits = parted_missing = 0
    for number in range(16):
        rng = np.random.default_rng(number)
        data = make(rng, classes=number % 2 == 0, tied=number % 4 < 2, missing=missing, n=30)
        spec = random_spec(rng, n_trees=3, max_features="all", **sample)
        trees, counts = data.trees(spec), data.grow(spec).counts
        for w in range(3):
            for _, (x, y, weight), taken, (best, slack, _) in walk(trees, w, data, counts[w], spec):
                assert gain(y, weight, taken.goes_left) == pytest.approx(best, abs=slack + 1e-12)
                assert min(taken.goes_left.sum(), (~taken.goes_left).sum()) >= spec.min_samples_leaf
                splits += 1
                parted_missing += np.isnan(x[:, taken.feature]).any()
    assert splits > 100
    assert parted_missing >= 100 * missing


@pytest.mark.parametrize("classes", [False, True], ids=["numbers", "classes"])
@pytest.mark.parametrize("max_features", ["all", "sqrt", 1])
@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_gains_add_up_to_the_squared_error_that_a_tree_removes(sample, max_features, classes):
    rng = np.random.default_rng(5)
    data = make(rng, classes=classes, tied=True, missing=0.1, n=50, p=5)
    spec = random_spec(rng, n_trees=20, max_features=max_features, **sample)
    leaves = data.grow(spec)
    y = data.grown_on
    for codes, counts, gains in zip(leaves.codes, leaves.counts, leaves.gains, strict=True):
        at_root = error_left(y, counts, np.zeros_like(codes))
        assert gains.sum() == pytest.approx(at_root - error_left(y, counts, codes), rel=1e-10)


# --- with bootstrap: in the mean -----------------------------------------------------------------------------------


def z_scores(share, other, m):
    """Scaled difference of two frequencies in m independent trees each, where there is any spread."""
    spread = (share * (1 - share) + other * (1 - other)) / m
    return (share - other)[spread > 0] / np.sqrt(spread[spread > 0])


@pytest.mark.parametrize("min_leaf", [1, 3])
@pytest.mark.parametrize("max_features", ["all", "sqrt"])
@pytest.mark.parametrize("classes", [False, True], ids=["numbers", "classes"])
def test_mean_proximity_agrees_with_scikit_learns_forest(classes, max_features, min_leaf):
    data = make(np.random.default_rng(11), classes=classes, n=30, p=4, q=3 if classes else 1)
    # Multiples of 2^-6 add up without rounding, so that mirrored splits tie exactly and chance alone decides.
    data = data._replace(y=np.round(data.y * 64) / 64)
    n_seeds, n_trees = 8, 200
    spec = ForestSpec(n_trees=n_trees, max_features=max_features, min_samples_leaf=min_leaf)
    codes = np.vstack([data.grow(spec, seed=seed).codes for seed in range(n_seeds)])
    kind = RandomForestClassifier if classes else RandomForestRegressor
    tried = {"all": None, "sqrt": "sqrt"}[max_features]
    model = kind(n_seeds * n_trees, max_features=tried, min_samples_leaf=min_leaf, random_state=0)
    theirs = model.fit(data.x, data.target if classes else data.y[:, 0]).apply(data.x).T

    pairs = np.triu_indices(30, 1)
    share, other = ((c[:, pairs[0]] == c[:, pairs[1]]).mean(axis=0) for c in (codes, theirs))
    z = z_scores(share, other, len(codes))
    assert z.size > 300
    assert np.abs(z).max() < 5
    assert 0.6 < (z**2).mean() < 1.5

    sizes = [c.max(axis=1) + 1 for c in (codes, np.array([np.unique(t, return_inverse=True)[1] for t in theirs]))]
    assert abs(stats.ttest_ind(*sizes).statistic) < 4


def draws(n, n_trees=2000, **sample):
    x = np.arange(float(n))[:, None]
    return Data(x, x % 3, False).grow(ForestSpec(n_trees=n_trees, max_depth=1, **sample)).counts


@pytest.mark.parametrize(("max_samples", "n_draw"), [(None, 20), (20, 20), (7, 7), (1, 1), (0.4, 8), (1.0, 20)])
def test_bootstrap_counts_follow_the_binomial(max_samples, n_draw):
    counts = draws(20, max_samples=max_samples)
    assert (counts.sum(axis=1) == n_draw).all()
    z = (counts.mean(axis=0) - n_draw / 20) / np.sqrt(n_draw / 20 * (1 - 1 / 20) / len(counts))
    assert np.abs(z).max() < 4
    expected = stats.binom.pmf(np.arange(4), n_draw, 1 / 20)
    for value in range(4):
        assert (counts == value).mean() == pytest.approx(expected[value], abs=4 * np.sqrt(0.25 / counts.size))


@pytest.mark.parametrize(("max_samples", "n_draw"), [(19, 19), (7, 7), (1, 1), (0.4, 8)])
def test_subsamples_hold_different_rows_each_equally_often(max_samples, n_draw):
    counts = draws(20, bootstrap=False, max_samples=max_samples)
    assert set(np.unique(counts)) == {0, 1}
    assert (counts.sum(axis=1) == n_draw).all()
    share = n_draw / 20
    assert np.abs((counts.mean(axis=0) - share) / np.sqrt(share * (1 - share) / len(counts))).max() < 4
    together = counts.T @ counts / len(counts)  # pairs are drawn with the probability of sampling without replacement
    both = share * (n_draw - 1) / 19
    assert np.abs(together - both)[~np.eye(20, dtype=bool)].max() < 5 * np.sqrt((both * (1 - both) + 1e-9) / 2000)


@pytest.mark.parametrize("max_samples", [None, 20, 1.0])
def test_without_a_bootstrap_every_row_is_drawn_and_there_is_nothing_to_tell(max_samples):
    assert draws(20, n_trees=5, bootstrap=False, max_samples=max_samples) is None


@pytest.mark.parametrize("max_features", [1, "sqrt", "all"])
def test_equal_features_are_chosen_equally_often(max_features):
    x = np.repeat(np.arange(16.0)[:, None], 4, axis=1)
    data = Data(x, np.arange(16.0)[:, None] ** 2, False)
    spec = ForestSpec(n_trees=2000, bootstrap=False, max_features=max_features)
    root = np.bincount(data.trees(spec).feature[:, 0], minlength=4)
    assert stats.chisquare(root).pvalue > 1e-4


def test_one_feature_a_split_looks_past_constant_features():
    x = np.zeros((10, 6))
    x[:, 4] = np.arange(10)
    leaves = Data(x, np.arange(10.0)[:, None], False).grow(ForestSpec(n_trees=20, max_features=1, bootstrap=False))
    assert (leaves.n_leaves == 10).all()


@pytest.mark.parametrize(
    ("x", "y"),
    [(np.zeros((8, 3)), np.arange(8.0)), (np.full((8, 3), np.nan), np.arange(8.0)), (np.eye(8), np.ones(8))],
    ids=["constant x", "missing x", "constant y"],
)
def test_nothing_to_split_gives_one_leaf(x, y):
    leaves = Data(x, y[:, None], False).grow(ForestSpec(n_trees=5))
    assert (leaves.n_leaves == 1).all()
    assert (leaves.codes == 0).all()
    assert (leaves.gains == 0).all()


@pytest.mark.parametrize("size", [1e150, 1e200, 1e307])
@pytest.mark.parametrize("q", [1, 3])
def test_squares_that_overflow_do_no_harm(size, q):
    rng = np.random.default_rng(0)
    data = Data(rng.normal(size=(40, 3)), size * rng.normal(size=(40, q)), False)
    leaves = data.grow(ForestSpec(n_trees=30))
    assert (leaves.codes >= 0).all()
    assert (leaves.codes < leaves.n_leaves[:, None]).all()


# --- missing values ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_a_side_unlearnt_is_the_larger_part_and_a_learnt_one_is_kept(sample):
    unlearnt = learnt = 0
    for number in range(8):
        data = make(np.random.default_rng(number), missing=0.1, n=40)
        spec = ForestSpec(n_trees=3, **sample)
        trees, counts = data.trees(spec), data.grow(spec).counts
        for w in range(3):
            for node, (x, _, _), taken, _ in walk(trees, w, data, counts[w], spec):
                missing = np.isnan(x[:, taken.feature])
                to_left = trees.missing_left[w, node] == 1
                if missing.any():
                    assert (taken.goes_left[missing] == to_left).all()
                    learnt += 1
                elif len(x) > 2:
                    assert to_left == (taken.goes_left.sum() > (~taken.goes_left).sum())
                    unlearnt += 1
    assert min(learnt, unlearnt) > 30


@pytest.mark.parametrize("classes", [False, True], ids=["numbers", "classes"])
def test_a_y_that_depends_on_missingness_alone_is_found(classes):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 3))
    x[rng.random(60) < 0.4, 1] = np.nan
    absent = np.isnan(x[:, 1])
    data = Data(x, np.eye(2)[absent.astype(int)] if classes else absent[:, None] * 1.0, classes)
    spec = ForestSpec(n_trees=30, max_features="all")
    leaves, trees = data.grow(spec), data.trees(spec)
    assert (leaves.n_leaves == 2).all()
    assert (trees.feature[:, 0] == 1).all()
    assert (leaves.codes == leaves.codes[:, absent][:, :1]).astype(int).tolist() == [absent.astype(int).tolist()] * 30


@pytest.mark.parametrize("high", [False, True])
def test_missing_values_join_the_rows_that_they_resemble(high):
    x = np.r_[np.arange(20.0), np.full(5, np.nan)][:, None]
    y = np.r_[np.arange(20) >= 10, np.full(5, high)].astype(float)[:, None]
    trees = Data(x, y, False).trees(ForestSpec(**WHOLE))
    low_leaf, high_leaf, missing_leaf = route(trees, np.array([[0.0], [19.0], [np.nan]]))[0]
    assert low_leaf != high_leaf
    assert missing_leaf == (high_leaf if high else low_leaf)


# --- routing -------------------------------------------------------------------------------------------------------


def close_values(rng, n):
    """Values whose middle cannot be represented, or overflows when computed as a sum."""
    near = np.nextafter(1.0, 2.0) + np.arange(n) * np.finfo(float).eps
    return rng.permuted(np.c_[near, np.linspace(-1, 1, n) * 1.7e308, np.arange(n) * 5e-324], axis=0)


@pytest.mark.parametrize("sample", [*SAMPLES, {"bootstrap": False}], ids=str)
@pytest.mark.parametrize("kind", ["plain", "tied", "missing", "tied and missing", "close"])
def test_training_rows_are_routed_to_their_own_leaves(kind, sample):
    rng = np.random.default_rng(3)
    data = make(rng, tied="tied" in kind, missing=0.2 * ("missing" in kind), n=60, p=3)
    if kind == "close":
        data = data._replace(x=close_values(rng, 60))
    spec = ForestSpec(n_trees=30, **sample)
    leaves = data.grow(spec)
    np.testing.assert_array_equal(route(data.trees(spec), data.x), leaves.codes)
    assert leaves.n_leaves.tolist() == [len(np.unique(codes)) for codes in leaves.codes]
    assert (leaves.codes.max(axis=1) == leaves.n_leaves - 1).all()


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_new_rows_go_the_way_of_their_values_and_of_the_learnt_side(missing):
    rng = np.random.default_rng(8)
    data, new = make(rng, missing=missing, n=40, p=3), make(rng, missing=0.4, n=25, p=3).x
    trees = data.trees(ForestSpec(n_trees=10, min_samples_leaf=2))
    expected = [[send(trees, w, row) for row in new] for w in range(10)]
    np.testing.assert_array_equal(route(trees, new), expected)


def test_trees_have_one_split_fewer_than_leaves():
    data = make(np.random.default_rng(1), missing=0.1, n=50)
    spec = ForestSpec(n_trees=10)
    trees, leaves = data.trees(spec), data.grow(spec)
    for w, n_leaves in enumerate(leaves.n_leaves):
        nodes = trees.feature[w, : 2 * n_leaves - 1]
        assert (nodes == LEAF).sum() == n_leaves
