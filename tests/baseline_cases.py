"""Data for the tests of rivals, and how to get a statistic."""

import numpy as np

from kmerf.baselines import CCA, HHG, MGC, RV, ColumnScan, Dcorr, Hsic, NormalisedCovariance
from kmerf.methods.protocol import observe
from kmerf.reading.samples import read_independence

METHODS = [ColumnScan(), Dcorr(), Hsic(), Hsic(bandwidth="hyppo"), MGC(), HHG(), CCA(), NormalisedCovariance(), RV()]
SHAPES = [(1, 1), (3, 1), (1, 3), (4, 2), (40, 30)]


def names(value):
    return getattr(value, "name", getattr(value, "__name__", None))


def make(p, q, n=50, seed=0):
    """Continuous x and y of which y depends on x."""
    rng = np.random.default_rng([seed, n, p, q])
    x, y = rng.normal(size=(n, p)), rng.normal(size=(n, q))
    y[:, 0] += x[:, 0] ** 2 + x[:, 0]
    return x, 3.0 * y + 7.0


def make_tied(p, q, n=40, seed=0):
    """Small whole numbers: rows repeat, and so do distances."""
    rng = np.random.default_rng([seed, n, p, q])
    x = rng.integers(0, 4, size=(n, p)).astype(float)
    return x, (x[:, :1] > 1) + rng.integers(0, 3, size=(n, q)).astype(float)


def prepare(method, x, y):
    return method.prepare(read_independence(x, y, y_kind="numeric"), 0)


def statistic(method, x, y):
    return observe(prepare(method, x, y)).statistic


def groups(k, p=2, seed=0):
    rng = np.random.default_rng([seed, k, p])
    return [rng.normal(size=(12 + 3 * i, p)) * (1 + i) for i in range(k)]
