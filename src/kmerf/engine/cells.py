"""Cells of several sizes that the rows are parted into without a look at y, and products of y inside them.

Random cells: a node is cut in a random column, at the value of a random one of its rows. A node with fewer than 2 s
rows is a cell of size s. Larger sizes are met on the way to smaller ones, so one tree serves all of them. Boxes: one
that holds all rows is halved in one column after another, so that all boxes of a depth are equally large. Rows below a
cut stand left of the others, so the cells of every size are runs of the same list of rows.
"""

from __future__ import annotations

import numpy as np

from kmerf.engine.compiling import helper, kernel
from kmerf.engine.randomness import below, start_stream

TRIES = 8  # columns that may turn out to be constant in a node before it is given up


@kernel
def grow_cells(x, sizes, seed, rows, ends, n_cells):
    """Fill `rows` (m, n) with the rows of each tree, cell by cell; cell c of size k ends before `ends[k, tree, c]`.

    The `sizes` (S,) fall. Numbers of cells go to `n_cells` (S, m).
    """
    m, n = rows.shape
    state, spare = np.zeros(1, np.uint64), np.empty(n, np.int32)
    stack = np.empty((n + 1, 3), np.int64)
    for t in range(m):
        start_stream(seed, 0, t, state)
        own = rows[t]
        for i in range(n):
            own[i] = i
        n_cells[:, t] = 0
        stack[0, 0], stack[0, 1], stack[0, 2] = 0, n, 0
        top = 1
        while top > 0:
            top -= 1
            start, end, size = stack[top, 0], stack[top, 1], stack[top, 2]
            while size < sizes.size and end - start < 2 * sizes[size]:
                size = _close(size, t, end, ends, n_cells)
            if size == sizes.size:
                continue
            middle = -1
            tried = 0
            while middle < 0 and tried < TRIES:
                middle = _cut(x, below(state, x.shape[1]), own, start, end, state, spare)
                tried += 1
            if middle < 0:
                while size < sizes.size:
                    size = _close(size, t, end, ends, n_cells)
                continue
            stack[top, 0], stack[top, 1], stack[top, 2] = middle, end, size
            stack[top + 1, 0], stack[top + 1, 1], stack[top + 1, 2] = start, middle, size
            top += 2


@helper
def _close(size, t, end, ends, n_cells):
    """End a cell of a size; return the next smaller one."""
    ends[size, t, n_cells[size, t]] = end
    n_cells[size, t] += 1
    return size + 1


@helper
def _cut(x, j, rows, start, end, state, spare):
    """Part the rows of a node in a column; return where the right part starts, or -1 if all rows are on one side."""
    cut = x[rows[start + below(state, end - start)], j]
    above = False  # whether the cut itself goes right: if no value is larger
    for _ in range(2):
        left, right = start, 0
        for i in range(start, end):
            value = x[rows[i], j]
            if value < cut or (value == cut and not above):
                rows[left] = rows[i]
                left += 1
            else:
                spare[right] = rows[i]
                right += 1
        for i in range(right):
            rows[left + i] = spare[i]
        if 0 < right < end - start:
            return left
        above = True
    return -1


