"""What the splits on each column predict of the rows that a tree has not seen.

In-bag rows give every node a mean of y. A row out of bag goes down the tree, and each split that it passes moves its
prediction from the node's mean to the child's. With y centred, the credit of column j in a tree is

    1/|O| sum over rows i in O, the rows out of bag, over splits on j that i passes, of (child mean - node mean) . y_i,

so that credits add up to the covariance of prediction and y. Where y does not depend on x, they scatter about zero,
however many values a column has and however deep the tree, which the gains of splits, measured on the rows that chose
them, do not (Li et al. 2019, "A debiased MDI feature importance measure for random forests").

No row needs to go down the tree again: in-bag and out-of-bag sums of y are taken in each leaf, and a node's are those
of its children, which have higher numbers than it.
"""

from __future__ import annotations

import numpy as np

from kmerf.engine.compiling import helper, kernel


@kernel
def credit(y, trees, codes, counts, n_leaves, variance, credits):
    """Fill `credits` (m, p), over the variance of y, from the trees, the leaf of each row and how often it was drawn.

    `y` (n, q) should be centred.
    """
    n, q = y.shape
    most = 2 * n_leaves.max() - 1
    home = np.empty(n_leaves.max(), np.int64)  # the node that a leaf is
    weight = np.empty(most)
    total = np.empty((most, q))
    free = np.empty((most, q))
    for t in range(codes.shape[0]):
        feature, left = trees.feature[t], trees.left[t]
        n_nodes = 2 * n_leaves[t] - 1
        credits[t] = 0.0
        weight[:n_nodes] = 0.0
        total[:n_nodes] = 0.0
        free[:n_nodes] = 0.0
        for node in range(n_nodes):
            if feature[node] < 0:
                home[left[node]] = node
        n_free = 0
        for i in range(n):
            node = home[codes[t, i]]
            if counts[t, i] == 0:
                n_free += 1
                for k in range(q):
                    free[node, k] += y[i, k]
            else:
                weight[node] += counts[t, i]
                for k in range(q):
                    total[node, k] += counts[t, i] * y[i, k]
        for node in range(n_nodes - 1, -1, -1):
            if feature[node] < 0:
                continue
            a = left[node]
            b = a + 1
            weight[node] = weight[a] + weight[b]
            gain = 0.0
            for k in range(q):
                total[node, k] = total[a, k] + total[b, k]
                free[node, k] = free[a, k] + free[b, k]
                mean = total[node, k] / weight[node]
                gain += (total[a, k] / weight[a] - mean) * free[a, k] + (total[b, k] / weight[b] - mean) * free[b, k]
            credits[t, feature[node]] += gain
        if n_free > 0 and variance > 0.0:
            for j in range(credits.shape[1]):
                credits[t, j] /= n_free * variance


