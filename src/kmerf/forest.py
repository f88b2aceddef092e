"""Forests: how they are specified, and what the rest of the library needs of one, its leaves.

A tree parts the rows into leaves. All that the kernel and the statistic use is which leaf each row fell into in each
tree (`codes`) and how often the tree drew the row (`counts`; zero is out of bag). `ForestSpec` grows them with the
native engine; any scikit-learn forest can do it instead (`kmerf.plugin`).
"""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kmerf import parallel
from kmerf.errors import InputError, choose, whole

if TYPE_CHECKING:
    from kmerf.engine.grow import Columns, Rules, Trees

Floats = NDArray[np.float64]

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
        Fewest different in-bag rows in a leaf.
    max_depth
        Most splits between the root and a leaf; None for no limit.
    bootstrap
        Whether each tree draws its rows with replacement. Without, it draws `max_samples` different rows.
    max_samples
        Rows that each tree draws: a number, a share of them, or None for as many as there are.

    >>> ForestSpec(n_trees=100, min_samples_leaf=5)
    ForestSpec(n_trees=100, max_features='auto', min_samples_leaf=5, max_depth=None, bootstrap=True, max_samples=None)

    """

    n_trees: int = 500
    max_features: str | int | float = "auto"
    min_samples_leaf: int = 1
    max_depth: int | None = None
    bootstrap: bool = True
    max_samples: int | float | None = None

    def __post_init__(self) -> None:
        whole("n_trees", self.n_trees)
        whole("min_samples_leaf", self.min_samples_leaf)
        if not isinstance(self.bootstrap, bool | np.bool_):
            raise InputError(f"bootstrap={self.bootstrap!r} must be True or False.")
        if self.max_depth is not None:
            whole("max_depth", self.max_depth)
        if isinstance(self.max_features, str):
            choose("max_features", self.max_features, ["auto", "all", "sqrt"])
        else:
            _share("max_features", self.max_features, 1)
        if self.max_samples is not None:
            _share("max_samples", self.max_samples, 2)

    def rules(self, n: int, p: int, classes: bool) -> Rules:
        """Return the engine's rules for n rows and p columns."""
        from kmerf.engine.grow import Rules

        n_draw = n if self.max_samples is None else _share("max_samples", self.max_samples, n)
        if n_draw > n:
            raise InputError(f"max_samples={self.max_samples!r} asks for more rows than there are ({n}).")
        depth = _UNLIMITED if self.max_depth is None else int(self.max_depth)
        return Rules(n_draw, bool(self.bootstrap), self._tried(p, classes), int(self.min_samples_leaf), depth)

    def _tried(self, p: int, classes: bool) -> int:
        named = {"auto": math.isqrt(p) if classes else p, "all": p, "sqrt": math.isqrt(p)}
        if isinstance(self.max_features, str):
            return max(1, named[self.max_features])
        return min(p, _share("max_features", self.max_features, p))


@dataclass(frozen=True, eq=False)
class Leaves:
    """Where a forest puts each row."""

    codes: NDArray[np.int32]
    """The leaf of each row in each tree (m, n), from 0."""
    counts: NDArray[np.int32] | None
    """How often each tree drew each row (m, n); None where every tree draws every row, or the forest does not tell."""
    n_leaves: NDArray[np.int32]
    """Number of leaves of each tree."""
    gains: Floats | None = None
    """What the splits on each column gained in each tree (m, p); None where the forest does not tell."""

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return int(self.codes.shape[0])

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.codes.shape[1])


def presort(x: Floats) -> Columns:
    """Sort every column once, for all trees and refits."""
    from kmerf.engine.grow import MISSING, Columns

    x = _sealed(x)
    n, p = x.shape
    order = np.empty((p, n), np.int32)
    rank = np.empty((p, n), np.int32)
    plain = np.empty(p, np.bool_)
    full = np.empty(p, np.bool_)
    for j in range(p):
        by_value = np.argsort(x[:, j], kind="stable")  # missing values come last
        values = x[by_value, j]
        ranks = np.concatenate([[0], np.cumsum(values[1:] != values[:-1])])
        missing = np.isnan(values)
        order[j] = by_value
        rank[j, by_value] = np.where(missing, MISSING, ranks)
        full[j] = not missing.any()
        plain[j] = full[j] and ranks[-1] == n - 1
    return Columns(x, order, rank, plain, full)


