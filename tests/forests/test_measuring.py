"""A forest that is read while it grows: the same as one that is kept, whatever the workers and the parts."""

import tracemalloc

import numpy as np
import pytest

from grown_forests import grow
from kmerf.core.errors import InputError
from kmerf.forests import fitted, proximity, response_kernels
from kmerf.forests import growing as forest
from kmerf.forests.fitted import PairReading, leafwise, measure
from kmerf.forests.growing import PROXIMITIES, Forest, presort
from kmerf.forests.spec import ForestSpec

N = 70
RNG = np.random.default_rng(8)
X = RNG.normal(size=(N, 4))
COLUMNS = presort(X)
NUMBERS = X[:, :1] + RNG.normal(size=(N, 1))
POINTS = np.column_stack([NUMBERS, RNG.normal(size=(N, 2))])
CODES = (X[:, 0] + RNG.normal(size=N) > 0).astype(np.int64) + (X[:, 1] > 1)
ORDER = RNG.permutation(N)
SPEC = ForestSpec(n_trees=90, min_samples_leaf=2)

RESPONSES = {
    "line": response_kernels.NumberKernel.of(NUMBERS[:, 0]),
    "points": response_kernels.PointKernel.of(POINTS),
    "labels": response_kernels.LabelKernel.of(CODES),
    "embedded": response_kernels.CoordinateKernel.of(POINTS),
    "matrix": response_kernels.MatrixKernel.of(response_kernels.gaussian_kernel(POINTS)),
}
READINGS = [PairReading(kind, response) for response in RESPONSES.values() for kind in PROXIMITIES]


def measured(spec=SPEC, readings=READINGS, *, seed=5, refit=0, **options):
    return measure(Forest(spec, COLUMNS, POINTS, False, seed, refit), readings, **{"order": ORDER} | options)


def values(found):
    return [(each.covariance, each.variance_x, each.variance_y) for each in found.dependences]


@pytest.mark.parametrize("spec", [SPEC, ForestSpec(n_trees=90, bootstrap=False, max_samples=0.5)], ids=["boot", "half"])
def test_every_reading_is_that_of_the_kept_forest(spec):
    leaves = grow(spec, COLUMNS, POINTS, classes=False, seed=5, refit=3)
    found = measured(spec, refit=3)
    np.testing.assert_array_equal(found.gains, leaves.gains)
    for (kind, response), each in zip(READINGS, found.dependences, strict=True):
        expected = leafwise(leaves, kind, response, ORDER)
        scale = np.sqrt(expected.variance_x * expected.variance_y)
        assert each.covariance == pytest.approx(expected.covariance, rel=1e-12, abs=1e-12 * scale)
        assert (each.variance_x, each.variance_y, each.error_x) == (expected.variance_x, expected.variance_y, 0.0)


@pytest.mark.parametrize("kind", PROXIMITIES)
@pytest.mark.parametrize("name", RESPONSES)
def test_every_reading_is_that_of_the_matrices(name, kind):
    leaves = grow(SPEC, COLUMNS, POINTS, classes=False, seed=5)
    dense = fitted.dense(proximity.proximity(leaves, kind), RESPONSES[name].matrix()[np.ix_(ORDER, ORDER)])
    found = measured(readings=[PairReading(kind, RESPONSES[name])]).dependences[0]
    assert found.correlation == pytest.approx(dense.correlation, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("seconds", [0.0, 3e-4, 1.0], ids=["one tree a part", "some", "all"])
def test_the_bits_do_not_depend_on_the_number_of_workers(seconds, monkeypatch):
    monkeypatch.setattr(forest, "PART_SECONDS", seconds)
    one = measured(n_jobs=1)
    for n_jobs in (2, 3):
        other = measured(n_jobs=n_jobs)
        assert values(one) == values(other)
        np.testing.assert_array_equal(one.gains, other.gains)


def test_the_size_of_the_parts_changes_rounding_at_most(monkeypatch):
    whole = measured()
    monkeypatch.setattr(forest, "PART_SECONDS", 5e-4)
    np.testing.assert_allclose(values(whole), values(measured()), rtol=1e-9, atol=1e-14)


def test_a_kind_that_needs_rows_out_of_bag_says_so():
    with pytest.raises(InputError, match="set bootstrap=True"):
        measured(ForestSpec(n_trees=5, bootstrap=False), [READINGS[2]])
    assert measured(ForestSpec(n_trees=5, bootstrap=False), [READINGS[0]]).gains.shape == (5, 4)


def test_gains_of_very_many_columns_are_those_of_the_first_trees(monkeypatch):
    monkeypatch.setattr(forest, "PART_SECONDS", 5e-4)
    whole = measured().gains
    monkeypatch.setattr(forest, "GAIN_CELLS", 4 * 30)
    some = measured().gains
    assert 1 <= len(some) <= 30
    np.testing.assert_array_equal(some, whole[: len(some)])


# --- many rows --------------------------------------------------------------------------------------------------------


def test_a_sample_of_rows_gives_the_variance_within_its_standard_error(monkeypatch):
    n, seeds = 600, 200
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 3))
    columns, y = presort(x), x[:, :1] + rng.normal(size=(n, 1))
    readings = [PairReading("oob", response_kernels.NumberKernel.of(y[:, 0]))]
    spec = ForestSpec(n_trees=60, min_samples_leaf=3)
    exact = measure(Forest(spec, columns, y, False, 0), readings).dependences[0]
    assert exact.standard_error == 0.0
    monkeypatch.setattr(proximity, "EXACT_ROWS", 150)
    leaves = grow(spec, columns, y, classes=False, seed=0)
    z = []
    for seed in range(seeds):  # one forest, many samples of its rows
        tally = proximity.PairCounts("oob", n, proximity.sampled_rows(n, seed, 0))
        tally.add(leaves)
        found, error = tally.variance(60)
        z.append((found - exact.variance_x) / error)
    assert (np.abs(z) < 3).mean() >= 0.99
    assert abs(np.mean(z)) < 0.3
    assert 0.5 < np.std(z) < 1.2  # neither much too small nor useless
    sampled = measure(Forest(spec, columns, y, False, 0), readings).dependences[0]
    assert sampled.covariance == exact.covariance
    assert 0.0 < sampled.standard_error < 0.2 * sampled.correlation


def test_distances_to_some_points_stand_for_all_of_them(monkeypatch):
    points = np.random.default_rng(1).normal(size=(400, 2))
    exact = response_kernels.PointKernel.of(points)
    monkeypatch.setattr(response_kernels, "EXACT_POINTS", 100)
    some = response_kernels.PointKernel.of(points)
    assert some.square == pytest.approx(exact.square, rel=1e-12)
    assert some.rows.sum() == pytest.approx(exact.rows.sum(), rel=0.1)
    assert np.corrcoef(some.rows, exact.rows)[0, 1] > 0.97


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_no_table_of_rows_and_trees_is_kept(n_jobs):
    n, m = 20_000, 400
    x = RNG.normal(size=(n, 2))
    columns, y = presort(x), x[:, :1] + RNG.normal(size=(n, 1))
    readings = [PairReading("oob", response_kernels.NumberKernel.of(y[:, 0]))]
    spec = ForestSpec(n_trees=m, max_samples=300, min_samples_leaf=20)
    forest = Forest(spec, columns, y, False, 0)
    measure(forest, readings, n_jobs=n_jobs)  # compiled before memory is looked at
    tracemalloc.start()
    try:
        measure(forest, readings, n_jobs=n_jobs)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < n_jobs * (proximity.EXACT_ROWS**2 // 2 * 4 + 40 * 8 * n) < 8 * n * m
