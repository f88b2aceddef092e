"""Dataframes to give back."""

import importlib.util

import pytest
from kmerf.results.frames import LIBRARIES, frame

from kmerf.core.errors import InputError


@pytest.mark.parametrize("library", LIBRARIES)
def test_columns_keep_their_order_and_values(library):
    table = frame({"b": [1, 2], "a": ["x", None]}, library)
    columns = table.column_names if library == "pyarrow" else list(table.columns)
    assert columns == ["b", "a"]
    assert table.shape == (2, 2)


def test_without_a_name_the_first_that_is_installed(monkeypatch):
    assert type(frame({"a": [1]})).__module__.startswith("pandas")
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pandas" else real(name))
    assert type(frame({"a": [1]})).__module__.startswith("polars")


def test_without_any_library(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="none is installed: pip install pandas"):
        frame({"a": [1]})
    with pytest.raises(InputError, match="library='polars' is not installed: pip install polars"):
        frame({"a": [1]}, "polars")
