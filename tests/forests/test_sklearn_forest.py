"""scikit-learn's forests in the place of ours."""

import functools

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.ensemble import (
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    RandomTreesEmbedding,
)
from sklearn.linear_model import LinearRegression

import kmerf
from kmerf.forests import sklearn_forest as plugin
from kmerf.forests.growing import presort
from kmerf.reading.samples import read_independence


def data(n=40, seed=0, classes=False):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    y = x[:, 0] ** 2 + 0.1 * rng.normal(size=n)
    return x, np.where(y > 0.5, "high", "low") if classes else y


@pytest.mark.parametrize("kind", ["all", "either", "oob"])
@pytest.mark.parametrize(
    ("forest", "classes"),
    [
        (RandomForestRegressor(30), False),
        (RandomForestRegressor(30), True),
        (RandomForestClassifier(30), True),
        (ExtraTreesRegressor(30, bootstrap=True, max_samples=0.5), False),
    ],
)
def test_forests_with_known_bags_give_every_kernel(forest, classes, kind):
    x, y = data(classes=classes)
    method = kmerf.KMERF(forest=forest, proximity=kind)
    result = kmerf.independence(x, y, method=method, null=kmerf.Permutation(19), rng=1)
    assert result.pvalue == 0.05
    assert result.importances.ranking[0] == "x1"
    assert result.settings["method"]["forest"] == repr(forest)


def test_leaves_and_counts_are_the_forests_own():
    x, y = data()
    sample = read_independence(x, y)
    leaves = plugin.Plugin(RandomForestRegressor(20), presort(sample.x.values), sample.y, 5).leaves()
    state = int(np.random.SeedSequence([5, 0]).generate_state(1)[0] >> 1)
    fitted = RandomForestRegressor(20, random_state=state).fit(x, y)
    nodes = fitted.apply(x).T
    for t in range(20):
        same = nodes[t][:, None] == nodes[t][None]
        assert (same == (leaves.codes[t][:, None] == leaves.codes[t][None])).all()
        assert (leaves.counts[t] == np.bincount(fitted.estimators_samples_[t], minlength=40)).all()
        assert leaves.n_leaves[t] == len(np.unique(nodes[t]))


@pytest.mark.parametrize("forest", [ExtraTreesRegressor(10), RandomTreesEmbedding(10)])
def test_without_a_bootstrap_the_error_says_what_to_do(forest):
    with pytest.raises(kmerf.InputError, match="proximity='oob' needs .* use proximity='all'"):
        kmerf.independence(*data(), method=kmerf.KMERF(forest=forest))


def test_a_forest_that_never_saw_y_is_fitted_once(monkeypatch):
    fits = []
    monkeypatch.setattr(RandomTreesEmbedding, "fit", counted(RandomTreesEmbedding.fit, fits))
    method = kmerf.KMERF(forest=RandomTreesEmbedding(50, max_depth=4), proximity="all")
    result = kmerf.independence(*data(), method=method, null=kmerf.Permutation(99), rng=0)
    assert len(fits) == 1
    assert result.pvalue == 0.01


class OwnForest(BaseEstimator):
    """Says nothing of whether it uses y, as scikit-learn's base class does not."""

    def fit(self, X, y):
        self.forest_ = RandomForestRegressor(20, min_samples_leaf=5, random_state=0).fit(X, y)
        return self

    def apply(self, X):
        return self.forest_.apply(X)


def test_a_forest_whose_fit_takes_y_is_taken_to_use_it():
    assert plugin.is_supervised(OwnForest())
    assert plugin.is_supervised(RandomForestRegressor())
    assert not plugin.is_supervised(RandomTreesEmbedding())
    problem = kmerf.KMERF(OwnForest(), "all").prepare(read_independence(*data()), 0)
    assert problem.learns


def test_an_unsupervised_forest_has_no_importances():
    method = kmerf.KMERF(RandomTreesEmbedding(20), "all")
    assert kmerf.independence(*data(), method=method, null=kmerf.ChiSquare(), rng=0).importances is None


def test_what_a_forest_says_of_bad_settings_reaches_the_user():
    with pytest.raises(kmerf.InputError, match="cannot be fitted to these data: .*min_samples_leaf"):
        kmerf.independence(*data(), method=kmerf.KMERF(RandomForestRegressor(5, min_samples_leaf=-3)))


def test_a_forest_that_saw_y_is_fitted_for_every_permutation(monkeypatch):
    fits = []
    monkeypatch.setattr(RandomForestRegressor, "fit", counted(RandomForestRegressor.fit, fits))
    method = kmerf.KMERF(forest=RandomForestRegressor(5))
    kmerf.independence(*data(), method=method, null=kmerf.Permutation(9), rng=0)
    assert len(fits) == 10


def counted(fit, calls):
    @functools.wraps(fit)
    def wrapped(self, *args, **kwargs):
        calls.append(1)
        return fit(self, *args, **kwargs)

    return wrapped


def test_the_users_forest_is_left_as_it_was():
    forest = RandomForestRegressor(5, random_state=3)
    kmerf.independence(*data(), method=kmerf.KMERF(forest=forest), null=kmerf.ChiSquare(), rng=0)
    assert not hasattr(forest, "estimators_")
    assert forest.random_state == 3


@pytest.mark.parametrize(
    ("forest", "message"),
    [
        (LinearRegression(), "has no 'apply': pass a kmerf.ForestSpec"),
        (RandomForestRegressor, "is a class: pass an instance"),
        ("forest", "has no 'fit'"),
    ],
)
def test_what_is_no_forest_is_refused(forest, message):
    with pytest.raises(kmerf.InputError, match=message):
        kmerf.KMERF(forest=forest)


def test_a_classifier_needs_classes_and_boosting_is_no_forest():
    with pytest.raises(kmerf.InputError, match="is a classifier and y is numeric: use a regressor"):
        kmerf.independence(*data(), method=kmerf.KMERF(forest=RandomForestClassifier(5)))
    x, _ = data()
    y = np.random.default_rng(0).choice(["a", "b", "c"], 40)
    method = kmerf.KMERF(forest=GradientBoostingClassifier(n_estimators=3), proximity="all")
    with pytest.raises(kmerf.InputError, match="boosted classifiers do not have: pass a random forest"):
        kmerf.independence(x, y, method=method)
