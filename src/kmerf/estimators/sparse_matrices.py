"""Sparse matrices: the leaves of rows as features, and the largest proximities of each row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints


def leaf_map(codes: NDArray[np.int32], n_leaves: NDArray[np.int32]) -> Any:
    """Return Z (n, leaves of all trees), 1 / sqrt(m) in the column of each leaf of a row: Z Z' is the kernel.

    >>> leaf_map(np.array([[0, 1]], np.int32), np.array([2], np.int32)).toarray().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    m, n = codes.shape
    total = int(n_leaves.sum())
    index = np.int32 if max(total, m * n) < 2**31 else np.int64  # with a million rows, half the memory
    first = np.concatenate([[0], np.cumsum(n_leaves)[:-1]]).astype(index)
    known = codes.T >= 0
    columns = np.add(codes, first[:, None], dtype=index).T[known]
    ends = np.concatenate([[0], np.cumsum(known.sum(axis=1))]).astype(index)
    return sparse.csr_matrix((np.full(columns.size, m**-0.5), columns, ends), shape=(n, total))


def largest_entries(rows: Ints, near: Floats, n_fitted: int) -> Any:
    """Return K (n, fitted rows) with the proximities `near` (n, k) to the fitted `rows`; a row of -1 is none."""
    known = rows >= 0
    ends = np.concatenate([[0], np.cumsum(known.sum(axis=1))])
    matrix = sparse.csr_matrix((near[known], rows[known], ends), shape=(len(rows), n_fitted))
    matrix.sort_indices()
    return matrix
