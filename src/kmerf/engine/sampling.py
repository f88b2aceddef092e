"""The rows of a tree: draw them, number and weigh them, and sort them by each column."""

from __future__ import annotations

from kmerf.engine.compiling import helper
from kmerf.engine.randomness import below
from kmerf.engine.sorting import sort_by_digits, sort_by_passing


@helper
def take_rows(columns, y, rules, work, count, labels):
    """Draw the tree's rows, number and weigh them, and sort them by each column; return how many there are."""
    n, q = y.shape[0], work.mean.size
    for k in range(q if q < y.shape[1] else 0):
        other = k + below(work.state, y.shape[1] - k)
        work.outputs[k], work.outputs[other] = work.outputs[other], work.outputs[k]
    if rules.n_draw == n and not rules.replace:
        count[:] = 1
    else:
        draw_rows(work.state, rules.n_draw, rules.replace, count)
    size = 0
    for i in range(n):
        work.number[i] = size if count[i] > 0 else -1
        work.rows[size] = i
        size += 1 if count[i] > 0 else 0
    for i in range(size):
        work.w[i] = count[work.rows[i]]
    _take_y(y, size, count, work, labels, work.label)
    for j in range(columns.order.shape[0]):
        if columns.levels[j + 1] > columns.levels[j]:
            continue  # `encode_levels` follows
        if j > 0 and work.root_w.size > 0 and columns.plain[j]:
            continue  # the first holds the rows of the root
        if work.digits.size == 0:
            sort_by_passing(columns.order[j], work.number, work.idx[0, j])
        else:
            sort_by_digits(columns.rank[j], size, work, work.idx[0, j])
        if not columns.plain[j]:
            for i in range(size):
                work.ranks[j, i] = columns.rank[j, work.rows[i]]
    return size


@helper
def draw_rows(state, n_draw, replace, counts):
    """Fill `counts` with how often each row is drawn."""
    n = counts.size
    counts[:] = 0
    if replace:
        for _ in range(n_draw):
            counts[below(state, n)] += 1
        return
    needed = n_draw  # selection sampling: each row is taken with probability needed / left to look at
    for i in range(n):
        if below(state, n - i) < needed:
            counts[i] = 1
            needed -= 1


@helper
def _take_y(y, size, count, work, labels, label):
    """Take over the y of the in-bag rows."""
    if labels is not None:
        for i in range(size):
            label[i] = labels[work.rows[i]]
        return
    q = work.mean.size
    for i in range(size):
        row = work.rows[i]
        work.stat[i, q] = count[row]
        for k in range(q):
            work.stat[i, k] = count[row] * y[row, work.outputs[k]]
