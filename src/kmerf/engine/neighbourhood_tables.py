"""The sum of Pearson's statistics over the two-by-two tables of Heller, Heller and Gorfine, in O(n^2 log n).

Each ordered pair (i, j) parts the other n - 2 rows k by whether d_x(i, k) <= d_x(i, j), and by the same in y. With a
and b rows within reach of j in x and in y, and c in both, Pearson's statistic of that table is

    (n - 2) (a b - (n - 2) c)^2 / (a b (n - 2 - a)(n - 2 - b)),

and nothing where the denominator is zero. For each i the rows come by increasing d_x, and a binary indexed tree over
the ranks of d_y tells c. Rows that are tied in d_x enter the tree together.
"""

from __future__ import annotations

import numpy as np

from kmerf.engine.compiling import kernel


@kernel
def neighbours(distances, order, out):
    """Fill `out` (m, n - 1) with the neighbours of m rows by distance: j, or -j - 1 where the next one is as far.

    `order` (m, n) sorts each line of `distances`, the row itself first.
    """
    for r in range(out.shape[0]):
        for s in range(out.shape[1]):
            j = order[r, s + 1]
            tied = s + 1 < out.shape[1] and distances[r, order[r, s + 2]] == distances[r, j]
            out[r, s] = -j - 1 if tied else j


@kernel
def ranks(distances, order, start, out):
    """Fill `out` (m, n) with the number of other rows within reach of each row, seen from rows `start`.."""
    n = out.shape[1]
    for r in range(out.shape[0]):
        out[r, start + r] = 0
        first = 1
        for s in range(1, n):
            if s + 1 < n and distances[r, order[r, s + 1]] == distances[r, order[r, s]]:
                continue
            for t in range(first, s + 1):
                out[r, order[r, t]] = s
            first = s + 1


@kernel
def tables(neighbour, rank, order, start, stop):
    """Return the sum of statistics of the pairs (i, j), i from `start` to `stop`, row i of x beside `order[i]` of y."""
    n = order.size
    others = n - 2.0
    tree = np.empty(n, np.int64)
    total = 0.0
    for i in range(start, stop):
        tree[:] = 0
        reach = rank[order[i]]
        first = 0
        for s in range(n - 1):
            j = neighbour[i, s]
            tied = j < 0
            if tied:
                j = -j - 1
            at = reach[order[j]]
            while at < n:
                tree[at] += 1
                at += at & -at
            if tied:
                continue
            a = float(s)
            for t in range(first, s + 1):
                j = neighbour[i, t]
                if j < 0:
                    j = -j - 1
                at = reach[order[j]]
                b = at - 1.0
                c = -1.0
                while at > 0:
                    c += tree[at]
                    at -= at & -at
                below = a * b * (others - a) * (others - b)
                if below > 0.0:
                    difference = a * b - others * c
                    total += others * difference * difference / below
            first = s + 1
    return total
