"""Removing z: the weights of three predictions, and what is left."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import nnls

from kmerf.adjustment.covariates import FOREST, Covariates, best_weights, predict_out_of_bag
from kmerf.forests.growing import grow, presort


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


def test_out_of_bag_predictions_are_those_of_trees_that_did_not_draw_the_row():
    rng = np.random.default_rng(1)
    z, targets = rng.normal(size=(40, 2)), rng.normal(size=(40, 2))
    targets -= targets.mean(axis=0)
    columns = presort(z)
    leaves = grow(FOREST, columns, targets, classes=False, seed=7)
    total, times = np.zeros((40, 2)), np.zeros(40)
    for codes, counts in zip(leaves.codes, leaves.counts, strict=True):
        for i in np.flatnonzero(counts == 0):
            mates = codes == codes[i]
            total[i] += (counts[mates, None] * targets[mates]).sum(axis=0) / counts[mates].sum()
            times[i] += 1
    for n_jobs in (1, 2):
        found = predict_out_of_bag(FOREST, columns, targets, seed=7, n_jobs=n_jobs)
        np.testing.assert_allclose(found, total / times[:, None], atol=1e-9)


@pytest.mark.parametrize("kind", ["linear", "step", "product", "missing"])
def test_what_z_explains_is_removed(kind):
    rng = np.random.default_rng(2)
    z = rng.normal(size=(400, 3))
    noise = 0.5 * rng.normal(size=400)
    signal = {
        "linear": z.sum(axis=1),
        "step": 2.0 * (z[:, 0] > 0.3),
        "product": z[:, 0] * z[:, 1],
        "missing": z[:, 0] + 2.0 * (z[:, 1] > 1),
    }[kind]
    if kind == "missing":
        z[z[:, 1] > 1, 1] = np.nan
    target = signal + noise
    left = Covariates.of(z).remove(target[:, None] - target.mean(), np.ones(1), seed=1)
    truth = 1.0 - noise.var() / target.var()
    assert truth - 0.12 < left.explained[0] < truth + 0.05
    assert abs(np.corrcoef(left.residuals[:, 0], signal)[0, 1]) < 0.25


def test_nothing_is_left_of_lines_however_much_is_shrunk():
    rng = np.random.default_rng(5)
    z, noise = rng.normal(size=(200, 30)), rng.normal(size=200)
    covariates = Covariates.of(z)
    weak = 0.2 * (covariates.straight @ rng.normal(size=30))
    left = covariates.remove((weak + noise)[:, None], np.ones(1), seed=1)
    np.testing.assert_allclose(covariates.straight.T @ left.residuals, 0.0, atol=1e-8)
    assert abs(weak @ left.stacked[:, 0]) > 1.0  # what predicts best has left some of it
    assert left.freedom[0] > 30.0
    assert Covariates.of(z[:119]).straight.shape == (119, 0)  # four rows for each line, or none


def test_bends_are_those_of_the_columns_along_which_the_variable_bends():
    rng = np.random.default_rng(6)
    z, noise = rng.normal(size=(400, 8)), rng.normal(size=400)
    covariates = Covariates.of(z)
    every = [waves for waves, _ in covariates.bends]
    assert covariates.bent(noise[:, None] - noise.mean()) == []
    assert covariates.bent((z[:, 0] + noise)[:, None]) == []  # a line is no bend
    both = (np.abs(z[:, 5]) + 0.7 * np.abs(z[:, 2]) + 0.3 * noise)[:, None]
    found = covariates.bent(both - both.mean())
    assert [next(k for k, own in enumerate(every) if own is each) for each in found] == [5, 2]
    left = covariates.remove(both - both.mean(), np.ones(1), seed=1)
    for column in (2, 5):
        np.testing.assert_allclose(every[column].T @ left.residuals, 0.0, atol=1e-8)


def test_no_more_bends_than_rows_allow():
    rng = np.random.default_rng(7)
    z = rng.uniform(-1, 1, size=(400, 8))
    target = (z**2).sum(axis=1)[:, None]
    found = Covariates.of(z).bent(target - target.mean())
    assert [each.shape[1] for each in found] == [10] * 5  # an eighth of the rows


def test_nothing_is_explained_of_noise():
    rng = np.random.default_rng(3)
    left = Covariates.of(rng.normal(size=(300, 4))).remove(rng.normal(size=(300, 1)), np.ones(1), seed=1)
    assert abs(left.explained[0]) < 0.05


def test_residuals_do_not_depend_on_the_number_of_workers():
    rng = np.random.default_rng(4)
    z, targets = rng.normal(size=(120, 3)), rng.normal(size=(120, 2))
    one, two = (Covariates.of(z).remove(targets, np.ones(2), seed=5, n_jobs=k).residuals for k in (1, 2))
    np.testing.assert_array_equal(one, two)
