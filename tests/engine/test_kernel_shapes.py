"""Every kernel besides growing against its definition, from four rows up, with forests from one leaf to one per row.

The tests run with bounds checking (see `tests/conftest.py`).
"""

import numpy as np
import pytest

from grown_forests import grow, grow_trees
from kmerf.engine import leaf_sums, linear, neighbours, pairs, row_statistics
from kmerf.engine.credit import credit, gains_of
from kmerf.engine.leaf_sums import KINDS
from kmerf.engine.permuted_sums import permutation, permuted_sums
from kmerf.forests.growing import presort
from kmerf.forests.spec import ForestSpec
from oracles import distances, gain, native_step, pair_counts

ROWS = (4, 5, 6, 11, 30)
SPECS = ({}, {"min_samples_leaf": 5}, {"max_depth": 1}, {"max_samples": 2}, {"bootstrap": False, "max_samples": "half"})


def close(expected):
    return pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.fixture(params=ROWS)
def n(request):
    return request.param


@pytest.fixture
def rng(n):
    return np.random.default_rng(n)


@pytest.fixture(params=SPECS, ids=str)
def grown(request, n, rng):
    """Data, trees and leaves of a small forest; every second one is wide."""
    p = 200 if "max_depth" in request.param else 3
    x, y = rng.normal(size=(n, p)), rng.normal(size=(n, 2))
    y -= y.mean(axis=0)
    spec = ForestSpec(n_trees=4, **request.param)
    columns = presort(x)
    leaves = grow(spec, columns, y, classes=False, seed=2)
    return x, y, grow_trees(spec, columns, y, classes=False, seed=2), leaves


def test_sums_over_leaves(grown, n, rng):
    for kind in KINDS:
        check_sums_over_leaves(grown[3], n, rng, kind)


