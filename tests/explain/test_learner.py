"""Predictions for held-out rows: unbiased for lines and levels, and a forest where that is needed."""

import numpy as np
import pytest

from kmerf.explain.learner import _without_cluster, group_predictors, predictors

NONE = np.zeros(1, np.int64)


def outputs(y):
    """Return one column to predict."""
    return y[:, None], (slice(0, 1),)


def test_levels_are_predicted_by_their_means():
    rng = np.random.default_rng(0)
    codes, y = np.arange(60) % 4, rng.normal(size=60)
    train, test = np.arange(40), np.arange(40, 60)
    found = group_predictors(codes, lambda each: each).predict(train, test, *outputs(y), 1)[:, 0]
    means = np.array([y[:40][codes[:40] == k].mean() for k in range(4)])
    assert found == pytest.approx(means[codes[40:]], abs=1e-3)


def test_a_line_is_followed_and_so_is_a_jump():
    rng = np.random.default_rng(0)
    x = rng.uniform(size=(300, 1))
    train, test = np.arange(200), np.arange(200, 300)
    model = predictors(x, x, NONE, 200.0)
    line = model.predict(train, test, *outputs(3.0 * x[:, 0]), 1)[:, 0]
    assert line == pytest.approx(3.0 * x[test, 0], abs=0.05)
    jumps = np.sign(np.sin(25.0 * x[:, 0]))
    stepped = model.predict(train, test, *outputs(jumps), 1)[:, 0]
    assert np.mean((stepped - jumps[test]) ** 2) < 0.25


def test_more_columns_than_rows():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 90))
    y = x[:, 0] + 0.1 * rng.normal(size=40)
    found = predictors(x, x, np.zeros(90, np.int64), 20.0).predict(np.arange(30), np.arange(30, 40), *outputs(y), 1)
    assert np.isfinite(found).all()
    assert np.ptp(found) <= 1.6 * np.ptp(y[:30])


def test_missing_values_are_a_column_of_their_own():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 1))
    lost = rng.random(200) < 0.3
    x[lost] = np.nan
    found = predictors(x, x, NONE, 100.0).predict(np.arange(150), np.arange(150, 200), *outputs(2.0 * lost), 1)[:, 0]
    assert found == pytest.approx(2.0 * lost[150:], abs=0.1)


def test_what_is_left_without_a_cluster_is_what_a_fit_without_it_leaves():
    rng = np.random.default_rng(0)
    x, y, clusters = rng.normal(size=(30, 2)), rng.normal(size=(30, 1)), np.arange(30) // 5
    full = np.column_stack([np.ones(30), x])
    hat = np.linalg.qr(full)[0]
    found = _without_cluster(y - hat @ (hat.T @ y), hat, [np.flatnonzero(clusters == k) for k in np.unique(clusters)])
    for cluster in range(6):
        others, mine = clusters != cluster, clusters == cluster
        expected = y[mine] - full[mine] @ np.linalg.lstsq(full[others], y[others], rcond=None)[0]
        assert found[mine] == pytest.approx(expected, abs=0.01)


def test_a_product_of_many_columns_is_found_if_there_is_one():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 12))
    product, train, test = x[:, 3] * x[:, 7], np.arange(200), np.arange(200, 300)
    model = predictors(x, x, np.zeros(12, np.int64), 200.0)
    found = model.predict(train, test, *outputs(product + 0.5 * rng.normal(size=300)), 1)[:, 0]
    assert np.corrcoef(found, product[test])[0, 1] > 0.95
    line = x[:, 0] + 0.5 * rng.normal(size=300)
    straight = model.predict(train, test, *outputs(line), 1)[:, 0]
    assert np.corrcoef(straight, x[test, 0])[0, 1] > 0.95


def test_products_do_not_look_at_rows_that_do_not_train():
    rng = np.random.default_rng(0)
    x, y, train, test = rng.normal(size=(80, 9)), rng.normal(size=80), np.arange(60), np.arange(60, 80)
    model = predictors(x, x, np.zeros(9, np.int64), 60.0)
    other = np.where(np.arange(80) < 60, y, 100.0 * x[:, 0] * x[:, 1])
    first, second = (model.predict(train, test, *outputs(each), 1) for each in (y, other))
    assert np.array_equal(first, second)
