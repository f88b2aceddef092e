"""Permutations that stop early: by hand, and their level."""

from __future__ import annotations

import numpy as np
import pytest

import kmerf
from kmerf import baselines
from kmerf.core.errors import KmerfError
from kmerf.data.exchangeability import Exchange
from kmerf.nulls.definitions import BesagClifford, Permutation
from kmerf.nulls.judging import judge_draws
from kmerf.screening.screening import screen


def sequential(null, statistic, draws, n, stop=20):
    return judge_draws(BesagClifford(null, stop), statistic, draws, n, Exchange()).null


def test_null_columns_of_rivals_keep_the_level_though_they_stop_early():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(20, 600)), rng.normal(size=20)
    found = screen(x, y, method=baselines.RV(), null=Permutation(399), rng=1)
    assert found.draws.mean() < 150
    for level in (0.05, 0.2):
        assert np.mean(found.pvalues <= level) == pytest.approx(level, abs=3 * np.sqrt(level * (1 - level) / 600))


def test_sequential_stopping_by_hand():
    draws = [0.0, 5.0, 1.0, 0.5, 1.0 - 1e-14, 9.0, 0.0, 0.0]
    stopped = sequential(Permutation(8), 1.0, draws, n=10, stop=3)  # the third is equal but for rounding
    assert stopped.pvalue == 3 / 5
    assert stopped.distribution.size == 5
    assert stopped.standard_error == pytest.approx(0.6 * np.sqrt(0.4 / 3))
    assert sequential(Permutation(8), 1.0, draws, n=10, stop=5).pvalue == 5 / 9  # four of eight
    assert sequential(Permutation(4), 1.0, draws, n=10, stop=3).pvalue == 3 / 5  # two of four
    assert sequential(Permutation(8), 10.0, draws, n=10).pvalue == 1 / 9
    with pytest.raises(KmerfError, match="not a finite number"):
        sequential(Permutation(8), 1.0, [0.0, np.nan], n=10)


def test_sequential_p_values_are_never_too_frequent():
    rng = np.random.default_rng(0)
    pvalues = np.array(
        [sequential(Permutation(99), rng.random(), iter(rng.random, 2), n=9).pvalue for _ in range(4000)]
    )
    for level in (0.02, 0.05, 0.1, 0.5):
        assert np.mean(pvalues <= level) <= level + 3 * np.sqrt(level * (1 - level) / 4000)


def test_a_forest_that_never_saw_y_is_not_grown_again():
    from sklearn.ensemble import RandomTreesEmbedding

    x = np.random.default_rng(0).normal(size=(30, 3))
    method = kmerf.KMERF(RandomTreesEmbedding(20, max_depth=3), proximity="all")
    found = screen(x, x[:, 0], method=method, rng=1)
    assert found.selected == ("x1",)
    assert found.draws.max() == 999
