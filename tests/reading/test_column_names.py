"""The names of columns, for a shell that completes them."""

from types import SimpleNamespace

import polars as pl

from kmerf.cli.options import complete_column
from kmerf.reading.files import column_names


def test_names_of_files_of_any_kind(tmp_path):
    frame = pl.DataFrame({"age": [1.0], "arm": ["a"], "y": [2]})
    frame.write_csv(tmp_path / "t.csv")
    frame.write_parquet(tmp_path / "t.parquet")
    for name in ("t.csv", "t.parquet"):
        assert column_names(str(tmp_path / name)) == ["age", "arm", "y"]
    assert column_names(str(tmp_path)) == []
    assert column_names("-") == []


def test_completion(tmp_path):
    pl.DataFrame({"age": [1.0], "arm": ["a"], "y": [2]}).write_csv(tmp_path / "t.csv")
    context = SimpleNamespace(params={"file": str(tmp_path / "t.csv")})
    assert complete_column(context, "a") == ["age", "arm"]
    assert complete_column(SimpleNamespace(params={}), "a") == []