@kernel
def credit_classes(labels, n_labels, trees, codes, counts, n_leaves, credits):
    """Fill `credits` (m, p) as `credit` does for one-hot columns of the `labels` (n,), less their means.

    With T_k the weight of class k in bag and F_k its rows out of bag, and s_k its share of all rows, a node has

        g = sum_k T_k (F_k - F s_k) / T,

    and the credit of a split is g of one child, plus g of the other, less its own. The rows of a node stand together in
    the list of all rows by leaves, if leaves are numbered from left to right: each node visits its own rows.
    """
    n = labels.size
    most = 2 * n_leaves.max() - 1
    first, last, at = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64)
    rows, ends = np.empty(n, np.int64), np.empty(n_leaves.max() + 1, np.int64)
    total, share, value = np.zeros(n_labels), np.zeros(n_labels), np.empty(most)
    for i in range(n):
        share[labels[i]] += 1.0 / n
    variance = 1.0
    for k in range(n_labels):
        variance -= share[k] * share[k]
    for t in range(codes.shape[0]):
        feature, left = trees.feature[t], trees.left[t]
        n_nodes = 2 * n_leaves[t] - 1
        _order_leaves(feature, left, at, ends)  # `ends` has the place of each leaf from the left
        place = ends
        for leaf in range(n_leaves[t]):
            at[leaf] = 0
        n_free = 0
        for i in range(n):
            at[place[codes[t, i]]] += 1
            n_free += 1 if counts[t, i] == 0 else 0
        before = 0
        for leaf in range(n_leaves[t]):
            before, at[leaf] = before + at[leaf], before
        for node in range(n_nodes):
            if feature[node] < 0:
                first[node] = at[place[left[node]]]
        for i in range(n):
            leaf = place[codes[t, i]]
            rows[at[leaf]] = i
            at[leaf] += 1
        for node in range(n_nodes):
            if feature[node] < 0:
                last[node] = at[place[left[node]]]
        for j in range(credits.shape[1]):
            credits[t, j] = 0.0
        for node in range(n_nodes - 1, -1, -1):
            if feature[node] >= 0:
                first[node], last[node] = first[left[node]], last[left[node] + 1]
            value[node] = _value_of_node(rows, first[node], last[node], labels, counts[t], total, share)
            if feature[node] >= 0:
                credits[t, feature[node]] += value[left[node]] + value[left[node] + 1] - value[node]
        for j in range(credits.shape[1]):
            credits[t, j] = credits[t, j] / (n_free * variance) if n_free > 0 and variance > 0.0 else credits[t, j]


@helper
def _order_leaves(feature, left, stack, place):
    """Write the place of each leaf from left to right."""
    stack[0] = 0
    top, seen = 1, 0
    while top > 0:
        top -= 1
        node = stack[top]
        if feature[node] < 0:
            place[left[node]] = seen
            seen += 1
        else:
            stack[top] = left[node] + 1
            stack[top + 1] = left[node]
            top += 2


@helper
def _value_of_node(rows, first, last, labels, counts, total, share):
    """Return g; `total` is 0 before and after."""
    weight, expected, free, both = 0.0, 0.0, 0.0, 0.0
    for s in range(first, last):
        i = rows[s]
        if counts[i] > 0:
            total[labels[i]] += counts[i]
            weight += counts[i]
            expected += counts[i] * share[labels[i]]
    for s in range(first, last):
        i = rows[s]
        if counts[i] == 0:
            free += 1.0
            both += total[labels[i]]
    for s in range(first, last):
        total[labels[rows[s]]] = 0.0
    return (both - free * expected) / weight if weight > 0.0 else 0.0


@kernel
def gains_of(y, trees, codes, counts, n_leaves, gains):
    """Add to `gains` (m, p) by how much the splits on each column lower the squared error of y, on rows in bag.

    `y` (n, q) should be centred. The trees may have been grown on anything.
    """
    n, q = y.shape
    most = 2 * n_leaves.max() - 1
    home = np.empty(n_leaves.max(), np.int64)
    weight = np.empty(most)
    total = np.empty((most, q))
    for t in range(codes.shape[0]):
        feature, left = trees.feature[t], trees.left[t]
        n_nodes = 2 * n_leaves[t] - 1
        weight[:n_nodes] = 0.0
        total[:n_nodes] = 0.0
        for node in range(n_nodes):
            if feature[node] < 0:
                home[left[node]] = node
        for i in range(n):
            node = home[codes[t, i]]
            weight[node] += counts[t, i]
            for k in range(q):
                total[node, k] += counts[t, i] * y[i, k]
        for node in range(n_nodes - 1, -1, -1):
            if feature[node] < 0:
                continue
            a = left[node]
            b = a + 1
            weight[node] = weight[a] + weight[b]
            for k in range(q):
                total[node, k] = total[a, k] + total[b, k]
            if weight[a] > 0.0 and weight[b] > 0.0:
                for k in range(q):
                    apart = total[a, k] / weight[a] - total[b, k] / weight[b]
                    gains[t, feature[node]] += weight[a] * weight[b] / weight[node] * apart * apart
