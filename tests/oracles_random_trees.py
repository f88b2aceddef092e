"""A slow, obvious version of trees with random splits, from the same random numbers as the engine."""

from __future__ import annotations

import numpy as np

BITS = 2**64 - 1
GOLDEN, FIRST, SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def mix(z):
    z = ((z ^ (z >> 30)) * FIRST) & BITS
    z = ((z ^ (z >> 27)) * SECOND) & BITS
    return z ^ (z >> 31)


class Stream:
    """The random numbers of one tree."""

    def __init__(self, seed, refit, tree):
        z = mix((seed + GOLDEN) & BITS)
        z = mix(z ^ ((refit * FIRST + GOLDEN) & BITS))
        self.state = mix(z ^ ((tree * SECOND + GOLDEN) & BITS))

    def below(self, bound):
        self.state = (self.state + GOLDEN) & BITS
        return int((mix(self.state) >> 11) / 2.0**53 * bound)

    def permutation(self, n):
        order = list(range(n))
        for i in range(n - 1, 0, -1):
            k = self.below(i + 1)
            order[i], order[k] = order[k], order[i]
        return order


def allowed_cuts(values, n_missing, missing_left, min_leaf):
    """Places after which sorted values may be cut: they differ there, and enough rows are on both sides."""
    known = values.size - n_missing
    places = []
    for at in range(known):
        n_left = at + 1 + (n_missing if missing_left else 0)
        parts = at + 1 < known and values[at] != values[at + 1]
        parts = parts or (at + 1 == known and n_missing > 0 and not missing_left)
        if parts and min(n_left, values.size - n_left) >= min_leaf:
            places.append(at)
    return places


def random_cut(values, n_missing, missing_left, min_leaf, stream):
    """One of the allowed cuts: that at or after a random place, or else the last one before it; None if there is none.

    The place is drawn among those that leave enough rows on both sides, whether values differ there or not.
    """
    known = values.size - n_missing
    extra = n_missing if missing_left else 0
    most = known - 1 if n_missing and not missing_left else known - 2
    places = [at for at in range(most + 1) if min(at + 1 + extra, values.size - at - 1 - extra) >= min_leaf]
    if not places:
        return None
    drawn = places[stream.below(len(places))]
    cuts = allowed_cuts(values, n_missing, missing_left, min_leaf)
    if not cuts:
        return None
    return min((at for at in cuts if at >= drawn), default=max(cuts))


class RandomTree:
    """One tree: the in-bag rows of each leaf, in the order in which the engine numbers leaves."""

    def __init__(self, x, y, spec, n_try, seed, refit, tree):
        self.x, self.y, self.spec, self.n_try = x, y, spec, n_try
        self.stream = Stream(seed, refit, tree)
        n, p = x.shape
        self.weight = np.zeros(n, int)
        for _ in range(n):
            self.weight[self.stream.below(n)] += 1
        self.features = list(range(p))
        self.leaves = []
        todo = [np.flatnonzero(self.weight)]
        while todo:
            rows = todo.pop()
            left = self.split(rows)
            if left is None:
                self.leaves.append(rows)
            else:
                todo += [rows[left], rows[~left]]

    def split(self, rows):
        """Return which of the rows go left; None at a leaf."""
        small = rows.size < max(2, 2 * self.spec.min_samples_leaf)
        if small or (self.y[rows] == self.y[rows[0]]).all():
            return None
        return self.part_two(rows) if rows.size == 2 else self.best_random(rows)

    def draw_feature(self, t):
        k = t + self.stream.below(len(self.features) - t)
        self.features[t], self.features[k] = self.features[k], self.features[t]
        return self.features[t]

    def part_two(self, rows):
        for t in range(len(self.features)):
            a, b = self.x[rows, self.draw_feature(t)]
            if a == b or (np.isnan(a) and np.isnan(b)):
                continue
            a_is_left = np.isnan(b) or a < b
            return np.array([a_is_left, not a_is_left])
        return None

    def best_random(self, rows):
        best, found = -1.0, None
        t = 0
        while t < len(self.features) and (t < self.n_try or found is None):
            left = self.random_part(rows, self.draw_feature(t))
            t += 1
            if left is not None and (found is None or self.gain(rows, left) > best * (1 + 1e-12)):
                best, found = self.gain(rows, left), left
        return found

    def random_part(self, rows, j):
        order = np.argsort(self.x[rows, j], kind="stable")
        values = self.x[rows[order], j]
        n_missing = int(np.isnan(values).sum())
        missing_left = n_missing > 0 and self.stream.below(2) == 1
        for side in (missing_left, not missing_left)[: 2 if n_missing else 1]:
            at = random_cut(values, n_missing, side, self.spec.min_samples_leaf, self.stream)
            if at is not None:
                goes_left = np.arange(rows.size) <= at
                goes_left |= np.isnan(values) & side
                left = np.empty(rows.size, bool)
                left[order] = goes_left
                return left
        return None

    def gain(self, rows, left):
        w, y = self.weight[rows], self.y[rows]
        centred = y - np.average(y, axis=0, weights=w)
        return sum(((w[side] @ centred[side]) ** 2).sum() / w[side].sum() for side in (left, ~left))


def random_cells(x, sizes, seed, tree):
    """The rows of each cell of a tree of `kmerf.engine.cells`, by size: lists of rows, in the order of the tree."""
    stream = Stream(seed, 0, tree)
    cells: dict[int, list[np.ndarray]] = {size: [] for size in sizes}

    def part(rows, left):
        while left and len(rows) < 2 * left[0]:
            cells[left[0]].append(rows)
            left = left[1:]
        if not left:
            return
        for _ in range(8):
            values = x[rows, stream.below(x.shape[1])]
            cut = values[stream.below(len(rows))]
            lower = values <= cut if (values > cut).any() else values < cut
            if 0 < lower.sum() < len(rows):
                part(rows[lower], left)
                part(rows[~lower], left)
                return
        for size in left:
            cells[size].append(rows)

    part(np.arange(len(x)), list(sizes))
    return cells


def boxes(place, turns, shifts, depth):
    """The rows of each box after so many halvings, by where the box lies along each column."""
    found: dict[tuple[int, ...], list[int]] = {}
    for i in range(len(place)):
        address = []
        for k, (j, shift) in enumerate(zip(turns, shifts, strict=True)):
            halvings = sum(each % len(turns) == k for each in range(depth))
            address.append(int((place[i, j] + shift) * 2**halvings))
        found.setdefault(tuple(address), []).append(i)
    return sorted(found.values())
