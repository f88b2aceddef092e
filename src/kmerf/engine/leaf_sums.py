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

from kmerf.engine.compiling import helper, kernel

ALL, EITHER, OOB = 0, 1, 2
KINDS = {"all": ALL, "either": EITHER, "oob": OOB}


@kernel
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


@kernel
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


@kernel
def tally(codes, counts, kind, n_leaves, chosen, sums, table):
    """Add to `sums` (n,) the partners of each row, and to `table` those of each pair of `chosen` rows.

    The pair of the rows chosen as number a and b, b < a, is at a (a - 1) / 2 + b of the table.
    """
    row_sums(codes, counts, kind, n_leaves, sums)
    head = np.empty(n_leaves.max(), np.int64)
    link = np.empty(chosen.size, np.int64)
    for t in range(codes.shape[0]):
        head[: n_leaves[t]] = -1
        for a in range(chosen.size):
            i = chosen[a]
            in_bag = counts[t, i] > 0
            if kind == OOB and in_bag:
                continue
            line = a * (a - 1) // 2
            b = head[codes[t, i]]
            while b >= 0:
                if not (kind == EITHER and in_bag and counts[t, chosen[b]] > 0):
                    table[line + b] += 1
                b = link[b]
            link[a] = head[codes[t, i]]
            head[codes[t, i]] = a


@kernel
def table_sums(table, rows):
    """Fill `rows` (c,) with the row sums of the symmetric matrix that a table holds; return its sum of squares."""
    rows[:] = 0
    squares = np.int64(0)
    at = 0
    for a in range(rows.size):
        own = np.int64(0)
        for b in range(a):
            value = np.int64(table[at])
            own += value
            rows[b] += value
            squares += value * value
            at += 1
        rows[a] += own
    return 2 * squares


@kernel
def centred_squares(table, rows, out):
    """Fill `out` (c,) with the row sums of squares of the U-centred matrix that a table holds, diagonal left out."""
    c = rows.size
    mean = rows.sum() / ((c - 1.0) * (c - 2.0))
    out[:] = 0.0
    at = 0
    for a in range(c):
        for b in range(a):
            value = table[at] - (rows[a] + rows[b]) / (c - 2.0) + mean
            out[a] += value * value
            out[b] += value * value
            at += 1


@kernel
def square_sum(block):
    """Return the sum of squares of whole numbers, as one."""
    total = np.int64(0)
    for value in block.flat:
        total += np.int64(value) * np.int64(value)
    return total


@kernel
def cross_embedded(codes, counts, kind, n_leaves, points):
    """Return the sum of products y_i . y_j over counted ordered pairs, in O(n q) a tree.

    Over all pairs of a leaf that is |sum of y|^2 - sum of |y|^2; for EITHER, less the same of the rows in bag.
    """
    n, q = points.shape
    whole = np.empty((n_leaves.max(), q))
    inner = np.empty((n_leaves.max() if kind == EITHER else 0, q))
    result = 0.0
    for t in range(codes.shape[0]):
        whole[: n_leaves[t]] = 0.0
        inner[: n_leaves[t]] = 0.0
        alone = 0.0
        for i in range(n):
            in_bag = counts[t, i] > 0
            if kind == OOB and in_bag:
                continue
            leaf = codes[t, i]
            square = 0.0
            for k in range(q):
                whole[leaf, k] += points[i, k]
                square += points[i, k] * points[i, k]
            if kind == EITHER and in_bag:
                for k in range(q):
                    inner[leaf, k] += points[i, k]
            else:
                alone += square
        tree = 0.0
        for leaf in range(n_leaves[t]):
            for k in range(q):
                tree += whole[leaf, k] * whole[leaf, k]
                if kind == EITHER:
                    tree -= inner[leaf, k] * inner[leaf, k]
        result += tree - alone
    return result


@kernel
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


@kernel
def cross_labels(codes, counts, kind, n_leaves, labels, n_labels):
    """Return the number of counted ordered pairs with equal labels, in O(n) a tree, however many labels there are."""
    n = labels.size
    ends, rows = np.empty(n_leaves.max() + 1, np.int64), np.empty(n, np.int64)
    seen, seen_in = np.zeros(n_labels, np.int64), np.zeros(n_labels, np.int64)
    result = 0
    for t in range(codes.shape[0]):
        _rows_by_leaf(codes[t], n_leaves[t], ends, rows)
        start = 0
        for leaf in range(n_leaves[t]):
            for s in range(start, ends[leaf]):
                i = rows[s]
                in_bag = counts[t, i] > 0
                if kind == OOB and in_bag:
                    continue
                result += seen[labels[i]]
                seen[labels[i]] += 1
                if kind == EITHER and in_bag:
                    result -= seen_in[labels[i]]
                    seen_in[labels[i]] += 1
            for s in range(start, ends[leaf]):
                seen[labels[rows[s]]] = 0
                seen_in[labels[rows[s]]] = 0
            start = ends[leaf]
    return 2 * result


