"""How to grow a forest: the settings, and what they come to for given data."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kmerf.core.errors import Argument, InputError, choose, whole

if TYPE_CHECKING:
    from kmerf.engine.workspace import Rules

MOST_ROWS = 1000  # that are all drawn for every tree by default: more add cost and no power (docs/performance.md)
MANY_ROWS, MANY_LEAVES, LARGE_LEAF = 200, 50, 20  # of growing leaves; docs/performance.md
SPLITS = ("best", "random", "blind")

_UNLIMITED = 2**31 - 1


@dataclass(frozen=True)
class ForestSpec:
    """How to grow a forest. The defaults are the paper's.

    Parameters
    ----------
    n_trees
        Number of trees.
    max_features
        Features tried at each split: "all", "sqrt", a number, a share of them, or "auto": all for a numeric y and
        the square root of their number for classes.
    min_samples_leaf
        Minimum number of distinct in-bag rows in a leaf. For a tree that draws fewer than twice as many rows, and so
        could not be split, it is a quarter of the rows that the tree draws.
    max_depth
        Maximum number of splits between the root and a leaf; None for no limit.
    bootstrap
        Whether each tree draws its rows with replacement. If False, it draws `max_samples` distinct rows.
    max_samples
        Number of rows that each tree draws: a number, a share of the rows, or None for n up to 1000 rows, and 1000 (n /
        1000)^0.25 beyond: 1800 of 10,000 rows, 5600 of a million. "half" is half of the rows, but at most the number
        for None. Rows that a tree did not draw are out of bag.
    max_outputs
        Number of columns of y, or of the functions of y, on which each tree is grown, drawn at random; None for all.
    max_columns
        Number of columns to try below the root of each tree: those that split the root best. None for all of them. It
        applies only if all features are tried at each split. It saves most of the time with thousands of columns, but
        misses columns that matter only in combination with others. A categorical column counts once per category.
    grow_leaves
        Whether leaves grow with the number of rows: with 200 rows or more in a tree, a leaf holds at least one in 50 of
        them, up to 20 rows. This has more power for weak relations, and takes less time.
    splits
        Where a feature is cut. "best": where y differs most. "random": at a random row, with the best of the features
        tried (extremely randomised trees). "blind": a random feature at a random row, without using y (completely
        random trees). A blind forest is grown only once, however often y is permuted.
    combinations
        Number of random sums and differences of a few columns on which trees also split (oblique trees). None by
        default.

    >>> ForestSpec(n_trees=100, min_samples_leaf=5).n_trees
    100

    """

    n_trees: int = 500
    max_features: str | int | float = "auto"
    min_samples_leaf: int = 1
    max_depth: int | None = None
    bootstrap: bool = True
    max_samples: str | int | float | None = None
    max_outputs: int | None = None
    max_columns: int | None = None
    grow_leaves: bool = False
    splits: str = "best"
    combinations: int = 0

    def __post_init__(self) -> None:
        whole("n_trees", self.n_trees)
        whole("min_samples_leaf", self.min_samples_leaf)
        for argument in ("bootstrap", "grow_leaves"):
            if not isinstance(getattr(self, argument), bool | np.bool_):
                raise InputError("must be True or False", argument=Argument(argument, getattr(self, argument)))
        if self.max_depth is not None:
            whole("max_depth", self.max_depth)
        if self.max_outputs is not None:
            whole("max_outputs", self.max_outputs)
        if self.max_columns is not None:
            whole("max_columns", self.max_columns)
        choose("splits", self.splits, SPLITS)
        whole("combinations", self.combinations, at_least=0)
        if isinstance(self.max_features, str):
            choose("max_features", self.max_features, ["auto", "all", "sqrt"])
        else:
            _share("max_features", self.max_features, 1)
        if isinstance(self.max_samples, str):
            choose("max_samples", self.max_samples, ["half"])
        elif self.max_samples is not None:
            _share("max_samples", self.max_samples, 2)

    native: ClassVar[bool] = True

    @property
    def sees_y(self) -> bool:
        """Whether trees use y."""
        return self.splits != "blind"

    def rules(self, n: int, p: int, classes: bool) -> Rules:
        """Return the engine's rules for a tree on n rows and p columns."""
        from kmerf.engine.workspace import Rules

        n_draw = self._drawn(n)
        if n_draw > n:
            finding, argument = f"is more than the number of rows ({n})", Argument("max_samples", self.max_samples)
            raise InputError(finding, argument=argument)
        depth = _UNLIMITED if self.max_depth is None else int(self.max_depth)
        outputs = _UNLIMITED if self.max_outputs is None else int(self.max_outputs)
        tried = self._tried(p, classes)
        random = self.splits != "best"
        kept = p  # unless the root scores all of them, from which the best can be told
        if self.max_columns is not None and tried == p and not random:
            kept = min(p, int(self.max_columns))
        return Rules(n_draw, bool(self.bootstrap), tried, self._leaf(n_draw), depth, outputs, random, kept)

    def _leaf(self, n_draw: int) -> int:
        grown = min(LARGE_LEAF, n_draw // MANY_LEAVES) if self.grow_leaves and n_draw >= MANY_ROWS else 1
        leaf = max(int(self.min_samples_leaf), grown)
        return leaf if n_draw >= 2 * leaf else max(1, n_draw // 4)

    def _drawn(self, n: int) -> int:
        if self.max_samples is None:
            return rows_per_tree(n) if self.bootstrap else n
        if self.max_samples == "half":
            return min(max(1, round(0.5 * n)), rows_per_tree(n))
        return _share("max_samples", self.max_samples, n)

    def _tried(self, p: int, classes: bool) -> int:
        if not self.sees_y:
            return 1
        named = {"auto": math.isqrt(p) if classes else p, "all": p, "sqrt": math.isqrt(p)}
        if isinstance(self.max_features, str):
            return max(1, named[self.max_features])
        return min(p, _share("max_features", self.max_features, p))


def rows_per_tree(n: int) -> int:
    """Return how many of n rows a tree draws by default: all up to 1000, then 1000 (n / 1000)^0.25.

    >>> [rows_per_tree(n) for n in (100, 2000, 10_000, 1_000_000)]
    [100, 1189, 1778, 5623]
    """
    return n if n <= MOST_ROWS else round(MOST_ROWS * (n / MOST_ROWS) ** 0.25)


def _share(argument: str, value: object, n: int) -> int:
    """Read a number of things (int) or a share of n of them (float in (0, 1])."""
    if isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral):
        if not 0.0 < float(value) <= 1.0:
            finding = "must be a whole number of at least 1, or a share in (0, 1]"
            raise InputError(finding, argument=Argument(argument, value))
        return max(1, round(float(value) * n))
    return whole(argument, value)
