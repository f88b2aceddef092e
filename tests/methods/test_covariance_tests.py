"""The RV coefficient in its forms."""

import warnings

import numpy as np
import pytest

import oracles_baselines as oracle
from kmerf.core import arrays
from kmerf.methods import covariance_tests as rv_module

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # hyppo imports names that scipy has deprecated

from baseline_cases import make


def test_both_forms_of_rv_agree():
    x, y = (arrays.centred(values) for values in make(6, 5))
    order = np.random.default_rng(0).permutation(len(x))
    forms = [form.of(x, y) for form in (rv_module.ColumnProducts, rv_module.RowProducts)]
    assert forms[0](order) == pytest.approx(forms[1](order), rel=1e-10)
    assert forms[0](order) == pytest.approx(oracle.rv(x, y[order]), rel=1e-10)
    assert isinstance(rv_module.rv(*make(20, 20)), rv_module.RowProducts)
    assert isinstance(rv_module.rv(*make(20, 1)), rv_module.ColumnProducts)
