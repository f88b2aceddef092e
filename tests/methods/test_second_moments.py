"""Second moments, against hyppo's RV coefficient of all squares and products, made one by one."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import rankdata

import kmerf
from kmerf.data.read_sample import read_independence, read_ksample
from kmerf.methods import second_moments as moments
from kmerf.methods.protocol import observe
from kmerf.methods.second_moments import Moments


def features(x):
    n, p = x.shape
    ranks = np.column_stack([rankdata(column) for column in x.T]) - (n + 1) / 2
    z = ranks / ranks.std(axis=0)
    squares = [z[:, j] ** 2 - (z[:, j] ** 2).mean() for j in range(p)]
    pairs = [z[:, i] * z[:, j] for i, j in combinations(range(p), 2)]
    return np.column_stack([*(square / square.std() for square in squares), *pairs])


@pytest.mark.parametrize("p", [1, 2, 5, 40])
def test_it_is_the_rv_coefficient_of_squares_and_products(hyppo, p):
    rng = np.random.default_rng(p)
    one, other = np.round(rng.normal(size=(25, p)), 1), np.round(1.5 * rng.normal(size=(30, p)), 1)  # with ties
    problem = Moments().prepare(read_ksample(one, other), 0)
    groups = np.repeat([0.0, 1.0], [25, 30])[:, None]
    order = rng.permutation(55)
    left = features(np.vstack([one, other]))
    for found, rows in ((observe(problem).statistic, np.arange(55)), (problem.fit(order, 1).statistic, order)):
        assert found == pytest.approx(hyppo.independence.RV().statistic(left, groups[rows]), rel=1e-9)


def test_numbers_are_ranked(hyppo):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(40, 3)), np.exp(rng.normal(size=(40, 2)))
    ranks = np.column_stack([rankdata(column) for column in y.T])
    found = observe(Moments().prepare(read_independence(x, y), 0)).statistic
    assert found == pytest.approx(hyppo.independence.RV().statistic(features(x), ranks), rel=1e-9)


def test_groups_that_differ_in_correlations_alone_are_told_apart():
    rng = np.random.default_rng(1)
    apart, together = rng.normal(size=(50, 6)), 0.6 * rng.normal(size=(50, 6)) + 0.8 * rng.normal(size=(50, 1))
    result = kmerf.ksample(apart, together, rng=2)
    scores = {member.name: member.score for member in result.members}
    assert max(scores, key=scores.get) == "moments"
    assert result.pvalue < 0.01


def test_constant_columns_and_missing_values_do_not_stop_it():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(60, 3))
    x[:, 1] = 2.0
    found, alone = (
        observe(Moments().prepare(read_ksample(each[:30], each[30:]), 0)).statistic for each in (x, x[:, [0, 2]])
    )
    assert found == pytest.approx(alone, rel=1e-9)
    x[::7, 0] = np.nan
    assert np.isfinite([member.statistic for member in kmerf.ksample(x[:30], x[30:], rng=1).members]).all()


@pytest.mark.parametrize("p", [3, 70])
def test_same_bits_whatever_the_threads_of_the_algebra(p):
    from threadpoolctl import threadpool_limits

    x = np.random.default_rng(p).normal(size=(300, p))
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            found.append(moments.products(x))
    assert (found[0] == found[1]).all()


def test_more_rows_than_pairs_can_be_kept_for_are_refused(monkeypatch):
    monkeypatch.setattr(moments, "ROWS_IN_MEMORY", 50)
    x = np.random.default_rng(0).normal(size=(60, 2))
    with pytest.raises(kmerf.InputError, match="x has 60 rows, and Moments keeps a number for each pair: give it 50"):
        kmerf.ksample(x[:30], x[30:], method=Moments())
