"""Pairs of series with known answers: independent ones of many kinds, and related ones of Shen et al. (TMLR 2024).

Each function takes the number of rows and a generator, and returns x (n, p) and y (n,). A relation at lag 1 goes from x
to y: y depends on x one step before.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.signal import lfilter

Generator = np.random.Generator
Pair = tuple[Any, Any]
BURN_IN = 400


def arma(ar: Sequence[float], ma: Sequence[float], n: int, rng: Generator) -> Any:
    """Return a stationary ARMA series of normal innovations."""
    noise = rng.normal(size=n + BURN_IN)
    return lfilter([1.0, *ma], [1.0, *(-a for a in ar)], noise)[BURN_IN:]


def garch(n: int, rng: Generator, alpha: float = 0.15, beta: float = 0.8) -> Any:
    """Return a GARCH(1, 1) series with variance 1."""
    noise, out, variance = rng.normal(size=n + BURN_IN), np.zeros(n + BURN_IN), 1.0
    for t, each in enumerate(noise):
        out[t] = math.sqrt(variance) * each
        variance = (1.0 - alpha - beta) + alpha * out[t] ** 2 + beta * variance
    return out[BURN_IN:]


def seasonal(n: int, rng: Generator) -> Any:
    """Return a series that depends on its last value and on that of 12 steps ago."""
    return arma([0.3, *[0.0] * 10, 0.6], [], n, rng)


def _pair(x: Callable[[int, Generator], Any], y: Callable[[int, Generator], Any]) -> Callable[[int, Generator], Pair]:
    def draw(n: int, rng: Generator) -> Pair:
        first = x(n, rng)
        return (first if first.ndim == 2 else first[:, None]), y(n, rng)

    return draw


def _ar(phi: float) -> Callable[[int, Generator], Any]:
    return lambda n, rng: arma([phi], [], n, rng)


def _walk(n: int, rng: Generator) -> Any:
    return np.cumsum(rng.normal(size=n))


def _trend(n: int, rng: Generator) -> Any:
    return arma([0.5], [], n, rng) + 6.0 * np.arange(n) / n


def _columns(n: int, rng: Generator) -> Any:
    return np.column_stack([arma([phi], [], n, rng) for phi in (0.3, 0.5, 0.7, 0.8, 0.9)])


def _classes(n: int, rng: Generator) -> Any:
    values = arma([0.9], [], n, rng)
    return np.where(values > np.median(values), "high", "low")


def _cyclic(radius: float, every: float) -> Callable[[int, Generator], Any]:
    """Return how to draw AR(2) series with complex roots: cycles of about this period, whose phase drifts."""
    return lambda n, rng: arma([2 * radius * math.cos(2 * math.pi / every), -(radius**2)], [], n, rng)


def _fractional(n: int, rng: Generator, d: float = 0.3) -> Any:
    k = np.arange(1, 4 * BURN_IN)
    weights = np.concatenate([[1.0], np.cumprod((k - 1 + d) / k)])
    return lfilter(weights, [1.0], rng.normal(size=n + 4 * BURN_IN))[4 * BURN_IN :]


def _threshold(n: int, rng: Generator) -> Any:
    noise, out = rng.normal(size=n + BURN_IN), np.zeros(n + BURN_IN)
    for t in range(1, n + BURN_IN):
        out[t] = (0.9 if out[t - 1] < 0.0 else -0.5) * out[t - 1] + noise[t]
    return out[BURN_IN:]


def _counts(n: int, rng: Generator) -> Any:
    return rng.poisson(np.exp(1.0 + 0.4 * arma([0.8], [], n, rng))).astype(float)


def _rare_counts(n: int, rng: Generator) -> Any:
    level = arma([0.9], [], n, rng)
    return np.where(level > 0.8, rng.poisson(np.exp(np.clip(level, -3.0, 3.0))), 0).astype(float)


def _heavy(n: int, rng: Generator) -> Any:
    return lfilter([1.0], [1.0, -0.7], rng.standard_t(2, size=n + BURN_IN))[BURN_IN:]


def _weekly(n: int, rng: Generator) -> Any:
    return rng.normal(size=7)[np.arange(n) % 7] + arma([0.5], [], n, rng)


def _sine(n: int, rng: Generator) -> Any:
    return 2.0 * np.sin(2 * np.pi * np.arange(n) / 12 + rng.uniform(0.0, 6.0)) + arma([0.4], [], n, rng)


def _shift(n: int, rng: Generator) -> Any:
    return arma([0.5], [], n, rng) + np.where(np.arange(n) > 0.6 * n, 3.0, 0.0)


def _growing(n: int, rng: Generator) -> Any:
    return arma([0.5], [], n, rng) * np.linspace(0.3, 3.0, n)


def _bursts(n: int, rng: Generator) -> Any:
    return arma([0.8], [], n, rng) * np.exp(0.6 * arma([0.95], [], n, rng))


def _chain(n: int, rng: Generator) -> Any:
    """Return a Markov chain of three labels that stays with probability 0.87."""
    states, stays, others = np.empty(n, int), rng.random(n) < 0.8, rng.integers(3, size=n)
    states[0] = others[0]
    for t in range(1, n):
        states[t] = states[t - 1] if stays[t] else others[t]
    return np.array(["a", "b", "c"])[states]


def _labels(n: int, rng: Generator) -> Any:
    return (_chain(n, rng)[:, None] == np.array(["a", "b", "c"])).astype(float)


def _periods(n: int, rng: Generator) -> Any:
    return np.where(np.arange(n) < n // 2, "before", "after")


NULLS: dict[str, Callable[[int, Generator], Pair]] = {
    **{f"AR(1), phi {phi:g}": _pair(_ar(phi), _ar(phi)) for phi in (0.0, 0.5, 0.9, 0.95)},
    "ARMA": _pair(lambda n, r: arma([1.2, -0.4], [0.6], n, r), lambda n, r: arma([0.8], [-0.3, 0.4], n, r)),
    "GARCH": _pair(garch, garch),
    "seasonal AR, period 12": _pair(seasonal, seasonal),
    "phi 0.95 in x, 0.5 in y": _pair(_ar(0.95), _ar(0.5)),
    "phi 0.5 in x, 0.95 in y": _pair(_ar(0.5), _ar(0.95)),
    "five columns, y with phi 0.9": _pair(_columns, _ar(0.9)),
    "two classes that last": _pair(_ar(0.9), _classes),
    "x with a trend": _pair(_trend, _ar(0.5)),
    "y with a trend": _pair(_ar(0.5), _trend),
}
PERIODS = {f"before and after, phi {phi:g}": _pair(_ar(phi), _periods) for phi in (0.5, 0.9)}
OTHERS: dict[str, Callable[[int, Generator], Pair]] = {
    "AR(2), cycles of about 8": _pair(_cyclic(0.95, 8.0), _cyclic(0.95, 8.0)),
    "AR(2), long cycles of about 20": _pair(_cyclic(0.98, 20.0), _cyclic(0.98, 20.0)),
    "long memory, d 0.3": _pair(_fractional, _fractional),
    "MA(5)": _pair(lambda n, r: arma([], [1.0] * 5, n, r), lambda n, r: arma([], [1.0] * 5, n, r)),
    "threshold AR": _pair(_threshold, _threshold),
    "AR(1), phi -0.8": _pair(_ar(-0.8), _ar(-0.8)),
    "AR(1), phi 0.99": _pair(_ar(0.99), _ar(0.99)),
    "AR(1), innovations t with 2 df": _pair(_heavy, _heavy),
    "counts with memory": _pair(_counts, _counts),
    "weekly pattern in both": _pair(_weekly, _weekly),
    "sine of period 12 in both": _pair(_sine, _sine),
    "random walk in x": _pair(_walk, _ar(0.0)),
    "random walk in y": _pair(_ar(0.0), _walk),
    "level shift in y": _pair(_ar(0.5), _shift),
    "Markov chain in y": _pair(_ar(0.9), _chain),
    "Markov chains in both": _pair(_labels, _chain),
    "counts, mostly zero": _pair(_rare_counts, _rare_counts),
    "spread grows in both": _pair(_growing, _growing),
    "long bursts in both": _pair(_bursts, _bursts),
}
BOTH = {"both with a trend": _pair(_trend, _trend), "both random walks": _pair(_walk, _walk)}


def linear(n: int, rng: Generator) -> Pair:
    """Each depends on the other one step before, with weight 0.5; the last values are of x and y."""
    x, y = rng.normal(size=(2, n))
    for t in range(1, n):
        x[t], y[t] = 0.5 * y[t - 1] + x[t], 0.5 * x[t - 1] + y[t]
    return x[:, None], y


def nonlinear(n: int, rng: Generator) -> Pair:
    """Y is noise times x one step before."""
    x, y = rng.normal(size=(2, n))
    y[1:] *= x[:-1]
    y[0] = 0.0
    return x[:, None], y


def extinct_gaussian(n: int, rng: Generator, rate: float = 0.5) -> Pair:
    """Two AR(1) with phi 0.2, whose innovations are thinned, with this probability, inside the unit disc."""
    parts = []
    while sum(map(len, parts)) < n:
        noise = rng.normal(size=(2 * n, 2))
        parts.append(noise[((noise**2).sum(axis=1) > 1.0) | (rng.random(2 * n) > rate)])
    noise = np.concatenate(parts)[:n]
    both = lfilter([1.0], [1.0, -0.2], noise, axis=0)
    return both[:, :1], both[:, 1]
