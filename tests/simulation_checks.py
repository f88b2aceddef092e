"""Names and definitions of simulations."""

from __future__ import annotations

import numpy as np

DEFINITIONS = ("paper", "published")


def assert_covariance(z, sigma):
    # The standard error of a covariance is at most sqrt(2 Var Var / n).
    scale = np.sqrt(np.outer(np.diag(sigma), np.diag(sigma)))
    error = np.abs(z.T @ z / len(z) - sigma) / scale / np.sqrt(2 / len(z))
    assert error.max() < 5
