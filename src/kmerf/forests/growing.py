"""One forest: how it is grown, on what, and from which random numbers; its leaves, its trees, and what is made of them.

A pair of rows counts in a tree, for the proximity of one of three kinds: "all", always; "either", if at least one of
them is out of bag, that is, was not drawn; "oob", if both are. Gains are what the splits of each tree earned, added
up by the feature that they split on.

A tree parts the rows into leaves. All that the kernel and the statistic use is which leaf each row fell into in each
tree (`codes`) and how often the tree drew the row (`counts`; zero is out of bag).

A `Forest` is a value: nothing is grown until it is asked for something. Then trees are grown some at a time, from
random numbers keyed by (seed, refit, tree), so that they are bit for bit the same each time, whatever the number of
workers.
A `KeptForest` has the same methods where only leaves are known: those of a scikit-learn forest
(`kmerf.forests.sklearn_forest`), or those of some of the rows that a forest was grown on.

What the trees are grown to tell apart: numbers for each row, of which a split makes the means differ.

    mean       y itself. A tree sees how the mean of y moves with x, and nothing else.
    location   the ranks of y, whatever its scale and tails.
    spread     the first two Legendre polynomials of the ranks, scaled to [-1, 1]: a tree sees location and spread move.
    shape      the first four, which add skewness and the weight of the tails.
    joint      the same four, and functions of all columns of y at once: the products of the ranks of two columns, and
               waves along random directions of the ranks. If x and y depend on each other at all, the mean of some
               such wave moves with x, whatever the columns of y do one by one.
    synthetic  nothing of y: trees tell the rows of x from made-up ones (`kmerf.forests.growing`).

Each column of y has polynomials of its own. The waves are the same for every y of as many columns. For classes, one
column for each, the means are the whole distribution, and all targets are the same.

More than `MANY_CLASSES` classes have no columns: a label for each row takes their place. What is computed is the same,
but for rounding, in a time that does not grow with the number of classes.

Oblique splits: random combinations of columns stand beside the columns themselves, and trees split on both.

A combination is a sum of two to five columns with random signs, each divided by its standard deviation. They are drawn
once for a forest, and sorted once for all its trees and refits. What splits on a combination do is credited to its
columns in equal parts. Columns that hold codes of a category with many levels take no part, and a combination is
missing where one of its columns is.

Forests without y: what takes its place.

- A *blind* forest (`ForestSpec(splits="blind")`) splits random columns at random rows.
- A *synthetic second class* (Breiman 2003): made-up rows are added, each of whose values comes from another row, and
  the trees tell the rows from them. Only how columns go together does that, so that is what the kernel learns.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from kmerf.core.arrays import Floats, Ints, mid_ranks, read_only
from kmerf.core.errors import Argument, InputError, choose
from kmerf.core.streams import Purpose, stream
from kmerf.execution import parallel
from kmerf.execution.progress import announce

if TYPE_CHECKING:
    from kmerf.data.sample import Response
    from kmerf.engine.workspace import Columns, Rules, Trees
    from kmerf.forests.spec import ForestSpec


DEGREES = {"location": 1, "spread": 2, "shape": 4}
TARGETS = ("mean", *DEGREES, "joint", "synthetic")

MANY_CLASSES = 50  # up to which each has a column of its own
N_WAVES = 12
MOST_PRODUCTS = 12  # of pairs of columns; with more columns, of random ones
WAVELENGTHS = (1.0, 2.0, 4.0)  # waves along a direction, to one sd of the ranks, times 2 pi: short ones see fine detail


@dataclass(frozen=True, eq=False)
class Labels:
    """Many classes: that of each row."""

    codes: NDArray[np.int32]
    n_classes: int

    def __getitem__(self, order: Ints) -> Labels:
        """Return the rows in another order."""
        return Labels(self.codes[order], self.n_classes)

    def columns(self) -> Floats:
        """Return one column for each class."""
        return np.asarray(self.codes[:, None] == np.arange(self.n_classes), dtype=np.float64)


def labels_of(y: Response) -> Labels | None:
    """Return the labels of a y with many classes; None for any other.

    >>> from kmerf.reading.samples import read_independence
    >>> y = read_independence(range(60), [f"class {i % 55}" for i in range(60)], y_kind="categorical").y
    >>> labels_of(y).n_classes
    55
    """
    if y.codes is None or y.q <= MANY_CLASSES:
        return None
    return Labels(y.codes.astype(np.int32), y.q)


def coordinates(y: Response, target: str) -> Floats:
    """Return the target (n, coordinates) that a name stands for.

    >>> from kmerf.reading.samples import read_independence
    >>> y = read_independence([1, 2, 3, 4, 5], [1, 10, 100, 1000, 10000]).y
    >>> coordinates(y, "spread")[:, 1].round(2)
    array([ 1.2, -0.6, -1.2, -0.6,  1.2])
    """
    choose("target", target, TARGETS)
    if target in ("mean", "synthetic") or y.codes is not None:
        return y.values
    if target == "joint":
        return joint(y.values)
    return np.concatenate([rank_polynomials(column)[:, : DEGREES[target]] for column in y.values.T], axis=1)


def polynomial(values: Floats, degree: int) -> Floats:
    """Return the polynomial of one degree of the ranks of each column (n, p).

    >>> polynomial(np.array([[1.0], [2.0], [3.0], [50.0], [9.0]]), 2).ravel().round(2)  # the middle is low
    array([ 1.2, -0.6, -1.2,  1.2, -0.6])
    """
    polynomials = np.empty(values.shape)
    for k, column in enumerate(values.T):
        polynomials[:, k] = rank_polynomials(column)[:, degree - 1]
    return polynomials


def joint(y: Floats) -> Floats:
    """Return the joint target of y (n, q): columns with mean 0 and variance 1, those that do not vary left out.

    >>> joint(np.arange(10.0)[:, None]).shape
    (10, 16)
    >>> joint(np.arange(20.0).reshape(10, 2) % 7).shape  # two columns have a product
    (10, 21)
    """
    q = y.shape[1]
    rng = np.random.default_rng([int(Purpose.JOINT_TARGET), q])
    polynomials = [rank_polynomials(column) for column in y.T]
    z = np.column_stack([each[:, 0] for each in polynomials])
    pairs = np.array([(a, b) for a in range(q) for b in range(a)], dtype=np.int64).reshape(-1, 2)
    if len(pairs) > MOST_PRODUCTS:
        pairs = pairs[rng.choice(len(pairs), MOST_PRODUCTS, replace=False)]
    directions = rng.normal(size=(q, N_WAVES)) / np.sqrt(q) * rng.choice(WAVELENGTHS, size=N_WAVES)
    phases = rng.uniform(0.0, 2.0 * np.pi, N_WAVES)
    waves = np.cos(np.einsum("ij,jk->ik", z, directions) + phases)
    found = np.concatenate([*polynomials, z[:, pairs[:, 0]] * z[:, pairs[:, 1]], waves], axis=1)
    found -= found.mean(axis=0)
    spread = found.std(axis=0)
    varies = spread > 1e-9
    return np.ascontiguousarray(found[:, varies] / spread[varies]) if varies.any() else np.zeros((len(y), 1))


def rank_polynomials(values: Floats) -> Floats:
    """Return the four polynomials of the mean ranks of one column, each with mean 0 and variance 1, or all 0."""
    z = 2.0 * (mid_ranks(values) - 0.5) / values.size - 1.0
    raw = np.column_stack([z, 3 * z**2 - 1, 5 * z**3 - 3 * z, 35 * z**4 - 30 * z**2 + 3])
    raw -= raw.mean(axis=0)
    spread = raw.std(axis=0)
    scaled: Floats = np.divide(raw, spread, out=np.zeros_like(raw), where=spread > 1e-9)
    return scaled


NO_OUT_OF_BAG = "needs rows out of bag, and this forest draws all of them, or does not report which"
OUT_OF_BAG = "set bootstrap=True (or max_samples below n)"
PROXIMITIES = ("all", "either", "oob")


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
    credits: Floats | None = None
    """What they predicted of the rows out of bag, as a share of y's variance (m, p); None for a single column."""

    def part(self, trees: slice) -> Leaves:
        """Return some of the trees."""
        by_feature = (None if known is None else known[trees] for known in (self.gains, self.credits))
        counts = None if self.counts is None else self.counts[trees]
        return Leaves(self.codes[trees], counts, self.n_leaves[trees], *by_feature)

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return int(self.codes.shape[0])

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.codes.shape[1])


