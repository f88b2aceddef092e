"""The multiscale statistic, against scipy and its definition."""

import warnings

import numpy as np
import pytest
from scipy.stats import multiscale_graphcorr

from kmerf.methods import mgc


def distances_of(kind, n, rng):
    values = rng.normal(size=(n, 2))
    values = {"plain": values, "ties": np.round(values), "two values": (values[:, :1] > 0) * 1.0}[kind]
    return np.abs(values[:, None] - values).sum(axis=2)


@pytest.mark.parametrize("x", ["plain", "ties", "two values"])
@pytest.mark.parametrize("y", ["plain", "ties", "two values", "related"])
def test_multiscale_equals_scipy_in_any_order_of_y(x, y):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(8, 45))
        dx = distances_of(x, n, rng)
        dy = np.sqrt(dx) if y == "related" else distances_of(y, n, rng)
        scales = mgc.MultiscaleStatistic.of(dx, dy)
        for order in (np.arange(n), rng.permutation(n)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                wanted = multiscale_graphcorr(dx, dy[np.ix_(order, order)], compute_distance=None, reps=0).statistic
            assert scales(order) == pytest.approx(wanted, rel=1e-9, abs=1e-12)


def test_local_correlations_by_their_definition():
    """Every pair of scales with sums over the pairs of rows that count in both."""
    rng = np.random.default_rng(3)
    dx, dy = distances_of("plain", 9, rng), distances_of("ties", 9, rng)

    def ready(d):
        a = d - d.sum(axis=0) / 8
        np.fill_diagonal(a, 0.0)
        return a, np.column_stack([np.searchsorted(np.unique(column), column) for column in d.T])

    def covariance(a, k, b, m):
        return (a * k * b * m).sum() - (a * k).sum() * (b * m).sum() / 81

    (a, scale_a), (b, scale_b) = ready(dx), ready(dy)
    found = mgc.MultiscaleStatistic.of(dx, dy).correlations(np.arange(9))
    assert found.shape == (scale_a.max() + 1, scale_b.max() + 1)
    for k, m in np.ndindex(found.shape):
        near_a, near_b = scale_a <= k, scale_b <= m
        spread = covariance(a, near_a, a.T, near_a.T) * covariance(b, near_b, b.T, near_b.T)
        positive = covariance(a, near_a, a.T, near_a.T) > 0 and covariance(b, near_b, b.T, near_b.T) > 0
        wanted = min(1.0, covariance(a, near_a, b.T, near_b.T) / np.sqrt(spread)) if positive else 0.0
        assert found[k, m] == pytest.approx(wanted, rel=1e-9, abs=1e-12)
