"""What shuffling a feature costs the forest, against a slow version and scikit-learn."""

import numpy as np
import pandas as pd
import pytest

import kmerf
from cases import grown, related
from kmerf.data.read_sample import read_independence
from kmerf.explain.shuffling import permutation_importances
from kmerf.forests import growing as forests
from oracles import native_step


def oracle_losses(trees, x, column_of, y, codes, counts, shuffles, p):
    """Send every out-of-bag row down the tree again with one feature taken from another row."""
    losses = np.zeros((len(codes), p))
    for w, (code, count, shuffle) in enumerate(zip(codes, counts, shuffles, strict=True)):
        free = np.flatnonzero(count == 0)
        others = [i for i in shuffle if count[i] == 0]
        means = {leaf: np.average(y[code == leaf], axis=0, weights=count[code == leaf]) for leaf in np.unique(code)}
        for j in range(p):
            total = 0.0
            for i, other in zip(free, others, strict=True):
                row = np.where(column_of == j, x[other], x[i])
                node = 0
                while (step := native_step(trees, w, node, row[None, :])) is not None:
                    node = step.children[0] if step.goes_left[0] else step.children[1]
                after = ((y[i] - means[int(trees.left[w, node])]) ** 2).sum()
                total += after - ((y[i] - means[code[i]]) ** 2).sum()
            losses[w, j] = total / len(free)
    return losses


def test_permutation_importance_is_what_shuffling_costs():
    from kmerf.engine.rows import shuffled_losses

    rng = np.random.default_rng(0)
    table = {"a": rng.normal(size=25), "b": rng.choice(["u", "v", "w"], 25), "c": rng.normal(size=25)}
    table["a"][3] = np.nan
    target = rng.normal(size=(25, 2)) + (table["b"] == "u")[:, None]
    sample = read_independence(pd.DataFrame(table), target, categorical="b")
    forest = grown(sample, kmerf.KMERF(kmerf.ForestSpec(n_trees=6)))
    trees, leaves = forest.trees(), forest.leaves()
    shuffles = np.stack([rng.permutation(25) for _ in range(6)])
    found = np.empty((6, 3))
    y = np.ascontiguousarray(sample.y.values)
    at = leaves.codes, leaves.counts, leaves.n_leaves
    shuffled_losses(
        forest.columns.x, np.asarray(sample.x.column_of), trees, *at, y, shuffles, found, np.zeros(1, np.uint8)
    )
    expected = oracle_losses(trees, sample.x.values, sample.x.column_of, y, leaves.codes, leaves.counts, shuffles, p=3)
    assert found == pytest.approx(expected, abs=1e-12)


def test_permutation_importance_is_interrupted_by_the_flag():
    from kmerf.engine.rows import shuffled_losses

    sample = read_independence(*related(30))
    forest = grown(sample)
    at = (leaves := forest.leaves()).codes, leaves.counts, leaves.n_leaves
    found = np.full((30, 4), np.nan)
    shuffles = np.tile(np.arange(30), (30, 1))
    y, of = np.ascontiguousarray(sample.y.values), np.asarray(sample.x.column_of)
    shuffled_losses(forest.columns.x, of, forest.trees(), *at, y, shuffles, found, np.ones(1, np.uint8))
    assert np.isnan(found[1:]).all()


@pytest.mark.parametrize("seconds", [0.0, 1.0], ids=["one tree a part", "many"])
def test_permutation_importance_does_not_depend_on_workers_or_parts(seconds, monkeypatch):
    sample = read_independence(*related(40))
    forest = grown(sample)
    expected = permutation_importances([forest], sample.x, sample.y, seed=3)
    monkeypatch.setattr(forests, "PART_SECONDS", seconds)
    for n_jobs in (1, 3):
        found = permutation_importances([forest], sample.x, sample.y, 3, n_jobs)
        assert found.to_dict() == expected.to_dict()


def test_permutation_importance_agrees_with_scikit_learns():
    """Theirs shuffles for the whole forest, on new rows; the order and the proportions are the same."""
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.inspection import permutation_importance

    rng = np.random.default_rng(1)
    x = rng.normal(size=(600, 4))
    y = x @ [2.0, 1.0, 0.5, 0.0] + 0.3 * rng.normal(size=600)
    ours = kmerf.independence(
        x[:300], y[:300], method=kmerf.KMERF(), null=kmerf.ChiSquare(), rng=1, details=True
    ).details.importances
    forest = RandomForestRegressor(100, random_state=0).fit(x[:300], y[:300])
    theirs = permutation_importance(forest, x[300:], y[300:], n_repeats=5, random_state=0).importances_mean
    assert ours.ranking == ("x1", "x2", "x3", "x4")
    assert ours.mean / ours.mean.sum() == pytest.approx(theirs / theirs.sum(), abs=0.06)
    assert abs(ours.mean[3]) < 0.02
    assert (ours.low <= ours.mean).all()
