"""What a tree loses when a feature is shuffled, against a slow version."""

import numpy as np
import pandas as pd
import pytest

import kmerf
from cases import grown, related
from kmerf.core.streams import Purpose, stream
from kmerf.explain.feature_importances import MOST_ROWS, shuffled_importances
from kmerf.reading.samples import read_independence
from oracles import native_step


def oracle_losses(trees, x, column_of, y, leaves, order, p):
    """Send every out-of-bag row down the tree again with one feature taken from another row; also by known values."""
    losses, known = np.zeros((leaves.n_trees, p)), np.zeros(p)
    for w, (code, count) in enumerate(zip(leaves.codes, leaves.counts, strict=True)):
        means = {leaf: np.average(y[code == leaf], axis=0, weights=count[code == leaf]) for leaf in np.unique(code)}
        free = np.array([i for i in np.roll(order, -(w * MOST_ROWS % 40)) if count[i] == 0])
        for j in range(p):
            own = np.flatnonzero(column_of == j)
            for rows in (free, free[~np.isnan(x[free, own[0]])]):
                total = 0.0
                for i, other in zip(rows, np.roll(rows, -(1 + w % (len(rows) - 1))), strict=True):
                    row = np.where(column_of == j, x[other], x[i])
                    node = 0
                    while (step := native_step(trees, w, node, row[None, :])) is not None:
                        node = step.children[0] if step.goes_left[0] else step.children[1]
                    total += (y[i] * (means[code[i]] - means[int(trees.left[w, node])])).sum()
                if rows is free:
                    losses[w, j] = total / len(free) * (len(free) - 1) / len(free)
                else:
                    known[j] += total
    return losses, known


@pytest.fixture(scope="module")
def mixed():
    rng = np.random.default_rng(0)
    table = {"a": rng.normal(size=40), "b": rng.choice(["u", "v", "w"], 40), "c": rng.normal(size=40)}
    table["a"][:9] = np.nan
    target = rng.normal(size=(40, 2)) + (table["b"] == "u")[:, None] + np.isnan(table["a"])[:, None]
    return read_independence(pd.DataFrame(table), target, categorical="b")


def test_the_loss_is_what_predictions_no_longer_share_with_y(mixed):
    method = kmerf.KMERF(kmerf.ForestSpec(n_trees=6))
    forest = grown(mixed, method)
    y = mixed.y.values - mixed.y.values.mean(axis=0)
    order = stream(1, Purpose.SHUFFLED_FEATURE).permutation(40)
    losses, known = oracle_losses(forest.trees(), mixed.x.values, mixed.x.column_of, y, forest.leaves(), order, p=3)
    variance = y.var(axis=0).sum()
    found = shuffled_importances(forest, mixed)
    assert found.importances.mean == pytest.approx(losses.mean(axis=0) / variance, abs=1e-12)
    free = (forest.leaves().counts == 0).sum(axis=1)[:, None]
    totals = (losses * free / (free - 1) * free).sum(axis=0)
    assert found.by_missing[0] == pytest.approx(1.0 - known[0] / totals[0])
    assert np.nan_to_num(found.by_missing[1:]) == pytest.approx(0.0, abs=1e-12)  # nothing is missing there


def test_shuffling_is_interrupted_by_the_flag():
    from kmerf.engine.row_statistics import shuffled_losses

    sample = read_independence(*related(30))
    forest = grown(sample)
    leaves = forest.leaves()
    at = leaves.codes, leaves.counts, leaves.n_leaves, np.ascontiguousarray(sample.y.values), np.arange(30), 0, 30
    found = np.full((30, 4), np.nan)
    nobody = np.zeros(0, np.int64), np.empty((0, 0)), np.empty(0)
    of = np.asarray(sample.x.column_of)
    shuffled_losses(forest.columns.x, of, forest.trees(), *at, found, *nobody, np.ones(1, np.uint8))
    assert np.isnan(found[1:]).all()
