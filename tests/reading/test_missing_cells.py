"""Which cells of a file are missing."""

from __future__ import annotations

import math

import polars as pl
import pytest

from kmerf.reading.files import read
from kmerf.reading.typed_table import MARKS, without_marks, without_nan


def test_missing_is_what_the_file_says():
    assert MARKS == ("", "NA")


def test_missing_marks(make):
    table = read(make('a,b\n1,\n1,NA\n1,""\n1,?\n1,5\n'), na=["?"])
    assert table.frame["b"].to_list() == [None, None, None, None, 5.0]
    assert read(make("a,b\n1,5.0\n1,5\n2,6\n"), na=["5"]).frame["b"].to_list() == [None, None, 6.0]


@pytest.mark.parametrize("form", ['g,b\n{},1\nx,2\n"NA",3\nNA,4\n', 'g,b\n{},1\nx,2\n"NA",3\n\nNA,4\n'])
@pytest.mark.parametrize("word", ["None", "none", "-", ".", "N/A", "null", "?", "unknown", "nan"])
def test_other_words_are_values_and_so_is_na_in_quotes(make, form, word):
    text = form.format(word)
    assert read(make(text)).frame["g"].to_list() == [word, "x", "NA", None]
    assert read(make(text), na=[word]).frame["g"].to_list() == [None, "x", "NA", None]
    assert read(make(text), na=[f"b={word}", "NA"]).frame["g"].to_list() == [word, "x", None, None]


def test_marks_of_the_user_in_typed_files(tmp_path):
    path = tmp_path / "t.parquet"
    pl.DataFrame({"a": [1, 999], "b": ["?", "u"], "ok": [True, False]}).write_parquet(path)
    assert read(str(path), na=["999", "?"]).frame.rows() == [(1, None, True), (None, "u", False)]
    assert read(str(path), na=["b=999"]).frame.rows() == [(1, "?", True), (999, "u", False)]


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
    assert table.frame.select("a", "b").null_count().row(0) == (2, 1)
