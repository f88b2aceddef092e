"""Growing a forest on presorted columns, and sending rows through it.

A split of a node with rows of weight w into L and R is worth its decrease in squared error,

    gain = (1 / w_L + 1 / w_R) sum_k d_k^2,    d_k = sum_{i in L} w_i (y_ik - mean_k),

summed over the outputs k; on one-hot classes that is the Gini criterion. Many classes come as one label for each row,
and are counted, so that time does not grow with their number. Every column is sorted once for all trees.
A tree takes its in-bag rows from each column in that order, and a split divides every column stably, so that no
node ever sorts. Rows out of bag take no part; they are sent down the finished tree. Where only some columns are tried
below the root, the others are not sorted for the tree.

In-bag rows are numbered anew in each tree, so that what a tree works on is as small as its sample, however many rows
there are. `kmerf.engine.column_scans` looks for the best place in a column; where splits are random,
`kmerf.engine.randomness` finds them.

Equal gains, within rounding, are settled at random between features; within a feature the smallest value wins.
A missing value ranks above all others (`MISSING`); each split is tried with the missing rows on either side.

A category with many levels is one column of their codes. In each tree a level is worth the mean y of its in-bag rows,
and the column is split by what levels are worth: for one output, or two classes, the best of all ways to part the
levels of the root is among those splits (Fisher 1958). Of several outputs it is the means along the direction in which
they differ most. A level without rows in bag is worth the mean of all of them. Levels with few rows differ by chance,
and sorted by that they would beat every number; so the gain of a category counts by the share of the squares between
its levels that is more than chance,

    1 - E(between) / E(within) * within / between,

where E is what rows with one mean would have, and 0 where that is negative, or no level has two rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import uint64
from numpy.typing import NDArray

from kmerf.engine.column_scans import (
    MISSING,
    missing_at_end,
    scan,
    scan_classes,
    scan_four_of_all_rows,
    scan_many,
    scan_one,
    scan_two,
    scan_two_of_all_rows,
)
from kmerf.engine.compiled_parts import helper as _helper
from kmerf.engine.compiling import kernel
from kmerf.engine.randomness import below as _below
from kmerf.engine.randomness import random_split
from kmerf.engine.randomness import start_stream as _stream

LEAF = -1

_TIE = 1e-12  # gains closer than this, relatively, differ by rounding alone
_ITERATIONS = 20  # to find the direction in which levels differ
_SPARSE = 6  # how many times more rows there are than drawn ones, before sorting those beats passing over all


class Columns(NamedTuple):
    """The features, sorted once for all trees and refits."""

    x: NDArray[np.float64]  # (n, p)
    order: NDArray[np.int32]  # (p, n) rows in increasing order of each column
    rank: NDArray[np.int32]  # (p, n) each row's rank in each column, equal values sharing one; or MISSING
    plain: NDArray[np.bool_]  # (p,) no ties and nothing missing
    full: NDArray[np.bool_]  # (p,) nothing missing
    levels: NDArray[np.int64]  # (p + 1,) where the levels of each column begin among all levels; numbers have none


class Rules(NamedTuple):
    """How each tree is grown."""

    n_draw: int
    replace: bool
    n_try: int
    min_leaf: int
    max_depth: int
    n_outputs: int
    random: bool  # whether each feature tried is cut at a random place, and not at the best
    n_keep: int  # features that are tried below the root, those that split it best


class Trees(NamedTuple):
    """The trees themselves, one row each; all arrays are empty when they are not kept."""

    feature: NDArray[np.int32]  # LEAF at a leaf
    threshold: NDArray[np.float64]  # rows with a value at or below it go left
    left: NDArray[np.int32]  # the left child, with the right one next to it; at a leaf, its number
    missing_left: NDArray[np.uint8]
    levels: NDArray[np.int32]  # where the levels of its category begin in `worth`; -1 where it splits a number
    worth: NDArray[np.float64]  # what each level of each category is worth in the tree


class Desk(NamedTuple):
    """Working space of one thread, used again for every tree; in-bag rows go by their number in the tree."""

    state: NDArray[np.uint64]  # of the random numbers
    rows: NDArray[np.int32]  # (s,) the row that each in-bag row is
    idx: NDArray[np.uint16] | NDArray[np.uint32]  # (2, p, s) in-bag rows, sorted by each column within each node
    stat: NDArray[np.float64]  # (s, q + 1) weight times each output, weight; empty where y comes as labels
    ranks: NDArray[np.int32]  # (p, s) ranks in each column; empty where all columns are plain
    side: NDArray[np.uint8]  # (s,) 1 for rows that go left
    features: NDArray[np.int64]  # (p,) in the order in which they are tried; below the root, those that are kept first
    outputs: NDArray[np.int64]  # all outputs, those of the tree first
    top: NDArray[np.float64]  # (p,) their best scores
    mean: NDArray[np.float64]  # (q,) of the node; of labels, the weight of each class
    left: NDArray[np.float64]  # (q,) sums of the left part
    z: NDArray[np.float64]  # (s * width,) weight times each output's distance from the node's mean; width is even or 1
    # of labels, (1,): the sum of squared weights of classes
    w: NDArray[np.uint32]  # (s,) weight
    root_z: NDArray[np.float64]  # (4 * n,), or (n,) for one output, and
    root_w: NDArray[np.uint32]  # (n,) the same of all rows, 0 for those out of bag; empty where all columns are sorted
    inverse: NDArray[np.float64]  # (n_draw + 1,) of each weight
    inverses: NDArray[np.float64]  # (n_draw + 1,) of each weight and what it leaves of the root, added
    total: NDArray[np.float64]  # (s,) sum of squares over outputs for each cut
    number: NDArray[np.int32]  # (n,) an in-bag row's number, or -1
    marks: NDArray[np.int64]  # (2, s) and
    digits: NDArray[np.int64]  # (2049,) for sorting; empty where so many rows are drawn that passing over all is faster
    stack: NDArray[np.int64]  # node, start, end, depth, half and column that hold its rows, whether it is a leaf
    worth: NDArray[np.float64]  # of each level of each category
    trust: NDArray[np.float64]  # (p,) by which the gains of each column count
    label: NDArray[np.int32] | None  # (s,) the class of each in-bag row, where y comes as labels


class Split(NamedTuple):
    """A way to part a node: the rows up to `cut` in the order of `feature` go left."""

    score: float
    feature: int
    cut: int
    n_missing: int
    missing_left: bool


# --- the rows of a tree ---------------------------------------------------------------------------------------------


@_helper
def _draw_rows(state, n_draw, replace, counts):
    """Fill `counts` with how often each row is drawn."""
    n = counts.size
    counts[:] = 0
    if replace:
        for _ in range(n_draw):
            counts[_below(state, n)] += 1
        return
    needed = n_draw  # selection sampling: each row is taken with probability needed / left to look at
    for i in range(n):
        if _below(state, n - i) < needed:
            counts[i] = 1
            needed -= 1


# --- the best split of one node -----------------------------------------------------------------------------------


@_helper
def _scan_full(rows, ranks, start, end, desk, weight, min_leaf, wanted):
    """Scan a column without missing values in this node."""
    if desk.mean.size == 1:
        return scan_one(rows, ranks, start, end, desk.z, desk.w, desk.inverse, weight, min_leaf, wanted)
    return scan_many(rows, ranks, start, end, desk.z, desk.w, desk.inverse, weight, min_leaf, desk.total, wanted)


@_helper
def _weigh_all_rows(size, desk):
    """Write what the root has of each row, in bag or not."""
    q, width = desk.mean.size, desk.z.size // desk.w.size
    each = desk.root_z.size // desk.root_w.size
    desk.root_z[:] = 0.0
    desk.root_w[:] = 0
    for i in range(size):
        row = np.int64(desk.rows[i])
        desk.root_w[row] = desk.w[i]
        for k in range(q):
            desk.root_z[row * each + k] = desk.z[i * width + k]


@_helper
def _score_plain(columns, desk, min_leaf):
    """Write the best scores of plain columns, which are not sorted for this tree, in the order of the columns."""
    z, w = desk.root_z, desk.root_w
    waiting = -1
    for j in range(columns.plain.size):
        if not columns.plain[j]:
            continue
        order = columns.order[j]
        if desk.mean.size > 1:
            desk.top[j] = scan_four_of_all_rows(order, z, w, desk.inverses, min_leaf)
        elif waiting < 0:
            waiting = j
        else:
            other = columns.order[waiting]
            desk.top[waiting], desk.top[j] = scan_two_of_all_rows(other, order, z, w, desk.inverses, min_leaf)
            waiting = -1
    if waiting >= 0:
        order = columns.order[waiting]
        desk.top[waiting], _ = scan_two_of_all_rows(order, order, z, w, desk.inverses, min_leaf)


@_helper
def _score_on(j, rows, columns, start, end, desk, weight, min_leaf):
    """Return the best score of a split on a column: -1 when min_leaf allows none, -2 when the column is constant."""
    ranks = desk.ranks[j, : 0 if columns.plain[j] else desk.ranks.shape[1]]
    if ranks.size > 0 and ranks[rows[start]] == ranks[rows[end - 1]]:
        return -2.0
    n_missing = 0 if columns.full[j] else missing_at_end(rows, ranks, start, end)
    return _score_of(rows, ranks, start, end, n_missing, desk, weight, min_leaf, desk.label)


@_helper
def _score_of(rows, ranks, start, end, n_missing, desk, weight, min_leaf, label):
    if label is not None:
        return _scan_labels(rows, ranks, start, end, n_missing, desk, weight, min_leaf, label)[0]
    if n_missing == 0:
        return _scan_full(rows, ranks, start, end, desk, uint64(weight), min_leaf, np.inf)[0]
    stat, mean, left = desk.stat, desk.mean, desk.left
    score, _ = scan(rows, ranks, start, end, n_missing, False, stat, mean, weight, min_leaf, left)
    other, _ = scan(rows, ranks, start, end, n_missing, True, stat, mean, weight, min_leaf, left)
    return max(score, other)


@_helper
def _scan_labels(rows, ranks, start, end, n_missing, desk, weight, min_leaf, label):
    """Return the best score for classes, its place, and whether missing rows go left."""
    w, whole, left, square = desk.w, desk.mean, desk.left, desk.z[0]
    score, cut = scan_classes(
        rows, ranks, start, end, n_missing, False, label, w, whole, left, square, weight, min_leaf
    )
    if n_missing > 0:
        other, at = scan_classes(
            rows, ranks, start, end, n_missing, True, label, w, whole, left, square, weight, min_leaf
        )
        if other > score:
            return other, at, True
    return score, cut, False


@_helper
def _split_on(j, rows, columns, start, end, desk, weight, min_leaf, score):
    """Return the split on a column that has this score, the best."""
    ranks = desk.ranks[j, : 0 if columns.plain[j] else desk.ranks.shape[1]]
    n_missing = 0 if columns.full[j] else missing_at_end(rows, ranks, start, end)
    return _split_of(j, rows, ranks, start, end, n_missing, desk, weight, min_leaf, score, desk.label)


@_helper
def _split_of(j, rows, ranks, start, end, n_missing, desk, weight, min_leaf, score, label):
    if label is not None:
        score, cut, missing_left = _scan_labels(rows, ranks, start, end, n_missing, desk, weight, min_leaf, label)
        return Split(score, j if cut >= 0 else -1, cut, n_missing, missing_left)
    if n_missing == 0:
        _, cut = _scan_full(rows, ranks, start, end, desk, uint64(weight), min_leaf, score)
        return Split(score, j if cut >= 0 else -1, cut, 0, False)
    stat, mean, left = desk.stat, desk.mean, desk.left
    score, cut = scan(rows, ranks, start, end, n_missing, False, stat, mean, weight, min_leaf, left)
    other, at = scan(rows, ranks, start, end, n_missing, True, stat, mean, weight, min_leaf, left)
    if other > score:
        return Split(other, j, at, n_missing, True)
    return Split(score, j, cut, n_missing, False)


@_helper
def _choose(top, tried, state):
    """Return which of the features tried is best, by chance among equals; -1 if none has a split."""
    best = -1.0
    for t in range(tried):
        best = max(best, top[t])
    if not best >= 0.0:
        return -1
    least = best - _TIE * best if best < np.inf else best
    ties = 0
    for t in range(tried):
        ties += 1 if top[t] >= least else 0
    skip = _below(state, ties) if ties > 1 else 0
    t = 0
    while skip > 0 or top[t] < least:
        skip -= 1 if top[t] >= least else 0
        t += 1
    return t


@_helper
def _draw_feature(features, t, n_try, state):
    """Return the feature to be tried as number t."""
    if n_try < features.size:
        k = t + _below(state, features.size - t)
        features[t], features[k] = features[k], features[t]
    return features[t]


@_helper
def _any(flags):
    for flag in flags:  # noqa: SIM110 - numba takes long to compile the function of that name
        if flag:
            return True
    return False


@_helper
def _all(flags):
    for flag in flags:  # noqa: SIM110
        if not flag:
            return False
    return True


@_helper
def _best_split(start, end, idx, n_kept, columns, desk, weight, rules):
    """Return the best split of a node on one of the features that are kept; its feature is -1 when there is none.

    Features are drawn until `n_try` have been looked at and one of them was not constant, as scikit-learn does.
    """
    features, top, state, min_leaf = desk.features[:n_kept], desk.top, desk.state, rules.min_leaf
    n_try = min(rules.n_try, n_kept)
    looks_first = desk.root_w.size > 0 and n_kept == columns.plain.size
    if looks_first:
        _weigh_all_rows(end, desk)
        _score_plain(columns, desk, min_leaf)
    tried = 0
    varied = looks_first and _any(columns.plain)
    while tried < features.size and (tried < n_try or not varied):
        j = _draw_feature(features, tried, n_try, state)
        if looks_first and columns.plain[j]:
            tried += 1
            continue
        if desk.mean.size == 1 and tried + 1 < n_try and columns.plain[j]:
            k = _draw_feature(features, tried + 1, n_try, state)
            if columns.plain[k]:
                top[tried], top[tried + 1] = scan_two(
                    idx[j], idx[k], start, end, desk.z, desk.w, desk.inverse, uint64(weight), min_leaf
                )
            else:
                top[tried] = _score_on(j, idx[j], columns, start, end, desk, weight, min_leaf)
                top[tried + 1] = _score_on(k, idx[k], columns, start, end, desk, weight, min_leaf)
            varied = True
            tried += 2
            continue
        top[tried] = _score_on(j, idx[j], columns, start, end, desk, weight, min_leaf)
        varied = varied or top[tried] > -2.0
        tried += 1
    for t in range(tried if desk.worth.size > 0 else 0):
        if top[t] > 0.0:  # which may be infinite
            top[t] = top[t] * desk.trust[features[t]] if desk.trust[features[t]] > 0.0 else 0.0
    t = _choose(top, tried, state)
    if t < 0:
        return Split(-1.0, -1, start, 0, False)
    j = features[t]
    if looks_first and columns.plain[j]:
        _sort_by_passing(columns.order[j], desk.number, idx[j])
    score = top[t] if desk.trust[j] == 1.0 else _score_on(j, idx[j], columns, start, end, desk, weight, min_leaf)
    return _split_on(j, idx[j], columns, start, end, desk, weight, min_leaf, score)


@_helper
def _keep_best(top, features, n_keep, chosen):
    """Put the features with the largest scores first (Hoare 1961); the order among them does not matter.

    The feature that splits the root is always kept, because the rows of its children are in its order. It may be one of
    more than `n_keep` features with the same score: with few rows and many columns, many part the rows in the same way.
    """
    _select(top, features, n_keep)
    for t in range(n_keep, features.size):
        if features[t] == chosen:
            features[t], features[n_keep - 1] = features[n_keep - 1], features[t]


@_helper
def _select(top, features, n_keep):
    """Put the `n_keep` largest scores, and their features, first."""
    low, high = 0, features.size - 1
    while low < high:
        middle = top[(low + high) // 2]
        i, k = low, high
        while i <= k:
            while top[i] > middle:
                i += 1
            while top[k] < middle:
                k -= 1
            if i <= k:
                top[i], top[k] = top[k], top[i]
                features[i], features[k] = features[k], features[i]
                i += 1
                k -= 1
        if n_keep - 1 <= k:
            high = k
        elif n_keep - 1 >= i:
            low = i
        else:
            return


@_helper
def _value(columns, worth, row, j):
    """Return the value of a row in a column: its number, or what its level is worth."""
    value = columns.x[row, j]
    first = columns.levels[j]
    if columns.levels[j + 1] > first and not np.isnan(value):
        return worth[first + np.int64(value)]
    return value


@_helper
def _pair_split(rows, start, n_kept, columns, desk, weight):
    """Part two rows. Every feature in which they differ has the same gain, so the first one drawn is taken."""
    features = desk.features[:n_kept]
    for t in range(n_kept):
        k = t + _below(desk.state, n_kept - t)
        features[t], features[k] = features[k], features[t]
        j = features[t]
        a, b = rows[start], rows[start + 1]
        x_a, x_b = _value(columns, desk.worth, desk.rows[a], j), _value(columns, desk.worth, desk.rows[b], j)
        if x_a == x_b or (np.isnan(x_a) and np.isnan(x_b)):
            continue
        if x_a > x_b or np.isnan(x_a):
            a, b = b, a
            x_b = x_a
            rows[start], rows[start + 1] = a, b
        w, score = _pair_squares(a, weight, desk, desk.label)
        return Split(score / w + score / (weight - w), j, start, 1 if np.isnan(x_b) else 0, False)
    return Split(-1.0, -1, start, 0, False)


@_helper
def _pair_squares(a, weight, desk, label):
    """Return the weight of one of two rows, and the sum of its squared distances from their mean."""
    if label is not None:  # they are of two classes, or the node would be a leaf
        w = float(desk.w[a])
        return w, 2.0 * (w * (weight - w) / weight) ** 2
    q = desk.mean.size
    w = desk.stat[a, q]
    score = 0.0
    for k in range(q):
        d = desk.stat[a, k] - w * desk.mean[k]
        score += d * d
    return w, score


@_helper
def _midpoint(a, b):
    """Return a threshold t with a <= t < b, whatever the rounding; infinity when b is missing."""
    if np.isnan(b):
        return np.inf
    t = a / 2.0 + b / 2.0
    if t >= b or t < a:
        return a
    return t


@_helper
def _is_final(rows, start, end, depth, y, desk, rules):
    """Tell whether a node is a leaf: too small, too deep, or with one value of y."""
    if end - start < 2 or end - start < 2 * rules.min_leaf or depth >= rules.max_depth:
        return True
    return _is_one_value(rows, start, end, y, desk, desk.label)


@_helper
def _is_one_value(rows, start, end, y, desk, label):
    if label is not None:
        for i in range(start + 1, end):  # noqa: SIM110
            if label[rows[i]] != label[rows[start]]:
                return False
        return True
    first = desk.rows[rows[start]]
    for i in range(start + 1, end):
        row = desk.rows[rows[i]]
        for k in range(desk.mean.size):
            if y[row, desk.outputs[k]] != y[first, desk.outputs[k]]:
                return False
    return True


@_helper
def _divide(here, there, start, end, n_left, side):
    """Copy a node's rows, those with side 1 first, keeping their order."""
    low = uint64(start)
    high = uint64(start + n_left)
    for i in range(uint64(start), uint64(end)):
        row = here[i]
        goes_left = uint64(side[row])
        there[low if goes_left else high] = row
        low += goes_left
        high += uint64(1) - goes_left


