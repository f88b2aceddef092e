"""Comparisons as evidently and pytest call them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import kmerf
from changed_tables import table
from kmerf.adapters import assert_same_distribution, for_evidently
from kmerf.comparing.comparing import column_pvalue


def test_one_column_alone():
    rng = np.random.default_rng(0)
    old = rng.normal(size=200)
    assert column_pvalue(old, rng.normal(size=200)) > 0.01
    assert column_pvalue(old, 2.0 * rng.normal(size=200)) < 0.001
    labels = pd.Series(rng.choice(["a", "b"], 200))
    assert column_pvalue(labels, labels.where(rng.random(200) > 0.3, "c"), categorical=True) < 0.001


def test_evidently_calls_it_for_numbers_and_labels():
    pytest.importorskip("evidently")
    from evidently import DataDefinition, Dataset, Report
    from evidently.presets import DataDriftPreset

    old, new = pd.DataFrame(table(200, 1)), pd.DataFrame(table(200, 2, a=lambda v, rng: v + 10))
    definition = DataDefinition(numerical_columns=["a", "b", "c", "count", "gap"], categorical_columns=["label"])
    name = for_evidently()
    report = Report([DataDriftPreset(method=name)])
    metrics = report.run(Dataset.from_pandas(new, definition), Dataset.from_pandas(old, definition)).dict()["metrics"]
    found = {each["config"].get("column"): each["value"] for each in metrics if "column" in each["config"]}
    assert found["a"] < 0.001
    assert found["label"] > 0.01


def test_an_assertion_shows_what_changed():
    old = table(150, 1)
    assert_same_distribution(old, table(150, 2))
    with pytest.raises(AssertionError, match="a: level, mean"):
        assert_same_distribution(old, table(150, 2, a=lambda v, rng: v + 12))
    with pytest.raises(kmerf.InputError):
        assert_same_distribution(old, old, on="never")
