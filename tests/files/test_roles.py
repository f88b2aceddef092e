"""Columns and rows of a table: selectors, conditions, roles, and signs that rows are not exchangeable."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta
from datetime import time as clock

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kmerf.core.errors import InputError
from kmerf.data import row_order as ordering
from kmerf.files.reading import _kind
from kmerf.files.request import TableRequest
from kmerf.files.roles import read_request
from kmerf.files.selectors import exact, select, select_one
from kmerf.files.typed_table import FileSource, Table
from kmerf.files.where_grammar import parse
from kmerf.files.where_rows import keep

NAMES = ["id", "gene_a", "gene_b", "age", "#2", "a,b", "x*"]


def table_of(columns, **more):
    frame = pl.DataFrame(columns)
    kinds = {name: _kind(dtype) for name, dtype in frame.schema.items()}
    return Table(frame, kinds, more.get("faults", {}), FileSource("t", "text", None, "comma", "utf-8", frame.height))


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


MONTHS = [(2019 + i // 12, i % 12 + 1, 5) for i in range(60)]
DATED = {
    "iso": [f"{y}-{m}-{d}" for y, m, d in MONTHS],
    "slashed": [f"{y}/{m}/{d} {m}:30" for y, m, d in MONTHS],
    "local": [f"{d:02}/{m:02}/{y}" for y, m, d in MONTHS],
    "zoned": [f"{y}-{m:02}-{d:02}T00:30+02:00" for y, m, d in MONTHS],
    "mixed": [f"{y}-{m:02}-{d:02}" + "T00:00Z" * (m % 2) for y, m, d in MONTHS],
    "noon": [datetime(y, m, d, 12) for y, m, d in MONTHS],
    "day": [date(y, m, d) for y, m, d in MONTHS],
    "rome": pl.Series([datetime(y, m, d) for y, m, d in MONTHS]).dt.replace_time_zone("Europe/Rome"),
    "nanoseconds": pl.Series([datetime(y, m, d, 12) for y, m, d in MONTHS]).cast(pl.Datetime("ns")),
    "clock": [clock(m, 0) for _, m, _ in MONTHS],
    "length": [timedelta(days=m) for _, m, _ in MONTHS],
}


def dated():
    table = table_of(DATED)
    table.kinds.update(dict.fromkeys(DATED, "date"))
    return table


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
    table = dated()
    assert int(keep(condition, table.names, table.values).rows.sum()) == rows


@pytest.mark.parametrize(
    ("condition", "says"),
    [
        ("iso < '05/03/2021'", "is none that can be read: compare it with a date such as '2024-01-31'"),
        ("iso < '2021-02-30'", "is none that can be read"),
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
    table = dated()
    with pytest.raises(InputError) as caught:
        keep(condition, table.names, table.values)
    assert says in str(caught.value)
    assert str(caught.value).startswith("--where: column ")
    assert "\n" not in str(caught.value)


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
    found = read_request(table_of(mixed()), TableRequest(y=("y",), drop=("id",), categorical=("code",)))
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
    assert read_request(table, TableRequest(y=("a1",), x=("a*",))).x == ("a2", "a3")
    with pytest.raises(InputError, match="--x names 'a1', which is also y"):
        read_request(table, TableRequest(y=("a1",), x=("a1", "a2")))


def test_rows_are_dropped_and_counted():
    data = mixed()
    data["y"] = [None if i < 5 else float(i % 7) for i in range(60)]
    data["age"][10:13] = np.nan
    found = read_request(table_of(data), TableRequest(y=("y",), drop=("id",), where="age > 20"))
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
        (
            TableRequest(y=("y",)),
            "Column 'id' is text with 60 different values in 60 rows: leave it out with --drop id",
        ),
        (TableRequest(y=("y",), drop=("y",)), "--drop takes away 'y', which --y names"),
        (TableRequest(y=("y",), drop=("id",), blocks="y"), "both name 'y'"),
        (TableRequest(y=("y",), x=("site",), drop=("site",)), "No columns are left"),
        (TableRequest(y=("y",), x=("age",), where="age > 1000"), "met by none of 60 rows"),
        (TableRequest(groups="#9"), "positions go from"),
    ],
)
def test_refused_wishes(wish, says):
    with pytest.raises(InputError) as caught:
        read_request(table_of(mixed()), wish)
    assert says in str(caught.value)


def test_text_with_many_values_is_used_only_if_declared_and_not_without_end():
    n = 2100
    table = table_of({"t": [f"v{i // 2}" for i in range(n)], "u": [f"v{i % 30}" for i in range(n)], "y": range(n)})
    with pytest.raises(InputError, match="30 different values"):
        read_request(table, TableRequest(y=("y",), x=("u",)))
    assert read_request(table, TableRequest(y=("y",), x=("u",), categorical=("u",))).categorical == ("u",)
    with pytest.raises(InputError, match="1050 categories, more than 1000"):
        read_request(table, TableRequest(y=("y",), x=("t",), categorical=("t",)))


def test_dates_are_refused_and_can_be_blocks():
    dates = pl.date_range(pl.date(2020, 1, 1), pl.date(2020, 1, 6), eager=True)
    table = table_of({"day": pl.concat([dates] * 5), "a": np.arange(30) % 7, "y": np.arange(30) % 4})
    with pytest.raises(InputError, match="holds dates, such as '2020-01-01'"):
        read_request(table, TableRequest(y=("y",)))
    found = read_request(table, TableRequest(y=("y",), blocks="day"))
    assert found.blocks == "day"
    assert found.data["day"].dtype == pl.String


# --- order and repetition ---------------------------------------------------------------------------------------------


def warned(columns, **wish):
    return " ".join(read_request(table_of(columns), TableRequest(**wish)).warnings)


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


@pytest.mark.parametrize(
    ("name", "warns"),
    [("iso", True), ("slashed", True), ("zoned", True), ("rome", True), ("local", False), ("mixed", False)],
)
def test_the_order_of_dates_is_that_of_time(name, warns):
    rng = np.random.default_rng(4)
    table = table_of({name: DATED[name], "a": rng.normal(size=60), "y": rng.normal(size=60)})
    table.kinds[name] = "date"
    found = read_request(table, TableRequest(y=("y",), drop=(name,)))
    assert (f"order of the dates in {name!r}" in " ".join(found.warnings)) is warns
    assert ("write them as 2024-01-31 to be told" in " ".join(found.notes)) is not warns
    sorted_as_text = table.frame.sort(pl.col(name).cast(pl.String))
    found = read_request(replace(table, frame=sorted_as_text), TableRequest(y=("y",), drop=(name,)))
    assert bool(found.warnings) is (name in ("zoned", "rome"))


def test_rows_without_a_date_do_not_hide_the_order():
    rng = np.random.default_rng(4)
    days = [None if i % 7 == 3 else day for i, day in enumerate(DATED["iso"])]
    table = table_of({"when": days, "a": rng.normal(size=60), "y": rng.normal(size=60)})
    table.kinds["when"] = "date"
    assert "order of the dates" in " ".join(read_request(table, TableRequest(y=("y",), drop=("when",))).warnings)


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
