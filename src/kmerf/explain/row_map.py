"""A map of the rows: points in the plane, close where the forest finds rows alike.

Likeness is the out-of-bag proximity, the share of trees that put two rows into one leaf among those that have seen
neither: in-bag rows share leaves because their y agree, and a map of those would show groups where there are none.
With several forests it is the mean of theirs. The map is classical scaling: K is centred to H K H, H = I - 1/n, and the
coordinates are its two leading eigenvectors times the roots of their eigenvalues.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kmerf.core.streams import Purpose, stream
from kmerf.forests.leaf_codes import Leaves
from kmerf.forests.proximity import proximity
from kmerf.results.views import RowMap

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints
    from kmerf.data.sample_values import Response
    from kmerf.forests.fitted import FittedForest

MOST = 500  # rows on the map; of more, a random sample


def embed(forests: Sequence[FittedForest], y: Response, seed: int, n_jobs: int = 1) -> RowMap | None:
    """Return the map of the rows; None where no forest has rows out of bag."""
    chosen = np.arange(y.n)
    if y.n > MOST:
        chosen = np.sort(stream(seed, Purpose.ROW_MAP).choice(y.n, MOST, replace=False))
    some = [_leaves(forest, chosen, n_jobs) for forest in forests]
    known = [proximity(leaves, "oob", normalise=True) for leaves in some if leaves is not None]
    if not known:
        return None
    points, shares = scale(np.mean(known, axis=0))
    values = y.values[:, 0] if y.codes is None else y.codes.astype(np.float64)
    return RowMap(chosen, points, shares, values[chosen])


def _leaves(forest: FittedForest, chosen: Ints, n_jobs: int) -> Leaves | None:
    """Return where the forest puts some of the rows; None where it does not tell which rows a tree has seen."""
    parts = forest.each(lambda leaves: _columns(leaves, chosen), n_jobs)
    codes, sizes = (np.concatenate([part[k] for part in parts]) for k in (0, 2))
    counts = [part[1] for part in parts if part[1] is not None]
    return Leaves(codes, np.concatenate(counts), sizes) if len(counts) == len(parts) else None


def _columns(leaves: Leaves, chosen: Ints) -> tuple[Any, Any, Any]:
    counts = None if leaves.counts is None else np.ascontiguousarray(leaves.counts[:, chosen])
    return np.ascontiguousarray(leaves.codes[:, chosen]), counts, leaves.n_leaves.copy()


def scale(K: Floats) -> tuple[Floats, tuple[float, float]]:
    """Return the classical scaling of a kernel in two dimensions, and the share of each.

    Coordinates are rounded and their signs settled, so that they are the same wherever they are computed.

    >>> scale(np.array([[1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0]]))[1]
    (1.0, 0.0)
    """
    centred = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
    values, vectors = np.linalg.eigh((centred + centred.T) / 2.0)
    top = np.maximum(values[:-3:-1], 0.0)
    points = vectors[:, :-3:-1] * np.sqrt(top)
    largest = points[np.abs(points).argmax(axis=0), [0, 1]]
    points = points * np.where(largest < 0.0, -1.0, 1.0) / (np.abs(largest).max() or 1.0)
    shares = np.round(top / (np.maximum(values, 0.0).sum() or 1.0), 6).tolist()
    return np.round(points, 4) + 0.0, (shares[0], shares[1])
