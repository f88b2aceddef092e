"""The best split of a node.

A split of a node with rows of weight w into L and R gains its decrease in squared error,

    gain = (1 / w_L + 1 / w_R) sum_k d_k^2,    d_k = sum_{i in L} w_i (y_ik - mean_k),

summed over the outputs k; on one-hot classes that is the Gini criterion. Many classes come as one label per row, and
are counted, so that time does not grow with their number. `kmerf.engine.column_scans` looks for the best place in a
column; if splits are random, `kmerf.engine.randomness` finds them.

Equal gains, within rounding, are settled at random between features; within a feature the smallest value wins. A
missing value ranks above all others (`column_scans.MISSING`); each split is tried with missing rows on either side.
"""

from __future__ import annotations

import numpy as np
from numba import uint64

from kmerf.engine.categories import coded_value
from kmerf.engine.column_scans import (
    missing_at_end,
    scan,
    scan_classes,
    scan_four_of_all_rows,
    scan_many,
    scan_one,
    scan_two,
    scan_two_of_all_rows,
)
from kmerf.engine.compiling import helper
from kmerf.engine.randomness import below, random_split
from kmerf.engine.sorting import sort_by_passing
from kmerf.engine.workspace import TIE, Split


@helper
def find_split(rows, start, end, idx, n_kept, columns, work, rules):
    """Return the best split of a node."""
    weight = _find_mean(rows, start, end, work, work.label)
    if end - start == 2:
        return _pair_split(rows, start, n_kept, columns, work, weight)
    _centre(rows, start, end, work, work.label)
    if rules.random:
        score, j, cut, n_missing, missing_left = random_split(start, end, idx, columns, work, weight, rules)
        return Split(score, j, cut, n_missing, missing_left)
    return _best_split(start, end, idx, n_kept, columns, work, weight, rules)


@helper
def _find_mean(rows, start, end, work, label):
    """Find the mean of a node, or the weights of its classes; return its weight."""
    q = work.mean.size
    weight = 0.0
    if label is not None:
        work.mean[:] = 0.0
        for i in range(start, end):
            work.mean[label[rows[i]]] += work.w[rows[i]]
            weight += work.w[rows[i]]
        return weight
    for i in range(start, end):
        weight += work.stat[rows[i], q]
    for k in range(q):
        total = 0.0
        for i in range(start, end):
            total += work.stat[rows[i], k]
        work.mean[k] = total / weight
    return weight


@helper
def _centre(rows, start, end, work, label):
    """Write the distance of each row from the mean, or the sum of the squared weights of classes."""
    q = work.mean.size
    if label is not None:
        square = 0.0
        for k in range(q):
            square += work.mean[k] * work.mean[k]
        work.z[0] = square
        return
    width = work.z.size // work.w.size
    for i in range(start, end):
        row = np.int64(rows[i])
        for k in range(q):
            work.z[row * width + k] = work.stat[row, k] - work.stat[row, q] * work.mean[k]


@helper
def _best_split(start, end, idx, n_kept, columns, work, weight, rules):
    """Return the best split of a node on one of the features that are kept; its feature is -1 when there is none.

    Features are drawn until `n_try` have been looked at and one of them was not constant, as scikit-learn does.
    """
    features, top, state, min_leaf = work.features[:n_kept], work.top, work.state, rules.min_leaf
    n_try = min(rules.n_try, n_kept)
    looks_first = work.root_w.size > 0 and n_kept == columns.plain.size
    if looks_first:
        _weigh_all_rows(end, work)
        _score_plain(columns, work, min_leaf)
    tried = 0
    varied = looks_first and _any(columns.plain)
    while tried < features.size and (tried < n_try or not varied):
        j = _draw_feature(features, tried, n_try, state)
        if looks_first and columns.plain[j]:
            tried += 1
            continue
        if work.mean.size == 1 and tried + 1 < n_try and columns.plain[j]:
            k = _draw_feature(features, tried + 1, n_try, state)
            if columns.plain[k]:
                top[tried], top[tried + 1] = scan_two(
                    idx[j], idx[k], start, end, work.z, work.w, work.inverse, uint64(weight), min_leaf
                )
            else:
                top[tried] = _score_on(j, idx[j], columns, start, end, work, weight, min_leaf)
                top[tried + 1] = _score_on(k, idx[k], columns, start, end, work, weight, min_leaf)
            varied = True
            tried += 2
            continue
        top[tried] = _score_on(j, idx[j], columns, start, end, work, weight, min_leaf)
        varied = varied or top[tried] > -2.0
        tried += 1
    for t in range(tried if work.level_code.size > 0 else 0):
        if top[t] > 0.0:  # which may be infinite
            top[t] = top[t] * work.shrinkage[features[t]] if work.shrinkage[features[t]] > 0.0 else 0.0
    t = _choose(top, tried, state)
    if t < 0:
        return Split(-1.0, -1, start, 0, False)
    j = features[t]
    if looks_first and columns.plain[j]:
        sort_by_passing(columns.order[j], work.number, idx[j])
    score = top[t] if work.shrinkage[j] == 1.0 else _score_on(j, idx[j], columns, start, end, work, weight, min_leaf)
    return _split_on(j, idx[j], columns, start, end, work, weight, min_leaf, score)


