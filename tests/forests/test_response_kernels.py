"""Kernels of y: their sums, against matrices."""

import numpy as np
import pytest

from kmerf.core.errors import InputError
from kmerf.forests import response_kernels
from kmerf.forests.growing import PROXIMITIES
from kmerf.reading.samples import read_independence
from oracles_proximity import by_definition, leaves_of


def responses() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(5)
    return {
        "numbers": rng.normal(size=30),
        "tied numbers": rng.integers(0, 4, 30).astype(float),
        "points": rng.normal(size=(30, 3)),
        "labels": rng.choice(["a", "b", "c"], 30),
    }


CASES = [
    (which, name)
    for which in responses()
    for name in ("distance", "discrete", "gaussian")
    if name != "discrete" or which in ("tied numbers", "labels")
]


@pytest.mark.parametrize(("which", "name"), CASES)
def test_sums_of_a_kernel_of_y_are_those_of_its_hollow_matrix(which, name):
    rng = np.random.default_rng(0)
    y = read_independence(rng.normal(size=(30, 2)), responses()[which]).y
    response = response_kernels.response_kernel(name, y)
    L = response.matrix()
    shift = L.max() if name == "distance" and which != "labels" else 0.0  # distances enter without their constant
    hollow = L - shift
    np.fill_diagonal(hollow, 0.0)
    np.testing.assert_allclose(response.rows, hollow.sum(axis=1), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(response.square, (hollow**2).sum(), rtol=1e-12)
    leaves, order = leaves_of(n=30), rng.permutation(30)
    for kind in PROXIMITIES:
        pairs = by_definition(leaves, kind) * leaves.n_trees
        np.testing.assert_allclose(
            response_kernels.over_trees(leaves, kind, response.within(order)),
            (pairs * hollow[np.ix_(order, order)]).sum(),
            rtol=1e-11,
        )


def test_the_distance_kernel_is_scikit_learns_distance_turned_over():
    from sklearn.metrics import pairwise_distances
    from sklearn.metrics.pairwise import rbf_kernel

    points = np.random.default_rng(0).normal(size=(25, 3))
    distances = pairwise_distances(points)
    np.testing.assert_allclose(response_kernels.distance_kernel(points), distances.max() - distances, atol=1e-12)
    median = np.median(distances[np.triu_indices(25, 1)])
    np.testing.assert_allclose(
        response_kernels.gaussian_kernel(points), rbf_kernel(points, gamma=0.5 / median**2), rtol=1e-10
    )


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (np.eye(3), r"shape \(3, 3\): a precomputed kernel must be \(30, 30\)"),
        (np.arange(900.0).reshape(30, 30), "symmetric matrix of finite similarities"),
        (np.full((30, 30), np.nan), "symmetric matrix of finite similarities"),
        ("gausian", "did you mean 'gaussian'"),
        ("discrete", "all values of y differ: use 'distance'"),
        (np.abs(np.arange(30.0)[:, None] - np.arange(30.0)), "zeros on its diagonal, like a matrix of distances"),
        (len, "cannot be used: name a kernel"),
    ],
)
def test_bad_kernels_of_y_are_refused(bad, message):
    y = read_independence(np.random.default_rng(0).normal(size=(30, 2)), responses()["numbers"]).y
    with pytest.raises(InputError, match=message):
        response_kernels.response_kernel(bad, y)
