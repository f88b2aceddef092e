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

from kmerf.engine.compiling import kernel


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
