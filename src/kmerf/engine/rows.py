"""What each row has in sums over pairs that share a leaf, and what a tree loses when a feature is shuffled.

`kmerf.engine.leaf_sums` says which pairs count: with h the rows of a leaf and f those of them that are out of bag, a
row is paired with h (ALL), with f (OOB, if it is out of bag itself), or with h if it is out of bag, else f (EITHER).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from kmerf.engine.compiling import kernel
from kmerf.engine.kinds import ALL, EITHER

_helper = njit(nogil=True, forceinline=True, error_model="numpy")


@kernel
def weighted(codes, counts, kind, n_leaves, weights, out):
    """Add to `out` (n,) the summed weights of the partners of each row, over all trees."""
    held = np.empty(n_leaves.max())
    free = np.empty(n_leaves.max())
    for t in range(codes.shape[0]):
        held[: n_leaves[t]] = 0.0
        free[: n_leaves[t]] = 0.0
        for i in range(out.size):
            held[codes[t, i]] += weights[i]
            if counts[t, i] == 0:
                free[codes[t, i]] += weights[i]
        for i in range(out.size):
            leaf = codes[t, i]
            is_free = counts[t, i] == 0
            if kind == ALL or (kind == EITHER and is_free):
                out[i] += held[leaf] - weights[i]
            elif kind == EITHER:
                out[i] += free[leaf]
            elif is_free:
                out[i] += free[leaf] - weights[i]


@kernel
def equal_labels(codes, counts, kind, n_leaves, labels, n_labels, out):
    """Add to `out` (n,) the number of partners of each row that have its label, over all trees."""
    held = np.empty((n_leaves.max(), n_labels), np.int64)
    free = np.empty((n_leaves.max(), n_labels), np.int64)
    for t in range(codes.shape[0]):
        held[: n_leaves[t]] = 0
        free[: n_leaves[t]] = 0
        for i in range(out.size):
            held[codes[t, i], labels[i]] += 1
            free[codes[t, i], labels[i]] += counts[t, i] == 0
        for i in range(out.size):
            leaf, label = codes[t, i], labels[i]
            is_free = counts[t, i] == 0
            if kind == ALL or (kind == EITHER and is_free):
                out[i] += held[leaf, label] - 1
            elif kind == EITHER:
                out[i] += free[leaf, label]
            elif is_free:
                out[i] += free[leaf, label] - 1


@kernel
def distances(codes, counts, kind, n_leaves, values, by_value, out):
    """Add to `out` (n,) the summed |y_i - y_j| of each row i and its partners j, over all trees.

    Rows come in increasing order of y, and then in decreasing order: those before a row in its leaf are below it, and
    then above.
    """
    size = n_leaves.max()
    count = np.empty(size)
    total = np.empty(size)
    count_free = np.empty(size)
    total_free = np.empty(size)
    n = by_value.size
    for t in range(codes.shape[0]):
        for down in range(2):
            count[: n_leaves[t]] = 0.0
            total[: n_leaves[t]] = 0.0
            count_free[: n_leaves[t]] = 0.0
            total_free[: n_leaves[t]] = 0.0
            for s in range(n):
                i = by_value[n - 1 - s if down else s]
                leaf = codes[t, i]
                is_free = counts[t, i] == 0
                y = values[i]
                if kind == ALL or (kind == EITHER and is_free):
                    out[i] += abs(count[leaf] * y - total[leaf])
                elif kind == EITHER or is_free:
                    out[i] += abs(count_free[leaf] * y - total_free[leaf])
                count[leaf] += 1.0
                total[leaf] += y
                if is_free:
                    count_free[leaf] += 1.0
                    total_free[leaf] += y


@_helper
def _leaf(i, other, shuffled, x, column_of, feature, threshold, left, missing_left, levels, worth):
    """Return the leaf of row i, if it had the value of row `other` in the feature `shuffled`."""
    node = 0
    while feature[node] >= 0:
        column = feature[node]
        value = x[other if column_of[column] == shuffled else i, column]
        if levels[node] >= 0 and not np.isnan(value):
            value = worth[levels[node] + np.int64(value)]
        goes_left = missing_left[node] == 1 if np.isnan(value) else value <= threshold[node]
        node = left[node] if goes_left else left[node] + 1
    return left[node]


@kernel
def shuffled_losses(
    x, column_of, trees, codes, counts, n_leaves, y, order, first, rounds, losses, groups, sums, known, stop
):  # fmt: skip
    """Fill `losses` (m, features): what a tree loses, out of bag, of the covariance of its predictions with y.

    A row is predicted by the mean y (n, q) of the in-bag rows of its leaf; y should be centred. The out-of-bag rows
    stand in a circle, as in `order` (n,). To shuffle a feature, each takes the value of a row some places ahead, never
    its own. How many places depends on the number of the tree, the trees being numbered from `first` on, and on which
    of the `rounds` it is; losses are means over rounds.

    `sums` (groups, features) gains the same, summed over the rows of each of the `groups` (n,). `known` (features,)
    gains what is lost, over all rows, if the values of a feature change places only among the rows that have one, so
    that missing values stay where they are. Neither is filled where it is empty.

    The loop ends early where `stop[0]` is no longer zero.
    """
    n, q = y.shape
    mean = np.empty((n_leaves.max(), q))
    weight = np.empty(n_leaves.max())
    used = np.empty(losses.shape[1], np.bool_)
    free = np.empty(n, np.int64)
    full = np.empty(n, np.int64)
    for t in range(codes.shape[0]):
        mean[: n_leaves[t]] = 0.0
        weight[: n_leaves[t]] = 0.0
        n_free = 0
        for s in range(n):
            i = order[s]
            if counts[t, i] == 0:
                free[n_free] = i
                n_free += 1
                continue
            weight[codes[t, i]] += counts[t, i]
            for k in range(q):
                mean[codes[t, i], k] += counts[t, i] * y[i, k]
        for leaf in range(n_leaves[t]):
            mean[leaf] /= weight[leaf]
        used[:] = False
        node, end = 0, 1
        while node < end:  # children stand after their parents, in pairs
            if trees.feature[t, node] >= 0:
                used[column_of[trees.feature[t, node]]] = True
                end = max(end, trees.left[t, node] + 2)
            node += 1
        losses[t] = 0.0
        for j in range(losses.shape[1]):
            if not used[j] or n_free < 2:
                continue
            if stop[0] != 0:
                return
            total = 0.0
            n_full = 0
            if known.size > 0:
                column = np.searchsorted(column_of, j)  # all columns of a feature are missing together
                for s in range(n_free):
                    if not np.isnan(x[free[s], column]):
                        full[n_full] = free[s]
                        n_full += 1
            for way in range(2):  # among all rows, then among those that have a value
                rows = free if way == 0 else full
                size = n_free if way == 0 else n_full
                if size < 2 or (way == 1 and size == n_free):
                    continue
                for r in range(rounds):
                    ahead = 1 + ((first + t) * rounds + r) % (size - 1)
                    for s in range(size):
                        i = rows[s]
                        other = rows[s + ahead - size if s + ahead >= size else s + ahead]
                        at = codes[t, i]
                        to = _leaf(
                            i, other, j, x, column_of, trees.feature[t], trees.threshold[t], trees.left[t],
                            trees.missing_left[t], trees.levels[t], trees.worth[t],
                        )  # fmt: skip
                        if to == at:
                            continue
                        lost = 0.0
                        for k in range(q):
                            lost += y[i, k] * (mean[at, k] - mean[to, k])
                        lost /= rounds
                        if way == 1:
                            known[j] += lost
                            continue
                        total += lost
                        if sums.shape[0] > 0:
                            sums[groups[i], j] += lost
            losses[t, j] = total / n_free
            if known.size > 0 and n_full == n_free:
                known[j] += total
