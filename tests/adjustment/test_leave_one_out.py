"""Leave-one-out ridge regression against fits without the row, one by one."""

from __future__ import annotations

import numpy as np
import pytest

from kmerf.adjustment.covariates import COARSER, Decomposition


def refit_without(functions, target, row, penalty):
    """Predict a row from all others: centred columns, and the penalty of the whole sample."""
    n = len(target)
    centred = functions - functions.mean(axis=0)
    kept = np.arange(n) != row
    # An intercept of its own, not penalised, beside columns that were centred with all rows.
    design = np.column_stack([np.ones(n), centred])
    matrix = design[kept].T @ design[kept] + np.diag([0.0, *[n * penalty] * functions.shape[1]])
    return design[row] @ np.linalg.solve(matrix, design[kept].T @ target[kept])


@pytest.mark.parametrize("penalty", [1e-4, 0.1])
def test_residuals_are_those_of_fits_without_the_row(penalty):
    rng = np.random.default_rng(1)
    functions, target = rng.normal(size=(30, 5)), rng.normal(size=30)
    target -= target.mean()
    fits = Decomposition.of(functions).leave_one_out(target[:, None], (penalty,))
    expected = [target[i] - refit_without(functions, target, i, penalty) for i in range(30)]
    np.testing.assert_allclose(fits.residuals[:, 0], expected, rtol=1e-8)


def test_the_penalty_is_the_smallest_that_is_nearly_best():
    rng = np.random.default_rng(2)
    functions = rng.normal(size=(80, 6))
    targets = np.column_stack([functions[:, 0] + 0.1 * rng.normal(size=80), rng.normal(size=80)])
    targets -= targets.mean(axis=0)
    penalties = (1e-4, 1e-2, 1.0, np.inf)
    basis = Decomposition.of(functions)
    errors = np.array([(basis.leave_one_out(targets, (p,)).residuals ** 2).mean(axis=0) for p in penalties])
    chosen = basis.leave_one_out(targets, penalties).penalties
    for j in range(2):
        near = [p for p, error in zip(penalties, errors[:, j], strict=True) if error <= 1.01 * errors[:, j].min()]
        assert chosen[j] == min(near)
    assert chosen[0] < chosen[1]


def test_degrees_of_freedom_are_the_sum_of_the_leverages():
    rng = np.random.default_rng(5)
    functions, target = rng.normal(size=(30, 4)), rng.normal(size=(30, 1))
    centred = functions - functions.mean(axis=0)
    hat = 1 / 30 + centred @ np.linalg.solve(centred.T @ centred + 30 * 0.1 * np.eye(4), centred.T)
    assert Decomposition.of(functions).leave_one_out(target, (0.1,)).freedom[0] == pytest.approx(np.trace(hat))


def test_degrees_of_freedom_beyond_others_are_those_that_both_spend_less_those_that_the_others_do():
    rng = np.random.default_rng(6)
    functions, others, target = rng.normal(size=(30, 6)), rng.normal(size=(30, 3)), rng.normal(size=(30, 1))
    functions[:, :2] = others[:, :2] + 0.1 * functions[:, :2]
    ridge, plain = ((each - each.mean(axis=0)) for each in (functions, others))
    hat = ridge @ np.linalg.solve(ridge.T @ ridge + 30 * 0.1 * np.eye(6), ridge.T)
    projection = plain @ np.linalg.pinv(plain)
    both = np.eye(30) - (np.eye(30) - projection) @ (np.eye(30) - hat)
    fits = Decomposition.of(functions).leave_one_out(target, (0.1,), Decomposition.of(others))
    assert fits.beyond[0] == pytest.approx(np.trace(both) - np.trace(projection))


def test_without_a_penalty_nothing_of_the_functions_is_left():
    rng = np.random.default_rng(7)
    functions, targets = rng.normal(size=(30, 4)), rng.normal(size=(30, 2))
    functions -= functions.mean(axis=0)
    expected = targets - functions @ np.linalg.lstsq(functions, targets, rcond=None)[0]
    np.testing.assert_allclose(Decomposition.of(functions).outside(targets), expected, atol=1e-12)


def test_columns_that_repeat_others_do_no_harm():
    rng = np.random.default_rng(3)
    column, target = rng.normal(size=(40, 1)), rng.normal(size=(40, 1))
    target -= target.mean()
    twice = Decomposition.of(np.concatenate([column, column, np.ones((40, 1))], axis=1))
    assert twice.squares.size == 1
    once = Decomposition.of(np.sqrt(2.0) * column)
    np.testing.assert_allclose(twice.leave_one_out(target).residuals, once.leave_one_out(target).residuals, rtol=1e-9)


def test_an_infinite_penalty_leaves_the_mean_of_the_others():
    target = np.array([[1.0], [2.0], [-3.0]])
    left = Decomposition.of(np.array([[1.0], [0.0], [2.0]])).leave_one_out(target, (np.inf,)).residuals
    np.testing.assert_allclose(left[:, 0], [1.0 - (2 - 3) / 2, 2.0 - (1 - 3) / 2, -3.0 - (1 + 2) / 2])


def test_coarse_fits_have_a_larger_penalty():
    rng = np.random.default_rng(4)
    basis = Decomposition.of(rng.normal(size=(40, 6)))
    targets = rng.normal(size=(40, 2)) + np.array([[0.0, 1.0]]) * basis.directions[:, :1]
    targets -= targets.mean(axis=0)
    fits = basis.leave_one_out(targets)
    for j in range(2):
        again = basis.leave_one_out(targets[:, [j]], (COARSER * fits.penalties[j],))
        np.testing.assert_array_equal(fits.coarse[:, j], again.residuals[:, 0])


def test_columns_of_fits_are_replaced():
    rng = np.random.default_rng(8)
    targets = rng.normal(size=(30, 3))
    one = Decomposition.of(rng.normal(size=(30, 4))).leave_one_out(targets - targets.mean(axis=0))
    chosen = np.array([True, False, True])
    some = Decomposition.of(rng.normal(size=(30, 4))).leave_one_out((targets - targets.mean(axis=0))[:, chosen])
    both = one.with_columns(chosen, some)
    np.testing.assert_array_equal(both.residuals[:, 1], one.residuals[:, 1])
    np.testing.assert_array_equal(both.coarse[:, chosen], some.coarse)
    np.testing.assert_array_equal(both.penalties[chosen], some.penalties)
