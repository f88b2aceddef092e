"""Data of published benchmarks of kernel tests, by their formulas.

- Mixtures and perturbed uniforms of MMD-FUSE (Biggs, Schrab and Gretton 2023). Mixture: four equally likely normal
  clusters at (±20, ±20) with sd 1; in the second sample the cluster at (-20, -20) has another sd. Perturbed uniform:
  the unit cube against the density 1 + c e^d sum over its 2^d parts of a random sign times the product of bumps.
- HDGM (Liu et al. 2020): two modes; in the second sample the first two columns are correlated, the other way round in
  the other mode, while every column alone has the same law.
- Dependent columns (Schrab et al. 2022): x and y uniform, with a perturbed joint density.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kmerf.data.sample import Sample
from kmerf.reading import samples

Array = np.ndarray

MIXTURE_SDS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)
ONE_COLUMN = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
TWO_COLUMNS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
ROWS = (500, 1000, 1500, 2000, 2500, 3000)
HDGM_ROWS = (1000, 2000, 4000, 6000)
DEPENDENT_ROWS = (200, 400, 600, 800, 1000)


@dataclass(frozen=True)
class TwoSamples:
    """Two samples of n rows each, by the name of a published cell."""

    cell: str
    kind: str
    n: int
    d: int
    strength: float

    @property
    def name(self) -> str:
        return self.cell

    @property
    def p(self) -> int:
        return self.d

    def draw(self, rng: np.random.Generator) -> Sample:
        """Draw both samples; for dependent columns, one sample of x and y."""
        if self.kind == "dependent":
            both = _perturbed(self.n, 2, self.strength, rng)
            return samples.read_independence(both[:, :1], both[:, 1], y_kind="numeric")
        if self.kind == "mixture":
            one, other = (_mixture(self.n, sd, rng) for sd in (1.0, self.strength))
        elif self.kind == "perturbed":
            one, other = rng.random((self.n, self.d)), _perturbed(self.n, self.d, self.strength, rng)
        else:
            one, other = (_modes(self.n, self.d, rho, rng) for rho in (0.0, 0.5))
        return samples.read_ksample(np.concatenate([one, other]), groups=np.repeat([0, 1], self.n))


def cells() -> Iterator[TwoSamples]:
    """Yield every published cell."""
    for sd in MIXTURE_SDS:
        yield TwoSamples(f"mixture_vary_dif {sd}", "mixture", 500, 2, sd)
    for n in ROWS:
        yield TwoSamples(f"mixture_vary_n {n}", "mixture", n, 2, 1.3)
    for d, amplitudes, faint in ((1, ONE_COLUMN, 0.2), (2, TWO_COLUMNS, 0.4)):
        for c in amplitudes:
            yield TwoSamples(f"perturbations_vary_dif_d{d} {c}", "perturbed", 500, d, c)
        for n in ROWS:
            yield TwoSamples(f"perturbations_vary_n_d{d} {n}", "perturbed", n, d, faint)
    for d in (2, 10):
        for n in HDGM_ROWS:
            yield TwoSamples(f"HDGM_d{d} {n}", "modes", n // 2, d, 0.5)
    for n in DEPENDENT_ROWS:
        yield TwoSamples(f"dependent {n}", "dependent", n, 1, 0.5)  # half of the largest bumps


def _mixture(n: int, sd: float, rng: np.random.Generator) -> Array:
    cluster = rng.integers(4, size=n)
    centres = 20.0 * np.array([[-1, -1], [-1, 1], [1, -1], [1, 1]])
    return centres[cluster] + np.where(cluster == 0, sd, 1.0)[:, None] * rng.normal(size=(n, 2))


def _bump(u: Array) -> Array:
    """Return the bump of one part: up in its first half, down in its second."""
    found = np.zeros_like(u)
    for low, sign, shift in ((-1.0, 1.0, 3.0), (-0.5, -1.0, 1.0)):
        inside = (u > low) & (u < low + 0.5)
        found[inside] = sign * np.exp(-1.0 / (1.0 - (4.0 * u[inside] + shift) ** 2))
    return found


def _perturbed(n: int, d: int, c: float, rng: np.random.Generator) -> Array:
    """Draw from the perturbed uniform density, by rejection."""
    signs = rng.choice([-1.0, 1.0], size=(2,) * d)
    rows = np.empty((0, d))
    while len(rows) < n:
        x = rng.random((2 * n + 10, d))
        density = np.ones(len(x))
        for part in np.ndindex(*signs.shape):
            bumps = [_bump(2.0 * x[:, j] - part[j] - 1.0) for j in range(d)]
            density += c * np.exp(d) * signs[part] * np.prod(bumps, axis=0)
        rows = np.concatenate([rows, x[rng.random(len(x)) * (1.0 + c) < density]])
    return rows[:n]


def _modes(n: int, d: int, rho: float, rng: np.random.Generator) -> Array:
    """Draw half of the rows from each mode, the second of which lies 0.5 further along every column."""
    mode = np.arange(n) % 2
    rows = rng.normal(size=(n, d))
    own = np.where(mode == 0, rho, -rho)
    rows[:, 1] = own * rows[:, 0] + np.sqrt(1.0 - own**2) * rows[:, 1]
    return rows + 0.5 * mode[:, None]
