"""Which features are called, and what goes into it, against slow versions."""

import json

import numpy as np
import pandas as pd
import pytest

import kmerf
from kmerf.explain.feature_importances import add_up
from kmerf.nulls.definitions import by_the_others
from kmerf.results.parts import FeatureTests

SMALL = kmerf.KMERF(kmerf.ForestSpec(n_trees=30))


def data(n=80, p=6, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p))
    return x, 2 * x[:, 1] + rng.normal(size=n) * 0.5


def test_every_fit_is_standardised_by_all_others():
    shares = np.random.default_rng(0).exponential(size=(12, 2, 3))
    found = by_the_others(shares)
    for b in range(12):
        others = np.delete(shares, b, axis=0)
        expected = (shares[b] - others.mean(axis=0)) / others.std(axis=0, ddof=1)
        assert found[b] == pytest.approx(expected)


def test_shares_that_do_not_vary_or_do_so_once_give_finite_values():
    shares = np.zeros((20, 1, 2))
    shares[:, 0, 1] = 0.3
    assert (by_the_others(shares) == 0.0).all()
    shares[4, 0, 0] = 0.1
    found = by_the_others(shares)
    assert np.isfinite(found).all()
    assert found[4, 0, 0] > 10.0


def test_the_real_feature_is_called_and_no_other():
    x, y = data()
    for result in (
        kmerf.independence(x, y, method=SMALL, rng=1),
        kmerf.ksample(x, groups=y > 0, method=SMALL, rng=1),
    ):
        features = result.features
        assert features.significant() == ("x2",)
        assert features.adjusted_fwer[1] == features.adjusted_fdr[1] == features.smallest == 0.001
        assert (features.adjusted_fwer >= features.pvalues).all()
        assert features.importance[1] > 10 * np.abs(np.delete(features.importance, 1)).max()
        assert "p, family" in result.in_full()


def test_groups_of_features_are_tested_together():
    x, y = data()
    groups = {"with": ["x1", "x2"], "without": [2, 3], "one": "x6"}
    result = kmerf.independence(x, y, method=SMALL, feature_groups=groups, rng=1)
    found = result.feature_groups
    assert found.names == ("with", "without", "one")
    assert found.members["without"] == ("x3", "x4")
    assert found.significant() == ("with",)
    assert found.importance[0] == pytest.approx(result.features.importance[:2].sum())
    assert found.pvalues[2] == pytest.approx(result.features.pvalues[5])
    assert "features together" in result.in_full()
    assert result == kmerf.Result.from_dict(json.loads(json.dumps(result.to_dict())))


def test_categories_have_one_pvalue():
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], 90)
    x = pd.DataFrame({"size": rng.normal(size=90), "colour": colour})
    result = kmerf.independence(
        x, (colour == "red") + 0.3 * rng.normal(size=90), method=SMALL, categorical="colour", rng=1
    )
    assert result.features.names == ("size", "colour")
    assert result.features.significant() == ("colour",)


def test_where_nothing_is_refitted_there_are_no_pvalues_of_features():
    x, y = data()
    assert kmerf.independence(x, y, method=SMALL, null=kmerf.ChiSquare(), rng=1).features is None
    assert kmerf.independence(x, y, method=kmerf.baselines.Dcorr(), rng=1).features is None
    assert kmerf.independence(x[:, :1], y, method=SMALL, rng=1).features is None


def test_forests_of_others_are_judged_by_their_gains():
    from sklearn.ensemble import RandomForestRegressor

    x, y = data(40)
    method = kmerf.KMERF(RandomForestRegressor(10), proximity="oob")
    result = kmerf.independence(x, y, method=method, null=kmerf.Permutation(19), rng=1, n_jobs=1)
    assert result.features.importance.sum() == pytest.approx(1.0)
    assert result.features.pvalues[1] == 0.05


def test_feature_tests_survive_json():
    tests = kmerf.independence(*data(30), method=SMALL, null=kmerf.Permutation(19), rng=1).features
    again = FeatureTests.from_dict(json.loads(json.dumps(tests.to_dict())))
    assert again.to_dict() == tests.to_dict()


def test_shares_of_groups_add_up():
    shares = np.arange(12.0).reshape(2, 2, 3)
    assert add_up(shares, [[0, 1], [2]]).tolist() == [[[1.0, 2.0], [7.0, 5.0]], [[13.0, 8.0], [19.0, 11.0]]]
