"""Which cells of a file are missing."""

from __future__ import annotations

import math

import polars as pl
import pytest

from kmerf.files.missing_cells import MARKS, without_marks, without_nan
from kmerf.files.reading import read


def test_missing_marks(make):
    cells = "\n".join(f"1,{mark}" for mark in MARKS)
    table = read(make(f"a,b\n{cells}\n1,?\n1,5\n"), missing=["?"])
    assert table.frame["b"].drop_nulls().to_list() == [5.0]


@pytest.mark.parametrize("mark", MARKS)
def test_each_mark_is_missing_and_no_part_of_one(mark):
    assert without_marks(pl.Series([mark, f"{mark}x"])).to_list() == [None, f"{mark}x"]


def test_nan_is_missing_in_columns_of_numbers():
    assert without_nan(pl.Series([1.0, math.nan, math.inf, None])).to_list() == [1.0, None, math.inf, None]
    assert without_nan(pl.Series([-math.inf, math.inf])).to_list() == [-math.inf, math.inf]
    assert without_nan(pl.Series([None], dtype=pl.Float32)).to_list() == [None]
    assert without_nan(pl.Series([1, None])).to_list() == [1, None]
    assert without_nan(pl.Series(["NaN"])).to_list() == ["NaN"]


def test_nan_in_a_typed_file_is_missing(tmp_path):
    path = tmp_path / "t.parquet"
    pl.DataFrame({"a": [1.0, math.nan, None], "b": [1, 2, None]}).write_parquet(path)
    table = read(str(path))
    assert table.frame["a"].to_list() == [1.0, None, None]
    assert [table.missing(name) for name in "ab"] == [2, 1]
