"""The test as pgmpy calls it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from kmerf.adapters import for_pgmpy


def table():
    rng = np.random.default_rng(3)
    z = rng.choice(["u", "v"], 200)
    return pd.DataFrame(
        {"a": (z == "u") * 2 + rng.normal(size=200), "b": (z == "u") * 2 + rng.normal(size=200), "z": z}
    )


def test_it_says_whether_columns_are_independent():
    test = for_pgmpy(table(), categorical=["z"])
    # These keywords are what its searches pass.
    assert not test("a", "b", (), data=None, independencies=None, significance_level=0.05)
    assert test("a", "b", ("z",), data=None, independencies=None, significance_level=0.05)
    assert not test("a", "z", ("b",), significance_level=0.05)


def test_a_search_finds_the_skeleton():
    data = table().assign(z=lambda t: (t["z"] == "u") * 1.0)
    options = {"significance_level": 0.05, "show_progress": False}
    try:
        from pgmpy.causal_discovery import PC
    except ImportError:
        estimators = pytest.importorskip("pgmpy.estimators")
        found, _ = estimators.PC(data).build_skeleton(ci_test=for_pgmpy(data), **options)
    else:  # from version 1.1 on
        found = PC(ci_test=for_pgmpy(data), n_jobs=1, **options).fit(data).skeleton_
    assert {frozenset(edge) for edge in found.edges()} == {frozenset("az"), frozenset("bz")}
