"""Every formula beside a slow one: written out again, column by column, from the same random stream."""

from __future__ import annotations

import inspect
import itertools
import math
import pickle
import warnings

import numpy as np
import pytest

import kmerf.simulations as simulations
from kmerf.core.errors import InputError
from kmerf.simulations import SIMULATIONS, dimension_grid, mixture, noiseless, rotated, simulate
from simulation_checks import DEFINITIONS, assert_covariance

NAMES = [
    "linear",
    "exponential",
    "cubic",
    "joint_normal",
    "step",
    "quadratic",
    "w_shaped",
    "spiral",
    "uncorrelated_bernoulli",
    "logarithmic",
    "fourth_root",
    "sin_four_pi",
    "sin_sixteen_pi",
    "square",
    "diamond",
    "two_parabolas",
    "circle",
    "ellipse",
    "multiplicative_noise",
    "multimodal_independence",
]


# Where y has p columns; everywhere else it has one.
WIDE = {
    "paper": {
        "joint_normal",
        "logarithmic",
        "sin_four_pi",
        "sin_sixteen_pi",
        "square",
        "diamond",
        "multiplicative_noise",
    },
    "published": {"sin_four_pi", "sin_sixteen_pi", "square", "diamond"},
}


# Where kappa does nothing in the paper's formulas.
WITHOUT_KAPPA = {
    "step",
    "spiral",
    "uncorrelated_bernoulli",
    "square",
    "diamond",
    "circle",
    "ellipse",
    "multiplicative_noise",
    "multimodal_independence",
}


class Stream:
    """The order in which numbers are drawn: columns of the signal first, then the noise."""

    def __init__(self, seed: int, n: int, p: int):
        self.rng, self.n, self.p = np.random.default_rng(seed), n, p

    def u(self, low=-1.0, high=1.0, q=None):
        return self.rng.uniform(low, high, (self.n, q or self.p))

    def z(self, q=None):
        return self.rng.standard_normal((self.n, q or self.p))

    def b(self, q=None):
        return self.rng.integers(0, 2, (self.n, q or self.p))


def dot(x):
    total = np.zeros(len(x))
    for d in range(1, x.shape[1] + 1):
        total += x[:, d - 1] / d
    return total


def sphere(u):
    n, p = u.shape
    s = np.empty((n, p))
    for i in range(n):
        for d in range(1, p + 1):
            product = math.prod(math.cos(math.pi * u[i, j]) for j in range(d))
            s[i, d - 1] = product * (math.sin(math.pi * u[i, d]) if d < p else 1.0)
    return s


def columns(cols):
    return np.column_stack(cols)


def paper(name, s: Stream, k: float):
    """Return x and y by the formulas of the paper's appendix."""
    p = s.p
    match name:
        case "linear":
            x = s.u()
            return x, dot(x) + k * s.z(1)[:, 0]
        case "exponential":
            x = s.u(0, 3)
            return x, np.exp(dot(x)) + 10 * k * s.z(1)[:, 0]
        case "cubic":
            x = s.u()
            z = dot(x) - 1 / 3
            return x, 128 * z**3 + 48 * z**2 - 12 * z + 80 * k * s.z(1)[:, 0]
        case "joint_normal":
            x, e = s.z(), s.z()
            ones = np.ones((p, p))
            cond = (1 + k / 2) * np.eye(p) - ones @ ones / (2 * p) ** 2
            values, vectors = np.linalg.eigh(cond)
            return x, x @ ones / (2 * p) + e @ (vectors * np.sqrt(values)) @ vectors.T
        case "step":
            x = s.u()
            return x, np.where(dot(x) > 0, 1, 0) + s.z(1)[:, 0]
        case "quadratic":
            x = s.u()
            return x, dot(x) ** 2 + 0.5 * k * s.z(1)[:, 0]
        case "w_shaped":
            x, u = s.u(), s.u()
            return x, 4 * ((dot(x) ** 2 - 0.5) ** 2 + dot(u) / 500) + 0.5 * k * s.z(1)[:, 0]
        case _:
            return paper_bent(name, s, k)


