"""Tables: what is in a column, which rows have it, and what can be compared."""

from __future__ import annotations

import math

import polars as pl
import pytest

from kmerf.reading.typed_table import FileSource, kind_of
from tables import DATED, table_of

TABLE = table_of(
    {
        "n": [3.0, math.nan, None, 3.0],
        "i": [1, 2, None, 4],
        "t": ["b", "a", None, "b"],
        "o": [True, None, False, True],
        "d": ["2021-01-02", "2021-01-01", None, "2021-1-2"],
        "l": [[1], [2], None, [4]],
    },
    dates=["d"],
)


def test_columns_are_those_of_a_dataframe():
    columns = TABLE.columns()
    assert [c.kind for c in columns] == ["numeric", "numeric", "text", "boolean", "date", "other"]
    assert [int(c.missing.sum()) for c in columns] == [2, 1, 1, 1, 1, 1]
    assert "holds List(Int64) values" in columns[5].fault.finding


def test_cells_for_comparisons():
    day = 86_400_000_000
    assert TABLE.values("d").series.to_list() == [18629 * day, 18628 * day, None, 18629 * day]
    assert TABLE.values("i").series.to_list() == [1.0, 2.0, None, 4.0]
    assert TABLE.values("i").series.dtype == pl.Float64
    assert TABLE.values("l").kind == "nested"


@pytest.mark.parametrize(
    ("name", "kind"),
    [("iso", "date"), ("rome", "zoned date"), ("local", "unordered date"), ("clock", "time"), ("length", "duration")],
)
def test_kinds_of_dates(name, kind):
    assert table_of(DATED, dates=DATED).values(name).kind == kind


@pytest.mark.parametrize(
    ("dtype", "kind"),
    [
        (pl.Decimal(10, 2), "numeric"),
        (pl.Null(), "numeric"),
        (pl.Boolean(), "boolean"),
        (pl.Enum(["a"]), "text"),
        (pl.Time(), "date"),
        (pl.Duration("us"), "date"),
        (pl.Binary(), "binary"),
        (pl.Struct({"a": pl.Int8()}), "nested"),
    ],
)
def test_kinds_of_types(dtype, kind):
    assert kind_of(dtype) == kind


@pytest.mark.parametrize("name", ["*", "^a.*$", "^.*$"])
def test_columns_whose_names_polars_takes_for_patterns(name):
    table = table_of({name: ["x", "y"], "abc": [1, 2]})
    assert [(c.name, c.values.tolist()) for c in table.columns()] == [(name, ["x", "y"]), ("abc", [1.0, 2.0])]


def test_what_is_said_of_a_source():
    assert FileSource("t", "text", "gzip", "tab", "cp1252", 5).spoken == "text, gzip, separator: tab, encoding: cp1252"
    assert FileSource("t", "parquet", None, None, None, 5).spoken == "parquet"