@_helper
def _send(row, x, feature, threshold, left, missing_left, levels, worth):
    """Return the leaf that a row falls into."""
    node = 0
    while feature[node] != LEAF:
        value = x[row, feature[node]]
        if levels[node] >= 0 and not np.isnan(value):
            value = worth[levels[node] + np.int64(value)]
        goes_left = missing_left[node] == 1 if np.isnan(value) else value <= threshold[node]
        node = left[node] if goes_left else left[node] + 1
    return left[node]


@_helper
def _pack(tree, n_nodes, bound, link):
    """Write the nodes so that a step down is one read and one comparison; from a leaf, it leads back to the leaf."""
    for node in range(n_nodes):
        if tree.feature[node] == LEAF:
            bound[2 * node] = np.inf
            link[2 * node + 1] = node << 32
        else:
            bound[2 * node] = tree.threshold[node]
            link[2 * node + 1] = (np.int64(tree.left[node]) << 32) | tree.feature[node]


@_helper
def _step(values, node, bound, link):
    """Return where a row goes from a node."""
    here = uint64(node) << uint64(1)
    below = link[here + uint64(1)]
    return (below >> 32) + (1 if values[uint64(below) & uint64(0xFFFFFFFF)] > bound[here] else 0)


@_helper
def _send_all(x, rows, n_rows, bound, link, left, codes):
    """Write the leaves of rows in which nothing is missing, eight rows at a time: their steps overlap."""
    last = n_rows - 1
    for first in range(0, n_rows, 8):
        r0, r1 = rows[first], rows[min(first + 1, last)]
        r2, r3 = rows[min(first + 2, last)], rows[min(first + 3, last)]
        r4, r5 = rows[min(first + 4, last)], rows[min(first + 5, last)]
        r6, r7 = rows[min(first + 6, last)], rows[min(first + 7, last)]
        a, b, c, d, e, f, g, h = 0, 0, 0, 0, 0, 0, 0, 0
        while True:
            a2, b2 = _step(x[r0], a, bound, link), _step(x[r1], b, bound, link)
            c2, d2 = _step(x[r2], c, bound, link), _step(x[r3], d, bound, link)
            e2, f2 = _step(x[r4], e, bound, link), _step(x[r5], f, bound, link)
            g2, h2 = _step(x[r6], g, bound, link), _step(x[r7], h, bound, link)
            moved = (a2 ^ a) | (b2 ^ b) | (c2 ^ c) | (d2 ^ d) | (e2 ^ e) | (f2 ^ f) | (g2 ^ g) | (h2 ^ h)
            a, b, c, d, e, f, g, h = a2, b2, c2, d2, e2, f2, g2, h2
            if moved == 0:
                break
        codes[r0], codes[r1], codes[r2], codes[r3] = left[a], left[b], left[c], left[d]
        codes[r4], codes[r5], codes[r6], codes[r7] = left[e], left[f], left[g], left[h]


