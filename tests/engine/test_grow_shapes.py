"""Growing over a grid of shapes: few rows, few or many columns, every kind of column, y and setting of a forest.

Every tree is followed from its root with the slow reference implementation. The tests run with bounds checking (see
`tests/conftest.py`), so a kernel that reads or writes outside its arrays fails here even if its result looks right.
"""

import zlib

import numpy as np
import pytest

from grown_forests import grow, grow_trees
from kmerf.forests.growing import Forest, presort, route
from kmerf.forests.spec import ForestSpec
from oracles import all_splits, gain, more_than_chance, native_step, send

ROWS = (4, 5, 7, 12, 15, 22, 30)
COLUMNS = (1, 2, 3, 9, 130, 600)
WIDE_ROWS = (4, 7, 15, 30)  # of the last two, which are slow to follow
X_KINDS = ("numbers", "ties", "missing", "categories", "constant", "mixed")
Y_KINDS = ("number", "tied number", "two numbers", "six numbers", "two classes", "five classes")
SPECS = (
    {},
    {"min_samples_leaf": 2},
    {"min_samples_leaf": 5, "max_samples": "half", "bootstrap": False},
    {"max_features": "sqrt"},
    {"max_features": 2},
    {"max_features": 0.5, "max_depth": 2},
    {"bootstrap": False},
    {"bootstrap": False, "max_samples": 2},
    {"max_samples": 0.7},
    {"max_outputs": 1},
    {"grow_leaves": True},
    {"splits": "random"},
    {"splits": "random", "max_features": 3},
    {"splits": "blind"},
    *({"max_features": "all", "max_columns": k} for k in (1, 2, 5, 100)),
    {"max_features": "all", "max_columns": 3, "min_samples_leaf": 2},
    {"max_features": "all", "max_columns": 4, "bootstrap": False, "max_samples": "half"},
    {"max_features": "all", "max_columns": 2, "max_depth": 1},
    {"max_features": "all", "max_columns": 3, "max_outputs": 2},
)
N_TREES = 3


def make_x(kind, n, p, rng):
    """Return columns of one kind, or of all of them, and the number of levels of each (0 for numbers)."""
    x, levels = rng.normal(size=(n, p)), np.zeros(p, np.int64)
    kinds = np.array(X_KINDS[:-1])[np.arange(p) % 5] if kind == "mixed" else np.full(p, kind)
    for j in range(p):
        if kinds[j] == "ties":
            x[:, j] = np.round(x[:, j])
        elif kinds[j] == "missing":
            x[rng.random(n) < 0.3, j] = np.nan
        elif kinds[j] == "constant":
            x[:, j] = 1.0
        elif kinds[j] == "categories":
            levels[j] = rng.integers(2, n + 2)
            x[:, j] = rng.integers(0, levels[j], n)
            x[rng.random(n) < 0.1, j] = np.nan
    return x, levels


def make_y(kind, n, rng):
    """Return the target (n, q), and whether it has classes."""
    if kind.endswith("classes"):
        k = {"two": 2, "five": 5}[kind.split()[0]]
        return np.eye(k)[np.concatenate([[0, 1], rng.integers(0, k, n - 2)])], True
    q = {"two": 2, "six": 6}.get(kind.split()[0], 1)
    y = rng.normal(size=(n, q))
    return (np.round(y) if kind == "tied number" else y), False


