"""The same columns from any container are the same numbers, and what cannot be read is refused."""

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
from kmerf.reading.samples import read_features, read_independence, read_like
from sample_tables import AGE, SCORE, SITE, VISITS, N, X, assert_same_features

SMOKER = [True, False, None, True, False, False, True, True, False, True, False, True]
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


@pytest.fixture(params=CONTAINERS)
def container(request):
    return CONTAINERS[request.param]


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
    y = read_independence(plain[0], typed, missing_y="drop", y_kind="categorical").y
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


# New rows
def test_new_rows_take_the_columns_and_categories_of_old_ones():
    old = read_features(pl.DataFrame(TABLE), categorical="site")
    new = pd.DataFrame({"site": ["rome", None], "smoker": [True, False], "age": [1.0, 2.0], "visits": [1, 2]})
    f = read_like(new, old)
    assert f.names == old.names
    assert f.categories == old.categories
    np.testing.assert_array_equal(f.values, [[1, 1, 1, 0, 0, 1], [2, 2, 0, np.nan, np.nan, np.nan]])


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


def test_the_callers_tables_are_left_alone(container):
    data = container(TABLE)
    read_features(data, categorical=[3])
    f, g = (read_features(d, categorical=[3]) for d in (data, container(TABLE)))
    assert_same_features(f, g)
    if isinstance(data, pd.DataFrame):
        pd.testing.assert_frame_equal(data, container(TABLE))


def test_numpy_users_do_not_pay_for_narwhals():
    code = (
        "import sys, numpy\nfrom kmerf.reading.samples import read_independence\n"
        "read_independence(numpy.arange(8.0).reshape(4, 2), [1.0, 2.0, 3.0, 5.5])\n"
        "assert not {'narwhals', 'pandas', 'polars', 'pyarrow'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


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
        ({"a": [[1, 2]]}, "x: column 'a' has 2 columns: give each name one value per row"),
        ({"a": [1], "b": [1, 2]}, "x has columns of different lengths, 1 to 2: give each one value per row"),
        (np.zeros((5, 0)), "x is empty: it has no columns"),
        (pd.DataFrame(), "x is empty: it has no columns"),
        (np.zeros((0, 2)), "x is empty: it has no rows"),
        ([], "x is empty: it has no rows"),
        (pl.DataFrame({"a": []}), "x is empty: it has no rows"),
        ([[1, 2], [3]], r"x: column 'x1' holds \[1, 2\] in row 0 .*: only numbers, true/false, text and None"),
        ([np.zeros((2, 2)), np.zeros((2, 3))], "x has rows of different lengths: pass a rectangular table"),
        (with_entry(np.inf), r"x: column 'x2' is infinite in row 3 \(counted from 0\): replace it by a number or NaN"),
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
        (with_entry(10**400), r"x: column 'x2' is infinite in row 3 .* \(the largest float is 1\.8e308\)"),
        (with_entry(-(10**5000)).tolist(), "x: column 'x2' is infinite in row 3"),
        (with_entry(Fraction(10**400, 3)), "x: column 'x2' is infinite in row 3"),
        (pd.DataFrame({"a": [1, 10**400]}, dtype=object), "x: column 'a' is infinite in row 1"),
    ],
)
def test_unreadable_x(x, message):
    with pytest.raises(InputError, match=message):
        read_features(x)


def test_categories_without_end_but_not_classes():
    assert read_features(np.arange(1001), categorical=[0]).levels.tolist() == [1001]
    classes = np.arange(2002) % 1001
    with pytest.raises(InputError, match="y: column 'y' has 1001 categories, more than 1000: merge rare ones"):
        read_independence(np.arange(2002.0), classes, y_kind="categorical")


def test_labels_too_long_for_floats():
    with pytest.raises(
        InputError, match=r"x: column 'x1' has whole numbers of 2\*\*53 or more.*pass it as categories \(text\)"
    ):
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
        ([[1.0, "z"]], "column 'x2' holds 'z', not one of 'a', 'b': set it to missing, or pass handle_unknown='miss"),
        ([[1.0]], "x and the rows read before have 1 and 2 columns, 'x2' not in both: give both the same"),
        ([["q", "a"]], "x: column 'x1' is text, but was numeric before: convert it to numbers"),
    ],
)
def test_new_rows_that_do_not_fit(new, message):
    old = read_features([[1.0, "a"], [2.0, "b"]], categorical="x2")
    with pytest.raises(InputError, match=message):
        read_like(new, old)


def test_new_categories_may_count_as_missing():
    old = read_features([[1.0, "a"], [2.0, "b"]], categorical="x2")
    new = read_like([[1.0, "z"], [3.0, "b"]], old, unknown="missing")
    np.testing.assert_array_equal(new.values, [[1.0, np.nan, np.nan], [3.0, 0.0, 1.0]])
    assert new.missing == (0, 1)


def test_text_may_be_read_as_categories_but_not_numbers_as_text():
    table = pd.DataFrame({"site": ["rome", "oslo", None], "age": [1.0, 2.0, 3.0]})
    assert read_features(table, text_is_categories=True).categories == (("oslo", "rome"), ())
    wrong = table.assign(size=["1", "2", "3"], day=pd.to_datetime(["2020-01-01"] * 3))
    with pytest.raises(InputError, match="'size' holds numbers as text(?s:.)*'day' holds dates"):
        read_features(wrong, text_is_categories=True)


def test_new_rows_of_another_kind():
    old = read_features(pl.DataFrame({"a": [1, 2]}))
    with pytest.raises(InputError, match="x: column 'a' is categorical, but was numeric before: convert it"):
        read_like(pl.DataFrame({"a": pl.Series(["u"], dtype=pl.Categorical)}), old)


def test_columns_whose_name_is_missing_are_counted():
    table = pd.DataFrame(np.arange(8.0).reshape(4, 2) ** 2, columns=[np.nan, np.nan])
    features = read_features(table)
    assert features.names == ("x1", "x2")
    np.testing.assert_array_equal(features.values, table.to_numpy())


@pytest.mark.parametrize(
    ("entry", "shown"),
    [
        (pd.DataFrame({"q": [1, 2]}), "a DataFrame"),
        (pd.Series([1, 2]), "a Series"),
        (np.arange(3), r"array\(\[0, 1, 2\]\)"),
        ([1, 2], r"\[1, 2\]"),
    ],
)
def test_a_container_in_a_cell_is_refused_by_its_type(entry, shown):
    cells = np.empty((5, 2), dtype=object)
    cells[:, 0] = range(5)
    for row in range(5):
        cells[row, 1] = entry
    with pytest.raises(InputError, match=f"column 'x2' holds {shown} in row 0"):
        read_features(cells)
    sample = read_independence(pd.DataFrame({"a": [3, 1, 4, 1, 5], "b": cells[:, 1]}), [2, 7, 1, 8, 2])
    assert sample.x.names == ("a",)
    assert "'b' (holds" in sample.notes[0]


def test_text_of_which_nothing_is_left_is_a_missing_column():
    table = {"a": ["", "a"] * 10, "b": range(20)}
    sample = read_independence(table, np.arange(20.0) ** 2, na="a", keep="b")
    assert sample.x.missing == (20, 0)
    with pytest.raises(InputError, match="only 0 usable rows"):
        read_independence(table, "a", na="a", keep="b")
