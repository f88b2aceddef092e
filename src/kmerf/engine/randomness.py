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

from kmerf.engine.compiled_parts import helper

_TIE = 1e-12  # gains closer than this, relatively, differ by rounding alone: the feature drawn first is taken
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
def _first_missing(rows, ranks, start, end, missing):
    k = end
    while k > start and ranks[rows[k - 1]] == missing:
        k -= 1
    return k


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
def _add_rows(rows, start, end, desk):
    """Add up rows of the left part; return their weight."""
    width = desk.z.size // desk.w.size
    w = 0.0
    for i in range(start, end):
        row = int(rows[i])
        w += desk.w[row]
        for k in range(desk.left.size):
            desk.left[k] += desk.z[row * width + k]
    return w


@helper
def _score(rows, start, cut, last, end, missing_left, desk, weight, label):
    """Return what a split is worth."""
    if label is not None:  # `kmerf.engine.column_scans` has the formula
        a, b, w = 0.0, 0.0, 0.0
        for i in range(start, end):
            if i <= cut or (missing_left and i >= last):
                k, own = label[rows[i]], float(desk.w[rows[i]])
                a += own * (2.0 * desk.left[k] + own)
                b += own * desk.mean[k]
                desk.left[k] += own
                w += own
        for i in range(start, end):
            desk.left[label[rows[i]]] = 0.0
        total = max(0.0, (a - w / weight * b) - w / weight * (b - w / weight * desk.z[0]))
        return total / w + total / (weight - w)
    desk.left[:] = 0.0
    w = _add_rows(rows, start, cut + 1, desk)
    if missing_left:
        w += _add_rows(rows, last, end, desk)
    total = 0.0
    for k in range(desk.left.size):
        total += desk.left[k] * desk.left[k]
    return total / w + total / (weight - w)


@helper
def random_split(start, end, idx, columns, desk, weight, rules, missing):
    """Return the best of the random splits of a node: score, feature (-1 if none), cut, missing rows, their side.

    Features are drawn until `n_try` have been looked at and one of them can be split; `missing` is the rank of a
    missing value.
    """
    p = desk.features.size
    best, worth, feature, cut, n_missing, missing_left = -1.0, -1.0, -1, start, 0, False
    t = 0
    while t < p and (t < rules.n_try or feature < 0):
        k = t + below(desk.state, p - t)
        desk.features[t], desk.features[k] = desk.features[k], desk.features[t]
        j = desk.features[t]
        t += 1
        rows = idx[j]
        ranks = desk.ranks[j, : 0 if columns.plain[j] else desk.ranks.shape[1]]
        last = end if columns.full[j] else _first_missing(rows, ranks, start, end, missing)
        goes_left = last < end and below(desk.state, 2) == 1
        at = _place(rows, ranks, start, last, end, goes_left, rules.min_leaf, desk.state)
        if at < 0 and last < end:
            goes_left = not goes_left
            at = _place(rows, ranks, start, last, end, goes_left, rules.min_leaf, desk.state)
        if at < 0:
            continue
        score = _score(rows, start, at, last, end, goes_left, desk, weight, desk.label)
        trusted = score * desk.trust[j] if desk.trust[j] > 0.0 else 0.0
        if feature < 0 or trusted > best + _TIE * best:
            best, worth, feature, cut, n_missing, missing_left = trusted, score, j, at, end - last, goes_left
    return worth, feature, cut, n_missing, missing_left
