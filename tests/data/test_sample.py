"""The door: the same data from any container give the same Sample, and every refusal says what to do."""

import datetime as dt
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from kmerf.core.errors import InputError
from kmerf.data.read_sample import read_features, read_independence, read_ksample

N = 12
AGE = [31.0, 45.5, None, 28.0, 60.0, 33.0, 41.0, 52.0, None, 38.0, 29.0, 47.0]
VISITS = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8]
SMOKER = [True, False, None, True, False, False, True, True, False, True, False, True]
SITE = ["rome", "bern", "oslo", None, "bern", "rome", "oslo", "oslo", "rome", "bern", "bern", "rome"]
ARM = ["b", "a", "c", "a", "b", "c", "a", "b", "c", "a", "b", "c"]
SCORE = [0.5, 1.5, 2.25, 3.0, 0.1, 9.0, 7.5, 6.0, 5.5, 4.0, 3.5, 2.0]
TABLE = {"age": AGE, "visits": VISITS, "smoker": SMOKER, "site": SITE}


def objects(columns):
    out = np.empty((N, len(columns)), dtype=object)
    for j, column in enumerate(columns.values()):
        out[:, j] = column
    return out


def pandas_nullable(columns):
    return pd.DataFrame(columns).convert_dtypes()


CONTAINERS = {
    "numpy": objects,
    "lists": lambda columns: [list(row) for row in zip(*columns.values(), strict=True)],
    "pandas": pd.DataFrame,
    "pandas-nullable": pandas_nullable,
    "pandas-object": lambda columns: pd.DataFrame(columns, dtype=object),
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "pyarrow-batch": pa.record_batch,
}
SERIES = {
    "numpy": np.array,
    "list": list,
    "tuple": tuple,
    "pandas": pd.Series,
    "polars": lambda v: pl.Series(list(v)),
    "pyarrow": lambda v: pa.chunked_array([list(v)]),
    "pyarrow-array": pa.array,
    "column": lambda v: np.array(v)[:, None],
    "frame": lambda v: pl.DataFrame({"y": list(v)}),
}


@pytest.fixture(params=CONTAINERS)
def container(request):
    return CONTAINERS[request.param]


@pytest.fixture(params=SERIES)
def series(request):
    return SERIES[request.param]


@pytest.fixture
def plain():
    """A sample that is in order, for tests that spoil one thing."""
    return np.column_stack([VISITS, SCORE]), np.array(SCORE)


def assert_same_features(a, b):
    np.testing.assert_array_equal(a.values, b.values)
    np.testing.assert_array_equal(a.column_of, b.column_of)
    assert (a.kinds, a.missing, a.categories) == (b.kinds, b.missing, b.categories)


def assert_same_response(a, b):
    np.testing.assert_array_equal(a.values, b.values)
    assert (a.kind, a.labels) == (b.kind, b.labels)
    assert (a.codes is None) == (b.codes is None)
    if a.codes is not None:
        np.testing.assert_array_equal(a.codes, b.codes)


# What comes out


def test_mixed_columns_from_every_container(container):
    names = list(TABLE)
    data = container(TABLE)
    named = not isinstance(data, np.ndarray | list)
    f = read_features(data, categorical=["site" if named else "x4"])
    assert f.names == (tuple(names) if named else ("x1", "x2", "x3", "x4"))
    assert f.kinds == ("numeric", "numeric", "boolean", "categorical")
    assert f.missing == (2, 0, 1, 1)
    assert (f.n, f.p) == (N, 4)
    assert f.column_of.tolist() == [0, 1, 2, 3, 3, 3]
    assert f.categories == ((), (), (), ("bern", "oslo", "rome"))
    expected = np.array([np.nan if a is None else a for a in AGE])
    np.testing.assert_array_equal(f.values[:, 0], expected)
    np.testing.assert_array_equal(f.values[:, 2], [np.nan if s is None else float(s) for s in SMOKER])
    one_hot = [[np.nan] * 3 if s is None else [float(s == c) for c in f.categories[3]] for s in SITE]
    np.testing.assert_array_equal(f.values[:, 3:], one_hot)


