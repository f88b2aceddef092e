"""Limits that docs and docstrings state: on one side of them something else happens than on the other."""

import math
import warnings

import numpy as np
import pytest

import kmerf
from kmerf import KMERF, ChiSquare, Extrapolated, ForestSpec
from kmerf.nulls.combining import scores, scores_among
from kmerf.planning.pilot import Scores, fit_growth
from kmerf.reading.missing_entries import number_codes


def test_a_code_of_missing_values_is_as_far_from_the_others_as_they_are_apart():
    assert number_codes(np.array([1.0, 20.0, 50.0, 99.0, 99.0])) == [99.0]  # 49 away from 50, which is 49 from 1
    assert number_codes(np.array([0.5, 20.0, 50.0, 99.0, 99.0])) == []
    assert number_codes(np.array([-9.0, -9.0, 0.0, 5.0, 9.0])) == [-9.0]


@pytest.mark.parametrize(("rows", "leaf"), [(199, 1), (200, 4), (500, 10), (999, 19), (1000, 20), (5000, 20)])
def test_leaves_grow_to_one_in_50_rows_and_at_most_20(rows, leaf):
    spec = ForestSpec(grow_leaves=True, bootstrap=False)
    assert spec.rules(rows, 3, False).min_leaf == leaf
    assert ForestSpec(bootstrap=False).rules(rows, 3, False).min_leaf == 1


@pytest.mark.parametrize(("columns", "warned"), [(9, False), (10, True)])
def test_the_chi_square_null_is_doubted_from_ten_columns_on(columns, warned):
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(30, columns)), rng.normal(size=30)
    method = KMERF(ForestSpec(n_trees=20), proximity="all")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        kmerf.independence(x, y, method=method, null=ChiSquare(), rng=1, n_jobs=1)
    assert any("columns" in str(each.message) for each in caught) == warned


def test_the_tail_is_the_largest_tenth():
    """The model by its formula, with m = 10 of 99 permuted statistics."""
    distribution = np.random.default_rng(2).gumbel(size=99)
    statistic = float(distribution.max() + 2.0)
    ordered = np.sort(scores(distribution[:, None]).ravel())[::-1]
    beyond = float(scores_among(np.array([[statistic]]), distribution[:, None])[0, 0]) - ordered[0]
    typical = (ordered[:10] - ordered[10]).mean()
    expected = 0.01 * max(0.01, (1 + beyond / (10 * typical)) ** -10)
    assert Extrapolated(99).judge(statistic, distribution, 50).pvalue == pytest.approx(expected, rel=1e-12)


def test_the_error_of_a_pilot_counts_what_is_estimated_beside_its_height():
    """By a factor of 1.2, with which intervals hold the truth as often as they say (docs/how-to/planning.md)."""
    rng = np.random.default_rng(3)
    parts = [Scores(size, rng.normal(size / 20, 1.0, 30), rng.normal(size=30)) for size in (20, 40, 80)]
    found = fit_growth(parts, 100, 0.05).error
    assert found == pytest.approx(1.2 * math.sqrt(0.8 + 0.2 / 30))
