"""The sum of |x_i - x_j| |y_i - y_j| over all pairs of numbers in O(n log n), after Huo and Szekely (2016).

Take the rows by increasing x. For i before j the product is (x_j - x_i)(y_j - y_i), with its sign changed where
y_i > y_j. So the sum over pairs is

    n sum(x y) - sum(x) sum(y)  -  2 sum_j sum_{i before j, y_i > y_j} (x_j - x_i)(y_j - y_i),

and the inner sum needs the count, and the sums of x, y and x y, of the rows so far whose y is larger: a binary indexed
tree over the ranks of y keeps them. Ties need no care: a pair that is tied in x or y adds nothing either way.
"""

from __future__ import annotations

import numpy as np

from kmerf.engine.compiling import kernel


@kernel
def cross_line(x, by_x, y, rank, order):
    """Return the sum over ordered pairs, with row i of x beside row `order[i]` of y.

    `by_x` lists the rows by increasing x; `rank` (from 1 on) orders the rows of y, with ties equal.
    """
    n = x.size
    tree = np.zeros((n + 1, 4))
    all_x = all_y = all_xy = 0.0
    swapped = 0.0
    for s in range(n):
        i = by_x[s]
        k = order[i]
        u, v = x[i], y[k]
        count, sum_x, sum_y, sum_xy = float(s), all_x, all_y, all_xy
        at = rank[k]
        while at > 0:  # take away the rows whose y is no larger
            count -= tree[at, 0]
            sum_x -= tree[at, 1]
            sum_y -= tree[at, 2]
            sum_xy -= tree[at, 3]
            at -= at & -at
        swapped += (count * u * v - u * sum_y) + (sum_xy - v * sum_x)
        at = rank[k]
        while at <= n:
            tree[at, 0] += 1.0
            tree[at, 1] += u
            tree[at, 2] += v
            tree[at, 3] += u * v
            at += at & -at
        all_x += u
        all_y += v
        all_xy += u * v
    return 2.0 * (n * all_xy - all_x * all_y - 2.0 * swapped)
