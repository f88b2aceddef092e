"""Trends, against hyppo's RV coefficient of values that were drawn in, or ranked and bent, one by one."""

import numpy as np
import pytest
from scipy.stats import rankdata

import kmerf
from cases import find_pvalue
from kmerf.core.arrays import winsorise
from kmerf.methods.covariance_tests import Trend
from kmerf.methods.protocol import observe
from kmerf.reading.samples import read_independence


def slow(hyppo, x, y):
    far = x.copy()
    for column in far.T:
        low, high = np.percentile(column, [25, 75])
        for i, value in enumerate(column):
            if high > low:
                column[i] = min(max(value, low - 1.5 * (high - low)), high + 1.5 * (high - low))
    ranks = np.column_stack([rankdata(column) for column in y.T])
    return hyppo.independence.RV().statistic(far, ranks / ranks.std(axis=0))


@pytest.mark.parametrize(("p", "q"), [(1, 1), (3, 1), (4, 3), (300, 1)])
def test_it_is_the_rv_coefficient_of_drawn_in_x_and_ranked_y(hyppo, p, q):
    rng = np.random.default_rng([p, q])
    x = rng.standard_t(1.5, size=(40, p))
    y = np.round(rng.standard_t(1.5, size=(40, q)) + x[:, :1], 1)  # with ties
    found = observe(Trend().prepare(read_independence(x, y), 0)).statistic
    assert found == pytest.approx(slow(hyppo, x, y), rel=1e-9)
    order = rng.permutation(40)
    moved = Trend().prepare(read_independence(x, y), 0).fit(order, 1).statistic
    assert moved == pytest.approx(slow(hyppo, x, y[order]), rel=1e-9)


def bent(values):
    """Return the squared distance of each rank to the middle one, each column with variance 1."""
    ranks = np.column_stack([rankdata(column) for column in values.T])
    squares = (ranks - (len(values) + 1) / 2) ** 2
    return squares / squares.std(axis=0)


@pytest.mark.parametrize(("of_x", "of_y"), [(2, 1), (1, 2), (2, 2)])
@pytest.mark.parametrize(("p", "q"), [(1, 1), (4, 3), (300, 2)])
def test_bends_flares_and_pinches_are_rv_coefficients_of_squares(hyppo, p, q, of_x, of_y):
    rng = np.random.default_rng([p, q])
    x = np.round(rng.standard_t(1.5, size=(40, p)), 1)  # with ties
    y = np.round(rng.standard_t(1.5, size=(40, q)) * x[:, :1], 1)
    method = Trend(of_x, of_y)
    order = rng.permutation(40)
    problem = method.prepare(read_independence(x, y), 0)
    ranks = np.column_stack([rankdata(column) for column in y.T])
    left = bent(x) if of_x == 2 else winsorise(x)
    right = bent(y) if of_y == 2 else ranks / ranks.std(axis=0)
    for found, rows in ((observe(problem).statistic, np.arange(40)), (problem.fit(order, 1).statistic, order)):
        assert found == pytest.approx(hyppo.independence.RV().statistic(left, right[rows]), rel=1e-9)


@pytest.mark.parametrize("unit", [1e-120, 1e120])
def test_the_unit_of_x_as_a_whole_does_not_matter(unit):
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(30, 3)), rng.normal(size=(30, 2))
    one, other = (observe(Trend().prepare(read_independence(each, y), 0)).statistic for each in (x, unit * x))
    assert one > 0
    assert one == pytest.approx(other, rel=1e-12)


def test_they_have_names():
    assert [Trend(a, b).name for a in (1, 2) for b in (1, 2)] == ["Trend", "Flare", "Bend", "Pinch"]


@pytest.mark.parametrize("degree", [0, 3, 1.5, 2.0, True, "2", np.ones(2)])
def test_another_degree_is_refused(degree):
    with pytest.raises(kmerf.InputError, match="x=.* must be 1, for a trend, or 2"):
        Trend(x=degree)


def test_classes_have_no_spread():
    x = np.random.default_rng(0).normal(size=(30, 2))
    with pytest.raises(kmerf.InputError, match=r"y=2 of Pinch is for numbers, and y has classes: use Trend\(x=2\)"):
        kmerf.independence(x, ["a", "b"] * 15, method=Trend(2, 2))


def test_two_values_as_many_of_each_have_no_middle():
    """Their distance to the middle is one for all: nothing to see, and nothing to stumble over."""
    x = np.repeat([0.0, 1.0], 20)
    y = np.random.default_rng(0).normal(size=40)
    assert observe(Trend(x=2).prepare(read_independence(x, y), 0)).statistic == 0.0
    assert kmerf.independence(x, y, rng=0).pvalue > 0.01


def test_outliers_and_the_scale_of_y_do_not_matter():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(60, 3)), rng.normal(size=60)
    x[0, 0] = 30.0
    far = x.copy()
    far[0, 0] = 1e12
    one, other = (
        observe(Trend().prepare(read_independence(*pair), 0)).statistic for pair in ((x, y), (far, np.exp(y)))
    )
    assert one == pytest.approx(other, rel=1e-12)


def test_a_rare_one_among_zeros_is_kept():
    x = np.zeros((50, 1))
    x[:4] = 1.0
    assert (winsorise(x) == x).all()


def test_classes_have_shares_instead_of_ranks(hyppo):
    rng = np.random.default_rng(2)
    x = rng.normal(size=(60, 5))
    y = np.array(["a", "b", "c"])[np.digitize(x.sum(axis=1) + rng.normal(size=60), [-1.0, 1.0])]
    found = kmerf.independence(x, y, method=Trend(), null=kmerf.Permutation(199), rng=0)
    assert found.pvalue == 1 / 200
    onehot = (y[:, None] == np.unique(y)).astype(float)
    assert found.statistic == pytest.approx(hyppo.independence.RV().statistic(winsorise(x), onehot), rel=1e-9)


def test_a_weak_trend_of_many_columns_is_found_more_often_than_by_a_forest():
    found = {"trend": 0, "forest": 0}
    for seed in range(12):
        rng = np.random.default_rng([3, seed])
        x = rng.normal(size=(80, 30))
        y = x.sum(axis=1) * 0.12 + rng.normal(size=80)
        for name, method in (("trend", Trend()), ("forest", kmerf.KMERF(kmerf.ForestSpec(60)))):
            found[name] += find_pvalue(read_independence(x, y), method, kmerf.Permutation(39), seed) <= 0.05
    assert found["trend"] > found["forest"]
