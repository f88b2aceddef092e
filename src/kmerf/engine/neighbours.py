"""How many trees put a row into the same leaf as each row of another set.

The rows of the other set are listed leaf by leaf, once for each tree: `rows[t, start[t, l] : start[t, l + 1]]` are
those in leaf l of tree t. A row then visits only the rows that it shares a leaf with, which are few. A leaf of -1
means that the row does not count in the tree.
"""

from __future__ import annotations

import numpy as np

from kmerf.engine.compiling import kernel


@kernel
def list_leaves(codes, n_leaves, start, rows):
    """Fill `start` (m, most leaves + 1) and `rows` (m, n) with the rows of each leaf, in increasing order."""
    m, n = codes.shape
    place = np.empty(n_leaves.max(), np.int32)
    for t in range(m):
        start[t, :] = 0
        for i in range(n):
            if codes[t, i] >= 0:
                start[t, codes[t, i] + 1] += 1
        for leaf in range(n_leaves[t]):
            start[t, leaf + 1] += start[t, leaf]
            place[leaf] = start[t, leaf]
        for i in range(n):
            leaf = codes[t, i]
            if leaf >= 0:
                rows[t, place[leaf]] = i
                place[leaf] += 1


@kernel
def count_shared(codes, start, rows, out):
    """Fill `out` (n, other n) with the number of trees in which each row shares a leaf with each row listed."""
    m, n = codes.shape
    out[:] = 0
    for i in range(n):
        for t in range(m):
            leaf = codes[t, i]
            if leaf >= 0:
                for s in range(start[t, leaf], start[t, leaf + 1]):
                    out[i, rows[t, s]] += 1


@kernel
def find_nearest(codes, start, rows, own, nearest, shared):
    """Fill `nearest` and `shared` (n, k) with the rows that share most trees, and how many; -1 and 0 where none is.

    Of rows that share as many, the first come first. `own` (n,) is a row that is left out for each row, -1 for none.
    """
    m, n = codes.shape
    k = nearest.shape[1]
    n_other = rows.shape[1]
    counts = np.zeros(n_other, np.int32)
    touched = np.empty(n_other, np.int32)
    for i in range(n):
        n_touched = 0
        for t in range(m):
            leaf = codes[t, i]
            if leaf >= 0:
                for s in range(start[t, leaf], start[t, leaf + 1]):
                    j = rows[t, s]
                    if counts[j] == 0:
                        touched[n_touched] = j
                        n_touched += 1
                    counts[j] += 1
        nearest[i, :] = -1
        shared[i, :] = 0
        for s in range(n_touched):
            j = touched[s]
            if j != own[i]:
                _insert(j, counts[j], nearest[i], shared[i], k)
            counts[j] = 0


@kernel
def _insert(row, count, nearest, shared, k):
    """Put a row into its place among the k that share most, if it has one."""
    last = k - 1
    if count < shared[last] or (count == shared[last] and row > nearest[last] >= 0):
        return
    at = last
    while at > 0 and (count > shared[at - 1] or (count == shared[at - 1] and row < nearest[at - 1])):
        nearest[at], shared[at] = nearest[at - 1], shared[at - 1]
        at -= 1
    nearest[at], shared[at] = row, count
