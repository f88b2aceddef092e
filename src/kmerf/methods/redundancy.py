"""How much the columns of x say the same, by which the default weighs its members.

Where columns are correlated, what they say together is not what each says alone: a weighted sum of them may matter
though no single one does, and a regression on all columns sees it best. Weights may depend on x in any way: it stays
as it is when y is permuted, so the p-value stays exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kmerf.core.arrays import centred, mid_ranks

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats

MOST_CELLS = 10**6  # of x that are looked at, unless FEWEST_ROWS have more
FEWEST_ROWS = 200


def redundancy(x: Floats) -> float:
    """Return 1 where the columns of x (n, p), without missing values, are not correlated, and p where all are the same.

    It is 1 + (p - 1) r, with r the mean squared rank correlation of two columns, less what chance gives. Of many rows,
    some are looked at, equally far apart.

    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(500, 4))
    >>> round(redundancy(x), 1), round(redundancy(np.hstack([x, x])), 1)
    (1.0, 2.0)
    """
    n, p = x.shape
    most = max(FEWEST_ROWS, MOST_CELLS // p)
    rows = x if n <= most else x[np.linspace(0, n - 1, most).astype(np.int64)]
    ranks = centred(np.column_stack([mid_ranks(column) for column in rows.T]))
    length = np.sqrt((ranks**2).sum(axis=0))
    ranks = ranks[:, length > 0.0] / length[length > 0.0]
    n, p = ranks.shape
    if p < 2 or n < 3:
        return 1.0
    products = ranks.T @ ranks if p <= n else ranks @ ranks.T  # both have the same sum of squares
    squared = ((products**2).sum() - p) / (p * (p - 1))
    return float(1.0 + (p - 1) * max(0.0, squared - 1.0 / (n - 1)))
