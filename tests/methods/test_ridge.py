"""Ridge regression as a test, and the column that goes best with y."""

import numpy as np
import pytest
from scipy.stats import rankdata

import kmerf
from kmerf.data.read_sample import read_independence, read_ksample
from kmerf.engine.linear import cholesky, solve_rows
from kmerf.methods.best_column import BestColumn
from kmerf.methods.column_products import drawn_in
from kmerf.methods.protocol import observe
from kmerf.methods.ranked import Ranked
from kmerf.methods.ridge import Ridge, ridge_factor


def slow_hat(x):
    """X (X'X + r I)^-1 X' by a solver."""
    z = drawn_in(x)
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
    factor = ridge_factor(x)
    np.testing.assert_allclose(factor @ factor.T, slow_hat(x), atol=1e-9)


@pytest.mark.parametrize("q", [1, 3])
def test_the_statistic_is_the_share_that_is_fitted(q):
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(40, 5)), np.exp(rng.normal(size=(40, q)))
    ranks = np.column_stack([rankdata(column) for column in y.T])
    basis, _ = np.linalg.qr(ranks - ranks.mean(axis=0))
    order = rng.permutation(40)
    found = Ridge().prepare(read_independence(x, y), 0).fit(order, 1).statistic
    assert found == pytest.approx(np.trace(basis[order].T @ slow_hat(x) @ basis[order]) / q, rel=1e-9)


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
    assert kmerf.ksample(x, method=kmerf.rivals.Dcorr(), **sample).pvalue > 0.05


@pytest.mark.parametrize("classes", [False, True])
def test_the_best_column_is_found_one_at_a_time(classes):
    rng = np.random.default_rng(6)
    x, y = rng.normal(size=(45, 6)) ** 3, rng.normal(size=45)
    groups = rng.permutation(np.repeat(["a", "b", "c"], 15))
    sample = read_ksample(x, groups=groups) if classes else read_independence(x, y)
    sides = [groups == name for name in "abc"] if classes else [rankdata(y)]
    ranks = np.column_stack([rankdata(column) for column in x.T])
    middle = (2 * (ranks - 0.5) / 45 - 1) ** 2
    slow = max(
        np.corrcoef(column, side.astype(float))[0, 1] ** 2 for column in np.c_[ranks, middle].T for side in sides
    )
    assert observe(BestColumn().prepare(sample, 0)).statistic == pytest.approx(slow, rel=1e-9)


def test_a_column_that_widens_in_one_group_is_found():
    rng = np.random.default_rng(7)
    groups = np.arange(150) % 5
    x = rng.normal(size=(150, 8))
    x[groups == 2, 3] *= 4.0
    found = kmerf.ksample(x, groups=groups, method=BestColumn(), null=kmerf.Permutation(199), rng=0)
    assert found.pvalue <= 0.01


def test_ranks_forget_units_and_outliers():
    rng = np.random.default_rng(8)
    x, y = rng.normal(size=(30, 2)), rng.normal(size=30)
    method = Ranked(kmerf.rivals.Dcorr())
    plain = observe(method.prepare(read_independence(x, y), 0)).statistic
    other = observe(method.prepare(read_independence(np.c_[np.exp(5 * x[:, 0]), x[:, 1] * 1e6], 7 * y), 0)).statistic
    assert other == pytest.approx(plain, rel=1e-12)
    assert method.most_rows == kmerf.rivals.Dcorr().most_rows
    with pytest.raises(kmerf.InputError, match="missing values"):
        method.prepare(read_independence(np.where(x > 1, np.nan, x), y), 0)
