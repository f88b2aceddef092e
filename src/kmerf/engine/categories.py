"""Codes of the levels of a category with many levels (target encoding), found in each tree separately.

A tree encodes a level by the mean y of its in-bag rows, and splits on the code: for one output, or two classes, the
best of all partitions of the levels of the root is among those splits (Fisher 1958). With several outputs the code is
the mean along the direction in which the levels differ most. A level without rows in bag has the mean of all rows.
Levels with few rows differ by chance, and sorted by that they would beat every number; so the gain of a category is
shrunk by the share of the squares between its levels that exceeds chance,

    1 - E(between) / E(within) * within / between,

where E is the expectation for rows with one mean, and by 0 if that is negative, or no level has two rows.
"""

from __future__ import annotations

import numpy as np

from kmerf.engine.column_scans import MISSING
from kmerf.engine.compiling import helper
from kmerf.engine.sorting import sort_stably
from kmerf.engine.workspace import TIE

_ITERATIONS = 20  # to find the direction in which levels differ


@helper
def encode_levels(columns, j, size, work, sums, away, direction, turned):
    """Find the codes of the levels of a category in this tree, and sort the in-bag rows by them.

    The last four are working space for each level and output: sums over the level (weight times each output, weight,
    its square), its distance from the mean, and two directions.
    """
    q = work.mean.size
    first = columns.levels[j]
    n_levels = columns.levels[j + 1] - first
    _add_levels(columns.x[:, j], size, work, sums[:n_levels], work.label)
    direction[:] = 1.0
    if q > 1:
        _find_direction(sums[:n_levels], away, direction, turned)
    usual, weight = 0.0, max(_sum_column(sums, n_levels, q), 1.0)
    for k in range(q):
        usual += direction[k] * _sum_column(sums, n_levels, k) / weight
    for level in range(n_levels):
        code = 0.0
        for k in range(q):
            code += direction[k] * sums[level, k]
        work.level_code[first + level] = code / sums[level, q] if sums[level, q] > 0.0 else usual
    along = work.total
    for i in range(size):
        value = columns.x[work.rows[i], j]
        along[i] = np.inf if np.isnan(value) else work.level_code[first + np.int64(value)]
    order = work.marks[sort_stably(along, size, work.marks)]
    rank = 0
    for i in range(size):
        row = order[i]
        rank += 1 if i > 0 and along[row] != along[order[i - 1]] else 0
        work.idx[0, j, i] = row
        work.ranks[j, row] = MISSING if along[row] == np.inf else rank
    work.shrinkage[j] = _excess_over_chance(columns.x[:, j], size, work, sums[:n_levels], work.label)


@helper
def coded_value(columns, level_code, row, j):
    """Return the value of a row in a column: its number, or the code of its level."""
    value = columns.x[row, j]
    first = columns.levels[j]
    if columns.levels[j + 1] > first and not np.isnan(value):
        return level_code[first + np.int64(value)]
    return value


@helper
def _sum_column(sums, n_levels, k):
    total = 0.0
    for level in range(n_levels):
        total += sums[level, k]
    return total


@helper
def _add_levels(values, size, work, sums, label):
    """Add up the in-bag rows of each level."""
    sums[:] = 0.0
    for i in range(size):
        value = values[work.rows[i]]
        if not np.isnan(value):
            _add_to_level(i, work, sums[np.int64(value)], label)


@helper
def _add_to_level(i, work, sums, label):
    q = work.mean.size
    if label is not None:
        sums[label[i]] += work.w[i]
        sums[q] += work.w[i]
        sums[q + 1] += float(work.w[i]) ** 2
        return
    for k in range(q + 1):
        sums[k] += work.stat[i, k]
    sums[q + 1] += work.stat[i, q] ** 2


@helper
def _excess_over_chance(values, size, work, sums, label):
    """Return the share of the squares between levels that exceeds chance."""
    q = work.mean.size
    within, between, groups, weight, weight_2 = 0.0, 0.0, 0.0, 0.0, 0.0
    for level in range(sums.shape[0]):
        weight += sums[level, q]
        weight_2 += sums[level, q + 1]
        groups += sums[level, q + 1] / sums[level, q] if sums[level, q] > 0.0 else 0.0
    for k in range(q):
        mean = _sum_column(sums, sums.shape[0], k) / max(weight, 1.0)
        for level in range(sums.shape[0]):
            own = sums[level, q]
            between += (sums[level, k] - own * mean) ** 2 / own if own > 0.0 else 0.0
        within = _add_within(within, k, values, size, work, sums, label)
    if label is not None:
        within += weight
    if not (between > 0.0 and weight - groups > TIE * weight):
        return 0.0
    by_chance = (groups - weight_2 / weight) / (weight - groups)
    return max(0.0, 1.0 - by_chance * within / between)


@helper
def _add_within(within, k, values, size, work, sums, label):
    """Add the squares of an output within levels; of a class, less its weight."""
    q = work.mean.size
    if label is not None:
        for level in range(sums.shape[0]):
            within -= sums[level, k] ** 2 / sums[level, q] if sums[level, q] > 0.0 else 0.0
        return within
    for i in range(size):
        value = values[work.rows[i]]
        if not np.isnan(value):
            own = work.stat[i, q]
            mean_of_level = sums[np.int64(value), k] / sums[np.int64(value), q]
            within += (work.stat[i, k] - own * mean_of_level) ** 2 / own
    return within


@helper
def _find_direction(sums, away, direction, turned):
    """Find the direction in which the means of levels differ most, by power iterations from the level most away.

    They need not converge: a direction that is nearly as good parts levels nearly as well.
    """
    n_levels, q = sums.shape[0], sums.shape[1] - 2
    weight = max(_sum_column(sums, n_levels, q), 1.0)
    for k in range(q):
        mean = _sum_column(sums, n_levels, k) / weight
        for i in range(n_levels):
            own = sums[i, q]
            away[i, k] = (sums[i, k] - own * mean) / np.sqrt(own) if own > 0.0 else 0.0
    farthest, most = -1, 0.0
    for i in range(n_levels):
        size = 0.0
        for k in range(q):
            size += away[i, k] * away[i, k]
        if size > most:
            farthest, most = i, size
    for k in range(q):
        direction[k] = away[farthest, k] / np.sqrt(most) if farthest >= 0 else 0.0
    for _ in range(_ITERATIONS if farthest >= 0 else 0):
        turned[:] = 0.0
        for i in range(n_levels):
            if sums[i, q] > 0.0:
                along = 0.0
                for k in range(q):
                    along += away[i, k] * direction[k]
                for k in range(q):
                    turned[k] += along * away[i, k]
        size = 0.0
        for k in range(q):
            size += turned[k] * turned[k]
        for k in range(q):
            direction[k] = turned[k] / np.sqrt(size)
