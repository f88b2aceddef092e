"""Scans of one column of a node, in its order: the best place to part the rows, and its gain.

The scans are free of divisions and uncertain branches: y is centred once for all columns of a node, the inverses of
weights are tabulated, and where the best score stands is looked up only in the column that won.

At the root of a wide table most columns are looked at once and never again. There rows out of bag are passed over as
rows of weight 0, in the order in which the column was sorted for all trees, and nothing is sorted for the tree.

Many classes are not scanned as one output each. With L_k and S_k the weight of class k left of the cut and in the node,

    sum_k d_k^2 = A - 2 (w_L / w) B + (w_L / w)^2 C,    A = sum L_k^2,  B = sum L_k S_k,  C = sum S_k^2,

and a row that goes left changes one L_k: a step costs the same however many classes there are, and A, B and C are whole
numbers, without rounding.
"""

from __future__ import annotations

import numpy as np
from numba import uint64

from kmerf.engine.compiling import helper as _helper

MISSING = np.int32(2**31 - 1)


@_helper
def scan(rows, ranks, start, end, n_missing, missing_left, stat, mean, weight, min_leaf, left):
    """Scan any column; the last `n_missing` rows of the node are missing and go left or right as a whole."""
    q = mean.size
    last = end - n_missing
    w_left = 0.0
    left[:] = 0.0
    count = 0
    if missing_left:
        for i in range(last, end):
            for k in range(q):
                left[k] += stat[rows[i], k]
            w_left += stat[rows[i], q]
        count = n_missing
    best = -1.0
    cut = -1
    for i in range(start, last if (n_missing > 0 and not missing_left) else last - 1):
        row = rows[i]
        for k in range(q):
            left[k] += stat[row, k]
        w_left += stat[row, q]
        count += 1
        if count < min_leaf or end - start - count < min_leaf:
            continue
        if ranks.size > 0 and ranks[row] == ranks[rows[i + 1]]:
            continue
        total = 0.0
        for k in range(q):
            d = left[k] - w_left * mean[k]
            total += d * d
        score = total / w_left + total / (weight - w_left)
        if score > best:
            best = score
            cut = i
    return best, cut


@_helper
def scan_two(rows, others, start, end, z, w, inverse, weight, min_leaf):
    """Return the best scores of two columns without ties or missing values, one output: the common case.

    Side by side, because each sum waits for the one before it.
    """
    a, b = 0.0, 0.0
    w_a, w_b = uint64(0), uint64(0)
    best_a, best_b = -1.0, -1.0
    first, last = uint64(start + min_leaf - 1), uint64(end - min_leaf)
    for i in range(uint64(start), first):
        a += z[rows[i]]
        w_a += w[rows[i]]
        b += z[others[i]]
        w_b += w[others[i]]
    for i in range(first, last):
        a += z[rows[i]]
        w_a += w[rows[i]]
        score = a * a * (inverse[w_a] + inverse[weight - w_a])
        best_a = score if score > best_a else best_a
        b += z[others[i]]
        w_b += w[others[i]]
        score = b * b * (inverse[w_b] + inverse[weight - w_b])
        best_b = score if score > best_b else best_b
    return best_a, best_b


@_helper
def scan_one(rows, ranks, start, end, z, w, inverse, weight, min_leaf, wanted):
    """Scan a column without missing values, one output; stop at a score of `wanted`. Return the best and its place."""
    a = 0.0
    w_a = uint64(0)
    best = -1.0
    first, last = uint64(start + min_leaf - 1), uint64(end - min_leaf)
    for i in range(uint64(start), first):
        a += z[rows[i]]
        w_a += w[rows[i]]
    for i in range(first, last):
        a += z[rows[i]]
        w_a += w[rows[i]]
        score = a * a * (inverse[w_a] + inverse[weight - w_a])
        if ranks.size > 0:
            score = score if ranks[rows[i]] != ranks[rows[i + uint64(1)]] else -1.0
        best = score if score > best else best
        if score == wanted:
            return best, np.int64(i)
    return best, -1


