"""How rows are dealt, and what two models that share no rows say of a third part."""

import numpy as np
import pytest

from kmerf.explain.held_out import Dealing, Layout, Outputs, cross_fit, deal, dealing_for, interval, keys_of
from kmerf.explain.learner import group_predictors


def test_neighbours_are_dealt_apart():
    key = np.random.default_rng(0).normal(size=43)
    hands = deal(key, 5, np.random.default_rng(1))
    order = np.argsort(key)
    assert all(len(set(hands[order[k : k + 5]].tolist())) == 5 for k in range(0, 40, 5))
    assert set(np.bincount(hands)) <= {8, 9}


def test_the_folds_of_blocks_hold_them_whole():
    blocks = np.repeat(np.arange(12), [1, 2, 3] * 4)
    groups = np.arange(24) % 2
    model = group_predictors(groups, lambda each: each)
    y = Outputs(np.random.default_rng(0).normal(size=(24, 1)), (slice(0, 1),))
    for layout in (Layout(24, blocks), Layout(24, blocks, within=True)):
        (found,) = cross_fit([model], y, layout, groups[:, None].astype(float), Dealing(4, 2), 1)
        for folds in found.folds:
            assert all(np.unique(folds[blocks == k]).size == 1 for k in range(12))
    assert np.bincount(blocks, found.around_first[0, :, 0]) == pytest.approx(np.zeros(12))
    assert np.bincount(blocks, found.first[0, :, 0]) == pytest.approx(np.zeros(12))


def test_products_of_errors_do_not_charge_for_noise():
    """Twelve levels that say nothing, four rows of each: squares of errors are too large, their products are not."""
    codes = np.arange(48) % 12
    model = group_predictors(codes, lambda each: each)
    squares, products = [], []
    for seed in range(60):
        y = np.random.default_rng(seed).normal(size=(48, 1))
        (found,) = cross_fit(
            [model], Outputs(y, (slice(0, 1),)), Layout(48), codes[:, None].astype(float), Dealing(6, 1), seed
        )
        (first, second), around = found.errors, (found.around_first * found.around_second).sum()
        squares.append(1.0 - (first**2).sum() / around)
        products.append(1.0 - (first * second).sum() / around)
    assert np.mean(squares) < -0.3
    assert abs(np.mean(products)) < 0.06


def test_few_rows_are_dealt_more_often():
    assert dealing_for(24, classes=False).repeats > dealing_for(400, classes=False).repeats
    assert dealing_for(24, classes=True).folds == 5
    assert dealing_for(10**5, classes=False) == (3, 1)
    assert keys_of(np.array([[3.0], [np.nan], [1.0]])).shape == (3, 1)


@pytest.mark.parametrize("value", [-0.5, -0.02, -0.001, 0.0])
def test_no_estimate_below_zero_excludes_all_relations(value: float) -> None:
    found = interval(value, lambda theta: np.full(theta.shape, 0.01**2), 60.0)
    assert found.value == value
    assert found.low == 0.0
    assert found.high >= 0.0075
