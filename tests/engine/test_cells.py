"""Random cells, boxes and the products inside them, against slow versions of all."""

import numpy as np
import pytest

from kmerf.engine.cells import class_products, grow_cells, halve_boxes, number_products
from oracles_random_trees import boxes, random_cells

SIZES = (8, 3, 1)


def data(n, p, kind):
    rng = np.random.default_rng([n, p])
    x = rng.normal(size=(n, p))
    return np.rint(x) if kind == "tied" else np.ones((n, p)) if kind == "constant" else x


def grown(x, sizes=SIZES, trees=3, seed=2**63 + 5):
    n = len(x)
    rows = np.empty((trees, n), np.int32)
    ends, n_cells = np.empty((len(sizes), trees, n), np.int32), np.empty((len(sizes), trees), np.int32)
    grow_cells(x, np.array(sizes), np.uint64(seed), rows, ends, n_cells)
    return rows, ends, n_cells


def runs(rows, ends, n_cells, size, tree):
    """The rows of each cell."""
    return np.split(rows[tree], ends[size, tree, : n_cells[size, tree] - 1])


@pytest.mark.parametrize("kind", ["plain", "tied", "constant"])
@pytest.mark.parametrize(("n", "p"), [(4, 1), (5, 3), (30, 1), (30, 4), (23, 600)])
def test_cells_are_those_of_the_slow_version(n, p, kind):
    x = data(n, p, kind)
    grown_cells = grown(x)
    for tree in range(3):
        expected = random_cells(x, SIZES, 2**63 + 5, tree)
        for k, size in enumerate(SIZES):
            found = runs(*grown_cells, k, tree)
            assert [sorted(each) for each in found] == [sorted(each) for each in expected[size]]
            assert kind != "plain" or max(map(len, found)) < max(2 * size, 2)


@pytest.mark.parametrize("kind", ["plain", "tied", "constant"])
@pytest.mark.parametrize(("n", "p"), [(1, 1), (5, 3), (30, 1), (30, 4), (23, 40)])
def test_boxes_are_those_of_the_slow_version(n, p, kind):
    rng = np.random.default_rng(p)
    place = data(n, p, kind)
    place = (place - place.min(axis=0)) / np.maximum(np.ptp(place, axis=0), 1.0) / 2.0
    columns = min(p, 7)
    turns, shifts = np.array([rng.permutation(p)[:columns] for _ in range(3)]), rng.random((3, columns)) / 2.0
    rows, parted = np.empty((3, n), np.int32), np.empty((3, n), np.int32)
    halve_boxes(place, turns, shifts, 20, rows, parted)
    for tree in range(3):
        for depth in range(21):
            ends = np.flatnonzero(parted[tree] <= depth) + 1
            found = [sorted(each.tolist()) for each in np.split(rows[tree], ends[:-1])]
            assert ends[-1] == n
            assert sorted(found) == boxes(place, turns[tree], shifts[tree], depth)


@pytest.mark.parametrize("n", [4, 11, 30, 100])
def test_products_are_those_of_pairs_in_the_same_cell(n):
    rng = np.random.default_rng(n)
    cells = grown(data(n, 2, "plain"))
    points, labels = rng.normal(size=(n, 3)), rng.integers(3, size=n).astype(np.int32)
    shares = np.bincount(labels, minlength=3) / n
    for kernel, args, z in (
        (number_products, (points,), points),
        (class_products, (labels, shares), np.eye(3)[labels] - shares),
    ):
        out = np.empty(len(SIZES))
        kernel(*cells, *args, out)
        for k in range(len(SIZES)):
            expected = 0.0
            for tree in range(3):
                for rows in runs(*cells, k, tree):
                    products = z[rows] @ z[rows].T
                    expected += (products.sum() - np.trace(products)) / len(rows)
            assert out[k] == pytest.approx(expected / 3, rel=1e-9, abs=1e-9)
