"""What the splits on each column predict of the rows that a tree has not seen.

In-bag rows give every node a mean of y. A row out of bag goes down the tree, and each split that it passes moves its
prediction from the node's mean to the child's. With y centred, the credit of column j in a tree is

    1/|O| sum over rows i in O, the rows out of bag, over splits on j that i passes, of (child mean - node mean) . y_i,

so that credits add up to the covariance of prediction and y. Where y does not depend on x, they scatter about zero,
however many values a column has and however deep the tree, which the gains of splits, measured on the rows that chose
them, do not (Li et al. 2019, "A debiased MDI feature importance measure for random forests").
"""

from __future__ import annotations

import numpy as np
from numba import njit

_kernel = njit(nogil=True, cache=True, error_model="numpy")
_helper = njit(nogil=True, forceinline=True, error_model="numpy")


@_helper
def _next(node, row, t, x, trees):
    """Return the child of a node that a row goes to."""
    value = x[row, trees.feature[t, node]]
    goes_left = trees.missing_left[t, node] == 1 if np.isnan(value) else value <= trees.threshold[t, node]
    return trees.left[t, node] if goes_left else trees.left[t, node] + 1


@_kernel
def credit(x, y, trees, counts, variance, credits):
    """Fill `credits` (m, p), over the variance of y, from the trees and how often each drew each row (m, n).

    `y` (n, q) should be centred.
    """
    n, q = y.shape
    room = trees.feature.shape[1]
    mean = np.empty((room, q))
    weight = np.empty(room)
    for t in range(counts.shape[0]):
        credits[t] = 0.0
        mean[:] = 0.0
        weight[:] = 0.0
        free = 0
        for i in range(n):
            if counts[t, i] == 0:
                free += 1
                continue
            node = 0
            while True:
                weight[node] += counts[t, i]
                for k in range(q):
                    mean[node, k] += counts[t, i] * y[i, k]
                if trees.feature[t, node] < 0:
                    break
                node = _next(node, i, t, x, trees)
        for node in range(room):
            if weight[node] > 0.0:
                for k in range(q):
                    mean[node, k] /= weight[node]
        for i in range(n):
            if counts[t, i] > 0:
                continue
            node = 0
            while trees.feature[t, node] >= 0:
                child = _next(node, i, t, x, trees)
                for k in range(q):
                    credits[t, trees.feature[t, node]] += (mean[child, k] - mean[node, k]) * y[i, k]
                node = child
        if free > 0 and variance > 0.0:
            credits[t] /= free * variance
