"""What several tests share. All of them run compiled code with bounds checking, in this process and in others."""

import os
import warnings

os.environ.setdefault("NUMBA_BOUNDSCHECK", "1")  # before numba is imported

import numpy as np
import pandas as pd
import pytest

import kmerf
from kmerf.screening.screening import screen

# Fixtures have no examples; collected for doctests, two of these files would be one module.
collect_ignore_glob = ["*/conftest.py"]


def pytest_collection_modifyitems(items):
    """The longest come first, so that no worker waits for another's at the end."""
    items.sort(key=lambda item: "slow" not in item.keywords)


@pytest.fixture(scope="session")
def hyppo():
    """The published implementation; what it imports warns of its own deprecations."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import hyppo.independence
        import hyppo.ksample
    return hyppo


@pytest.fixture(scope="session")
def mixed_table():
    """Columns of every kind; y depends on `square`, `coin` and `kind`."""
    rng = np.random.default_rng(4)
    n = 80
    data = pd.DataFrame({f"noise{i}": rng.normal(size=n) for i in range(8)})
    data["square"] = rng.normal(size=n)
    data["coin"] = rng.integers(0, 2, n)
    data["flag"] = rng.random(n) < 0.5
    data["kind"] = pd.Categorical(rng.choice(["a", "b", "c"], n))
    data["holes"] = np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n))
    data["constant"] = 3.0
    data["empty"] = np.nan
    data["y"] = data.square**2 + 1.5 * data.coin + 2.0 * (data.kind == "b") + 0.3 * rng.normal(size=n)
    return data


@pytest.fixture(scope="session")
def screened(mixed_table):
    """The screen of that table."""
    return screen(mixed_table, "y", method=kmerf.KMERF(kmerf.ForestSpec(n_trees=20)), rng=1)
