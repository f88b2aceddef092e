"""Statistics of many permutations of y against one forest, as one product of its leaves with all of them.

With Z the leaves of a tree (rows by leaves, 0 or 1) and Y a coordinate of y in many orders (rows by orders), the sum
of y_i y_j over the pairs of rows that share a leaf is the sum of squares of each column of Z'Y, less that of y itself.
Some orders are taken at a time, side by side, so that adding a row to its leaf is one addition of short vectors. y
comes in whole numbers, whose sums are exact and fast.
"""

from __future__ import annotations

import numpy as np

from kmerf.engine.compiling import helper, kernel
from kmerf.engine.leaf_sums import ALL, EITHER, OOB
from kmerf.engine.randomness import below, start_stream

WIDTH = 128  # orders side by side


@helper
def _shuffle(seed, number, state, order):
    """Fill `order` with the permutation of a number; number 0 changes nothing."""
    start_stream(seed, number, 0, state)
    for i in range(order.size):
        order[i] = i
    for i in range(order.size - 1 if number > 0 else 0, 0, -1):
        k = below(state, i + 1)
        order[i], order[k] = order[k], order[i]


@kernel
def permutation(seed, number, order):
    """Fill `order` (n,) with the permutation that `permuted_sums` has under a number."""
    _shuffle(seed, number, np.zeros(1, np.uint64), order)


@helper
def _list_rows(codes, counts, in_bag, out_of_bag, n_leaves, rows, ends):
    """List the rows of each leaf of a tree: those in bag, out of it, or both. Leaf g ends before `ends[g]`."""
    ends[: n_leaves + 1] = 0
    for i in range(codes.size):
        ends[codes[i] + 1] += 1 if (in_bag if counts[i] > 0 else out_of_bag) else 0
    for leaf in range(n_leaves):
        ends[leaf + 1] += ends[leaf]
    for i in range(codes.size):
        if in_bag if counts[i] > 0 else out_of_bag:
            rows[ends[codes[i]]] = i
            ends[codes[i]] += 1


@helper
def _add_squares(rows, ends, n_leaves, y, leaf_sum, sign, total):
    """Add to `total` (width,) the squares of the sums of y (n, width) over the leaves of a tree, two rows in a pass."""
    i = 0
    for leaf in range(n_leaves):
        leaf_sum[:] = 0
        while i + 1 < ends[leaf]:
            a, b = y[rows[i]], y[rows[i + 1]]
            for w in range(leaf_sum.size):
                leaf_sum[w] += a[w] + b[w]
            i += 2
        if i < ends[leaf]:
            a = y[rows[i]]
            for w in range(leaf_sum.size):
                leaf_sum[w] += a[w]
            i += 1
        for w in range(leaf_sum.size):
            value = float(leaf_sum[w])
            total[w] += sign * value * value


@kernel
def permuted_sums(codes, counts, kind, n_leaves, points, k, l, seed, first, cross, product):  # noqa: E741
    """Fill `cross` (B,) and `product` (B,) for the permutations o numbered from `first` on.

    `cross` is the sum of points[o(i)] . points[o(j)] over counted ordered pairs, `product` that of k_i l_o(i). The
    `points` (n, q) are whole numbers, so small that sums over all rows are below 2^31.
    """
    m, n = codes.shape
    q = points.shape[1]
    lists = 2 if kind == EITHER else 1  # pairs that are in bag together do not count: their squares are taken off
    rows, ends = np.empty((lists, m, n), np.int32), np.empty((lists, m, n_leaves.max() + 1), np.int32)
    alone = np.zeros(n)  # how often a pair of the row with itself is among the squares
    for t in range(m):
        _list_rows(codes[t], counts[t], kind != OOB, True, n_leaves[t], rows[0, t], ends[0, t])
        if kind == EITHER:
            _list_rows(codes[t], counts[t], True, False, n_leaves[t], rows[1, t], ends[1, t])
        for i in range(n):
            alone[i] += 1.0 if kind == ALL or counts[t, i] == 0 else 0.0
    own = np.zeros(n)
    for i in range(n):
        for c in range(q):
            own[i] += float(points[i, c]) ** 2
    y = np.zeros((q, n, WIDTH), np.int32)
    leaf_sum, total = np.empty(WIDTH, np.int32), np.empty(WIDTH)
    order, state = np.empty(n, np.int32), np.zeros(1, np.uint64)
    for start in range(0, cross.size, WIDTH):
        wanted = min(WIDTH, cross.size - start)
        for b in range(wanted):
            _shuffle(seed, first + start + b, state, order)
            both, squares = 0.0, 0.0
            for i in range(n):
                row = order[i]
                both += k[i] * l[row]
                squares += alone[i] * own[row]
                for c in range(q):
                    y[c, i, b] = points[row, c]
            product[start + b] = both
            cross[start + b] = -squares
        total[:] = 0.0
        for c in range(q):
            for t in range(m):
                _add_squares(rows[0, t], ends[0, t], n_leaves[t], y[c], leaf_sum, 1.0, total)
                if kind == EITHER:
                    _add_squares(rows[1, t], ends[1, t], n_leaves[t], y[c], leaf_sum, -1.0, total)
        cross[start : start + wanted] += total[:wanted]
