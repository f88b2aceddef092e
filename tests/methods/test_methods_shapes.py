"""Every test of dependence on few rows, from one column to 600, with bounds checking (see `tests/conftest.py`)."""

import itertools

import numpy as np
import pytest

import kmerf
from kmerf.core.errors import InputError
from kmerf.methods.protocol import observe
from kmerf.methods.registry import METHODS, named_method
from kmerf.reading.samples import read_independence

SHAPES = [(5, 1), (6, 40), (15, 500), (30, 600)]


def make(n, p, kind):
    rng = np.random.default_rng([n, p])
    x = rng.normal(size=(n, p))
    if kind == "two classes":
        return x, np.array(["a", "b"] * n)[:n]
    if kind == "tied columns":
        return np.round(x) + np.eye(n, p), np.round(3 * rng.normal(size=n)) + np.arange(n) // (n - 1)
    return x, rng.normal(size=(n, 2) if kind == "two columns" else n)


@pytest.mark.parametrize("name", METHODS)
def test_statistics_are_finite_as_observed_and_with_y_permuted(name):
    for (n, p), kind in itertools.product(SHAPES, ["number", "two columns", "two classes", "tied columns"]):
        sample = read_independence(*make(n, p, kind))
        if name == "cca" and p >= n:
            with pytest.raises(InputError, match="columns"):
                named_method(name).prepare(sample, seed=1)
            continue
        problem = named_method(name).prepare(sample, seed=1)
        fits = [observe(problem), problem.fit(np.random.default_rng(0).permutation(n), 1)]
        assert all(np.isfinite(fit.statistics).all() for fit in fits)
        assert fits[0].statistics.size == fits[1].statistics.size


@pytest.mark.parametrize(("n", "p"), [(12, 200), (22, 300)])
def test_a_pilot_study_with_few_rows_and_hundreds_of_columns(n, p):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(n, p)), rng.normal(size=n)
    result = kmerf.independence(x, y, rng=1)
    assert 0.0 < result.pvalue <= 1.0
    assert np.isfinite(result.importances.mean).all()
