"""From x and y, or from groups, to a sample; every refusal says what to do."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from kmerf.core.errors import InputError
from kmerf.data.read_sample import read_features, read_independence, read_ksample
from sample_tables import AGE, SCORE, SITE, VISITS, N, X, assert_same_features

ARM = ["b", "a", "c", "a", "b", "c", "a", "b", "c", "a", "b", "c"]


def assert_same_response(a, b):
    np.testing.assert_array_equal(a.values, b.values)
    assert (a.kind, a.labels) == (b.kind, b.labels)
    assert (a.codes is None) == (b.codes is None)
    if a.codes is not None:
        np.testing.assert_array_equal(a.codes, b.codes)


@pytest.mark.parametrize("values", [SCORE, VISITS, [v > 4 for v in VISITS], ARM], ids=["float", "int", "bool", "text"])
def test_y_from_every_container(series, values, plain):
    x = plain[0]
    assert_same_response(read_independence(x, series(values)).y, read_independence(x, np.array(values)).y)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("y", ["score", ["score"], ("score",)])
def test_y_names_a_column(make, y):
    s = read_independence(make({"visits": VISITS, "score": SCORE, "age": AGE}), y)
    assert s.x.names == ("visits", "age")
    assert s.y.names == ("score",)
    assert s.y.values[:, 0].tolist() == SCORE
    assert (s.n, s.y.n, s.y.q, s.y.kind, s.y.codes, s.y.labels) == (N, N, 1, "numeric", None, ())


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


def test_several_y_columns_become_one_numeric_matrix():
    table = pl.DataFrame({"x": SCORE, "visits": VISITS, "old": [v > 4 for v in VISITS], "arm": ARM})
    y = read_independence(table, ["visits", "old", "arm"]).y
    assert y.kind == "numeric"
    assert y.codes is None
    assert y.names == ("visits", "old", "arm")
    expected = [[v, v > 4, *(a == c for c in "abc")] for v, a in zip(VISITS, ARM, strict=True)]
    np.testing.assert_array_equal(y.values, np.array(expected, float))
    only = read_independence(table, ["visits", "arm"], categorical="visits").y
    assert only.q == len(set(VISITS)) + 3


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


def test_a_name_that_x_and_y_share_is_x():
    x, y = pl.DataFrame({"g": [c % 3 for c in range(N)]}), pl.Series("g", VISITS)
    s = read_independence(x, y, categorical="g")
    assert s.x.kinds == ("categorical",)
    assert s.y.kind == "numeric"


def test_dropping_rows_with_a_missing_y(series):
    y = [np.nan, *SCORE[1:11], np.nan]
    x = np.column_stack([VISITS, [1.0] * 11 + [2.0]])
    s = read_independence(x, series(y), missing_y="drop")
    assert (s.n, s.dropped) == (10, 2)
    assert s.notes[0] == "2 rows with a missing y were dropped."
    np.testing.assert_array_equal(s.x.values, x[1:11])
    assert s.y.values[:, 0].tolist() == SCORE[1:11]


def test_categories_of_dropped_rows_are_gone():
    s = read_independence(["z", *ARM[1:]], [None, *SCORE[1:]], categorical=[0], missing_y="drop")
    assert s.x.categories == (("a", "b", "c"),)
    assert s.notes == ("1 row with a missing y was dropped, among them 1 of 1 with x1 'z'.",)


def test_note_on_whole_numbers_that_may_be_codes(plain):
    notes = read_independence(plain[0], [c % 3 for c in range(N)]).notes
    assert notes == (
        "y has 3 distinct whole numbers and is read as numeric; pass y_kind='categorical' if they are class codes.",
    )
    assert read_independence(*plain).notes == ()


# k samples
def test_samples_are_stacked(series):
    s = read_ksample(series(SCORE[:5]), series(SCORE[5:]))
    assert s.x.values[:, 0].tolist() == SCORE
    assert s.y.codes.tolist() == [0] * 5 + [1] * 7
    assert s.y.names == ("group",)
    assert (s.y.kind, s.y.labels) == ("categorical", ("1", "2"))


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_three_ways_to_give_groups_agree(make):
    rows = [i for g in "abc" for i in range(N) if ARM[i] == g]
    whole = {"score": [SCORE[i] for i in rows], "site": [SITE[i] for i in rows], "arm": [ARM[i] for i in rows]}
    parts = {
        g: make({k: [v for v, a in zip(whole[k], whole["arm"], strict=True) if a == g] for k in ("score", "site")})
        for g in "abc"
    }
    by_dict = read_ksample(parts, categorical="site")
    by_name = read_ksample(make(whole), groups="arm", categorical=["site"])
    by_labels = read_ksample(make({k: whole[k] for k in ("score", "site")}), groups=whole["arm"], categorical=[1])
    for s in (by_name, by_labels):
        assert_same_features(s.x, by_dict.x)
        assert_same_response(s.y, by_dict.y)
    assert by_name.y.names == ("arm",)
    assert by_labels.y.names == by_dict.y.names == ("group",)
    assert by_dict.x.names == ("score", "site")


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


def test_boolean_groups():
    assert read_ksample(SCORE, groups=[v > 4 for v in VISITS]).y.labels == ("False", "True")


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


def test_missing_groups_can_be_dropped():
    s = read_ksample(SCORE, groups=[None, *ARM[1:]], missing_y="drop")
    assert s.n == N - 1
    assert s.notes == ("1 row with a missing group was dropped.",)


def test_errors_name_the_argument():
    with pytest.raises(InputError, match="new is empty"):
        read_features([], argument="new")
    with pytest.raises(InputError, match="y has 3 dimensions"):
        read_independence(X, np.zeros((N, 1, 1)))
    with pytest.raises(InputError, match="y is empty"):
        read_independence(X, [])
    with pytest.raises(InputError, match="sample '2': column 'x1' holds text, 'a' in row 1"):
        read_ksample([1.0, 2.0], [1.0, "a"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"y": SCORE[:7]}, "x has 12 rows but y has 7: pass one a row"),
        ({"y": ["a", "b", "a"]}, "x has 12 rows but y has 3"),
        ({"y": [*SCORE[:9], None, np.nan, None]}, "y is missing in 3 rows: fill in, or pass missing_y='drop' to drop"),
        ({"y": [*ARM[:11], None]}, "y is missing in 1 row: fill in"),
        (
            {"y": [1.0, 2.0, 3.0] + [None] * 9, "missing_y": "drop"},
            r"x has only 3 usable rows \(9 dropped for a missing y\): a test needs at least 4",
        ),
        ({"x": X[:3], "y": SCORE[:3]}, "x has only 3 usable rows"),
        ({"y": np.ones(N)}, "y is constant, 1.0 in every row: a test needs at least two values"),
        ({"y": ["a"] * N}, "y is constant, a in every row"),
        ({"x": np.ones((N, 2))}, "x is constant in every column, so nothing can depend on it: pass one that varies"),
        ({"x": np.full((N, 2), np.nan)}, "x is constant in every column"),
        ({"x": ["a"] * N, "categorical": [0]}, "x is constant in every column"),
        ({"y": [*SCORE[:11], np.inf]}, "y: column 'y' is infinite in row 11"),
        (
            {"y": [str(v) for v in SCORE]},
            "y: column 'y' holds numbers as text, such as '0.5': convert it to numbers, "
            "or pass y_kind='categorical' if they are labels",
        ),
        ({"y": ARM, "y_kind": "numeric"}, "y: column 'y' is text, but y_kind='numeric': convert it to numbers"),
        ({"y": pd.Series(ARM, dtype="category"), "y_kind": "numeric"}, "y: column 'y' is categorical, but y_kind="),
        (
            {"y": SCORE, "y_kind": "categorical"},
            "y: column 'y' has another class in every row: pass numbers, or classes",
        ),
        ({"y": list("abcdefghijkl")}, "y: column 'y' has another class in every row"),
        ({"y": [dt.date(2020, 1, d + 1) for d in range(N)]}, "y: column 'y' holds dates or durations"),
        ({"y": np.ones(N) * 1j}, "y: column 'y' holds complex numbers"),
        ({"y_kind": "classes"}, r"y_kind='classes' is not an option"),
        ({"missing_y": "dorp"}, r"missing_y='dorp' is not an option; did you mean 'drop'\?"),
        (
            {"x": pl.DataFrame({"target": SCORE, "u": VISITS}), "y": "tragte"},
            r"y: there is no column 'tragte'; did you mean 'target'\? Columns: 'target', 'u'",
        ),
        ({"x": pl.DataFrame({"target": SCORE, "u": VISITS}), "y": ["u", "targe"]}, "y: there is no column 'targe'"),
        ({"x": pl.DataFrame({"target": SCORE}), "y": "target"}, "x is empty: it has no columns besides y"),
        ({"x": pd.DataFrame(X), "y": 2}, r"y: there is no column 2\. Columns: '0', '1'\."),
        ({"x": pd.DataFrame(X), "y": True}, r"y: there is no column True\."),
        ({"x": pd.DataFrame(X), "y": [1, 2]}, "x has 12 rows but y has 2"),
        ({"x": pd.DataFrame(X), "y": None}, "y is of type NoneType: pass an array"),
        ({"y": (v for v in SCORE)}, "y is of type generator: pass an array"),
        ({"y": [*SCORE[:11], 10**400]}, "y: column 'y' is infinite in row 11"),
    ],
)
def test_independence_refuses(options, message):
    arguments = {"x": X, "y": SCORE} | options
    with pytest.raises(InputError, match=message):
        read_independence(arguments.pop("x"), arguments.pop("y"), **arguments)


def test_constant_columns_beside_others_are_fine():
    s = read_independence(
        np.column_stack([SCORE, np.ones(N), np.full(N, np.nan)]), np.column_stack([SCORE, np.ones(N)])
    )
    assert s.x.missing == (0, 0, N)


def test_a_constant_with_missing_cells_varies():
    assert read_independence([1.0, None, 1.0, None], [1.0, 2.5, 3.0, 4.0]).x.missing == (2,)


CAT = pl.DataFrame({"a": pl.Series(["u", "v"], dtype=pl.Categorical)})


@pytest.mark.parametrize(
    ("samples", "options", "message"),
    [
        ((), {}, "samples: 0 given: pass two or more, or one table with groups= a column"),
        ((X,), {}, "samples: 1 given: pass two or more"),
        (({"a": X},), {}, "samples: 1 given"),
        ((X, X), {"groups": ARM}, "groups was given with 2 samples: pass one table with groups, or samples"),
        (({"a": X, "b": X},), {"groups": ARM}, "groups was given with 2 samples"),
        (({"1": X, 1: X},), {}, "samples: two groups have the same name in '1', '1': rename one"),
        ((X, X[:0]), {}, "sample '2' is empty: it has no rows"),
        (({"a": X, "b": X[:0]},), {}, "sample 'b' is empty: it has no rows"),
        ((X, X[:1]), {}, "samples: group '2' has one row: give it two or more, or leave it out"),
        ((X,), {"groups": ["z", *ARM[1:]]}, "groups: group 'z' has one row"),
        ((X[:, 1],), {"groups": np.arange(N)}, "groups: group '0' has one row"),
        ((X,), {"groups": ["a"] * N}, "groups: there is only one group, a in every row: a test needs at least two"),
        ((X,), {"groups": ARM[:5]}, "x has 12 rows but groups has 5: pass one a row"),
        ((X,), {"groups": [None, *ARM[1:]]}, "groups is missing in 1 row: fill in, or pass missing_y='drop'"),
        ((X,), {"groups": X}, "groups has 2 columns: pass one label a row"),
        (
            (pl.DataFrame({"arm": ARM, "u": SCORE}),),
            {"groups": "amr"},
            r"groups: there is no column 'amr'; did you mean 'arm'\?",
        ),
        ((pl.DataFrame({"arm": ARM}),), {"groups": "arm"}, "x is empty: it has no columns besides groups"),
        ((X, X[:, :1]), {}, "sample '2' and the first sample have 1 and 2 columns, 'x2' not in both: give both"),
        ((pl.DataFrame({"a": [1, 2]}), pl.DataFrame({"b": [1, 2]})), {}, "1 and 1 columns, 'a', 'b' not in both"),
        (
            (CAT, pl.DataFrame({"a": [1, 2]})),
            {},
            r"samples: column 'a' is categorical in sample '1', numeric in "
            r"sample '2': convert it, or pass categorical=\['a'\]",
        ),
        ((X[:1], X[1:2]), {}, "x has only 2 usable rows"),
        ((np.ones(4), np.ones(4)), {}, "x is constant in every column"),
        ((X, X), {"categorical": "x9"}, "categorical: there is no column 'x9'"),
        ((X, X), {"missing_y": "keep"}, "missing_y='keep' is not an option"),
    ],
)
def test_ksample_refuses(samples, options, message):
    with pytest.raises(InputError, match=message):
        read_ksample(*samples, **options)
