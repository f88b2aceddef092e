"""Which columns y and groups name, and when a list is data instead."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from kmerf.reading.samples import read_independence, read_ksample
from sample_tables import ARM, SCORE, VISITS, assert_same_response


def test_a_list_of_text_is_labels_unless_it_names_columns():
    table = pl.DataFrame({"visits": VISITS, "score": SCORE})
    assert read_independence(table, ARM).y.labels == ("a", "b", "c")
    assert read_independence(table, ["score"]).x.names == ("visits",)


DAY = pd.Timestamp("2020-01-01")


@pytest.mark.parametrize(
    ("labels", "key"),
    [
        ([0, 1, 2], 1),
        ([0, 1, 2], "1"),
        ([0, 1, 2], np.int64(1)),
        ([0, 1, 2], 1.0),
        ([0.0, 1.0, 2.0], 1),
        (["0", "1", "2"], 1),
        (["a", 0.5, 2], 0.5),
        (["a", True, 2], True),
        (["a", DAY, 2], DAY),
        (["a", pd.Period("2020"), 2], pd.Period("2020")),
        ([("a", "a"), ("a", "b"), ("a", "c")], [("a", "b")]),
    ],
)
def test_y_and_groups_name_columns_by_any_label(labels, key):
    table = pd.DataFrame(dict(zip(labels, (VISITS, [v > 4 for v in VISITS], SCORE), strict=True)))
    for s in (read_independence(table, key), read_ksample(table, groups=key)):
        assert s.x.p == 2
        assert s.x.values.tolist() == np.column_stack([VISITS, SCORE]).tolist()
        assert s.y.codes.tolist() == [int(v > 4) for v in VISITS]
        assert all(isinstance(name, str) for name in (*s.x.names, *s.y.names))


def test_a_list_of_numbers_is_data_unless_it_names_columns():
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(5, 6)))
    values = [3, 0, 4, 1, 2]
    assert read_independence(table, values).y.values[:, 0].tolist() == values
    s = read_independence(table, [3, 0])
    assert s.y.names == ("3", "0")
    assert s.x.names == ("1", "2", "4", "5")
    np.testing.assert_array_equal(s.y.values, table[[3, 0]])


def test_groups_may_be_a_list_of_one_name():
    table = pl.DataFrame({"score": SCORE, "arm": ARM})
    assert_same_response(read_ksample(table, groups=["arm"]).y, read_ksample(table, groups="arm").y)


def test_names_of_y(plain):
    x = plain[0]
    assert read_independence(x, SCORE).y.names == ("y",)
    assert read_independence(x, np.column_stack([SCORE, VISITS])).y.names == ("y1", "y2")
    assert read_independence(x, pd.Series(SCORE, name="score")).y.names == ("score",)
