"""Whether residuals still depend on z."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import kmerf
from kmerf.adjustment.stratification import lack_of_fit


def slow(z, residuals, prediction_errors, targets):
    """Go through columns, targets and checks one by one."""
    scores = []
    for column in z.T:
        order = np.argsort(column, kind="stable")
        for target in range(residuals.shape[1]):
            r, u = residuals[order, target], prediction_errors[order, target]
            centred = r - r.mean()
            v = targets[order, target]
            alike = [a * b for a, b in zip(centred[1:], centred[:-1], strict=True)]
            better = [(u[i] ** 2 + u[i + 1] ** 2 - (v[i + 1] - v[i]) ** 2) / 2 for i in range(len(u) - 1)]
            scores += [sum(each) / np.sqrt(sum(term**2 for term in each)) for each in (alike, better)]
    return min(1.0, len(scores) * stats.norm.sf(max(scores)))


def test_it_is_what_the_slow_one_says():
    rng = np.random.default_rng(1)
    z, residuals, before, targets = rng.normal(size=(60, 2)), *rng.normal(size=(3, 60, 3))
    assert lack_of_fit(z, residuals, before, targets, 0) == pytest.approx(slow(z, residuals, before, targets))


def test_a_smooth_remainder_is_seen():
    z = np.random.default_rng(2).normal(size=(300, 3))
    noise = np.random.default_rng(3).normal(size=(300, 1))
    assert lack_of_fit(z, noise, noise, noise, 0) > 0.01
    left = noise + np.sin(3 * z[:, :1])
    assert lack_of_fit(z, left, left, left, 0) < 1e-3


def test_residuals_that_vary_more_than_neighbours_differ_are_seen():
    rng = np.random.default_rng(4)
    z = rng.uniform(size=(300, 1))
    target = np.sin(2 * np.pi * z) + 0.05 * rng.normal(size=(300, 1))
    residuals = 0.3 * rng.normal(size=(300, 1))  # a bad regression, whose errors look like noise
    assert lack_of_fit(z, residuals, residuals, residuals, 0) > 0.01
    assert lack_of_fit(z, residuals, residuals, target, 0) < 1e-6


def test_the_order_of_the_file_is_no_reason_to_warn():
    """Rows with the same value keep it otherwise, and a file may go by x."""
    z = np.tile(np.arange(5.0), 40)[:, None]
    ordered = np.sort(np.random.default_rng(8).normal(size=(200, 1)), axis=0)
    assert lack_of_fit(z, ordered, ordered, ordered, 0) > 0.01


def test_columns_of_two_values_have_no_neighbours():
    z = np.repeat([[0.0], [1.0]], 20, axis=0)
    residuals = np.random.default_rng(5).normal(size=(40, 2))
    assert lack_of_fit(z, residuals, residuals, residuals, 0) == 1.0


def test_a_strong_line_is_no_reason_to_warn():
    rng = np.random.default_rng(6)
    warned = 0
    for seed in range(12):
        z = rng.normal(size=(200, 1))
        x, y = 3.0 * z[:, 0] + rng.normal(size=(2, 200))
        warned += kmerf.conditional(x, y, given=z, rng=seed).adjustment.doubtful
    assert warned <= 1
