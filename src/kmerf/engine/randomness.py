"""Chance in compiled loops: random numbers, and nodes that are split at random places.

The numbers are those of splitmix64 (Steele, Lea and Flood 2014), with one stream for each (seed, refit, tree).

A node is split at the best of one random cut for each feature tried (Geurts, Ernst and Wehenkel 2006). A cut is drawn
among the rows of the node in the order of the feature, each place as likely as another, so that trees do not depend on
how values are spaced. Inside a run of equal values it moves to the end of the run, or where the rows on one side would
then be too few, to its beginning. Rows with a missing value go to a random side. Where one feature is tried, neither it
nor its cut depends on y.
"""

from __future__ import annotations

import numpy as np
from numba import uint64

from kmerf.engine.column_scans import add_class, class_gain, missing_at_end
from kmerf.engine.compiling import helper
from kmerf.engine.workspace import TIE

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


@helper
def mix(z):
    """Return a number whose bits all depend on all bits of z."""
    z = (z ^ (z >> uint64(30))) * _MIX_1
    z = (z ^ (z >> uint64(27))) * _MIX_2
    return z ^ (z >> uint64(31))


@helper
def start_stream(seed, refit, tree, state):
    """Put the `state` (1,) at the start of the stream of a tree."""
    z = mix(uint64(seed) + _GOLDEN)
    z = mix(z ^ (uint64(refit) * _MIX_1 + _GOLDEN))
    state[0] = mix(z ^ (uint64(tree) * _MIX_2 + _GOLDEN))


@helper
def below(state, bound):
    """Return a whole number drawn evenly from 0 to bound - 1."""
    state[0] += _GOLDEN
    return int((mix(state[0]) >> uint64(11)) * (1.0 / 9007199254740992.0) * bound)


@helper
def _cut(rows, ranks, start, last, low, high, state):
    """Return a random place from `low` to `high` where values differ, or -1; rows from `last` on are missing."""
    if low > high:
        return -1
    at = low + below(state, high - low + 1)
    if ranks.size == 0 or at == last - 1 or ranks[rows[at]] != ranks[rows[at + 1]]:
        return at
    up = at + 1
    while up < last - 1 and ranks[rows[up]] == ranks[rows[up + 1]]:
        up += 1
    if up <= high:
        return up
    down = at - 1
    while down >= start and ranks[rows[down]] == ranks[rows[at]]:
        down -= 1
    return down if down >= low else -1


@helper
def _place(rows, ranks, start, last, end, missing_left, min_leaf, state):
    """Return the last row that goes left, not counting missing ones, or -1 where no cut leaves enough on both sides."""
    before = end - last if missing_left else 0
    low = max(start, start + min_leaf - 1 - before)
    high = min(last - 1 if last < end and not missing_left else last - 2, end - min_leaf - 1 - before)
    return _cut(rows, ranks, start, last, low, high, state)


@helper
def _add_rows(rows, start, end, work):
    """Add up rows of the left part; return their weight."""
    width = work.z.size // work.w.size
    w = 0.0
    for i in range(start, end):
        row = int(rows[i])
        w += work.w[row]
        for k in range(work.left.size):
            work.left[k] += work.z[row * width + k]
    return w


@helper
def _score(rows, start, cut, last, end, missing_left, work, weight, label):
    """Return the gain of a split."""
    if label is not None:
        a, b, w = 0.0, 0.0, 0.0
        for i in range(start, end):
            if i <= cut or (missing_left and i >= last):
                a, b, w = add_class(label[rows[i]], float(work.w[rows[i]]), work.mean, work.left, a, b, w)
        for i in range(start, end):
            work.left[label[rows[i]]] = 0.0
        return class_gain(a, b, work.z[0], w, weight)
    work.left[:] = 0.0
    w = _add_rows(rows, start, cut + 1, work)
    if missing_left:
        w += _add_rows(rows, last, end, work)
    total = 0.0
    for k in range(work.left.size):
        total += work.left[k] * work.left[k]
    return total / w + total / (weight - w)


@helper
def random_split(start, end, idx, columns, work, weight, rules):
    """Return the best of the random splits of a node: score, feature (-1 if none), cut, missing rows, their side.

    Features are drawn until `n_try` have been looked at and one of them can be split. Of equal gains, within rounding,
    that of the feature drawn first is taken.
    """
    p = work.features.size
    best, gain, feature, cut, n_missing, missing_left = -1.0, -1.0, -1, start, 0, False
    t = 0
    while t < p and (t < rules.n_try or feature < 0):
        k = t + below(work.state, p - t)
        work.features[t], work.features[k] = work.features[k], work.features[t]
        j = work.features[t]
        t += 1
        rows = idx[j]
        ranks = work.ranks[j, : 0 if columns.plain[j] else work.ranks.shape[1]]
        last = end if columns.full[j] else end - missing_at_end(rows, ranks, start, end)
        goes_left = last < end and below(work.state, 2) == 1
        at = _place(rows, ranks, start, last, end, goes_left, rules.min_leaf, work.state)
        if at < 0 and last < end:
            goes_left = not goes_left
            at = _place(rows, ranks, start, last, end, goes_left, rules.min_leaf, work.state)
        if at < 0:
            continue
        score = _score(rows, start, at, last, end, goes_left, work, weight, work.label)
        shrunk = score * work.shrinkage[j] if work.shrinkage[j] > 0.0 else 0.0
        if feature < 0 or shrunk > best + TIE * best:
            best, gain, feature, cut, n_missing, missing_left = shrunk, score, j, at, end - last, goes_left
    return gain, feature, cut, n_missing, missing_left
