"""From x and y, or from groups, to a sample; every refusal says what to do."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from kmerf.core.errors import InputError
from kmerf.reading.samples import read_features, read_independence, read_ksample
from sample_tables import AGE, ARM, SCORE, SITE, VISITS, N, X, assert_same_features, assert_same_response

CAT = pl.DataFrame({"a": pl.Series(["u", "v"], dtype=pl.Categorical)})


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


def test_boolean_groups():
    assert read_ksample(SCORE, groups=[v > 4 for v in VISITS]).y.labels == ("False", "True")


def test_errors_name_the_argument():
    with pytest.raises(InputError, match="new is empty"):
        read_features([], argument="new")
    with pytest.raises(InputError, match="y has 3 dimensions"):
        read_independence(X, np.zeros((N, 1, 1)))
    with pytest.raises(InputError, match="y is empty"):
        read_independence(X, [])
    with pytest.raises(InputError, match="column 'x1' is numeric in sample '1', text in sample '2'"):
        read_ksample([1.0, 2.0], [1.0, "a"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"y": SCORE[:7]}, "x has 12 rows but y has 7: pass one per row"),
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
            "y: column 'y' has a different class in every row: pass numbers, or classes",
        ),
        ({"y": list("abcdefghijkl")}, "y: column 'y' has a different class in every row"),
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
        ((X[:, 1],), {"groups": np.arange(N)}, "groups: 'group' has 12 different numbers in 12 rows"),
        ((X,), {"groups": ["a"] * N}, "groups: there is only one group, a in every row: a test needs at least two"),
        ((X,), {"groups": ARM[:5]}, "x has 12 rows but groups has 5: pass one per row"),
        ((X,), {"groups": [None, *ARM[1:]]}, "groups is missing in 1 row: fill in, or pass missing_y='drop'"),
        ((X,), {"groups": X}, "groups has 2 columns: pass one label per row"),
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
