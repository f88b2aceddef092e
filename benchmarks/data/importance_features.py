"""Data in which some features are real or none is, what forests give each feature, and who is called.

Two ways to call are compared on the same fits: ranks, as `kmerf.explain.feature_importances` has them, and a model of
the tail. There, a share above all of its own refits was judged by the model of the tail that the test's p-value has,
and Benjamini-Hochberg took these p-values.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import kmerf
from kmerf.data.exchangeability import Exchange
from kmerf.explain.feature_importances import find_features
from kmerf.methods.protocol import observe, prepare
from kmerf.nulls.judging import Run, resample
from kmerf.reading.samples import read_independence

REFITS = 99


class Data(NamedTuple):
    """A table, what it is tested against, and which of its columns are real."""

    x: np.ndarray
    y: np.ndarray
    real: np.ndarray


class Called(NamedTuple):
    """P-values of features (p,), by ranks."""

    single: np.ndarray
    family: np.ndarray
    fdr: np.ndarray


def noise(n: int, p: int, rng: np.random.Generator) -> np.ndarray:
    """Draw features that are correlated among themselves: some with two values, some with few, most with many."""
    shared = rng.normal(size=(n, 1))
    x = np.sqrt(0.6) * shared + np.sqrt(0.4) * rng.normal(size=(n, p))
    x[:, 0:3] = x[:, 0:3] > 0
    x[:, 3:6] = np.clip(np.round(x[:, 3:6]), -2, 2)
    x[:, 6:8] = np.exp(2 * x[:, 6:8])
    return x


def rare(n: int, p: int, rng: np.random.Generator) -> np.ndarray:
    """Draw columns of zeros and ones, one in twenty a one."""
    return (rng.random((n, p)) < 0.05).astype(float)


def unrelated(features: str, y: str, p: int, rng: np.random.Generator, n: int = 60) -> Data:
    """Draw data in which nothing is real."""
    if features == "normal":
        x = rng.normal(size=(n, p))
    elif features == "rare":
        x = rare(n, p, rng)
    else:  # ten columns each follow one factor, with a correlation of 0.9
        factors = rng.normal(size=(n, p // 10))
        x = np.sqrt(0.9) * factors[:, np.arange(p) // 10] + np.sqrt(0.1) * rng.normal(size=(n, p))
    target = rng.normal(size=n) if y == "numbers" else rng.permutation(np.arange(n) % 2) > 0
    return Data(x, target, np.zeros(p, bool))


def related(kind: str, rng: np.random.Generator) -> Data:
    """Draw data of which some features are real: "3 of 20, numbers"."""
    which, y = kind.split(", ", 1)
    size, p = (int(number) for number in which.split(" of "))
    if size == 3:
        return _three(p, y, rng)
    if size == 10:
        x = rng.normal(size=(120, p))
        return Data(x, 0.6 * x[:, :10].sum(axis=1) + rng.normal(size=120), np.arange(p) < 10)
    x = np.hstack([rng.normal(size=(150, p // 2)), rare(150, p // 2, rng)])
    real = np.r_[0:3, p // 2 : p // 2 + 3]
    signal = 0.8 * x[:, real[:3]].sum(axis=1) + 2.5 * x[:, real[3:]].sum(axis=1)
    return Data(x, signal + rng.normal(size=150), np.isin(np.arange(p), real))


def _three(p: int, y: str, rng: np.random.Generator, n: int = 200) -> Data:
    others, real = noise(n, p - 3, rng), rng.normal(size=(n, 3))
    known = np.arange(p) < 3
    if y.startswith("numbers"):
        a, b = (0.8, 1.6) if y == "numbers, weaker" else (1.0, 2.0)
        target = real[:, 0] + a * real[:, 1] ** 2 + b * (real[:, 2] > 0) + rng.normal(size=n)
        return Data(np.hstack([real, others]), target, known)
    groups = rng.permutation(np.arange(n) % 2) > 0
    real[:, 0] += 1.5 * groups
    real[:, 1] *= np.where(groups, 3.0, 1.0)
    real[:, 2] = np.where(groups, np.sign(real[:, 2]) * 1.5 + 0.4 * real[:, 2], real[:, 2])
    return Data(np.hstack([real, others]), groups, known)


def shares(data: Data, method: Any, rng: np.random.Generator) -> np.ndarray:
    """Return what each feature did for each forest (1 + refits, forests, p), with y observed and permuted."""
    seed, allowed = int(rng.integers(2**53)), Exchange()
    problem = prepare(method, read_independence(data.x, data.y), seed, allowed)
    observed = observe(problem, importances=True).shares()
    drawn = resample(problem, REFITS, Run(seed, exchange=allowed), reasons=True).shares
    return np.concatenate([observed[None], drawn])


def call(fits: np.ndarray) -> Called:
    """Judge the first fit among all."""
    names = [str(j) for j in range(fits.shape[-1])]
    now = find_features(fits[0], fits[1:], names, [str(f) for f in range(fits.shape[1])])
    return Called(now.pvalues, now.adjusted_fwer, now.adjusted_fdr)


def forest(n_trees: int) -> Any:
    """Return the test with a small forest."""
    return kmerf.KMERF(kmerf.ForestSpec(n_trees=n_trees))
