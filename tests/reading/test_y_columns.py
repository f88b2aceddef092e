"""When a y is classes."""

import numpy as np
import pandas as pd
import polars as pl

from kmerf.reading.samples import read_independence, read_ksample
from sample_tables import SCORE, VISITS, N, assert_same_response


def test_classes_of_y(plain):
    x = plain[0]
    codes = [c % 3 for c in range(N)]
    y = read_independence(x, codes, y_kind="categorical").y
    assert y.labels == ("0", "1", "2")
    assert y.codes.tolist() == codes
    np.testing.assert_array_equal(y.values, np.eye(3)[codes])
    assert_same_response(y, read_independence(x, np.array(codes, float), y_kind="categorical").y)
    assert_same_response(y, read_independence(x, list(map(str, codes)), y_kind="categorical").y)
    table = pl.DataFrame({"a": SCORE, "y": codes})
    assert_same_response(y, read_independence(table, "y", categorical=["y"]).y)


def test_boolean_y_is_classes_unless_declared_numeric(plain):
    flags = [v > 4 for v in VISITS]
    assert read_independence(plain[0], flags).y.labels == ("False", "True")
    assert read_independence(plain[0], flags, y_kind="numeric").y.values[:, 0].tolist() == flags


GRADES = ["marked", "none", "some", "none", "some", "marked", None, "some"]
ORDER = ["none", "some", "marked"]


def test_ordered_categories_of_y_keep_their_order():
    x, grades = np.arange(8.0), pd.Series(pd.Categorical(GRADES, ["bad", *ORDER], ordered=True), name="grade")
    sample = read_independence(x, grades)
    assert sample.y.kind == "numeric"
    assert sample.y.values.ravel().tolist() == [3, 1, 2, 1, 2, 3, 2]
    assert [str(note) for note in sample.notes] == [
        "1 row without a value in 'grade' dropped.",
        "y has ordered categories, none < some < marked, and is read as their ranks, 1 to 3; pass "
        "y_kind='categorical' to ignore the order.",
    ]
    assert read_independence(x, grades, y_kind="numeric").y.kind == "numeric"
    plain = read_independence(x, grades, y_kind="categorical")
    assert (plain.y.kind, plain.y.labels) == ("categorical", ("marked", "none", "some"))
    assert not [note for note in plain.notes if "order" in note]
    table = {"x": x, "grade": grades}
    assert read_independence(table, "grade").y.kind == "numeric"
    assert read_independence(table, "grade", categorical="grade").y.kind == "categorical"
    groups = read_ksample(table, groups="grade", missing_y="drop")
    assert groups.y.kind == "categorical"
    said = "The groups are ordered, and their order is not used; independence, with the groups as y, uses it."
    assert said in groups.notes


def test_the_order_of_an_enum_counts_unless_the_user_says_otherwise():
    x, grades = np.arange(8.0), pl.Series("grade", GRADES, dtype=pl.Enum(["bad", *ORDER]))
    sample = read_independence(x, grades)
    assert sample.y.kind == "numeric"
    assert any("pass y_kind='categorical' to ignore the order" in note for note in sample.notes)
    assert read_independence(x, grades, y_kind="categorical").y.kind == "categorical"
    assert sample.y.values.ravel().tolist() == [3, 1, 2, 1, 2, 3, 2]


def test_two_ordered_categories_are_classes():
    grades = pd.Series(pd.Categorical(["low", "high"] * 4, ["low", "high"], ordered=True))
    sample = read_independence(np.arange(8.0), grades)
    assert (sample.y.kind, sample.notes) == ("categorical", ())
