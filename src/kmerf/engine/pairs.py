"""Unbiased correlations of two kernels from their pairs of rows, stored as triangles or made again as they are needed.

A kernel is one of three functions of two rows (those of `columns`, (p, n), one column of the data a line):

    DISTANCE  |u - v|          GAUSSIAN  1 - exp(-scale |u - v|^2)          PRODUCT  u . v

With row sums k_i and total k of the matrix without its diagonal, the U-centred entries are, for i != j,

    A_ij = K_ij - (k_i + k_j) / (n - 2) + k / ((n - 1)(n - 2)),

and all that the correlation needs is sums of A_ij B_ij over pairs. A triangle holds the entries with i > j, row by row:
A_ij is at i (i - 1) / 2 + j. Where n^2 numbers are too many, the kernels with `start` and `stop` make the rows again,
a block of them per call.

The sum of |x_i - x_j| |y_i - y_j| over all pairs of numbers takes O(n log n) (Huo and Szekely 2016). Take the rows by
increasing x. For i before j the product is (x_j - x_i)(y_j - y_i), with its sign changed where y_i > y_j. So the sum is

    n sum(x y) - sum(x) sum(y)  -  2 sum_j sum_{i before j, y_i > y_j} (x_j - x_i)(y_j - y_i),

and the inner sum needs the count, and the sums of x, y and x y, of the rows so far whose y is larger: a binary indexed
tree over the ranks of y keeps them. Ties need no care: a pair that is tied in x or y adds nothing either way.

`tables` is the sum of Pearson's statistics over the two-by-two tables of Heller, Heller and Gorfine, in O(n^2 log n).
Each ordered pair (i, j) parts the other n - 2 rows k by whether d_x(i, k) <= d_x(i, j), and by the same in y. With a
and b rows within reach of j in x and in y, and c in both, Pearson's statistic of that table is

    (n - 2) (a b - (n - 2) c)^2 / (a b (n - 2 - a)(n - 2 - b)),

and nothing where the denominator is zero. For each i the rows come by increasing d_x, and a binary indexed tree over
the ranks of d_y tells c. Rows that are tied in d_x enter the tree together.
"""

from __future__ import annotations

import numpy as np

from kmerf.engine.compiling import kernel

DISTANCE, GAUSSIAN, PRODUCT = 0, 1, 2
LABELS = -1.0  # the scale of distances between one-hot labels, which come as one column of numbers


@kernel
def _fill(columns, i, kind, scale, out):
    """Fill `out` with the kernel of row i and each of the first len(out) rows."""
    m = out.size
    if kind == DISTANCE and scale == LABELS:
        for j in range(m):
            out[j] = 0.0 if columns[0, i] == columns[0, j] else np.sqrt(2.0)
        return
    out[:] = 0.0
    for k in range(columns.shape[0]):
        here = columns[k, i]
        line = columns[k]
        if kind == PRODUCT:
            for j in range(m):
                out[j] += here * line[j]
        else:
            for j in range(m):
                out[j] += (here - line[j]) * (here - line[j])
    if kind == DISTANCE:
        for j in range(m):
            out[j] = np.sqrt(out[j])
    elif kind == GAUSSIAN:
        for j in range(m):
            power = -scale * out[j]
            if power < -0.1:
                out[j] = 1.0 - np.exp(power)
            else:  # slower, but rows that are close on the kernel's scale keep their differences
                out[j] = -np.expm1(power)


@kernel
def triangle(columns, kind, scale, out):
    """Fill `out` (n (n - 1) / 2,) with the kernel of each pair."""
    start = 0
    for i in range(columns.shape[1]):
        _fill(columns, i, kind, scale, out[start : start + i])
        start += i


@kernel
def square(columns, kind, scale, start, stop, out):
    """Fill `out` (stop - start, n) with the kernel of the rows from `start` to `stop` and every row."""
    for i in range(start, stop):
        _fill(columns, i, kind, scale, out[i - start])


@kernel
def centre(entries, n):
    """U-centre a triangle in place; return its sum of squares before and after."""
    rows = np.zeros(n)
    before = 0.0
    at = 0
    for i in range(n):
        part = 0.0
        for j in range(i):
            part += entries[at]
            rows[j] += entries[at]
            before += entries[at] * entries[at]
            at += 1
        rows[i] += part
    mean = rows.sum() / ((n - 1.0) * (n - 2.0))
    rows /= n - 2.0
    after = 0.0
    at = 0
    for i in range(n):
        for j in range(i):
            entries[at] = (entries[at] - rows[i]) + (mean - rows[j])
            after += entries[at] * entries[at]
            at += 1
    return before, after


