"""Data for tests of y against x given z. In `NULLS`, x and y are independent given z; in `ALTERNATIVES` they are not.

`PUBLISHED` are five kinds of Bergen's GKCM study (arXiv 2604.03721). In `GROUP_DESIGNS`, y is a group that depends on
z, as x does, and on nothing else. In `PROXIES`, columns are "real", a "proxy" of a real one, or "noise".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.data.conditional_fresh import FRESH, LATER, noisy
from benchmarks.data.conditional_jumps import JUMPS
from benchmarks.data.conditional_strata import STRATA, STRATA_RELATIONS, STRATA_SHARES

Rng = np.random.Generator
Triple = tuple[Any, Any, Any]

SHIFTS = np.array([0.0, 1.0, -1.0, 0.5])


def null_1(rng: Rng, n: int) -> Triple:
    """Linear, z of 7 columns."""
    z, e, f = rng.normal(size=(n, 7)), rng.normal(size=n), rng.normal(size=n)
    x = z @ [0.4, 0.5, 0.6, -0.7, 0.0, 0.0, 1.0] + e
    return x, z @ [0.6, -0.2, 0.0, 0.3, 0.9, -0.5, 0.0] + f, z


def null_2(rng: Rng, n: int) -> Triple:
    """Bounded x, skewed y with products of z."""
    z, e, f = rng.normal(size=(n, 7)), rng.normal(size=n), rng.normal(size=n)
    x = np.tanh(0.5 * z[:, 0] - 0.9 * z[:, 1] + z[:, 2] + e)
    return x, np.exp(-0.8 * z[:, 3] * z[:, 4] + 0.6 * z[:, 5] * z[:, 6] + f), z


def null_4(rng: Rng, n: int) -> Triple:
    """Both are the same wiggly function of one column of z, and x has hardly any noise."""
    z, e, f = rng.normal(size=(n, 7)), rng.normal(size=n), rng.normal(size=n)
    wave = np.sin(2 * np.pi * z[:, 0])
    return wave + 0.1 * e, wave + f, z


def alt_1(rng: Rng, n: int) -> Triple:
    """A faint linear relation."""
    z, e, f = rng.normal(size=(n, 7)), rng.normal(size=n), rng.normal(size=n)
    x = 0.7 * z[:, 0] + z[:, 1] + e
    return x, 0.4 * z[:, 2] - 0.2 * z[:, 3] - 0.1 * x + f, z


def alt_2(rng: Rng, n: int) -> Triple:
    """The relation has the sign of a column of z, and no mean."""
    z, e, f = rng.normal(size=(n, 7)), rng.normal(size=n), rng.normal(size=n)
    x = np.sin(z[:, 0]) + e
    return x, np.tanh(z[:, 1]) + 0.2 * x**2 * z[:, 2] + f, z


def linear_1(rng: Rng, n: int) -> Triple:
    """A strong line, z of 1 column."""
    z = rng.normal(size=(n, 1))
    return noisy(rng, 3.0 * z[:, 0], z)


def linear_50(rng: Rng, n: int) -> Triple:
    """Five of 50 columns of z."""
    z = rng.normal(size=(n, 50))
    return noisy(rng, z[:, :5].sum(axis=1) / 2, z)


def bent(rng: Rng, n: int) -> Triple:
    """A parabola and a line, z of 2 columns."""
    z = rng.normal(size=(n, 2))
    return noisy(rng, z[:, 0] ** 2 - z[:, 1], z)


def product(rng: Rng, n: int) -> Triple:
    """A product of two of 7 columns."""
    z = rng.normal(size=(n, 7))
    return noisy(rng, z[:, 0] * z[:, 1], z)


def steps(rng: Rng, n: int) -> Triple:
    """Jumps along two of 5 columns."""
    z = rng.uniform(size=(n, 5))
    return noisy(rng, 2.0 * (z[:, 0] > 0.5) + (z[:, 1] > 0.7), z, 0.5)


def square_wave(rng: Rng, n: int) -> Triple:
    """Up and down twice along a column, and a step along another."""
    z = rng.uniform(size=(n, 3))
    return noisy(rng, 1.5 * (np.floor(5 * z[:, 0]) % 2) + (z[:, 1] > 0.25), z, 0.7)


def spread(rng: Rng, n: int) -> Triple:
    """Level and spread of both grow with z."""
    z = rng.normal(size=(n, 2))
    size = np.exp(z[:, 0] / 2)
    return z[:, 0] + size * rng.normal(size=n), z[:, 0] + size * rng.normal(size=n), z


def spread_only(rng: Rng, n: int) -> Triple:
    """Only the spread of both depends on z."""
    z = rng.normal(size=(n, 7))
    return z[:, 0] * rng.normal(size=n), z[:, 0] * rng.normal(size=n), z


def binary_z(rng: Rng, n: int) -> Triple:
    """Three columns of zeros and ones that interact."""
    z = (rng.random((n, 3)) < 0.5).astype(float)
    return noisy(rng, z[:, 0] + z[:, 1] * z[:, 2], z)


def mixed_z(rng: Rng, n: int) -> Triple:
    """A binary column, one of four classes, two numbers."""
    b, c, u = (rng.random(n) < 0.3).astype(float), rng.integers(0, 4, n), rng.normal(size=(n, 2))
    z = np.column_stack([b, np.eye(4)[c], u])
    return noisy(rng, b * u[:, 0] + SHIFTS[c], z)


def missing_z(rng: Rng, n: int) -> Triple:
    """A line, of which a fifth is missing where z is large."""
    z = rng.normal(size=(n, 3))
    x, y, _ = noisy(rng, z[:, 0] + (z[:, 1] > 0.84), z)
    z[z[:, 1] > 0.84, 1] = np.nan
    return x, y, z


def classes_y(rng: Rng, n: int) -> Triple:
    """Y is one of three classes."""
    z = rng.normal(size=(n, 3))
    scores = np.column_stack([z[:, 0], z[:, 1], np.zeros(n)]) + rng.gumbel(size=(n, 3))
    return z[:, 0] - z[:, 1] + rng.normal(size=n), np.array(list("abc"))[scores.argmax(axis=1)], z


def binary_x(rng: Rng, n: int) -> Triple:
    """X is zero or one, by a logistic model."""
    z = rng.normal(size=(n, 4))
    signal = z[:, 0] + z[:, 1]
    return (rng.random(n) < 1 / (1 + np.exp(-1.5 * signal))).astype(float), signal + rng.normal(size=n), z


def heavy_tails(rng: Rng, n: int) -> Triple:
    """T distributions with 2 degrees of freedom everywhere."""
    z = rng.standard_t(2, size=(n, 3))
    return z[:, 0] + rng.standard_t(2, size=n), z[:, 0] + z[:, 1] + rng.standard_t(2, size=n), z


def counts(rng: Rng, n: int) -> Triple:
    """Poisson counts."""
    z = rng.normal(size=(n, 3))
    mean = np.exp(0.5 * z[:, 0] + 0.3 * z[:, 1])
    return rng.poisson(mean).astype(float), rng.poisson(mean).astype(float), z


def correlated_z(rng: Rng, n: int) -> Triple:
    """Ten columns that nearly say the same."""
    z = rng.normal(size=(n, 1)) + 0.5 * rng.normal(size=(n, 10))
    signal = z.mean(axis=1)
    return 2 * signal + rng.normal(size=n), np.exp(signal) + rng.normal(size=n), z


def small(rng: Rng, n: int) -> Triple:
    """The linear null with a third of the rows."""
    x, y, z = null_1(rng, n // 3)
    return x, y, z


def parabola(rng: Rng, n: int) -> Triple:
    """Y bends with what z does not say of x."""
    z, e = rng.normal(size=(n, 3)), rng.normal(size=n)
    return z[:, 0] + e, z[:, 0] + 0.3 * e**2 + rng.normal(size=n), z


def flaring(rng: Rng, n: int) -> Triple:
    """The spread of y grows with x."""
    z, e = rng.normal(size=(n, 3)), rng.normal(size=n)
    return z[:, 0] + e, z[:, 0] + np.exp(0.25 * e) * rng.normal(size=n), z


def moderated(rng: Rng, n: int) -> Triple:
    """The slope of y on x is another column of z."""
    z = rng.normal(size=(n, 3))
    x = z[:, 0] + rng.normal(size=n)
    return x, z[:, 0] + 0.25 * x * z[:, 1] + rng.normal(size=n), z


def line_of_50(rng: Rng, n: int) -> Triple:
    """A line beyond five of 50 columns."""
    z = rng.normal(size=(n, 50))
    x = z[:, :5].sum(axis=1) / 2 + rng.normal(size=n)
    return x, z[:, :5].sum(axis=1) / 2 + 0.2 * x + rng.normal(size=n), z


def classes(rng: Rng, n: int) -> Triple:
    """The class of y moves with x."""
    z = rng.normal(size=(n, 3))
    x = z[:, 0] + rng.normal(size=n)
    scores = np.column_stack([z[:, 0] + 0.35 * x, z[:, 1], np.zeros(n)]) + rng.gumbel(size=(n, 3))
    return x, np.array(list("abc"))[scores.argmax(axis=1)], z


def circle(rng: Rng, n: int) -> Triple:
    """Given z, x and y lie on a circle."""
    z, angle = rng.normal(size=(n, 3)), rng.uniform(0, 2 * np.pi, n)
    noise = 0.3 * rng.normal(size=(n, 2))
    return z[:, 0] + np.cos(angle) + noise[:, 0], z[:, 0] + np.sin(angle) + noise[:, 1], z


def line_binary_z(rng: Rng, n: int) -> Triple:
    """A line beyond three columns of zeros and ones."""
    z = (rng.random((n, 3)) < 0.5).astype(float)
    x = z[:, 0] + rng.normal(size=n)
    return x, z[:, 0] + 0.2 * x + rng.normal(size=n), z


def groups_by_age(rng: Rng, n: int) -> Triple:
    """Older rows are more often treated, and have other values of x."""
    age = rng.normal(size=n)
    group = np.where(rng.random(n) < 1 / (1 + np.exp(-1.5 * age)), "treated", "control")
    return 0.6 * age[:, None] + rng.normal(size=(n, 3)), group, age


def groups_by_batch(rng: Rng, n: int) -> Triple:
    """Six batches with shares and values of their own."""
    batch = rng.integers(0, 6, n)
    group = np.where(rng.random(n) < np.linspace(0.2, 0.8, 6)[batch], "case", "control")
    return rng.normal(size=(6, 4))[batch] * 0.6 + rng.normal(size=(n, 4)), group, batch


def groups_by_severity(rng: Rng, n: int) -> Triple:
    """Three arms chosen by a bend in severity, and age."""
    z = rng.normal(size=(n, 2))
    scores = np.column_stack([z[:, 0] ** 2, z[:, 1], np.zeros(n)]) + rng.gumbel(size=(n, 3))
    x = np.column_stack([z[:, 0] ** 2 / 2 + rng.normal(size=n), z[:, 1] + rng.normal(size=n)])
    return x, np.array(["a", "b", "c"])[scores.argmax(axis=1)], z


def proxy(rng: Rng, n: int, p: int = 6, noise: float = 0.7) -> Triple:
    """A real column, a proxy of it, and noise."""
    x = rng.normal(size=(n, p))
    x[:, 1] = x[:, 0] + noise * rng.normal(size=n)
    return x, x[:, 0] + rng.normal(size=n), ["real", "proxy", *["noise"] * (p - 2)]


def proxy_bent(rng: Rng, n: int) -> Triple:
    """The same with a parabola."""
    x, _, roles = proxy(rng, n)
    return x, x[:, 0] ** 2 + 0.7 * rng.normal(size=n), roles


def proxy_of_20(rng: Rng, n: int, p: int = 20) -> Triple:
    """Two real columns, a proxy of each, and 16 of noise."""
    x = rng.normal(size=(n, p))
    x[:, 2:4] = x[:, :2] + 0.7 * rng.normal(size=(n, 2))
    return x, x[:, 0] + x[:, 1] + rng.normal(size=n), ["real"] * 2 + ["proxy"] * 2 + ["noise"] * (p - 4)


def proxy_of_50(rng: Rng, n: int) -> Triple:
    """The same with 46 of noise."""
    return proxy_of_20(rng, n, 50)


PUBLISHED = ("null_1", "null_2", "null_4", "alt_1", "alt_2")
WIGGLY = ("null_4",)
_NULLS = (
    *(null_1, null_2, null_4, linear_1, linear_50, bent, product, steps, square_wave, spread, spread_only),
    *(binary_z, mixed_z, missing_z, classes_y, binary_x, heavy_tails, counts, correlated_z, small),
)
_ALTERNATIVES = (alt_1, alt_2, parabola, flaring, moderated, line_of_50, classes, circle, line_binary_z)
_GROUP_DESIGNS = (groups_by_age, groups_by_batch, groups_by_severity)
NULLS: dict[str, Callable[[Rng, int], Triple]] = {each.__name__: each for each in _NULLS} | LATER
ALTERNATIVES: dict[str, Callable[[Rng, int], Triple]] = {each.__name__: each for each in _ALTERNATIVES}
GROUP_DESIGNS: dict[str, Callable[[Rng, int], Triple]] = {each.__name__: each for each in _GROUP_DESIGNS}
_PROXIES = (proxy, proxy_bent, proxy_of_20, proxy_of_50)
PROXIES: dict[str, Callable[[Rng, int], Triple]] = {each.__name__: each for each in _PROXIES}
DATA = NULLS | JUMPS | FRESH | STRATA | STRATA_RELATIONS | STRATA_SHARES | ALTERNATIVES | GROUP_DESIGNS
