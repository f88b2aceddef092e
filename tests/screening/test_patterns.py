"""One null for every column of a pattern: valid, and that of the column itself."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

import kmerf
from kmerf.nulls.definitions import Extrapolated, Permutation
from kmerf.nulls.judging import resample
from kmerf.reading.samples import read_independence
from kmerf.screening.one_by_one import find_patterns, judge_early, ranked, read_units
from kmerf.screening.screening import screen

SMALL = kmerf.KMERF(kmerf.ForestSpec(n_trees=20))


def ranks(column):
    return np.argsort(np.argsort(column)) + 1.0


@pytest.mark.parametrize("classes", [False, True])
def test_null_columns_are_rejected_as_often_as_the_level_says(classes):
    rng = np.random.default_rng(7 + classes)
    x = rng.exponential(size=(24, 600))
    y = np.repeat(["a", "b"], 12) if classes else rng.standard_t(2, size=24)
    found = screen(x, y, method=kmerf.KMERF(kmerf.ForestSpec(n_trees=10)), null=Permutation(1999), rng=2)
    for level in (0.05, 0.2, 0.5):
        # of the columns, and of the null that they share
        error = np.sqrt(level * (1 - level) * (1 / 600 + 1 / 2000))
        assert np.mean(found.pvalues <= level) == pytest.approx(level, abs=3 * error)


def test_every_order_of_a_column_with_the_exact_null():
    """All 120 columns of five ranks are the null distribution: no p-value is more frequent than it says."""
    x = np.array(list(permutations(range(5)))).T
    y = np.array([0.3, 1.0, 1.1, 4.0, 9.0])
    found = screen(x, y, method=SMALL, null=Permutation(1999), rng=0)
    for level in (0.1, 0.3, 0.6):
        assert np.mean(found.pvalues <= level) <= level + 3 * np.sqrt(level * (1 - level) * (1 / 120 + 1 / 2000))


def test_the_shared_null_is_that_of_permuting_y_against_each_column():
    rng = np.random.default_rng(3)
    n, size = 25, 400
    y = rng.normal(size=n)
    plain = SMALL.prepare(read_independence(np.arange(1.0, n + 1), y), 1)
    shared = resample(plain, size, kmerf.nulls.judging.Run(1)).statistics[:, 0]
    for seed in (2, 3):
        column = ranks(rng.normal(size=n))
        own = resample(
            SMALL.prepare(read_independence(column, y), seed), size, kmerf.nulls.judging.Run(seed)
        ).statistics[:, 0]
        assert stats.ks_2samp(shared, own).pvalue > 0.01


def test_the_statistic_of_a_sorted_column_is_that_of_the_column():
    """In distribution: trees draw rows by their place, so that only their random choices differ."""
    rng = np.random.default_rng(5)
    y = rng.normal(size=30)
    plain = SMALL.prepare(read_independence(np.arange(1.0, 31), y), 1)
    for _ in range(3):
        column = ranks(y + 2.0 * rng.normal(size=30))
        own = SMALL.prepare(read_independence(column, y), 2)
        as_sorted = [plain.fit(np.argsort(column), refit).statistic for refit in range(200)]
        as_given = [own.fit(np.arange(30), refit).statistic for refit in range(200)]
        assert stats.ks_2samp(as_sorted, as_given).pvalue > 0.01


def test_only_the_order_of_values_matters():
    rng = np.random.default_rng(6)
    x = rng.normal(size=(30, 12))
    y = x[:, 0] + rng.normal(size=30)
    a, b = (screen(columns, y, method=SMALL, rng=1) for columns in (x, np.exp(3 * x)))
    np.testing.assert_array_equal(a.pvalues, b.pvalues)
    np.testing.assert_array_equal(a.statistics, b.statistics)


def test_columns_of_one_pattern_share_a_null_and_others_have_their_own():
    rng = np.random.default_rng(8)
    x = np.column_stack([rng.permutation(np.arange(30) < 10) for _ in range(12)] + [rng.permutation(30) for _ in "ab"])
    units = read_units(read_independence(x, rng.normal(size=30)).x, None)
    patterns = find_patterns(units, 1)
    assert [len(pattern.orders) for pattern in patterns] == [12, 2]
    assert len({pattern.seed for pattern in patterns}) == 2
    for pattern in patterns:
        for unit in units:
            if unit.number in pattern.orders:
                order = pattern.orders[unit.number]
                np.testing.assert_array_equal(pattern.x.values[:, 0], ranked(unit.x.values[:, 0])[order])


def test_tied_rows_stand_in_random_order():
    x = read_independence(np.repeat([0.0, 1.0], 50), np.arange(100)).x
    orders = [find_patterns(read_units(x, None), seed)[0].orders[0] for seed in (1, 2)]
    assert all(sorted(order[:50]) == list(range(50)) for order in orders)
    assert not np.array_equal(*orders)


def test_null_columns_with_ties_and_gaps_keep_the_level():
    rng = np.random.default_rng(11)
    x = np.round(rng.normal(size=(25, 200)), 1)
    x[rng.random(x.shape) < 0.1] = np.nan
    found = screen(
        x, rng.normal(size=25), method=kmerf.KMERF(kmerf.ForestSpec(n_trees=10)), null=Permutation(99), rng=1
    )
    assert set(found.draws) == {19, 39, 99}
    assert np.median(found.draws) == 19
    for level in (0.05, 0.2):
        assert np.mean(found.pvalues <= level) == pytest.approx(level, abs=3 * np.sqrt(level * (1 - level) / 200))


def test_no_p_value_is_below_one_over_the_number_of_arrangements_of_x():
    x = np.zeros((40, 1))
    x[:2] = 1.0
    y = np.r_[50.0, 51.0, np.linspace(0, 1, 38)]
    found = screen(x, y, method=SMALL, null=Extrapolated(19), rng=1)
    assert found.pvalues[0] >= 1 / 780
    assert found.extrapolated[0]


def test_the_null_of_a_pattern_does_not_depend_on_what_else_is_tested(mixed_table):
    both = screen(mixed_table[["coin", "flag", "y"]], "y", method=SMALL, rng=3)
    alone = screen(mixed_table[["coin", "y"]], "y", method=SMALL, rng=3)
    assert both.pvalues[0] == alone.pvalues[0]


def test_a_portfolio_can_screen_columns_with_ties_of_their_own():
    rng = np.random.default_rng(0)
    x = np.round(rng.normal(size=(40, 3)) * [1.0, 2.0, 3.0])
    y = x[:, 1] + 0.3 * rng.normal(size=40)
    method = kmerf.Portfolio({"mean": SMALL, "distance": kmerf.baselines.Dcorr()})
    found = kmerf.screen(x, y, method=method, null=kmerf.Permutation(99), rng=1)
    assert found.selected == ("x2",)


def test_a_combined_test_needs_few_draws_where_nothing_is_near():
    """Columns with ties of their own: those far from any relation stop at an early look, the others go on."""
    rng = np.random.default_rng(1)
    x = np.round(rng.normal(size=(40, 6)) * np.arange(2.0, 8.0))
    y = x[:, 1] + 0.3 * rng.normal(size=40)
    method = kmerf.Portfolio({"mean": SMALL, "distance": kmerf.baselines.Dcorr()})
    found = kmerf.screen(x, y, method=method, null=kmerf.Permutation(499), rng=1)
    assert found.draws[1] == 499
    assert found.pvalues[1] == 1 / 500
    bounds = {19: 0.3, 39: 0.2, 99: 0.1, 399: 0.07, 499: 0.0}
    assert all(p > bounds[draws] for p, draws in zip(found.pvalues, found.draws.tolist(), strict=True))
    assert (found.draws == 19).sum() >= 2


def test_p_values_of_columns_that_stop_early_are_valid():
    """Exchangeable rows of three statistics, one of them heavy-tailed; levels on both sides of the stop."""
    rng = np.random.default_rng(2)
    levels = np.array([1.0, 1.0, 0.3])
    pvalues = []
    for _ in range(1500):
        t = np.c_[rng.normal(size=(400, 2)), rng.standard_t(2, size=400)]
        pvalues.append(judge_early(kmerf.Permutation(399), t[0], t[1:], levels, 50)[1].pvalue)
    for level in (0.01, 0.05, 0.1, 0.2, 0.5):
        assert np.mean(np.array(pvalues) <= level) < level + 3 * np.sqrt(level * (1 - level) / 1500)
    assert np.mean(np.array(pvalues) <= 0.05) > 0.03
