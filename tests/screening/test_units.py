"""What a screen tests, and with how many draws."""

from __future__ import annotations

import json

import numpy as np

import kmerf
from kmerf import baselines
from kmerf.execution.parallel import Execution
from kmerf.nulls.definitions import Extrapolated, Permutation, benjamini_hochberg
from kmerf.reading.samples import read_independence
from kmerf.results.screen_result import Screen
from kmerf.screening.screening import make_plan, screen

SMALL = kmerf.KMERF(kmerf.ForestSpec(n_trees=20))


def test_columns_that_cannot_be_tested_are_reported(screened):
    assert screened.errors == {
        "constant": "constant, so nothing can depend on it: leave it out.",
        "empty": "missing in every row: fill it in, or leave it out.",
    }
    rows = {row.name: row for row in screened}
    assert np.isnan(rows["empty"].pvalue)
    assert rows["empty"].error == screened.errors["empty"]
    assert rows["square"].error is None
    from_model = benjamini_hochberg(screened.adjusted_from[:13])
    np.testing.assert_allclose(screened.adjusted_bh[:13], np.maximum(from_model, screened.pvalues[:13]))


def test_sets_of_columns(mixed_table):
    mixed_table = mixed_table.iloc[:50]
    sets = {"noise": ["noise0", "noise1"], "mixed": ["kind", "square", "holes"], "one": "coin", "dull": ["constant"]}
    found = screen(mixed_table, "y", sets=sets, method=SMALL, rng=1)
    assert found.names == tuple(sets)
    assert set(found.selected) == {"mixed", "one"}
    assert list(found.errors) == ["dull"]
    assert found.settings["sets"]["one"] == ["coin"]
    assert "\nScreen of 4 sets of columns" in str(found)
    assert Screen.from_dict(json.loads(json.dumps(found.to_dict()))) == found
    by_place = screen(mixed_table, "y", sets={"noise": [0, 1], "mixed": [11, 8, 12], "one": [9]}, method=SMALL, rng=1)
    np.testing.assert_array_equal(by_place.statistics, found.statistics[:3])


def test_the_number_of_draws_grows_with_the_number_of_columns():
    x = np.random.default_rng(0).normal(size=(20, 60))
    assert screen(x, x[:, 0], method=kmerf.KMERF(kmerf.ForestSpec(n_trees=5)), rng=1).draws.max() == 1200
    plan = make_plan(read_independence(x, x[:, 0]), 0.05, SMALL, None, Execution(1, 1, "threads", False))
    assert plan.null(20_000, 20_000) == Extrapolated(99_999)
    assert plan.null(3, 20_000) == Extrapolated(999)
    assert plan.null(3, 20) == Extrapolated(399)  # a column that is selected alone needs p = 0.0025
    assert plan.null(1, 3) == Extrapolated(99)
    rival = make_plan(read_independence(x, x[:, 0]), 0.05, baselines.RV(), None, Execution(1, 1, "threads", False))
    assert rival.null(1, 1000) == Permutation(20_000)
    default = make_plan(read_independence(x, x[:, 0]), 0.05, None, None, Execution(1, 1, "threads", False))
    assert default.null(1, 1000) == Permutation(40_000)
    assert default.null(50, 20_000) == Extrapolated(99_999)
