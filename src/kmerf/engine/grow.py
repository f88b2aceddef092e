"""Growing trees on sorted columns: the loop over trees, and that over the nodes of a tree.

A tree draws its rows (`sampling`), encodes its categories (`categories`), splits node after node (`splitting`), and
sends the rows out of bag down to its leaves (`descent`). Rows out of bag take no other part, and in-bag rows are
numbered in each tree, so that what a tree works on is as small as its sample. If only some columns are tried below
the root, the others are not sorted for the tree.
"""

from __future__ import annotations

import numpy as np

from kmerf.engine.categories import coded_value, encode_levels
from kmerf.engine.compiling import helper, kernel
from kmerf.engine.descent import pack_nodes, send_row, send_rows
from kmerf.engine.randomness import start_stream
from kmerf.engine.sampling import take_rows
from kmerf.engine.sorting import keep_best, partition, sort_kept
from kmerf.engine.splitting import find_split
from kmerf.engine.workspace import LEAF, Split, Trees, Workspace

_SPARSE = 6  # how many times more rows there are than drawn ones, before sorting those beats passing over all


@kernel
def grow(columns, y, rules, seed, refit, first_tree, codes, counts, n_leaves, gains, kept, narrow, stop, labels=None):
    """Grow one tree for each row of `codes`.

    Parameters
    ----------
    columns, y, rules
        The sorted columns; the target (n, q), centred; how trees are grown.
    seed, refit, first_tree
        Key of the random numbers: tree t of this call draws from the stream (seed, refit, first_tree + t).
    codes, counts, n_leaves
        Written: the leaf of each row (m, n), how often it was drawn (m, n), and the number of leaves (m,).
    gains
        Written: the summed gains of the splits on each column (m, p), or of the last tree only if it has one line.
    kept
        Written: the trees, if it has room for them.
    narrow
        An empty array of the type in which to number in-bag rows.
    stop
        Growing ends early, and unfinished, when another thread sets `stop[0]`.
    labels
        Of many classes, that of each row (n,); then `rules.n_outputs` is their number, and `y` is (n, 0).
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
    work = Workspace(
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
    work.left[:] = 0.0
    work.side[:] = 0
    work.z[:] = 0.0
    work.shrinkage[:] = 1.0
    tree = Trees(
        np.empty(room, np.int32),
        np.empty(room),
        np.empty(room, np.int32),
        np.empty(room, np.uint8),
        np.empty(room, np.int32),
        work.level_code,
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
        start_stream(seed, refit, first_tree + w, work.state)
        for j in range(p):  # so that a tree does not depend on those grown before it
            work.features[j] = j
        for k in range(y.shape[1]):
            work.outputs[k] = k
        size = take_rows(columns, y, rules, work, counts[w], labels)
        for j in range(p if most_levels > 0 else 0):
            if columns.levels[j + 1] > columns.levels[j]:
                encode_levels(columns, j, size, work, level_sums, away, direction, turned)
        n_leaves[w], n_nodes = _grow_one(size, columns, y, rules, work, codes[w], gain, tree, stop)
        if stop[0] != 0:
            return
        n_free = 0
        for i in range(n):
            free[n_free] = i
            n_free += 1 if counts[w, i] == 0 else 0
        if plain:
            pack_nodes(tree, n_nodes, bound, link)
            send_rows(columns.x, free, n_free, bound, link, tree.left, codes[w])
        else:
            for k in range(n_free):
                codes[w, free[k]] = send_row(
                    free[k],
                    columns.x,
                    tree.feature,
                    tree.threshold,
                    tree.left,
                    tree.missing_left,
                    tree.levels,
                    tree.level_code,
                )
        if kept.feature.shape[0] > 0:
            for node in range(n_nodes):
                kept.feature[w, node] = tree.feature[node]
                kept.threshold[w, node] = tree.threshold[node]
                kept.left[w, node] = tree.left[node]
                kept.missing_left[w, node] = tree.missing_left[node]
                kept.levels[w, node] = tree.levels[node]
            for level in range(tree.level_code.size):
                kept.level_code[w, level] = tree.level_code[level]


@helper
def _grow_one(size, columns, y, rules, work, codes, gains, tree, stop):
    """Grow one tree on the rows that `work` holds; return its numbers of leaves and nodes.

    A split copies every column from one half of `idx` to the other. Children too small to be split again, and pairs,
    need no sorted columns: where neither child needs them, nothing is copied. `at` is the half in which a node's rows
    are, and `sorted_by` a column in which they stand together.
    """
    n_nodes = 1
    n_leaves = 0
    n_kept = work.features.size
    _push(work.stack, 0, 0, 0, size, 0, 0, 0, _is_leaf(work.idx[0, 0], 0, size, 0, y, work, rules))
    top = 1
    while top > 0 and stop[0] == 0:
        top -= 1
        node, start, end, depth, at, sorted_by, is_leaf = work.stack[top]
        split = Split(-1.0, -1, start, 0, False)
        if is_leaf == 0:
            split = find_split(work.idx[at, sorted_by], start, end, work.idx[at], n_kept, columns, work, rules)
        if split.feature < 0:
            for i in range(start, end):
                codes[work.rows[work.idx[at, sorted_by, i]]] = n_leaves
            tree.feature[node] = LEAF
            tree.left[node] = n_leaves
            n_leaves += 1
            continue

        j = split.feature
        gains[j] += split.score
        if node == 0 and rules.n_keep < n_kept and end > 2:
            n_kept = rules.n_keep
            keep_best(work.top, work.features, n_kept, j)
            sort_kept(work.features[:n_kept], columns, work)
        if end - start > 2:
            sorted_by = j
        rows = work.idx[at, sorted_by]
        middle = split.cut + 1 + (split.n_missing if split.missing_left else 0)
        tree.feature[node] = j
        tree.threshold[node] = _midpoint(
            coded_value(columns, work.level_code, work.rows[rows[split.cut]], j),
            coded_value(columns, work.level_code, work.rows[rows[split.cut + 1]], j),
        )
        tree.levels[node] = columns.levels[j] if columns.levels[j + 1] > columns.levels[j] else -1
        tree.left[node] = n_nodes
        # Where nothing was missing there is no side to learn: a missing value will join the larger part.
        tree.missing_left[node] = split.missing_left if split.n_missing > 0 else middle - start > end - middle
        if end - start > 2:
            for i in range(start, end):
                work.side[rows[i]] = 1 if i <= split.cut else 0
            if split.missing_left:
                for i in range(end - split.n_missing, end):
                    work.side[rows[i]] = 1
        must_copy = split.missing_left  # the parts do not stand side by side yet
        if must_copy:
            partition(work.idx[at, j], work.idx[1 - at, j], start, end, middle - start, work.side)
            rows = work.idx[1 - at, j]
        left_is_leaf = _is_leaf(rows, start, middle, depth + 1, y, work, rules)
        right_is_leaf = _is_leaf(rows, middle, end, depth + 1, y, work, rules)
        if (middle - start > 2 and not left_is_leaf) or (end - middle > 2 and not right_is_leaf):
            for t in range(n_kept):
                k = work.features[t]
                partition(work.idx[at, k], work.idx[1 - at, k], start, end, middle - start, work.side)
            must_copy = True
        at = 1 - at if must_copy else at
        _push(work.stack, top, n_nodes, start, middle, depth + 1, at, sorted_by, left_is_leaf)
        _push(work.stack, top + 1, n_nodes + 1, middle, end, depth + 1, at, sorted_by, right_is_leaf)
        top += 2
        n_nodes += 2
    return n_leaves, n_nodes


@helper
def _push(stack, top, node, start, end, depth, at, sorted_by, is_leaf):
    stack[top, 0] = node
    stack[top, 1] = start
    stack[top, 2] = end
    stack[top, 3] = depth
    stack[top, 4] = at
    stack[top, 5] = sorted_by
    stack[top, 6] = is_leaf


@helper
def _is_leaf(rows, start, end, depth, y, work, rules):
    """Return whether a node is a leaf: too small, too deep, or with one value of y."""
    if end - start < 2 or end - start < 2 * rules.min_leaf or depth >= rules.max_depth:
        return True
    return _is_one_value(rows, start, end, y, work, work.label)


@helper
def _is_one_value(rows, start, end, y, work, label):
    if label is not None:
        for i in range(start + 1, end):  # noqa: SIM110
            if label[rows[i]] != label[rows[start]]:
                return False
        return True
    first = work.rows[rows[start]]
    for i in range(start + 1, end):
        row = work.rows[rows[i]]
        for k in range(work.mean.size):
            if y[row, work.outputs[k]] != y[first, work.outputs[k]]:
                return False
    return True


@helper
def _midpoint(a, b):
    """Return a threshold t with a <= t < b, whatever the rounding; infinity when b is missing."""
    if np.isnan(b):
        return np.inf
    t = a / 2.0 + b / 2.0
    if t >= b or t < a:
        return a
    return t


@helper
def _all(flags):
    for flag in flags:  # noqa: SIM110
        if not flag:
            return False
    return True
