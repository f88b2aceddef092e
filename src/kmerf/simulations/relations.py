"""The 20 relations of the paper's appendix between x in R^p and y in R^q.

Notation, everywhere: w_d = 1/d, w'x = sum_d x_d / d, H_p = sum_d w_d; κ (`kappa`) is the noise level; ε is
standard normal, drawn for each row and, where written ε_d, for each column; U(a, b) is uniform, B a fair coin in
{0, 1}.

`definition="paper"` follows the appendix to the letter. `definition="published"` follows the programs behind the
published power tables and importances; those know only noise on (κ = 1) and off (κ = 0). "Paper" and "Published"
in the docstrings mark the two where they differ; a formula without a mark serves both.

Every function is called as `linear(n, p, *, kappa=1.0, definition="paper", rng=None)` and returns x of shape
(n, p) and y of shape (n, q). The signal is drawn before the noise, so one seed gives one signal at every level.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kmerf.core.errors import Argument, InputError, choose, whole

Array: TypeAlias = NDArray[np.float64]
Pair: TypeAlias = tuple[Array, Array]
Seed: TypeAlias = int | np.random.Generator | np.random.SeedSequence | None

DEFINITIONS = ("paper", "published")


class _NoiseFree(np.random.Generator):
    """A stream whose noise terms come out as zero; the draws are still spent, so the signal stays the same."""


@dataclass(frozen=True)
class _Draw:
    """One data set in the making: its validated settings, and the random columns it is made of."""

    n: int
    p: int
    kappa: float
    published: bool
    rng: np.random.Generator

    @property
    def weights(self) -> Array:
        """The vector w."""
        return 1.0 / np.arange(1, self.p + 1)

    @property
    def fixed(self) -> float:
        """Level of the noise that the paper writes without κ; at p = 1 the published programs scale it by κ."""
        return self.kappa if self.published and self.p == 1 else 1.0

    def weighted(self, x: Array) -> Array:
        """Return w'x as a column."""
        # A plain sum and not `@`: the last bits of a BLAS product depend on the number of its threads.
        column: Array = (x * self.weights).sum(axis=1, keepdims=True)
        return column

    def uniform(self, low: float = -1.0, high: float = 1.0, *, columns: int | None = None) -> Array:
        return self.rng.uniform(low, high, size=(self.n, columns or self.p))

    def normal(self, columns: int | None = None) -> Array:
        return self.rng.standard_normal((self.n, columns or self.p))

    def coin(self, columns: int | None = None) -> Array:
        return self.rng.integers(0, 2, size=(self.n, columns or self.p)).astype(np.float64)

    def noise(self, columns: int = 1) -> Array:
        """Return ε; ask for it after the signal."""
        return self.normal(columns) * (0.0 if isinstance(self.rng, _NoiseFree) else 1.0)


class Sampler(Protocol):
    """How each of the 20 functions is called."""

    def __call__(self, n: int, p: int, *, kappa: float = 1.0, definition: str = "paper", rng: Seed = None) -> Pair:
        """Return x of shape (n, p) and y of shape (n, q)."""
        ...


@dataclass(frozen=True)
class Simulation:
    """An entry of `SIMULATIONS`: key, title in figures, largest p in the published tables, and the function."""

    name: str
    title: str
    top: int
    sample: Sampler


_registry: dict[str, Simulation] = {}

SIMULATIONS: Mapping[str, Simulation] = MappingProxyType(_registry)
"""All 20, in the paper's order, by the names of the published tables."""


def _level(kappa: float) -> float:
    if not (math.isfinite(kappa) and kappa >= 0):
        raise InputError("must be a finite number of at least 0", argument=Argument("kappa", kappa))
    return float(kappa)