# --- trees ---------------------------------------------------------------------------------------------------------


@_helper
def _take_rows(columns, y, rules, desk, count, labels):
    """Draw the tree's rows, number and weigh them, and sort them by each column; return how many there are."""
    n, q = y.shape[0], desk.mean.size
    for k in range(q if q < y.shape[1] else 0):
        other = k + _below(desk.state, y.shape[1] - k)
        desk.outputs[k], desk.outputs[other] = desk.outputs[other], desk.outputs[k]
    if rules.n_draw == n and not rules.replace:
        count[:] = 1
    else:
        _draw_rows(desk.state, rules.n_draw, rules.replace, count)
    size = 0
    for i in range(n):
        desk.number[i] = size if count[i] > 0 else -1
        desk.rows[size] = i
        size += 1 if count[i] > 0 else 0
    for i in range(size):
        desk.w[i] = count[desk.rows[i]]
    _take_y(y, size, count, desk, labels, desk.label)
    for j in range(columns.order.shape[0]):
        if columns.levels[j + 1] > columns.levels[j]:
            continue  # `_sort_by_worth` follows
        if j > 0 and desk.root_w.size > 0 and columns.plain[j]:
            continue  # the first holds the rows of the root
        if desk.digits.size == 0:
            _sort_by_passing(columns.order[j], desk.number, desk.idx[0, j])
        else:
            _sort_by_digits(columns.rank[j], size, desk, desk.idx[0, j])
        if not columns.plain[j]:
            for i in range(size):
                desk.ranks[j, i] = columns.rank[j, desk.rows[i]]
    return size


