"""The unbiased correlation: against its definition, against hyppo, and leaf-wise against dense."""

import numpy as np
import pytest

from grown_forests import grow
from kmerf.forests import fitted, proximity, response_kernels
from kmerf.forests.growing import PROXIMITIES, Leaves, presort
from kmerf.forests.spec import ForestSpec
from kmerf.reading.samples import read_independence


def centred(K: np.ndarray) -> np.ndarray:
    """U-centre a matrix, term by term, as in step 3 of the paper, on the hollow matrix."""
    n = len(K)
    K = K - np.diag(np.diag(K))
    L = K - K.sum(1)[:, None] / (n - 2) - K.sum(0)[None] / (n - 2) + K.sum() / ((n - 1) * (n - 2))
    np.fill_diagonal(L, 0.0)
    return L


def by_definition(K: np.ndarray, L: np.ndarray) -> float:
    return float(np.trace(centred(K) @ centred(L)) / (len(K) * (len(K) - 3)))


def random_kernels(seed: int, n: int = 12) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    A, B = rng.normal(size=(n, n)), rng.normal(size=(n, n))
    return A + A.T, B @ B.T


@pytest.mark.parametrize("seed", range(5))
def test_dense_is_the_trace_of_centred_matrices(seed):
    K, L = random_kernels(seed)
    found = fitted.dense(K, L)
    expected = [by_definition(K, L), by_definition(K, K), by_definition(L, L)]
    np.testing.assert_allclose([found.covariance, found.variance_x, found.variance_y], expected, rtol=1e-11)


def test_centred_rows_add_up_to_zero_even_if_the_diagonal_is_one():
    K = random_kernels(0)[0]
    np.fill_diagonal(K, 1.0)
    np.testing.assert_allclose(centred(K).sum(axis=1), 0.0, atol=1e-12)


def test_a_constant_added_to_a_kernel_changes_nothing():
    K, L = random_kernels(1)
    np.testing.assert_allclose(fitted.dense(K + 7.0, L).correlation, fitted.dense(K, L).correlation, rtol=1e-10)


def forest_and_y(case: str, leaf: int, seed: int) -> tuple[Leaves, object]:
    rng = np.random.default_rng(seed)
    n = 60
    x = rng.normal(size=(n, 3))
    y = {
        "numbers": x[:, 0] + rng.normal(size=n),
        "heavy tails": rng.standard_cauchy(n) * 1e3,
        "points": rng.normal(size=(n, 2)) + x[:, :2],
        "labels": np.where(x[:, 0] > 0, "a", np.where(x[:, 1] > 0, "b", "c")),
    }[case]
    sample = read_independence(x, y)
    spec = ForestSpec(n_trees=80, min_samples_leaf=leaf)
    classes = sample.y.kind == "categorical"
    return grow(spec, presort(sample.x.values), sample.y.values, classes=classes, seed=seed), sample.y


@pytest.mark.parametrize("name", ["distance", "gaussian"])
@pytest.mark.parametrize("kind", PROXIMITIES)
@pytest.mark.parametrize("leaf", [1, 5])
@pytest.mark.parametrize("case", ["numbers", "heavy tails", "points", "labels"])
def test_leafwise_equals_dense(case, leaf, kind, name):
    leaves, y = forest_and_y(case, leaf, seed=3)
    response = response_kernels.response_kernel(name, y)
    order = np.random.default_rng(0).permutation(leaves.n)
    L = response.matrix()[np.ix_(order, order)]
    dense = fitted.dense(proximity.proximity(leaves, kind), L)
    leafwise = fitted.leafwise(leaves, kind, response, order)
    # Sums of size k l / n^2 cancel down to the covariance: that is the scale on which rounding shows.
    scale = np.sqrt(abs(dense.variance_x * dense.variance_y))
    np.testing.assert_allclose(leafwise.covariance, dense.covariance, rtol=1e-12, atol=1e-12 * scale)
    np.testing.assert_allclose(leafwise.correlation, dense.correlation, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_the_correlation_equals_hyppos_on_the_same_kernel(seed, hyppo):
    leaves, y = forest_and_y("numbers", 1, seed)
    K = proximity.proximity(leaves, "all")
    distance_y = np.abs(y.values - y.values.T)
    theirs = hyppo.independence.Dcorr(compute_distance=None).statistic(1.0 - K, distance_y)
    ours = fitted.leafwise(leaves, "all", response_kernels.response_kernel("distance", y)).correlation
    assert ours == pytest.approx(theirs, rel=1e-10)


def test_rounding_is_no_variance():
    leaves = grow(ForestSpec(n_trees=7, min_samples_leaf=55), presort(np.arange(55.0)[:, None]), np.eye(55)[:, :1],
                  classes=False, seed=0)  # fmt: skip
    y = read_independence(np.arange(55.0), np.where(np.arange(55) == 7, 0.35, 0.3)).y
    assert fitted.leafwise(leaves, "all", response_kernels.response_kernel("distance", y)).correlation == 0.0


def test_nothing_can_be_said_of_a_constant():
    K = np.ones((8, 8))
    assert fitted.dense(K, random_kernels(0, 8)[1]).correlation == 0.0
    stump = Leaves(np.zeros((3, 8), np.int32), np.zeros((3, 8), np.int32), np.ones(3, np.int32))
    y = read_independence(np.arange(8.0), np.arange(8.0)).y
    assert fitted.leafwise(stump, "oob", response_kernels.response_kernel("distance", y)).correlation == 0.0
