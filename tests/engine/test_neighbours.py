"""Rows that share leaves, against the matrix of counts built by definition."""

import numpy as np
import pytest

from kmerf.engine import neighbours


def shared_counts(codes, other):
    """Number of trees in which each row shares a leaf with each row of the other set; -1 is shared by none."""
    matrix = np.zeros((codes.shape[1], other.shape[1]), np.int64)
    for mine, theirs in zip(codes, other, strict=True):
        for i, a in enumerate(mine):
            for j, b in enumerate(theirs):
                matrix[i, j] += a == b and a >= 0
    return matrix


@pytest.fixture(params=["random", "none counts", "one leaf"])
def case(request):
    rng = np.random.default_rng(3)
    n_leaves = rng.integers(1, 8, 9).astype(np.int32)
    if request.param == "one leaf":
        n_leaves[:] = 1
    low = 0 if request.param == "one leaf" else -1
    codes = np.array([rng.integers(low, size, 17) for size in n_leaves], np.int32)
    other = np.array([rng.integers(low, size, 29) for size in n_leaves], np.int32)
    if request.param == "none counts":
        other[:] = -1
    return codes, other, n_leaves


def listed(other, n_leaves):
    start, rows = np.empty((len(other), n_leaves.max() + 1), np.int32), np.zeros(other.shape, np.int32)
    neighbours.list_leaves(other, n_leaves, start, rows)
    return start, rows


def test_lists_hold_the_rows_of_each_leaf_in_order(case):
    _, other, n_leaves = case
    start, rows = listed(other, n_leaves)
    for t, size in enumerate(n_leaves):
        for leaf in range(size):
            held = rows[t, start[t, leaf] : start[t, leaf + 1]]
            np.testing.assert_array_equal(held, np.flatnonzero(other[t] == leaf))


def test_counts_are_those_of_the_definition(case):
    codes, other, n_leaves = case
    out = np.full((codes.shape[1], other.shape[1]), 7, np.int32)
    neighbours.count_shared(codes, *listed(other, n_leaves), out)
    np.testing.assert_array_equal(out, shared_counts(codes, other))


@pytest.mark.parametrize("k", [1, 4, 29])
@pytest.mark.parametrize("leaves_out", [False, True])
def test_nearest_rows_are_the_first_of_the_sorted_counts(case, k, leaves_out):
    codes, other, n_leaves = case
    n = codes.shape[1]
    own = np.arange(n) if leaves_out else np.full(n, -1)
    nearest, shared = np.empty((n, k), np.int64), np.empty((n, k), np.int32)
    neighbours.find_nearest(codes, *listed(other, n_leaves), own, nearest, shared)
    for i, counts in enumerate(shared_counts(codes, other)):
        rows = [j for j in np.argsort(-counts, kind="stable") if counts[j] > 0 and j != own[i]][:k]
        assert nearest[i].tolist() == rows + [-1] * (k - len(rows))
        assert shared[i].tolist() == counts[rows].tolist() + [0] * (k - len(rows))
