"""Sums of products of columns, in plain loops: their bits do not depend on how many threads a BLAS was given."""

from __future__ import annotations

import numpy as np

from kmerf.engine.compiling import helper, kernel


@kernel
def products(x, y, order, out):
    """Fill `out` (q, p) with the products of the columns of y and x, row i of x beside row `order[i]` of y."""
    out[:] = 0.0
    for b in range(y.shape[1]):
        line = out[b]
        for i in range(x.shape[0]):
            factor = y[order[i], b]
            for a in range(x.shape[1]):
                line[a] += factor * x[i, a]


@kernel
def class_sums(x, codes, order, out):
    """Fill `out` (classes, p) with the sums of the rows of x, row i of which is of class `codes[order[i]]`."""
    out[:] = 0.0
    for i in range(x.shape[0]):
        for a in range(x.shape[1]):
            out[codes[order[i]], a] += x[i, a]


@kernel
def orthonormal(columns, tolerance):
    """Make the lines of `columns` (p, n) orthonormal in place, largest remainder first; return how many are left.

    Those shorter than `tolerance` times their first length are combinations of others, and are given up.
    """
    p = columns.shape[0]
    lengths = np.empty(p)
    for a in range(p):
        length = np.sqrt(_dot(columns[a], columns[a]))
        _divide(columns[a], length if length > 0.0 else 1.0)
        lengths[a] = 1.0 if length > 0.0 else 0.0
    for rank in range(p):
        best = rank
        for a in range(rank + 1, p):
            best = a if lengths[a] > lengths[best] else best
        if lengths[best] <= tolerance:
            return rank
        lengths[best] = lengths[rank]
        line, other = columns[rank], columns[best]
        for i in range(line.size):
            line[i], other[i] = other[i], line[i]
        for _ in range(2):  # again, against what rounding left
            for a in range(rank):
                _take_off(line, columns[a])
            _divide(line, np.sqrt(_dot(line, line)))
        for a in range(rank + 1, p):
            _take_off(columns[a], line)
            lengths[a] = np.sqrt(_dot(columns[a], columns[a]))
    return p


@helper
def _dot(a, b):
    total = 0.0
    for i in range(a.size):
        total += a[i] * b[i]
    return total


@helper
def _divide(line, by):
    for i in range(line.size):
        line[i] /= by


@helper
def _take_off(line, other):
    """Take off what a line has of another one of length 1."""
    share = _dot(other, line)
    for i in range(line.size):
        line[i] -= share * other[i]


@kernel
def cholesky(matrix, tolerance):
    """Replace a symmetric matrix (p, p) that is not negative by its lower triangular root, zeros above.

    Where less than `tolerance` of an entry of the diagonal is left, its column depends on those before: it becomes 0.
    """
    p = matrix.shape[0]
    for a in range(p):
        whole = matrix[a, a]
        for b in range(a):
            whole_b = matrix[a, b]
            for k in range(b):
                whole_b -= matrix[a, k] * matrix[b, k]
            matrix[a, b] = whole_b / matrix[b, b] if matrix[b, b] > 0.0 else 0.0
        rest = whole
        for k in range(a):
            rest -= matrix[a, k] * matrix[a, k]
        matrix[a, a] = np.sqrt(rest) if rest > tolerance * whole else 0.0
        matrix[a, a + 1 :] = 0.0


@kernel
def solve_rows(lower, rows):
    """Replace each of the rows (n, p) by the solution of `lower` z = row; zeros on the diagonal give zeros."""
    for i in range(rows.shape[0]):
        line = rows[i]
        for a in range(lower.shape[0]):
            total = line[a]
            for k in range(a):
                total -= lower[a, k] * line[k]
            line[a] = total / lower[a, a] if lower[a, a] > 0.0 else 0.0
