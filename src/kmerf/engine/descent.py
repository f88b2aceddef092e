"""Sending rows down trees: those out of bag while a forest is grown, and new rows afterwards."""

from __future__ import annotations

import numpy as np
from numba import njit, uint64

from kmerf.engine.compiling import helper, kernel
from kmerf.engine.workspace import LEAF

inline = njit(nogil=True, forceinline=True, error_model="numpy")


@inline
def goes_left(value, node, threshold, missing_left, levels, level_code):
    """Return whether a value goes left at a split."""
    if np.isnan(value):
        return missing_left[node] == 1
    if levels[node] >= 0:
        value = level_code[levels[node] + np.int64(value)]
    return value <= threshold[node]


@helper
def send_row(row, x, feature, threshold, left, missing_left, levels, level_code):
    """Return the leaf that a row falls into."""
    node = 0
    while feature[node] != LEAF:
        value = x[row, feature[node]]
        node = left[node] if goes_left(value, node, threshold, missing_left, levels, level_code) else left[node] + 1
    return left[node]


@helper
def pack_nodes(tree, n_nodes, bound, link):
    """Write the nodes so that a step down is one read and one comparison; from a leaf, it leads back to the leaf."""
    for node in range(n_nodes):
        if tree.feature[node] == LEAF:
            bound[2 * node] = np.inf
            link[2 * node + 1] = node << 32
        else:
            bound[2 * node] = tree.threshold[node]
            link[2 * node + 1] = (np.int64(tree.left[node]) << 32) | tree.feature[node]


@helper
def _step(values, node, bound, link):
    """Return where a row goes from a node."""
    here = uint64(node) << uint64(1)
    below = link[here + uint64(1)]
    return (below >> 32) + (1 if values[uint64(below) & uint64(0xFFFFFFFF)] > bound[here] else 0)


@helper
def send_rows(x, rows, n_rows, bound, link, left, codes):
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


@kernel
def route(x, trees, codes):
    """Write into `codes` (m, n) the leaf that each row of `x` falls into in each tree."""
    for w in range(codes.shape[0]):
        for i in range(x.shape[0]):
            codes[w, i] = send_row(
                i,
                x,
                trees.feature[w],
                trees.threshold[w],
                trees.left[w],
                trees.missing_left[w],
                trees.levels[w],
                trees.level_code[w],
            )