def _simulation(title: str, *, top: int = 20) -> Callable[[Callable[[_Draw], Pair]], Sampler]:
    """Turn a body that works on a `_Draw` into a function with the shared signature, and register it."""

    def decorate(body: Callable[[_Draw], Pair]) -> Sampler:
        def sample(n: int, p: int, *, kappa: float = 1.0, definition: str = "paper", rng: Seed = None) -> Pair:
            published = choose("definition", definition, DEFINITIONS) == "published"
            stream = np.random.default_rng(rng)
            return body(_Draw(whole("n", n), whole("p", p), _level(kappa), published, stream))

        # Not functools.wraps: it would show the signature of the body.
        sample.__name__ = sample.__qualname__ = body.__name__
        sample.__doc__ = body.__doc__
        _registry[body.__name__] = Simulation(body.__name__, title, top, sample)
        return sample

    return decorate


def simulate(name: str, n: int, p: int, *, kappa: float = 1.0, definition: str = "paper", rng: Seed = None) -> Pair:
    """Draw n rows of the named simulation: x of shape (n, p) and y of shape (n, q).

    `kappa` is the noise level, `definition` "paper" or "published", `rng` a seed or a numpy Generator.

    >>> x, y = simulate("linear", 100, 3, kappa=0.0, rng=1)
    >>> x.shape, y.shape, bool(np.allclose(y[:, 0], x @ [1, 1/2, 1/3]))
    ((100, 3), (100, 1), True)
    >>> simulate("spirals", 100, 3)
    Traceback (most recent call last):
    kmerf.core.errors.InputError: name='spirals' is not an option; did you mean 'spiral'? Options: 'linear', ...
    """
    sample = SIMULATIONS[choose("name", name, SIMULATIONS)].sample
    return sample(n, p, kappa=kappa, definition=definition, rng=rng)


def noiseless(name: str, n: int, p: int, *, definition: str = "paper", rng: Seed = None) -> Pair:
    """Draw what `simulate` draws from the same seed, with every noise term struck out: the relation itself.

    κ = 0 does not do that: step, spiral, uncorrelated Bernoulli, the sines, square, diamond, circle and ellipse
    have noise terms without κ.

    >>> x, y = noiseless("circle", 100, 1, rng=1)
    >>> bool(np.allclose(x**2 + y**2, 1))
    True
    """
    quiet = _NoiseFree(np.random.default_rng(rng).bit_generator)
    return simulate(name, n, p, kappa=0.0, definition=definition, rng=quiet)


def dimension_grid(name: str) -> tuple[int, ...]:
    """Return the dimensions p at which the named simulation was published.

    >>> dimension_grid("square")
    (3, 7, 11, 15, 19, 23, 27, 31, 35, 40)
    """
    top = SIMULATIONS[choose("name", name, SIMULATIONS)].top
    # Ten numbers from 3 to 10 truncate to eight different ones.
    return tuple(int(p) for p in np.unique(np.linspace(3, top, 10, dtype=int)))


@_simulation("Linear", top=1000)
def linear(draw: _Draw) -> Pair:
    """Draw X ~ U(-1, 1)^p, Y = w'X + κ ε."""
    x = draw.uniform()
    return x, draw.weighted(x) + draw.kappa * draw.noise()


@_simulation("Exponential", top=1000)
def exponential(draw: _Draw) -> Pair:
    """Draw X ~ U(0, 3)^p, Y = exp(w'X) + 10 κ ε."""
    x = draw.uniform(0.0, 3.0)
    return x, np.exp(draw.weighted(x)) + 10 * draw.kappa * draw.noise()


@_simulation("Cubic", top=1000)
def cubic(draw: _Draw) -> Pair:
    """Draw X ~ U(-1, 1)^p, z = w'X - 1/3.

    Paper: Y = 128 z^3 + 48 z^2 - 12 z + 80 κ ε.
    Published: Y = 128 z^3 + 48 z^2 - 12 z^3 + 80 κ ε.
    """
    x = draw.uniform()
    z = draw.weighted(x) - 1 / 3
    last = z**3 if draw.published else z
    return x, 128 * z**3 + 48 * z**2 - 12 * last + 80 * draw.kappa * draw.noise()


