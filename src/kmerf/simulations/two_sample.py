"""Pairs of samples (a, b) that differ in a known way: turned copies of the 20 relations, and 15 normal mixtures.

Rotations, from the paper: Z = [X | Y] has the columns of x and y side by side, and Q_θ turns the plane of its
first and last coordinate by θ; sample b is Q_θ Z for a Z drawn afresh, independent of sample a.

Mixtures, from the published two-sample tables (Marron and Wand 1992, and a null): the first column of a is
N(0, 1), that of b has the law sum_k weight_k N(mean_k, sd_k^2); all further columns are N(0, 1) noise in both.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from kmerf.core.errors import Argument, InputError, choose, whole
from kmerf.simulations.relations import Array, Pair, Seed, simulate

NOISE_COLUMNS = ("fresh", "published")


def rotate(z: Array, angle: float) -> Array:
    """Turn the rows of z by `angle` degrees, counter-clockwise, in the plane of the first and last coordinate.

    >>> rotate(np.array([[1.0, 7.0, 0.0]]), 90).round(12)
    array([[0., 7., 1.]])
    """
    theta = math.radians(angle)
    turned = z.copy()
    turned[:, 0] = math.cos(theta) * z[:, 0] - math.sin(theta) * z[:, -1]
    turned[:, -1] = math.sin(theta) * z[:, 0] + math.cos(theta) * z[:, -1]
    return turned


def rotated(
    name: str,
    n: int,
    p: int,
    *,
    angle: float | str = 20.0,
    kappa: float = 0.0,
    definition: str = "paper",
    rng: Seed = None,
) -> Pair:
    """Draw two independent samples of n rows from [X | Y] of the named simulation, the second one turned.

    `angle` is in degrees, or "random" for one angle a data set, uniform on (0, 360): the paper's figure shows 10
    degrees, its text says "random rotation", and what it tested with is not known. `kappa` is 0 because the
    paper's figure is of "no-noise simulation settings"; noise terms without κ stay. `definition` is that of
    `simulate`.

    >>> a, b = rotated("spiral", 100, 3, angle=20, rng=1)
    >>> a.shape, b.shape
    ((100, 4), (100, 4))
    """
    stream = np.random.default_rng(rng)

    def sample() -> Array:
        return np.hstack(simulate(name, n, p, kappa=kappa, definition=definition, rng=stream))

    a, b = sample(), sample()
    return a, rotate(b, _degrees(angle, stream))


def _degrees(angle: float | str, rng: np.random.Generator) -> float:
    if isinstance(angle, str):
        choose("angle", angle, ["random"])
        return float(rng.uniform(0.0, 360.0))
    if not math.isfinite(angle):
        raise InputError("must be a finite number of degrees, or 'random'", argument=Argument("angle", angle))
    return float(angle)


@dataclass(frozen=True)
class Mixture:
    """An entry of `MIXTURES`: key, title in figures, and the weight, mean and sd of each normal component."""

    name: str
    title: str
    weights: tuple[float, ...]
    means: tuple[float, ...]
    sds: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Mean of the mixture."""
        return float(np.dot(self.weights, self.means))

    @property
    def sd(self) -> float:
        """Standard deviation of the mixture."""
        second = np.dot(self.weights, np.square(self.means) + np.square(self.sds))
        return float(np.sqrt(second - self.mean**2))

    def sample(self, n: int, rng: Seed = None) -> Array:
        """Return n independent draws."""
        stream = np.random.default_rng(rng)
        k = stream.choice(len(self.weights), size=whole("n", n), p=self.weights)
        return np.asarray(self.means)[k] + np.asarray(self.sds)[k] * stream.standard_normal(n)


_Components = list[tuple[float, float, float]]

_COMPONENTS: dict[str, _Components] = {  # (weight, mean, sd)
    "skewed_unimodal": [(1 / 5, 0, 1), (1 / 5, 1 / 2, 2 / 3), (3 / 5, 13 / 12, 5 / 9)],
    "strongly_skewed": [(1 / 8, 3 * ((2 / 3) ** k - 1), (2 / 3) ** k) for k in range(8)],
    "kurtotic_unimodal": [(2 / 3, 0, 1), (1 / 3, 0, 1 / 10)],
    "outlier": [(1 / 10, 0, 1), (9 / 10, 0, 1 / 10)],
    "bimodal": [(1 / 2, -1, 2 / 3), (1 / 2, 1, 2 / 3)],
    "separated_bimodal": [(1 / 2, -3 / 2, 1 / 2), (1 / 2, 3 / 2, 1 / 2)],
    "skewed_bimodal": [(3 / 4, 0, 1), (1 / 4, 3 / 2, 1 / 3)],
    "trimodal": [(9 / 20, -6 / 5, 3 / 5), (9 / 20, 6 / 5, 3 / 5), (1 / 10, 0, 1 / 4)],
    "claw": [(1 / 2, 0, 1), *((1 / 10, k / 2 - 1, 1 / 10) for k in range(5))],
    "double_claw": [
        (49 / 100, -1, 2 / 3),
        (49 / 100, 1, 2 / 3),
        *((1 / 350, (k - 3) / 2, 1 / 100) for k in range(7)),
    ],
    "asymmetric_claw": [
        (1 / 2, 0, 1),
        *((2.0 ** (1 - k) / 31, k + 1 / 2, 2.0**-k / 10) for k in range(-2, 3)),
    ],
    "asymmetric_double_claw": [
        (46 / 100, -1, 2 / 3),
        (46 / 100, 1, 2 / 3),
        *((1 / 300, -k / 2, 1 / 100) for k in range(1, 4)),
        *((7 / 300, k / 2, 7 / 100) for k in range(1, 4)),
    ],
    "smooth_comb": [(2.0 ** (5 - k) / 63, (65 - 96 / 2**k) / 21, 32 / 63 / 2**k) for k in range(6)],
    "discrete_comb": [
        *((2 / 7, (12 * k - 15) / 7, 2 / 7) for k in range(3)),
        *((1 / 21, 2 * k / 7, 1 / 21) for k in range(8, 11)),
    ],
    "independent": [(1, 0, 1)],
}


def _entry(name: str, components: _Components) -> Mixture:
    weights, means, sds = zip(*components, strict=True)
    return Mixture(name, name.replace("_", " ").title(), weights, means, sds)


MIXTURES: Mapping[str, Mixture] = MappingProxyType({k: _entry(k, v) for k, v in _COMPONENTS.items()})
"""The 15 names of the published two-sample tables, in their order; `independent` is the null."""


def mixture(name: str, n: int, p: int, *, definition: str = "fresh", rng: Seed = None) -> Pair:
    """Draw two samples of n rows and p columns that differ, at most, in their first column.

    `definition="fresh"`: all columns but the first are fresh noise in both samples. `definition="published"`: as
    in the published tables, whose generator started two streams from one seed, the second column of a is an exact
    copy of its first, except in `independent`; much of the published power comes from that column.

    >>> a, b = mixture("claw", 50, 3, definition="published", rng=1)
    >>> bool((a[:, 0] == a[:, 1]).all()), bool((b[:, 0] == b[:, 1]).any())
    (True, False)
    """
    law = MIXTURES[choose("name", name, MIXTURES)]
    faulty = choose("definition", definition, NOISE_COLUMNS) == "published" and name != "independent"
    stream = np.random.default_rng(rng)
    a, b = stream.standard_normal((2, whole("n", n), whole("p", p)))
    b[:, 0] = law.sample(n, stream)
    if faulty:
        a[:, 1:2] = a[:, :1]  # an empty slice, and no copy, at p = 1
    return a, b
