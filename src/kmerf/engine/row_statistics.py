"""What each row has in sums over pairs that share a leaf, and what a tree loses when a feature is shuffled.

`kmerf.engine.leaf_sums` says which pairs count: with h the rows of a leaf and f those of them that are out of bag, a
row is paired with h (ALL), with f (OOB, if it is out of bag itself), or with h if it is out of bag, else f (EITHER).
"""

from __future__ import annotations

import numpy as np

from kmerf.engine.compiling import kernel
from kmerf.engine.descent import goes_left, inline
from kmerf.engine.leaf_sums import ALL, EITHER


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


@inline
def _leaf(node, i, other, shuffled, x, column_of, feature, threshold, left, missing_left, levels, level_code):
    """Return the leaf below a node into which row i falls, if it had the value of row `other` in `shuffled`."""
    while feature[node] >= 0:
        column = feature[node]
        value = x[other if column_of[column] == shuffled else i, column]
        node = left[node] if goes_left(value, node, threshold, missing_left, levels, level_code) else left[node] + 1
    return left[node]


@inline
def _lost(i, at, to, mean, y):
    """Return what is lost on row i if its leaf is `to` in place of `at`."""
    lost = 0.0
    for k in range(y.shape[1]):
        lost += y[i, k] * (mean[at, k] - mean[to, k])
    return lost


@kernel
def shuffled_losses(
    x, column_of, trees, codes, counts, n_leaves, y, order, first, most, losses, groups, sums, known, stop
):  # fmt: skip
    """Fill `losses` (m, features): what a tree loses, out of bag, of the covariance of its predictions with y.

    A row is predicted by the mean y (n, q) of the in-bag rows of its leaf; y should be centred. The out-of-bag rows
    stand in a circle, as in `order` (n,); of more than `most`, so many that follow each other are taken. To shuffle a
    feature, each takes the value of a row some places ahead, never its own. Where the circle is entered and how many
    places are gone depends on the number of the tree, the trees being numbered from `first` on.

    `sums` (groups, features) gains the same, summed over the rows of each of the `groups` (n,). `known` (features,)
    gains what is lost, over all rows, if the values of a feature change places only among the rows that have one, so
    that missing values stay where they are. Neither is filled where it is empty.

    A row goes down the tree once. Wherever the other row would leave its path for the first time by a feature, what
    comes of that is followed to its leaf: features that do not change the path take no time.

    The loop ends early where `stop[0]` is no longer zero.
    """
    n, q = y.shape
    p = losses.shape[1]
    mean = np.empty((n_leaves.max(), q))
    weight = np.empty(n_leaves.max())
    left_path = np.full(p, -1, np.int64)  # the last row that left its path by a feature
    total = np.zeros(p)
    used = np.empty(p, np.bool_)
    free = np.empty(n, np.int64)
    full = np.empty(n, np.int64)
    walk = 0
    for t in range(codes.shape[0]):
        feature, threshold, left = trees.feature[t], trees.threshold[t], trees.left[t]
        missing_left, levels, level_code = trees.missing_left[t], trees.levels[t], trees.level_code[t]
        number = first + t
        mean[: n_leaves[t]] = 0.0
        weight[: n_leaves[t]] = 0.0
        n_free = 0
        start = (number * most) % n
        for s in range(n):
            i = order[s + start - n if s + start >= n else s + start]
            if counts[t, i] == 0:
                if n_free < most:
                    free[n_free] = i
                    n_free += 1
                continue
            weight[codes[t, i]] += counts[t, i]
            for k in range(q):
                mean[codes[t, i], k] += counts[t, i] * y[i, k]
        for leaf in range(n_leaves[t]):
            mean[leaf] /= weight[leaf]
        losses[t] = 0.0
        if n_free < 2:
            continue
        total[:] = 0.0
        used[:] = False
        ahead = 1 + number % (n_free - 1)
        for s in range(n_free):
            if stop[0] != 0:
                return
            i = free[s]
            other = free[s + ahead - n_free if s + ahead >= n_free else s + ahead]
            at = codes[t, i]
            node = 0
            walk += 1
            while feature[node] >= 0:
                column = feature[node]
                j = column_of[column]
                used[j] = True
                is_left = goes_left(x[i, column], node, threshold, missing_left, levels, level_code)
                if left_path[j] != walk and is_left != goes_left(
                    x[other, column], node, threshold, missing_left, levels, level_code
                ):  # fmt: skip
                    left_path[j] = walk
                    below = left[node] + 1 if is_left else left[node]
                    to = _leaf(
                        below, i, other, j, x, column_of, feature, threshold, left, missing_left, levels, level_code
                    )  # fmt: skip
                    lost = _lost(i, at, to, mean, y)
                    total[j] += lost
                    if sums.shape[0] > 0:
                        sums[groups[i], j] += lost
                node = left[node] if is_left else left[node] + 1
        for j in range(p):
            losses[t, j] = total[j] / n_free
        for j in range(known.size):
            if not used[j]:
                continue
            column = np.searchsorted(column_of, j)  # all columns of a feature are missing together
            n_full = 0
            for s in range(n_free):
                if not np.isnan(x[free[s], column]):
                    full[n_full] = free[s]
                    n_full += 1
            if n_full == n_free:
                known[j] += total[j]
            elif n_full > 1:
                ahead = 1 + number % (n_full - 1)
                for s in range(n_full):
                    i = full[s]
                    other = full[s + ahead - n_full if s + ahead >= n_full else s + ahead]
                    to = _leaf(0, i, other, j, x, column_of, feature, threshold, left, missing_left, levels, level_code)
                    known[j] += _lost(i, codes[t, i], to, mean, y)