def drawn(leaves: Leaves, kind: str) -> tuple[NDArray[np.int32], int]:
    """Return how often each tree drew each row, and the engine's number for the kind; raise where nobody knows."""
    from kmerf.engine.leaf_sums import KINDS

    choose("proximity", kind, PROXIMITIES)
    if kind == "all":  # whatever was drawn, every pair counts
        return leaves.codes if leaves.counts is None else leaves.counts, KINDS[kind]
    if leaves.counts is None:
        raise InputError(
            NO_OUT_OF_BAG, argument=Argument("proximity", kind), remedy=f"{OUT_OF_BAG}, or use proximity='all'"
        )
    return leaves.counts, KINDS[kind]


def by_feature(gains: Floats, column_of: Ints, p: int) -> Floats:
    """Add up the gains (m, expanded columns) of the columns that a category was expanded to (m, p).

    >>> by_feature(np.array([[1.0, 1.0, 2.0], [0.0, 1.0, 3.0]]), np.array([0, 0, 1]), 2)
    array([[2., 2.],
           [1., 3.]])
    """
    if p == column_of.size:
        return gains
    by_column = np.zeros((gains.shape[0], p))
    for column, feature in enumerate(column_of):
        by_column[:, feature] += gains[:, column]
    return by_column


Value = TypeVar("Value")
Target = Floats | Labels