@pytest.mark.parametrize("values", [SCORE, VISITS, [v > 4 for v in VISITS], ARM], ids=["float", "int", "bool", "text"])
def test_y_from_every_container(series, values, plain):
    x = plain[0]
    assert_same_response(read_independence(x, series(values)).y, read_independence(x, np.array(values)).y)


def test_x_from_one_dimension(series):
    f = read_features(series(SCORE))
    assert f.values.shape == (N, 1)
    assert f.values[:, 0].tolist() == SCORE


@pytest.mark.parametrize(
    "typed",
    [
        pd.Series(pd.Categorical(SITE, categories=["rome", "oslo", "bern", "unused"])),
        pd.Series(pd.Categorical(SITE, ordered=True)),
        pl.Series(SITE, dtype=pl.Categorical),
        pl.Series(SITE, dtype=pl.Enum(["rome", "oslo", "bern", "unused"])),
        pa.array(SITE).dictionary_encode(),
        pa.chunked_array([pa.array(SITE).dictionary_encode()]),
        pa.chunked_array([pa.array(SITE[:5]).dictionary_encode(), pa.array(SITE[5:]).dictionary_encode()]),
    ],
)
def test_categorical_dtypes_need_no_declaration_and_sort_alike(typed, plain):
    assert_same_features(read_features(typed), read_features(SITE, categorical="x1"))
    y = read_independence(plain[0], typed, missing_y="drop").y
    assert y.labels == ("bern", "oslo", "rome")
    assert y.kind == "categorical"


def test_numeric_categories_sort_by_value():
    codes = [10, 9, 100, 9, 10, 100]
    for data in (codes, np.array(codes, float), pd.Series(pd.Categorical(codes)), list(map(str, codes))):
        assert read_features(data, categorical=[0]).categories == (("9", "10", "100"),)


def test_categories_may_be_numbers_of_any_length():
    huge = [10**400, 10**5000, 10**400]
    f = read_features(pd.Series(pd.Categorical(huge)))
    assert [len(label) for label in f.categories[0]] == [401, 5001]


def test_intervals_of_pandas_cut_are_categories():
    f = read_features(pd.cut(pd.Series(SCORE), [0, 2, 5, 10]))
    assert f.categories == (("(0, 2]", "(2, 5]", "(5, 10]"),)


def test_boolean_declared_categorical():
    assert read_features([True, False, None], categorical="x1").categories == (("False", "True"),)


@pytest.mark.parametrize("declared", ["site", ["site"], 3, [3], (np.int64(3),), np.array(["site"])])
def test_categorical_by_name_or_position(declared):
    assert read_features(pl.DataFrame(TABLE), categorical=declared).kinds[3] == "categorical"


def test_pandas_columns_named_by_number_are_declared_by_name():
    f = read_features(pd.DataFrame({1: [1, 2, 1], 0: [5, 6, 7]}), categorical=[1])
    assert f.names == ("1", "0")
    assert f.kinds == ("categorical", "numeric")


@pytest.mark.parametrize(
    "x",
    [
        pa.table({"a": pa.nulls(3)}),
        pl.DataFrame({"a": [None] * 3}),
        pl.DataFrame({"a": pl.Series([None] * 3, dtype=pl.String)}),
        pd.DataFrame({"a": [pd.NA, None, pd.NaT]}, dtype=object),
        [None, np.nan, None],
    ],
)
def test_all_missing_column_is_kept(x):
    f = read_features(x)
    assert f.kinds == ("numeric",)
    assert f.missing == (3,)
    assert np.isnan(f.values).all()


