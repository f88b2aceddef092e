"""Canonical correlation and the normalised covariance."""

import warnings

import numpy as np
import pytest

import kmerf
import oracles_baselines as oracle
from kmerf import InputError
from kmerf.baselines import CCA, RV, NormalisedCovariance
from kmerf.methods import covariance_tests

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # hyppo imports names that scipy has deprecated

from baseline_cases import make, prepare, statistic


@pytest.mark.parametrize(("p", "q"), [(1, 1), (3, 1), (4, 2), (10, 8)])
def test_cca_equals_oracle(p, q):
    x, y = make(p, q)
    assert statistic(CCA(), x, y) == pytest.approx(oracle.canonical_correlation(x, y), rel=1e-10)
    assert statistic(CCA(), x, y) >= abs(np.corrcoef(x[:, 0], y[:, 0])[0, 1]) - 1e-12


def test_cca_does_not_mind_redundant_or_badly_scaled_columns():
    x, y = make(3, 2)
    wide = np.column_stack([1e6 * x, x.sum(axis=1), np.full(len(x), 0.1)])
    assert statistic(CCA(), wide, y) == pytest.approx(statistic(CCA(), x, y), rel=1e-10)


def test_normalised_covariance_is_rv_but_for_single_columns():
    x, y = make(3, 2)
    assert statistic(NormalisedCovariance(), x, y) == statistic(RV(scale="units"), x, y)
    assert statistic(NormalisedCovariance(), x, y[:, :1]) != pytest.approx(statistic(RV(scale="units"), x, y[:, :1]))
    assert isinstance(prepare(NormalisedCovariance(), x, y[:, :1]).statistic, covariance_tests.Covariances)


def test_too_many_columns_for_cca():
    with pytest.raises(InputError, match="CCA is 1 whatever the data"):
        kmerf.independence(*make(40, 10), method=CCA())
    assert 0.0 < statistic(CCA(), *make(39, 10)) <= 1.0
