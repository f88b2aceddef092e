"""The permutation null: counts, ties, and its level."""

import numpy as np
import pytest

from kmerf.core.errors import InputError
from kmerf.methods.protocol import Fit, observe
from kmerf.nulls.definitions import Permutation
from kmerf.nulls.judging import Resample, Run, judge_fit
from null_problems import problem


def test_permutation_counts_statistics_at_or_above_the_observed_one():
    data = problem(slope=0.2)
    observed = observe(data)
    result = judge_fit(Permutation(199), data, observed, Run(seed=1))
    redrawn = [float(Resample(data, 1)(number)[0][0]) for number in range(1, 200)]
    assert result.distribution.tolist() == redrawn
    assert result.pvalue == (1 + sum(value >= observed.statistic for value in redrawn)) / 200
    assert result.standard_error == pytest.approx(np.sqrt(result.pvalue * (1 - result.pvalue) / 199))


def test_statistics_that_differ_by_rounding_are_ties():
    data = problem(n=6)
    highest = max(judge_fit(Permutation(50), data, Fit.of("t", 0.0), Run(seed=3)).distribution)
    above = highest * (1 + 1e-13)
    assert judge_fit(Permutation(50), data, Fit.of("t", above), Run(seed=3)).pvalue > 1 / 51
    assert judge_fit(Permutation(50), data, Fit.of("t", highest * (1 + 1e-6)), Run(seed=3)).pvalue == 1 / 51


def test_permutation_agrees_with_scipys():
    from scipy.stats import permutation_test

    data = problem(n=40, seed=2, slope=0.25)
    theirs = permutation_test(
        (data.y,),
        lambda y: abs(np.mean((data.x - data.x.mean()) * (y - y.mean()))),
        permutation_type="pairings",
        n_resamples=9999,
        alternative="greater",
        vectorized=False,
        rng=0,
    ).pvalue
    ours = judge_fit(Permutation(9999), data, observe(data), Run(seed=4))
    assert ours.pvalue == pytest.approx(theirs, abs=5 * np.sqrt(2) * ours.standard_error)


def test_permutation_rejects_true_nulls_at_its_level():
    # 1000 nulls at level 0.1: the number of rejections is binomial; 0.05 and 0.15 are five standard errors away.
    values = [
        judge_fit(Permutation(19), data, observe(data), Run(seed=seed)).pvalue
        for seed, data in ((seed, problem(n=10, seed=seed)) for seed in range(1000))
    ]
    assert 0.05 < np.mean(np.array(values) <= 0.1) < 0.15


@pytest.mark.parametrize("bad", [0, -5, 2.5, True, "many"])
def test_the_number_of_resamples_is_checked(bad):
    with pytest.raises(InputError, match="n_resamples=.* must be a whole number of at least 1"):
        Permutation(bad)
