"""When dates are, as objects and as text, in the same words as files have it."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest

from kmerf.reading import where
from kmerf.reading.containers import read
from kmerf.reading.sample_building import moments

DAYS = [dt.date(2021, 3, 5), dt.date(2021, 3, 6), dt.date(2021, 4, 1)]


def of(entries):
    return moments(read("x", {"when": entries}, strict=False)[0])


@pytest.mark.parametrize(
    "make",
    [
        list,
        pd.Series,
        lambda days: pd.Series(pd.to_datetime(days)),
        lambda days: np.array(days, dtype="M8[ns]"),
        pl.Series,
    ],
)
def test_dates_of_every_container(make):
    assert (of(make(DAYS)) / 86400).tolist() == [18691, 18692, 18718]


def test_missing_dates():
    seconds = of(pd.Series(pd.to_datetime(["2021-03-05", None, "2021-03-06"])))
    assert np.isnan(seconds).tolist() == [False, True, False]


@pytest.mark.parametrize(
    "texts",
    [
        ["2024-1-31", "2024-02-01"],
        ["2024/01/31 9:30", "2024-01-31T09:30:15.25"],
        ["2024-01-31T12:00+02:00", "2024-01-31 9:30Z", "2024-01-31 12:00 -0130"],
        ["2024-01-31", "2024-01-31 9:30Z"],
        ["2024-02-30"],
        ["05/03/2021"],
        ["2021-03-05 10:00:60"],
    ],
)
def test_text_is_read_as_in_files(texts):
    ours, theirs = of(texts), where.moments(pl.Series(texts))
    assert (ours is None) == (theirs is None)
    if ours is not None:
        assert (ours * 1e6).tolist() == theirs.series.to_physical().to_list()


@pytest.mark.parametrize("entries", [[dt.time(9), dt.time(10)], [dt.timedelta(1), dt.timedelta(2)]])
def test_times_of_day_and_durations_have_no_order(entries):
    assert of(entries) is None
