"""Removing z: what is left."""

from __future__ import annotations

import numpy as np
import pytest

from grown_forests import grow
from kmerf.adjustment.covariates import FOREST, Covariates, out_of_bag
from kmerf.forests.growing import presort


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
        found, credits = out_of_bag(FOREST, columns, targets, seed=7, n_jobs=n_jobs)
        assert credits is None
        np.testing.assert_allclose(found, total / times[:, None], atol=1e-9)


def test_credits_go_to_the_column_that_predicts():
    rng = np.random.default_rng(2)
    z = rng.normal(size=(200, 3))
    target = (z[:, 1] > 0) + 0.3 * rng.normal(size=(200))
    _, credits = out_of_bag(FOREST, presort(z), target[:, None], seed=1, credited=True)
    assert credits.argmax() == 1
    assert credits[1] > 0.5


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
    assert abs(np.corrcoef(left.values[:, 0], signal)[0, 1]) < 0.25


def test_nothing_is_left_of_lines_however_much_is_shrunk():
    rng = np.random.default_rng(5)
    z, noise = rng.normal(size=(200, 30)), rng.normal(size=200)
    covariates = Covariates.of(z)
    weak = 0.2 * (covariates.straight @ rng.normal(size=30))
    left = covariates.remove((weak + noise)[:, None], np.ones(1), seed=1)
    np.testing.assert_allclose(covariates.straight.T @ left.values, 0.0, atol=1e-8)
    assert abs(weak @ left.prediction_errors[:, 0]) > 1.0  # what predicts best has left some of it
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
        np.testing.assert_allclose(every[column].T @ left.values, 0.0, atol=1e-8)


def test_no_more_bends_than_rows_allow():
    rng = np.random.default_rng(7)
    z = rng.uniform(-1, 1, size=(400, 8))
    target = (z**2).sum(axis=1)[:, None]
    found = Covariates.of(z).bent(target - target.mean())
    assert [each.shape[1] for each in found] == [10] * 5  # an eighth of the rows


def test_products_are_those_of_the_columns_that_interact():
    rng = np.random.default_rng(8)
    z = (rng.random((300, 50)) < 0.4).astype(float)
    noise = 0.8 * rng.normal(size=300)
    covariates = Covariates.of(z)

    def crossed(target):
        return covariates.crossed((target - target.mean())[:, None], [], None)

    chance = [len(crossed(z[:, 0] - z[:, 2] + rng.normal(size=300))) for _ in range(40)]
    assert np.mean(chance) < 0.5  # of 1,225 products
    found = crossed(z[:, 0] + 1.5 * z[:, 3] * z[:, 4] + noise)[0]
    design = np.column_stack([np.ones(300), z, z[:, 3] * z[:, 4]])
    rest = design[:, -1] - design[:, :-1] @ np.linalg.lstsq(design[:, :-1], design[:, -1], rcond=None)[0]
    np.testing.assert_allclose(np.abs(found[:, 0]), np.abs(rest) / rest.std(), atol=1e-8)
    target = 1.5 * z[:, 3] * z[:, 4] + noise
    left = covariates.remove((target - target.mean())[:, None], np.ones(1), seed=1)
    np.testing.assert_allclose(rest @ left.values, 0.0, atol=1e-7)


def test_no_more_products_than_rows_allow():
    rng = np.random.default_rng(9)
    z = rng.normal(size=(120, 12))
    target = sum(z[:, 2 * k] * z[:, 2 * k + 1] for k in range(6))[:, None]
    covariates = Covariates.of(z)
    waves = [np.ones((120, 11))]
    assert len(covariates.crossed(target - target.mean(), waves, None)) == 4  # 15 of 120 rows, less 11
    assert covariates.crossed(target - target.mean(), [*waves, *waves], None) == []
    assert Covariates.of(z[:40]).crossed(target[:40], [], None) == []  # no lines without a penalty


def test_nothing_is_explained_of_noise():
    rng = np.random.default_rng(3)
    left = Covariates.of(rng.normal(size=(300, 4))).remove(rng.normal(size=(300, 1)), np.ones(1), seed=1)
    assert abs(left.explained[0]) < 0.05


def test_residuals_do_not_depend_on_the_number_of_workers():
    rng = np.random.default_rng(4)
    z, targets = rng.normal(size=(120, 3)), rng.normal(size=(120, 2))
    one, two = (Covariates.of(z).remove(targets, np.ones(2), seed=5, n_jobs=k).values for k in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_coarser_regressions_leave_more():
    rng = np.random.default_rng(8)
    z = rng.uniform(size=(300, 3))
    target = (np.floor(3 * z[:, 0]) + np.floor(3 * z[:, 1])) % 2 + 0.3 * rng.normal(size=300)
    left = Covariates.of(z).remove(target[:, None] - target.mean(), np.ones(1), seed=1)
    assert left.values.var() < 0.95 * left.coarse.var()
    straight = Covariates.of(z).straight
    np.testing.assert_allclose(straight.T @ left.coarse, 0.0, atol=1e-8)  # of lines nothing is left of both


def test_shapes_are_regressed_on_waves_of_the_level():
    rng = np.random.default_rng(9)
    z = rng.normal(size=(400, 5))
    level = np.tanh(np.sin(2 * z[:, 0]) + z[:, 1] * z[:, 2])
    targets = np.column_stack([level + 0.1 * rng.normal(size=400), np.cos(4 * level)])
    targets -= targets.mean(axis=0)
    both, first = (
        Covariates.of(z).remove(targets, np.array([1.0, k]), seed=1).prediction_errors[:, 1].var() for k in (1.0, 0.0)
    )
    assert first < 0.8 * both


def test_columns_that_matter_are_relevant():
    rng = np.random.default_rng(10)
    z = rng.normal(size=(200, 6))
    z[:40, 2] = np.nan
    covariates = Covariates.of(z)
    assert covariates.owner.tolist() == [0, 1, 2, 3, 4, 5, 2]  # the last says where values were missing
    found = covariates._relevance(np.array([0.0, 0.01, 0.16, -0.1, 0.04, 0.0]))
    np.testing.assert_allclose(found, [0.03, 0.25, 1.0, 0.03, 0.5, 0.03, 1.0])
    assert (covariates._relevance(np.zeros(6)) == 1.0).all()
    assert (covariates._relevance(None) == 1.0).all()
