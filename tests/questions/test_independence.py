"""Does y depend on x? Asked as a user would."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import kmerf
from grown_forests import grow
from kmerf.forests import fitted, proximity, response_kernels
from kmerf.forests.growing import presort
from questions_asked import FEW, SMALL, data


def test_independence_is_the_five_steps():
    x, y = data()
    result = kmerf.independence(x, y, null=kmerf.ChiSquare(), rng=8)
    leaves = grow(kmerf.ForestSpec(), presort(x), y[:, None], classes=False, seed=8)
    L = response_kernels.distance_kernel(y[:, None])
    expected = fitted.dense(proximity.proximity(leaves, "oob"), L).correlation
    assert result.statistic == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("table", [pd.DataFrame, pl.DataFrame])
def test_tables_name_their_columns(table):
    x, y = data()
    frame = table({"age": x[:, 0], "dose": x[:, 1], "outcome": y})
    result = kmerf.independence(frame, y="outcome", method=SMALL, null=FEW, rng=2)
    plain = kmerf.independence(x[:, :2], y, method=SMALL, null=FEW, rng=2)
    assert result.importances.names == ("age", "dose")
    assert tuple(result) == tuple(plain)


def test_categorical_columns_get_one_importance():
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], 80)
    frame = pd.DataFrame({"noise": rng.normal(size=80), "colour": pd.Categorical(colour)})
    result = kmerf.independence(frame, (colour == "green") + 0.1 * rng.normal(size=80), null=FEW, rng=0)
    assert result.importances.ranking == ("colour", "noise")
    assert result.importances.mean == pytest.approx([0.0, 0.97], abs=0.05)


def test_missing_values_in_x_are_used():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 2))
    gone = rng.random(80) < 0.5
    x[gone, 1] = np.nan
    result = kmerf.independence(x, gone + 0.1 * rng.normal(size=80), null=FEW, rng=0)
    assert result.pvalue == 0.05
    assert result.importances.ranking[0] == "x2"


@pytest.mark.parametrize("scale", [1e150, 1e-150])
def test_a_y_that_cannot_be_squared_is_refused(scale):
    x, y = data()
    with pytest.raises(kmerf.InputError, match="too much or too little to be squared: change its unit"):
        kmerf.independence(x, y * scale)


def test_units_do_not_matter():
    x, y = data()
    one, other = (kmerf.independence(x, y * unit, method=SMALL, null=FEW, rng=1) for unit in (1.0, 2.0**300))
    assert tuple(one) == tuple(other)


def test_an_interval_with_a_missing_cell():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(24, 2))
    x[3, 0] = np.nan
    small = kmerf.Portfolio().with_trees(5)
    result = kmerf.independence(x, x[:, 1], method=small, null=kmerf.Permutation(5), interval=0.95, rng=1, n_jobs=1)
    assert result.effect.low <= result.effect.correlation <= result.effect.high
