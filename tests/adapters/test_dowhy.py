"""The test as dowhy calls it."""

from __future__ import annotations

import numpy as np

from kmerf.adapters import for_dowhy
from kmerf.adjustment.covariates import Covariates


def test_arrays_are_compared_and_kept_by_their_contents(monkeypatch):
    calls = []
    remove = Covariates.remove
    monkeypatch.setattr(
        Covariates, "remove", lambda self, *args, **options: calls.append(1) or remove(self, *args, **options)
    )
    rng = np.random.default_rng(4)
    z = rng.normal(size=(150, 1))
    x, y, w = (z + rng.normal(size=(150, 1)) for _ in range(3))
    test = for_dowhy(seed=1)
    assert test(x, y) < 0.001
    first = test(x, y, z)
    assert first > 0.01
    assert test(x.copy(), y.copy(), z.copy()) == first
    test(x, w, z)
    assert len(calls) == 3


def test_labels_can_be_compared():
    rng = np.random.default_rng(5)
    x = rng.normal(size=(100, 1))
    y = np.where(x[:, 0] + 0.3 * rng.normal(size=100) > 0, 1, 0)
    assert for_dowhy()(x, y) < 0.001
