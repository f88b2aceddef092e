"""What the stages of growing a tree share: sorted columns, rules, the workspace of a thread, splits and trees.

The stages are `sampling` (rows of a tree), `sorting`, `categories` (codes of levels), `splitting` (with `column_scans`
and `randomness`), `grow` (the loop) and `descent` (rows out of bag, and new rows). Helpers of all stages take the same
parameters:

    columns, rules, work   `Columns`, `Rules` and `Workspace`, below
    idx, rows              in-bag rows, sorted by every column (p, s) or by one (s,), by their number in the tree
    start, end             the node's rows are rows[start:end], in the order of the column
    ranks                  (s,) rank of each in-bag row in the column; empty if the column is plain
    n_missing              how many rows of the node, its last ones, are missing in the column
    n_kept                 how many of `work.features`, the first ones, are still tried
    weight                 of the node: how often its rows were drawn
    label                  (s,) the class of each in-bag row, or None if y has columns; numba compiles both apart
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LEAF = -1
TIE = 1e-12  # gains closer than this, relatively, differ by rounding alone


class Columns(NamedTuple):
    """The features, sorted once for all trees and refits."""

    x: NDArray[np.float64]  # (n, p)
    order: NDArray[np.int32]  # (p, n) rows in increasing order of each column
    rank: NDArray[np.int32]  # (p, n) each row's rank in each column, equal values sharing one; or MISSING
    plain: NDArray[np.bool_]  # (p,) no ties and nothing missing
    full: NDArray[np.bool_]  # (p,) nothing missing
    levels: NDArray[np.int64]  # (p + 1,) where the levels of each column begin among all levels; numbers have none


class Rules(NamedTuple):
    """How each tree is grown."""

    n_draw: int
    replace: bool
    n_try: int
    min_leaf: int
    max_depth: int
    n_outputs: int
    random: bool  # whether each feature tried is cut at a random place, and not at the best
    n_keep: int  # features that are tried below the root, those that split it best


class Trees(NamedTuple):
    """The trees themselves, one row each; all arrays are empty when they are not kept."""

    feature: NDArray[np.int32]  # LEAF at a leaf
    threshold: NDArray[np.float64]  # rows with a value at or below it go left
    left: NDArray[np.int32]  # the left child, with the right one next to it; at a leaf, its number
    missing_left: NDArray[np.uint8]
    levels: NDArray[np.int32]  # where the levels of its category begin in `level_code`; -1 if it splits a number
    level_code: NDArray[np.float64]  # the code of each level of each category


class Workspace(NamedTuple):
    """Working space of one thread, used again for every tree; in-bag rows go by their number in the tree."""

    state: NDArray[np.uint64]  # of the random numbers
    rows: NDArray[np.int32]  # (s,) the row that each in-bag row is
    idx: NDArray[np.uint16] | NDArray[np.uint32]  # (2, p, s) in-bag rows, sorted by each column within each node
    stat: NDArray[np.float64]  # (s, q + 1) weight times each output, weight; empty where y comes as labels
    ranks: NDArray[np.int32]  # (p, s) ranks in each column; empty where all columns are plain
    side: NDArray[np.uint8]  # (s,) 1 for rows that go left
    features: NDArray[np.int64]  # (p,) in the order in which they are tried; below the root, those that are kept first
    outputs: NDArray[np.int64]  # all outputs, those of the tree first
    top: NDArray[np.float64]  # (p,) their best scores
    mean: NDArray[np.float64]  # (q,) of the node; of labels, the weight of each class
    left: NDArray[np.float64]  # (q,) sums of the left part
    z: NDArray[np.float64]  # (s * width,) weight times each output's distance from the node's mean; width is even or 1
    # of labels, (1,): the sum of squared weights of classes
    w: NDArray[np.uint32]  # (s,) weight
    root_z: NDArray[np.float64]  # (4 * n,), or (n,) for one output, and
    root_w: NDArray[np.uint32]  # (n,) the same of all rows, 0 for those out of bag; empty where all columns are sorted
    inverse: NDArray[np.float64]  # (n_draw + 1,) of each weight
    inverses: NDArray[np.float64]  # (n_draw + 1,) of each weight and what it leaves of the root, added
    total: NDArray[np.float64]  # (s,) sum of squares over outputs for each cut
    number: NDArray[np.int32]  # (n,) an in-bag row's number, or -1
    marks: NDArray[np.int64]  # (2, s) and
    digits: NDArray[np.int64]  # (2049,) for sorting; empty where so many rows are drawn that passing over all is faster
    stack: NDArray[np.int64]  # node, start, end, depth, half and column that hold its rows, whether it is a leaf
    level_code: NDArray[np.float64]  # of each level of each category
    shrinkage: NDArray[np.float64]  # (p,) by which the gains of each column count
    label: NDArray[np.int32] | None  # (s,) the class of each in-bag row, where y comes as labels


class Split(NamedTuple):
    """A way to part a node: the rows up to `cut` in the order of `feature` go left."""

    score: float
    feature: int
    cut: int
    n_missing: int
    missing_left: bool