PART_SECONDS = 4e-3  # how long a worker should be busy with the trees that it is given at a time
LONG_SECONDS = 0.1  # for which a tree may keep the main thread from hearing Ctrl-C
GAIN_CELLS = 2**24  # of the gains of single trees that are kept: 128 MB
KEPT_CELLS = 2**20  # rows times trees of kept leaves that are looked at together
_CENTRED = 1e-12  # of the largest value: a mean of no more is 0 but for rounding


class Reduced(NamedTuple, Generic[Value]):
    """What is kept of a forest whose leaves are not."""

    values: list[Value]
    """What was made of the leaves, in the order of the trees."""
    gains: Floats
    """Those of the trees (m, p); where they would take more than 128 MB, of the first trees only."""
    credits: Floats | None
    """Those of the same trees, where there are any."""


def presort(x: Floats, levels: Ints | None = None) -> Columns:
    """Sort every column once, for all trees and refits; `levels` (p,) has of how many levels a column has the codes."""
    from kmerf.engine.column_scans import MISSING
    from kmerf.engine.compiling import foretell
    from kmerf.engine.grow import grow
    from kmerf.engine.workspace import Columns

    foretell(grow, announce)
    x = read_only(x)
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
    counts = np.zeros(p, np.int64) if levels is None else levels
    return Columns(x, order, rank, plain & (counts == 0), full, np.concatenate([[0], np.cumsum(counts)]))


def reorder(columns: Columns, order: NDArray[np.int64]) -> Columns:
    """Return the columns of `x[order]`, sorted, without sorting again."""
    place = np.empty(order.size, np.int32)
    place[order] = np.arange(order.size, dtype=np.int32)
    rank = np.ascontiguousarray(columns.rank[:, order])
    return columns._replace(x=read_only(columns.x[order]), order=place[columns.order], rank=rank)


def route(trees: Trees, x: Floats) -> NDArray[np.int32]:
    """Return the leaf (m, n) into which each row of `x` falls in each tree."""
    from kmerf.engine.descent import route as send

    codes = np.empty((trees.feature.shape[0], x.shape[0]), np.int32)
    send(read_only(x), trees, codes)
    return codes


