"""A problem simple enough to work out by hand, for tests of nulls."""

from dataclasses import dataclass

import numpy as np

from kmerf.methods.protocol import Fit, Problem


@dataclass(frozen=True, eq=False)
class Covariance(Problem):
    """A problem simple enough to work out by hand: the absolute covariance of two columns of numbers."""

    x: np.ndarray
    y: np.ndarray

    @property
    def n(self) -> int:
        return len(self.x)

    @property
    def learns(self) -> bool:
        return True

    def fit(self, order: np.ndarray, refit: int, n_jobs: int = 1, importances: bool = False) -> Fit:
        return Fit.of("covariance", float(abs(np.mean((self.x - self.x.mean()) * (self.y[order] - self.y.mean())))))


def problem(n: int = 30, seed: int = 0, slope: float = 0.0) -> Covariance:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return Covariance(x, slope * x + rng.normal(size=n))
