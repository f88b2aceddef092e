"""Products of residuals: statistics, cumulants and combined p-values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from kmerf.adjustment.products import (
    REMAINDER_RATIO,
    Component,
    Residuals,
    components,
    cumulants,
    effective_columns,
    modifiers,
    tail,
)


def slow_statistic(component, order=None):
    """Add up w t^2, product by product."""
    n = len(component.left)
    order = np.arange(n) if order is None else order
    total = 0.0
    for j in range(component.left.shape[1]):
        for k in range(component.right.shape[1]):
            product = component.left[:, j] * component.right[order, k]
            t = np.sqrt(n) * product.mean() / product.std()
            total += component.weights[j, k] * (1 - component.spent[j, k]) * t**2
    return total


def residuals(seed, n=200, q=3, r=2):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, q)), rng.normal(size=(n, r))


def test_statistics_add_up_every_product():
    a, b = residuals(1)
    component = Component("any", a, b, np.arange(6.0).reshape(3, 2), np.full((3, 2), 0.1))
    order = np.random.default_rng(2).permutation(200)
    assert component.statistic() == pytest.approx(slow_statistic(component))
    orders = np.stack([order, np.arange(200)])
    expected = [slow_statistic(replace(component, spent=np.zeros((3, 2))), each) for each in orders]
    assert component.permuted(orders) == pytest.approx(expected)
    assert replace(component, means=0.5).permuted(orders) == pytest.approx(np.array(expected) / 2)


def test_cumulants_are_those_of_the_weighted_correlations():
    a, b = residuals(3)
    weights = np.array([[1.0, 0.5], [0.0, 2.0], [0.25, 1.0]])
    products = np.column_stack([a[:, j] * b[:, k] for j in range(3) for k in range(2) if weights[j, k] > 0])
    w = weights.ravel()[weights.ravel() > 0]
    S = np.sqrt(np.outer(w, w)) * np.corrcoef(products.T)
    values = np.linalg.eigvalsh(S)
    expected = (values.sum(), 2 * (values**2).sum(), 8 * (values**3).sum())
    assert Component("any", a, b, weights, np.zeros((3, 2))).cumulants() == pytest.approx(expected)


def test_invariants_are_the_same_for_every_order_and_near_the_cumulants():
    a, b = residuals(4, n=4000)
    component = Component("any", a, b, np.ones((3, 2)), np.zeros((3, 2)))
    order = np.random.default_rng(5).permutation(4000)
    assert component.invariants() == pytest.approx(replace(component, right=b[order]).invariants(), rel=1e-12)
    assert component.invariants() == pytest.approx(component.cumulants(), rel=0.05)
    assert Component("any", a, np.zeros_like(b), np.ones((3, 2)), np.zeros((3, 2))).invariants() is None


def test_products_that_do_not_vary_do_not_count():
    a, b = np.zeros((50, 1)), np.ones((50, 1))
    component = Component("any", a, b, np.ones((1, 1)), np.zeros((1, 1)))
    assert component.statistic() == 0.0
    assert component.cumulants() is None


def test_the_tail_is_right_for_sums_of_chi_squares():
    rng = np.random.default_rng(4)
    S = np.diag([3.0, 1.0, 1.0, 0.5])
    draws = (np.diag(S) * rng.normal(size=(200_000, 4)) ** 2).sum(axis=1)
    for level in (0.1, 0.05, 0.01):
        assert tail(float(np.quantile(draws, 1 - level)), *cumulants(S)) == pytest.approx(level, rel=0.1)


def test_the_tail_of_one_degree_is_that_of_a_normal_square():
    for t in (0.5, 1.96, 6.0):
        assert tail(t**2, 1.0, 2.0, 8.0) == pytest.approx(2 * stats.norm.sf(t), rel=1e-9)
    assert 0.0 < tail(1e6, 1.0, 2.0, 8.0) < 1e-300


def test_looks_choose_products_by_degree():
    a, b = residuals(5, q=3, r=2)
    z = np.random.default_rng(6).normal(size=(200, 4))
    x = Residuals(a, np.array([1, 2, 3]), np.array([20.0, 4.0, 2.0]))
    y = Residuals(b, np.array([1, 2]), np.array([10.0, 6.0]))
    level, shape, varying = components(x, y, z)
    assert (level.left.shape[1], level.right.shape[1]) == (1, 1)
    np.testing.assert_array_equal(shape.weights, [[1, 1 / 2], [1 / 2, 1 / 4], [1 / 3, 1 / 6]])
    np.testing.assert_array_equal(shape.spent, np.array([[10, 6], [4, 4], [2, 2]]) / 200)
    assert (varying.left.shape[1], varying.right.shape[1]) == (2 * 4, 2)
    share = 2.0 / effective_columns(z)
    assert 0.5 <= share < 0.6  # four columns that are nearly uncorrelated, of which a function has two at most
    np.testing.assert_allclose(varying.spent[:4], [[share * 10 / 200, share * 6 / 200]] * 4)
    alone = components(x, y, z[:, :1])[2]
    np.testing.assert_array_equal(alone.spent, np.array([[10, 6], [4, 4]]) / 200)
    np.testing.assert_allclose(varying.left[:, 4], a[:, 1] / a[:, 1].std() * z[:, 0])
    only = components(x.some(x.degrees == 1), y.some(y.degrees == 1), z)
    assert [component.name for component in only] == ["level", "varying"]


def test_degrees_of_freedom_make_up_for_fits_that_share_functions():
    rng = np.random.default_rng(8)
    n, d = 60, 20
    squares = []
    for _ in range(400):
        design = np.linalg.qr(np.column_stack([np.ones(n), rng.normal(size=(n, d - 1))]))[0]
        a, b = ((v - design @ (design.T @ v))[:, None] for v in rng.normal(size=(2, n)))
        component = Component("level", a, b, np.ones((1, 1)), np.full((1, 1), d / n))
        squares.append(component.statistic())
    assert np.mean(squares) == pytest.approx(1.0, abs=0.2)  # without them, 1.5


def test_modifiers_are_ranks():
    z = np.column_stack([np.exp(np.arange(20.0)), np.ones(20)])
    np.testing.assert_allclose(modifiers(z)[:, 0], stats.zscore(np.arange(20.0)))
    assert modifiers(z).shape == (20, 1)
    many = modifiers(np.random.default_rng(7).normal(size=(300, 150)))
    spread = np.linalg.norm(many.T @ many / 300 - np.eye(150))
    assert spread < 1e-8  # directions, not columns


def test_products_are_extrapolated_from_coarse_to_fine():
    a, b = residuals(11)
    rng = np.random.default_rng(12)
    c, d = a + 0.1 * rng.normal(size=a.shape), b + 0.1 * rng.normal(size=b.shape)
    component = Component("any", a, b, np.ones((3, 2)), np.zeros((3, 2)), (c, d))
    products = np.stack(
        [
            (1 + REMAINDER_RATIO) * a[:, j] * b[:, k] - REMAINDER_RATIO * c[:, j] * d[:, k]
            for j in range(3)
            for k in range(2)
        ],
        axis=1,
    )
    t = np.sqrt(200) * products.mean(axis=0) / products.std(axis=0)
    assert component.statistic() == pytest.approx((t**2).sum())
    assert component.cumulants() == pytest.approx(cumulants(np.corrcoef(products.T)))
    order = rng.permutation(200)
    moved = Component("any", a, b[order], np.ones((3, 2)), np.zeros((3, 2)), (c, d[order]))
    assert component.permuted(order[None]) == pytest.approx([moved.statistic()])


def test_a_common_remainder_that_shrinks_is_removed_and_noticed():
    rng = np.random.default_rng(13)
    n = 2000
    remainder, a, b = rng.normal(size=(3, n, 1))
    level, free = np.ones(1, np.int64), np.zeros(1)
    parts = [0.45, 0.45 * 2**0.25]  # its square is as n^-1/2: the coarse one is of half the rows
    x, y = (Residuals(e + parts[0] * remainder, level, free, e + parts[1] * remainder) for e in (a, b))
    component = components(x, y, np.empty((n, 0)))[0]
    assert component.shrinking() < 1e-4
    assert tail(component.statistic(), 1.0, 2.0, 8.0) > 0.05
    alone = components(replace(x, coarse=None), replace(y, coarse=None), np.empty((n, 0)))[0]
    assert tail(alone.statistic(), 1.0, 2.0, 8.0) < 1e-6
    assert alone.shrinking() == 1.0


def test_a_relation_that_stays_is_not_said_to_shrink():
    rng = np.random.default_rng(14)
    a = rng.normal(size=(500, 1))
    b = 0.5 * a + rng.normal(size=(500, 1))
    level, free = np.ones(1, np.int64), np.zeros(1)
    x, y = (Residuals(e, level, free, e + 0.2 * rng.normal(size=(500, 1))) for e in (a, b))
    component = components(x, y, np.empty((500, 0)))[0]
    assert component.shrinking() > 0.01
    assert tail(component.statistic(), 1.0, 2.0, 8.0) < 1e-6
