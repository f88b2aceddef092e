"""Hsic and its bandwidths."""

import warnings

import pytest

import kmerf
from kmerf.baselines import Hsic

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # hyppo imports names that scipy has deprecated
    from hyppo.ksample import KSample

from baseline_cases import groups, make, statistic


@pytest.mark.parametrize("bandwidth", ["median", "hyppo"])
def test_bandwidth_does_not_matter_for_groups(bandwidth):
    samples = groups(3)
    found = kmerf.ksample(*samples, method=Hsic(bandwidth=bandwidth, scale="units"), null=kmerf.ChiSquare()).statistic
    assert found == pytest.approx(KSample("Hsic").statistic(*samples), rel=1e-10)


def test_hyppos_bandwidth_depends_on_the_units_of_y():
    x, y = make(3, 1)
    found = [statistic(Hsic(bandwidth="hyppo"), x, unit * y) for unit in (1e-2, 1.0, 1e2)]
    assert max(found) - min(found) > 0.02