@helper
def _draw_feature(features, t, n_try, state):
    """Return the feature to be tried as number t."""
    if n_try < features.size:
        k = t + below(state, features.size - t)
        features[t], features[k] = features[k], features[t]
    return features[t]


@helper
def _any(flags):
    for flag in flags:  # noqa: SIM110 - numba takes long to compile the function of that name
        if flag:
            return True
    return False


@helper
def _choose(top, tried, state):
    """Return which of the features tried is best, by chance among equals; -1 if none has a split."""
    best = -1.0
    for t in range(tried):
        best = max(best, top[t])
    if not best >= 0.0:
        return -1
    least = best - TIE * best if best < np.inf else best
    ties = 0
    for t in range(tried):
        ties += 1 if top[t] >= least else 0
    skip = below(state, ties) if ties > 1 else 0
    t = 0
    while skip > 0 or top[t] < least:
        skip -= 1 if top[t] >= least else 0
        t += 1
    return t


@helper
def _weigh_all_rows(size, work):
    """Write what the root has of each row, in bag or not."""
    q, width = work.mean.size, work.z.size // work.w.size
    each = work.root_z.size // work.root_w.size
    work.root_z[:] = 0.0
    work.root_w[:] = 0
    for i in range(size):
        row = np.int64(work.rows[i])
        work.root_w[row] = work.w[i]
        for k in range(q):
            work.root_z[row * each + k] = work.z[i * width + k]


@helper
def _score_plain(columns, work, min_leaf):
    """Write the best scores of plain columns, which are not sorted for this tree, in the order of the columns."""
    z, w = work.root_z, work.root_w
    waiting = -1
    for j in range(columns.plain.size):
        if not columns.plain[j]:
            continue
        order = columns.order[j]
        if work.mean.size > 1:
            work.top[j] = scan_four_of_all_rows(order, z, w, work.inverses, min_leaf)
        elif waiting < 0:
            waiting = j
        else:
            other = columns.order[waiting]
            work.top[waiting], work.top[j] = scan_two_of_all_rows(other, order, z, w, work.inverses, min_leaf)
            waiting = -1
    if waiting >= 0:
        order = columns.order[waiting]
        work.top[waiting], _ = scan_two_of_all_rows(order, order, z, w, work.inverses, min_leaf)


@helper
def _score_on(j, rows, columns, start, end, work, weight, min_leaf):
    """Return the best score of a split on a column: -1 when min_leaf allows none, -2 when the column is constant."""
    ranks = work.ranks[j, : 0 if columns.plain[j] else work.ranks.shape[1]]
    if ranks.size > 0 and ranks[rows[start]] == ranks[rows[end - 1]]:
        return -2.0
    n_missing = 0 if columns.full[j] else missing_at_end(rows, ranks, start, end)
    return _score_of(rows, ranks, start, end, n_missing, work, weight, min_leaf, work.label)


