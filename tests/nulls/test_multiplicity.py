"""Adjusted p-values, against definitions and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from kmerf.nulls.definitions import benjamini_hochberg, benjamini_yekutieli, holm


def test_holm_against_its_definition():
    p = np.random.default_rng(3).uniform(size=9) ** 3
    adjusted = holm(p)
    for level in np.linspace(0.01, 0.99, 50):
        order, called = np.argsort(p), set()
        for k, i in enumerate(order):  # step down until the first that is too large
            if p[i] > level / (9 - k):
                break
            called.add(i)
        assert called == set(np.flatnonzero(adjusted <= level))


@pytest.mark.parametrize(("adjust", "name"), [(benjamini_hochberg, "bh"), (benjamini_yekutieli, "by")])
def test_adjusted_p_values_are_scipys(adjust, name):
    rng = np.random.default_rng(0)
    for size in (1, 2, 7, 500):
        pvalues = np.round(rng.uniform(size=size) ** 2, 2)  # with ties
        np.testing.assert_allclose(adjust(pvalues), stats.false_discovery_control(pvalues, method=name), rtol=1e-12)


def test_tests_that_were_not_made_do_not_count():
    pvalues = np.array([0.02, np.nan, 0.01, 0.5, np.nan])
    for adjust in (benjamini_hochberg, benjamini_yekutieli):
        adjusted = adjust(pvalues)
        assert np.isnan(adjusted[[1, 4]]).all()
        np.testing.assert_array_equal(adjusted[[0, 2, 3]], adjust(pvalues[[0, 2, 3]]))