def reorder(columns: Columns, order: NDArray[np.int64]) -> Columns:
    """Return the columns of `x[order]`, sorted, without sorting again."""
    place = np.empty(order.size, np.int32)
    place[order] = np.arange(order.size, dtype=np.int32)
    rank = np.ascontiguousarray(columns.rank[:, order])
    return columns._replace(x=_sealed(columns.x[order]), order=place[columns.order], rank=rank)


def grow(
    spec: ForestSpec,
    columns: Columns,
    y: Floats,
    *,
    classes: bool,
    seed: int,
    refit: int = 0,
    n_jobs: int = 1,
) -> Leaves:
    """Grow a forest of `y` (n, q) on presorted columns; the same seed and refit give the same forest, bit for bit."""
    return _grow(spec, columns, y, classes=classes, seed=seed, refit=refit, n_jobs=n_jobs, keep=False)[0]


def grow_trees(spec: ForestSpec, columns: Columns, y: Floats, *, classes: bool, seed: int, n_jobs: int = 1) -> Trees:
    """Grow the same forest as `grow` and return its trees, to send other rows through with `route`."""
    return _grow(spec, columns, y, classes=classes, seed=seed, refit=0, n_jobs=n_jobs, keep=True)[1]


def route(trees: Trees, x: Floats) -> NDArray[np.int32]:
    """Return the leaf (m, n) into which each row of `x` falls in each tree."""
    from kmerf.engine.grow import route as send

    codes = np.empty((trees.feature.shape[0], x.shape[0]), np.int32)
    send(_sealed(x), trees, codes)
    return codes


def _grow(
    spec: ForestSpec, columns: Columns, y: Floats, *, classes: bool, seed: int, refit: int, n_jobs: int, keep: bool
) -> tuple[Leaves, Trees]:
    from kmerf.engine.grow import Trees
    from kmerf.engine.grow import grow as compiled

    n, p = columns.x.shape
    m = int(spec.n_trees)
    rules = spec.rules(n, p, classes)
    # Two one-hot columns say the same thing: one of them gives the same splits at half the work.
    target = y[:, :1] if classes and y.shape[1] == 2 else y
    target = np.ascontiguousarray(target - target.mean(axis=0))
    codes = np.empty((m, n), np.int32)
    counts = np.empty((m, n), np.int32)
    n_leaves = np.empty(m, np.int32)
    gains = np.empty((m, p))
    room = (m, 2 * min(n, rules.n_draw) + 1) if keep else (0, 0)
    trees = Trees(np.empty(room, np.int32), np.empty(room), np.empty(room, np.int32), np.empty(room, np.uint8))

    narrow = np.empty(0, np.uint16 if rules.n_draw < 2**16 else np.uint32)

    def grow_some(part: slice) -> None:
        parallel.checkpoint()
        kept = Trees._make(array[part] for array in trees) if keep else trees
        out = codes[part], counts[part], n_leaves[part], gains[part]
        compiled(columns, target, rules, np.uint64(seed), np.uint64(refit), np.uint64(part.start), *out, kept, narrow)

    parallel.run(grow_some, _parts(m, rules.n_draw, p * target.shape[1], n_jobs), n_jobs=n_jobs)
    all_drawn = rules.n_draw == n and not rules.replace
    return Leaves(codes, None if all_drawn else counts, n_leaves, gains), trees


def _sealed(x: Floats) -> Floats:
    """Return a read-only view: to numba that is a type of its own, and kernels should be compiled for one only."""
    view = np.ascontiguousarray(x, dtype=np.float64).view()
    view.flags.writeable = False
    return view


def _parts(m: int, n: int, p: int, n_jobs: int) -> list[slice]:
    """Cut the trees into parts: enough for the workers, and each short enough to leave Ctrl-C unanswered for 0.1 s."""
    seconds = 5e-9 * n * p * math.log2(n + 2)
    size = max(1, min(int(0.1 / seconds), math.ceil(m / (4 * n_jobs)) if n_jobs > 1 else m))
    return [slice(start, min(m, start + size)) for start in range(0, m, size)]


def _share(argument: str, value: object, n: int) -> int:
    """Read a number of things (int) or a share of n of them (float in (0, 1])."""
    if isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral):
        if not 0.0 < float(value) <= 1.0:
            raise InputError(f"{argument}={value!r} must be a whole number of at least 1, or a share in (0, 1].")
        return max(1, round(float(value) * n))
    return whole(argument, value)
