"""Growing a forest on presorted columns, and sending rows through it.

A split of a node with rows of weight w into L and R is worth its decrease in squared error,

    gain = W * sum_k d_k^2 / (w_L * w_R),    d_k = sum_{i in L} w_i (y_ik - mean_k),

summed over the outputs k; on one-hot classes that is the Gini criterion. Every column is sorted once for all trees.
A tree takes its in-bag rows from each column in that order, and a split divides every column stably, so that no
node ever sorts. Rows out of bag take no part; they are sent down the finished tree.

Equal gains, within rounding, are settled at random between features; within a feature the smallest value wins.
A missing value ranks above all others (`MISSING`); each split is tried with the missing rows on either side.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit, uint64
from numpy.typing import NDArray

MISSING = np.int32(2**31 - 1)
LEAF = -1

_kernel = njit(nogil=True, cache=True, error_model="numpy")
# Helpers own no memory, so they need no reference counts; leaving those out makes growing a quarter faster.
_helper = njit(nogil=True, forceinline=True, error_model="numpy", _nrt=False)  # type: ignore[call-overload]

_TIE = 1e-12  # gains closer than this, relatively, differ by rounding alone
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


class Columns(NamedTuple):
    """The features, sorted once for all trees and refits."""

    x: NDArray[np.float64]  # (n, p)
    order: NDArray[np.int32]  # (p, n) rows in increasing order of each column
    rank: NDArray[np.int32]  # (p, n) each row's rank in each column, equal values sharing one; or MISSING
    plain: NDArray[np.bool_]  # (p,) no ties and nothing missing


class Rules(NamedTuple):
    """How each tree is grown."""

    n_draw: int
    replace: bool
    n_try: int
    min_leaf: int
    max_depth: int


class Trees(NamedTuple):
    """The trees themselves, one row each; all arrays are empty when they are not kept."""

    feature: NDArray[np.int32]  # LEAF at a leaf
    threshold: NDArray[np.float64]  # rows with a value at or below it go left
    left: NDArray[np.int32]  # the left child, with the right one next to it; at a leaf, its number
    missing_left: NDArray[np.uint8]


class Desk(NamedTuple):
    """Working space of one thread, used again for every tree."""

    state: NDArray[np.uint64]  # of the random numbers
    idx: NDArray[np.uint32]  # (p, n + 1) in-bag rows, sorted by each column within each node
    stat: NDArray[np.float64]  # (n, q + 1) weight times each output, weight
    side: NDArray[np.int32]  # (n,) 1 for rows that go left
    spare: NDArray[np.uint32]  # (n,)
    features: NDArray[np.int64]  # (p,) in the order in which they are tried
    mean: NDArray[np.float64]  # (q,) of the node
    left: NDArray[np.float64]  # (q,) sums of the left part
    stack: NDArray[np.int64]  # node, start, end, depth, a column that holds its rows, whether it is a leaf


class Split(NamedTuple):
    """A way to part a node: the rows up to `cut` in the order of `feature` go left."""

    score: float
    feature: int
    cut: int
    n_missing: int
    missing_left: bool


# --- random numbers: splitmix64 (Steele, Lea and Flood 2014), one stream for each (seed, refit, tree) -------------


@_helper
def _mix(z):
    z = (z ^ (z >> uint64(30))) * _MIX_1
    z = (z ^ (z >> uint64(27))) * _MIX_2
    return z ^ (z >> uint64(31))


@_helper
def _stream(seed, refit, tree, state):
    z = _mix(uint64(seed) + _GOLDEN)
    z = _mix(z ^ (uint64(refit) * _MIX_1 + _GOLDEN))
    state[0] = _mix(z ^ (uint64(tree) * _MIX_2 + _GOLDEN))


@_helper
def _below(state, bound):
    """Return a whole number drawn evenly from 0 to bound - 1."""
    state[0] += _GOLDEN
    return int((_mix(state[0]) >> uint64(11)) * (1.0 / 9007199254740992.0) * bound)


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


# --- the best split of one node on one column ---------------------------------------------------------------------


@_helper
def _scan_plain(idx, j, start, end, stat, mean, weight, min_leaf):
    """Scan a column without ties or missing values, one output: the common case, kept free of branches."""
    left = 0.0
    w_left = 0.0
    best = -1.0
    cut = -1
    centre = mean[0]
    for i in range(start, start + min_leaf - 1):
        left += stat[idx[j, i], 0]
        w_left += stat[idx[j, i], 1]
    for i in range(start + min_leaf - 1, end - min_leaf):
        left += stat[idx[j, i], 0]
        w_left += stat[idx[j, i], 1]
        d = left - w_left * centre
        score = d * d / (w_left * (weight - w_left))
        if score > best:
            best = score
            cut = i
    return best, cut


@_helper
def _scan(idx, j, ranks, start, end, n_missing, missing_left, stat, mean, weight, min_leaf, left):
    """Scan any column; the last `n_missing` rows of the node are missing and go left or right as a whole."""
    q = mean.size
    last = end - n_missing
    w_left = 0.0
    left[:] = 0.0
    count = 0
    if missing_left:
        for i in range(last, end):
            for k in range(q):
                left[k] += stat[idx[j, i], k]
            w_left += stat[idx[j, i], q]
        count = n_missing
    best = -1.0
    cut = -1
    for i in range(start, last if (n_missing > 0 and not missing_left) else last - 1):
        row = idx[j, i]
        for k in range(q):
            left[k] += stat[row, k]
        w_left += stat[row, q]
        count += 1
        if count < min_leaf or end - start - count < min_leaf:
            continue
        if ranks[j, row] == ranks[j, idx[j, i + 1]]:
            continue
        total = 0.0
        for k in range(q):
            d = left[k] - w_left * mean[k]
            total += d * d
        score = total / (w_left * (weight - w_left))
        if score > best:
            best = score
            cut = i
    return best, cut


@_helper
def _missing_at_end(idx, j, ranks, start, end):
    k = end
    while k > start and ranks[j, idx[j, k - 1]] == MISSING:
        k -= 1
    return end - k


@_helper
def _split_on(j, start, end, idx, plain, ranks, stat, mean, left, weight, min_leaf):
    """Return the best split on feature j; its cut is -1 when min_leaf allows none, -2 when the feature is constant."""
    if plain[j] and mean.size == 1:
        score, cut = _scan_plain(idx, j, start, end, stat, mean, weight, min_leaf)
        return Split(score, j, cut, 0, False)
    if ranks[j, idx[j, start]] == ranks[j, idx[j, end - 1]]:
        return Split(-1.0, j, -2, 0, False)
    n_missing = _missing_at_end(idx, j, ranks, start, end)
    score, cut = _scan(idx, j, ranks, start, end, n_missing, False, stat, mean, weight, min_leaf, left)
    missing_left = False
    if n_missing > 0:
        other, at = _scan(idx, j, ranks, start, end, n_missing, True, stat, mean, weight, min_leaf, left)
        if other > score:
            score, cut, missing_left = other, at, True
    return Split(score, j, cut, n_missing, missing_left)


@_helper
def _best_split(start, end, columns, desk, weight, rules):
    """Return the best split of a node; its feature is -1 when there is none.

    Features are drawn until `n_try` have been looked at and one of them was not constant, as scikit-learn does.
    """
    features = desk.features
    idx, stat, mean, left, plain, ranks = desk.idx, desk.stat, desk.mean, desk.left, columns.plain, columns.rank
    p = features.size
    best = Split(-1.0, -1, start, 0, False)
    ties = 0
    varied = False
    for t in range(p):
        if t >= rules.n_try and varied:
            break
        if rules.n_try < p:
            k = t + _below(desk.state, p - t)
            features[t], features[k] = features[k], features[t]
        split = _split_on(features[t], start, end, idx, plain, ranks, stat, mean, left, weight, rules.min_leaf)
        varied = varied or split.cut > -2
        if split.cut < 0:
            continue
        if split.score > best.score + _TIE * best.score:
            ties = 1
        elif split.score >= best.score - _TIE * best.score:
            ties += 1
            if _below(desk.state, ties) > 0:
                continue
        else:
            continue
        best = split
    return best


@_helper
def _pair_split(rows, start, x, desk, weight):
    """Part two rows. Every feature in which they differ has the same gain, so the first one drawn is taken."""
    features = desk.features
    p = features.size
    for t in range(p):
        k = t + _below(desk.state, p - t)
        features[t], features[k] = features[k], features[t]
        j = features[t]
        a, b = rows[start], rows[start + 1]
        if x[a, j] == x[b, j] or (np.isnan(x[a, j]) and np.isnan(x[b, j])):
            continue
        if x[a, j] > x[b, j] or np.isnan(x[a, j]):
            a, b = b, a
            rows[start], rows[start + 1] = a, b
        q = desk.mean.size
        w = desk.stat[a, q]
        score = 0.0
        for k in range(q):
            d = desk.stat[a, k] - w * desk.mean[k]
            score += d * d
        return Split(score / (w * (weight - w)), j, start, 1 if np.isnan(x[b, j]) else 0, False)
    return Split(-1.0, -1, start, 0, False)


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
def _is_final(rows, start, end, depth, y, rules):
    """Tell whether a node is a leaf: too small, too deep, or with one value of y."""
    if end - start < 2 or end - start < 2 * rules.min_leaf or depth >= rules.max_depth:
        return True
    first = rows[start]
    for i in range(start + 1, end):
        for k in range(y.shape[1]):
            if y[rows[i], k] != y[first, k]:
                return False
    return True


@_helper
def _divide(idx, start, end, side, skip, spare):
    """Put the rows with side 1 first in every column but `skip`, keeping their order."""
    for j in range(idx.shape[0]):
        if j == skip:
            continue
        low = start
        high = 0
        for i in range(start, end):
            row = idx[j, i]
            goes_left = side[row]
            idx[j, low] = row
            spare[high] = row
            low += goes_left
            high += 1 - goes_left
        for i in range(high):
            idx[j, low + i] = spare[i]


@_helper
def _send(row, x, feature, threshold, left, missing_left):
    """Return the leaf that a row falls into."""
    node = 0
    while feature[node] != LEAF:
        value = x[row, feature[node]]
        goes_left = missing_left[node] == 1 if np.isnan(value) else value <= threshold[node]
        node = left[node] if goes_left else left[node] + 1
    return left[node]


# --- trees ---------------------------------------------------------------------------------------------------------


@_helper
def _take_rows(columns, y, rules, desk, count):
    """Draw the tree's rows, weigh them, and list them in the order of each column; return how many there are."""
    n, q = y.shape
    if rules.n_draw == n and not rules.replace:
        count[:] = 1
    else:
        _draw_rows(desk.state, rules.n_draw, rules.replace, count)
    for i in range(n):
        for k in range(q):
            desk.stat[i, k] = count[i] * y[i, k]
        desk.stat[i, q] = count[i]
    size = 0
    for j in range(columns.order.shape[0]):
        size = 0
        for i in range(n):
            row = columns.order[j, i]
            desk.idx[j, size] = row
            size += 1 if count[row] > 0 else 0
    return size


