"""Random cells and the products inside them, against a slow version of both."""

import numpy as np
import pytest

from kmerf.engine.cells import class_products, grow_cells, number_products
from oracles_random_trees import random_cells

SIZES = (8, 3, 1)
WAYS = [(1, False), (9, True)]


def data(n, p, kind):
    rng = np.random.default_rng([n, p])
    x = rng.normal(size=(n, p))
    return np.rint(x) if kind == "tied" else np.ones((n, p)) if kind == "constant" else x


def grown(x, way, sizes=SIZES, trees=3, seed=2**63 + 5):
    n = len(x)
    rows = np.empty((trees, n), np.int32)
    ends, n_cells = np.empty((len(sizes), trees, n), np.int32), np.empty((len(sizes), trees), np.int32)
    grow_cells(x, np.array(sizes), *way, np.uint64(seed), rows, ends, n_cells)
    return rows, ends, n_cells


def runs(rows, ends, n_cells, size, tree):
    """The rows of each cell."""
    return np.split(rows[tree], ends[size, tree, : n_cells[size, tree] - 1])


@pytest.mark.parametrize("kind", ["plain", "tied", "constant"])
@pytest.mark.parametrize(("n", "p"), [(4, 1), (5, 3), (30, 1), (30, 4), (23, 600)])
@pytest.mark.parametrize("way", WAYS)
def test_cells_are_those_of_the_slow_version(n, p, kind, way):
    x = data(n, p, kind)
    grown_cells = grown(x, way)
    for tree in range(3):
        expected = random_cells(x, SIZES, *way, 2**63 + 5, tree)
        for k, size in enumerate(SIZES):
            found = runs(*grown_cells, k, tree)
            assert [sorted(each) for each in found] == [sorted(each) for each in expected[size]]
            assert kind != "plain" or max(map(len, found)) < max(2 * size, 2)


@pytest.mark.parametrize("n", [4, 11, 30, 100])
@pytest.mark.parametrize("way", WAYS)
def test_products_are_those_of_pairs_in_the_same_cell(n, way):
    rng = np.random.default_rng(n)
    cells = grown(data(n, 2, "plain"), way)
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
