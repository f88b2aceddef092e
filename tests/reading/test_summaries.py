"""What a column holds, in short."""

import numpy as np
import pandas as pd

import kmerf
from kmerf.reading.containers import read
from kmerf.reading.summaries import summarise


def test_numbers_have_quantiles_and_a_histogram():
    summary = summarise(read("x", {"a": np.arange(81.0)})[0])
    assert summary.quantiles == (0.0, 20.0, 40.0, 60.0, 80.0)
    assert sum(summary.bars) == 81
    assert len(summary.picture) == 8


def test_labels_and_dates():
    assert summarise(read("x", {"a": ["u", "v", "u", None]})[0]).levels == ("u", "v")
    days = pd.Series(pd.date_range("2024-01-01", periods=9), name="day")
    assert summarise(read("x", {"day": days}, strict=False)[0]).words.startswith("2024-01-01")
    assert summarise(read("x", {"a": [None, None]})[0]).words == ""


def test_describe_shows_values_in_text_and_notebook():
    told = kmerf.describe(
        {"dose": [0.5, 1.5, 0.7, 2.5], "arm": ["A", "a", "A", "a"], "out": [1.2, 2.5, 1.1, 0.4]}, "out"
    )
    assert "0.5 to 2.5, median 1.1" in str(told)
    assert "differ only in case" in str(told)
    assert "<table>" in told._repr_html_()
    assert kmerf.Description.from_dict(told.to_dict()) == told