@_helper
def _find_split(rows, start, end, columns, desk, rules):
    """Return the best split of a node and the node's weight."""
    q = desk.mean.size
    weight = 0.0
    desk.mean[:] = 0.0
    for i in range(start, end):
        for k in range(q):
            desk.mean[k] += desk.stat[rows[i], k]
        weight += desk.stat[rows[i], q]
    for k in range(q):
        desk.mean[k] /= weight
    if end - start == 2:
        return _pair_split(rows, start, columns.x, desk, weight), weight
    return _best_split(start, end, columns, desk, weight, rules), weight


@_helper
def _push(stack, top, node, start, end, depth, held, final):
    stack[top, 0] = node
    stack[top, 1] = start
    stack[top, 2] = end
    stack[top, 3] = depth
    stack[top, 4] = held
    stack[top, 5] = final


@_helper
def _grow_one(size, columns, y, rules, desk, codes, gains, tree):
    """Grow one tree on the rows that `desk` holds; return its numbers of leaves and nodes.

    Children too small to be split again, and pairs, need no sorted columns: where neither child needs them, the
    columns are not divided, and `held` names the one column in which a node's rows stand together.
    """
    idx = desk.idx
    n_nodes = 1
    n_leaves = 0
    _push(desk.stack, 0, 0, 0, size, 0, 0, _is_final(idx[0], 0, size, 0, y, rules))
    top = 1
    while top > 0:
        top -= 1
        node, start, end, depth, held, final = desk.stack[top]
        split = Split(-1.0, -1, start, 0, False)
        weight = 0.0
        if final == 0:
            split, weight = _find_split(idx[held], start, end, columns, desk, rules)
        if split.feature < 0:
            for i in range(start, end):
                codes[idx[held, i]] = n_leaves
            tree.feature[node] = LEAF
            tree.left[node] = n_leaves
            n_leaves += 1
            continue

        j = split.feature
        gains[j] += weight * split.score
        if end - start > 2:
            held = j
        rows = idx[held]
        middle = split.cut + 1 + (split.n_missing if split.missing_left else 0)
        tree.feature[node] = j
        tree.threshold[node] = _midpoint(columns.x[rows[split.cut], j], columns.x[rows[split.cut + 1], j])
        tree.left[node] = n_nodes
        # Where nothing was missing there is no side to learn: a missing value will join the larger part.
        tree.missing_left[node] = split.missing_left if split.n_missing > 0 else middle - start > end - middle
        if end - start > 2:
            for i in range(start, end):
                desk.side[rows[i]] = 1 if i <= split.cut else 0
            if split.missing_left:
                for i in range(end - split.n_missing, end):
                    desk.side[rows[i]] = 1
                _divide(idx[j : j + 1], start, end, desk.side, -1, desk.spare)
        left_final = _is_final(rows, start, middle, depth + 1, y, rules)
        right_final = _is_final(rows, middle, end, depth + 1, y, rules)
        _push(desk.stack, top, n_nodes, start, middle, depth + 1, held, left_final)
        _push(desk.stack, top + 1, n_nodes + 1, middle, end, depth + 1, held, right_final)
        top += 2
        n_nodes += 2
        if (middle - start > 2 and not left_final) or (end - middle > 2 and not right_final):
            _divide(idx, start, end, desk.side, j, desk.spare)
    return n_leaves, n_nodes


