"""A forest that has not seen y, against the general way to compare a forest with y."""

import numpy as np
import pytest

from grown_forests import COLUMNS, NUMBERS, grow, leaves
from kmerf.engine.permuted_sums import permutation
from kmerf.forests.fitted import FixedForest, first_rows, leafwise, rounded, whole_points
from kmerf.forests.growing import Forest, KeptForest, presort
from kmerf.forests.proximity import Dependence
from kmerf.forests.response_kernels import CoordinateKernel, LabelKernel, NumberKernel
from kmerf.forests.spec import ForestSpec
from oracles import squared_error

N = len(NUMBERS)
RNG = np.random.default_rng(4)
KERNELS = {
    "numbers": rounded(CoordinateKernel.of(NUMBERS[:, :1])),
    "coordinates": rounded(CoordinateKernel.of(RNG.normal(size=(N, 3)) * [1, 1e6, 1e-6])),
    "two classes": LabelKernel.of(RNG.integers(0, 2, N)),
    "four classes": LabelKernel.of(RNG.integers(0, 4, N)),
}


def order_of(number, seed=3):
    order = np.empty(N, np.int32)
    permutation(np.uint64(seed), np.uint64(number), order)
    return order.astype(np.int64)


@pytest.mark.parametrize("kind", ["all", "either", "oob"])
@pytest.mark.parametrize("name", [*KERNELS, "distance"])
def test_the_dependence_is_that_of_the_leaves(name, kind):
    response = NumberKernel.of(NUMBERS[:, 0]) if name == "distance" else KERNELS[name]
    forest, order = FixedForest.of(KeptForest(COLUMNS, 1, leaves()), N, kind), RNG.permutation(N)
    found, expected = forest.dependence(response, order), leafwise(leaves(), kind, response, order)
    assert isinstance(found, Dependence)
    assert found.covariance == pytest.approx(expected.covariance, rel=1e-12)
    assert found.correlation == pytest.approx(expected.correlation, rel=1e-12)


@pytest.mark.parametrize("kind", ["all", "either", "oob"])
@pytest.mark.parametrize("name", KERNELS)
def test_many_orders_at_once_are_each_order_alone(name, kind):
    forest, response = FixedForest.of(KeptForest(COLUMNS, 1, leaves()), N, kind), KERNELS[name]
    together = forest.permuted(response, 3, 1, 200)
    for number in (1, 2, 150, 200):
        alone = forest.dependence(response, order_of(number)).correlation
        assert together[number - 1] == pytest.approx(alone, rel=1e-9, abs=1e-14)
    observed = forest.dependence(response, np.arange(N)).correlation
    assert forest.permuted(response, 3, 0, 1)[0] == pytest.approx(observed, rel=1e-9, abs=1e-14)


def test_coordinates_are_rounded_finely_and_only_once():
    response = CoordinateKernel.of(RNG.normal(size=(N, 2)))
    near = rounded(response)
    assert np.abs(near.points - response.points).max() < 1e-6
    assert np.abs(near.points - response.points).max() > 0
    np.testing.assert_array_equal(rounded(near).points, near.points)
    assert whole_points(response) is None
    points, scale = whole_points(near)
    np.testing.assert_array_equal(points * np.sqrt(scale), near.points)
    assert np.abs(points).sum(axis=0).max() < 2**31
    assert whole_points(NumberKernel.of(NUMBERS[:, 0])) is None
    assert whole_points(rounded(CoordinateKernel.of(np.zeros((5, 1))))) is not None


def test_gains_are_those_of_the_splits():
    """Grown on y, a forest's own gains; for another y, the squared error that its leaves take away."""
    spec = ForestSpec(8, min_samples_leaf=3)
    grown = Forest(spec, COLUMNS, NUMBERS, False, 5)
    forest = FixedForest.of(grown, N, "all")
    np.testing.assert_allclose(forest.gains(NUMBERS), grown.leaves().gains, rtol=1e-9, atol=1e-9)
    other = RNG.normal(size=(N, 2))
    gains = forest.gains(other).sum(axis=1)
    for t in range(8):
        weight, codes = forest.leaves.counts[t], forest.leaves.codes[t]
        inside = [(codes == g) & (weight > 0) for g in range(forest.leaves.n_leaves[t])]
        left = sum(squared_error(other[rows], weight[rows]) for rows in inside)
        drawn = weight > 0
        assert gains[t] == pytest.approx(squared_error(other[drawn], weight[drawn]) - left)


def test_a_plug_in_forest_tells_no_gains():
    assert FixedForest.of(KeptForest(COLUMNS, 1, leaves()), N, "all").gains(NUMBERS) is None


def test_many_rows_are_sampled_for_the_variance():
    x = np.random.default_rng(0).normal(size=(1500, 3))
    found = grow(ForestSpec(20, splits="blind", min_samples_leaf=50), presort(x), x[:, :1], classes=False, seed=1)
    response = NumberKernel.of(x[:, 0])
    estimate = FixedForest.of(KeptForest(presort(x), 1, found), 1500, "all").dependence(response, np.arange(1500))
    exact = leafwise(found, "all", response)
    assert estimate.covariance == pytest.approx(exact.covariance)
    assert estimate.error_x > 0
    assert abs(estimate.variance_x - exact.variance_x) < 4 * estimate.error_x


def test_first_rows():
    some = first_rows(leaves(), 10)
    np.testing.assert_array_equal(some.codes, leaves().codes[:, :10])
    np.testing.assert_array_equal(some.counts, leaves().counts[:, :10])
