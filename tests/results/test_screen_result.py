"""A screen is a value: it prints as a table and survives JSON."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from kmerf.results.screen_result import Screen


def test_it_prints_as_a_table(screened):
    text = str(screened)
    assert text.startswith("Which columns are related to ")
    assert "\nScreen of 15 columns (KMERF)\n" in text
    assert "selected        3   at a false discovery rate of 0.05" in text
    assert "tested         13   2 could not be tested" in text
    assert "... and 3 more" in text
    assert "note: not tested: constant: constant" in text
    assert "* depends on a model of the tail, because no permuted statistic was as large" in text
    rows = text.partition("----\n")[2].splitlines()[:3]
    assert tuple(line.split()[0] for line in rows) == screened.selected
    assert "U-shaped, by" in rows[1]


def test_columns_with_the_same_error_share_a_note(screened):
    errors = {f"c{i}": "bad" for i in range(8)}
    text = str(replace(screened, errors=errors))
    assert "note: not tested: c0, c1, c2, c3, c4 and 3 more: bad" in text
    assert text.count("not tested") == 1


def test_json_round_trip_is_lossless(screened):
    text = json.dumps(screened.to_dict(), allow_nan=False)
    again = Screen.from_dict(json.loads(text))
    assert again == screened
    assert hash(again) == hash(screened)
    assert again.selected == screened.selected
    np.testing.assert_array_equal(again.pvalues, screened.pvalues)
    assert json.dumps(again.to_dict(), allow_nan=False) == text


def test_a_result_is_frozen_and_compares(screened):
    with pytest.raises(AttributeError):
        screened.fdr = 0.5
    assert screened != replace(screened, fdr=0.5)
    assert len(replace(screened, fdr=0.9).selected) > 3
