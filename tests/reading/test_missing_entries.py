"""Which entries of a container are missing."""

from __future__ import annotations

import datetime
import decimal
import fractions

import numpy as np
import pandas as pd
import pytest

from kmerf.core.errors import InputError
from kmerf.reading.containers import is_missing, missing_rows, read, without_mask


@pytest.mark.parametrize(
    "entry", [None, float("nan"), np.nan, np.float32("nan"), decimal.Decimal("nan"), pd.NA, pd.NaT], ids=repr
)
def test_what_is_missing(entry):
    assert is_missing(entry)
    assert read("x", [[1.0], [entry]])[0].missing.tolist() == [False, True]


@pytest.mark.parametrize(
    "entry",
    [
        "",
        "NA",
        "nan",
        0,
        False,
        np.False_,
        np.inf,
        decimal.Decimal(0),
        fractions.Fraction(0),
        1j,
        datetime.date.min,
        (),
    ],
    ids=repr,
)
def test_what_is_not(entry):
    assert not is_missing(entry)


@pytest.mark.parametrize("entry", [np.timedelta64("NaT"), np.datetime64("NaT")], ids=repr)
def test_dates_without_a_value_are_dates(entry):
    assert not is_missing(entry)
    with pytest.raises(InputError, match="dates or durations"):
        read("x", [[1.0], [entry]])


def test_rows_of_a_column():
    assert missing_rows(np.array([0.0, np.nan, np.inf])).tolist() == [False, True, False]
    assert missing_rows(np.array(["a", None, ""], dtype=object)).tolist() == [False, True, False]
    assert missing_rows(np.array([], dtype=object)).dtype == np.bool_


def test_masked_arrays():
    masked = np.ma.array([[1.0, 2.0], [3.0, 4.0]], mask=[[False, True], [False, False]])
    assert without_mask(masked).tolist() == [[1.0, None], [3.0, 4.0]]
    assert [column.missing.tolist() for column in read("x", masked)] == [[False, False], [True, False]]
    assert masked.data[0, 1] == 2.0