@_helper
def _take_y(y, size, count, desk, labels, label):
    """Take over the y of the in-bag rows."""
    if labels is not None:
        for i in range(size):
            label[i] = labels[desk.rows[i]]
        return
    q = desk.mean.size
    for i in range(size):
        row = desk.rows[i]
        desk.stat[i, q] = count[row]
        for k in range(q):
            desk.stat[i, k] = count[row] * y[row, desk.outputs[k]]


@_helper
def _sort_by_passing(order, number, idx):
    """Pick the in-bag rows out of all rows in the order of a column."""
    size = 0
    for i in range(order.size):
        own = number[order[i]]
        idx[size] = own
        size += 1 if own >= 0 else 0


@_helper
def _sort_kept(features, columns, desk):
    """Sort the in-bag rows by the plain columns that are kept, unless all were sorted."""
    for t in range(features.size if desk.root_w.size > 0 else 0):
        j = features[t]
        if columns.plain[j]:
            _sort_by_passing(columns.order[j], desk.number, desk.idx[0, j])


@_helper
def _sort_by_digits(rank, size, desk, idx):
    """Sort the in-bag rows by their ranks: eleven bits at a time, the lowest first."""
    n = rank.size
    here, there, counts = desk.marks[0], desk.marks[1], desk.digits
    for i in range(size):
        here[i] = (np.int64(min(rank[desk.rows[i]], n)) << 32) | i
    shift = 32
    while n >> (shift - 32) > 0:
        counts[:] = 0
        for i in range(size):
            counts[((here[i] >> shift) & 2047) + 1] += 1
        for i in range(1, 2048):
            counts[i] += counts[i - 1]
        for i in range(size):
            digit = (here[i] >> shift) & 2047
            there[counts[digit]] = here[i]
            counts[digit] += 1
        here, there = there, here
        shift += 11
    for i in range(size):
        idx[i] = here[i] & 0xFFFFFFFF