@dataclass(frozen=True, eq=False)
class Forest:
    """A forest of our engine."""

    spec: ForestSpec
    columns: Columns
    target: Target
    """What the trees are grown on (n, q)."""
    classes: bool
    seed: int
    refit: int = 0
    kept: Leaves | None = None
    """Its leaves, where they were kept; else it is grown again when it is asked."""

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return int(self.spec.n_trees)

    def keep(self, leaves: Leaves) -> Forest:
        """Return the forest with its leaves, which are then not grown again."""
        return replace(self, kept=leaves)

    def leaves(self, n_jobs: int = 1, *, credited: bool = False) -> Leaves:
        """Return where the forest puts each row: m x n cells. Where they are wanted only for some sums, use `reduce`.

        With `credited`, they also have what each column predicts out of bag.
        """
        if self.kept is not None:
            return self.kept
        leaves = self._room(self.n_trees, credited)
        self._run(lambda part: self._fill(part, leaves.part(part)), n_jobs)
        return self._without_needless_counts(leaves)

    def reduce(self, function: Callable[[Leaves], Value], n_jobs: int = 1, *, credited: bool = False) -> Reduced[Value]:
        """Grow some trees at a time, and keep only what a function makes of their leaves.

        Which trees come together depends on the size of the data and on nothing else.
        """
        parts = self._parts()
        first = parts[0].stop
        n_kept = min(self.n_trees, max(first, GAIN_CELLS // self._p))
        gains = np.empty((n_kept, self._p))
        credits = np.empty((n_kept, self._p)) if credited and self._has_credits else None
        packages = parallel.Spares(lambda: self._room(first, credited))

        def grow_some(part: slice) -> Value:
            with packages.borrow() as room:
                leaves = room.part(slice(0, part.stop - part.start))
                if part.stop <= n_kept:
                    leaves = replace(leaves, gains=gains[part], credits=None if credits is None else credits[part])
                self._fill(part, leaves)
                return function(self._without_needless_counts(leaves))

        values = self._run(grow_some, n_jobs)
        known = slice(0, max(part.stop for part in parts if part.stop <= n_kept))
        return Reduced(values, gains[known], None if credits is None else credits[known])

    def each(self, function: Callable[[Leaves], Value], n_jobs: int = 1) -> list[Value]:
        """Return what a function makes of the leaves of some trees at a time, in the order of the trees."""
        return self.reduce(function, n_jobs).values if self.kept is None else _each(self.kept, function)

    def look(self, function: Callable[[slice, Leaves, Trees], Value], n_jobs: int = 1) -> list[Value]:
        """Return what a function makes of some trees at a time: their numbers, their leaves, and the trees themselves.

        It may take long, if it looks at `parallel.stop_flag()`: it never runs in the main thread.
        """

        def grow_some(part: slice) -> Value:
            m = part.stop - part.start
            leaves, trees = self._room(m), self._room_for_trees(m)
            self._fill(part, leaves, trees)
            return function(part, self._without_needless_counts(leaves), trees)

        return parallel.run(grow_some, self._parts(), n_jobs=n_jobs, apart=True)

    def trees(self, n_jobs: int = 1) -> Trees:
        """Return the trees themselves, to send other rows through with `route`."""
        trees = self._room_for_trees(self.n_trees)

        def grow_some(part: slice) -> None:
            some = type(trees)._make(each[part] for each in trees)
            self._fill(part, self._room(part.stop - part.start), some)

        self._run(grow_some, n_jobs)
        return trees

    @cached_property
    def rules(self) -> Rules:
        """How each tree is grown, as the engine takes it."""
        rules = self.spec.rules(self._n, self._p, self.classes)
        if isinstance(self.target, Labels) and self.spec.sees_y and rules.n_outputs >= self.target.n_classes:
            return rules._replace(n_outputs=self.target.n_classes)
        return rules

    @cached_property
    def outputs(self) -> Floats:
        """The target as the engine takes it: centred, one of two classes only; no columns where there are labels."""
        if self._labels is not None:
            return np.empty((self._n, 0))
        if not self.spec.sees_y:  # what a tree is not given, it cannot look at
            target = stream(self.seed, Purpose.BLIND_TARGET, self.refit).normal(size=(self._n, 1))
        else:
            # Each tree is given some columns of many classes, if it is not given all.
            target = self.target.columns() if isinstance(self.target, Labels) else self.target
            # Two one-hot columns say the same thing: one of them gives the same splits at half the work.
            target = target[:, :1] if self.classes and target.shape[1] == 2 else target
        middle = target.mean(axis=0)
        if (np.abs(middle) > _CENTRED * np.abs(target).max(axis=0)).any():  # or else there is no need for a copy
            target = target - middle
        return np.ascontiguousarray(target)

    @cached_property
    def _labels(self) -> Labels | None:
        """The classes, where trees are grown on all of many."""
        target = self.target
        if isinstance(target, Labels) and self.spec.sees_y and self.rules.n_outputs == target.n_classes:
            return target
        return None

    @cached_property
    def _variance(self) -> float:
        """The variance of the outputs, over all columns."""
        return float((self.outputs**2).mean(axis=0).sum())

    @property
    def _n(self) -> int:
        return int(self.columns.x.shape[0])

    @property
    def _p(self) -> int:
        return int(self.columns.x.shape[1])

    @property
    def _seconds(self) -> float:
        """About how long a tree takes."""
        n_draw = self.rules.n_draw
        outputs = min(self.outputs.shape[1], self.rules.n_outputs) if self._labels is None else 3
        looks = self._p + (math.log2(n_draw + 2) - 1) * self.rules.n_keep  # at columns, from the root down
        return 3e-9 * n_draw * looks * outputs + 5e-8 * self._n

    def _run(self, function: Callable[[slice], Value], n_jobs: int) -> list[Value]:
        """Return what the function makes of each part."""
        return parallel.run(function, self._parts(), n_jobs=n_jobs, apart=self._seconds > LONG_SECONDS)

    def _parts(self) -> list[slice]:
        """Cut the trees into parts that take a few milliseconds: Ctrl-C and other workers wait for one at most."""
        size = max(1, min(int(PART_SECONDS / self._seconds), self.n_trees))
        return [slice(start, min(self.n_trees, start + size)) for start in range(0, self.n_trees, size)]

    @property
    def _has_credits(self) -> bool:
        """Whether there are rows out of bag, and columns to tell apart."""
        return self._p > 1 and (self.rules.replace or self.rules.n_draw < self._n)

    def _room(self, m: int, credited: bool = False) -> Leaves:
        """Return leaves of m trees yet to be grown."""
        codes, counts = np.empty((m, self._n), np.int32), np.empty((m, self._n), np.int32)
        credits = np.empty((m, self._p)) if credited and self._has_credits else None
        return Leaves(codes, counts, np.empty(m, np.int32), np.empty((m, self._p)), credits)

    def _room_for_trees(self, m: int) -> Trees:
        """Return m trees yet to be grown; none of them if they need not be kept."""
        from kmerf.engine.workspace import Trees

        room = (m, 2 * self.rules.n_draw + 1 if m else 0)
        nodes = (np.empty(room, dtype) for dtype in (np.int32, np.float64, np.int32, np.uint8, np.int32))
        return Trees._make([*nodes, np.empty((m, int(self.columns.levels[-1])))])

    def _fill(self, part: slice, leaves: Leaves, trees: Trees | None = None) -> None:
        """Grow the trees of a part."""
        from kmerf.engine.credit import credit, credit_classes
        from kmerf.engine.grow import grow

        trees = self._room_for_trees(0 if leaves.credits is None else leaves.n_trees) if trees is None else trees
        parallel.checkpoint()
        numbers = np.empty(0, np.uint16 if self.rules.n_draw < 2**16 else np.uint32)
        key = np.uint64(self.seed), np.uint64(self.refit), np.uint64(part.start)
        where = leaves.codes, leaves.counts, leaves.n_leaves
        labels = () if self._labels is None else (self._labels.codes,)
        stop = parallel.stop_flag()
        grow(self.columns, self.outputs, self.rules, *key, *where, leaves.gains, trees, numbers, stop, *labels)
        parallel.checkpoint()
        if leaves.credits is None:
            return
        if self._labels is None:
            credit(self.outputs, trees, *where, self._variance, leaves.credits)
        else:
            credit_classes(self._labels.codes, self._labels.n_classes, trees, *where, leaves.credits)

    def _without_needless_counts(self, leaves: Leaves) -> Leaves:
        """Leave out the counts if all are one."""
        all_drawn = self.rules.n_draw == self._n and not self.rules.replace
        return replace(leaves, counts=None) if all_drawn else leaves


@dataclass(frozen=True, eq=False)
class KeptForest:
    """A forest of which the leaves are all there is: it has the methods of a `Forest`, and no trees to show."""

    columns: Columns
    seed: int
    kept: Leaves
    target: None = None

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return self.kept.n_trees

    def leaves(self, n_jobs: int = 1) -> Leaves:
        """Return where the forest puts each row."""
        return self.kept

    def each(self, function: Callable[[Leaves], Value], n_jobs: int = 1) -> list[Value]:
        """Return what a function makes of the leaves of some trees at a time, in the order of the trees."""
        return _each(self.kept, function)

    def look(self, function: Callable[[slice, Leaves, Trees], Value], n_jobs: int = 1) -> None:
        """Return None, as there are no trees to look at."""
        return

    def trees(self, n_jobs: int = 1) -> None:
        """Return None."""
        return


def _each(leaves: Leaves, function: Callable[[Leaves], Value]) -> list[Value]:
    size = max(1, KEPT_CELLS // leaves.n)
    return [function(leaves.part(slice(start, start + size))) for start in range(0, leaves.n_trees, size)]


MOST_PARTS = 5  # columns of a combination


@dataclass(frozen=True, eq=False)
class Combinations:
    """What each combination is the sum of."""

    signs: Floats
    """Of the columns in each, zero for most (combinations, columns)."""
    scale: Floats
    """What each column is divided by."""
    centre: Floats
    """What is then taken off."""

    def widen(self, x: Floats) -> Floats:
        """Return rows (n, p) with the combinations behind their columns."""
        away = x / self.scale - self.centre
        sums = np.zeros((len(x), len(self.signs)))
        for c, signs in enumerate(self.signs):
            for j in np.flatnonzero(signs):  # no BLAS: its sums change with the number of threads
                sums[:, c] += signs[j] * away[:, j]
        return read_only(np.concatenate([x, sums], axis=1))

    def widen_columns(self, columns: Columns) -> Columns:
        """Return sorted columns with the combinations, sorted, behind them."""
        p = columns.x.shape[1]
        x = self.widen(columns.x)
        more = presort(np.ascontiguousarray(x[:, p:]))
        return columns._replace(
            x=x,
            order=np.concatenate([columns.order, more.order]),
            rank=np.concatenate([columns.rank, more.rank]),
            plain=np.concatenate([columns.plain, more.plain]),
            full=np.concatenate([columns.full, more.full]),
            levels=np.concatenate([columns.levels, columns.levels[-1:].repeat(len(self.signs))]),
        )

    def share_out(self, by_column: Floats) -> Floats:
        """Add what combinations did (m, columns and combinations) to their columns, in equal parts (m, columns)."""
        p = self.signs.shape[1]
        shares = np.abs(self.signs) / np.abs(self.signs).sum(axis=1, keepdims=True)
        return np.asarray(by_column[:, :p] + np.einsum("mc,cp->mp", by_column[:, p:], shares))


def draw_combinations(columns: Columns, count: int, seed: int) -> Combinations | None:
    """Draw combinations of the columns; None where none are wanted, or there are no two columns to combine."""
    x = columns.x
    levels = np.diff(columns.levels)
    usable: Ints = np.flatnonzero((levels == 0) & ~np.isnan(x).all(axis=0))
    if count == 0 or usable.size < 2:
        return None
    rng = stream(seed, Purpose.COMBINATIONS)
    centre, scale = np.zeros(x.shape[1]), np.ones(x.shape[1])
    for j in usable:
        values = x[~np.isnan(x[:, j]), j]
        unit = float(np.abs(values).max()) or 1.0  # squares of huge or tiny numbers would overflow or vanish
        scale[j] = unit * (float((values / unit).std()) or 1.0)
        centre[j] = float((values / scale[j]).mean())
    signs = np.zeros((count, x.shape[1]))
    for c in range(count):
        size = int(rng.integers(2, min(MOST_PARTS, usable.size) + 1))
        chosen = rng.choice(usable, size, replace=False)
        signs[c, chosen] = rng.choice([-1.0, 1.0], size)
    return Combinations(read_only(signs), read_only(scale), read_only(centre))


def add_made_up_rows(x: Floats, seed: int) -> tuple[Floats, Floats]:
    """Return the rows with as many made-up ones below them, and which is which: one column for each class."""
    rng = stream(seed, Purpose.SECOND_CLASS)
    made_up = np.column_stack([column[rng.permutation(len(x))] for column in x.T])
    return np.vstack([x, made_up]), np.repeat(np.eye(2), len(x), axis=0)


def contrast(spec: ForestSpec, x: Floats, levels: Ints, combined: Combinations | None, seed: int) -> Forest:
    """Return a forest that tells the rows of x from made-up ones, which come after them."""
    rows, classes = add_made_up_rows(x, seed)
    columns = presort(rows, levels)
    return Forest(spec, columns if combined is None else combined.widen_columns(columns), classes, True, seed)
