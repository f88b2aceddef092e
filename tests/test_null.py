"""From a statistic to a p-value."""

from dataclasses import dataclass

import numpy as np
import pytest

from kmerf.errors import InputError
from kmerf.method import Fit
from kmerf.null import ChiSquare, NullResult, Permutation, Resample, Run


@dataclass(frozen=True, eq=False)
class Covariance:
    """A problem simple enough to work out by hand: the absolute covariance of two columns of numbers."""

    x: np.ndarray
    y: np.ndarray

    @property
    def n(self) -> int:
        return len(self.x)

    def observe(self, n_jobs: int) -> Fit:
        return Fit(self.permuted(np.arange(self.n), 0))

    def permuted(self, order: np.ndarray, refit: int) -> float:
        return float(abs(np.mean((self.x - self.x.mean()) * (self.y[order] - self.y.mean()))))

    def doubts(self) -> str | None:
        return None


def problem(n: int = 30, seed: int = 0, slope: float = 0.0) -> Covariance:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return Covariance(x, slope * x + rng.normal(size=n))


def test_permutation_counts_statistics_at_or_above_the_observed_one():
    data = problem(slope=0.2)
    observed = data.observe(1).statistic
    result = Permutation(199)(data, observed, Run(seed=1))
    redrawn = [Resample(data, 1)(number) for number in range(1, 200)]
    assert result.distribution.tolist() == redrawn
    assert result.pvalue == (1 + sum(value >= observed for value in redrawn)) / 200
    assert result.standard_error == pytest.approx(np.sqrt(result.pvalue * (1 - result.pvalue) / 199))


def test_statistics_that_differ_by_rounding_are_ties():
    data = problem(n=6)
    highest = max(Permutation(50)(data, 0.0, Run(seed=3)).distribution)
    above = highest * (1 + 1e-13)
    assert Permutation(50)(data, above, Run(seed=3)).pvalue > 1 / 51
    assert Permutation(50)(data, highest * (1 + 1e-6), Run(seed=3)).pvalue == 1 / 51


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
    ours = Permutation(9999)(data, data.observe(1).statistic, Run(seed=4))
    assert ours.pvalue == pytest.approx(theirs, abs=5 * np.sqrt(2) * ours.standard_error)


def test_permutation_rejects_true_nulls_at_its_level():
    # 1000 nulls at level 0.1: the number of rejections is binomial; 0.05 and 0.15 are five standard errors away.
    values = [
        Permutation(19)(data, data.observe(1).statistic, Run(seed=seed)).pvalue
        for seed, data in ((seed, problem(n=10, seed=seed)) for seed in range(1000))
    ]
    assert 0.05 < np.mean(np.array(values) <= 0.1) < 0.15


@pytest.mark.parametrize("statistic", [-1.0, -0.01, 0.0, 0.02, 0.3])
def test_chi_square_is_scipys_tail(statistic):
    from scipy.stats import chi2

    data = problem(n=50)
    expected = chi2.sf(50 * statistic + 1, 1)
    assert ChiSquare()(data, statistic, Run(seed=0)).pvalue == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("bad", [0, -5, 2.5, True, "many"])
def test_the_number_of_resamples_is_checked(bad):
    with pytest.raises(InputError, match="n_resamples=.* must be a whole number of at least 1"):
        Permutation(bad)


@pytest.mark.parametrize("result", [NullResult("chi-square", 0.25), NullResult("permutation", 0.5, 0.1, np.ones(3))])
def test_a_null_result_survives_a_dictionary(result):
    assert NullResult.from_dict(result.to_dict()).to_dict() == result.to_dict()