@_helper
def _sort_by_worth(columns, j, size, desk, sums, away, direction, turned):
    """Find what the levels of a category are worth in this tree, and sort the in-bag rows by it.

    The last four are working space for each level and output: sums over the level (weight times each output, weight,
    its square), its distance from the mean, and two directions.
    """
    q = desk.mean.size
    first = columns.levels[j]
    n_levels = columns.levels[j + 1] - first
    _add_levels(columns.x[:, j], size, desk, sums[:n_levels], desk.label)
    direction[:] = 1.0
    if q > 1:
        _find_direction(sums[:n_levels], away, direction, turned)
    usual, weight = 0.0, max(_sum_column(sums, n_levels, q), 1.0)
    for k in range(q):
        usual += direction[k] * _sum_column(sums, n_levels, k) / weight
    for level in range(n_levels):
        worth = 0.0
        for k in range(q):
            worth += direction[k] * sums[level, k]
        desk.worth[first + level] = worth / sums[level, q] if sums[level, q] > 0.0 else usual
    along = desk.total
    for i in range(size):
        value = columns.x[desk.rows[i], j]
        along[i] = np.inf if np.isnan(value) else desk.worth[first + np.int64(value)]
    order = desk.marks[_sort_stably(along, size, desk.marks)]
    rank = 0
    for i in range(size):
        row = order[i]
        rank += 1 if i > 0 and along[row] != along[order[i - 1]] else 0
        desk.idx[0, j, i] = row
        desk.ranks[j, row] = MISSING if along[row] == np.inf else rank
    desk.trust[j] = _more_than_chance(columns.x[:, j], size, desk, sums[:n_levels], desk.label)


