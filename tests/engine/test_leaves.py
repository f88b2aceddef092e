"""Sums over pairs that share a leaf, against the dense matrix of counts built by definition."""

import numpy as np
import pytest

from kmerf.engine import leaf_sums as leaves
from kmerf.engine.leaf_sums import KINDS as CODES
from oracles import distances, pair_counts

N, M = 23, 7
KINDS = ["all", "either", "oob"]


def forest(name):
    """Codes and counts (m, n) of a made-up forest, and its numbers of leaves."""
    rng = np.random.default_rng(4)
    n_leaves = rng.integers(1, 9, M).astype(np.int32)
    if name == "one leaf":
        n_leaves[:] = 1
    codes = np.array([rng.integers(0, size, N) for size in n_leaves], np.int32)
    counts = rng.poisson(1.0, (M, N)).astype(np.int32)
    if name == "own leaves":
        codes, n_leaves = np.array([rng.permutation(N) for _ in range(M)], np.int32), np.full(M, N, np.int32)
    if name == "all in bag":
        counts[:] = 2
    if name == "all out of bag":
        counts[:] = 0
    if name == "one tree":
        return codes[:1], counts[:1], n_leaves[:1]
    return codes, counts, n_leaves


FORESTS = [forest(name) for name in ("random", "one leaf", "own leaves", "all in bag", "all out of bag", "one tree")]
# The arguments that every kernel takes first, and the dense matrix.
CASES = [
    ((codes, counts, CODES[kind], n_leaves), pair_counts(codes, counts, kind))
    for codes, counts, n_leaves in FORESTS
    for kind in KINDS
]


def close(expected):
    return pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_row_sums_are_those_of_the_matrix():
    for arguments, matrix in CASES:
        sums = np.zeros(N, np.int64)
        leaves.row_sums(*arguments, sums)
        np.testing.assert_array_equal(sums, matrix.sum(axis=1))


@pytest.mark.parametrize("rows", [np.arange(N), np.array([5, 0, 22, 5])], ids=["all rows", "some rows"])
def test_proximity_rows_are_rows_of_the_matrix(rows):
    for arguments, matrix in CASES:
        out = np.zeros((rows.size, N), np.int32)
        leaves.proximity_rows(*arguments, rows, out)
        np.testing.assert_array_equal(out, matrix[rows])


def test_sums_and_rows_are_added_to_what_is_there():
    for arguments, matrix in CASES:
        sums, out = np.full(N, 10, np.int64), np.full((N, N), 10, np.int32)
        leaves.row_sums(*arguments, sums)
        leaves.proximity_rows(*arguments, np.arange(N), out)
        np.testing.assert_array_equal(sums, matrix.sum(axis=1) + 10)
        np.testing.assert_array_equal(out, matrix + 10)


@pytest.mark.parametrize("digits", [0, 9], ids=["tied", "distinct"])
def test_cross_distance_sums_differences_of_y(digits):
    for arguments, matrix in CASES:
        y = np.round(np.random.default_rng(1).normal(3, 2, N), digits)
        found = leaves.cross_distance(*arguments, y, np.argsort(y))
        assert found == close((matrix * distances(y[:, None])).sum())


@pytest.mark.parametrize("n_labels", [1, 2, 5])
def test_cross_labels_counts_equal_labels(n_labels):
    for arguments, matrix in CASES:
        labels = np.random.default_rng(2).integers(0, n_labels, N)
        expected = (matrix * (labels[:, None] == labels[None, :])).sum()
        assert leaves.cross_labels(*arguments, labels, n_labels) == expected


@pytest.mark.parametrize("q", [1, 3])
def test_cross_points_sums_distances(q):
    for arguments, matrix in CASES:
        points = np.random.default_rng(3).normal(size=(N, q))
        assert leaves.cross_points(*arguments, points) == close((matrix * distances(points)).sum())


@pytest.mark.parametrize("permuted", [False, True])
def test_cross_matrix_sums_a_reordered_matrix(permuted):
    for arguments, matrix in CASES:
        rng = np.random.default_rng(4)
        other = rng.normal(size=(N, N))
        other += other.T
        order = rng.permutation(N) if permuted else np.arange(N)
        assert leaves.cross_matrix(*arguments, other, order) == close((matrix * other[np.ix_(order, order)]).sum())


