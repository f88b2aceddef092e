"""Samples one below the other."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from kmerf.core.errors import InputError
from kmerf.reading.samples import read_ksample
from sample_tables import SCORE, VISITS


def test_samples_are_stacked(series):
    s = read_ksample(series(SCORE[:5]), series(SCORE[5:]))
    assert s.x.values[:, 0].tolist() == SCORE
    assert s.y.codes.tolist() == [0] * 5 + [1] * 7
    assert s.y.names == ("group",)
    assert (s.y.kind, s.y.labels) == ("categorical", ("1", "2"))


def test_order_of_groups_does_not_matter():
    a, b = SCORE[:5], SCORE[5:]
    s, t = read_ksample({"b": b, "a": a}), read_ksample({"a": a, "b": b})
    assert s.y.labels == t.y.labels == ("a", "b")
    assert sorted(zip(s.y.codes, s.x.values[:, 0], strict=True)) == sorted(
        zip(t.y.codes, t.x.values[:, 0], strict=True)
    )


@pytest.mark.parametrize("labels", [[10, 9, 10, 9], ["10", "9", "10", "9"], [10.0, 9.0, 10.0, 9.0]])
def test_group_labels_sort_by_value(labels):
    s = read_ksample([1.0, 2, 3, 4], groups=labels)
    assert s.y.labels == ("9", "10")
    assert s.y.codes.tolist() == [1, 0, 1, 0]


def test_more_than_nine_samples_keep_their_order():
    s = read_ksample(*np.arange(22.0).reshape(11, 2))
    assert s.y.labels == tuple(map(str, range(1, 12)))
    assert s.y.codes.tolist() == np.repeat(np.arange(11), 2).tolist()


def test_tables_are_aligned_by_name_and_categories_shared():
    a = pl.DataFrame({"u": [1.0, 2.0], "site": ["rome", "bern"]})
    b = pd.DataFrame({"site": ["oslo", "rome"], "u": [3.0, 4.0]})
    s = read_ksample(a, b, categorical="site")
    np.testing.assert_array_equal(s.x.values, [[1, 0, 0, 1], [2, 1, 0, 0], [3, 0, 1, 0], [4, 0, 0, 1]])


def test_lists_of_rows_keep_their_columns():
    s = read_ksample([[1, 2], [3, 4]], [[5, 6], [7, 8]])
    assert s.x.names == ("x1", "x2")
    assert s.x.values.tolist() == [[1, 2], [3, 4], [5, 6], [7, 8]]


def test_series_under_two_names_are_one_variable():
    table = pd.DataFrame({"before": SCORE, "after": VISITS})
    assert read_ksample(table["before"], table["after"]).x.names == ("x1",)


def test_a_column_missing_throughout_one_sample_takes_its_kind_from_the_others():
    a = pl.DataFrame({"site": [None, None], "u": [1, 2]})
    b = pl.DataFrame({"site": ["x", "y"], "u": [True, False]})
    s = read_ksample(a, b, categorical="site")
    assert s.x.kinds == ("categorical", "numeric")
    assert s.x.missing == (2, 0)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, dict])
def test_text_and_numbers_under_one_name_are_refused_or_labels_if_declared(frame):
    text, numbers = frame({"a": ["u", "v", "u", "v"]}), frame({"a": [1.0, 2.0, 1.0]})
    with pytest.raises(InputError, match=r"samples: column 'a' is text in sample '1', numeric in sample '2': convert"):
        read_ksample(text, numbers)
    assert read_ksample(text, numbers, categorical=["a"]).x.categories == (("1", "2", "u", "v"),)
    flags = read_ksample(frame({"a": [True, False]}), numbers)  # true and false are numbers too
    assert flags.x.values[:, 0].tolist() == [1.0, 0.0, 1.0, 2.0, 1.0]