def check_sums_over_leaves(leaves, n, rng, kind):
    at = leaves.codes, leaves.counts, KINDS[kind], leaves.n_leaves
    matrix = pair_counts(leaves.codes, leaves.counts, kind)
    sums, table, some = np.zeros(n, np.int64), np.zeros(n * (n - 1) // 2, np.int32), np.zeros((n, n), np.int32)
    leaf_sums.tally(*at, np.arange(n), sums, table)
    leaf_sums.proximity_rows(*at, np.arange(n), some)
    assert sums.tolist() == matrix.sum(axis=1).tolist()
    assert table.tolist() == matrix[np.tril_indices(n, -1)].tolist()
    assert some.tolist() == matrix.tolist()
    leaf_sums.row_sums(*at, sums)
    assert sums.tolist() == (2 * matrix.sum(axis=1)).tolist()

    y, points, labels = np.round(rng.normal(size=n), 1), rng.normal(size=(n, 3)), rng.integers(0, 4, n)
    same = labels[:, None] == labels
    apart = np.abs(y[:, None] - y)
    order = rng.permutation(n)
    square = distances(points)
    assert leaf_sums.cross_distance(*at, y, np.argsort(y)) == close((matrix * apart).sum())
    assert leaf_sums.cross_labels(*at, labels, 4) == (matrix * same).sum()
    assert leaf_sums.cross_points(*at, points) == close((matrix * square).sum())
    assert leaf_sums.cross_embedded(*at, points) == close((matrix * (points @ points.T)).sum())
    assert leaf_sums.cross_matrix(*at, square, order) == close((matrix * square[np.ix_(order, order)]).sum())

    of_weights, of_labels, of_distances = np.zeros(n), np.zeros(n, np.int64), np.zeros(n)
    row_statistics.weighted(*at, y, of_weights)
    row_statistics.equal_labels(*at, labels, 4, of_labels)
    row_statistics.distances(*at, y, np.argsort(y), of_distances)
    assert of_weights == close(matrix @ y)
    assert of_labels.tolist() == (matrix * same).sum(axis=1).tolist()
    assert of_distances == close((matrix * apart).sum(axis=1))


def test_permuted_sums(grown, n, rng):
    leaves = grown[3]
    points, weights = rng.integers(-50, 50, (n, 2)).astype(np.int32), rng.normal(size=(2, n))
    cross, product = np.empty(3), np.empty(3)
    at = leaves.codes, leaves.counts, KINDS["either"], leaves.n_leaves
    permuted_sums(*at, points, *weights, np.uint64(1), np.uint64(5), cross, product)
    matrix = pair_counts(leaves.codes, leaves.counts, "either")
    for b in range(3):
        order = np.empty(n, np.int32)
        permutation(np.uint64(1), np.uint64(5 + b), order)
        assert sorted(order) == list(range(n))
        assert cross[b] == (matrix * (points[order].astype(float) @ points[order].T)).sum()
        assert product[b] == close(weights[0] @ weights[1][order])


def test_predictions_credits_and_gains(grown, n):
    x, y, trees, leaves = grown
    m, p = 4, x.shape[1]
    sums, times = np.zeros((n, 2), np.int64), np.zeros(n, np.int64)
    leaf_sums.guess(leaves.codes, leaves.counts, leaves.n_leaves, 2.0**20 * y, sums, times)
    credits, gains = np.empty((m, p)), np.zeros((m, p))
    credit(y, trees, leaves.codes, leaves.counts, leaves.n_leaves, 1.0, credits)
    gains_of(y, trees, leaves.codes, leaves.counts, leaves.n_leaves, gains)
    expected, from_splits, from_gains = np.zeros((n, 2)), np.zeros((m, p)), np.zeros((m, p))
    for w, (code, count) in enumerate(zip(leaves.codes, leaves.counts, strict=True)):
        free = np.flatnonzero(count == 0)
        for i in free:
            inside = code == code[i]
            expected[i] += np.average(y[inside], axis=0, weights=count[inside])
        todo = [(0, np.arange(n))]
        while todo:
            node, here = todo.pop()
            step = native_step(trees, w, node, x[here])
            if step is None:
                continue
            drawn = here[count[here] > 0]
            left = step.goes_left[count[here] > 0]
            from_gains[w, step.feature] += gain(y[drawn], count[drawn].astype(float), left)
            before = np.average(y[drawn], axis=0, weights=count[drawn])
            for child, side in zip(step.children, (step.goes_left, ~step.goes_left), strict=True):
                rows_of_child = here[side]
                inner = rows_of_child[count[rows_of_child] > 0]
                after = np.average(y[inner], axis=0, weights=count[inner])
                outer = rows_of_child[count[rows_of_child] == 0]
                from_splits[w, step.feature] += ((after - before) * y[outer]).sum() / max(free.size, 1)
                todo.append((child, rows_of_child))
    assert sums / 2.0**20 == pytest.approx(expected, abs=1e-4)
    assert times.tolist() == (leaves.counts == 0).sum(axis=0).tolist()
    assert credits == close(from_splits)
    assert gains == close(from_gains)


def test_what_shuffling_costs(grown, n, rng):
    x, y, trees, leaves = grown
    m, p = 4, x.shape[1]
    order, losses, groups = rng.permutation(n), np.empty((m, p)), np.arange(n) % 3
    sums, known = np.zeros((3, p)), np.zeros(p)
    most = 9  # of thirty rows, some are left out
    at = leaves.codes, leaves.counts, leaves.n_leaves, y, order, 7, most
    row_statistics.shuffled_losses(x, np.arange(p), trees, *at, losses, groups, sums, known, np.zeros(1, np.uint8))
    by_group, among_known = np.zeros((3, p)), np.zeros(p)
    for w, (code, count) in enumerate(zip(leaves.codes, leaves.counts, strict=True)):
        circle = np.roll(order, -((7 + w) * most % n))
        free = np.array([i for i in circle if count[i] == 0], np.int64)[:most]
        means = {k: np.average(y[code == k], axis=0, weights=count[code == k]) for k in np.unique(code)}
        for j in (0, p - 1):
            total = 0.0
            for who in (free, free[~np.isnan(x[free, j])]):
                ahead = 1 + (7 + w) % (who.size - 1) if who.size > 1 else 0
                for i, other in zip(who, np.roll(who, -ahead), strict=True):
                    row = x[i].copy()
                    row[j] = x[other, j]
                    node = 0
                    while (step := native_step(trees, w, node, row[None, :])) is not None:
                        node = step.children[0] if step.goes_left[0] else step.children[1]
                    lost = (y[i] * (means[code[i]] - means[trees.left[w, node]])).sum()
                    if who is free:
                        total += lost
                        by_group[groups[i], j] += lost
                    else:
                        among_known[j] += lost
            assert losses[w, j] == close(total / max(free.size, 1))
    shown = [0, p - 1]
    assert sums[:, shown] == close(by_group[:, shown])
    assert known[shown] == close(among_known[shown])


def test_rows_that_share_leaves(grown, n):
    leaves = grown[3]
    start = np.empty((4, leaves.n_leaves.max() + 1), np.int32)
    listed, shared = np.zeros((4, n), np.int32), np.empty((n, n), np.int32)
    neighbours.list_leaves(leaves.codes, leaves.n_leaves, start, listed)
    neighbours.count_shared(leaves.codes, start, listed, shared)
    matrix = pair_counts(leaves.codes, leaves.counts, "all")
    np.testing.assert_array_equal(shared, matrix + 4 * np.eye(n, dtype=int))
    nearest, count = np.empty((n, 3), np.int32), np.empty((n, 3), np.int32)
    neighbours.find_nearest(leaves.codes, start, listed, np.arange(n, dtype=np.int32), nearest, count)
    np.testing.assert_array_equal(count, -np.sort(-matrix, axis=1)[:, :3])


@pytest.mark.parametrize("kind", [pairs.DISTANCE, pairs.GAUSSIAN, pairs.PRODUCT])
def test_pairs_of_rows(n, rng, kind):
    a, b = (np.ascontiguousarray(rng.normal(size=(n, p)).T) for p in (1, 40))
    kernels = []
    for columns in (a, b):
        apart = distances(columns.T)
        full = [apart, 1.0 - np.exp(-0.5 * apart**2), columns.T @ columns][kind]
        entries, block = np.empty(n * (n - 1) // 2), np.empty((n, n))
        pairs.triangle(columns, kind, 0.5, entries)
        pairs.square(columns, kind, 0.5, 0, n, block)
        assert entries == close(full[np.tril_indices(n, -1)])
        assert block == close(full)
        hollow = full - np.diag(np.diag(full))
        sums = hollow.sum(axis=1)
        centred = hollow - (sums[:, None] + sums) / (n - 2) + sums.sum() / ((n - 1) * (n - 2))
        before, after = pairs.centre(entries, n)
        low = np.tril_indices(n, -1)
        assert (before, after) == close(((hollow[low] ** 2).sum(), (centred[low] ** 2).sum()))
        assert entries == close(centred[low])
        again = np.zeros(n)
        assert pairs.add_row_sums(columns, kind, 0.5, 0, n, again) == close(before)
        assert again == close(sums)
        kernels.append((entries, centred, sums))
    order = rng.permutation(n)
    (first, one, sums), (second, other, other_sums) = kernels
    low = np.tril_indices(n, -1)
    assert pairs.dot(first, second, order) == close((one * other[np.ix_(order, order)])[low].sum())
    found = pairs.centred_dot(a, kind, 0.5, sums, b, 0.5, other_sums, 0, n)
    assert found == close((one * other)[low].sum())


def test_order_statistics_of_distances(n, rng):
    columns = np.ascontiguousarray(rng.normal(size=(n, 2)).T)
    apart = np.sort(distances(columns.T)[np.tril_indices(n, -1)])
    counts = np.zeros(1 << pairs.DIGIT, np.int64)
    pairs.count_digits(columns, 0, 64 - pairs.DIGIT, 0, n, counts)
    heads = apart.view(np.int64) >> (64 - pairs.DIGIT)
    np.testing.assert_array_equal(counts, np.bincount(heads, minlength=counts.size))
    values = rng.permutation(apart)
    low, high = apart[[1, apart.size // 2]]
    below, count = pairs.bring_forward(values, low, high)
    assert (below, count) == (1, apart.size // 2)
    assert sorted(values[:count]) == apart[1 : apart.size // 2 + 1].tolist()


@pytest.mark.parametrize("digits", [0, 9], ids=["tied", "distinct"])
def test_tables_of_neighbours(n, rng, digits):
    """The statistic of Heller, Heller and Gorfine, pair by pair."""
    x, y = (np.round(rng.normal(size=n), digits) for _ in range(2))
    d_x, d_y = (np.abs(each[:, None] - each) for each in (x, y))
    by_x, by_y = (_own_first(each) for each in (d_x, d_y))
    neighbour, rank = np.empty((n, n - 1), np.int64), np.empty((n, n), np.int64)
    pairs.neighbours(d_x, by_x, neighbour)
    pairs.ranks(d_y, by_y, 0, rank)
    order = rng.permutation(n)
    beside = d_y[np.ix_(order, order)]
    total = 0.0
    for i in range(n):
        for j in range(n):
            others = [k for k in range(n) if k not in (i, j)]
            in_x, in_y = d_x[i, others] <= d_x[i, j], beside[i, others] <= beside[i, j]
            a, b, c = in_x.sum(), in_y.sum(), (in_x & in_y).sum()
            below = a * b * (n - 2 - a) * (n - 2 - b)
            if i != j and below > 0:
                total += (n - 2) * (a * b - (n - 2) * c) ** 2 / below
    assert pairs.tables(neighbour, rank, order, 0, n) == close(total)


def _own_first(apart):
    apart = apart.copy()
    np.fill_diagonal(apart, -1.0)
    return np.argsort(apart, axis=1, kind="stable")


def test_local_covariances(n, rng):
    a, b = rng.normal(size=(2, n, n))
    scale_a, scale_b = rng.integers(0, 3, (n, n)), rng.integers(0, n, (n, n))
    order = rng.permutation(n)
    out, sums = np.empty((3, n)), np.empty(3)
    pairs.local_covariances(a, scale_a, b, scale_b, order, out)
    pairs.local_sums(a, scale_a, sums)
    other, scale = b[np.ix_(order, order)], scale_b[np.ix_(order, order)]
    expected = [[(a * other)[(scale_a <= k) & (scale <= m)].sum() for m in range(n)] for k in range(3)]
    assert out == close(np.array(expected))
    assert sums == close(np.array([a[scale_a <= k].sum() for k in range(3)]))


@pytest.mark.parametrize("digits", [0, 9], ids=["tied", "distinct"])
def test_products_of_distances_along_a_line(n, rng, digits):
    x, y = (np.round(rng.normal(size=n), digits) for _ in range(2))
    rank = np.unique(y, return_inverse=True)[1] + 1
    order = rng.permutation(n)
    apart = np.abs(x[:, None] - x) * np.abs(y[order][:, None] - y[order])
    assert pairs.cross_line(x, np.argsort(x), y, rank, order) == close(apart.sum())


def test_linear_algebra(n, rng):
    x, y, order = rng.normal(size=(n, 40)), rng.normal(size=(n, 2)), rng.permutation(n)
    out = np.empty((2, 40))
    linear.products(x, y, order, out)
    assert out == close(y[order].T @ x)
    columns = np.ascontiguousarray(x.T)
    rank = linear.orthonormal(columns, 1e-9)
    assert rank == n
    assert columns[:rank] @ columns[:rank].T == close(np.eye(rank))
    matrix = x[:, :3].T @ x[:, :3]
    lower = matrix.copy()
    linear.cholesky(lower, 1e-12)
    assert lower @ lower.T == close(matrix)
    solved = x[:, :3].copy()
    linear.solve_rows(lower, solved)
    assert solved @ lower.T == close(x[:, :3])
