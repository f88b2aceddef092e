"""The target that sees anything y can do, and how well the best of it is predicted."""

import numpy as np
import pytest

import kmerf
from kmerf import KMERF, ForestSpec
from kmerf.forests.fitted import Predictions
from kmerf.forests.growing import coordinates, joint
from kmerf.methods.protocol import observe
from kmerf.reading.samples import read_independence


def test_the_joint_target_has_the_polynomials_first_and_knows_only_ranks():
    rng = np.random.default_rng(0)
    y = np.exp(rng.normal(size=(50, 2)))
    response = read_independence(np.arange(50), y).y
    found = coordinates(response, "joint")
    np.testing.assert_allclose(found[:, :8], coordinates(response, "shape"), atol=1e-12)
    np.testing.assert_allclose(found, joint(np.log(y)), atol=1e-12)
    np.testing.assert_allclose(found.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(found.std(axis=0), 1.0, atol=1e-12)
    z = found[:, [0, 4]]
    product = z[:, 0] * z[:, 1]
    np.testing.assert_allclose(found[:, 8], (product - product.mean()) / product.std(), atol=1e-10)


def test_many_columns_have_some_of_their_products():
    assert joint(np.random.default_rng(1).normal(size=(40, 9))).shape == (40, 9 * 4 + 12 + 12)


def test_a_constant_y_gives_a_target_that_does_not_vary():
    assert (joint(np.ones((10, 2))) == 0.0).all()


def test_columns_whose_correlation_moves_are_seen_and_only_there():
    """Each column of y alone has nothing to do with x."""
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(200, 3)), rng.normal(size=(200, 2))
    y[:, 1] = np.sign(x[:, 0]) * y[:, 0] * 0.9 + 0.45 * y[:, 1]
    trees = ForestSpec(60, min_samples_leaf=5, max_outputs=3)
    null = kmerf.Permutation(99)
    seen, blind = (
        kmerf.independence(x, y, method=KMERF(trees, statistic="strongest", target=target), null=null, rng=0).pvalue
        for target in ("joint", "shape")
    )
    assert seen == 0.01
    assert blind > 0.05


def test_the_strongest_are_the_three_best_predicted_columns():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    sample = read_independence(x, x[:, 0] + 0.3 * y)
    method = KMERF(ForestSpec(30), statistic="strongest", target="shape")
    problem = method.prepare(sample, 4)
    guesses = Predictions(problem.target)
    guesses.add(problem.forest(np.arange(60), 0).leaves())
    assert guesses.shares.shape == (4,)
    assert observe(problem).statistic == pytest.approx(np.sort(guesses.shares)[1:].mean(), rel=1e-12)
    assert guesses.part(slice(1, 2)).share == pytest.approx(guesses.shares[1], rel=1e-12)