@kernel
def halve_boxes(place, turns, shifts, halvings, rows, parted):
    """Fill `rows` (m, n) with the rows of each tree, box by box, and `parted` (m, n) with what parts them.

    Row i stands at `place[i, j]` + `shifts[t, k]` of column j = `turns[t, k]`, in a box from 0 to 1, which is halved
    in its columns in turn. The row at position i of a tree is in another box than the next one after `parted[t, i]`
    halvings; that is `halvings` + 1 if as many do not part them, and 0 for the last row.
    """
    m, n = rows.shape
    spare, stack = np.empty(n, np.int32), np.empty((n + 1, 3), np.int64)
    parted[:] = halvings + 1
    parted[:, n - 1] = 0
    for t in range(m):
        own = rows[t]
        for i in range(n):
            own[i] = i
        stack[0, 0], stack[0, 1], stack[0, 2] = 0, n, 0
        top = 1
        while top > 0:
            top -= 1
            start, end, depth = stack[top, 0], stack[top, 1], stack[top, 2]
            while end - start > 1 and depth < halvings:
                k, parts = depth % turns.shape[1], 2.0 ** (1 + depth // turns.shape[1])
                j, shift = turns[t, k], shifts[t, k]
                depth += 1
                left, right = start, 0
                for i in range(start, end):
                    if np.floor((place[own[i], j] + shift) * parts) % 2.0 == 0.0:
                        own[left] = own[i]
                        left += 1
                    else:
                        spare[right] = own[i]
                        right += 1
                for i in range(right):
                    own[left + i] = spare[i]
                if 0 < right < end - start:
                    parted[t, left - 1] = depth
                    stack[top, 0], stack[top, 1], stack[top, 2] = left, end, depth
                    top += 1
                    end = left


@kernel
def class_products(rows, ends, n_cells, labels, shares, out):
    """Fill `out` (S,) with the mean over trees of the products of rows in the same cell, divided by its size.

    `labels` (n,) are those beside the rows of x, `shares` (classes,) how common each class is. The product of two rows
    is that of their one-hot labels, less the shares.
    """
    counts = np.zeros(shares.size, np.int64)
    own = 0.0
    for c in range(shares.size):
        own += shares[c] * shares[c]
    for s in range(ends.shape[0]):
        total = 0.0
        for t in range(rows.shape[0]):
            start = 0
            for c in range(n_cells[s, t]):
                end = ends[s, t, c]
                equal, common = 0, 0.0
                for i in range(start, end):
                    label = labels[rows[t, i]]
                    equal += counts[label]
                    counts[label] += 1
                    common += shares[label]
                for i in range(start, end):
                    counts[labels[rows[t, i]]] = 0
                size = end - start
                total += (2.0 * equal - 2.0 * (size - 1) * common) / size + (size - 1) * own
                start = end
        out[s] = total / rows.shape[0]


@kernel
def number_products(rows, ends, n_cells, points, out):
    """Fill `out` (S,) likewise, with the products of the rows of `points` (n, q), which stand beside those of x.

    Rows are added up in the smallest cells, of which the larger ones consist.
    """
    n, q = points.shape
    last = ends.shape[0] - 1
    sums, own, squares = np.empty((n_cells[last].max(), q)), np.empty(n_cells[last].max()), np.zeros(n)
    for i in range(n):
        for k in range(q):
            squares[i] += points[i, k] * points[i, k]
    out[:] = 0.0
    for t in range(rows.shape[0]):
        start = 0
        for c in range(n_cells[last, t]):
            for k in range(q):
                sums[c, k] = 0.0
            own[c] = 0.0
            for i in range(start, ends[last, t, c]):
                row = rows[t, i]
                own[c] += squares[row]
                for k in range(q):
                    sums[c, k] += points[row, k]
            start = ends[last, t, c]
        out[last] += _products(sums, own, ends[last, t], n_cells[last, t])
        for s in range(last - 1, -1, -1):
            _merge(sums, own, ends[s + 1, t], ends[s, t], n_cells[s, t])
            out[s] += _products(sums, own, ends[s, t], n_cells[s, t])
    for s in range(out.size):
        out[s] /= rows.shape[0]


@helper
def _products(sums, own, ends, n_cells):
    """Return the sum over cells of the products of different rows, divided by the size of the cell."""
    total, start = 0.0, 0
    for c in range(n_cells):
        products = -own[c]
        for k in range(sums.shape[1]):
            products += sums[c, k] * sums[c, k]
        total += products / (ends[c] - start)
        start = ends[c]
    return total


@helper
def _merge(sums, own, ends, larger, n_larger):
    """Add up the sums of the cells that each larger cell consists of, in place."""
    part = 0
    for c in range(n_larger):
        first = part
        while ends[part] < larger[c]:
            part += 1
        for k in range(sums.shape[1]):
            total = sums[first, k]
            for each in range(first + 1, part + 1):
                total += sums[each, k]
            sums[c, k] = total
        total = own[first]
        for each in range(first + 1, part + 1):
            total += own[each]
        own[c] = total
        part += 1