def test_all_missing_category_keeps_one_column():
    f = read_features([[None, 1.0], [None, 2.0]], categorical="x1")
    assert f.column_of.tolist() == [0, 1]
    assert f.categories == ((), ())
    assert f.missing == (2, 0)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (np.ma.MaskedArray([1, 2, 3], mask=[0, 1, 0]), [1, np.nan, 3]),
        ([Decimal("1.5"), None, 2], [1.5, np.nan, 2]),
        (pl.Series(["1.5", None, "2"]).cast(pl.Decimal(10, 2)), [1.5, np.nan, 2]),
        (pd.Series(pd.arrays.SparseArray([0.0, 0.0, 1.0])), [0, 0, 1]),
        (pd.Index([1, 2, 3]), [1, 2, 3]),
        (memoryview(np.array([1.0, 2.0, 3.0])), [1, 2, 3]),
        (np.array([True, 2, None], dtype=object), [1, 2, np.nan]),
        (np.array([1, 2, 3], dtype=np.float16), [1, 2, 3]),
        (pd.Series([1, None, 3], dtype="int64[pyarrow]"), [1, np.nan, 3]),
    ],
)
def test_unusual_numbers(data, expected):
    np.testing.assert_array_equal(read_features(data).values[:, 0], expected)


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
    assert s.notes == ("1 row with a missing y was dropped.",)


def test_note_on_whole_numbers_that_may_be_codes(plain):
    notes = read_independence(plain[0], [c % 3 for c in range(N)]).notes
    assert notes == (
        "y has 3 distinct whole numbers and is read as numeric; pass y_kind='categorical' if they are class codes.",
    )
    assert read_independence(*plain).notes == ()


# New rows


def test_new_rows_take_the_columns_and_categories_of_old_ones():
    old = read_features(pl.DataFrame(TABLE), categorical="site")
    new = pd.DataFrame({"site": ["rome", None], "smoker": [True, False], "age": [1.0, 2.0], "visits": [1, 2]})
    f = read_features(new, like=old)
    assert f.names == old.names
    assert f.categories == old.categories
    np.testing.assert_array_equal(f.values, [[1, 1, 1, 0, 0, 1], [2, 2, 0, np.nan, np.nan, np.nan]])


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


# Invariance and safety


@pytest.mark.parametrize("seed", range(5))
def test_rows_may_come_in_any_order(seed, container):
    order = np.random.default_rng(seed).permutation(N)
    shuffled = {k: [v[i] for i in order] for k, v in TABLE.items()}
    f, g = (read_features(container(t), categorical=[3]) for t in (TABLE, shuffled))
    np.testing.assert_array_equal(g.values, f.values[order])
    assert (g.categories, g.missing) == (f.categories, f.missing)


@pytest.mark.parametrize("seed", range(5))
def test_numbers_are_the_same_from_every_container(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(9, 3))
    x[rng.random(x.shape) < 0.2] = np.nan
    expected = read_features(x)
    columns = dict(zip("abc", x.T, strict=True))
    for data in (
        x.tolist(),
        np.asfortranarray(x),
        x.astype(object),
        pd.DataFrame(columns),
        pl.DataFrame(columns),
        pa.table(columns),
        list(x),
        tuple(map(tuple, x)),
    ):
        assert_same_features(read_features(data), expected)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("width", [1, 3])
def test_outputs_are_read_only_copies(order, width):
    x = np.array(np.random.default_rng(0).normal(size=(6, width)), order=order)
    y = np.arange(6.0)
    before = x.copy()
    s = read_independence(x, y)
    for out in (s.x.values, s.x.column_of, s.y.values):
        assert not out.flags.writeable
        assert out.flags.c_contiguous
        assert not np.shares_memory(out, x)
        assert not np.shares_memory(out, y)
    assert s.x.column_of.dtype == np.int64
    assert not read_independence(x, ["a", "b"] * 3).y.codes.flags.writeable
    np.testing.assert_array_equal(x, before)
    assert x.flags.writeable
    assert y.flags.writeable


