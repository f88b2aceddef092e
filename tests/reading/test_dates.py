"""Dates and times as numbers by their meaning."""

import datetime

import numpy as np
import pandas as pd
import pytest

from kmerf.core.errors import InputError
from kmerf.reading.samples import read_independence


def daily(periods, **columns):
    rng = np.random.default_rng(0)
    days = pd.date_range("2012-01-01", periods=periods)
    return pd.DataFrame({"date": days, "a": rng.normal(size=periods), "y": rng.normal(size=periods), **columns})


def test_years_of_days_have_month_and_weekday():
    table = daily(1461)
    sample = read_independence(table, "y")
    assert sample.x.names == ("date (elapsed)", "date (month)", "date (weekday)", "a")
    np.testing.assert_allclose(sample.x.column(0), np.arange(1461.0))
    np.testing.assert_array_equal(sample.x.column(1), table["date"].dt.month)
    np.testing.assert_array_equal(sample.x.column(2), table["date"].dt.day_of_week + 1)
    assert sample.x.column_of.tolist() == [0, 1, 1, 2, 2, 3]
    assert sample.column_units == {"date (elapsed)": "days"}
    assert any("pass dates='drop'" in note for note in sample.notes)
    text = table.assign(date=table["date"].dt.strftime("%Y-%m-%d"))
    np.testing.assert_array_equal(read_independence(text, "y").x.values, sample.x.values)


def test_december_is_beside_january():
    sample = read_independence(daily(1461), "y")
    points = sample.x.values[:, 1:3]
    months = sample.x.column(1)
    gap = np.linalg.norm(points[months == 12][0] - points[months == 1][0])
    assert gap == pytest.approx(np.linalg.norm(points[months == 5][0] - points[months == 6][0]))


def test_what_dates_become_can_be_chosen():
    assert read_independence(daily(1461), "y", dates="elapsed").x.names == ("date (elapsed)", "a")
    assert read_independence(daily(1461), "y", dates="drop").x.names == ("a",)
    with pytest.raises(InputError, match="dates='no' is not an option"):
        read_independence(daily(30), "y", dates="no")


def test_times_of_day_are_hours():
    clock = [f"{11 + i % 12}:{i % 60:02}:30" for i in range(60)]
    sample = read_independence(daily(60, time=clock).drop(columns="date"), "y")
    assert sample.x.names == ("a", "time (hour)")
    assert sample.x.column(1)[0] == pytest.approx(11 + 30 / 3600)
    times = [datetime.time(2 * i % 24) for i in range(60)]
    wide = read_independence(daily(60, at=times).drop(columns="date"), "y")
    assert wide.x.cycle(1).period == 24.0


def test_durations_and_dates_as_y():
    table = daily(60, took=pd.to_timedelta(np.arange(60), unit="h"))
    sample = read_independence(table.drop(columns="date"), "y")
    assert sample.column_units == {"took": "hours"}
    response = read_independence(table[["a", "date"]], "date")
    np.testing.assert_allclose(response.y.values[:, 0], np.arange(60.0))


def test_the_day_may_be_first():
    known = daily(60).assign(date=lambda t: t["date"].dt.strftime("%d/%m/%Y"))
    assert "date (elapsed)" in read_independence(known, "y").x.names
    unknown = daily(8).assign(date=[f"0{i + 1}/0{i + 1}/2021" for i in range(8)])
    assert read_independence(unknown, "y").x.names == ("a",)
    with pytest.raises(InputError, match="pass dates='day-first' or dates='month-first'"):
        read_independence(unknown, "y", keep="date")
    assert "date (elapsed)" in read_independence(unknown, "y", dates="month-first").x.names


def test_levels_with_rows_enough_are_kept_and_rare_ones_pooled():
    rng = np.random.default_rng(1)
    towns = np.array([f"town {i}" for i in rng.integers(28, size=2000)], dtype=object)
    towns[:6] = [f"village {i}" for i in range(6)]
    sample = read_independence({"town": towns, "a": rng.normal(size=2000)}, rng.normal(size=2000))
    assert sample.x.names == ("town", "a")
    assert "(other levels)" in sample.x.categories[0]
    assert any("6 rare levels (6 rows) as one" in note for note in sample.notes)


def test_ordered_categories_keep_their_order_in_x():
    sizes = pd.Categorical(["S", "L", "M"] * 10, ["S", "M", "L"], ordered=True)
    sample = read_independence(pd.DataFrame({"size": sizes, "y": np.arange(30) * 7 % 11}), "y")
    assert sample.x.kinds == ("numeric",)
    assert sample.x.column(0)[:3].tolist() == [1.0, 3.0, 2.0]
