"""Dates and times as numbers by their meaning."""

import datetime

import numpy as np
import pandas as pd
import pytest

import kmerf
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
    assert sample.column_units == {"date (elapsed)": f"days since {table['date'].iloc[0]:%Y-%m-%d}"}
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


@pytest.mark.parametrize(
    ("texts", "days"),
    [
        (["2023-W01", "2023-W03"], [0.0, 14.0]),
        (["2023-01", "2023-03"], [0.0, 59.0]),
        (["01/2023", "3/2023"], [0.0, 59.0]),
        (["2023Q1", "2023-Q2"], [0.0, 90.0]),
        (["Q1 2023", "Q2 2023"], [0.0, 90.0]),
        (["Jan 2023", "March 2023"], [0.0, 59.0]),
        (["Jan 30, 2023", "Feb. 2, 2023"], [0.0, 3.0]),
        (["30 Jan 2023", "02-Feb-2023"], [0.0, 3.0]),
        (["1/30/2023 1:05 PM", "2/3/2023 1:05 am"], [0.0, 3.5]),
    ],
)
def test_weeks_months_quarters_and_dates_with_words(texts, days, tmp_path):
    y = np.random.default_rng(0).normal(size=40).round(3)
    table = {"when": texts * 20, "y": y.tolist()}
    pd.DataFrame(table).to_csv(tmp_path / "t.csv", index=False)
    for data in (table, kmerf.read_table(tmp_path / "t.csv")):
        sample = read_independence(data, "y", dates="elapsed")
        np.testing.assert_allclose(sample.x.column(0)[:2], days, atol=1e-9)


@pytest.mark.parametrize(
    ("texts", "numbers", "unit"),
    [
        (["59:30", "24:15", "3:00"], [59.5, 24.25, 3.0], "minutes"),
        (["26:30:00", "1:15:00"], [26.5, 1.25], "hours"),
        (["2h 30m", "3h", "45 min"], [2.5, 3.0, 0.75], "hours"),
        (["1d 12h", "6 days"], [1.5, 6.0], "days"),
    ],
)
def test_durations(texts, numbers, unit):
    sample = read_independence({"for": texts * 12, "a": np.arange(12.0 * len(texts)) % 7}, np.arange(12.0 * len(texts)))
    np.testing.assert_allclose(sample.x.column(0)[: len(texts)], numbers)
    assert sample.column_units == {"for": unit}


def test_dates_in_several_formats_are_asked_about():
    table = {"when": ["2024-01-15", "15/01/2024", "Jan 15, 2024", "2024-01-16"] * 5}
    with pytest.raises(InputError, match="holds dates in several formats, such as '2024-01-15' and '15/01/2024'"):
        read_independence(table, np.arange(20.0) * 7 % 11)
    labels = read_independence(table, np.arange(20.0) * 7 % 11, categorical="when")
    assert labels.x.kinds == ("categorical",)


def test_digits_are_dates_if_the_column_is_called_so():
    days = [20240101 + i for i in range(28)]
    y = np.arange(28.0) * 5 % 13
    assert read_independence({"date": days, "a": y * 3 % 7}, y).x.names[:2] == ("date (elapsed)", "date (weekday)")
    assert read_independence({"code": days, "a": y * 3 % 7}, y, keep="code").x.names == ("code", "a")
    wrong = [*days[:-1], 20240199]
    assert read_independence({"date": wrong, "a": y * 3 % 7}, y).x.names == ("date", "a")
