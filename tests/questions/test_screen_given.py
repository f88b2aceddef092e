"""Screens given z."""

from __future__ import annotations

import numpy as np
import pytest

import kmerf


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(1)
    batch = rng.normal(size=150)
    x = rng.normal(size=(150, 5)) + batch[:, None]
    x[:, 4] = 1.0
    return x, batch + x[:, 2] + rng.normal(size=150), batch


def test_only_what_matters_beyond_z_is_selected(data):
    x, y, batch = data
    found = kmerf.screen(x, y, given=batch, rng=1, n_jobs=1)
    assert found.selected == ("x3",)
    assert found.errors == {"x5": "constant, so nothing can depend on it: leave it out."}
    assert found.settings["given"] == ["z"]
    assert any("approximate" in note for note in found.notes)
    again = kmerf.screen(x, y, given=batch, rng=1, n_jobs=2)
    np.testing.assert_array_equal(again.pvalues, found.pvalues)


def test_sets_are_tested_together(data):
    x, y, batch = data
    found = kmerf.screen(x, y, given=batch, sets={"one": [0, 1], "two": [2, 3]}, rng=1)
    assert found.selected == ("two",)


def test_what_is_refused(data):
    x, y, batch = data
    with pytest.raises(kmerf.InputError, match="method was passed together with given"):
        kmerf.screen(x, y, given=batch, method=kmerf.KMERF())
    with pytest.raises(kmerf.InputError, match=r"fdr=2 must be a number between 0 and 1"):
        kmerf.screen(x, y, given=batch, fdr=2)
    with pytest.raises(
        kmerf.InputError, match="none of its 1 columns or sets can be tested; the first, 'x1': constant"
    ):
        kmerf.screen(np.column_stack([np.ones(150), x[:, 0]]), y, given=batch, sets={"x1": ["x1"]})