@_helper
def _sort_stably(values, size, marks):
    """Write the places of values in increasing order, equal ones as they come, into a line of `marks`; return which.

    Runs that are in order are merged two by two, from one line into the other.
    """
    for i in range(size):
        marks[0, i] = i
    at, length = 0, 1
    while length < size:
        for start in range(0, size, 2 * length):
            middle, end = min(start + length, size), min(start + 2 * length, size)
            a, b = start, middle
            for k in range(start, end):
                first = b >= end or (a < middle and values[marks[at, a]] <= values[marks[at, b]])
                marks[1 - at, k] = marks[at, a if first else b]
                a, b = (a + 1, b) if first else (a, b + 1)
        at, length = 1 - at, 2 * length
    return at


@_helper
def _sum_column(sums, n_levels, k):
    total = 0.0
    for level in range(n_levels):
        total += sums[level, k]
    return total


@_helper
def _add_levels(values, size, desk, sums, label):
    """Add up the in-bag rows of each level."""
    sums[:] = 0.0
    for i in range(size):
        value = values[desk.rows[i]]
        if not np.isnan(value):
            _add_to_level(i, desk, sums[np.int64(value)], label)


@_helper
def _add_to_level(i, desk, sums, label):
    q = desk.mean.size
    if label is not None:
        sums[label[i]] += desk.w[i]
        sums[q] += desk.w[i]
        sums[q + 1] += float(desk.w[i]) ** 2
        return
    for k in range(q + 1):
        sums[k] += desk.stat[i, k]
    sums[q + 1] += desk.stat[i, q] ** 2


@_helper
def _more_than_chance(values, size, desk, sums, label):
    """Return the share of the squares between levels that is more than chance."""
    q = desk.mean.size
    within, between, apart, weight, weight_2 = 0.0, 0.0, 0.0, 0.0, 0.0
    for level in range(sums.shape[0]):
        weight += sums[level, q]
        weight_2 += sums[level, q + 1]
        apart += sums[level, q + 1] / sums[level, q] if sums[level, q] > 0.0 else 0.0
    for k in range(q):
        mean = _sum_column(sums, sums.shape[0], k) / max(weight, 1.0)
        for level in range(sums.shape[0]):
            own = sums[level, q]
            between += (sums[level, k] - own * mean) ** 2 / own if own > 0.0 else 0.0
        within = _add_within(within, k, values, size, desk, sums, label)
    if label is not None:
        within += weight
    if not (between > 0.0 and weight - apart > _TIE * weight):
        return 0.0
    by_chance = (apart - weight_2 / weight) / (weight - apart)
    return max(0.0, 1.0 - by_chance * within / between)


@_helper
def _add_within(within, k, values, size, desk, sums, label):
    """Add the squares of an output within levels; of a class, less its weight."""
    q = desk.mean.size
    if label is not None:
        for level in range(sums.shape[0]):
            within -= sums[level, k] ** 2 / sums[level, q] if sums[level, q] > 0.0 else 0.0
        return within
    for i in range(size):
        value = values[desk.rows[i]]
        if not np.isnan(value):
            own = desk.stat[i, q]
            mean_of_level = sums[np.int64(value), k] / sums[np.int64(value), q]
            within += (desk.stat[i, k] - own * mean_of_level) ** 2 / own
    return within


@_helper
def _find_direction(sums, away, direction, turned):
    """Find the direction in which the means of levels differ most, by power iterations from the level most away.

    They need not converge: a direction that is nearly as good parts levels nearly as well.
    """
    n_levels, q = sums.shape[0], sums.shape[1] - 2
    weight = max(_sum_column(sums, n_levels, q), 1.0)
    for k in range(q):
        mean = _sum_column(sums, n_levels, k) / weight
        for i in range(n_levels):
            own = sums[i, q]
            away[i, k] = (sums[i, k] - own * mean) / np.sqrt(own) if own > 0.0 else 0.0
    farthest, most = -1, 0.0
    for i in range(n_levels):
        size = 0.0
        for k in range(q):
            size += away[i, k] * away[i, k]
        if size > most:
            farthest, most = i, size
    for k in range(q):
        direction[k] = away[farthest, k] / np.sqrt(most) if farthest >= 0 else 0.0
    for _ in range(_ITERATIONS if farthest >= 0 else 0):
        turned[:] = 0.0
        for i in range(n_levels):
            if sums[i, q] > 0.0:
                along = 0.0
                for k in range(q):
                    along += away[i, k] * direction[k]
                for k in range(q):
                    turned[k] += along * away[i, k]
        size = 0.0
        for k in range(q):
            size += turned[k] * turned[k]
        for k in range(q):
            direction[k] = turned[k] / np.sqrt(size)


@_helper
def _find_split(rows, start, end, idx, n_kept, columns, desk, rules):
    """Return the best split of a node."""
    weight = _find_mean(rows, start, end, desk, desk.label)
    if end - start == 2:
        return _pair_split(rows, start, n_kept, columns, desk, weight)
    _centre(rows, start, end, desk, desk.label)
    if rules.random:
        score, j, cut, n_missing, missing_left = random_split(start, end, idx, columns, desk, weight, rules, MISSING)
        return Split(score, j, cut, n_missing, missing_left)
    return _best_split(start, end, idx, n_kept, columns, desk, weight, rules)