def paper_bent(name, s: Stream, k: float):
    """Return x and y by the paper's formulas for relations whose correlation is low or zero."""
    p, pi = s.p, math.pi
    match name:
        case "spiral":
            u = s.u(0, 5, 1)[:, 0]
            x = [u * np.sin(pi * u) * np.cos(pi * u) ** d for d in range(1, p)]
            return columns([*x, u * np.cos(pi * u) ** p]), u * np.sin(pi * u) + 0.4 * p * s.z(1)[:, 0]
        case "uncorrelated_bernoulli":
            x, u = s.b(), s.b(1)[:, 0]
            x = x + 0.5 * s.z()
            return x, (2 * u - 1) * dot(x) + 0.5 * s.z(1)[:, 0]
        case "logarithmic":
            x = s.z()
            return x, 2 * np.log(np.abs(x)) / np.log(2) + 3 * k * s.z()
        case "fourth_root":
            x = s.u()
            return x, np.sqrt(np.sqrt(np.abs(dot(x)))) + k / 4 * s.z(1)[:, 0]
        case "sin_four_pi" | "sin_sixteen_pi":
            theta, level = (4 * pi, 1) if name == "sin_four_pi" else (16 * pi, 0.5)
            u, v = s.u(q=1)[:, 0], s.z()
            x = columns([u + 0.02 * p * v[:, d] for d in range(p)])
            return x, np.sin(theta * x) + level * k * s.z()
        case "square" | "diamond":
            t = -pi / 8 if name == "square" else pi / 4
            u, v, e = s.u(q=1)[:, 0], s.u(q=1)[:, 0], s.z()
            x = [u * math.cos(t) + v * math.sin(t) + 0.05 * p * e[:, d] for d in range(p)]
            return columns(x), columns([-u * math.sin(t) + v * math.cos(t)] * p)
        case "two_parabolas":
            x, u, e = s.u(), s.b(1)[:, 0], s.u(0, 1, 1)[:, 0]
            return x, (dot(x) ** 2 + 2 * k * e) * (u - 0.5)
        case "circle" | "ellipse":
            u = s.u()
            x = (1 if name == "circle" else 5) * sphere(u)
            return x, np.sin(pi * u[:, 0]) + 0.4 * s.z(1)[:, 0]
        case "multiplicative_noise":
            x, u = s.z(), s.z()
            return x, u * x
        case "multimodal_independence":
            x = s.z() / 3 + 2 * s.b() - 1
            return x, s.z(1) / 3 + 2 * s.b(1) - 1
    raise AssertionError(name)


