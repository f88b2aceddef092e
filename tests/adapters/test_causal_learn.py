"""The test as causal-learn makes and calls it."""

from __future__ import annotations

import numpy as np
import pytest

from kmerf.adapters import NAME, CausalLearnTest, for_causal_learn


def data():
    rng = np.random.default_rng(2)
    z = rng.normal(size=200)
    return np.column_stack([z + rng.normal(size=200), z + rng.normal(size=200), z])


def test_it_is_called_with_positions():
    test = CausalLearnTest(data(), alpha=0.05)
    assert test.method == NAME
    assert test(0, 1) < 0.001
    assert test(0, 1, None) == test(0, 1, ())
    assert test(np.int64(0), 1, (np.int64(2),)) > 0.05


def test_a_search_finds_the_graph():
    pytest.importorskip("causallearn")
    from causallearn.search.ConstraintBased.PC import pc

    graph = pc(data(), 0.05, indep_test=for_causal_learn(), show_progress=False).G.graph
    assert not graph[0, 1]
    assert graph[0, 2]
    assert graph[1, 2]
