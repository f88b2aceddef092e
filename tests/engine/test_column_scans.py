"""Scans of columns against a loop over all cuts."""

import numpy as np
import pytest

from kmerf.engine.column_scans import scan_four_of_all_rows, scan_two_of_all_rows


def best_score(order, z, w, min_leaf):
    """Return the best score by trying every cut between two rows of weight."""
    rows = [i for i in order if w[i] > 0]
    best = -1.0
    for cut in range(min_leaf, len(rows) - min_leaf + 1):
        left = rows[:cut]
        weight = w[left].sum()
        best = max(best, float((z[left].sum(axis=0) ** 2).sum() * (1.0 / weight + 1.0 / (w.sum() - weight))))
    return best


def drawn(seed, n=40, q=1):
    """Return the orders of two columns, and outputs and weights of rows, some of which are out of bag."""
    rng = np.random.default_rng(seed)
    w = rng.poisson(1.0, n).astype(np.uint32)
    z = rng.normal(size=(n, q)) * w[:, None]
    z[w > 0] -= z.sum(axis=0) / (w > 0).sum()
    total = int(w.sum())
    inverses = np.zeros(total + 1)
    inverses[1:-1] = 1.0 / np.arange(1, total) + 1.0 / np.arange(total - 1, 0, -1)
    orders = np.array([rng.permutation(n), rng.permutation(n)], np.int32)
    return orders, z, w, inverses


@pytest.mark.parametrize("min_leaf", [1, 2, 5, 9])
@pytest.mark.parametrize("seed", range(6))
def test_two_columns_side_by_side(seed, min_leaf):
    (one, other), z, w, inverses = drawn(seed)
    found = scan_two_of_all_rows(one, other, z.ravel(), w, inverses, min_leaf)
    assert found == pytest.approx([best_score(order, z, w, min_leaf) for order in (one, other)])


@pytest.mark.parametrize("q", [2, 3, 4])
@pytest.mark.parametrize("min_leaf", [1, 5])
def test_several_outputs(q, min_leaf):
    (order, _), z, w, inverses = drawn(7, q=q)
    four = np.hstack([z, np.zeros((len(z), 4 - q))]).ravel()
    found = scan_four_of_all_rows(order, four, w, inverses, min_leaf)
    assert found == pytest.approx(best_score(order, z, w, min_leaf))


def test_where_one_cut_is_allowed():
    order = np.arange(4, dtype=np.int32)
    z, w = np.array([1.0, -1.0, 0.0, 0.0]), np.array([1, 1, 0, 0], np.uint32)
    inverses = np.array([0.0, 2.0, 0.0])
    assert scan_two_of_all_rows(order, order[::-1].copy(), z, w, inverses, 1) == (2.0, 2.0)
