"""More nulls for the test given z. None of `FRESH` was run before the test was fixed; `LATER` were, once.

As in `conditional_data`, each returns x, y and z, where x and y are independent given z.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Rng = np.random.Generator
Triple = tuple[Any, Any, Any]


def noisy(rng: Rng, signal: Any, z: Any, noise: float = 1.0) -> Triple:
    """Return x and y that are the same function of z, each with noise of its own."""
    n = len(signal)
    return signal + noise * rng.normal(size=n), signal + noise * rng.normal(size=n), z


def discrete_mixed(rng: Rng, n: int) -> Triple:
    """Twelve classes whose levels and slopes differ, and a number."""
    group, number = rng.integers(0, 12, n), rng.normal(size=n)
    levels = np.random.default_rng(8).normal(size=12)
    return noisy(rng, levels[group] * (1 + number / 2) + number, np.column_stack([np.eye(12)[group], number]))


def hinge(rng: Rng, n: int) -> Triple:
    """Two of four columns bend sharply."""
    z = rng.uniform(-2, 2, size=(n, 4))
    return noisy(rng, 2 * np.maximum(z[:, 0], 0) + np.maximum(-z[:, 1], 0.5), z, 0.6)


def staircase(rng: Rng, n: int) -> Triple:
    """A staircase along one of 8 columns."""
    z = rng.normal(size=(n, 8))
    return noisy(rng, 1.2 * np.floor(1.5 * z[:, 2]), z, 0.8)


def dense_50(rng: Rng, n: int) -> Triple:
    """A bent sum of all of 50 columns."""
    z = rng.normal(size=(n, 50))
    return noisy(rng, 1.5 * np.tanh(2 * z @ np.where(np.arange(50) % 2, 1, -1) / np.sqrt(50)), z)


def sparse_50(rng: Rng, n: int) -> Triple:
    """A bend and a line along two of 50 columns."""
    z = rng.normal(size=(n, 50))
    return noisy(rng, np.abs(z[:, 0]) + z[:, 1], z)


def binary_50(rng: Rng, n: int) -> Triple:
    """Fifty columns of zeros and ones, of which two interact."""
    z = (rng.random((n, 50)) < 0.4).astype(float)
    return noisy(rng, z[:, 0] + z[:, 1] - z[:, 2] + z[:, 3] * z[:, 4], z, 0.8)


def factor_20(rng: Rng, n: int) -> Triple:
    """Twenty columns with one thing in common, which x and y follow."""
    z = rng.normal(size=(n, 1)) + rng.normal(size=(n, 20))
    return noisy(rng, 1.5 * z.mean(axis=1), z)


def radial(rng: Rng, n: int) -> Triple:
    """X and y depend on the length of z, with heavy tails."""
    z = rng.standard_t(3, size=(n, 2))
    length = np.sqrt((z**2).sum(axis=1))
    return length + rng.standard_t(3, size=n), 2 * np.cos(length) + rng.standard_t(3, size=n), z


def four_classes(rng: Rng, n: int) -> Triple:
    """Y is one of four classes, and the spread of x depends on z."""
    z = rng.normal(size=(n, 2))
    step = 2.0 * (z[:, 0] > 0.5)
    scores = np.column_stack([step, z[:, 1], z[:, 0], np.zeros(n)]) + rng.gumbel(size=(n, 4))
    return np.exp(z[:, 1] / 2) * rng.normal(size=n) + step, np.array(list("abcd"))[scores.argmax(axis=1)], z


def zero_inflated(rng: Rng, n: int) -> Triple:
    """Counts with many zeros."""
    z = rng.normal(size=(n, 3))
    some, mean = 1 / (1 + np.exp(-1.5 * z[:, 0])), np.exp(0.6 * z[:, 1])
    x, y = ((rng.random(n) < some) * rng.poisson(mean) * 1.0 for _ in range(2))
    return x, y, z


def spiky(rng: Rng, n: int) -> Triple:
    """A narrow peak along each of two columns."""
    z = rng.normal(size=(n, 2))
    return noisy(rng, 2 * np.exp(-8 * (z[:, 0] - 0.5) ** 2) - 2 * np.exp(-8 * (z[:, 1] + 0.5) ** 2), z, 0.7)


def chained(rng: Rng, n: int) -> Triple:
    """Twelve columns, each like the one before; a wave and a line."""
    z = rng.normal(size=(n, 12))
    for j in range(1, 12):
        z[:, j] = 0.8 * z[:, j - 1] + 0.6 * z[:, j]
    return noisy(rng, np.sin(2 * z[:, 3]) + z[:, 7], z)


def bumps_20(rng: Rng, n: int) -> Triple:
    """Smooth bumps along three of 20 columns."""
    z = rng.uniform(-1, 1, size=(n, 20))
    return noisy(rng, 2 * np.exp(-4 * z[:, :3] ** 2).sum(axis=1), z, 0.8)


def ordinal(rng: Rng, n: int) -> Triple:
    """Four columns of five ordered levels, three of which are added up."""
    z = rng.integers(1, 6, size=(n, 4)).astype(float)
    return noisy(rng, np.sqrt(z[:, 0]) + 0.3 * z[:, 1] - 0.1 * z[:, 2] ** 2, z)


def skewed_50(rng: Rng, n: int) -> Triple:
    """Fifty skewed columns, with the logarithms of four."""
    z = np.exp(rng.normal(size=(n, 50)))
    return noisy(rng, np.log(z[:, :4]).sum(axis=1) / 2, z)


def angles(rng: Rng, n: int) -> Triple:
    """Classes and two columns of x that follow the direction of z."""
    z = rng.normal(size=(n, 2))
    angle = np.arctan2(z[:, 1], z[:, 0])
    scores = np.column_stack([2 * np.cos(angle - k) for k in (0, 2, 4)]) + rng.gumbel(size=(n, 3))
    x = np.column_stack([np.cos(angle), np.sin(angle)]) + 0.7 * rng.normal(size=(n, 2))
    return x, np.array(list("abc"))[scores.argmax(axis=1)], z


def corner_10(rng: Rng, n: int) -> Triple:
    """Higher where two of 10 columns are both large."""
    z = rng.normal(size=(n, 10))
    return noisy(rng, 2.0 * ((z[:, 0] > 0) & (z[:, 1] > 0)), z)


def growth(rng: Rng, n: int) -> Triple:
    """A curve that levels off, noise in proportion, and a group."""
    age, group = rng.uniform(0, 20, n), rng.integers(0, 2, n)
    size = 10 * (1 + 0.2 * group) * (1 - np.exp(-age / 5)) + 1
    return (
        size * np.exp(0.1 * rng.normal(size=n)),
        size * np.exp(0.1 * rng.normal(size=n)),
        np.column_stack([age, group]),
    )


_LATER = (
    *(discrete_mixed, hinge, staircase, dense_50, sparse_50, binary_50, factor_20, radial),
    *(four_classes, zero_inflated, spiky, chained),
)
_FRESH = (bumps_20, ordinal, skewed_50, angles, corner_10, growth)
LATER: dict[str, Callable[[Rng, int], Triple]] = {each.__name__: each for each in _LATER}
FRESH: dict[str, Callable[[Rng, int], Triple]] = {each.__name__: each for each in _FRESH}
