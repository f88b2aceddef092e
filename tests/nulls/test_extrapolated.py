"""The extrapolated null: exact where permutations decide, and a tail that is not too light."""

import numpy as np
import pytest

from kmerf.methods.protocol import Fit, observe
from kmerf.nulls.definitions import Extrapolated, Permutation, scores, scores_among, tail_ratio
from kmerf.nulls.judging import Run, judge_fit
from null_problems import problem


@pytest.mark.parametrize("slope", [0.0, 0.2, 0.4])
def test_extrapolated_decides_as_the_exact_test_does(slope):
    for seed in range(40):
        data = problem(seed=seed, slope=slope)
        observed = observe(data)
        exact = judge_fit(Permutation(99), data, observed, Run(seed=seed))
        result = judge_fit(Extrapolated(99), data, observed, Run(seed=seed))
        assert result.distribution.tolist() == exact.distribution.tolist()
        if exact.pvalue > 0.01:
            assert (result.pvalue, result.extrapolated) == (exact.pvalue, False)
        else:
            assert 0 < result.pvalue <= 0.01
            assert result.extrapolated


def test_extrapolated_p_values_fall_with_the_statistic_and_get_small():
    data = problem(n=40)
    largest = judge_fit(Permutation(99), data, Fit.of("t", 0.0), Run(seed=0)).distribution.max()
    values = [
        judge_fit(Extrapolated(), data, Fit.of("t", factor * largest), Run(seed=0)).pvalue
        for factor in (1.0001, 2, 5, 20, 50)
    ]
    assert values == sorted(values, reverse=True)
    assert values[0] == pytest.approx(0.01, rel=0.01)
    assert values[-1] == 1e-4  # the square of the smallest that 99 permutations can give: no model goes further


def test_what_the_ranks_say_is_kept_beside_the_model():
    data = problem(n=40)
    result = judge_fit(Extrapolated(), data, Fit.of("t", 1e6), Run(seed=0))
    assert (result.bound, result.modelled, result.pvalue) == (0.01, 1e-4, 1e-4)
    some = judge_fit(Extrapolated(), data, Fit.of("t", float(np.sort(result.distribution)[-2])), Run(seed=0))
    assert (some.bound, some.modelled, some.extrapolated) == (None, None, False)


def test_no_p_value_is_extrapolated_from_statistics_that_do_not_vary():
    result = Extrapolated().judge(5.0, np.zeros(99), 30)
    assert (result.pvalue, result.extrapolated) == (0.01, False)


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng, size: rng.chisquare(1, size),  # the heaviest tail that a kernel correlation's null can have
        lambda rng, size: rng.chisquare(2, size),
        lambda rng, size: rng.normal(size=size),
    ],
)
def test_the_extrapolated_tail_is_not_too_light(draw):
    # The largest of 100 exchangeable values is the observed one with probability 1/100; given that, p <= a should
    # hold with probability at most 100 a. 8,000 draws: the standard errors are 0.0034 and 0.0011.
    rng = np.random.default_rng(0)
    values = np.sort(draw(rng, (8_000, 100)), axis=1)
    p = np.array([tail_ratio(row[-1], row[:-1]) for row in values]) / 100
    assert np.mean(p <= 0.001) < 0.1 + 0.013
    assert np.mean(p <= 0.0001) < 0.01 + 0.0045


@pytest.mark.parametrize(("size", "m"), [(19, 3), (99, 10), (199, 20), (999, 100)])
def test_the_tail_is_fitted_to_a_tenth_of_the_permuted_statistics(size, m):
    values = np.random.default_rng(size).chisquare(1, size)
    statistic = 3.0 * values.max()
    ordered = sorted(scores(values[:, None]).ravel().tolist(), reverse=True)
    d = float(scores_among(np.array([[statistic]]), values[:, None])[0, 0]) - ordered[0]
    e = sum(each - ordered[m] for each in ordered[:m]) / m
    assert d > 0
    assert tail_ratio(statistic, values) == pytest.approx((1 + d / (m * e)) ** -m, rel=1e-9)
