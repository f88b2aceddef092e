"""Some rows as they are, for pictures: the most important features and y in a random part of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kmerf.core.streams import Purpose, stream
from kmerf.results.views import DataPoints

if TYPE_CHECKING:
    from kmerf.core.arrays import Ints
    from kmerf.data.sample_values import Response, Sample

MOST = 500  # rows; of more, a random part
_FEW = 20  # rows of a class that are kept where there are so many, however rare it is


def thin(sample: Sample, top: Sequence[int], seed: int) -> DataPoints:
    """Return some rows of the features in `top` and of y."""
    x, y = sample.x, sample.y
    rows = some_rows(y, seed)
    values = np.column_stack([x.column(j)[rows] for j in top]) if len(top) else np.empty((rows.size, 0))
    return DataPoints(
        rows,
        tuple(x.names[j] for j in top),
        tuple(x.categories[j] for j in top),
        values,
        y.names,
        (y.values[:, 0] if y.codes is None else y.codes.astype(np.float64))[rows],
    )


def some_rows(y: Response, seed: int) -> Ints:
    """Draw at most about `MOST` rows; of classes each its part, but a few rows of rare ones too."""
    if y.n <= MOST:
        return np.arange(y.n)
    rng = stream(seed, Purpose.DATA_POINTS)
    if y.codes is None:
        return np.sort(rng.choice(y.n, MOST, replace=False))
    few = min(_FEW, max(1, MOST // y.q))
    kept = []
    for code in range(y.q):
        members = np.flatnonzero(y.codes == code)
        size = min(members.size, max(few, MOST * members.size // y.n))
        kept.append(rng.choice(members, size, replace=False))
    return np.sort(np.concatenate(kept))
