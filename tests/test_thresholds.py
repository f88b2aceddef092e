"""Limits that docs and docstrings state: on one side of them something else happens than on the other."""

import warnings

import numpy as np
import pytest

import kmerf
from kmerf import KMERF, ChiSquare, ForestSpec
from kmerf.reading.containers import number_codes


def test_a_code_of_missing_values_is_as_far_from_the_others_as_they_are_apart():
    assert number_codes(np.array([1.0, 20.0, 50.0, 99.0, 99.0])) == [99.0]  # 49 away from 50, which is 49 from 1
    assert number_codes(np.array([0.5, 20.0, 50.0, 99.0, 99.0])) == []
    assert number_codes(np.array([-9.0, -9.0, 0.0, 5.0, 9.0])) == [-9.0]


@pytest.mark.parametrize(("columns", "warned"), [(9, False), (10, True)])
def test_the_chi_square_null_is_doubted_from_ten_columns_on(columns, warned):
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(30, columns)), rng.normal(size=30)
    method = KMERF(ForestSpec(n_trees=20), proximity="all")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        kmerf.independence(x, y, method=method, null=ChiSquare(), rng=1, n_jobs=1)
    assert any("columns" in str(each.message) for each in caught) == warned
