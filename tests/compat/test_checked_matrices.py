"""Matrices of distances and similarities: what they are, and which are refused."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances

from kmerf import InputError
from kmerf.compat.hyppo.base import both, distance_matrix, kernel_matrix

RNG = np.random.default_rng(5)
X, Y = RNG.normal(size=(40, 3)), RNG.normal(size=(40, 2))
DISTANCES = cdist(X, X)


def changed(row, column, value, matrix=DISTANCES):
    out = matrix.copy()
    out[row, column] = value
    return out


def test_metrics():
    np.testing.assert_allclose(distance_matrix("cityblock", "x", X), cdist(X, X, "cityblock"), rtol=1e-12)
    cubes = cdist(X, X, "minkowski", p=3)
    np.testing.assert_array_equal(distance_matrix(lambda x, p: cdist(x, x, "minkowski", p=p), "x", X, p=3), cubes)
    for metric in (None, "precomputed"):
        np.testing.assert_array_equal(distance_matrix(metric, "x", DISTANCES), DISTANCES)
    x, y = both(lambda name, values: cdist(values, values) + (name == "y"), X, Y)
    np.testing.assert_array_equal(x, DISTANCES)
    np.testing.assert_array_equal(y, cdist(Y, Y) + 1.0)


def test_kernels():
    np.testing.assert_allclose(kernel_matrix("linear", "x", X), X @ X.T, rtol=1e-12)
    gaussian = np.exp(-0.5 * cdist(X, X, "sqeuclidean"))
    np.testing.assert_allclose(kernel_matrix("rbf", "x", X, gamma=0.5), gaussian, rtol=1e-9)
    np.testing.assert_array_equal(kernel_matrix(lambda x: x @ x.T, "x", X), X @ X.T)
    assert kernel_matrix("precomputed", "x", X @ X.T).shape == (40, 40)


@pytest.mark.parametrize("metric", ["cosine", "correlation", "mahalanobis", "sqeuclidean", "chebyshev", "canberra"])
def test_every_metric_of_scikit_learn_passes(metric):
    np.testing.assert_allclose(distance_matrix(metric, "x", X), pairwise_distances(X, metric=metric), atol=1e-9)


def test_what_is_only_rounding_is_put_right():
    """Distances from products of rows are the roots of small numbers where they should be zero."""
    squares = (X**2).sum(axis=1)
    rounded = np.sqrt(np.abs(squares[:, None] + squares - 2.0 * X @ X.T))
    assert np.diagonal(rounded).any()
    found = distance_matrix(None, "x", rounded - 1e-9)
    assert not np.diagonal(found).any()
    np.testing.assert_allclose(found, DISTANCES, atol=1e-6)


@pytest.mark.parametrize(
    ("matrix", "finding"),
    [
        (changed([3, 5], [5, 3], -2.0), ": its distances are negative, down to -2:"),
        (changed(4, 4, 0.25), ": its distances are not zero from each row to itself, but up to 0.25:"),
        (changed(4, 7, 100.0), ": its distances are not symmetric, two that should be equal differ by 97.6:"),
        (changed([4, 7], [7, 4], np.inf), ": 2 of its distances are missing or infinite:"),
        (DISTANCES[:30, :30], r": its distances have shape \(30, 30\) and not \(40, 40\):"),
        (np.float64(2.0), r": its distances have shape \(\) and not \(40, 40\):"),
        ("far", ": its distances are not numbers but of type str:"),
    ],
)
def test_what_is_no_distance_is_refused(matrix, finding):
    with pytest.raises(InputError, match=f"^y{finding} pass distances .n, n., or name a metric"):
        distance_matrix(lambda _: matrix, "y", X)


@pytest.mark.parametrize(
    ("matrix", "finding"),
    [
        (changed(4, 7, 100.0), ": its similarities are not symmetric"),
        (changed([4, 7], [7, 4], np.nan), ": 2 of its similarities are missing or infinite:"),
        (DISTANCES[:, :30], r": its similarities have shape \(40, 30\) and not \(40, 40\):"),
    ],
)
def test_what_is_no_similarity_is_refused(matrix, finding):
    with pytest.raises(InputError, match=f"^x{finding}.* pass similarities .n, n., or name a kernel"):
        kernel_matrix(lambda _: matrix, "x", X)


def test_without_a_metric_the_values_are_the_matrix():
    for function in (distance_matrix, kernel_matrix):
        with pytest.raises(InputError, match=r"x: its \w+ have shape \(40, 3\) and not \(40, 40\)"):
            function(None, "x", X)