@_helper
def scan_many(rows, ranks, start, end, z, w, inverse, weight, min_leaf, total, wanted):
    """Do the same for several outputs, two in a pass."""
    width = uint64(z.size // w.size)
    size = uint64(end - start)
    total[:size] = 0.0
    for k in range(uint64(0), width, uint64(2)):
        a, b = 0.0, 0.0
        for i in range(size):
            at = uint64(rows[uint64(start) + i]) * width + k
            a += z[at]
            b += z[at + uint64(1)]
            total[i] += a * a + b * b
    w_a = uint64(0)
    best = -1.0
    first, last = uint64(min_leaf - 1), uint64(end - start - min_leaf)
    for i in range(last):
        row = rows[uint64(start) + i]
        w_a += w[row]
        score = total[i] * (inverse[w_a] + inverse[weight - w_a])
        if ranks.size > 0:
            score = score if ranks[row] != ranks[rows[uint64(start) + i + uint64(1)]] else -1.0
        score = score if i >= first else -1.0
        best = score if score > best else best
        if score == wanted:
            return best, np.int64(i) + start
    return best, -1


@_helper
def scan_classes(rows, ranks, start, end, n_missing, missing_left, label, w, whole, left, square, weight, min_leaf):
    """Scan any column for classes; `whole` has the S_k and `square` their C. `left` is 0 before and after."""
    last = end - n_missing
    a, b, w_left = 0.0, 0.0, 0.0
    count = 0
    if missing_left:
        for i in range(last, end):
            a, b, w_left = add_class(label[rows[i]], float(w[rows[i]]), whole, left, a, b, w_left)
        count = n_missing
    best = -1.0
    cut = -1
    for i in range(start, last if (n_missing > 0 and not missing_left) else last - 1):
        row = rows[i]
        a, b, w_left = add_class(label[row], float(w[row]), whole, left, a, b, w_left)
        count += 1
        if count < min_leaf or end - start - count < min_leaf:
            continue
        if ranks.size > 0 and ranks[row] == ranks[rows[i + 1]]:
            continue
        score = class_gain(a, b, square, w_left, weight)
        if score > best:
            best = score
            cut = i
    for i in range(start, end):
        left[label[rows[i]]] = 0.0
    return best, cut


@_helper
def add_class(k, own, whole, left, a, b, w_left):
    """Let a row of class k go left; return A, B and w_L."""
    a += own * (2.0 * left[k] + own)
    b += own * whole[k]
    left[k] += own
    return a, b, w_left + own


@_helper
def class_gain(a, b, square, w_left, weight):
    """Return the gain of a split."""
    share = w_left / weight
    total = max(0.0, (a - share * b) - share * (b - share * square))
    return total / w_left + total / (weight - w_left)


@_helper
def missing_at_end(rows, ranks, start, end):
    """Return how many rows of a node, the last ones, are missing."""
    k = end
    while k > start and ranks[rows[k - 1]] == MISSING:
        k -= 1
    return end - k


@_helper
def _reach(order, w, min_leaf):
    """Return the first and the last place, exclusive, at which a cut leaves `min_leaf` rows of weight on both sides."""
    first, seen = -1, 0
    while seen < min_leaf:
        first += 1
        seen += 1 if w[order[first]] > 0 else 0
    last, seen = order.size, 0
    while seen < min_leaf:
        last -= 1
        seen += 1 if w[order[last]] > 0 else 0
    return uint64(first), uint64(max(first, last))


@_helper
def _go_on(order, first, last, a, w_a, best, z, w, inverses):
    """Scan on from a place to another; return the sums up to it and the best score so far."""
    for i in range(first, last):
        row = uint64(order[i])
        a += z[row]
        w_a += w[row]
        score = a * a * inverses[w_a]
        best = score if score > best else best
    return a, w_a, best


@_helper
def scan_two_of_all_rows(order, other, z, w, inverses, min_leaf):
    """Return the best scores of two columns without ties or missing values, one output, over rows of any weight.

    `inverses` has 1 / w_L + 1 / w_R for each w_L, and 0 where there is none.
    """
    first_a, last_a = _reach(order, w, min_leaf)
    first_b, last_b = _reach(other, w, min_leaf)
    a, w_a, _ = _go_on(order, uint64(0), first_a, 0.0, uint64(0), np.inf, z, w, inverses)
    b, w_b, _ = _go_on(other, uint64(0), first_b, 0.0, uint64(0), np.inf, z, w, inverses)
    first, last = max(first_a, first_b), min(last_a, last_b)
    a, w_a, best_a = _go_on(order, first_a, first, a, w_a, -1.0, z, w, inverses)
    b, w_b, best_b = _go_on(other, first_b, first, b, w_b, -1.0, z, w, inverses)
    for i in range(first, last):
        row = uint64(order[i])
        a += z[row]
        w_a += w[row]
        score = a * a * inverses[w_a]
        best_a = score if score > best_a else best_a
        row = uint64(other[i])
        b += z[row]
        w_b += w[row]
        score = b * b * inverses[w_b]
        best_b = score if score > best_b else best_b
    last = max(first, last)
    best_a = _go_on(order, last, last_a, a, w_a, best_a, z, w, inverses)[2]
    best_b = _go_on(other, last, last_b, b, w_b, best_b, z, w, inverses)[2]
    return best_a, best_b


@_helper
def _add_four(z, row, a, b, c, d):
    at = row * uint64(4)
    return a + z[at], b + z[at + uint64(1)], c + z[at + uint64(2)], d + z[at + uint64(3)]


@_helper
def scan_four_of_all_rows(order, z, w, inverses, min_leaf):
    """Return the best score of a column for up to four outputs; each row has four, of which those too many are 0."""
    first, last = _reach(order, w, min_leaf)
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    w_a = uint64(0)
    for i in range(first):
        row = uint64(order[i])
        a, b, c, d = _add_four(z, row, a, b, c, d)
        w_a += w[row]
    best = -1.0
    for i in range(first, last):
        row = uint64(order[i])
        a, b, c, d = _add_four(z, row, a, b, c, d)
        w_a += w[row]
        score = ((a * a + b * b) + (c * c + d * d)) * inverses[w_a]
        best = score if score > best else best
    return best
