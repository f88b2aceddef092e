"""Forests: how they are specified, and what the rest of the library needs of one, its leaves.

A tree parts the rows into leaves. All that the kernel and the statistic use is which leaf each row fell into in each
tree (`codes`) and how often the tree drew the row (`counts`; zero is out of bag). `ForestSpec` grows them with the
native engine; any scikit-learn forest can do it instead (`kmerf.forests.sklearn_forest`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from kmerf.core.arrays import Floats, Ints, read_only
from kmerf.core.streams import Purpose, stream
from kmerf.execution import parallel
from kmerf.execution.progress import announce
from kmerf.forests.leaves import Leaves
from kmerf.forests.targets import Labels

if TYPE_CHECKING:
    from kmerf.engine.workspace import Columns, Rules, Trees
    from kmerf.forests.spec import ForestSpec


Value = TypeVar("Value")
Target = Floats | Labels

PART_SECONDS = 4e-3  # how long a worker should be busy with the trees that it is given at a time
LONG_SECONDS = 0.1  # for which a tree may keep the main thread from hearing Ctrl-C
_CENTRED = 1e-12  # of the largest value: a mean of no more is 0 but for rounding
GAIN_CELLS = 2**24  # of the gains of single trees that are kept: 128 MB


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
    from kmerf.engine.grow import grow as compiled
    from kmerf.engine.workspace import Columns

    foretell(compiled, announce)
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


def grow(
    spec: ForestSpec,
    columns: Columns,
    y: Target,
    *,
    classes: bool,
    seed: int,
    refit: int = 0,
    n_jobs: int = 1,
    credited: bool = False,
) -> Leaves:
    """Grow a forest of `y` (n, q) on presorted columns; the same seed and refit give the same forest, bit for bit.

    The leaves take m x n cells: where they are wanted only for some sums, use `reduce`.
    """
    job = replace(_Growing.of(spec, columns, y, classes, seed, refit), credited=credited)
    leaves = job.room(slice(0, job.m))
    job.run(lambda part: job.fill(part, leaves.part(part)), n_jobs)
    return job.known(leaves)


def grow_trees(spec: ForestSpec, columns: Columns, y: Target, *, classes: bool, seed: int, n_jobs: int = 1) -> Trees:
    """Grow the same forest as `grow` and return its trees, to send other rows through with `route`."""
    job = _Growing.of(spec, columns, y, classes, seed, 0)
    trees = job.trees(job.m)

    def grow_some(part: slice) -> None:
        job.fill(part, job.room(part), _some_trees(trees, part))

    job.run(grow_some, n_jobs)
    return trees


def look(
    spec: ForestSpec,
    columns: Columns,
    y: Target,
    function: Callable[[slice, Leaves, Trees], Value],
    *,
    classes: bool,
    seed: int,
    n_jobs: int = 1,
) -> list[Value]:
    """Grow the same forest as `grow`, some trees at a time, and return what `function` makes of each part.

    It is given the numbers of the trees, their leaves and the trees themselves. It may take long, if it looks at
    `parallel.stop_flag()`: it never runs in the main thread.
    """
    job = _Growing.of(spec, columns, y, classes, seed, 0)

    def grow_some(part: slice) -> Value:
        leaves, trees = job.room(part), job.trees(part.stop - part.start)
        job.fill(part, leaves, trees)
        return function(part, job.known(leaves), trees)

    return parallel.run(grow_some, job.parts(), n_jobs=n_jobs, apart=True)


def reduce(
    spec: ForestSpec,
    columns: Columns,
    y: Target,
    function: Callable[[Leaves], Value],
    *,
    classes: bool,
    seed: int,
    refit: int = 0,
    n_jobs: int = 1,
    credited: bool = False,
) -> Reduced[Value]:
    """Grow the same forest as `grow`, some trees at a time, and keep only what `function` makes of their leaves.

    Which trees come together depends on the data's size and on nothing else. With `credited`, the result also has
    what each feature predicts out of bag.
    """
    job = replace(_Growing.of(spec, columns, y, classes, seed, refit), credited=credited)
    parts = job.parts()
    first = next(iter(parts))
    n_kept = min(job.m, max(first.stop, GAIN_CELLS // job.p))
    gains = np.empty((n_kept, job.p))
    credits = np.empty((n_kept, job.p)) if job.gives_credit else None
    rooms = parallel.Spares(lambda: job.room(first))

    def grow_some(part: slice) -> Value:
        with rooms.borrow() as room:
            leaves = room.part(slice(0, part.stop - part.start))
            if part.stop <= n_kept:
                leaves = replace(leaves, gains=gains[part], credits=None if credits is None else credits[part])
            job.fill(part, leaves)
            return function(job.known(leaves))

    values = job.run(grow_some, n_jobs)
    known = slice(0, max(part.stop for part in parts if part.stop <= n_kept))
    return Reduced(values, gains[known], None if credits is None else credits[known])


def route(trees: Trees, x: Floats) -> NDArray[np.int32]:
    """Return the leaf (m, n) into which each row of `x` falls in each tree."""
    from kmerf.engine.descent import route as send

    codes = np.empty((trees.feature.shape[0], x.shape[0]), np.int32)
    send(read_only(x), trees, codes)
    return codes


@dataclass(frozen=True, eq=False)
class Recipe:
    """A forest that can be grown again, bit for bit the same: how, on what, and from which random numbers."""

    spec: ForestSpec
    columns: Columns
    target: Target
    """What the trees are grown on (n, q)."""
    classes: bool
    seed: int

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return int(self.spec.n_trees)

    def leaves(self, n_jobs: int = 1) -> Leaves:
        """Return where the forest puts each row."""
        return grow(self.spec, self.columns, self.target, classes=self.classes, seed=self.seed, n_jobs=n_jobs)

    def each(self, function: Callable[[Leaves], Value], n_jobs: int = 1) -> list[Value]:
        """Return what a function makes of the leaves of some trees at a time, in the order of the trees."""
        reduced = reduce(
            self.spec, self.columns, self.target, function, classes=self.classes, seed=self.seed, n_jobs=n_jobs
        )
        return reduced.values

    def look(self, function: Callable[[slice, Leaves, Trees], Value], n_jobs: int = 1) -> list[Value]:
        """Return what a function makes of some trees at a time: their numbers, their leaves, and the trees."""
        return look(self.spec, self.columns, self.target, function, classes=self.classes, seed=self.seed, n_jobs=n_jobs)

    def trees(self, n_jobs: int = 1) -> Trees:
        """Return the trees themselves, to send other rows through."""
        return grow_trees(self.spec, self.columns, self.target, classes=self.classes, seed=self.seed, n_jobs=n_jobs)


def _some_trees(trees: Trees, part: slice) -> Trees:
    return type(trees)._make(each[part] for each in trees)


@dataclass(frozen=True, eq=False)
class _Growing:
    """A forest to be grown, in parts."""

    columns: Columns
    target: Floats
    rules: Rules
    m: int
    seed: int
    refit: int
    labels: Labels | None = None
    """What the trees are grown on if these are many classes; the target then has no columns."""
    credited: bool = False

    @classmethod
    def of(cls, spec: ForestSpec, columns: Columns, y: Target, classes: bool, seed: int, refit: int) -> _Growing:
        n, p = columns.x.shape
        rules = spec.rules(n, p, classes)
        if isinstance(y, Labels):
            if spec.sees_y and rules.n_outputs >= y.n_classes:
                rules = rules._replace(n_outputs=y.n_classes)
                return cls(columns, np.empty((n, 0)), rules, int(spec.n_trees), seed, refit, y)
            y = y.columns()  # of which each tree is given some, or none
        # Two one-hot columns say the same thing: one of them gives the same splits at half the work.
        target = y[:, :1] if classes and y.shape[1] == 2 else y
        if not spec.sees_y:  # what a tree is not given, it cannot look at
            target = stream(seed, Purpose.BLIND_TARGET, refit).normal(size=(n, 1))
        middle = target.mean(axis=0)
        if (np.abs(middle) > _CENTRED * np.abs(target).max(axis=0)).any():  # or else there is no need for a copy
            target = target - middle
        target = np.ascontiguousarray(target)
        return cls(columns, target, rules, int(spec.n_trees), seed, refit)

    @property
    def n(self) -> int:
        return int(self.columns.x.shape[0])

    @property
    def p(self) -> int:
        return int(self.columns.x.shape[1])

    @property
    def seconds(self) -> float:
        """About how long a tree takes."""
        drawn, outputs = self.rules.n_draw, min(int(self.target.shape[1]), self.rules.n_outputs)
        outputs = outputs if self.labels is None else 3
        looks = self.p + (math.log2(drawn + 2) - 1) * self.rules.n_keep  # at columns, from the root down
        return 3e-9 * drawn * looks * outputs + 5e-8 * self.n

    def run(self, function: Callable[[slice], Value], n_jobs: int) -> list[Value]:
        """Return what the function makes of each part."""
        return parallel.run(function, self.parts(), n_jobs=n_jobs, apart=self.seconds > LONG_SECONDS)

    def parts(self) -> list[slice]:
        """Cut the trees into parts that take a few milliseconds: Ctrl-C and other workers wait for one at most."""
        size = max(1, min(int(PART_SECONDS / self.seconds), self.m))
        return [slice(start, min(self.m, start + size)) for start in range(0, self.m, size)]

    def room(self, part: slice) -> Leaves:
        """Return leaves yet to be filled."""
        m = part.stop - part.start
        codes, counts = np.empty((m, self.n), np.int32), np.empty((m, self.n), np.int32)
        credits = np.empty((m, self.p)) if self.gives_credit else None
        return Leaves(codes, counts, np.empty(m, np.int32), np.empty((m, self.p)), credits)

    @property
    def gives_credit(self) -> bool:
        """Whether credits are wanted, and there are rows out of bag, and features to tell apart."""
        return self.credited and self.p > 1 and (self.rules.replace or self.rules.n_draw < self.n)

    @cached_property
    def variance(self) -> float:
        """The variance of the target, over all its columns."""
        return float((self.target**2).mean(axis=0).sum())

    def fill(self, part: slice, leaves: Leaves, kept: Trees | None = None) -> None:
        """Grow the trees of a part."""
        from kmerf.engine.credit import credit, credit_classes

        if kept is None:
            kept = self.trees(0 if leaves.credits is None else part.stop - part.start)
        self._grow(part.start, leaves, kept)
        if leaves.credits is not None:
            where_rows_fell = leaves.codes, leaves.counts, leaves.n_leaves
            if self.labels is None:
                credit(self.target, kept, *where_rows_fell, self.variance, leaves.credits)
            else:
                credit_classes(self.labels.codes, self.labels.n_classes, kept, *where_rows_fell, leaves.credits)

    def _grow(self, first: int, leaves: Leaves, kept: Trees) -> None:
        """Grow trees, numbered from `first` on."""
        from kmerf.engine.grow import grow as compiled

        parallel.checkpoint()
        numbers = np.empty(0, np.uint16 if self.rules.n_draw < 2**16 else np.uint32)
        where = np.uint64(self.seed), np.uint64(self.refit), np.uint64(first)
        out = leaves.codes, leaves.counts, leaves.n_leaves, leaves.gains
        labels = () if self.labels is None else (self.labels.codes,)
        compiled(self.columns, self.target, self.rules, *where, *out, kept, numbers, parallel.stop_flag(), *labels)
        parallel.checkpoint()

    def trees(self, m: int) -> Trees:
        """Return m trees yet to be grown; none of them if they need not be kept."""
        from kmerf.engine.workspace import Trees

        room = (m, 2 * self.rules.n_draw + 1 if m else 0)
        return Trees(
            np.empty(room, np.int32),
            np.empty(room),
            np.empty(room, np.int32),
            np.empty(room, np.uint8),
            np.empty(room, np.int32),
            np.empty((m, int(self.columns.levels[-1]))),
        )

    def known(self, leaves: Leaves) -> Leaves:
        """Leave out the counts where they tell nothing."""
        all_drawn = self.rules.n_draw == self.n and not self.rules.replace
        return replace(leaves, counts=None) if all_drawn else leaves
