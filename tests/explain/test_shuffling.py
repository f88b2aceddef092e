"""What is lost when a feature is shuffled: against scikit-learn, and relations whose share is known."""

import numpy as np
import pytest

import kmerf
from cases import grown, related
from kmerf.explain import feature_importances
from kmerf.explain.feature_importances import interval, largest, row_groups, shuffled_importances
from kmerf.forests import growing as forests
from kmerf.reading.samples import read_independence


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


def test_a_feature_has_the_loss_of_the_forest_that_clearly_loses_most():
    """The spread of y moves with the first column alone: the forest of its mean loses nothing, the joint one does.

    With the second column neither loses anything, and it has the loss of the first forest, not the larger one.
    """
    rng = np.random.default_rng(3)
    x = rng.normal(size=(300, 2))
    y = np.exp(x[:, 0]) * rng.normal(size=300)
    result = kmerf.independence(x, y, null=kmerf.Permutation(19), rng=1)
    tables = {member.name: member.importances for member in result.members if member.importances is not None}
    assert set(tables) == {"proximity", "distribution"}
    assert result.importances.mean.tolist() == [tables["distribution"].mean[0], tables["proximity"].mean[1]]
    assert tables["distribution"].low[0] > 0.0 > tables["proximity"].low[0]
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
        feature_importances.ShuffledForest(
            feature_importances.Importances(
                ("a", "b", "c"), np.array(m), np.array(m) - 0.15, np.array(m) + 0.15, "loss"
            ),
            np.array(share),
        )
        for m, share in (([0.3, 0.0, 0.0], [0.1, 0.2, 0.3]), ([0.2, 0.2, 0.1], [0.4, 0.5, 0.6]))
    )
    both = largest([one, two])
    assert both.importances.mean.tolist() == [0.3, 0.2, 0.0]  # 0.1 is not clearly above 0
    assert both.importances.low.tolist() == [0.15, 0.2 - 0.15, -0.15]
    assert both.by_missing.tolist() == [0.1, 0.5, 0.3]
