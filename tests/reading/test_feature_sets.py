"""Sets of columns that the user names."""

import numpy as np
import pandas as pd
import pytest

import kmerf
from kmerf.core.errors import InputError
from kmerf.reading.samples import read_features


def data(n=80, p=6, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p))
    return x, 2 * x[:, 1] + rng.normal(size=n) * 0.5


@pytest.mark.parametrize(
    ("groups", "says"),
    [
        ({}, "feature_groups={} must name sets of columns"),
        ({"a": []}, r"feature_groups\['a'\] has no columns"),
        ({"a": ["x1", 0]}, r"feature_groups\['a'\] lists a column twice"),
        ({"a": ["x9"]}, "x9"),
    ],
)
def test_groups_that_make_no_sense_are_refused(groups, says):
    with pytest.raises(InputError, match=says):
        kmerf.independence(*data(20), feature_groups=groups)


def test_reading_sets_takes_names_before_positions():
    from kmerf.reading.named_columns import read_sets

    x = read_features(pd.DataFrame({"1": [1.0, 2.0], "0": [3.0, 5.0]}))
    assert read_sets("sets", {"a": [1]}, x) == {"a": [0]}