def published(name, s: Stream, k: float):
    """Return x and y as the published tables' programs define them, where that is not the paper's way."""
    p, pi = s.p, math.pi
    forced = 1.0 if p > 1 else k
    match name:
        case "cubic":
            x = s.u()
            z = dot(x) - 1 / 3
            return x, 116 * z**3 + 48 * z**2 + 80 * k * s.z(1)[:, 0]
        case "joint_normal":
            root = np.linalg.cholesky(published_variance(p))
            x = s.z() @ root.T
            return x, x[:, 0] + 0.5 * k * s.z(1)[:, 0]
        case "step":
            x = s.u()
            return x, np.where(dot(x) > 0, 1, 0) + forced * s.z(1)[:, 0]
        case "w_shaped":
            x, u = s.u(), s.u(0, 1)
            return x, 4 * ((dot(x) ** 2 - 0.5) ** 2 + dot(u) / 500) + 0.5 * k * s.z(1)[:, 0]
        case "spiral":
            u = s.u(0, 5, 1)[:, 0]
            x = [u * np.sin(pi * u) * np.cos(pi * u) ** d for d in range(1, p)]
            turns = sum(1 / d for d in range(1, p + 1))
            y = u * np.sin(pi * turns * u) + 0.4 * p * forced * s.z(1)[:, 0]
            return columns([*x, u * np.cos(pi * u) ** p]), y
        case "uncorrelated_bernoulli":
            x, u = s.b(), s.b(1)[:, 0]
            x = x + 0.5 * k * s.z()
            return x, (2 * u - 1) * dot(x) + 0.5 * k * s.z(1)[:, 0]
        case "logarithmic":
            x = s.z()
            harmonic = sum(1 / d for d in range(1, p + 1))
            return x, dot(np.log(x**2)) + 3 * k * harmonic * s.z(1)[:, 0]
        case "sin_four_pi" | "sin_sixteen_pi":
            theta, level = (4 * pi, 1) if name == "sin_four_pi" else (16 * pi, 0.5)
            u, v = s.u(), s.z()
            x = columns([u[:, d - 1] / (p - d + 1) + 0.02 * p * forced * v[:, d - 1] for d in range(1, p + 1)])
            return x, np.sin(theta * x) + level * k * s.z(1)
        case "square" | "diamond":
            t = -pi / 8 if name == "square" else -pi / 4
            u, v, e = s.u(), s.u(), s.z()
            x, y = [], []
            for d in range(1, p + 1):
                ud, vd, ed = u[:, d - 1], v[:, d - 1], e[:, d - 1]
                x.append(ud * math.cos(t) + vd * math.sin(t) + 0.05 / (p - d + 1) * ed)
                y.append((-ud * math.sin(t) + vd * math.cos(t)) / d)
            return columns(x), columns(y)
        case "circle" | "ellipse":
            u = s.u()
            r = 1 if name == "circle" else 5
            return r * (sphere(u) + 0.4 * forced * s.z()), np.sin(pi * dot(u))
        case "multiplicative_noise":
            x, u = s.z(), s.z()
            return x, dot(u * x)
    return paper(name, s, k)


def published_variance(p):
    """Return Var X of the published joint normal: the top left block of (C'C)^(1/2)."""
    b = np.array([[j / 2 for j in range(1, p + 1)]] * p)
    c = np.block([[np.eye(p), b], [b, np.eye(p)]])
    values, vectors = np.linalg.eigh(c.T @ c)
    return ((vectors * np.sqrt(values)) @ vectors.T)[:p, :p]


