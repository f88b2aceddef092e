"""Sums over pairs of rows that share a leaf, tree by tree, without a matrix unless one is asked for.

A pair (i, j) counts in a tree when both rows are in the same leaf and, by the kind of proximity,

    ALL     always                       EITHER  at least one of them is out of bag
    OOB     both are out of bag

so that the proximity is K_ij = (number of trees in which the pair counts) / m. Everything here is a count, or a sum
of a kernel of y over counted pairs; division by m is left to the caller, which keeps the counts exact.

Pairs within a leaf are enumerated by chains: `head[leaf]` is the row seen last, `link[row]` the one before it.
"""

from __future__ import annotations

import numpy as np
from numba import njit

ALL, EITHER, OOB = 0, 1, 2
KINDS = {"all": ALL, "either": EITHER, "oob": OOB}

_kernel = njit(nogil=True, cache=True, error_model="numpy")


@_kernel
def row_sums(codes, counts, kind, n_leaves, sums):
    """Add to `sums` (n,) the number of partners of each row, over all trees."""
    n = sums.size
    held = np.zeros(n_leaves.max(), np.int64)
    free = np.zeros(n_leaves.max(), np.int64)
    for t in range(codes.shape[0]):
        held[: n_leaves[t]] = 0
        free[: n_leaves[t]] = 0
        for i in range(n):
            held[codes[t, i]] += 1
            free[codes[t, i]] += counts[t, i] == 0
        for i in range(n):
            leaf = codes[t, i]
            out = counts[t, i] == 0
            if kind == ALL or (kind == EITHER and out):
                sums[i] += held[leaf] - 1
            elif kind == EITHER:
                sums[i] += free[leaf]
            elif out:
                sums[i] += free[leaf] - 1


@_kernel
def proximity_rows(codes, counts, kind, n_leaves, rows, out):
    """Add to `out` (len(rows), n) the number of trees in which each of `rows` is paired with each row; never itself."""
    n = codes.shape[1]
    head = np.empty(n_leaves.max(), np.int64)
    link = np.empty(n, np.int64)
    for t in range(codes.shape[0]):
        head[: n_leaves[t]] = -1
        for i in range(n):
            if kind == OOB and counts[t, i] > 0:
                continue
            link[i] = head[codes[t, i]]
            head[codes[t, i]] = i
        for b in range(rows.size):
            i = rows[b]
            in_bag = counts[t, i] > 0
            if kind == OOB and in_bag:
                continue
            j = head[codes[t, i]]
            while j >= 0:
                if j != i and not (kind == EITHER and in_bag and counts[t, j] > 0):
                    out[b, j] += 1
                j = link[j]


@_kernel
def cross_distance(codes, counts, kind, n_leaves, values, by_value):
    """Return the sum of |y_i - y_j| over counted ordered pairs, y of one dimension, in O(n) a tree.

    Rows come in increasing order of y, so each is compared with the count and the sum of its leaf so far.
    """
    size = n_leaves.max()
    count = np.empty(size)
    total = np.empty(size)
    count_in = np.empty(size)
    total_in = np.empty(size)
    result = 0.0
    for t in range(codes.shape[0]):
        count[: n_leaves[t]] = 0.0
        total[: n_leaves[t]] = 0.0
        count_in[: n_leaves[t]] = 0.0
        total_in[: n_leaves[t]] = 0.0
        tree = 0.0
        for s in range(by_value.size):
            i = by_value[s]
            in_bag = counts[t, i] > 0
            if kind == OOB and in_bag:
                continue
            leaf = codes[t, i]
            y = values[i]
            tree += count[leaf] * y - total[leaf]
            count[leaf] += 1.0
            total[leaf] += y
            if kind == EITHER and in_bag:  # pairs that are in bag together do not count
                tree -= count_in[leaf] * y - total_in[leaf]
                count_in[leaf] += 1.0
                total_in[leaf] += y
        result += tree
    return 2.0 * result


@_kernel
def cross_labels(codes, counts, kind, n_leaves, labels, n_labels):
    """Return the number of counted ordered pairs with equal labels, in O(n) a tree."""
    seen = np.empty((n_leaves.max(), n_labels), np.int64)
    seen_in = np.empty((n_leaves.max(), n_labels), np.int64)
    result = 0
    for t in range(codes.shape[0]):
        seen[: n_leaves[t]] = 0
        seen_in[: n_leaves[t]] = 0
        for i in range(labels.size):
            in_bag = counts[t, i] > 0
            if kind == OOB and in_bag:
                continue
            leaf = codes[t, i]
            result += seen[leaf, labels[i]]
            seen[leaf, labels[i]] += 1
            if kind == EITHER and in_bag:
                result -= seen_in[leaf, labels[i]]
                seen_in[leaf, labels[i]] += 1
    return 2 * result


@_kernel
def cross_points(codes, counts, kind, n_leaves, points):
    """Return the sum of Euclidean distances |y_i - y_j| over counted ordered pairs, y of any dimension."""
    n, q = points.shape
    head = np.empty(n_leaves.max(), np.int64)
    link = np.empty(n, np.int64)
    result = 0.0
    for t in range(codes.shape[0]):
        head[: n_leaves[t]] = -1
        for i in range(n):
            in_bag = counts[t, i] > 0
            if kind == OOB and in_bag:
                continue
            j = head[codes[t, i]]
            while j >= 0:
                if not (kind == EITHER and in_bag and counts[t, j] > 0):
                    square = 0.0
                    for k in range(q):
                        square += (points[i, k] - points[j, k]) ** 2
                    result += np.sqrt(square)
                j = link[j]
            link[i] = head[codes[t, i]]
            head[codes[t, i]] = i
    return 2.0 * result


@_kernel
def cross_matrix(codes, counts, kind, n_leaves, matrix, order):
    """Return the sum of `matrix[order[i], order[j]]` over counted ordered pairs."""
    n = order.size
    head = np.empty(n_leaves.max(), np.int64)
    link = np.empty(n, np.int64)
    result = 0.0
    for t in range(codes.shape[0]):
        head[: n_leaves[t]] = -1
        for i in range(n):
            in_bag = counts[t, i] > 0
            if kind == OOB and in_bag:
                continue
            j = head[codes[t, i]]
            while j >= 0:
                if not (kind == EITHER and in_bag and counts[t, j] > 0):
                    result += matrix[order[i], order[j]]
                j = link[j]
            link[i] = head[codes[t, i]]
            head[codes[t, i]] = i
    return 2.0 * result


@_kernel
def distance_sums(points, rows):
    """Fill `rows` (n,) with each point's summed distance to the others; return the sum of squared distances."""
    n, q = points.shape
    rows[:] = 0.0
    squares = 0.0
    for i in range(n):
        for j in range(i):
            square = 0.0
            for k in range(q):
                square += (points[i, k] - points[j, k]) ** 2
            squares += square
            rows[i] += np.sqrt(square)
            rows[j] += np.sqrt(square)
    return 2.0 * squares
