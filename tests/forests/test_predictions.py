"""Sums of predictions over trees are exact, wherever y lies."""

import numpy as np
import pytest

from cases import grown
from kmerf.forests.fitted import Predictions
from kmerf.reading.samples import read_independence


@pytest.mark.parametrize("away", [0.0, 1e13])
def test_predictions_do_not_feel_where_y_lies_or_what_its_other_columns_are(away):
    x = np.random.default_rng(0).normal(size=(200, 2))
    y = 3.0 * x[:, 0]
    plain, moved = read_independence(x, y), read_independence(x, away + y)
    forest = grown(plain)
    expected = forest.predictions(plain.y.values)
    found = Predictions(moved.y.values)
    forest.each(found.add)
    assert found.total[:, 0] == pytest.approx(expected.total[:, 0] + away * expected.times, rel=1e-15, abs=0.1)
    guess = found.total[:, 0] / found.times
    assert np.corrcoef(guess - away, y)[0, 1] > 0.97
    wide = np.column_stack([1e140 * x[:, 1], y, 1e-250 * y, np.full(200, 7.0)])
    found = Predictions(wide)
    forest.each(found.add)
    assert found.total[:, 1] == pytest.approx(expected.total[:, 0], abs=1e-6)
    assert 1e250 * found.total[:, 2] == pytest.approx(expected.total[:, 0], abs=1e-6)
    assert (found.total[:, 3] == 7.0 * found.times).all()