@helper
def _rows_by_leaf(codes, n_leaves, ends, rows):
    """List the rows of a tree leaf by leaf; those of leaf g end before `ends[g]`."""
    for leaf in range(n_leaves + 1):
        ends[leaf] = 0
    for i in range(codes.size):
        ends[codes[i] + 1] += 1
    for leaf in range(n_leaves):
        ends[leaf + 1] += ends[leaf]
    for i in range(codes.size):
        rows[ends[codes[i]]] = i
        ends[codes[i]] += 1


@kernel
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


@kernel
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


@kernel
def distances_to(points, others, rows):
    """Fill `rows` (n,) with each point's summed distance to the `others` (c, q)."""
    for i in range(points.shape[0]):
        total = 0.0
        for j in range(others.shape[0]):
            square = 0.0
            for k in range(points.shape[1]):
                square += (points[i, k] - others[j, k]) ** 2
            total += np.sqrt(square)
        rows[i] = total


@kernel
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


@kernel
def guess(codes, counts, n_leaves, y, sums, times):
    """Add to `sums` (n, q) what each tree predicts for its rows out of bag, and to `times` (n,) one for each tree.

    A prediction is the mean y of the leaf's in-bag rows. It is added as the whole number nearest to it: sums of whole
    numbers do not depend on their order. So y must be on a scale on which its fractions do not matter.
    """
    n, q = y.shape
    most = n_leaves.max()
    total, weight = np.empty((most, q)), np.empty(most)
    for t in range(codes.shape[0]):
        total[: n_leaves[t]] = 0.0
        weight[: n_leaves[t]] = 0.0
        for i in range(n):
            if counts[t, i] > 0:
                weight[codes[t, i]] += counts[t, i]
                for k in range(q):
                    total[codes[t, i], k] += counts[t, i] * y[i, k]
        for leaf in range(n_leaves[t]):
            for k in range(q):
                total[leaf, k] = np.rint(total[leaf, k] / weight[leaf]) if weight[leaf] > 0.0 else 0.0
        for i in range(n):
            if counts[t, i] == 0:
                times[i] += 1
                for k in range(q):
                    sums[i, k] += np.int64(total[codes[t, i], k])


@kernel
def guess_classes(codes, counts, n_leaves, labels, n_labels, unit, sums, times):
    """Do the same for classes: add to `sums` (n, classes) the share of each class, in whole parts of 1 / unit.

    Only the classes of a leaf are visited, of which there are no more than rows in bag.
    """
    n = labels.size
    ends, rows = np.empty(n_leaves.max() + 1, np.int64), np.empty(n, np.int64)
    first, last = np.empty(n_leaves.max(), np.int64), np.empty(n_leaves.max(), np.int64)
    classes, values = np.empty(n, np.int64), np.empty(n, np.int64)  # of each leaf in turn, and their shares
    weight = np.zeros(n_labels)
    for t in range(codes.shape[0]):
        _rows_by_leaf(codes[t], n_leaves[t], ends, rows)
        start, size = 0, 0
        for leaf in range(n_leaves[t]):
            first[leaf], whole = size, 0.0
            for s in range(start, ends[leaf]):
                i = rows[s]
                if counts[t, i] > 0:
                    if weight[labels[i]] == 0.0:
                        classes[size] = labels[i]
                        size += 1
                    weight[labels[i]] += counts[t, i]
                    whole += counts[t, i]
            last[leaf] = size
            for a in range(first[leaf], size):
                values[a] = np.int64(np.rint(weight[classes[a]] / whole * unit))
                weight[classes[a]] = 0.0
            start = ends[leaf]
        for i in range(n):
            if counts[t, i] == 0:
                times[i] += 1
                for a in range(first[codes[t, i]], last[codes[t, i]]):
                    sums[i, classes[a]] += values[a]


@kernel
def class_shares(labels, unit, sums, times, shares):
    """Fill `shares` (classes,) with the share of each class's variance that is predicted; NaN where it does not vary.

    `sums` and `times` are those of `guess_classes`; rows without a guess are left out.
    """
    n_labels = shares.size
    missed, size, share = np.zeros(n_labels), np.zeros(n_labels), np.zeros(n_labels)
    n = 0
    for i in range(labels.size):
        share[labels[i]] += 1.0 / labels.size
        if times[i] > 0:
            n += 1
            size[labels[i]] += 1.0
            for k in range(n_labels):
                guessed = sums[i, k] / (unit * times[i])
                missed[k] += guessed * guessed
            missed[labels[i]] += 1.0 - 2.0 * sums[i, labels[i]] / (unit * times[i])
    for k in range(n_labels):
        around = size[k] * (1.0 - share[k]) ** 2 + (n - size[k]) * share[k] ** 2
        shares[k] = 1.0 - missed[k] / around if around > 0.0 else np.nan
