"""Whole numbers that floats cannot tell apart are refused, never taken for equal."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from kmerf.core.errors import InputError
from kmerf.reading.samples import read_features, read_independence

CLOSE = [2**60 + k for k in range(12)]
CONTAINERS = [np.array, list, pd.Series, pl.Series, lambda v: pd.Series([*v, None], dtype="Int64")]


@pytest.mark.parametrize("container", CONTAINERS)
def test_close_ones_are_refused(container):
    with pytest.raises(InputError, match=r"has whole numbers of 2\*\*53 or more, too close .*: subtract a constant"):
        read_features(container(CLOSE))


def test_a_y_of_close_ones_is_refused_too():
    with pytest.raises(InputError, match=r"y: column 'y' has whole numbers of 2\*\*53 or more"):
        read_independence(np.arange(12.0), np.array(CLOSE))


@pytest.mark.parametrize("container", [np.array, list, pd.Series, pl.Series])
def test_those_that_floats_tell_apart_are_read(container):
    far = [2**60 + 512 * k for k in range(12)]
    assert np.unique(read_features(container(far)).values).size == 12
    assert read_features(container(far)).values[:, 0].tolist() == [float(value) for value in far]
