"""The codec follows the types of a record; damaged records are refused; dataframes are of the library asked for."""

import importlib.util
import json

import numpy as np
import pytest

import views
from kmerf.core.errors import InputError
from kmerf.results.records import LIBRARIES, frame
from kmerf.results.screen_result import Screen
from kmerf.results.single_result import Result


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


def test_values_become_plain_and_come_back_read_only():
    screen = views.screen()
    plain = screen.to_dict()
    again = Screen.from_dict(json.loads(json.dumps(plain, allow_nan=False)))
    assert again.to_dict() == plain
    assert plain["bounds"][0] is None or isinstance(plain["bounds"][0], float)
    with pytest.raises(ValueError, match="read-only"):
        again.pvalues[0] = 0.5
    assert again.draws.dtype == np.int64
    assert again.extrapolated.dtype == np.bool_


def test_fields_with_a_default_may_be_missing():
    plain = views.result().to_dict()
    for name in ("untested", "events", "members"):
        del plain[name]
    assert Result.from_dict(plain).members == ()


def damages():
    """Return ways to spoil the dictionary of a result."""
    return {
        "no p-value": lambda plain: plain.pop("pvalue"),
        "an unknown field": lambda plain: plain.update(pvalues=0.5),
        "a text for a number": lambda plain: plain.update(pvalue="0.5"),
        "a number for a text": lambda plain: plain.update(method=3),
        "a text for a list": lambda plain: plain.update(notes="be careful"),
        "a list for a record": lambda plain: plain.update(null=[0.5]),
        "a list for a mapping": lambda plain: plain.update(groups=["a"]),
        "a text in an array": lambda plain: plain["null"].update(distribution=[0.1, "a"]),
        "an unknown part of a part": lambda plain: plain["null"].update(colour="red"),
    }


@pytest.mark.parametrize("damage", damages())
def test_damaged_results_are_refused(damage, tmp_path):
    path = tmp_path / "r.json"
    views.result().save(path)
    document = json.loads(path.read_text(encoding="utf-8"))
    damages()[damage](document["result"])
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(InputError, match="changed or damaged .*: save it again, or load a copy"):
        Result.load(path)


def test_results_are_equal_if_all_of_them_is():
    one, other = views.result(0.5), views.result(0.25)
    assert one == views.result(0.5)
    assert hash(one) == hash(views.result(0.5))
    assert one != other
    assert one != views.screen()
