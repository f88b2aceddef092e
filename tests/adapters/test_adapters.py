"""Many tests on one table."""

from __future__ import annotations

import numpy as np
import pytest

import kmerf
from kmerf.adapters import CachedTest
from kmerf.adjustment.covariates import Covariates
from kmerf.reading.samples import read_features


@pytest.fixture
def chain():
    """Make a -> b -> c, and d apart."""
    rng = np.random.default_rng(1)
    a = rng.normal(size=200)
    b = a + rng.normal(size=200)
    return np.column_stack([a, b, b + rng.normal(size=200), rng.normal(size=200)])


def test_the_chain_is_seen(chain):
    test = CachedTest(read_features(chain), seed=1)
    assert test.pvalue(0, 2) < 0.001
    assert test.pvalue(0, 2, [1]) > 0.01
    assert test.pvalue(0, 1, [2]) < 0.001
    assert test.pvalue(0, 3) > 0.01


def test_the_order_of_x_and_y_and_of_z_does_not_matter(chain):
    test, other = (CachedTest(read_features(chain), seed=1) for _ in range(2))
    assert test.pvalue(0, 2, [1, 3]) == other.pvalue(2, 0, [3, 1])


def test_z_is_removed_from_a_variable_once(chain, monkeypatch):
    calls = []
    remove = Covariates.remove
    monkeypatch.setattr(
        Covariates, "remove", lambda self, *args, **options: calls.append(1) or remove(self, *args, **options)
    )
    test = CachedTest(read_features(chain), seed=1)
    test.pvalue(0, 1, [3])
    test.pvalue(0, 2, [3])
    test.pvalue(1, 2, [3])
    assert len(calls) == 3


def test_columns_must_differ(chain):
    test = CachedTest(read_features(chain))
    with pytest.raises(kmerf.InputError, match=r"x=1 must be another column than y=1, and neither may be in z=\[\]"):
        test.pvalue(1, 1)
    with pytest.raises(kmerf.InputError, match=r"x=0 must be another column than y=1, and neither may be in z=\[1\]"):
        test.pvalue(0, 1, [1])


def test_columns_by_name():
    test = CachedTest(read_features([[1.0, 2.0], [3.0, 4.0]]))
    assert test.names == ("x1", "x2")
    assert test.positions(["x2", "x1"]) == [1, 0]
