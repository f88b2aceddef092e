"""The statistic of one column against y: sums over the bins of the column, directions of them, and a soft maximum."""

from __future__ import annotations

import numpy as np

from kmerf.engine.compiling import helper, kernel


@kernel
def scan_numbers(bins, smooth, directions, expected, y, group, orders, profiles, constants, weights, slope, out):
    """Fill `out` (B,) with the statistics of `kmerf.methods.column_scan` for functions y (n, q) in many orders (B, n).

    Row i of the column is beside row `orders[b, i]` of y.
    """
    n, q = y.shape
    sums, lines = np.zeros((directions.shape[1], q)), np.zeros((smooth.shape[1], q))
    squares, terms = np.zeros(weights.shape), np.empty(constants.size)
    for o in range(orders.shape[0]):
        order = orders[o]
        sums[:] = 0.0
        lines[:] = 0.0
        squares[:] = 0.0
        for i in range(n):
            row, mine = y[order[i]], sums[bins[i]]
            for b in range(q):
                mine[b] += row[b]
            for s in range(smooth.shape[1]):
                for b in range(q):
                    lines[s, b] += smooth[i, s] * row[b]
        out[o] = _statistic(
            sums, lines, directions, expected, group, profiles, constants, weights, slope, n, squares, terms
        )


@kernel
def scan_classes(
    bins, smooth, directions, expected, codes, scale, group, orders, profiles, constants, weights, slope, out
):
    """Fill `out` for classes, of which each has the column `scale` in its rows and 0 elsewhere."""
    n, q = codes.size, scale.size
    sums, lines = np.zeros((directions.shape[1], q)), np.zeros((smooth.shape[1], q))
    squares, terms = np.zeros(weights.shape), np.empty(constants.size)
    for o in range(orders.shape[0]):
        order = orders[o]
        sums[:] = 0.0
        lines[:] = 0.0
        squares[:] = 0.0
        for i in range(n):
            code = codes[order[i]]
            sums[bins[i], code] += 1.0
            for s in range(smooth.shape[1]):
                lines[s, code] += smooth[i, s]
        for b in range(q):
            for k in range(sums.shape[0]):
                sums[k, b] *= scale[b]
            for s in range(lines.shape[0]):
                lines[s, b] *= scale[b]
        out[o] = _statistic(
            sums, lines, directions, expected, group, profiles, constants, weights, slope, n, squares, terms
        )


@helper
def _statistic(sums, lines, directions, expected, group, profiles, constants, weights, slope, n, squares, terms):
    q, lasting = sums.shape[1], lines.shape[0]
    for b in range(q):
        g = group[b]
        for s in range(lasting):
            squares[s, g] += lines[s, b] * lines[s, b]
        for d in range(directions.shape[0]):
            total = -expected[d, b]
            for k in range(directions.shape[1]):
                total += directions[d, k] * sums[k, b]
            squares[lasting + d, g] += total * total
    most = -np.inf
    for p in range(profiles.shape[0]):
        term = constants[p]
        for d in range(squares.shape[0]):
            for g in range(squares.shape[1]):
                term += (n - 1) * profiles[p, d, g] * squares[d, g]
        terms[p] = term
        most = max(most, term)
    for d in range(squares.shape[0]):
        for g in range(squares.shape[1]):
            if weights[d, g] > -np.inf:
                squares[d, g] = weights[d, g] + slope * (n - 1) * squares[d, g]
                most = max(most, squares[d, g])
    total = 0.0
    for p in range(profiles.shape[0]):
        total += np.exp(terms[p] - most)
    for d in range(squares.shape[0]):
        for g in range(squares.shape[1]):
            if weights[d, g] > -np.inf:
                total += np.exp(squares[d, g] - most)
    return most + np.log(total)
