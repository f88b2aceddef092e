"""How well new rows are told from old ones."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from kmerf.comparing.matching import ReadingOptions, match, read_side
from kmerf.comparing.telling import FOLDS, auc_of, deal, equal_rows, newcombe, share_bound, tell_apart


def sample_of(old, new):
    options = ReadingOptions()
    return match(*(read_side("x", each, 10**6, 0, options) for each in (old, new)), options).sample


def test_the_auc_is_that_of_scikit_learn_in_each_fold():
    rng = np.random.default_rng(0)
    current = rng.random(300) < 0.4
    scores = np.round(rng.normal(size=300) + 0.5 * current, 1)
    folds = deal(current, None, rng)
    expected = [roc_auc_score(current[folds == k], scores[folds == k]) for k in range(FOLDS)]
    sizes = [int(current[folds == k].sum()) for k in range(FOLDS)]
    assert auc_of(scores, current, folds)[0] == pytest.approx(np.average(expected, weights=sizes))


def test_each_fold_has_its_part_of_old_and_new_rows_and_whole_blocks():
    rng = np.random.default_rng(1)
    blocks = np.repeat(np.arange(40), 5)
    current = blocks >= 25
    folds = deal(current, blocks, rng)
    assert all(np.unique(folds[blocks == block]).size == 1 for block in range(40))
    assert [int((folds[current] == k).sum()) for k in range(FOLDS)] == [15] * FOLDS


def test_a_clear_difference_is_told_and_the_bound_is_below_the_truth():
    rng = np.random.default_rng(2)
    old, new = rng.normal(size=(500, 3)), rng.normal(size=(500, 3))
    new[:150] += 6.0
    told = tell_apart(sample_of(old, new), 0)
    assert told.low < 0.65 < told.high
    assert 0.2 < told.share < 0.3
    assert told.scores[500:650].min() > np.median(told.scores[650:])


def test_without_a_difference_the_interval_holds_one_half():
    inside = 0
    for r in range(30):
        rng = np.random.default_rng(r)
        told = tell_apart(sample_of(rng.normal(size=(60, 3)), rng.normal(size=(60, 3))), r)
        inside += told.low <= 0.5 <= told.high
    assert inside >= 25


def test_copies_of_old_rows_are_not_taken_for_a_difference():
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(200, 3))
    told = tell_apart(sample_of(rows, rows), 0)
    assert told.copies == 1.0
    assert told.low < 0.5 < told.high
    few = rng.integers(0, 3, (200, 2)).astype(float)
    assert equal_rows(np.vstack([few, few]), np.arange(400) >= 200) == (None, 0.0)


def test_a_much_larger_old_table_does_not_drown_the_new_rows():
    rng = np.random.default_rng(4)
    old, new = rng.normal(size=(3000, 2)), rng.normal(size=(100, 2))
    new[:, 0] += 1.5
    told = tell_apart(sample_of(old, new), 0)
    assert told.auc > 0.75


def test_too_few_rows_say_nothing():
    told = tell_apart(sample_of([[1.0], [2.0], [3.0], [4.0], [5.0]], [[1.0], [2.0], [2.5], [9.0], [3.5]]), 0)
    assert (told.auc, told.low, told.high, told.share) == (0.5, 0.0, 1.0, 0.0)


def test_the_interval_of_a_difference_of_shares_is_newcombes():
    """His Table II, method 10."""
    assert newcombe(56 / 70, 70, 48 / 80, 80, 1.959964) == pytest.approx((0.0524, 0.3339), abs=1e-4)
    assert newcombe(9 / 10, 10, 3 / 10, 10, 1.959964) == pytest.approx((0.1705, 0.8090), abs=1e-4)


def test_the_bound_of_scores_that_say_nothing_is_0():
    rng = np.random.default_rng(5)
    current = np.arange(400) < 200
    assert share_bound(rng.random(400), current, deal(current, None, rng)) == 0.0


def test_with_two_new_blocks_there_are_two_folds_and_the_interval_is_finite():
    rng = np.random.default_rng(4)
    blocks = np.repeat(np.arange(8), 30)
    current = blocks >= 6
    folds = deal(current, blocks, rng)
    assert folds.max() == 1
    assert [np.unique(blocks[(folds == k) & current]).size for k in range(2)] == [1, 1]
    auc, error = auc_of(rng.normal(size=240), current, folds, blocks)
    assert 0.3 < auc < 0.7
    assert 0.0 < error < 0.3


def test_the_bound_of_a_column_of_two_values_is_near_its_share():
    """All rows of one value have one score, which differs a bit from fold to fold."""
    rng = np.random.default_rng(0)
    old, new = ({"a": (rng.random(2000) < share).astype(float)} for share in (0.5, 0.7))
    assert 0.1 <= tell_apart(sample_of(old, new), 0).share <= 0.2
    assert tell_apart(sample_of({"a": [1.0] * 50}, {"a": [2.0] * 50}), 0).share > 0.8