def _modulus(matrix: Array) -> Array:
    """Return |M|, the positive square root of M'M."""
    _, s, v = np.linalg.svd(matrix)
    return np.asarray((v.T * s) @ v)


@_simulation("Joint Normal", top=10)
def joint_normal(draw: _Draw) -> Pair:
    """Draw X and Y jointly normal with mean 0.

    Paper: Var X = I, Var Y = (1 + κ/2) I, Cov(X, Y) = ρ J with ρ = 1/(2p) and J all ones; Y in R^p. Drawn as
    Y = ρ J X + E with Var E = (1 + κ/2) I - J / (4p).

    Published: Y = X_1 + κ ε / 2, one column, with X the first half of a draw by `numpy.random.multivariate_normal`
    for the matrix C = [[I, B], [B, I]], where B_ij = j/2. C is neither symmetric nor positive semi-definite, so
    numpy warns, and its draws z sqrt(S) V, from C = U S V, have the covariance |C|, the positive square root of C'C
    (a numpy Generator would take U sqrt(S), another law). Turning the two halves into their sum and difference
    splits C into I + B and I - B, hence Var X = (|I + B| + |I - B|) / 2. That law is drawn here, for any p.
    """
    if draw.published:
        one, b = np.eye(draw.p), np.tile(np.arange(1, draw.p + 1) / 2, (draw.p, 1))
        variance = (_modulus(one + b) + _modulus(one - b)) / 2
        x = draw.normal() @ np.linalg.cholesky(variance).T
        return x, x[:, :1] + 0.5 * draw.kappa * draw.noise()
    x, e = draw.normal(), draw.normal()
    # J/p projects on the mean: E has variance 1 + κ/2 off it and 3/4 + κ/2 on it.
    mean = e.mean(axis=1, keepdims=True)
    off, on = math.sqrt(1 + draw.kappa / 2), math.sqrt(0.75 + draw.kappa / 2)
    return x, x.mean(axis=1, keepdims=True) / 2 + off * (e - mean) + on * mean


@_simulation("Step Function")
def step(draw: _Draw) -> Pair:
    """Draw X ~ U(-1, 1)^p.

    Paper: Y = 1(w'X > 0) + ε, whatever κ.
    Published: the same, but Y = 1(X > 0) + κ ε at p = 1.
    """
    x = draw.uniform()
    return x, (draw.weighted(x) > 0) + draw.fixed * draw.noise()


@_simulation("Quadratic")
def quadratic(draw: _Draw) -> Pair:
    """Draw X ~ U(-1, 1)^p, Y = (w'X)^2 + κ ε / 2."""
    x = draw.uniform()
    return x, draw.weighted(x) ** 2 + 0.5 * draw.kappa * draw.noise()


@_simulation("W-Shape")
def w_shaped(draw: _Draw) -> Pair:
    """Draw X ~ U(-1, 1)^p, Y = 4 [((w'X)^2 - 1/2)^2 + w'U / 500] + κ ε / 2.

    Paper: U ~ U(-1, 1)^p.
    Published: U ~ U(0, 1)^p.
    """
    x = draw.uniform()
    u = draw.uniform(0.0 if draw.published else -1.0, 1.0)
    curve = (draw.weighted(x) ** 2 - 0.5) ** 2 + draw.weighted(u) / 500
    return x, 4 * curve + 0.5 * draw.kappa * draw.noise()


def _spherical(turns: Array) -> Array:
    """Return x_d = sin(π u_{d+1}) prod_{j<=d} cos(π u_j) for d < p, and x_p = prod_{j<=p} cos(π u_j)."""
    x = np.cos(np.pi * turns)
    np.cumprod(x, axis=1, out=x)
    x[:, :-1] *= np.sin(np.pi * turns[:, 1:])
    return x


