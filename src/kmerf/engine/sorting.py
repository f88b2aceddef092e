"""Orders: in-bag rows by each column, values by size, a node's rows by side, and the best features first.

Every column is sorted once for all trees. A tree picks its in-bag rows out of that order, or sorts them by rank if few
of many rows are drawn. A split partitions every column stably, so that no node ever sorts.
"""

from __future__ import annotations

import numpy as np
from numba import uint64

from kmerf.engine.compiling import helper


@helper
def sort_by_passing(order, number, idx):
    """Pick the in-bag rows out of all rows in the order of a column."""
    size = 0
    for i in range(order.size):
        own = number[order[i]]
        idx[size] = own
        size += 1 if own >= 0 else 0


@helper
def sort_kept(features, columns, work):
    """Sort the in-bag rows by the plain columns that are kept, unless all were sorted."""
    for t in range(features.size if work.root_w.size > 0 else 0):
        j = features[t]
        if columns.plain[j]:
            sort_by_passing(columns.order[j], work.number, work.idx[0, j])


@helper
def sort_by_digits(rank, size, work, idx):
    """Sort the in-bag rows by their ranks: eleven bits at a time, the lowest first."""
    n = rank.size
    here, there, counts = work.marks[0], work.marks[1], work.digits
    for i in range(size):
        here[i] = (np.int64(min(rank[work.rows[i]], n)) << 32) | i
    shift = 32
    while n >> (shift - 32) > 0:
        counts[:] = 0
        for i in range(size):
            counts[((here[i] >> shift) & 2047) + 1] += 1
        for i in range(1, 2048):
            counts[i] += counts[i - 1]
        for i in range(size):
            digit = (here[i] >> shift) & 2047
            there[counts[digit]] = here[i]
            counts[digit] += 1
        here, there = there, here
        shift += 11
    for i in range(size):
        idx[i] = here[i] & 0xFFFFFFFF


@helper
def sort_stably(values, size, marks):
    """Write the places of values in increasing order, equal ones as they come, into a line of `marks`; return which.

    Runs that are in order are merged two by two, from one line into the other.
    """
    for i in range(size):
        marks[0, i] = i
    at, length = 0, 1
    while length < size:
        for start in range(0, size, 2 * length):
            middle, end = min(start + length, size), min(start + 2 * length, size)
            a, b = start, middle
            for k in range(start, end):
                first = b >= end or (a < middle and values[marks[at, a]] <= values[marks[at, b]])
                marks[1 - at, k] = marks[at, a if first else b]
                a, b = (a + 1, b) if first else (a, b + 1)
        at, length = 1 - at, 2 * length
    return at


@helper
def partition(here, there, start, end, n_left, side):
    """Copy a node's rows, those with side 1 first, keeping their order."""
    low = uint64(start)
    high = uint64(start + n_left)
    for i in range(uint64(start), uint64(end)):
        row = here[i]
        goes_left = uint64(side[row])
        there[low if goes_left else high] = row
        low += goes_left
        high += uint64(1) - goes_left


@helper
def keep_best(top, features, n_keep, chosen):
    """Put the features with the largest scores first (Hoare 1961); the order among them does not matter.

    The feature that splits the root is always kept, because the rows of its children are in its order. It may be one of
    more than `n_keep` features with the same score: with few rows and many columns, many part the rows in the same way.
    """
    _select(top, features, n_keep)
    for t in range(n_keep, features.size):
        if features[t] == chosen:
            features[t], features[n_keep - 1] = features[n_keep - 1], features[t]


@helper
def _select(top, features, n_keep):
    """Put the `n_keep` largest scores, and their features, first."""
    low, high = 0, features.size - 1
    while low < high:
        middle = top[(low + high) // 2]
        i, k = low, high
        while i <= k:
            while top[i] > middle:
                i += 1
            while top[k] < middle:
                k -= 1
            if i <= k:
                top[i], top[k] = top[k], top[i]
                features[i], features[k] = features[k], features[i]
                i += 1
                k -= 1
        if n_keep - 1 <= k:
            high = k
        elif n_keep - 1 >= i:
            low = i
        else:
            return
