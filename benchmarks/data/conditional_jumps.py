"""Nulls with jumps and interactions, on which the way to extrapolate from coarse to fine regressions was chosen.

As in `conditional_data`, each returns x, y and z, where x and y are independent given z.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.data.conditional_fresh import noisy

Rng = np.random.Generator
Triple = tuple[Any, Any, Any]


def stripes(rng: Rng, n: int) -> Triple:
    """Up and down three times along one of two columns."""
    z = rng.uniform(size=(n, 2))
    return noisy(rng, 1.5 * (np.floor(6 * z[:, 0]) % 2), z, 0.7)


def board_2(rng: Rng, n: int) -> Triple:
    """A board of two by two fields, z of 4 columns."""
    z = rng.uniform(size=(n, 4))
    return noisy(rng, 1.5 * (np.floor(2 * z[:, :2]).sum(axis=1) % 2), z, 0.7)


def board_3(rng: Rng, n: int) -> Triple:
    """A board of three by three fields, z of 3 columns."""
    z = rng.uniform(size=(n, 3))
    return noisy(rng, 1.5 * (np.floor(3 * z[:, :2]).sum(axis=1) % 2), z, 0.7)


def box(rng: Rng, n: int) -> Triple:
    """Higher inside a square, z of 6 columns."""
    z = rng.uniform(-1, 1, size=(n, 6))
    return noisy(rng, 2.0 * (np.abs(z[:, :2]).max(axis=1) < 0.6), z, 0.8)


def tree(rng: Rng, n: int) -> Triple:
    """A tree of four leaves on three of 5 columns."""
    z = rng.normal(size=(n, 5))
    high, low = np.where(z[:, 1] > 0, 1.5, -0.5), np.where(z[:, 2] > -0.5, 0.2, -1.5)
    return noisy(rng, np.where(z[:, 0] > 0.3, high, low), z, 0.8)


def wave_of_sum(rng: Rng, n: int) -> Triple:
    """A wave of the sum of two of 4 columns."""
    z = rng.normal(size=(n, 4))
    return noisy(rng, 1.5 * np.sin(1.5 * z[:, :2].sum(axis=1)), z, 0.8)


def step_of_sum(rng: Rng, n: int) -> Triple:
    """A jump of the sum of three of 6 columns."""
    z = rng.normal(size=(n, 6))
    return noisy(rng, 2.0 * (z[:, :3].sum(axis=1) > 0.5), z, 0.8)


def flipped_slope(rng: Rng, n: int) -> Triple:
    """The slope along a column has the sign of another, z of 5 columns."""
    z = rng.normal(size=(n, 5))
    return noisy(rng, 1.2 * np.sign(z[:, 0]) * z[:, 1], z, 0.8)


def sign_of_three(rng: Rng, n: int) -> Triple:
    """The sign of the product of three columns."""
    z = rng.normal(size=(n, 3))
    return noisy(rng, 1.2 * np.sign(z.prod(axis=1)), z, 0.8)


def tents(rng: Rng, n: int) -> Triple:
    """Tents along four of 15 columns."""
    z = rng.uniform(-1, 1, size=(n, 15))
    return noisy(rng, 2 * np.maximum(0, 1 - 2 * np.abs(z[:, :4])).sum(axis=1), z, 0.8)


def saw(rng: Rng, n: int) -> Triple:
    """Four teeth along a column, and a line along another."""
    z = rng.uniform(size=(n, 3))
    return noisy(rng, 3 * (4 * z[:, 0] % 1) + z[:, 1], z, 0.6)


def corner_of_three(rng: Rng, n: int) -> Triple:
    """Higher where three of 8 columns are all large."""
    z = rng.normal(size=(n, 8))
    return noisy(rng, 2.5 * (z[:, :3] > -0.3).all(axis=1), z, 0.8)


def either_or(rng: Rng, n: int) -> Triple:
    """Either a binary column or a number is positive, not both; and a line."""
    binary, numbers = (rng.random((n, 2)) < 0.5) * 1.0, rng.normal(size=(n, 3))
    signal = 1.5 * ((binary[:, 0] > 0) ^ (numbers[:, 0] > 0)) + numbers[:, 1]
    return noisy(rng, signal, np.column_stack([binary, numbers]), 0.8)


def friedman(rng: Rng, n: int) -> Triple:
    """Friedman's function of five of 10 columns."""
    z = rng.uniform(size=(n, 10))
    smooth = 10 * np.sin(np.pi * z[:, 0] * z[:, 1]) + 20 * (z[:, 2] - 0.5) ** 2
    return noisy(rng, smooth + 10 * z[:, 3] + 5 * z[:, 4], z, 2.0)


def ring(rng: Rng, n: int) -> Triple:
    """Higher on a ring, z of 3 columns."""
    z = rng.normal(size=(n, 3))
    length = np.hypot(z[:, 0], z[:, 1])
    return noisy(rng, 2.0 * ((length > 0.7) & (length < 1.6)), z, 0.7)


def classes_of_corners(rng: Rng, n: int) -> Triple:
    """Y is one of three classes, by corners that x follows."""
    z = rng.uniform(-1, 1, size=(n, 4))
    corner = 2.5 * ((z[:, 0] > 0) & (z[:, 1] > 0.2))
    scores = np.column_stack([corner, 1.5 * (z[:, 2] > 0), np.zeros(n)]) + rng.gumbel(size=(n, 3))
    return corner + rng.normal(size=n), np.array(list("abc"))[scores.argmax(axis=1)], z


_JUMPS = (
    *(stripes, board_2, board_3, box, tree, wave_of_sum, step_of_sum, flipped_slope, sign_of_three),
    *(tents, saw, corner_of_three, either_or, friedman, ring, classes_of_corners),
)
JUMPS: dict[str, Callable[[Rng, int], Triple]] = {each.__name__: each for each in _JUMPS}
