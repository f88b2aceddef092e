"""Many permutations at once against one at a time."""

import numpy as np
import pytest

from kmerf.engine.leaf_sums import KINDS
from kmerf.engine.permuted_sums import WIDTH, permutation, permuted_sums
from oracles import pair_counts
from oracles_random_trees import Stream


def forest(rng, m=7, n=25):
    codes = rng.integers(0, 6, size=(m, n)).astype(np.int32)
    codes[:, :6] = np.arange(6)
    return codes, rng.poisson(1.0, size=(m, n)).astype(np.int32), np.full(m, 6, np.int32)


def order_of(number, n=25, seed=9):
    order = np.empty(n, np.int32)
    permutation(np.uint64(seed), np.uint64(number), order)
    return order


@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize("q", [1, 3])
def test_sums_are_those_of_each_permutation(kind, q):
    rng = np.random.default_rng(q)
    codes, counts, n_leaves = forest(rng)
    points = rng.integers(-1000, 1000, size=(25, q)).astype(np.int32)
    k, l = rng.normal(size=25), rng.normal(size=25)  # noqa: E741
    size = WIDTH + 5  # more than stand side by side
    cross, product = np.empty(size), np.empty(size)
    at = codes, counts, KINDS[kind], n_leaves, points, k, l
    permuted_sums(*at, np.uint64(9), np.uint64(1), cross, product)
    pairs = pair_counts(codes, counts, kind)
    for b in (0, 1, WIDTH - 1, WIDTH, size - 1):
        order = order_of(1 + b)
        values = points[order].astype(float)
        assert cross[b] == (pairs * (values @ values.T)).sum()
        assert product[b] == pytest.approx((k * l[order]).sum(), rel=1e-12)
    later, _ = np.empty(3), np.empty(3)
    permuted_sums(*at, np.uint64(9), np.uint64(1 + 100), later, _)
    np.testing.assert_array_equal(later, cross[100:103])


def test_permutations_are_those_of_the_slow_stream():
    for number in (1, 2, 500):
        np.testing.assert_array_equal(order_of(number), Stream(9, number, 0).permutation(25))
    np.testing.assert_array_equal(order_of(0), np.arange(25))
    assert len({tuple(order_of(number)) for number in range(1, 200)}) == 199
