"""Multiscale graph correlation (Vogelstein et al. 2019): the best local correlation of two matrices of distances.

For each pair of scales (k, l) the correlation is taken over those entries alone in which one row is among the k nearest
of the other in x, and among the l nearest in y. The statistic is the largest of these over the largest connected region
of scales that stands out of the noise, or the global correlation where there is no such region.

This is the one door to scipy's implementation. Its public function also runs permutations, and warns where they are
few; the statistic alone is a private function, so the public one stands by in case that moves. Both silence warnings
by changing the filters of the whole process, which must not happen in two threads at once: hence the lock. It costs
little, as they hold the interpreter's own lock nearly all the time.
"""

from __future__ import annotations

import threading
import warnings

import numpy as np
from numpy.typing import NDArray

from kmerf.errors import InputError

Floats = NDArray[np.float64]

FEWEST_ROWS = 5  # scipy's limit: with fewer, the threshold does not exist

_lock = threading.Lock()


def multiscale(distance_x: Floats, distance_y: Floats) -> float:
    """Return the multiscale graph correlation of two symmetric matrices of distances, with zeros on their diagonals.

    A row must be its own nearest neighbour, as scales count it: so pass `1 - K` for a proximity K with ones on its
    diagonal, and fill the diagonal of any other with zeros. Where all distances between different rows of x, or of y,
    are equal, there is nothing to correlate and the result is 0.

    >>> x = np.arange(10.0)
    >>> d = abs(x[:, None] - x)
    >>> round(multiscale(d, d), 12)
    1.0
    """
    checked = _checked("distance_x", distance_x), _checked("distance_y", distance_y)
    if checked[0].shape != checked[1].shape:
        raise InputError(
            f"distance_x and distance_y have shapes {checked[0].shape} and {checked[1].shape}: they differ."
        )
    if any(_is_constant(distance) for distance in checked):
        return 0.0
    with _lock, np.errstate(divide="ignore", invalid="ignore"):
        return _scipy_statistic(*checked)


def _checked(name: str, distance: Floats) -> Floats:
    distance = np.ascontiguousarray(distance, dtype=np.float64)
    if distance.ndim != 2 or distance.shape[0] != distance.shape[1] or len(distance) < FEWEST_ROWS:
        raise InputError(f"{name} has shape {distance.shape}: it must be (n, n), with n at least {FEWEST_ROWS}.")
    if np.diagonal(distance).any():
        raise InputError(f"{name} has a diagonal that is not zero: pass distances, such as 1 - K for a proximity K.")
    return distance


def _is_constant(distance: Floats) -> bool:
    """Tell whether all entries off the diagonal are equal: scipy stumbles over some such matrices."""
    off = distance.reshape(-1)[1:].reshape(len(distance) - 1, -1)[:, :-1]  # each line from one diagonal to the next
    return bool((off == off[0, 0]).all())


def _scipy_statistic(distance_x: Floats, distance_y: Floats) -> float:
    try:
        from scipy.stats._mgc import _mgc_stat
    except ImportError:
        from scipy.stats import multiscale_graphcorr

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            return float(multiscale_graphcorr(distance_x, distance_y, compute_distance=None, reps=0).statistic)
    return float(_mgc_stat(distance_x, distance_y)[0])
