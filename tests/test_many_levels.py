"""A category with many levels goes through every question: tests, screens, kernels, rivals, and what is told of it."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestRegressor

import kmerf
from kmerf import baselines

FEW = kmerf.Portfolio().with_trees(20)
LEVELS = 60


def table(n=240, seed=0):
    """A number, a category, and a y that moves with the category alone."""
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.arange(n) % LEVELS)
    town = np.array([f"town {code}" for code in codes], dtype=object)
    y = 1.5 * rng.normal(size=LEVELS)[codes] + rng.normal(size=n)
    town[:2] = None
    return pd.DataFrame({"a": rng.normal(size=n), "town": town}), y


def ask(x, y, **options):
    return kmerf.independence(x, y, categorical=["town"], rng=1, **{"method": FEW, "n_jobs": 1} | options)


@pytest.mark.parametrize("classes", [False, True])
def test_the_default_finds_the_category_and_shows_it(classes):
    x, y = table()
    y = np.where(y > 0, "high", "low") if classes else y
    result = ask(x, y, details=True, null=kmerf.Permutation(19))
    assert result.pvalue == 0.05
    assert result.features.pvalues[1] == 0.05
    assert result.importances.names[result.importances.mean.argmax()] == "town"
    profile = next(each for each in result.details.profiles if each.feature == "town")
    assert len(profile.labels) == LEVELS + 1  # one for missing
    assert profile.labels[-1] == "missing"
    assert kmerf.Result.from_dict(json.loads(json.dumps(result.to_dict()))) == result


def test_workers_change_nothing():
    x, y = table(120)
    alone, two = (ask(x, y, null=kmerf.Permutation(19), n_jobs=n_jobs) for n_jobs in (1, 2))
    assert alone == two


def test_a_screen_knows_codes_from_numbers():
    """As ranks, or as the codes themselves, they would be the same column."""
    x, y = table()
    codes = np.unique(x["town"].fillna("nowhere"), return_inverse=True)[1]
    found = kmerf.screen(
        pd.DataFrame({"a": x["a"], "codes": codes.astype(float), "town": codes.astype(str)}), y,
        categorical=["town"], method=kmerf.KMERF(kmerf.ForestSpec(30)), null=kmerf.Permutation(39), rng=0, n_jobs=1,
    )  # fmt: skip
    assert found.pvalues[2] == pytest.approx(1 / 40)
    assert found.statistics[1] != found.statistics[2]


@pytest.mark.parametrize("method", [baselines.Dcorr(), baselines.HHG(), baselines.RV(), baselines.MGC()])
def test_rivals_are_given_numbers(method):
    x, y = table(100)
    result = ask(x.dropna(), y[x["town"].notna()], method=method, null=kmerf.Permutation(19))
    assert 0.05 <= result.pvalue <= 1.0


def test_a_plugin_forest_and_a_forest_of_both_are_given_numbers():
    x, y = table(100)
    x, y = x.dropna(), y[x["town"].notna()]
    plugin = kmerf.KMERF(RandomForestRegressor(n_estimators=10))
    both = kmerf.KMERF(kmerf.ForestSpec(10), y_kernel="forest")
    for method in (plugin, both):
        assert ask(x, y, method=method, null=kmerf.Permutation(19)).importances.mean.shape == (2,)


def test_given_a_category_all_its_levels_count():
    """Beyond the commonest 31 the towns would still carry y to a."""
    rng = np.random.default_rng(3)
    codes = np.arange(480) % 80
    effect = 2.0 * rng.normal(size=80)[codes]
    z = pd.DataFrame({"town": [f"town {code}" for code in codes]})
    a, y = effect + rng.normal(size=480), effect + rng.normal(size=480)
    result = kmerf.conditional(a, y, given=z, categorical=["town"], rng=0, n_jobs=1)
    assert result.adjustment.explained_y > 0.5


def test_a_kernel_routes_fills_in_and_is_saved():
    x, y = table()
    kernel = kmerf.ForestKernel(n_trees=20, random_state=0, categorical=["town"]).fit(x, y)
    assert np.array_equal(kernel.kernel(x), kernel.kernel())
    again = pickle.loads(pickle.dumps(kernel))
    assert np.array_equal(again.kernel(x.iloc[5:9]), kernel.kernel()[5:9])
    filled = kernel.impute()
    assert filled[2, 1] == x["town"][2]
    assert set(filled[:2, 1]) <= set(x["town"].dropna())
    assert np.array_equal(filled[:5], kernel.impute(x.iloc[:5]))


def test_a_kernel_of_a_plugin_forest_takes_new_rows():
    x, y = table(120)
    x, y = x.dropna(), y[x["town"].notna()]
    plugin = RandomForestRegressor(n_estimators=5, max_depth=4)
    kernel = kmerf.ForestKernel(forest=plugin, random_state=0, categorical=["town"]).fit(x, y)
    assert np.array_equal(kernel.kernel(x.iloc[:7]), kernel.kernel()[:7])
