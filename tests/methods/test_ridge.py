"""Ridge regression as a test."""

import numpy as np
import pytest
from scipy.stats import rankdata

import kmerf
from kmerf.core.arrays import winsorise
from kmerf.engine.linear import cholesky, solve_rows
from kmerf.methods.protocol import observe
from kmerf.methods.ridge import Ridge, ridge_factor
from kmerf.reading.samples import read_independence


def slow_hat(x):
    """X (X'X + r I)^-1 X' by a solver."""
    z = winsorise(x)
    z = z[:, z.std(axis=0) > 0]
    z = (z - z.mean(axis=0)) / z.std(axis=0)
    n, p = z.shape
    return z @ np.linalg.solve(z.T @ z + (0.02 * n + p**2 / n) * np.eye(p), z.T)


def test_cholesky_is_the_root():
    rng = np.random.default_rng(0)
    a = rng.normal(size=(6, 9))
    root = a @ a.T
    cholesky(root, 0.0)
    np.testing.assert_allclose(root, np.linalg.cholesky(a @ a.T), atol=1e-12)
    rows = rng.normal(size=(4, 6))
    solved = rows.copy()
    solve_rows(root, solved)
    np.testing.assert_allclose(solved, np.linalg.solve(np.linalg.cholesky(a @ a.T), rows.T).T, atol=1e-10)


def test_the_root_of_a_singular_matrix_has_its_product():
    a = np.random.default_rng(1).normal(size=(6, 3))
    root = a @ a.T
    cholesky(root, 1e-10)
    np.testing.assert_allclose(root @ root.T, a @ a.T, atol=1e-10)
    assert (root[np.triu_indices(6, 1)] == 0.0).all()


@pytest.mark.parametrize(("n", "p"), [(30, 4), (30, 29), (20, 60), (12, 1)])
def test_the_factor_is_that_of_ridge_regression(n, p):
    x = np.random.default_rng(2).normal(size=(n, p)) ** 3
    factor = ridge_factor(winsorise(x))
    np.testing.assert_allclose(factor @ factor.T, slow_hat(x), atol=1e-9)


@pytest.mark.parametrize("q", [1, 3])
def test_the_statistic_is_the_share_that_is_fitted(q):
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(40, 5)), np.exp(rng.normal(size=(40, q)))
    basis, _ = np.linalg.qr(y - y.mean(axis=0))
    order = rng.permutation(40)
    found = Ridge().prepare(read_independence(x, y), 0).fit(order, 1).statistic
    assert found == pytest.approx(np.trace(basis[order].T @ slow_hat(x) @ basis[order]) / q, rel=1e-9)


def test_bends_are_polynomials_of_ranks():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    z = np.column_stack([2 * (rankdata(column) - 0.5) / 40 - 1 for column in x.T])
    design = np.c_[z, 3 * z**2 - 1]
    design = (design - design.mean(axis=0)) / design.std(axis=0)
    hat = design @ np.linalg.solve(design.T @ design + (0.02 * 40 + 36 / 40) * np.eye(6), design.T)
    side = y - y.mean()
    statistic = observe(Ridge(2).prepare(read_independence(x, y), 0)).statistic
    assert statistic == pytest.approx(side @ hat @ side / (side @ side), rel=1e-9)
    with pytest.raises(kmerf.InputError, match="degree=3 must be 2"):
        Ridge(3)


def test_units_and_empty_columns_do_not_matter():
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(50, 3)), rng.normal(size=50)
    plain = observe(Ridge().prepare(read_independence(x, y), 0)).statistic
    scaled = np.c_[x * [1e130, 1.0, 1e-130], np.full(50, 7.0)]
    assert observe(Ridge().prepare(read_independence(scaled, y), 0)).statistic == pytest.approx(plain, rel=1e-9)
    assert (ridge_factor(np.ones((50, 1))) == 0.0).all()


def test_groups_that_differ_across_correlated_columns_are_told_apart():
    rng = np.random.default_rng(5)
    shared = rng.normal(size=(100, 1))
    x = shared + 0.3 * rng.normal(size=(100, 4))
    x[:50, 0] += 0.4
    sample = {"groups": np.arange(100) < 50, "null": kmerf.Permutation(199), "rng": 0}
    assert kmerf.ksample(x, method=Ridge(), **sample).pvalue <= 0.01
    assert kmerf.ksample(x, method=kmerf.baselines.Dcorr(), **sample).pvalue > 0.05