def test_the_callers_tables_are_left_alone(container):
    data = container(TABLE)
    read_features(data, categorical=[3])
    f, g = (read_features(d, categorical=[3]) for d in (data, container(TABLE)))
    assert_same_features(f, g)
    if isinstance(data, pd.DataFrame):
        pd.testing.assert_frame_equal(data, container(TABLE))


def test_numpy_users_do_not_pay_for_narwhals():
    code = (
        "import sys, numpy\nfrom kmerf.data.read_sample import read_independence\n"
        "read_independence(numpy.arange(8.0).reshape(4, 2), [1.0, 2.0, 3.0, 5.5])\n"
        "assert not {'narwhals', 'pandas', 'polars', 'pyarrow'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# Refusals


X = np.column_stack([VISITS, SCORE])


def with_entry(entry, row=3):
    out = X.astype(object)
    out[row, 1] = entry
    return out


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (np.zeros((2, 2, 2)), r"x has 3 dimensions, \(2, 2, 2\): make it rows by columns"),
        (np.float64(3), "x is of type float64: pass an array, a list or a dataframe"),
        ("data.csv", "x is of type str: pass an array"),
        ({"a": [1]}, "x is of type dict: pass an array"),
        (np.zeros((5, 0)), "x is empty: it has no columns"),
        (pd.DataFrame(), "x is empty: it has no columns"),
        (np.zeros((0, 2)), "x is empty: it has no rows"),
        ([], "x is empty: it has no rows"),
        (pl.DataFrame({"a": []}), "x is empty: it has no rows"),
        ([[1, 2], [3]], r"x: column 'x1' holds \[1, 2\] in row 0 .*: only numbers, true/false, text and None"),
        ([np.zeros((2, 2)), np.zeros((2, 3))], "x has rows of different lengths: pass a rectangular table"),
        (with_entry(np.inf), r"x: column 'x2' is infinite in row 3 \(counted from 0\): put a number or NaN"),
        (with_entry(-np.inf).astype(float), "x: column 'x2' is infinite in row 3"),
        (pl.DataFrame({"a": [1.0, float("inf")]}), "x: column 'a' is infinite in row 1"),
        (with_entry("?"), r"x: column 'x2' holds text, '\?' in row 3 .*: pass categorical=\['x2'\] if it holds"),
        (pl.DataFrame({"site": SITE}), r"x: column 'site' holds text, 'rome' in row 0 .*categorical=\['site'\]"),
        (np.array([["a", "b"]]), r"x: column 'x1' holds text, 'a' in row 0"),
        (with_entry({1}), r"x: column 'x2' holds \{1\} in row 3 \(counted from 0\): only numbers"),
        (with_entry(b"5"), "x: column 'x2' holds b'5' in row 3"),
        (pd.DataFrame({"a": [[1, 2], [3, 4]]}), r"x: column 'a' holds \[1, 2\] in row 0"),
        (pl.DataFrame({"a": [[1], [2]]}), r"x: column 'a' holds \[1\] in row 0"),
        (with_entry(1j), "x: column 'x2' holds complex numbers: pass real and imaginary parts as two columns"),
        (np.array([1j, 2]), "x: column 'x1' holds complex numbers"),
        (pd.DataFrame({"a": [1j, 2]}), "x: column 'a' holds complex numbers"),
        (
            with_entry(dt.date(2020, 1, 1)),
            "x: column 'x2' holds dates or durations: convert them to numbers such as days",
        ),
        (np.array(["2020-01-01"], dtype="M8[ns]"), "x: column 'x1' holds dates or durations"),
        (pd.DataFrame({"a": pd.to_datetime(["2020-01-01"])}), "x: column 'a' holds dates or durations"),
        (pl.DataFrame({"a": [dt.timedelta(1)]}), "x: column 'a' holds dates or durations"),
        (pa.table({"a": [dt.datetime(2020, 1, 1)]}), "x: column 'a' holds dates or durations"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "x has duplicate column names: rename them"),
        (pd.DataFrame([[1, 2]], columns=[1, "1"]), "x has duplicate column names, '1': rename them"),
        (pa.Table.from_arrays([pa.array([1])] * 2, names=["a", "a"]), "x has duplicate column names: rename"),
        (pl.LazyFrame({"a": [1]}), r"x is a lazy table: call \.collect\(\)"),
        (pa.record_batch([pa.array([1])] * 2, names=["a", "a"]), "x has duplicate column names, 'a': rename them"),
        (with_entry(10**400), r"x: column 'x2' is infinite in row 3 .* \(floats end at 1\.8e308\)"),
        (with_entry(-(10**5000)).tolist(), "x: column 'x2' is infinite in row 3"),
        (with_entry(Fraction(10**400, 3)), "x: column 'x2' is infinite in row 3"),
        (pd.DataFrame({"a": [1, 10**400]}), "x: column 'a' is infinite in row 1"),
    ],
)
def test_unreadable_x(x, message):
    with pytest.raises(InputError, match=message):
        read_features(x)


