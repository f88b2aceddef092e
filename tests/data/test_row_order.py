"""Signs that rows are ordered in time or repeated per subject."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kmerf.data import row_order


def test_the_limit_is_a_two_sided_p_of_one_in_a_thousand():
    """Sequences with a lag-one correlation just below and just above it: only the latter are called serial."""
    n, limit = 400, 3.29
    rng = np.random.default_rng(0)
    below, above = [], []
    while len(below) < 5 or len(above) < 5:
        shocks = rng.normal(size=n)
        y = shocks.copy()
        y[1:] += 0.17 * shocks[:-1]
        z = row_order.lag_correlation(y) * math.sqrt(n)
        if abs(z - limit) < 0.005:
            (below if z < limit else above).append(y)
    assert [row_order.serial(y, []) for y in below] == [None] * len(below)
    assert all(row_order.serial(y, []) is not None for y in above)
    assert math.erfc(limit / math.sqrt(2)) == pytest.approx(0.001, rel=0.01)


def test_sorted_and_grouped_values():
    assert row_order.is_sorted(np.array([1.0, 1.0, np.nan, 2.0]))
    assert row_order.is_sorted(np.array([3.0, 2.0, np.inf, 1.0]))
    assert not row_order.is_sorted(np.array([1.0, 1.0]))
    assert not row_order.is_sorted(np.array([1.0, 3.0, 2.0]))
    assert row_order.is_grouped(np.array([2.0, 2, 1, 1]))
    assert not row_order.is_grouped(np.array([2.0, 1, 2, 1]))
    assert not row_order.is_grouped(np.array([1.0, 1, 1]))


def test_infinite_values_do_not_disturb_the_search():
    y = np.cumsum(np.random.default_rng(1).normal(size=200))
    y[3:5] = np.inf
    assert row_order.serial(y, [("a", y)]) is not None
    assert not row_order.is_sorted(y)


@pytest.mark.parametrize("name", ["acid", "width", "video", "age", "identity", "grid"])
def test_names_that_only_contain_such_words_are_not(name):
    assert not row_order.looks_like_subject(name, 60, 20)
