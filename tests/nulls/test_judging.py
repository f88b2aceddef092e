"""From statistics to a p-value."""

import numpy as np
import pytest

from kmerf.core.errors import KmerfError
from kmerf.data.exchangeability import Exchange
from kmerf.methods.protocol import Fit
from kmerf.nulls.definitions import ChiSquare, Extrapolated, Permutation
from kmerf.nulls.judging import Run, judge, judge_fit
from null_problems import problem


def test_no_p_value_is_below_one_in_the_number_of_arrangements():
    data = problem(n=60)
    few = Run(seed=0, exchange=Exchange(log_arrangements=np.log(1770)))
    assert judge_fit(Extrapolated(), data, Fit.of("t", 1e6), few).pvalue == pytest.approx(1 / 1770)
    assert judge_fit(Extrapolated(), data, Fit.of("t", 1e6), Run(seed=0)).pvalue == 1e-4
    fewer = Run(seed=0, exchange=Exchange(log_arrangements=np.log(20)))
    limited = judge_fit(Extrapolated(), data, Fit.of("t", 1e6), fewer)
    assert limited.pvalue == pytest.approx(1 / 20)  # which is all there is to know
    assert (limited.bound, limited.modelled, limited.extrapolated) == (None, None, False)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_statistic_that_is_not_a_number_has_no_p_value(bad):
    with pytest.raises(KmerfError, match="not a finite number"):
        judge_fit(Permutation(19), problem(), Fit.of("t", bad), Run(seed=0))


def test_a_p_value_is_never_zero():
    verdict = judge(ChiSquare(), np.array([1.0]), np.empty((0, 1)), np.ones(1), 10**6, Exchange())
    assert 0.0 < verdict.null.pvalue < 1e-300