def test_errors_name_the_argument():
    with pytest.raises(InputError, match="new is empty"):
        read_features([], argument="new")
    with pytest.raises(InputError, match="y has 3 dimensions"):
        read_independence(X, np.zeros((N, 1, 1)))
    with pytest.raises(InputError, match="y is empty"):
        read_independence(X, [])
    with pytest.raises(InputError, match="sample '2': column 'x1' holds text, 'a' in row 1"):
        read_ksample([1.0, 2.0], [1.0, "a"])


def test_too_many_categories():
    with pytest.raises(InputError, match="x: column 'x1' has 1001 categories, more than 1000: merge rare ones"):
        read_features(np.arange(1001), categorical=[0])


def test_labels_too_long_for_floats():
    with pytest.raises(InputError, match=r"x: column 'x1' has labels of 2\*\*53 or more.*: convert them to text"):
        read_features([2**53, 2**53 + 1], categorical=[0])


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ("stie", r"categorical: there is no column 'stie'; did you mean 'site'\? Columns: 'age', 'visits'"),
        ([4], r"categorical: there is no column 4\."),
        ([-1], r"categorical: there is no column -1\."),
        (None, "categorical: there is no column None"),
        ([True], r"categorical: there is no column True[;.]"),
        (np.array([True]), r"categorical: there is no column (np\.)?True_?[;.]"),
    ],
)
def test_unknown_categorical(declared, message):
    with pytest.raises(InputError, match=message):
        read_features(pl.DataFrame(TABLE), categorical=declared)


def test_long_lists_of_columns_are_cut():
    with pytest.raises(InputError, match=r"'x8', \.\.\. \(20 in all\)"):
        read_features(np.zeros((2, 20)), categorical="q")


@pytest.mark.parametrize(
    ("new", "message"),
    [
        ([[1.0, "z"]], "x: column 'x2' holds 'z', not one of 'a', 'b': set it to missing"),
        ([[1.0]], "x and the x read before have 1 and 2 columns, 'x2' not in both: give both the same"),
        ([["q", "a"]], r"x: column 'x1' holds text, 'q' in row 0"),
    ],
)
def test_new_rows_that_do_not_fit(new, message):
    old = read_features([[1.0, "a"], [2.0, "b"]], categorical="x2")
    with pytest.raises(InputError, match=message):
        read_features(new, like=old)


def test_new_rows_of_another_kind():
    old = read_features(pl.DataFrame({"a": [1, 2]}))
    with pytest.raises(InputError, match="x: column 'a' is categorical, but was numeric before: convert it"):
        read_features(pl.DataFrame({"a": pl.Series(["u"], dtype=pl.Categorical)}), like=old)


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