@_simulation("Spiral")
def spiral(draw: _Draw) -> Pair:
    """Draw U ~ U(0, 5), X_d = U sin(πU) cos^d(πU) for d < p, X_p = U cos^p(πU).

    Paper: Y = U sin(πU) + 0.4 p ε, whatever κ.
    Published: Y = U sin(π H_p U) + 0.4 p ε; at p = 1 the noise is 0.4 κ ε.
    """
    u = draw.uniform(0.0, 5.0, columns=1)
    x = u * _spherical(np.repeat(u, draw.p, axis=1))
    turn = draw.weights.sum() if draw.published else 1.0
    return x, u * np.sin(np.pi * turn * u) + 0.4 * draw.p * draw.fixed * draw.noise()


@_simulation("Uncorrelated Bernoulli", top=100)
def uncorrelated_bernoulli(draw: _Draw) -> Pair:
    """Draw X = B^p + λ ε_1 / 2, Y = (2U - 1) w'X + λ ε_2 / 2 with U ~ B, ε_1 in R^p, ε_2 in R.

    Paper: λ = 1, whatever κ.
    Published: λ = κ.
    """
    level = 0.5 * (draw.kappa if draw.published else 1.0)
    x, sign = draw.coin(), 2 * draw.coin(1) - 1
    x += level * draw.noise(draw.p)
    return x, sign * draw.weighted(x) + level * draw.noise()


@_simulation("Logarithmic", top=100)
def logarithmic(draw: _Draw) -> Pair:
    """Draw X ~ N(0, I_p).

    Paper: Y_d = 2 log2|X_d| + 3 κ ε_d; Y in R^p.
    Published: Y = sum_d (2 ln|X_d| + 3 κ ε) / d with one ε a row; Y in R.
    """
    x = draw.normal()
    if draw.published:
        return x, draw.weighted(2 * np.log(np.abs(x)) + 3 * draw.kappa * draw.noise())
    return x, 2 * np.log2(np.abs(x)) + 3 * draw.kappa * draw.noise(draw.p)


@_simulation("Fourth Root")
def fourth_root(draw: _Draw) -> Pair:
    """Draw X ~ U(-1, 1)^p, Y = |w'X|^(1/4) + κ ε / 4."""
    x = draw.uniform()
    return x, np.abs(draw.weighted(x)) ** 0.25 + 0.25 * draw.kappa * draw.noise()


def _sine(draw: _Draw, frequency: float, level: float) -> Pair:
    """Return X and sin(frequency X) + level κ ε; `sin_four_pi` has the formulas."""
    if draw.published:
        u, columns, jitter = draw.uniform() * draw.weights[::-1], 1, draw.fixed
    else:
        u, columns, jitter = draw.uniform(columns=1), draw.p, 1.0
    x = u + 0.02 * draw.p * jitter * draw.noise(draw.p)
    return x, np.sin(frequency * x) + level * draw.kappa * draw.noise(columns)


@_simulation("Sine Period 4π", top=10)
def sin_four_pi(draw: _Draw) -> Pair:
    """Draw X_d = U_d + 0.02 p V_d with V ~ N(0, I_p), Y_d = sin(4π X_d) + κ ε_d; Y in R^p.

    Paper: one U ~ U(-1, 1) for all columns, one ε_d for each.
    Published: U_d = U'_d / (p - d + 1) with U' ~ U(-1, 1)^p, one ε for all columns; at p = 1 V is scaled by κ.
    """
    return _sine(draw, 4 * np.pi, 1.0)


@_simulation("Sine Period 16π", top=10)
def sin_sixteen_pi(draw: _Draw) -> Pair:
    """Draw as `sin_four_pi` does, but Y_d = sin(16π X_d) + κ ε_d / 2."""
    return _sine(draw, 16 * np.pi, 0.5)


def _square(draw: _Draw, angle: float) -> Pair:
    """Return a square turned by `angle` and blurred along x; `square` has the formulas."""
    columns = draw.p if draw.published else 1
    u, v = draw.uniform(columns=columns), draw.uniform(columns=columns)
    blur = draw.weights[::-1] if draw.published else draw.p
    x = u * np.cos(angle) + v * np.sin(angle) + 0.05 * blur * draw.noise(draw.p)
    y = -u * np.sin(angle) + v * np.cos(angle)
    return x, y * (draw.weights if draw.published else np.ones(draw.p))


