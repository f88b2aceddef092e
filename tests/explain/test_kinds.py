"""Which kind of change is it?"""

import numpy as np
import pandas as pd
import pytest
import statsmodels.stats.oneway as oneway

import kmerf
from kmerf.data.exchangeability import exchange
from kmerf.explain.kinds import FEWEST_ROWS, NAMES, find_kinds, welch_f
from kmerf.reading.samples import read_independence, read_ksample

N = 240


def pvalues(x, y, *, groups, pvalue=0.0):
    sample = read_ksample(x, groups=y) if groups else read_independence(x, y)
    return {kind.name: kind for kind in find_kinds(sample, exchange(None, "within", sample.y), pvalue, 1)}


def clear(found):
    return [name for name in NAMES if name in found and found[name].adjusted <= 0.05]


def test_welchs_f_is_that_of_statsmodels():
    rng = np.random.default_rng(0)
    values = rng.normal(size=50) * np.repeat([1.0, 2.0, 5.0], [10, 15, 25])
    parts = np.repeat([0, 1, 2], [10, 15, 25])
    orders = np.stack([np.arange(50), rng.permutation(50)])
    for statistic, order in zip(welch_f(values, parts, orders), orders, strict=True):
        moved = values[order]
        theirs = oneway.anova_oneway([moved[parts == k] for k in range(3)], use_var="unequal", welch_correction=True)
        assert statistic == pytest.approx(theirs.statistic)


def changed(kind, rng):
    groups = np.arange(N) % 2
    x = rng.normal(size=(N, 2))
    second = groups == 1
    if kind == "level":
        x[second, 0] += 1.0
    elif kind == "spread":
        x[second, 0] *= 2.0
    elif kind == "shape":
        x[second, 0] = rng.exponential(size=second.sum()) - 1.0
    else:
        x[second, 1] = 0.8 * x[second, 0] + 0.6 * x[second, 1]
    return x, groups


@pytest.mark.parametrize("kind", NAMES)
def test_of_groups_each_kind_is_found_and_no_other(kind):
    found = pvalues(*changed(kind, np.random.default_rng(5)), groups=True)
    assert clear(found) == [kind]
    assert found[kind].column == ("x1 and x2" if kind == "joint" else "x1")


RELATIONS = {
    "level": lambda x, e: x[:, 0] + e,
    "spread": lambda x, e: np.exp(x[:, 0]) * e,
    "joint": lambda x, e: 1.5 * x[:, 0] * x[:, 1] + 0.5 * e,
}


@pytest.mark.parametrize("kind", RELATIONS)
def test_of_numbers_each_kind_is_found(kind):
    rng = np.random.default_rng(6)
    x = rng.normal(size=(N, 2))
    found = pvalues(x, RELATIONS[kind](x, rng.normal(size=N)), groups=False)
    assert kind in clear(found)
    assert found[kind].column == ("x1 and x2" if kind == "joint" else "x1")


def test_a_parabola_is_a_change_of_level():
    rng = np.random.default_rng(7)
    x = rng.normal(size=(N, 2))
    assert clear(pvalues(x, x[:, 0] ** 2 + 0.5 * rng.normal(size=N), groups=False)) == ["level"]


def test_no_kind_is_clearer_than_the_test():
    found = pvalues(*changed("level", np.random.default_rng(5)), groups=True, pvalue=0.03)
    assert min(kind.adjusted for kind in found.values()) == 0.03
    assert found["level"].pvalue < 0.03


def test_few_rows_have_no_kinds_and_neither_have_results_without_evidence():
    rng = np.random.default_rng(8)
    x = rng.normal(size=(FEWEST_ROWS - 1, 1))
    assert pvalues(x, x[:, 0], groups=False) == {}
    quick = {"method": "dcorr", "null": kmerf.Permutation(99), "rng": 1}
    x = rng.normal(size=(60, 1))
    assert kmerf.independence(x, rng.normal(size=60), **quick).kinds == ()
    clear = kmerf.independence(x, x[:, 0] + 0.1 * rng.normal(size=60), **quick)
    assert clear.kinds[0].name == "level"


def test_categories_by_categories_have_no_kinds():
    """They can differ in their shares alone: that is what the test itself asks."""
    rng = np.random.default_rng(6)
    arm = np.repeat(["a", "b"], 50)
    cured = np.where(rng.random(100) < np.where(arm == "a", 0.2, 0.7), "yes", "no")
    assert kmerf.independence({"arm": arm}, cured, rng=1).kinds == ()
    assert kmerf.ksample(pd.DataFrame({"dose": rng.normal(size=100) + (arm == "a")}), groups=arm, rng=1).kinds