@helper
def _score_of(rows, ranks, start, end, n_missing, work, weight, min_leaf, label):
    if label is not None:
        return _scan_labels(rows, ranks, start, end, n_missing, work, weight, min_leaf, label)[0]
    if n_missing == 0:
        return _scan_full(rows, ranks, start, end, work, uint64(weight), min_leaf, np.inf)[0]
    stat, mean, left = work.stat, work.mean, work.left
    score, _ = scan(rows, ranks, start, end, n_missing, False, stat, mean, weight, min_leaf, left)
    other, _ = scan(rows, ranks, start, end, n_missing, True, stat, mean, weight, min_leaf, left)
    return max(score, other)


@helper
def _scan_full(rows, ranks, start, end, work, weight, min_leaf, wanted):
    """Scan a column without missing values in this node."""
    if work.mean.size == 1:
        return scan_one(rows, ranks, start, end, work.z, work.w, work.inverse, weight, min_leaf, wanted)
    return scan_many(rows, ranks, start, end, work.z, work.w, work.inverse, weight, min_leaf, work.total, wanted)


@helper
def _scan_labels(rows, ranks, start, end, n_missing, work, weight, min_leaf, label):
    """Return the best score for classes, its place, and whether missing rows go left."""
    w, whole, left, square = work.w, work.mean, work.left, work.z[0]
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


@helper
def _split_on(j, rows, columns, start, end, work, weight, min_leaf, score):
    """Return the split on a column that has this score, the best."""
    ranks = work.ranks[j, : 0 if columns.plain[j] else work.ranks.shape[1]]
    n_missing = 0 if columns.full[j] else missing_at_end(rows, ranks, start, end)
    return _split_of(j, rows, ranks, start, end, n_missing, work, weight, min_leaf, score, work.label)


@helper
def _split_of(j, rows, ranks, start, end, n_missing, work, weight, min_leaf, score, label):
    if label is not None:
        score, cut, missing_left = _scan_labels(rows, ranks, start, end, n_missing, work, weight, min_leaf, label)
        return Split(score, j if cut >= 0 else -1, cut, n_missing, missing_left)
    if n_missing == 0:
        _, cut = _scan_full(rows, ranks, start, end, work, uint64(weight), min_leaf, score)
        return Split(score, j if cut >= 0 else -1, cut, 0, False)
    stat, mean, left = work.stat, work.mean, work.left
    score, cut = scan(rows, ranks, start, end, n_missing, False, stat, mean, weight, min_leaf, left)
    other, at = scan(rows, ranks, start, end, n_missing, True, stat, mean, weight, min_leaf, left)
    if other > score:
        return Split(other, j, at, n_missing, True)
    return Split(score, j, cut, n_missing, False)


@helper
def _pair_split(rows, start, n_kept, columns, work, weight):
    """Part two rows. Every feature in which they differ has the same gain, so the first one drawn is taken."""
    features = work.features[:n_kept]
    for t in range(n_kept):
        k = t + below(work.state, n_kept - t)
        features[t], features[k] = features[k], features[t]
        j = features[t]
        a, b = rows[start], rows[start + 1]
        x_a = coded_value(columns, work.level_code, work.rows[a], j)
        x_b = coded_value(columns, work.level_code, work.rows[b], j)
        if x_a == x_b or (np.isnan(x_a) and np.isnan(x_b)):
            continue
        if x_a > x_b or np.isnan(x_a):
            a, b = b, a
            x_b = x_a
            rows[start], rows[start + 1] = a, b
        w, score = _pair_squares(a, weight, work, work.label)
        return Split(score / w + score / (weight - w), j, start, 1 if np.isnan(x_b) else 0, False)
    return Split(-1.0, -1, start, 0, False)


@helper
def _pair_squares(a, weight, work, label):
    """Return the weight of one of two rows, and the sum of its squared distances from their mean."""
    if label is not None:  # they are of two classes, or the node would be a leaf
        w = float(work.w[a])
        return w, 2.0 * (w * (weight - w) / weight) ** 2
    q = work.mean.size
    w = work.stat[a, q]
    score = 0.0
    for k in range(q):
        d = work.stat[a, k] - w * work.mean[k]
        score += d * d
    return w, score
