"""Credits of splits out of bag, against a slow version."""

import numpy as np
import pytest

import kmerf
from grown_forests import grow, grow_trees
from kmerf.forests import growing as forests
from oracles import native_step, send


def data(n=80, p=6, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p))
    return x, 2 * x[:, 1] + rng.normal(size=n) * 0.5


def oracle_credits(trees, x, y, counts):
    """Follow every out-of-bag row down every tree and note what each split changes in its prediction."""
    credits = np.zeros((len(counts), x.shape[1]))
    for w, count in enumerate(counts):
        for i in np.flatnonzero(count == 0):
            node, rows = 0, np.flatnonzero(count > 0)
            while (step := native_step(trees, w, node, x[rows])) is not None:
                own = native_step(trees, w, node, x[[i]])
                before = np.average(y[rows], axis=0, weights=count[rows])
                rows = rows[step.goes_left == own.goes_left[0]]
                node = step.children[0] if own.goes_left[0] else step.children[1]
                after = np.average(y[rows], axis=0, weights=count[rows])
                credits[w, step.feature] += (after - before) @ y[i]
        credits[w] /= (count == 0).sum()
    return credits / (y**2).mean(axis=0).sum()


@pytest.mark.parametrize("q", [1, 3])
@pytest.mark.parametrize("missing", [False, True])
def test_credits_are_what_splits_predict_out_of_bag(q, missing):
    rng = np.random.default_rng(q)
    x, y = rng.normal(size=(25, 3)), rng.normal(size=(25, q))
    y[:, 0] += x[:, 0]
    if missing:
        x[rng.random(x.shape) < 0.2] = np.nan
    y -= y.mean(axis=0)
    columns, spec = forests.presort(x), kmerf.ForestSpec(n_trees=8, min_samples_leaf=2)
    leaves = grow(spec, columns, y, classes=False, seed=3, credited=True)
    trees = grow_trees(spec, columns, y, classes=False, seed=3)
    assert leaves.credits == pytest.approx(oracle_credits(trees, x, y, leaves.counts), abs=1e-12)


def test_credits_add_up_to_the_covariance_of_prediction_and_y():
    x, y = data(40)
    y = (y - y.mean())[:, None]
    columns, spec = forests.presort(x), kmerf.ForestSpec(n_trees=5)
    leaves = grow(spec, columns, y, classes=False, seed=1, credited=True)
    trees = grow_trees(spec, columns, y, classes=False, seed=1)
    for w, (codes, count) in enumerate(zip(leaves.codes, leaves.counts, strict=True)):
        free = np.flatnonzero(count == 0)
        root = np.average(y[:, 0], weights=count)
        inside = [np.average(y[codes == send(trees, w, x[i]), 0], weights=count[codes == codes[i]]) for i in free]
        expected = np.mean((np.array(inside) - root) * y[free, 0]) / y.var()
        assert leaves.credits[w].sum() == pytest.approx(expected, abs=1e-12)


def test_forests_without_rows_out_of_bag_or_with_one_column_have_no_credits():
    x, y = data(30)
    whole = kmerf.ForestSpec(n_trees=3, bootstrap=False)
    assert grow(whole, forests.presort(x), y[:, None], classes=False, seed=0, credited=True).credits is None
    spec = kmerf.ForestSpec(n_trees=3)
    assert grow(spec, forests.presort(x[:, :1]), y[:, None], classes=False, seed=0, credited=True).credits is None
