"""Dates: when they are, and which have an order."""

from __future__ import annotations

from datetime import datetime, timedelta

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kmerf.reading.where import moments, parsed
from tables import DATED

EPOCH = datetime(1970, 1, 1)


def moment(text):
    """Return the kind of a date and its microseconds since 1970, or None."""
    instants = moments(pl.Series([text], dtype=pl.String))
    return None if instants is None else (instants.kind, instants.series.to_physical().item())


@settings(deadline=None)
@given(st.datetimes(), st.integers(-14 * 60, 14 * 60), st.sampled_from([None, ":", "", " :"]), st.sampled_from("T "))
def test_moments_are_those_of_the_standard_library(when, offset, zone, between):
    day, hour, minute, rest = f"{when.year:04}-{when.month}-{when.day}", when.hour, when.minute, when.second
    text = f"{day}{between}{hour}:{minute:02}:{rest:02}.{when.microsecond:06}"
    expected = (when - EPOCH) // timedelta(microseconds=1)
    if zone is not None:
        blank, colon = zone[:-1], zone[-1:]
        text += f"{blank}{'-' if offset < 0 else '+'}{abs(offset) // 60:02}{colon}{abs(offset) % 60:02}"
        expected -= offset * 60_000_000
    assert moment(text) == ("date" if zone is None else "zoned date", expected)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("2024-1-5", "2024-01-05T00:00"),
        ("2024/1/5", "2024-01-05"),
        ("2024-1/5 9:30", "2024-01-05T09:30:00"),
        ("2024-01-05T09:30:00.5", "2024-01-05 09:30:00.500000"),
        ("2024-01-05T09:30:00.1234567", "2024-01-05 09:30:00.123456"),
        ("2024-01-05T09:30Z", "2024-01-05 10:30:00+01:00"),
        ("2024-01-05T09:30 Z", "2024-01-05 07:00 -0230"),
        ("0000-01-01", "0000-1-1"),
    ],
)
def test_the_same_moment_in_other_words(text, same):
    assert moment(text) == moment(same) is not None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "2021",
        "2021-02-30",
        "05/03/2021",
        "2021-01-01x",
        "12:00",
        "2021-1-1T1",
        "2021-01-01 10:00:60",
        "2021-01-01 24:00",
        "2021-01-01 10:60",
        "2021-01-01 10:00+99:99",
        "2021-01-01Z",
    ],
)
def test_what_is_no_moment(text):
    assert moment(text) is None


def test_missing_cells_stay_missing():
    instants = moments(pl.Series(["2021-01-01", None]))
    assert instants is not None
    assert instants.series.is_null().to_list() == [False, True]
    assert parsed(pl.Series([None, "x"], dtype=pl.String)).to_list() == [None, None]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("iso", "date"),
        ("slashed", "date"),
        ("noon", "date"),
        ("day", "date"),
        ("nanoseconds", "date"),
        ("zoned", "zoned date"),
        ("rome", "zoned date"),
        ("local", None),
        ("mixed", None),
        ("clock", None),
        ("length", None),
    ],
)
def test_which_columns_have_an_order(name, kind):
    instants = moments(pl.Series(DATED[name]))
    assert (None if instants is None else instants.kind) == kind
    assert instants is None or instants.series.dtype == pl.Datetime("us")