@_helper
def _find_mean(rows, start, end, desk, label):
    """Find the mean of a node, or the weights of its classes; return its weight."""
    q = desk.mean.size
    weight = 0.0
    if label is not None:
        desk.mean[:] = 0.0
        for i in range(start, end):
            desk.mean[label[rows[i]]] += desk.w[rows[i]]
            weight += desk.w[rows[i]]
        return weight
    for i in range(start, end):
        weight += desk.stat[rows[i], q]
    for k in range(q):
        total = 0.0
        for i in range(start, end):
            total += desk.stat[rows[i], k]
        desk.mean[k] = total / weight
    return weight


@_helper
def _centre(rows, start, end, desk, label):
    """Write the distance of each row from the mean, or the sum of the squared weights of classes."""
    q = desk.mean.size
    if label is not None:
        square = 0.0
        for k in range(q):
            square += desk.mean[k] * desk.mean[k]
        desk.z[0] = square
        return
    width = desk.z.size // desk.w.size
    for i in range(start, end):
        row = np.int64(rows[i])
        for k in range(q):
            desk.z[row * width + k] = desk.stat[row, k] - desk.stat[row, q] * desk.mean[k]


@_helper
def _push(stack, top, node, start, end, depth, at, held, final):
    stack[top, 0] = node
    stack[top, 1] = start
    stack[top, 2] = end
    stack[top, 3] = depth
    stack[top, 4] = at
    stack[top, 5] = held
    stack[top, 6] = final


@_helper
def _grow_one(size, columns, y, rules, desk, codes, gains, tree, stop):
    """Grow one tree on the rows that `desk` holds; return its numbers of leaves and nodes.

    A split copies every column from one half of `idx` to the other. Children too small to be split again, and pairs,
    need no sorted columns: where neither child needs them, nothing is copied. `at` is the half in which a node's rows
    are, and `held` a column in which they stand together.
    """
    n_nodes = 1
    n_leaves = 0
    n_kept = desk.features.size
    _push(desk.stack, 0, 0, 0, size, 0, 0, 0, _is_final(desk.idx[0, 0], 0, size, 0, y, desk, rules))
    top = 1
    while top > 0 and stop[0] == 0:
        top -= 1
        node, start, end, depth, at, held, final = desk.stack[top]
        split = Split(-1.0, -1, start, 0, False)
        if final == 0:
            split = _find_split(desk.idx[at, held], start, end, desk.idx[at], n_kept, columns, desk, rules)
        if split.feature < 0:
            for i in range(start, end):
                codes[desk.rows[desk.idx[at, held, i]]] = n_leaves
            tree.feature[node] = LEAF
            tree.left[node] = n_leaves
            n_leaves += 1
            continue

        j = split.feature
        gains[j] += split.score
        if node == 0 and rules.n_keep < n_kept and end > 2:
            n_kept = rules.n_keep
            _keep_best(desk.top, desk.features, n_kept, j)
            _sort_kept(desk.features[:n_kept], columns, desk)
        if end - start > 2:
            held = j
        rows = desk.idx[at, held]
        middle = split.cut + 1 + (split.n_missing if split.missing_left else 0)
        tree.feature[node] = j
        tree.threshold[node] = _midpoint(
            _value(columns, desk.worth, desk.rows[rows[split.cut]], j),
            _value(columns, desk.worth, desk.rows[rows[split.cut + 1]], j),
        )
        tree.levels[node] = columns.levels[j] if columns.levels[j + 1] > columns.levels[j] else -1
        tree.left[node] = n_nodes
        # Where nothing was missing there is no side to learn: a missing value will join the larger part.
        tree.missing_left[node] = split.missing_left if split.n_missing > 0 else middle - start > end - middle
        if end - start > 2:
            for i in range(start, end):
                desk.side[rows[i]] = 1 if i <= split.cut else 0
            if split.missing_left:
                for i in range(end - split.n_missing, end):
                    desk.side[rows[i]] = 1
        apart = split.missing_left  # the parts do not stand side by side yet
        if apart:
            _divide(desk.idx[at, j], desk.idx[1 - at, j], start, end, middle - start, desk.side)
            rows = desk.idx[1 - at, j]
        left_final = _is_final(rows, start, middle, depth + 1, y, desk, rules)
        right_final = _is_final(rows, middle, end, depth + 1, y, desk, rules)
        if (middle - start > 2 and not left_final) or (end - middle > 2 and not right_final):
            for t in range(n_kept):
                k = desk.features[t]
                _divide(desk.idx[at, k], desk.idx[1 - at, k], start, end, middle - start, desk.side)
            apart = True
        at = 1 - at if apart else at
        _push(desk.stack, top, n_nodes, start, middle, depth + 1, at, held, left_final)
        _push(desk.stack, top + 1, n_nodes + 1, middle, end, depth + 1, at, held, right_final)
        top += 2
        n_nodes += 2
    return n_leaves, n_nodes