@pytest.mark.parametrize("name", NAMES)
def test_formula(name):
    n = 40
    for definition, p, kappa in itertools.product(DEFINITIONS, [1, 2, 3, 10], [0.0, 1.0, 0.3]):
        x, y = simulate(name, n, p, kappa=kappa, definition=definition, rng=5)
        oracle = paper if definition == "paper" else published
        x_slow, y_slow = oracle(name, Stream(5, n, p), kappa)
        assert x.shape == (n, p)
        assert y.shape == (n, p if name in WIDE[definition] else 1)
        assert x.dtype == y.dtype == np.float64
        np.testing.assert_allclose(x, x_slow, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(y, y_slow.reshape(n, -1), rtol=1e-9, atol=1e-10)


def test_one_row_is_enough():
    for name, definition in itertools.product(NAMES, DEFINITIONS):
        x, y = simulate(name, 1, 2, definition=definition, rng=0)
        assert len(x) == len(y) == 1
        assert np.isfinite(x).all()
        assert np.isfinite(y).all()


def test_seeds():
    for name, definition in itertools.product(NAMES, DEFINITIONS):
        first = simulate(name, 30, 3, definition=definition, rng=11)
        again = getattr(simulations, name)(30, 3, definition=definition, rng=np.random.default_rng(11))
        other = simulate(name, 30, 3, definition=definition, rng=12)
        for a, b, c in zip(first, again, other, strict=True):
            np.testing.assert_array_equal(a, b)
            assert not np.array_equal(a, c)


def test_a_generator_moves_on():
    rng = np.random.default_rng(0)
    assert not np.array_equal(simulate("linear", 5, 2, rng=rng)[0], simulate("linear", 5, 2, rng=rng)[0])


def test_kappa_acts_where_the_paper_writes_it():
    for name in NAMES:
        quiet, loud = (simulate(name, 30, 3, kappa=k, rng=1)[1] for k in (0.0, 2.0))
        assert np.array_equal(quiet, loud) == (name in WITHOUT_KAPPA), name


@pytest.mark.parametrize("name", ["step", "spiral", "circle", "ellipse"])
def test_published_noise_is_forced_on_above_one_dimension(name):
    def pair(p, kappa):
        return np.hstack(simulate(name, 30, p, kappa=kappa, definition="published", rng=1))

    np.testing.assert_array_equal(pair(3, 0.0), pair(3, 1.0))
    assert not np.allclose(pair(1, 0.0), pair(1, 1.0))


SAME = {"linear", "exponential", "step", "quadratic", "fourth_root", "two_parabolas", "multimodal_independence"}


def test_definitions_differ_where_they_should():
    for name in NAMES:
        a, b = (np.hstack(simulate(name, 30, 3, kappa=0.0, definition=d, rng=2)) for d in DEFINITIONS)
        assert np.array_equal(a, b) == (name in SAME), name


def test_published_bernoulli_with_noise_is_the_papers():
    a, b = (np.hstack(simulate("uncorrelated_bernoulli", 30, 3, definition=d, rng=2)) for d in DEFINITIONS)
    np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_noiseless_relations_hold_exactly(definition):
    def z(name):
        x, y = noiseless(name, 200, 1, definition=definition, rng=3)
        return x[:, 0], y[:, 0]

    def close(a, b):
        np.testing.assert_allclose(a, b, atol=1e-9)

    x, y = z("circle")
    close(x**2 + y**2, 1)
    x, y = z("ellipse")
    close((x / 5) ** 2 + y**2, 1)
    x, y = z("spiral")
    u = np.hypot(x, y)
    close(x, u * np.cos(np.pi * u))
    x, y = z("step")
    close(y, x > 0)
    x, y = z("sin_four_pi")
    close(y, np.sin(4 * np.pi * x))
    assert np.abs(x).max() <= 1
    x, y = z("uncorrelated_bernoulli")
    assert set(zip(x, y, strict=True)) == {(0, 0), (1, 1), (1, -1)}
    x, y = z("two_parabolas")
    close(np.abs(y), x**2 / 2)
    x, y = z("diamond")
    assert np.max(np.abs(x) + np.abs(y)) <= math.sqrt(2) + 1e-12
    x, y = z("square")
    c, s = math.cos(math.pi / 8), math.sin(math.pi / 8)
    assert max(np.abs(c * x + s * y).max(), np.abs(-s * x + c * y).max()) <= 1 + 1e-12


@pytest.mark.parametrize("name", ["linear", "logarithmic", "quadratic", "cubic", "w_shaped"])
def test_noiseless_shares_its_signal_with_simulate(name):
    x, y = noiseless(name, 50, 3, rng=8)
    x_noisy, y_noisy = simulate(name, 50, 3, kappa=0.1, rng=8)
    np.testing.assert_array_equal(x, x_noisy)
    assert 0 < np.abs(y - y_noisy).max() < 40


@pytest.mark.parametrize(("p", "kappa"), [(1, 0.0), (3, 0.0), (3, 1.0), (12, 2.0)])
def test_joint_normal_covariance_of_the_paper(p, kappa):
    n = 100_000
    z = np.hstack(simulate("joint_normal", n, p, kappa=kappa, rng=1))
    off = np.full((p, p), 1 / (2 * p))
    sigma = np.block([[np.eye(p), off], [off, (1 + kappa / 2) * np.eye(p)]])
    assert np.linalg.eigvalsh(sigma).min() > 0
    assert_covariance(z, sigma)


@pytest.mark.parametrize("p", [1, 2, 6])
def test_joint_normal_as_published_is_what_numpy_draws(p):
    c = np.eye(2 * p)
    c[:p, p:] = c[p:, :p] = np.arange(1, p + 1) / 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # "covariance is not symmetric positive-semidefinite"
        legacy = np.random.RandomState(1)  # a Generator factors C the other way round
        theirs = legacy.multivariate_normal(np.zeros(2 * p), c, size=100_000)[:, :p]
    ours, y = simulate("joint_normal", 100_000, p, kappa=0.0, definition="published", rng=2)
    np.testing.assert_array_equal(y, ours[:, :1])
    assert_covariance(theirs, published_variance(p))
    assert_covariance(ours, published_variance(p))


def test_multimodal_columns_are_independent_of_each_other():
    x, y = simulate("multimodal_independence", 50_000, 2, rng=1)
    z = np.hstack([x, y])
    assert_covariance(z, (1 + 1 / 9) * np.eye(3))
    assert np.abs(z[:, 0] ** 2 @ (z[:, 2] ** 2 - z[:, 2].var()) / 50_000) < 0.05


def test_registry():
    assert list(SIMULATIONS) == NAMES
    for name, entry in SIMULATIONS.items():
        assert entry.name == name
        assert entry.sample is getattr(simulations, name)
        assert pickle.loads(pickle.dumps(entry.sample)) is entry.sample
        assert entry.sample.__name__ == name
        assert entry.sample.__doc__.startswith("Draw ")
        assert list(inspect.signature(entry.sample).parameters) == ["n", "p", "kappa", "definition", "rng"]
    titles = [entry.title for entry in SIMULATIONS.values()]
    assert len(set(titles)) == 20
    with pytest.raises(TypeError):
        SIMULATIONS["mine"] = SIMULATIONS["linear"]


def test_dimension_grids():
    grids = {
        1000: (3, 113, 224, 335, 446, 556, 667, 778, 889, 1000),
        100: (3, 13, 24, 35, 46, 56, 67, 78, 89, 100),
        40: (3, 7, 11, 15, 19, 23, 27, 31, 35, 40),
        20: (3, 4, 6, 8, 10, 12, 14, 16, 18, 20),
        10: (3, 4, 5, 6, 7, 8, 9, 10),
    }
    tops = {
        **dict.fromkeys(NAMES, 20),
        **dict.fromkeys(["linear", "exponential", "cubic"], 1000),
        **dict.fromkeys(["uncorrelated_bernoulli", "logarithmic", "multimodal_independence"], 100),
        **dict.fromkeys(["square", "diamond"], 40),
        **dict.fromkeys(["joint_normal", "sin_four_pi", "sin_sixteen_pi", "multiplicative_noise"], 10),
    }
    for name in NAMES:
        assert dimension_grid(name) == grids[tops[name]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: simulate("w_shape", 10, 2), "name='w_shape' is not an option; did you mean 'w_shaped'?"),
        (lambda: simulate("linear", 0, 2), "n=0 must be a whole number"),
        (lambda: simulate("linear", 10, 0), "p=0 must be a whole number"),
        (lambda: simulate("linear", 10, 2.5), "p=2.5 must be a whole number"),
        (lambda: simulate("linear", 10, 2, kappa=-1), "kappa=-1 must be a finite number"),
        (lambda: simulate("linear", 10, 2, kappa=math.nan), "kappa=nan must be a finite number"),
        (lambda: simulations.linear(10, 2, definition="publishd"), "did you mean 'published'?"),
        (lambda: dimension_grid("sine"), "name='sine' is not an option"),
        (lambda: rotated("linear", 10, 2, angle="randm"), "angle='randm' is not an option; did you mean 'random'?"),
        (lambda: rotated("linear", 10, 2, angle=math.inf), "angle=inf must be a finite number of degrees"),
        (lambda: mixture("claws", 10, 2), "name='claws' is not an option; did you mean 'claw'?"),
        (lambda: mixture("claw", 10, 2, definition="paper"), "definition='paper' is not an option"),
        (lambda: mixture("claw", 10, 0), "p=0 must be a whole number"),
    ],
)
def test_errors_name_the_argument(call, message):
    with pytest.raises(InputError) as error:
        call()
    assert message in str(error.value)


def test_public_names():
    names = simulations.__all__
    assert names == sorted(names, key=lambda name: (not name.isupper(), name.islower(), name))
    assert all(hasattr(simulations, name) for name in names)
    assert set(NAMES) < set(names)
