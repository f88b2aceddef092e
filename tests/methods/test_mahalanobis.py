"""Distance correlation of comparable columns."""

import numpy as np
import pytest

from kmerf.core.arrays import winsorise
from kmerf.methods.protocol import observe
from kmerf.methods.ridge import Mahalanobis
from kmerf.reading.samples import read_independence, read_ksample

dcor = pytest.importorskip("dcor")


def slow_rows(x):
    """Rows whose Euclidean distances are Mahalanobis's, by an eigendecomposition."""
    z = winsorise(x)
    z = z[:, z.std(axis=0) > 0]
    z = (z - z.mean(axis=0)) / z.std(axis=0)
    n, p = z.shape
    values, vectors = np.linalg.eigh(z.T @ z + (0.02 * n + p**2 / n) * np.eye(p))
    return z @ vectors / np.sqrt(values)


@pytest.mark.parametrize(("n", "p"), [(40, 1), (40, 5), (25, 60)])
def test_it_is_the_distance_correlation_of_rows_that_are_made_comparable(n, p):
    rng = np.random.default_rng(p)
    x = rng.normal(size=(n, 1)) + rng.normal(size=(n, p)) ** 3
    y, order = rng.normal(size=(n, 2)), rng.permutation(n)
    found = Mahalanobis().prepare(read_independence(x, y), 0).fit(order, 1).statistic
    assert found == pytest.approx(dcor.u_distance_correlation_sqr(slow_rows(x), y[order]), rel=1e-9, abs=1e-12)


def test_units_turns_of_the_columns_and_empty_ones_do_not_matter():
    rng = np.random.default_rng(4)
    x, groups = rng.uniform(size=(50, 3)), np.repeat(["a", "b"], 25)
    plain = observe(Mahalanobis().prepare(read_ksample(x, groups=groups), 0)).statistic
    scaled = np.c_[x * [1e130, 1.0, -1e-130], np.full(50, 7.0)]
    assert observe(Mahalanobis().prepare(read_ksample(scaled, groups=groups), 0)).statistic == pytest.approx(plain)


def test_groups_are_told_apart_that_correlated_columns_hide():
    rng = np.random.default_rng(5)
    x, groups = rng.normal(size=(60, 1)) + 0.2 * rng.normal(size=(60, 3)), np.repeat(["a", "b"], 30)
    x[30:, 0] += 0.4
    problem = Mahalanobis().prepare(read_ksample(x, groups=groups), 0)
    null = [problem.fit(rng.permutation(60), k).statistic for k in range(1, 100)]
    assert observe(problem).statistic > max(null)
    assert "group" in Mahalanobis().wording(True).question
    assert "group" not in Mahalanobis().wording(False).question