@kernel
def grow(columns, y, rules, seed, refit, first_tree, codes, counts, n_leaves, gains, kept, narrow, stop, labels=None):
    """Grow one tree for each row of `codes`, the first of them numbered `first_tree`.

    `y` (n, q) should be centred. Written: `codes` (m, n), the leaf of each row; `counts` (m, n), how often the row
    was drawn; `n_leaves` (m,); `gains` (m, p), summed over splits, where it has room for all trees, or else only the
    last tree's; and the trees, where `kept` has room for them.
    `narrow` is an empty array of the type in which to number in-bag rows. All of it ends early, and unfinished, when
    another thread sets `stop[0]`.

    Of many classes, `labels` (n,) has that of each row, `rules.n_outputs` is their number, and `y` is (n, 0).
    """
    n, p = columns.x.shape
    most = min(n, rules.n_draw)
    if labels is None:
        q, label = min(y.shape[1], rules.n_outputs), None
        n_stat, n_z = most, most * (1 if q == 1 else q + q % 2)
    else:
        q, label = rules.n_outputs, np.empty(most, np.int32)
        n_stat, n_z = 0, 1
    room = 2 * most + 1
    sparse = n > max(4096, _SPARSE * rules.n_draw)
    looks_first = rules.n_keep < p and q <= 4 and not sparse  # at all columns, and sorts those that it keeps
    inverse, inverses = np.empty(rules.n_draw + 1), np.empty(rules.n_draw + 1)
    for w in range(rules.n_draw + 1):
        inverse[w] = 1.0 / w
    for w in range(rules.n_draw + 1):
        inverses[w] = inverse[w] + inverse[rules.n_draw - w] if 0 < w < rules.n_draw else 0.0
    most_levels = 0
    for j in range(p):
        most_levels = max(most_levels, columns.levels[j + 1] - columns.levels[j])
    desk = Desk(
        np.empty(1, np.uint64),
        np.empty(most + 1, np.int32),
        np.empty((2, p, most + 1), narrow.dtype),
        np.empty((n_stat, q + 1)),
        np.empty((p, 0 if _all(columns.plain) else most), np.int32),
        np.empty(most, np.uint8),
        np.empty(p, np.int64),
        np.empty(y.shape[1], np.int64),
        np.empty(p),
        np.empty(q),
        np.empty(q),
        np.empty(n_z),
        np.empty(most, np.uint32),
        np.empty((n if looks_first else 0) * (1 if q == 1 else 4)),
        np.empty(n if looks_first else 0, np.uint32),
        inverse,
        inverses,
        np.empty(most),
        np.empty(n, np.int32),
        np.empty((2, most if sparse or most_levels > 0 else 0), np.int64),
        np.empty(2049 if sparse else 0, np.int64),
        np.empty((room, 7), np.int64),
        np.empty(columns.levels[p]),
        np.empty(p),
        label,
    )
    desk.left[:] = 0.0
    desk.side[:] = 0
    desk.z[:] = 0.0
    desk.trust[:] = 1.0
    tree = Trees(
        np.empty(room, np.int32),
        np.empty(room),
        np.empty(room, np.int32),
        np.empty(room, np.uint8),
        np.empty(room, np.int32),
        desk.worth,
    )
    tree.threshold[:] = 0.0
    tree.missing_left[:] = 0
    level_sums, away = np.empty((most_levels, q + 2)), np.empty((most_levels, q))
    direction, turned = np.empty(q), np.empty(q)
    bound = np.empty(2 * room)
    link = bound.view(np.int64)
    free = np.empty(n, np.int32)
    plain = most_levels == 0 and _all(columns.full)
    for w in range(codes.shape[0]):
        gain = gains[min(w, gains.shape[0] - 1)]
        gain[:] = 0.0
        _stream(seed, refit, first_tree + w, desk.state)
        for j in range(p):  # so that a tree does not depend on those grown before it
            desk.features[j] = j
        for k in range(y.shape[1]):
            desk.outputs[k] = k
        size = _take_rows(columns, y, rules, desk, counts[w], labels)
        for j in range(p if most_levels > 0 else 0):
            if columns.levels[j + 1] > columns.levels[j]:
                _sort_by_worth(columns, j, size, desk, level_sums, away, direction, turned)
        n_leaves[w], n_nodes = _grow_one(size, columns, y, rules, desk, codes[w], gain, tree, stop)
        if stop[0] != 0:
            return
        n_free = 0
        for i in range(n):
            free[n_free] = i
            n_free += 1 if counts[w, i] == 0 else 0
        if plain:
            _pack(tree, n_nodes, bound, link)
            _send_all(columns.x, free, n_free, bound, link, tree.left, codes[w])
        else:
            for k in range(n_free):
                codes[w, free[k]] = _send(
                    free[k],
                    columns.x,
                    tree.feature,
                    tree.threshold,
                    tree.left,
                    tree.missing_left,
                    tree.levels,
                    tree.worth,
                )
        if kept.feature.shape[0] > 0:
            for node in range(n_nodes):
                kept.feature[w, node] = tree.feature[node]
                kept.threshold[w, node] = tree.threshold[node]
                kept.left[w, node] = tree.left[node]
                kept.missing_left[w, node] = tree.missing_left[node]
                kept.levels[w, node] = tree.levels[node]
            for level in range(tree.worth.size):
                kept.worth[w, level] = tree.worth[level]


@kernel
def route(x, trees, codes):
    """Write into `codes` (m, n) the leaf that each row of `x` falls into in each tree."""
    for w in range(codes.shape[0]):
        for i in range(x.shape[0]):
            codes[w, i] = _send(
                i,
                x,
                trees.feature[w],
                trees.threshold[w],
                trees.left[w],
                trees.missing_left[w],
                trees.levels[w],
                trees.worth[w],
            )
