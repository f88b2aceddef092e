"""What is lost when a feature is shuffled: against a slow version, scikit-learn, and relations whose share is known."""

import numpy as np
import pandas as pd
import pytest

import kmerf
from cases import grown, related
from kmerf.data.read_sample import read_independence
from kmerf.explain import shuffling
from kmerf.explain.shuffling import interval, largest, row_groups, shuffled_importances
from kmerf.forests import growing as forests
from kmerf.forests.shuffled import ROUNDS
from kmerf.methods.protocol import observe
from oracles import native_step


def oracle_losses(trees, x, column_of, y, leaves, order, p):
    """Send every out-of-bag row down the tree again with one feature taken from another row; also by known values."""
    losses, known = np.zeros((leaves.n_trees, p)), np.zeros(p)
    for w, (code, count) in enumerate(zip(leaves.codes, leaves.counts, strict=True)):
        means = {leaf: np.average(y[code == leaf], axis=0, weights=count[code == leaf]) for leaf in np.unique(code)}
        free = np.array([i for i in order if count[i] == 0])
        for j in range(p):
            own = np.flatnonzero(column_of == j)
            for rows in (free, free[~np.isnan(x[free, own[0]])]):
                total = 0.0
                for r in range(ROUNDS):
                    ahead = 1 + (w * ROUNDS + r) % (len(rows) - 1)
                    for i, other in zip(rows, np.roll(rows, -ahead), strict=True):
                        row = np.where(column_of == j, x[other], x[i])
                        node = 0
                        while (step := native_step(trees, w, node, row[None, :])) is not None:
                            node = step.children[0] if step.goes_left[0] else step.children[1]
                        total += (y[i] * (means[code[i]] - means[int(trees.left[w, node])])).sum() / ROUNDS
                if rows is free:
                    losses[w, j] = total / len(free)
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
    part = observe(method.prepare(mixed, 1), reasons=True).parts[0]
    forest = part.forest
    y = mixed.y.values - mixed.y.values.mean(axis=0)
    order = np.random.default_rng([1, 17, 0]).permutation(40)
    losses, known = oracle_losses(forest.trees(), mixed.x.values, mixed.x.column_of, y, forest.leaves(), order, p=3)
    variance = y.var(axis=0).sum()
    assert part.losses == pytest.approx(losses / variance, abs=1e-12)
    found = shuffled_importances(forest, mixed)
    assert found.importances.mean == pytest.approx(losses.mean(axis=0) / variance, abs=1e-12)
    totals = (losses * (forest.leaves().counts == 0).sum(axis=1)[:, None]).sum(axis=0)
    assert found.by_missing[0] == pytest.approx(1.0 - known[0] / totals[0])
    assert found.by_missing[1:] == pytest.approx(0.0, abs=1e-12)  # nothing is missing there


def test_shuffling_is_interrupted_by_the_flag():
    from kmerf.engine.rows import shuffled_losses

    sample = read_independence(*related(30))
    forest = grown(sample)
    leaves = forest.leaves()
    at = leaves.codes, leaves.counts, leaves.n_leaves, np.ascontiguousarray(sample.y.values), np.arange(30), 0, 1
    found = np.full((30, 4), np.nan)
    nobody = np.zeros(0, np.int64), np.empty((0, 0)), np.empty(0)
    of = np.asarray(sample.x.column_of)
    shuffled_losses(forest.columns.x, of, forest.trees(), *at, found, *nobody, np.ones(1, np.uint8))
    assert np.isnan(found[1:]).all()


@pytest.mark.parametrize("seconds", [0.0, 1.0], ids=["one tree a part", "many"])
def test_losses_do_not_depend_on_workers_or_parts(seconds, monkeypatch):
    sample = read_independence(*related(40))
    forest = grown(sample)
    expected = shuffled_importances(forest, sample).importances
    monkeypatch.setattr(forests, "PART_SECONDS", seconds)
    one, three = (shuffled_importances(forest, sample, n_jobs).importances for n_jobs in (1, 3))
    assert one.to_dict() == three.to_dict()
    assert one.mean.tolist() == expected.mean.tolist()
    assert one.low == pytest.approx(expected.low, abs=1e-12)  # sums over parts, whose size data alone decide


