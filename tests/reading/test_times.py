"""When rows were observed, as numbers."""

import numpy as np
import pytest

from kmerf.core.errors import InputError
from kmerf.reading.containers import read
from kmerf.reading.sample_building import check_length, split_order, times_of


def times(entries):
    _, column = split_order(read("x", {"a": np.arange(float(len(entries)))}), entries)
    return times_of(column).tolist()


def test_rows_in_the_order_of_the_table():
    rest, column = split_order(read("x", {"a": [3.0, 1.0, 2.0]}), True)
    assert [each.name for each in rest] == ["a"]
    assert times_of(column).tolist() == [0.0, 1.0, 2.0]
    assert split_order(read("x", {"a": [3.0, 1.0]}), None)[1] is None


@pytest.mark.parametrize(
    "entries",
    [
        ["2024-01-01", "2024-02-01", "2024-03-01"],
        ["2024-01", "2024-02", "2024-03"],
        ["Jan 2024", "Feb 2024", "Mar 2024"],
    ],
)
def test_months_are_counted(entries):
    assert times(entries) == [648.0, 649.0, 650.0]


def test_days_and_weeks_are_seconds():
    assert np.diff(times(["2024-01-01", "2024-01-02", "2024-01-04"])).tolist() == [86400.0, 172800.0]
    assert np.diff(times(["2024-W01", "2024-W02", "2024-W03"])).tolist() == [604800.0, 604800.0]


def test_what_is_refused():
    table = read("x", {"a": [1.0, 2.0, 3.0]})
    with pytest.raises(InputError, match="names the only column of x"):
        split_order(table, "a")
    with pytest.raises(InputError, match="is missing in 1 rows"):
        times([1.0, np.nan, 2.0])
    with pytest.raises(InputError, match="neither a number nor a date"):
        times(["early", "late", "later"])
    with pytest.raises(InputError, match="has 2 rows but x has 3"):
        check_length(split_order(table, [1.0, 2.0])[1], table)
