"""Columns given all others, as the p-values of features."""

from __future__ import annotations

import numpy as np
import pytest

import kmerf

FAST = {"method": kmerf.KMERF(kmerf.ForestSpec(n_trees=20)), "null": kmerf.Permutation(9), "rng": 1, "n_jobs": 1}


def test_features_given_the_others():
    rng = np.random.default_rng(5)
    x = rng.normal(size=(150, 3))
    x[:, 1] = x[:, 0] + 0.5 * rng.normal(size=150)
    found = kmerf.independence(x, x[:, 0] + 0.5 * rng.normal(size=150), importances="conditional", **FAST)
    assert found.features.pvalues[0] < 0.001
    assert (found.features.pvalues[1:] > 0.01).all()
    assert (found.features.adjusted_fwer >= found.features.adjusted_fdr).all()
    assert any("given all other features (approximate)" in note for note in found.notes)


def test_groups_have_them_too():
    rng = np.random.default_rng(2)
    found = kmerf.ksample(rng.normal(size=(30, 2)), rng.normal((3, 0), size=(30, 2)), importances="conditional", **FAST)
    assert found.features.pvalues[0] < 0.001 < found.features.pvalues[1]


def test_one_column_has_no_others():
    with pytest.raises(
        kmerf.InputError, match="importances='conditional' compares a column with the others, and x has"
    ):
        kmerf.independence(np.arange(30.0), np.arange(30.0) % 7, importances="conditional", **FAST)


def test_other_words_are_refused():
    with pytest.raises(kmerf.InputError, match="importances='conditionl' is not an option; did you mean 'conditional'"):
        kmerf.independence(np.arange(30.0), np.arange(30.0), importances="conditionl")


@pytest.mark.parametrize("place", [0, 1, 3])
def test_a_constant_column_shares_nothing(place, tmp_path):
    rng = np.random.default_rng(6)
    x = np.insert(rng.normal(size=(60, 3)), place, 2.0, axis=1)
    found = kmerf.independence(x, rng.normal(size=60), importances="conditional", **FAST)
    assert found.features.pvalues[place] == 1.0
    found.save(tmp_path / "result.json")
    assert kmerf.Result.load(tmp_path / "result.json") == found


def test_few_rows_are_refused():
    x, y = np.random.default_rng(7).normal(size=(8, 3)), np.arange(8.0)
    with pytest.raises(kmerf.InputError) as error:
        kmerf.independence(x, y, importances="conditional", **FAST)
    assert str(error.value) == (
        "importances='conditional' removes all other columns from 'x1' and from y, and 8 rows are too few for that: "
        "leave it out, or collect more rows."
    )