def test_losses_agree_with_scikit_learns_permutation_importances():
    """Theirs shuffles for the whole forest, on new rows; the order and the proportions are the same."""
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.inspection import permutation_importance

    rng = np.random.default_rng(1)
    x = rng.normal(size=(600, 4))
    y = x @ [2.0, 1.0, 0.5, 0.0] + 0.3 * rng.normal(size=600)
    ours = kmerf.independence(x[:300], y[:300], method=kmerf.KMERF(), null=kmerf.ChiSquare(), rng=1).importances
    forest = RandomForestRegressor(100, random_state=0).fit(x[:300], y[:300])
    theirs = permutation_importance(forest, x[300:], y[300:], n_repeats=5, random_state=0).importances_mean
    assert ours.ranking == ("x1", "x2", "x3", "x4")
    assert ours.measure == "loss"
    assert ours.mean / ours.mean.sum() == pytest.approx(theirs / theirs.sum(), abs=0.06)
    assert abs(ours.mean[3]) < 0.02


def test_losses_are_shares_of_the_variance_and_intervals_hold_them():
    """y = a + b with b of two values: 0.5 of the variance is a's, 0.125 b's; the third column says nothing."""
    rng = np.random.default_rng(0)
    found = []
    for seed in range(12):
        x = np.column_stack([rng.normal(size=200), rng.random(200) < 0.5, rng.normal(size=200)])
        y = x[:, 0] + x[:, 1] + np.sqrt(0.75) * rng.normal(size=200)
        table = kmerf.independence(x, y, method=kmerf.KMERF(), null=kmerf.ChiSquare(), rng=seed).importances
        found.append([table.mean, table.low, table.high])
    mean, low, high = np.array(found).transpose(1, 0, 2)
    truth = np.array([0.5, 0.125, 0.0])
    assert mean.mean(axis=0) == pytest.approx(truth, abs=0.04)
    assert ((low <= truth) & (truth <= high)).mean(axis=0).min() >= 0.8
    assert (low[:, 0] > 0.0).all()
    assert (high - low)[:, 0].mean() < 0.5


def test_the_interval_of_the_root():
    low, high = interval(np.array([0.2, 0.01, -0.02]), np.array([0.05, 0.05, 0.05]), 50)
    half = 0.05 * 2.0096
    root = np.sqrt(0.2)
    assert low[0] == pytest.approx((root - half / (2 * root)) ** 2, abs=1e-5)
    assert high[0] == pytest.approx((root + half / (2 * root)) ** 2, abs=1e-5)
    assert low[1:] == pytest.approx([0.02 - half, -0.02 - half], abs=1e-5)
    assert interval(np.array([0.99]), np.array([0.3]), 50)[1] == 1.0


def test_rows_of_a_block_are_in_one_group():
    blocks = np.repeat(np.arange(70), 3)
    sample = read_independence(np.arange(210.0), np.arange(210.0) % 11, blocks=blocks)
    groups = row_groups(sample, 1).reshape(70, 3)
    assert (groups == groups[:, :1]).all()
    assert np.bincount(groups[:, 0]).tolist() == [2] * 20 + [1] * 30
    assert np.unique(row_groups(read_independence(np.arange(9.0), np.arange(9.0)), 1)).size == 9


def test_a_feature_has_the_loss_of_the_forest_that_loses_most():
    """The spread of y moves with the first column alone: the forest of its mean loses nothing, the joint one does."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(300, 2))
    y = np.exp(x[:, 0]) * rng.normal(size=300)
    result = kmerf.independence(x, y, null=kmerf.Permutation(19), rng=1)
    tables = {member.name: member.importances for member in result.members if member.importances is not None}
    assert set(tables) == {"unseen", "joint"}
    assert result.importances.mean.tolist() == np.max([table.mean for table in tables.values()], axis=0).tolist()
    assert tables["joint"].low[0] > 0.0 > tables["unseen"].low[0]
    assert result.features.importance.tolist() == result.importances.mean.tolist()
    assert result.features.pvalues[0] == 0.05


def test_forests_without_rows_out_of_bag_or_with_sums_of_columns_have_gains():
    x, y = related(40)
    whole = kmerf.KMERF(kmerf.ForestSpec(20, bootstrap=False), proximity="all")
    oblique = kmerf.KMERF(kmerf.ForestSpec(20, combinations=3))
    for method in (whole, oblique):
        table = kmerf.independence(x, y, method=method, null=kmerf.Permutation(19), rng=1).importances
        assert table.measure == "gain"
        assert table.mean.sum() == pytest.approx(1.0)


def test_several_forests_are_one_table():
    one, two = (
        shuffling.ShuffledForest(
            shuffling.Importances(("a", "b"), np.array(m), np.array(m) - 1, np.array(m) + 1, "loss"), np.array(share)
        )
        for m, share in (([0.3, 0.0], [0.1, 0.2]), ([0.1, 0.2], [0.5, 0.6]))
    )
    both = largest([one, two])
    assert both.importances.mean.tolist() == [0.3, 0.2]
    assert both.importances.low.tolist() == [-0.7, -0.8]
    assert both.by_missing.tolist() == [0.1, 0.6]
