"""The best sum of several predictions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import nnls

from kmerf.adjustment.covariates import best_weights, stack_predictions


@pytest.mark.parametrize("seed", range(6))
def test_weights_are_the_best_that_are_not_negative(seed):
    rng = np.random.default_rng(seed)
    predictions, target = rng.normal(size=(3, 40)), rng.normal(size=40)
    predictions[1] = predictions[0] + 0.1 * predictions[1]  # nearly the same
    target -= target.mean()
    centred = (predictions - predictions.mean(axis=1, keepdims=True)).T
    np.testing.assert_allclose(
        centred @ best_weights(predictions, target), centred @ nnls(centred, target)[0], atol=1e-8
    )


def test_predictions_that_point_away_are_not_used():
    target = np.array([1.0, -1.0, 2.0, -2.0])
    assert not best_weights(-np.stack([target, target, target]), target).any()


def test_what_is_stacked_is_what_the_best_sum_leaves():
    rng = np.random.default_rng(3)
    targets = rng.normal(size=(50, 2))
    targets -= targets.mean(axis=0)
    predictions = tuple(targets + rng.normal(size=(50, 2)) + 7.0 for _ in range(3))  # a constant does not matter
    left, weights = stack_predictions(targets, predictions)
    for j in range(2):
        several = np.stack([each[:, j] for each in predictions])
        np.testing.assert_array_equal(weights[j], best_weights(several, targets[:, j]))
        centred = several - several.mean(axis=1, keepdims=True)
        np.testing.assert_allclose(left[:, j], targets[:, j] - weights[j] @ centred, atol=1e-12)
