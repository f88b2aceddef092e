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


@pytest.mark.parametrize(("n", "batches"), [(10, 2), (24, 12)])
def test_few_rows_and_few_values_of_z_select_nothing_by_chance(n, batches):
    wrong = 0
    for k in range(40):
        rng = np.random.default_rng([30, k])
        z = np.arange(n) % batches
        x, y = z[:, None] + rng.normal(size=(n, 20)), z + rng.normal(size=n)
        wrong += bool(kmerf.screen(x, y, given=z, rng=k, n_jobs=1).selected)
    assert wrong <= 6  # 2 are expected; with the normal limit more than 6


def test_strata_are_permuted_until_the_pvalue_is_clear():
    rng = np.random.default_rng(31)
    z = np.repeat([0.0, 1.0], 40)
    x = rng.normal(size=(80, 6))
    y = z + 2 * x[:, 1] + rng.normal(size=80)
    found = kmerf.screen(x, y, given=z, rng=1, n_jobs=1)
    assert found.selected == ("x2",)
    assert found.draws[1] == 999
    assert found.extrapolated[1]
    assert found.modelled[1] < 1e-4
    assert found.pvalues[1] == found.adjusted_bh[1] == 0.001
    assert (found.draws[[0, 2, 3, 4, 5]] < 999).any()
    assert found.notes == ("y was permuted inside 2 strata of the covariates.",)
    again = kmerf.screen(x, y, given=z, rng=1, n_jobs=2)
    np.testing.assert_array_equal(again.pvalues, found.pvalues)


def test_pvalues_are_not_below_what_arrangements_of_x_allow():
    z, x = np.repeat([0.0, 1.0], 15), np.zeros((30, 2))
    y = np.random.default_rng(32).normal(size=30)
    x[np.argmax(y), 0], x[:, 1] = 1.0, np.arange(30.0) % 7
    y[np.argmax(y)] += 50
    assert kmerf.screen(x, y, given=z, rng=1).pvalues[0] >= 1 / 15