@_kernel
def grow(columns, y, rules, seed, refit, first_tree, codes, counts, n_leaves, gains, kept):
    """Grow one tree for each row of `codes`, the first of them numbered `first_tree`.

    `y` (n, q) should be centred. Written: `codes` (m, n), the leaf of each row; `counts` (m, n), how often the row
    was drawn; `n_leaves` (m,); `gains` (m, p), summed over splits; and the trees, where `kept` has room for them.
    """
    n, p = columns.x.shape
    q = y.shape[1]
    room = 2 * min(n, rules.n_draw) + 1
    desk = Desk(
        np.zeros(1, np.uint64),
        np.empty((p, n + 1), np.uint32),
        np.zeros((n, q + 1)),
        np.zeros(n, np.int32),
        np.empty(n, np.uint32),
        np.empty(p, np.int64),
        np.empty(q),
        np.empty(q),
        np.empty((room, 6), np.int64),
    )
    tree = Trees(np.empty(room, np.int32), np.zeros(room), np.empty(room, np.int32), np.zeros(room, np.uint8))
    for w in range(codes.shape[0]):
        _stream(seed, refit, first_tree + w, desk.state)
        gains[w, :] = 0.0
        for j in range(p):  # so that a tree does not depend on those grown before it
            desk.features[j] = j
        size = _take_rows(columns, y, rules, desk, counts[w])
        n_leaves[w], n_nodes = _grow_one(size, columns, y, rules, desk, codes[w], gains[w], tree)
        for i in range(n):
            if counts[w, i] == 0:
                codes[w, i] = _send(i, columns.x, tree.feature, tree.threshold, tree.left, tree.missing_left)
        if kept.feature.shape[0] > 0:
            kept.feature[w, :n_nodes] = tree.feature[:n_nodes]
            kept.threshold[w, :n_nodes] = tree.threshold[:n_nodes]
            kept.left[w, :n_nodes] = tree.left[:n_nodes]
            kept.missing_left[w, :n_nodes] = tree.missing_left[:n_nodes]


@_kernel
def route(x, trees, codes):
    """Write into `codes` (m, n) the leaf that each row of `x` falls into in each tree."""
    for w in range(codes.shape[0]):
        for i in range(x.shape[0]):
            codes[w, i] = _send(i, x, trees.feature[w], trees.threshold[w], trees.left[w], trees.missing_left[w])
