"""scikit-learn's arguments, translated; shares beside what scikit-learn makes of them."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

import kmerf.compat.hyppo as ours
from kmerf import InputError
from kmerf.compat.hyppo.base import translate_forest

RNG = np.random.default_rng(2)
X = RNG.normal(size=(60, 7))
Y = X[:, 0] + 0.3 * RNG.normal(size=60)


def spec(kind="regressor", **options):
    return translate_forest(kind, 10, options, *X.shape)


def test_forests_are_translated():
    plain = spec(max_depth=3, random_state=1, n_jobs=2)
    assert (plain.n_trees, plain.max_depth, plain.max_features, plain.max_samples) == (10, 3, 7, 1.0)
    assert spec("classifier").max_features == "sqrt"
    assert spec(max_features=None, max_samples=0.5).max_samples == 0.5
    assert spec(max_features=None).max_features == "all"
    plugin = spec("classifier", criterion="entropy")
    assert isinstance(plugin, RandomForestClassifier)
    assert plugin.n_estimators == 10
    assert ours.KMERF("classifier", ntrees=10, criterion="entropy").test(X, Y > 0.5, auto=False, reps=3).stat


@pytest.mark.parametrize("tried", [0.01, 0.2, 0.5, 0.8, 1.0, 3, "sqrt", "log2", None])
def test_as_many_columns_are_tried_as_in_scikit_learn(tried):
    theirs = RandomForestRegressor(n_estimators=1, max_features=tried).fit(X, Y).estimators_[0].max_features_
    assert spec(max_features=tried).rules(60, 7, classes=False).n_try == theirs


@pytest.mark.parametrize("share", [0.01, 0.1, 0.125, 0.4])
def test_leaves_are_as_large_as_in_scikit_learn(share):
    expected = spec(min_samples_leaf=share).min_samples_leaf
    grown = [RandomForestRegressor(5, min_samples_leaf=leaf, random_state=1).fit(X, Y) for leaf in (share, expected)]
    np.testing.assert_array_equal(grown[0].apply(X), grown[1].apply(X))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_dept": 3}, "max_dept is not an argument of RandomForestRegressor; did you mean 'max_depth'"),
        ({"n_estimators": 3}, "n_estimators is called ntrees here: pass ntrees"),
    ],
)
def test_unknown_arguments_fail_in_the_constructor(options, message):
    with pytest.raises(InputError, match=message):
        ours.KMERF(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_features": "all"}, "max_features='all' is not an option.*Options: 'log2', 'sqrt'"),
        ({"max_features": 1.5}, "max_features=1.5 must be a whole number of at least 1, or a share"),
        (
            {"min_samples_leaf": 1.0},
            "min_samples_leaf=1.0 must be a whole number of at least 1, or a share of the rows",
        ),
        ({"min_samples_leaf": 0}, "min_samples_leaf=0 must be a whole number"),
    ],
)
def test_messages(options, message):
    with pytest.raises(InputError, match=message):
        ours.KMERF(**options).test(X, Y)