class Followed:
    """A forest, and each of its trees followed from the root."""

    def __init__(self, x, levels, y, classes, options):
        self.spec = ForestSpec(n_trees=N_TREES, **options)
        columns = presort(x, levels)
        self.leaves = grow(self.spec, columns, y, classes=classes, seed=7)
        self.trees = grow_trees(self.spec, columns, y, classes=classes, seed=7)
        growing = Forest(self.spec, columns, y, classes, 7)
        self.rules, self.y = growing.rules, growing.outputs
        self.x, self.levels = x, levels
        np.testing.assert_array_equal(route(self.trees, x), self.leaves.codes)

    def check(self):
        n, p = self.x.shape
        for w in range(N_TREES):
            weight = np.ones(n) if self.leaves.counts is None else self.leaves.counts[w].astype(float)
            assert weight.sum() == self.rules.n_draw
            assert self.rules.replace or weight.max() == 1
            assert self.leaves.codes[w].tolist() == [send(self.trees, w, row) for row in self.x]
            gains = self.follow(w, weight, *self.weighed(w, weight))
            if self.sees_all_of_y:
                np.testing.assert_allclose(self.leaves.gains[w], gains, rtol=1e-9, atol=1e-9)
            assert gains.size == p

    @property
    def sees_all_of_y(self):
        return self.spec.max_outputs is None or self.spec.max_outputs >= self.y.shape[1]

    def weighed(self, w, weight):
        """Return x with levels replaced by what they are worth in a tree, and how much each column's gain counts."""
        worth, trust, start = self.x.copy(), np.ones(self.x.shape[1]), 0
        for j in np.flatnonzero(self.levels):
            known = ~np.isnan(self.x[:, j])
            worth[known, j] = self.trees.level_code[w, start:][self.x[known, j].astype(int)]
            trust[j] = more_than_chance(self.x[:, j], self.y, weight)
            start += self.levels[j]
        return worth, trust

    def follow(self, w, weight, worth, trust):
        """Check every node of a tree; return the gains of its splits, by column."""
        gains = np.zeros(self.x.shape[1])
        sure = possible = np.ones(self.x.shape[1], bool)
        todo = [(0, np.flatnonzero(weight), 0)]
        while todo:
            node, rows, depth = todo.pop()
            step = native_step(self.trees, w, node, self.x[rows])
            splits = all_splits(worth[rows], self.y[rows], weight[rows], self.rules.min_leaf)
            value = splits.gain * trust[splits.feature]
            if node == 0 and self.rules.n_keep < sure.size and rows.size > 2 and self.sees_all_of_y:
                sure, possible = self.kept(splits.feature, value)
            if step is None:
                self.check_leaf(rows, depth, value[sure[splits.feature]])
                continue
            left, right = rows[step.goes_left], rows[~step.goes_left]
            assert min(left.size, right.size) >= self.rules.min_leaf
            assert depth < self.rules.max_depth
            own = gain(self.y[rows], weight[rows], step.goes_left)
            gains[step.feature] += own
            if rows.size > 2:  # any column that separates two rows is as good as another
                self.check_best(own * trust[step.feature], step.feature, splits, value, sure, possible)
            assert possible[step.feature]
            todo += [(step.children[0], left, depth + 1), (step.children[1], right, depth + 1)]
        return gains

    def kept(self, features, value):
        """Return which columns are kept below the root for sure, and which may be: some have the same score."""
        best = np.array([value[features == j].max(initial=-2.0) for j in range(self.x.shape[1])])
        limit = np.sort(best)[-self.rules.n_keep]
        slack = 1e-9 * abs(limit) + 1e-12
        return best > limit + slack, best >= limit - slack

    def check_leaf(self, rows, depth, value):
        same = (self.y[rows] == self.y[rows[0]]).all()
        final = same or rows.size < 2 * self.rules.min_leaf or depth >= self.rules.max_depth
        tries_all = self.rules.n_try == self.x.shape[1] and not self.rules.random
        assert final or not value.size or not (tries_all and self.sees_all_of_y)

    def check_best(self, own, feature, splits, value, sure, possible):
        if self.rules.random or not self.sees_all_of_y:
            return
        here = value[splits.feature == feature]
        assert own == pytest.approx(here.max(), rel=1e-9, abs=1e-9)
        if self.rules.n_try == self.x.shape[1]:
            slack = 1e-9 * value.max() + 1e-9
            assert own >= value[sure[splits.feature]].max(initial=-1.0) - slack
            assert own <= value[possible[splits.feature]].max() + slack


def cases(n, p):
    """Pair kinds of columns, kinds of y and settings, differently for every shape; wide tables are slow to follow."""
    rng = np.random.default_rng(zlib.crc32(f"{n} {p}".encode()))
    few = SPECS if p < 100 else SPECS[-8:]
    for options in few if p < 600 else rng.permutation(np.array(few, dtype=object))[:3]:
        yield rng.choice(X_KINDS if p < 100 else ["numbers", "numbers", "mixed"]), rng.choice(Y_KINDS), options


@pytest.mark.parametrize(("n", "p"), [(n, p) for n in ROWS for p in COLUMNS if p < 100 or n in WIDE_ROWS])
def test_every_tree_is_as_the_reference_grows_it(n, p):
    for number, (x_kind, y_kind, options) in enumerate(cases(n, p)):
        rng = np.random.default_rng([n, p, number])
        x, levels = make_x(x_kind, n, p, rng)
        y, classes = make_y(y_kind, n, rng)
        try:
            Followed(x, levels, y, classes, options).check()
        except Exception as error:
            raise AssertionError(f"n={n}, p={p}, x: {x_kind}, y: {y_kind}, {options}") from error


def test_the_column_that_splits_the_root_is_kept_though_many_are_as_good():
    """With eight rows and 300 columns, more than 100 of them may separate the same rows from the others."""
    rng = np.random.default_rng(1)
    x = np.argsort(rng.random((300, 8)), axis=1).T.astype(float)
    y = np.array([[0.0], [0], [0], [0], [0], [0], [0], [9.0]])
    Followed(x, np.zeros(300, np.int64), y + 1e-3 * rng.normal(size=(8, 1)), False, {"max_columns": 2}).check()
