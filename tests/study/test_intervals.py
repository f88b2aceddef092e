"""Wilson's interval: against scipy, and its coverage."""

import pytest
from scipy.stats import binom, binomtest

from kmerf.study.estimate import wilson


@pytest.mark.parametrize(("successes", "total"), [(0, 10), (3, 10), (10, 10), (480, 500)])
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_it_is_scipys(successes, total, confidence):
    theirs = binomtest(successes, total).proportion_ci(confidence, method="wilson")
    assert wilson(successes, total, confidence) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_it_holds_the_truth_about_as_often_as_it_says():
    for truth in (0.05, 0.3, 0.8):
        holds = [k for k in range(201) if wilson(k, 200)[0] <= truth <= wilson(k, 200)[1]]
        assert sum(binom.pmf(k, 200, truth) for k in holds) == pytest.approx(0.95, abs=0.02)
