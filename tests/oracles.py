"""Slow, obvious versions of what the engine does, straight from the definitions. Numpy only, nothing compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Splits(NamedTuple):
    """Every way to part a node: the gain, the feature and the rows that go left, one entry a candidate."""

    gain: np.ndarray
    feature: np.ndarray
    left: np.ndarray  # (number of candidates, number of rows)


class Step(NamedTuple):
    """What a tree does at a node: which of the rows go left, and the two children."""

    feature: int
    goes_left: np.ndarray
    children: tuple[int, int]


# --- growing ------------------------------------------------------------------------------------------------------


def squared_error(y, weight):
    """Weighted squared distance of the rows of y from their mean, over all outputs."""
    return float(weight @ ((y - np.average(y, axis=0, weights=weight)) ** 2).sum(axis=1))


def gain(y, weight, left):
    """Decrease in squared error when the rows are parted into `left` and the others."""
    return squared_error(y, weight) - sum(squared_error(y[side], weight[side]) for side in (left, ~left))


def all_splits(x, y, weight, min_leaf):
    """Try every value of every feature as a threshold, with the missing values on either side."""
    found = []
    for j in range(x.shape[1]):
        missing = np.isnan(x[:, j])
        for value in np.unique(x[~missing, j]):
            below = x[:, j] <= value
            for left in [below, below | missing] if missing.any() else [below]:
                if min(left.sum(), (~left).sum()) >= min_leaf:
                    found.append((j, left))
    if not found:
        return Splits(np.empty(0), np.empty(0, int), np.empty((0, len(x)), bool))
    feature, left = np.array([j for j, _ in found]), np.array([part for _, part in found])
    centred = y - np.average(y, axis=0, weights=weight)
    gains = np.zeros(len(found))
    for side in (left, ~left):  # between-group sum of squares: weight times the squared distance of the part's mean
        gains += (((side * weight) @ centred) ** 2).sum(axis=1) / (side @ weight)
    return Splits(gains, feature, left)


def same_partition(left, other):
    """Tell whether two ways to part rows are the same, whichever part is called left."""
    return np.array_equal(left, other) or np.array_equal(left, ~other)


def native_step(trees, w, node, x):
    """What tree w of the native engine does with rows x at a node; None at a leaf."""
    j = trees.feature[w, node]
    if j < 0:
        return None
    value = x[:, j]
    if trees.levels[w, node] >= 0:
        worth = trees.level_code[w, trees.levels[w, node] :]
        value = np.array([code if np.isnan(code) else worth[int(code)] for code in value])
    left = np.where(np.isnan(value), trees.missing_left[w, node] == 1, value <= trees.threshold[w, node])
    child = int(trees.left[w, node])
    return Step(int(j), left, (child, child + 1))


def sklearn_step(tree, node, x):
    """What a scikit-learn `tree_` does with complete rows x at a node; None at a leaf."""
    if tree.children_left[node] < 0:
        return None
    j = tree.feature[node]
    left = x[:, j] <= tree.threshold[node]
    return Step(int(j), left, (int(tree.children_left[node]), int(tree.children_right[node])))


def send(trees, w, row):
    """Leaf of tree w into which one row falls."""
    node = 0
    while (step := native_step(trees, w, node, row[None, :])) is not None:
        node = step.children[0] if step.goes_left[0] else step.children[1]
    return int(trees.left[w, node])


def error_left(y, weight, codes):
    """Squared error within the leaves, over in-bag rows."""
    inside = [(codes == leaf) & (weight > 0) for leaf in np.unique(codes[weight > 0])]
    return sum(squared_error(y[rows], weight[rows]) for rows in inside)


# --- categories with many levels ------------------------------------------------------------------------------------


def level_means(codes, y, weight, n_levels):
    """Weighted mean of y (n, q) in each level, and that of all rows with a level where it has none."""
    known = ~np.isnan(codes) & (weight > 0)
    usual = np.average(y[known], axis=0, weights=weight[known])
    means = [(known & (codes == level)) for level in range(n_levels)]
    return np.array([np.average(y[rows], axis=0, weights=weight[rows]) if rows.any() else usual for rows in means])


def more_than_chance(codes, y, weight):
    """Share of the squares between levels above chance: squares as quadratic forms, chance as their traces."""
    known = ~np.isnan(codes) & (weight > 0)
    codes, y, weight = codes[known], y[known], weight[known].astype(float)
    same = codes[:, None] == codes
    of_level = same * np.outer(weight, weight) / (same @ weight)
    of_all = np.outer(weight, weight) / weight.sum()
    between, within = of_level - of_all, np.diag(weight) - of_level
    squares = [np.trace(y.T @ matrix @ y) for matrix in (between, within)]
    if squares[0] <= 0 or np.trace(within) <= 1e-9:
        return 0.0
    return max(0.0, 1.0 - np.trace(between) / np.trace(within) * squares[1] / squares[0])


# --- pairs that share a leaf --------------------------------------------------------------------------------------


def pair_counts(codes, counts, kind):
    """Hollow (n, n) matrix: the number of trees in which each pair shares a leaf and counts."""
    n = codes.shape[1]
    matrix = np.zeros((n, n), np.int64)
    for code, count in zip(codes, counts, strict=True):
        for i in range(n):
            for j in range(n):
                free = int(count[i] == 0) + int(count[j] == 0)
                if i != j and code[i] == code[j] and free >= {"all": 0, "either": 1, "oob": 2}[kind]:
                    matrix[i, j] += 1
    return matrix


def distances(points):
    """Euclidean distances (n, n) between the rows of `points`."""
    return np.array([[np.sqrt(((a - b) ** 2).sum()) for b in points] for a in points])