@kernel
def dot(a, b, order):
    """Return the sum over pairs i > j of A_ij B_kl, with k and l the rows `order[i]` and `order[j]`.

    Rows come by increasing k: what is read of one column of B is then still near when the next is read.
    """
    n = order.size
    row = np.empty(n, np.int64)
    for i in range(n):
        row[order[i]] = i
    total = 0.0
    for k in range(n):
        i = row[k]
        line = a[(i * (i - 1)) >> 1 :]
        base = (k * (k - 1)) >> 1
        part = 0.0
        for j in range(i):
            l = order[j]  # noqa: E741 - the formula's letter
            part += line[j] * (b[base + l] if l < k else b[((l * (l - 1)) >> 1) + k])
        total += part
    return total


# --- without triangles -------------------------------------------------------------------------------------------


@kernel
def add_row_sums(columns, kind, scale, start, stop, rows):
    """Add to `rows` (n,) the pairs of the rows from `start` to `stop` with those before them; return their squares."""
    buffer = np.empty(stop)
    squares = 0.0
    for i in range(start, stop):
        line = buffer[:i]
        _fill(columns, i, kind, scale, line)
        part = 0.0
        for j in range(i):
            part += line[j]
            rows[j] += line[j]
            squares += line[j] * line[j]
        rows[i] += part
    return squares


@kernel
def centred_dot(columns, kind, scale, rows, others, other_scale, other_rows, start, stop):
    """Return the sum of A_ij B_ij over j < i, with i from `start` to `stop`; row sums as `add_row_sums` gives them."""
    n = rows.size
    mean = rows.sum() / ((n - 1.0) * (n - 2.0))
    other_mean = other_rows.sum() / ((n - 1.0) * (n - 2.0))
    buffer, other_buffer = np.empty(stop), np.empty(stop)
    total = 0.0
    for i in range(start, stop):
        line, other = buffer[:i], other_buffer[:i]
        _fill(columns, i, kind, scale, line)
        _fill(others, i, kind, other_scale, other)
        a, b = rows[i] / (n - 2.0), other_rows[i] / (n - 2.0)
        part = 0.0
        for j in range(i):
            left = (line[j] - a) + (mean - rows[j] / (n - 2.0))
            right = (other[j] - b) + (other_mean - other_rows[j] / (n - 2.0))
            part += left * right
        total += part
    return total


# --- order statistics of the distances ---------------------------------------------------------------------------

DIGIT = 16  # bits


@kernel
def bring_forward(values, low, high):
    """Bring the values in [low, high] to the front, in place; return how many are below them, and how many they are."""
    below = count = 0
    for i in range(values.size):
        value = values[i]
        if value < low:
            below += 1
        elif value <= high:
            values[i] = values[count]
            values[count] = value
            count += 1
    return below, count


@kernel
def count_digits(columns, prefix, shift, start, stop, counts):
    """Count distances by the DIGIT bits above `shift`, among those whose higher bits are `prefix`.

    The bits of floats that are not negative, read as whole numbers, stand in the order of the floats: so the k-th
    smallest distance can be found digit by digit, in a few passes, however many there are.
    """
    buffer = np.empty(stop)
    bits = buffer.view(np.int64)
    for i in range(start, stop):
        _fill(columns, i, DISTANCE, 0.0, buffer[:i])
        for j in range(i):
            head = bits[j] >> shift
            if (head >> DIGIT) == prefix:
                counts[head & ((1 << DIGIT) - 1)] += 1


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


@kernel
def local_covariances(a, scale_a, b, scale_b, order, out):
    """Fill `out` (k, l) with the sums of a_ij b_ij over the pairs up to each scale of a, and each of b.

    `scale_a` (n, n) is the scale from which on a pair counts in a, from 0; rows and columns of b come in `order`.
    """
    n = a.shape[0]
    out[:] = 0.0
    for i in range(n):
        row = order[i]
        for j in range(n):
            column = order[j]
            out[scale_a[i, j], scale_b[row, column]] += a[i, j] * b[row, column]
    for k in range(out.shape[0]):
        run = 0.0
        for m in range(out.shape[1]):
            run += out[k, m]
            out[k, m] = run + (out[k - 1, m] if k > 0 else 0.0)


@kernel
def local_sums(a, scale, out):
    """Fill `out` (k,) with the sums of a_ij over the pairs up to each scale."""
    out[:] = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            out[scale[i, j]] += a[i, j]
    for k in range(1, out.size):
        out[k] += out[k - 1]


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
