"""From a table and a request to the columns and rows of a test, and signs that rows are not exchangeable."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from kmerf.core.errors import InputError
from kmerf.reading.roles import TableRequest, read_request
from tables import DATED, table_of


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
    chosen = read_request(table_of(mixed()), TableRequest(y=("y",), drop=("id",), categorical=("code",)))
    assert [(f.name, f.role, f.kind) for f in chosen.columns] == [
        ("id", "dropped", "text"),
        ("age", "x", "numeric"),
        ("site", "x", "categorical"),
        ("code", "x", "categorical"),
        ("arm", "x", "categorical"),
        ("y", "y", "numeric"),
    ]
    kinds = [(c.name, c.kind) for c in chosen.decision.x]
    assert kinds[1:] == [(name, "categorical") for name in ("site", "code", "arm")]
    assert chosen.sample().x.names == ("age", "site", "code", "arm")
    assert not chosen.warnings


def test_a_pattern_may_take_in_y_but_a_name_may_not():
    table = table_of({"a1": [1.0, 2, 3, 4], "a2": [1.0, 2, 1, 2], "a3": [3.0, 3, 2, 2]})
    assert read_request(table, TableRequest(y=("a1",), x=("a*",))).x == ("a2", "a3")
    with pytest.raises(InputError, match="--x names 'a1', which is also y"):
        read_request(table, TableRequest(y=("a1",), x=("a1", "a2")))


def test_rows_are_dropped_and_counted():
    data = mixed()
    data["y"] = [None if i < 5 else float(i % 7) for i in range(60)]
    data["age"][10:13] = np.nan
    chosen = read_request(table_of(data), TableRequest(y=("y",), drop=("id",), where="age > 20"))
    assert chosen.rows == 52
    assert chosen.lost == {"condition": 0, "condition missing": 3, "y missing": 5}
    assert chosen.notes == (
        "57 rows of 60 meet the condition.",
        "3 rows left out because the condition has a missing value there.",
        "5 rows without a value in 'y' dropped.",
        "Text read as categories: 'site', 'arm'.",
    )


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (TableRequest(y=("y",), drop=("y",)), "--drop takes away 'y', which --y names"),
        (TableRequest(y=("y",), drop=("id",), blocks="y"), "both name 'y'"),
        (TableRequest(y=("y",), x=("site",), drop=("site",)), "no columns are left"),
        (TableRequest(y=("y",), x=("age",), where="age > 1000"), "met by none of 60 rows"),
        (TableRequest(groups="#9"), "positions go from"),
    ],
)
def test_refused_requests(asked, says):
    with pytest.raises(InputError) as caught:
        read_request(table_of(mixed()), asked)
    assert says in str(caught.value)


def test_text_with_many_values_is_used_only_if_declared():
    n = 2100
    table = table_of({"t": [f"v{i // 2}" for i in range(n)], "u": [f"v{i % 30}" for i in range(n)], "y": range(n)})
    table = replace(table, frame=table.frame.with_columns(v=pl.Series(np.arange(n) % 7)))
    table.kinds["v"] = "numeric"
    chosen = read_request(table, TableRequest(y=("y",)))
    assert chosen.x == ("u", "v")
    assert "'t' (is text with 1050 different values)" in chosen.notes[0]
    assert chosen.notes[0].endswith("pass keep=['t'] to use it.")
    assert read_request(table, TableRequest(y=("y",), x=("u",))).sample().x.kinds == ("categorical",)
    assert read_request(table, TableRequest(y=("y",), categorical=("u",))).sample().x.kinds == (
        "categorical",
        "numeric",
    )
    chosen = read_request(table, TableRequest(y=("y",), x=("t",), categorical=("t",)))
    assert chosen.sample().x.kinds == ("categorical",)


def test_dates_are_numbers_can_be_left_out_and_can_be_blocks():
    dates = pl.date_range(pl.date(2020, 1, 1), pl.date(2020, 1, 6), eager=True)
    table = table_of({"day": pl.concat([dates] * 5), "a": np.arange(30) % 7, "y": np.arange(30) % 4})
    assert read_request(table, TableRequest(y=("y",))).x == ("day (elapsed)", "a")
    assert read_request(table, TableRequest(y=("y",), dates="drop")).x == ("a",)
    chosen = read_request(table, TableRequest(y=("y",), blocks="day"))
    assert [(c.name, c.kind) for c in chosen.decision.roles.blocks] == [("day", "categorical")]
    assert np.unique(chosen.sample().blocks).size == 6


# --- order and repetition ---------------------------------------------------------------------------------------------


def warned(columns, **wish):
    return " ".join(read_request(table_of(columns), TableRequest(**wish)).decision.order_notes)


def walk(n=200, seed=1):
    return np.cumsum(np.random.default_rng(seed).normal(size=n))


def test_a_serial_y_is_warned_of_and_names_order():
    noise = np.random.default_rng(2).normal(size=200)
    text = warned({"a": noise, "y": walk()}, y=("y",))
    assert "Neighbouring rows" in text
    assert "order=" in text
    block = np.arange(200) // 10
    inside = warned({"a": noise, "y": walk(), "b": block}, y=("y",), blocks="b")
    assert "Neighbouring rows inside blocks" in inside
    assert "order=True" in inside
    level = 3 * np.random.default_rng(4).normal(size=20)[block] + np.random.default_rng(5).normal(size=200)
    assert "Neighbouring rows" in warned({"a": noise, "y": level}, y=("y",))
    assert warned({"a": noise, "y": level, "b": block}, y=("y",), blocks="b") == ""


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
    chosen = read_request(table, TableRequest(y=("y",), drop=(name,)))
    said = " ".join(chosen.decision.order_notes)
    assert (f"order of the dates in {name!r}" in said) is warns
    sorted_as_text = table.frame.sort(pl.col(name).cast(pl.String))
    chosen = read_request(replace(table, frame=sorted_as_text), TableRequest(y=("y",), drop=(name,)))
    assert bool(chosen.decision.order_notes) is (name in ("zoned", "rome"))


def test_rows_without_a_date_do_not_hide_the_order():
    rng = np.random.default_rng(4)
    days = [None if i % 7 == 3 else day for i, day in enumerate(DATED["iso"])]
    table = table_of({"when": days, "a": rng.normal(size=60), "y": rng.normal(size=60)})
    table.kinds["when"] = "date"
    assert "order of the dates" in " ".join(
        read_request(table, TableRequest(y=("y",), drop=("when",))).decision.order_notes
    )


@pytest.mark.parametrize("name", ["subject", "patient_id", "subjectId", "Participant ID", "mouse.id", "ID"])
def test_repeated_subjects_are_warned_of(name):
    rng = np.random.default_rng(5)
    columns = {name: [f"s{i // 3}" for i in range(60)], "a": rng.normal(size=60), "y": rng.normal(size=60)}
    text = warned(columns, y=("y",), drop=(name,))
    assert "20 different values in 60 rows" in text
    assert f"blocks={name!r}" in text
