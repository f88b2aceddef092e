"""From a statistic to a p-value."""

from dataclasses import dataclass

import numpy as np
import pytest

from kmerf.core.errors import InputError, KmerfError
from kmerf.data.exchangeability import Exchange
from kmerf.methods.protocol import Fit, observe
from kmerf.nulls.chi_square import ChiSquare
from kmerf.nulls.extrapolated import Extrapolated, tail_ratio
from kmerf.nulls.judging import find_pvalue, weigh
from kmerf.nulls.permutation import Permutation
from kmerf.nulls.registry import default_null
from kmerf.nulls.resampling import Resample, Run
from kmerf.results.parts import NullResult


@dataclass(frozen=True, eq=False)
class Covariance:
    """A problem simple enough to work out by hand: the absolute covariance of two columns of numbers."""

    x: np.ndarray
    y: np.ndarray

    @property
    def n(self) -> int:
        return len(self.x)

    @property
    def learns(self) -> bool:
        return True

    def fit(self, order: np.ndarray, refit: int, n_jobs: int = 1, reasons: bool = False) -> Fit:
        return Fit.of("covariance", float(abs(np.mean((self.x - self.x.mean()) * (self.y[order] - self.y.mean())))))

    def doubts(self) -> str | None:
        return None


def problem(n: int = 30, seed: int = 0, slope: float = 0.0) -> Covariance:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return Covariance(x, slope * x + rng.normal(size=n))


def test_permutation_counts_statistics_at_or_above_the_observed_one():
    data = problem(slope=0.2)
    observed = observe(data)
    result = find_pvalue(Permutation(199), data, observed, Run(seed=1))
    redrawn = [float(Resample(data, 1)(number)[0][0]) for number in range(1, 200)]
    assert result.distribution.tolist() == redrawn
    assert result.pvalue == (1 + sum(value >= observed.statistic for value in redrawn)) / 200
    assert result.standard_error == pytest.approx(np.sqrt(result.pvalue * (1 - result.pvalue) / 199))


def test_statistics_that_differ_by_rounding_are_ties():
    data = problem(n=6)
    highest = max(find_pvalue(Permutation(50), data, Fit.of("t", 0.0), Run(seed=3)).distribution)
    above = highest * (1 + 1e-13)
    assert find_pvalue(Permutation(50), data, Fit.of("t", above), Run(seed=3)).pvalue > 1 / 51
    assert find_pvalue(Permutation(50), data, Fit.of("t", highest * (1 + 1e-6)), Run(seed=3)).pvalue == 1 / 51


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
    ours = find_pvalue(Permutation(9999), data, observe(data), Run(seed=4))
    assert ours.pvalue == pytest.approx(theirs, abs=5 * np.sqrt(2) * ours.standard_error)


def test_permutation_rejects_true_nulls_at_its_level():
    # 1000 nulls at level 0.1: the number of rejections is binomial; 0.05 and 0.15 are five standard errors away.
    values = [
        find_pvalue(Permutation(19), data, observe(data), Run(seed=seed)).pvalue
        for seed, data in ((seed, problem(n=10, seed=seed)) for seed in range(1000))
    ]
    assert 0.05 < np.mean(np.array(values) <= 0.1) < 0.15


@pytest.mark.parametrize("statistic", [-1.0, -0.01, 0.0, 0.02, 0.3])
def test_chi_square_is_scipys_tail(statistic):
    from scipy.stats import chi2

    data = problem(n=50)
    expected = chi2.sf(50 * statistic + 1, 1)
    assert find_pvalue(ChiSquare(), data, Fit.of("t", statistic), Run(seed=0)).pvalue == pytest.approx(
        expected, rel=1e-12
    )


@pytest.mark.parametrize("bad", [0, -5, 2.5, True, "many"])
def test_the_number_of_resamples_is_checked(bad):
    with pytest.raises(InputError, match="n_resamples=.* must be a whole number of at least 1"):
        Permutation(bad)


@pytest.mark.parametrize("slope", [0.0, 0.2, 0.4])
def test_extrapolated_decides_as_the_exact_test_does(slope):
    for seed in range(40):
        data = problem(seed=seed, slope=slope)
        observed = observe(data)
        exact = find_pvalue(Permutation(99), data, observed, Run(seed=seed))
        result = find_pvalue(Extrapolated(99), data, observed, Run(seed=seed))
        assert result.distribution.tolist() == exact.distribution.tolist()
        if exact.pvalue > 0.01:
            assert (result.pvalue, result.extrapolated) == (exact.pvalue, False)
        else:
            assert 0 < result.pvalue <= 0.01
            assert result.extrapolated


def test_extrapolated_p_values_fall_with_the_statistic_and_get_small():
    data = problem(n=40)
    largest = find_pvalue(Permutation(99), data, Fit.of("t", 0.0), Run(seed=0)).distribution.max()
    values = [
        find_pvalue(Extrapolated(), data, Fit.of("t", factor * largest), Run(seed=0)).pvalue
        for factor in (1.0001, 2, 5, 20, 50)
    ]
    assert values == sorted(values, reverse=True)
    assert values[0] == pytest.approx(0.01, rel=0.01)
    assert values[-1] < 1e-8


def test_no_p_value_is_extrapolated_from_statistics_that_do_not_vary():
    result = Extrapolated().judge(5.0, np.zeros(99), 30)
    assert (result.pvalue, result.extrapolated) == (0.01, False)


def test_no_p_value_is_below_one_in_the_number_of_arrangements():
    data = problem(n=60)
    few = Run(seed=0, exchange=Exchange(log_arrangements=np.log(1770)))
    assert find_pvalue(Extrapolated(), data, Fit.of("t", 1e6), few).pvalue == pytest.approx(1 / 1770)
    assert find_pvalue(Extrapolated(), data, Fit.of("t", 1e6), Run(seed=0)).pvalue < 1e-8


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_statistic_that_is_not_a_number_has_no_p_value(bad):
    with pytest.raises(KmerfError, match="not a finite number"):
        find_pvalue(Permutation(19), problem(), Fit.of("t", bad), Run(seed=0))


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
    # hold with probability at most 100 a. 20,000 draws: the standard errors are 0.002 and 0.0007.
    rng = np.random.default_rng(0)
    values = np.sort(draw(rng, (20_000, 100)), axis=1)
    p = np.array([tail_ratio(row[-1], row[:-1]) for row in values]) / 100
    assert np.mean(p <= 0.001) < 0.1 + 0.008
    assert np.mean(p <= 0.0001) < 0.01 + 0.003


def test_tiny_samples_get_the_exact_test():
    assert default_null(problem(n=19)) == Permutation(999)
    assert default_null(problem(n=20)) == Extrapolated(99)


@pytest.mark.parametrize("result", [NullResult("chi-square", 0.25), NullResult("permutation", 0.5, 0.1, np.ones(3))])
def test_a_null_result_survives_a_dictionary(result):
    assert NullResult.from_dict(result.to_dict()).to_dict() == result.to_dict()


def test_a_p_value_is_never_zero():
    verdict = weigh(ChiSquare(), np.array([1.0]), np.empty((0, 1)), np.ones(1), 10**6, Exchange())
    assert 0.0 < verdict.null.pvalue < 1e-300
