"""Targets of trees: polynomials of ranks, whatever the scale of y."""

import numpy as np
import pytest

from kmerf.core.errors import InputError
from kmerf.forests.growing import DEGREES, coordinates, polynomial
from kmerf.reading.samples import read_independence


def response(q=1, n=40):
    rng = np.random.default_rng(0)
    return read_independence(rng.normal(size=n), rng.normal(size=(n, q))).y


@pytest.mark.parametrize(("target", "degree"), DEGREES.items())
def test_every_column_has_as_many_polynomials(target, degree):
    y = response(3)
    found = coordinates(y, target)
    assert found.shape == (40, 3 * degree)
    assert found.mean(axis=0) == pytest.approx(0.0, abs=1e-12)
    assert found.std(axis=0) == pytest.approx(1.0)
    for k in range(3):
        assert found[:, k * degree] == pytest.approx(polynomial(y.values, 1)[:, k])


def test_only_ranks_count():
    rng = np.random.default_rng(1)
    y = rng.normal(size=(40, 2))
    for degree in (1, 2, 3, 4):
        assert (polynomial(np.exp(5 * y), degree) == polynomial(y, degree)).all()


def test_a_polynomial_that_does_not_vary_is_zero():
    coin = np.repeat([[0.0], [1.0]], 10, axis=0)
    assert (polynomial(coin, 2) == 0.0).all()
    assert np.unique(polynomial(coin, 1)).tolist() == [-1.0, 1.0]


def test_the_mean_is_y_itself_and_other_names_are_refused():
    y = response()
    assert coordinates(y, "mean") is y.values
    with pytest.raises(InputError, match="target='shap' is not an option; did you mean 'shape'"):
        coordinates(y, "shap")