@_simulation("Square", top=40)
def square(draw: _Draw) -> Pair:
    """Draw a square turned by θ = -π/8; Y in R^p. Both definitions are noisy whatever κ.

    Paper: X_d = U cos θ + V sin θ + 0.05 p ε_d, Y_d = -U sin θ + V cos θ with one U and one V ~ U(-1, 1) for
    all columns, so all columns of Y are equal.
    Published: U_d and V_d for each column, 0.05 / (p - d + 1) in place of 0.05 p, and Y_d divided by d.
    """
    return _square(draw, -np.pi / 8)


@_simulation("Diamond", top=40)
def diamond(draw: _Draw) -> Pair:
    """Draw as `square` does, but θ = π/4 (paper) or -π/4 (published)."""
    return _square(draw, -np.pi / 4 if draw.published else np.pi / 4)


@_simulation("Two Parabolas")
def two_parabolas(draw: _Draw) -> Pair:
    """Draw X ~ U(-1, 1)^p, Y = ((w'X)^2 + 2 κ ε) (U - 1/2) with ε ~ U(0, 1) and U ~ B."""
    x, branch = draw.uniform(), draw.coin(1) - 0.5
    return x, (draw.weighted(x) ** 2 + 2 * draw.kappa * draw.uniform(0.0, 1.0, columns=1)) * branch


def _circle(draw: _Draw, radius: float) -> Pair:
    """Return a circle stretched along x by `radius`; `circle` has the formulas."""
    u = draw.uniform()
    x = radius * _spherical(u)
    if draw.published:
        blur = 0.4 * radius * draw.fixed * draw.noise(draw.p)
        return x + blur, np.sin(np.pi * draw.weighted(u))
    return x, np.sin(np.pi * u[:, :1]) + 0.4 * draw.noise()


@_simulation("Circle")
def circle(draw: _Draw) -> Pair:
    """Draw a circle, with U ~ U(-1, 1)^p and r = 1.

    S_d = sin(π U_{d+1}) prod_{j<=d} cos(π U_j) for d < p, S_p = prod_{j<=p} cos(π U_j).
    Paper: X = r S, Y = sin(π U_1) + 0.4 ε, whatever κ.
    Published: X_d = r (S_d + 0.4 ε_d), Y = sin(π w'U); at p = 1 the noise is scaled by κ.
    """
    return _circle(draw, 1.0)


@_simulation("Ellipse")
def ellipse(draw: _Draw) -> Pair:
    """Draw as `circle` does, but r = 5.

    The paper's heading has Y in R^p, its formula has one column; the formula is followed.
    """
    return _circle(draw, 5.0)


@_simulation("Multiplicative Noise", top=10)
def multiplicative_noise(draw: _Draw) -> Pair:
    """Draw X and U ~ N(0, I_p); no κ.

    Paper: Y_d = U_d X_d; Y in R^p.
    Published: Y = sum_d U_d X_d / d; Y in R.
    """
    x, u = draw.normal(), draw.normal()
    return x, draw.weighted(u * x) if draw.published else u * x


@_simulation("Multimodal Independence", top=100)
def multimodal_independence(draw: _Draw) -> Pair:
    """Draw X = U/3 + 2U' - 1, Y = V/3 + 2V' - 1 with U ~ N(0, I_p), U' ~ B^p, V ~ N(0, 1), V' ~ B; no κ.

    The paper's heading has Y in R, its formula Y in R^p. The heading is followed, as the published programs do
    (they keep the first column), so this null has the q = 1 of the paper's figures.
    """
    x = draw.normal() / 3 + 2 * draw.coin() - 1
    return x, draw.normal(1) / 3 + 2 * draw.coin(1) - 1
