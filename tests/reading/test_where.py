"""Which rows meet a condition."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kmerf.core.errors import InputError
from kmerf.reading.where import Among, Compare, IsMissing, Joined, Not, keep, parse
from tables import DATED, table_of

ROWS = table_of(
    {
        "age": [30.0, 50.0, None, 70.0],
        "arm": ["a", "b", "a", None],
        "ok": [True, False, None, True],
        "a b": [1, 2, 3, 4],
        "day": ["2020-01-01", "2020-06-01", "2021-01-01", None],
    },
    dates=["day"],
)
DATES = table_of(DATED, dates=DATED)


@pytest.mark.parametrize(
    ("condition", "kept"),
    [
        ("age > 40", "0101"),
        ("40 < age", "0101"),
        ("age >= 50 and age < 70", "0100"),
        ("age = 30 or age == 70", "1001"),
        ("age <> 30", "0101"),
        ("age != 3e1", "0101"),
        ("not age > 40", "1000"),
        ("not (age > 40 or arm == 'a')", "0000"),
        ("arm == 'a'", "1010"),
        ('arm != "a"', "0100"),
        ("arm in ('a', 'b')", "1110"),
        ("arm not in ('a')", "0100"),
        ("age in (30, 70)", "1001"),
        ("age is missing", "0010"),
        ("arm is not missing", "1110"),
        ("ok", "1001"),
        ("not ok", "0100"),
        ("ok == false", "0100"),
        ("`a b` > 2", "0011"),
        ("age > `a b`", "1101"),
        ("day >= '2020-06-01'", "0110"),
        ("AGE_ is missing or 1 < age".replace("AGE_", "age"), "1111"),
        ("age > -1 AND NOT arm IS MISSING", "1100"),
        ("age > 40 or arm == 'a'", "1111"),
        ("age>40and arm=='b'".replace("and", " and "), "0100"),
    ],
)
def test_conditions(condition, kept):
    assert "".join("01"[int(row)] for row in keep(condition, ROWS).rows) == kept


def test_rows_lost_to_a_missing_value_are_counted():
    kept = keep("age > 40", ROWS)
    assert (int(kept.rows.sum()), kept.false, kept.unknown) == (2, 1, 1)


@pytest.mark.parametrize(
    ("condition", "says"),
    [
        ("age > 'x'", "without quotes"),
        ("arm > 'a'", "no order"),
        ("arm == 1", "text in quotes"),
        ("1 < 2", "put a column on one side"),
        ("5", "begin with a column"),
        ("age", "compare it with something"),
        ("ok > true", "no order"),
        ("ok == 1", "true or false"),
        ("day > 'soon'", "a date such as"),
        ("day > 5", "a date such as"),
        ("age == arm", "is text"),
    ],
)
def test_wrong_conditions(condition, says):
    with pytest.raises(InputError) as caught:
        keep(condition, ROWS)
    assert says in str(caught.value)
    assert str(caught.value).startswith("--where")
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("condition", "rows"),
    [
        ("iso < '2019-10-01'", 9),
        ("iso < '2019-10-1'", 9),
        ("iso <= '2019-10-05' and iso > '2019-9-5'", 1),
        ("iso == '2019-09-05'", 1),
        ("iso != '2019-09-05'", 59),
        ("iso in ('2019-09-05', '2020-9-5')", 2),
        ("'2020-12-31' < iso", 36),
        ("slashed > '2020-12-31'", 36),
        ("slashed >= '2020-12-05 12:30' and slashed < '2021-01-01'", 1),
        ("iso < slashed", 60),
        ("noon > iso and day == iso", 60),
        ("noon > '2020-12-05'", 37),
        ("noon > '2020-12-05 12:00'", 36),
        ("noon == nanoseconds", 60),
        ("zoned > '2020-12-04T22:30Z'", 36),
        ("zoned >= '2020-12-05T00:30+02:00'", 37),
        ("rome >= '2020-12-05T00:00+01:00'", 37),
        ("zoned < rome", 60 - 35),  # 22:30Z; midnight in Rome is 22:00Z in summer, 23:00Z in winter
        ("local == '05/03/2021'", 1),
        ("local not in ('05/03/2021', '05/04/2021')", 58),
        ("mixed == '2021-02-05'", 1),
        ("local == local", 60),
        ("clock is missing or length is not missing", 60),
    ],
)
def test_dates_are_compared_by_when_they_are(condition, rows):
    assert int(keep(condition, DATES).rows.sum()) == rows


@pytest.mark.parametrize(
    ("condition", "says"),
    [
        ("iso < '05/03/2021'", "is not one that can be read: compare it with a date such as '2024-01-31'"),
        ("iso < '2021-02-30'", "is not one that can be read"),
        ("iso < '2021-02-03T00:00Z'", "is zoned date: compare it with a date such as '2024-01-31', without a zone"),
        ("zoned < '2021-02-03'", "is date: compare it with a moment and its zone, such as '2024-01-31T00:00Z'"),
        ("rome == '2021-02-03'", "its zone"),
        ("zoned < iso", "its zone"),
        ("local > '31/12/2020'", "whose order is not known"),
        ("local >= local", "write them all as 2024-01-31"),
        ("mixed < '2021-02-05'", "whose order is not known"),
        ("local == '2021-03-05'", "such as '05/01/2019', and '2021-03-05' is written otherwise: write it as there"),
        ("local == '5/3/2021'", "is written otherwise"),
        ("local == iso", "is unordered date, and 'iso' is date"),
        ("local == 5", "in quotes, written as there"),
        ("clock > '2021-01-01'", "make a column of numbers of it"),
        ("clock < clock", "is time, whose order is not read"),
        ("length > 5", "is duration, and '5.0' is numeric: make a column of numbers"),
    ],
)
def test_dates_that_cannot_be_compared(condition, says):
    with pytest.raises(InputError) as caught:
        keep(condition, DATES)
    assert says in str(caught.value)
    assert str(caught.value).startswith("--where: column ")
    assert "\n" not in str(caught.value)


def test_nan_is_missing_and_not_large():
    table = table_of({"a": [1.0, math.nan, math.inf, None], "b": [math.nan, math.nan, 1.0, 1.0]})
    assert keep("a > 0", table).rows.tolist() == [True, False, True, False]
    assert keep("a > 0", table)[1:] == (0, 2)
    assert keep("not a <= 0", table).rows.tolist() == [True, False, True, False]
    assert keep("a == b or a != b", table).rows.tolist() == [False, False, True, False]
    assert keep("a is missing", table).rows.tolist() == [False, True, False, True]


def test_a_long_flat_condition():
    assert keep(" or ".join(["ok"] * 2000), ROWS).rows.sum() == 2
    assert keep(f"`a b` in ({', '.join(map(str, range(2, 3000)))})", ROWS).rows.sum() == 3


@pytest.mark.parametrize("name", ["*", "^a.*$", "0"])
def test_columns_whose_names_polars_takes_for_patterns(name):
    table = table_of({"abc": [9, 9], name: [1, 2]})
    assert keep(f"`{name}` < 2 and abc == 9", table).rows.tolist() == [True, False]


def test_columns_that_cannot_be_compared():
    with pytest.raises(InputError, match="column 'a' is nested, which cannot be compared: use another"):
        keep("a is missing", table_of({"a": [[1], [2]]}))


# --- the oracle: one row at a time, with None for unknown -------------------------------------------------------------

SMALL = {
    "n": [1.0, 2.0, None, 3.0, 2.0, None],
    "m": [2.0, 2.0, 1.0, None, 1.0, None],
    "t": ["a", "b", "a", None, "c", "b"],
    "s": ["a", "a", None, None, "c", "a"],
    "f": [True, False, None, True, None, False],
}
SIGNS = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def slow_truth(node, row):
    """Return True, False or None."""
    if isinstance(node, Not):
        part = slow_truth(node.part, row)
        return None if part is None else not part
    if isinstance(node, Joined):
        order = [False, None, True]
        ranks = [order.index(slow_truth(part, row)) for part in node.parts]
        return order[min(ranks) if node.word == "and" else max(ranks)]
    if isinstance(node, IsMissing):
        return row[node.left.value] is None
    if isinstance(node, Among):
        return slow_truth(Joined("or", tuple(Compare(node.left, "==", option) for option in node.options)), row)
    if isinstance(node, Compare):
        left, right = (row[side.value] if side.kind == "column" else side.value for side in (node.left, node.right))
        return None if left is None or right is None else SIGNS[node.operator](left, right)
    return row[node.value]


NUMBERS = st.builds(
    "{} {} {}".format, st.sampled_from("nm"), st.sampled_from([*SIGNS]), st.sampled_from(["1", "2", "2.5", "n", "m"])
)
TEXTS = st.builds(
    "{} {} {}".format, st.sampled_from("ts"), st.sampled_from(["==", "!="]), st.sampled_from(["'a'", "'z'", "t", "s"])
)
OTHERS = st.sampled_from(
    ["f", "f == false", "n is missing", "t is not missing", "n in (1, 3)", "t not in ('a', 'c')", "2 >= m", "f != f"]
)
CONDITIONS = st.recursive(
    st.one_of(NUMBERS, TEXTS, OTHERS),
    lambda inner: st.one_of(
        inner.map("not ({})".format),
        st.builds("({}) and ({})".format, inner, inner),
        st.builds("({}) or ({}) or ({})".format, inner, inner, inner),
    ),
    max_leaves=8,
)


@settings(max_examples=200, deadline=None)
@given(CONDITIONS)
def test_conditions_are_those_of_the_oracle(condition):
    tree = parse(condition, list(SMALL))
    expected = [slow_truth(tree, dict(zip(SMALL, row, strict=True))) for row in zip(*SMALL.values(), strict=True)]
    kept = keep(condition, table_of(SMALL))
    assert kept.rows.tolist() == [truth is True for truth in expected]
    assert (kept.false, kept.unknown) == (expected.count(False), expected.count(None))
    assert kept.rows.dtype == np.bool_
