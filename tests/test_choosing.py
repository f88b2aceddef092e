"""Columns and rows of a table: selectors, conditions, roles, and signs that rows are not exchangeable."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kmerf import ordering
from kmerf.choosing import exact, select, select_one
from kmerf.errors import InputError
from kmerf.files.read import _kind
from kmerf.files.table import Source, Table
from kmerf.intake import take_in
from kmerf.where.grammar import parse
from kmerf.where.truth import keep
from kmerf.wish import Wish

NAMES = ["id", "gene_a", "gene_b", "age", "#2", "a,b", "x*"]


def table_of(columns, **more):
    frame = pl.DataFrame(columns)
    kinds = {name: _kind(dtype) for name, dtype in frame.schema.items()}
    return Table(frame, kinds, more.get("faults", {}), Source("t", "text", None, "comma", "utf-8", frame.height))


# --- columns ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("selectors", "found"),
    [
        (["age"], ["age"]),
        (["gene_*"], ["gene_a", "gene_b"]),
        (["gene_?", "id"], ["id", "gene_a", "gene_b"]),
        (["gene_[b]"], ["gene_b"]),
        (["#1"], ["id"]),
        (["#2:4"], ["gene_a", "gene_b", "age"]),
        (["#6:"], ["a,b", "x*"]),
        (["#2"], ["#2"]),
        (["a,b"], ["a,b"]),
        (["x*"], ["x*"]),
        (["age,id"], ["id", "age"]),
        (["gene_*, #1"], ["id", "gene_a", "gene_b"]),
        ([], []),
    ],
)
def test_selectors(selectors, found):
    assert select("--x", selectors, NAMES) == found


@pytest.mark.parametrize(
    ("selector", "says"),
    [
        ("gen_a", "did you mean 'gene_a'"),
        ("zz*", "matches no column"),
        ("#0", "from #1 to #7"),
        ("#8", "from #1 to #7"),
        ("#5:3", "from #1 to #7"),
        ("#99999999999999999999", "from #1 to #7"),
        ("", "there is no such column"),
        (",", "there is no such column"),
    ],
)
def test_wrong_selectors(selector, says):
    with pytest.raises(InputError, match=says):
        select("--x", [selector], NAMES)


def test_one_column():
    assert select_one("--groups", "#4", NAMES) == "age"
    with pytest.raises(InputError, match="means 2 columns"):
        select_one("--groups", "gene_*", NAMES)


def test_which_columns_are_meant_one_by_one():
    assert exact(["gene_*", "id,age", "#3", "#1:5"], NAMES) == {"id", "age", "gene_b"}


# --- rows -------------------------------------------------------------------------------------------------------------

ROWS = table_of(
    {
        "age": [30.0, 50.0, None, 70.0],
        "arm": ["a", "b", "a", None],
        "ok": [True, False, None, True],
        "a b": [1, 2, 3, 4],
        "day": ["2020-01-01", "2020-06-01", "2021-01-01", None],
    }
)
ROWS.kinds["day"] = "date"


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
    assert "".join("01"[int(row)] for row in keep(condition, ROWS.names, ROWS.values).rows) == kept


def test_rows_lost_to_a_missing_value_are_counted():
    found = keep("age > 40", ROWS.names, ROWS.values)
    assert (int(found.rows.sum()), found.false, found.unknown) == (2, 1, 1)


@pytest.mark.parametrize(
    ("condition", "says"),
    [
        ("", "is empty"),
        ("age >", "ends too early"),
        ("age > 'x'", "without quotes"),
        ("arm > 'a'", "no order"),
        ("arm == 1", "text in quotes"),
        ("arm == b", "text goes in quotes, 'b'"),
        ("arm in (b)", "put text in quotes"),
        ("arm in ()", "a column or a value belongs there"),
        ("arm in ('a'", "')' is needed"),
        ("(age > 1", "')' is needed"),
        ("age > 1)", "did not expect"),
        ("1 < age < 5", "compare two at a time"),
        ("age > 1 arm == 'a'", "put and or or"),
        ("1 < 2", "put a column on one side"),
        ("5", "begin with a column"),
        ("age", "compare it with something"),
        ("ok > true", "no order"),
        ("ok == 1", "true or false"),
        ("age is 5", "'missing' is needed"),
        ("age not 5", "after a column, not needs in"),
        ("age > 1 && arm == 'a'", "write and, or, not"),
        ("arm == 'a", "never closed"),
        ("age % 2", "backquotes"),
        ("__import__('os').system('true')", "cannot read"),
        ("exec('1')", "there is no column 'exec'"),
        ("`c` > 1", "check the name"),
        ("day > 'soon'", "a date such as"),
        ("day > 5", "a date such as"),
        ("age == arm", "is text"),
        ("(" * 5000 + "ok" + ")" * 5000, "nested more than"),
        ("not " * 4000 + "ok", "nested more than"),
        ("ok or " * 5000 + "ok", "at most"),
    ],
)
def test_wrong_conditions(condition, says):
    with pytest.raises(InputError) as caught:
        keep(condition, ROWS.names, ROWS.values)
    assert says in str(caught.value)
    assert str(caught.value).startswith("--where")
    assert len(str(caught.value)) < 400


WORDS = [
    "age",
    "arm",
    "ok",
    "`a b`",
    "and",
    "or",
    "not",
    "in",
    "is",
    "missing",
    "(",
    ")",
    ",",
    "<",
    "==",
    "1",
    "'a'",
    "true",
    "%",
]


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=40), st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)))
def test_any_condition_is_understood_or_refused(condition):
    try:
        found = keep(condition, ROWS.names, ROWS.values)
    except InputError as error:
        said = str(error)
    else:
        assert found.rows.sum() + found.false + found.unknown == 4
        return
    assert said.startswith("--where")


def test_a_long_flat_condition_is_no_deep_one():
    assert parse(" or ".join(["ok"] * 2000), ["ok"])
    assert keep(" or ".join(["ok"] * 900), ROWS.names, ROWS.values).rows.sum() == 2


# --- roles ------------------------------------------------------------------------------------------------------------


def mixed(n=60, seed=0):
    rng = np.random.default_rng(seed)
    return {
        "id": [f"p{i}" for i in range(n)],
        "age": rng.normal(50, 10, n),
        "site": rng.choice(["rome", "bern", "oslo"], n).tolist(),
        "code": rng.integers(0, 3, n),
        "arm": rng.choice(["a", "b"], n).tolist(),
        "y": rng.normal(size=n),
    }


def test_every_column_has_a_role_and_a_kind():
    found = take_in(table_of(mixed()), Wish(y=("y",), drop=("id",), categorical=("code",)))
    assert [(f.name, f.role, f.kind) for f in found.columns] == [
        ("id", "dropped", "text"),
        ("age", "x", "numeric"),
        ("site", "x", "categorical"),
        ("code", "x", "categorical"),
        ("arm", "x", "categorical"),
        ("y", "y", "numeric"),
    ]
    assert found.categorical == ("site", "code", "arm")
    assert found.data.columns == ["age", "site", "code", "arm", "y"]
    assert not found.warnings


def test_a_pattern_may_take_in_y_but_a_name_may_not():
    table = table_of({"a1": [1.0, 2, 3, 4], "a2": [1.0, 2, 1, 2], "a3": [3.0, 3, 2, 2]})
    assert take_in(table, Wish(y=("a1",), x=("a*",))).x == ("a2", "a3")
    with pytest.raises(InputError, match="--x names 'a1', which is also y"):
        take_in(table, Wish(y=("a1",), x=("a1", "a2")))


def test_rows_are_dropped_and_counted():
    data = mixed()
    data["y"] = [None if i < 5 else float(i % 7) for i in range(60)]
    data["age"][10:13] = np.nan
    found = take_in(table_of(data), Wish(y=("y",), drop=("id",), where="age > 20"))
    assert found.rows == 52
    assert found.lost == {"condition": 0, "condition missing": 3, "y missing": 5}
    assert found.notes == (
        "57 rows of 60 meet the condition.",
        "3 rows left out because the condition has a missing value there.",
        "5 rows without a value in 'y' dropped.",
    )


@pytest.mark.parametrize(
    ("wish", "says"),
    [
        (Wish(y=("y",)), "Column 'id' is text with 60 different values in 60 rows: leave it out with --drop id"),
        (Wish(y=("y",), drop=("y",)), "--drop takes away 'y', which --y names"),
        (Wish(y=("y",), drop=("id",), blocks="y"), "both name 'y'"),
        (Wish(y=("y",), x=("site",), drop=("site",)), "No columns are left"),
        (Wish(y=("y",), x=("age",), where="age > 1000"), "met by none of 60 rows"),
        (Wish(groups="#9"), "positions go from"),
    ],
)
def test_refused_wishes(wish, says):
    with pytest.raises(InputError) as caught:
        take_in(table_of(mixed()), wish)
    assert says in str(caught.value)


def test_text_with_many_values_is_used_only_if_declared_and_not_without_end():
    n = 2100
    table = table_of({"t": [f"v{i // 2}" for i in range(n)], "u": [f"v{i % 30}" for i in range(n)], "y": range(n)})
    with pytest.raises(InputError, match="30 different values"):
        take_in(table, Wish(y=("y",), x=("u",)))
    assert take_in(table, Wish(y=("y",), x=("u",), categorical=("u",))).categorical == ("u",)
    with pytest.raises(InputError, match="1050 categories, more than 1000"):
        take_in(table, Wish(y=("y",), x=("t",), categorical=("t",)))


def test_dates_are_refused_and_can_be_blocks():
    dates = pl.date_range(pl.date(2020, 1, 1), pl.date(2020, 1, 6), eager=True)
    table = table_of({"day": pl.concat([dates] * 5), "a": np.arange(30) % 7, "y": np.arange(30) % 4})
    with pytest.raises(InputError, match="holds dates, such as '2020-01-01'"):
        take_in(table, Wish(y=("y",)))
    found = take_in(table, Wish(y=("y",), blocks="day"))
    assert found.blocks == "day"
    assert found.data["day"].dtype == pl.String


# --- order and repetition ---------------------------------------------------------------------------------------------


def warned(columns, **wish):
    return " ".join(take_in(table_of(columns), Wish(**wish)).warnings)


def walk(n=200, seed=1):
    return np.cumsum(np.random.default_rng(seed).normal(size=n))


def test_a_serial_y_is_warned_of_and_names_blocks():
    noise = np.random.default_rng(2).normal(size=200)
    text = warned({"a": noise, "y": walk()}, y=("y",))
    assert "Neighbouring rows" in text
    assert "--blocks" in text
    assert warned({"a": noise, "y": walk(), "b": np.arange(200) // 10}, y=("y",), blocks="b") == ""


def test_rows_that_are_only_sorted_are_not_warned_of():
    rng = np.random.default_rng(3)
    noise, species = rng.normal(size=150), np.repeat(["a", "b", "c"], 50)
    y = np.repeat([0.0, 5.0, 9.0], 50) + rng.normal(size=150)
    assert warned({"a": noise, "y": np.sort(noise)}, y=("y",)) == ""
    assert warned({"a": noise, "y": species}, groups="y") == ""
    assert warned({"a": noise, "species": species, "y": y}, y=("y",)) == ""
    assert warned({"a": np.sort(noise), "y": np.sort(noise) + 0.1 * rng.normal(size=150)}, y=("y",)) == ""


def test_a_counter_or_a_time_does_not_explain_a_serial_y():
    assert "Neighbouring" in warned({"t": np.arange(200), "a": np.ones(200), "y": walk()}, y=("y",))
    assert "Neighbouring" in warned({"time": np.arange(200.0) ** 2, "y": walk()}, y=("y",))


def test_dates_in_order_are_warned_of_even_if_dropped():
    days = pl.datetime_range(pl.datetime(2020, 1, 1), pl.datetime(2020, 2, 9), interval="1d", eager=True)
    rng = np.random.default_rng(4)
    columns = {"when": days, "a": rng.normal(size=40), "y": rng.normal(size=40)}
    assert "order of the dates in 'when'" in warned(columns, y=("y",), drop=("when",))
    columns["when"] = days.sample(fraction=1.0, shuffle=True, seed=1)
    assert warned(columns, y=("y",), drop=("when",)) == ""


@pytest.mark.parametrize("name", ["subject", "patient_id", "subjectId", "Participant ID", "mouse.id", "ID"])
def test_repeated_subjects_are_warned_of(name):
    rng = np.random.default_rng(5)
    columns = {name: [f"s{i // 3}" for i in range(60)], "a": rng.normal(size=60), "y": rng.normal(size=60)}
    text = warned(columns, y=("y",), drop=(name,))
    assert "20 different values in 60 rows" in text
    assert "--blocks" in text


def test_infinite_values_do_not_disturb_the_search():
    y = walk()
    y[3:5] = np.inf
    assert ordering.serial(y, [("a", y)]) is not None
    assert not ordering.is_sorted(y)


@pytest.mark.parametrize("name", ["acid", "width", "video", "age", "identity", "grid"])
def test_names_that_only_contain_such_words_are_not(name):
    assert not ordering.looks_like_subject(name, 60, 20)
