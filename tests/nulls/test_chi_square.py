"""The chi-square null."""

import pytest

from kmerf.methods.protocol import Fit
from kmerf.nulls.definitions import ChiSquare
from kmerf.nulls.judging import Run, judge_fit
from null_problems import problem


@pytest.mark.parametrize("statistic", [-1.0, -0.01, 0.0, 0.02, 0.3])
def test_chi_square_is_scipys_tail(statistic):
    from scipy.stats import chi2

    data = problem(n=50)
    expected = chi2.sf(50 * statistic + 1, 1)
    assert judge_fit(ChiSquare(), data, Fit.of("t", statistic), Run(seed=0)).pvalue == pytest.approx(
        expected, rel=1e-12
    )