@pytest.mark.parametrize("q", [1, 3])
def test_distance_sums_are_those_of_the_distance_matrix(q):
    points = np.random.default_rng(5).normal(size=(N, q))
    rows = np.full(N, np.nan)
    squares = leaves.distance_sums(points, rows)
    matrix = distances(points)
    np.testing.assert_allclose(rows, matrix.sum(axis=1), rtol=1e-12)
    assert squares == close((matrix**2).sum())


def test_the_random_forest_tells_the_kinds_apart():
    codes, counts, _ = forest("random")
    totals = [pair_counts(codes, counts, kind).sum() for kind in KINDS]
    assert totals[0] > totals[1] > totals[2] > 0


# --- counts of pairs, in a table --------------------------------------------------------------------------------------


def unfolded(table, c):
    """The symmetric matrix that a table of pairs stands for."""
    matrix = np.zeros((c, c), np.int64)
    matrix[np.tril_indices(c, -1)] = table
    return matrix + matrix.T


CHOSEN = [np.arange(N), np.array([0, 3, 4, 11, 22])]


@pytest.mark.parametrize("chosen", CHOSEN, ids=["all rows", "some rows"])
def test_a_tally_adds_row_sums_and_the_pairs_of_chosen_rows(chosen):
    for arguments, matrix in CASES:
        sums, table = np.full(N, 10, np.int64), np.full(chosen.size * (chosen.size - 1) // 2, 10, np.int32)
        leaves.tally(*arguments, chosen, sums, table)
        np.testing.assert_array_equal(sums, matrix.sum(axis=1) + 10)
        np.testing.assert_array_equal(unfolded(table - 10, chosen.size), matrix[np.ix_(chosen, chosen)])


def test_sums_of_a_table_are_those_of_its_matrix():
    table = np.random.default_rng(0).integers(0, 1000, 45).astype(np.int32)
    matrix = unfolded(table, 10)
    rows, shares = np.empty(10, np.int64), np.empty(10)
    assert leaves.table_sums(table, rows) == (matrix**2).sum() == leaves.square_sum(matrix.astype(np.int32))
    np.testing.assert_array_equal(rows, matrix.sum(axis=1))
    centred = matrix - rows[:, None] / 8 - rows[None] / 8 + rows.sum() / 72
    np.fill_diagonal(centred, 0.0)
    leaves.centred_squares(table, rows, shares)
    np.testing.assert_allclose(shares, (centred**2).sum(axis=1), rtol=1e-12)


@pytest.mark.parametrize("q", [1, 4])
def test_cross_embedded_sums_products(q):
    for arguments, matrix in CASES:
        points = np.random.default_rng(2).normal(size=(N, q))
        assert leaves.cross_embedded(*arguments, points) == close((matrix * (points @ points.T)).sum())


def test_distances_to_some_points():
    points = np.random.default_rng(3).normal(size=(N, 3))
    rows = np.empty(N)
    leaves.distances_to(points, points[5:9], rows)
    np.testing.assert_allclose(rows, distances(points)[:, 5:9].sum(axis=1), rtol=1e-12)


@pytest.mark.parametrize("q", [1, 3])
def test_guesses_are_means_of_the_in_bag_rows_of_a_leaf(q):
    for codes, counts, n_leaves in FORESTS:
        y = np.random.default_rng(5).normal(size=(N, q))
        sums, times = np.zeros((N, q), np.int64), np.zeros(N, np.int64)
        leaves.guess(codes, counts, n_leaves, 2.0**38 * y, sums, times)
        expected = np.zeros((N, q))
        for code, count in zip(codes, counts, strict=True):
            for i in np.flatnonzero(count == 0):
                mates = (code == code[i]) & (count > 0)
                if mates.any():
                    expected[i] += np.average(y[mates], axis=0, weights=count[mates])
        np.testing.assert_allclose(sums / 2.0**38, expected, atol=1e-9)
        np.testing.assert_array_equal(times, (counts == 0).sum(axis=0))
