"""Tests with extremely randomised, oblique, blind and unsupervised forests."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomTreesEmbedding

import kmerf
from cases import find_pvalue
from kmerf import KMERF, ForestSpec
from kmerf.methods.protocol import observe
from kmerf.methods.registry import named_method
from kmerf.reading.samples import read_independence, read_ksample

SEEING = {"extra": KMERF(ForestSpec(60, splits="random")), "oblique": KMERF(ForestSpec(60, combinations=8))}
BLIND = {
    "blind": KMERF(ForestSpec(60, min_samples_leaf=3, splits="blind"), "all", "target"),
    "blind, out of bag": KMERF(ForestSpec(60, min_samples_leaf=3, splits="blind")),
    "blind, oblique": KMERF(ForestSpec(60, min_samples_leaf=3, splits="blind", combinations=8), "either"),
    "blind, predicting": KMERF(ForestSpec(60, min_samples_leaf=3, splits="blind"), statistic="prediction"),
    "synthetic": KMERF(ForestSpec(60, min_samples_leaf=3), "all", "target", target="synthetic"),
    "synthetic, oblique": KMERF(ForestSpec(60, min_samples_leaf=3, combinations=8), target="synthetic"),
    "plug-in": KMERF(RandomTreesEmbedding(40, max_depth=4), "all"),
}
ALL = SEEING | BLIND


def table(seed=0, n=80):
    """y depends on `bend`, on a category, and a little on a column with gaps."""
    rng = np.random.default_rng(seed)
    x = pd.DataFrame({"bend": rng.normal(size=n), "noise": rng.normal(size=n), "kind": rng.choice(["a", "b", "c"], n)})
    x["holes"] = np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n))
    y = 2 * x.bend**2 + 2.0 * (x.kind == "b") + 0.3 * rng.normal(size=n)
    return x, y.to_numpy()


def plain(seed=0, n=80):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2))
    return x, 3 * np.abs(x[:, 0]) + 0.3 * rng.normal(size=n)


def given(name):
    return plain() if name == "plug-in" else table()


@pytest.mark.parametrize("name", ALL)
def test_a_strong_relation_is_found_and_importances_say_where(name):
    x, y = given(name)
    result = kmerf.independence(x, y, method=ALL[name], null=kmerf.Permutation(99), rng=1, details=True)
    assert result.pvalue <= 0.02
    if name == "plug-in":  # scikit-learn does not say what its splits do for a y that they have not seen
        assert result.importances is None
    else:
        assert result.importances.names[int(result.importances.mean.argmax())] in ("bend", "kind")
    assert (result.features is not None) is (name in SEEING)  # p-values of features need forests of permuted y
    again = kmerf.independence(x, y, method=ALL[name], null=kmerf.Permutation(99), rng=1, details=True, n_jobs=2)
    assert again == result


@pytest.mark.parametrize("name", ALL)
def test_groups_and_screens_take_them_too(name):
    x, y = plain()
    high, few = y > np.median(y), kmerf.Permutation(49)
    groups = kmerf.ksample(x[high], x[~high], method=ALL[name], null=few, rng=1)
    assert groups.pvalue <= 0.04
    screened = kmerf.screen(x, y, method=ALL[name], null=few, rng=1)
    assert screened.pvalues[0] <= 0.04


@pytest.mark.parametrize("name", BLIND)
def test_a_forest_that_has_not_seen_y_is_grown_once(name):
    x, y = given(name)
    problem = BLIND[name].prepare(read_independence(x, y), 3)
    assert not problem.learns
    order = np.random.default_rng(0).permutation(len(y))
    fresh = BLIND[name].prepare(read_independence(x, y[order]), 3)
    assert problem.fit(order, 5).statistic == pytest.approx(observe(fresh).statistic, rel=1e-9)
    assert problem.fit(order, 5).statistic == problem.fit(order, 6).statistic


def test_the_quick_null_is_that_of_one_order_at_a_time():
    x, y = table()
    for method in (BLIND["blind"], BLIND["synthetic"]):
        quick = method.prepare(read_independence(x, y), 3)
        assert quick.permutes_at_once
        slow = np.array([quick.fit(np.random.default_rng(k).permutation(80), k).statistic for k in range(1, 400)])
        fast = quick.permuted(7, 1, 2000)
        assert abs(fast.mean() - slow.mean()) < 5 * slow.std() / 20
        assert 0.85 < fast.std() / slow.std() < 1.15
    assert not BLIND["blind, out of bag"].prepare(read_independence(x, y), 3).permutes_at_once  # distances of y
    two = read_ksample(x.bend[:40].to_numpy(), x.bend[40:].to_numpy())
    assert BLIND["blind, out of bag"].prepare(two, 3).permutes_at_once


def test_true_nulls_are_rejected_as_often_as_they_may_be():
    rejected = dict.fromkeys(("blind", "synthetic"), 0)
    for seed in range(200):
        rng = np.random.default_rng(seed)
        sample = read_independence(rng.normal(size=(30, 3)), rng.exponential(size=30))
        for name in rejected:
            problem = BLIND[name].with_trees(20).prepare(sample, seed)
            statistic = observe(problem).statistic
            rejected[name] += (1 + (problem.permuted(seed, 1, 99) >= statistic).sum()) / 100 <= 0.1
    assert all(5 <= count <= 38 for count in rejected.values())  # 20 expected; 4 standard errors


def test_oblique_splits_see_a_sum_that_columns_hide():
    def power(method):
        found = 0
        for seed in range(20):
            rng = np.random.default_rng(seed)
            x = rng.normal(size=(60, 2))
            y = (np.abs(x[:, 0] - x[:, 1]) < 0.7).astype(float) + 0.4 * rng.normal(size=60)
            found += find_pvalue(read_independence(x, y), method, kmerf.Permutation(19), seed) <= 0.05
        return found

    assert power(KMERF(ForestSpec(40, combinations=8))) > power(KMERF(ForestSpec(40))) + 4


def test_importances_of_combinations_go_to_their_columns():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(150, 4))
    y = np.sign(x[:, 0] + x[:, 1]) + 0.1 * rng.normal(size=150)
    result = kmerf.independence(x, y, method=KMERF(ForestSpec(60, combinations=30)), null=kmerf.Permutation(19), rng=1)
    assert set(np.argsort(-result.importances.mean)[:2]) == {0, 1}
    assert result.importances.mean.sum() == pytest.approx(1.0)
    assert set(np.argsort(-result.features.importance)[:2]) == {0, 1}


def test_shuffled_importances_are_left_out_where_splits_are_oblique():
    x, y = table()
    looked = kmerf.independence(x, y, method=SEEING["oblique"], null=kmerf.Permutation(19), rng=1, details=True)
    assert looked.details.importances is None


@pytest.mark.parametrize("name", ["extra-trees", "oblique-trees", "blind-trees", "synthetic-trees"])
def test_they_have_names(name):
    x, y = plain()
    method = named_method(name).with_trees(30)
    result = kmerf.independence(x, y, method=method, null=kmerf.Permutation(19), rng=1)
    assert result.pvalue == 0.05
    assert kmerf.Result.from_dict(result.to_dict()) == result


def test_the_default_null_of_a_forest_that_has_not_seen_y_is_exact():
    x, y = plain()
    y = np.random.default_rng(5).permutation(y)
    drawn = [
        kmerf.independence(x, y, method=method, rng=1).null.distribution.size
        for method in ("blind-trees", KMERF(ForestSpec(20, splits="random")))
    ]
    assert drawn[0] == 999
    assert drawn[1] < 999  # its trees have seen y, so it stops where p is clearly large


def test_rows_in_blocks_and_censored_times():
    x, y = plain()
    blocks = np.repeat(np.arange(8), 10)
    result = kmerf.independence(x, y, method=BLIND["blind"], null=kmerf.Permutation(49), blocks=blocks, rng=1)
    assert result.pvalue <= 0.04
    times = np.column_stack([np.exp(y), np.arange(80) % 3 > 0])
    result = kmerf.independence(x, times, y_kind="censored", method=BLIND["blind"], null=kmerf.Permutation(49), rng=1)
    assert result.pvalue <= 0.04
