"""Errors of predictions for rows that were held out, by two models that share no rows.

Rows are dealt into folds. For each fold, the other rows are dealt into two halves, and y is predicted for the fold by a
model of each half. With g the best prediction, h the mean prediction of such models, and e1 and e2 the errors of the
two,

    E (y - h1)(y - h2) = E (y - g)^2 + E (g - h)^2:

the noise of the two models is independent, and drops out of the product. So a mean of products does not charge for the
noise of estimating, as a mean of squares does. What is left is the bias of h, which `kmerf.explain.learner` keeps low.
Neighbours in x go to different folds and halves, so that each has its part of every level.

Blocks decide what is held out, and from what errors are taken:

- exchanged whole, or so many that a fold can hold some: a block is in one fold, with all of its rows;
- rows exchanged within blocks: y, the functions of x and the predictions are taken from their means in the block. Where
  blocks are few and large, rows are dealt, and y is taken from the block's mean in the half that trains.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kmerf.core.arrays import Floats, Ints, mid_ranks
from kmerf.core.streams import Purpose, stream
from kmerf.execution import parallel
from kmerf.execution.parallel import one_thread

if TYPE_CHECKING:
    from kmerf.explain.learner import Predictors

MANY_BLOCKS = 8  # from which whole blocks are held out when rows are exchanged within them
FEWEST_UNITS = 6  # rows or blocks, with which two halves and a fold say something
TRAINED = 0.45  # about the share of rows that a half is


class Dealing(NamedTuple):
    """How often rows are dealt, and into how many folds."""

    folds: int
    repeats: int


def dealing_for(units: int, *, classes: bool) -> Dealing:
    """Return how to deal so many rows or blocks; more often where they are few, as then the luck of the deal counts.

    Classes are compared inside folds, which must not be too small.
    """
    if classes:
        return Dealing(5, 6 if units < 60 else 3 if units < 200 else 1) if units <= 5000 else Dealing(3, 1)
    folds = 10 if units <= 300 else 5 if units <= 5000 else 3
    return Dealing(min(folds, units // 2), 3 if units < 60 else 2 if units <= 150 else 1)


@dataclass(frozen=True, eq=False)
class Layout:
    """Which rows stay together, and from what errors are taken."""

    n: int
    blocks: Ints | None = None
    within: bool = False

    @property
    def together(self) -> bool:
        """Whether all rows of a block are in one fold."""
        return self.blocks is not None and (not self.within or self.n_blocks >= MANY_BLOCKS)

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return self.n if self.blocks is None else int(self.blocks.max()) + 1

    @property
    def units(self) -> Ints:
        """The number of what is dealt, for each row: its block, or itself."""
        return self.blocks if self.blocks is not None and self.together else np.arange(self.n)

    @property
    def clusters(self) -> Ints:
        """What may be taken to be independent of each other: blocks, or rows given their block."""
        return self.units

    def centred(self, values: Floats) -> Floats:
        """Take columns from their means in each block, if rows are exchanged within blocks."""
        return values - self.means(values, np.arange(self.n)) if self.within and self.blocks is not None else values

    def means(self, values: Floats, rows: Ints) -> Floats:
        """Return the mean (n, q) over some rows of each row's block; of all of those rows where the block has none."""
        assert self.blocks is not None
        own = self.blocks[rows]
        counts = np.bincount(own, minlength=self.n_blocks)
        sums = np.column_stack([np.bincount(own, column[rows], self.n_blocks) for column in values.T])
        means = np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], values[rows].mean(axis=0))
        return np.asarray(means[self.blocks])

    def offsets(self, values: Floats, rows: Ints) -> Floats:
        """Return what is predicted without x, from the rows that train."""
        if self.within:
            return np.zeros_like(values) if self.together else self.means(values, rows)
        return np.broadcast_to(values[rows].mean(axis=0), values.shape)


class Outputs(NamedTuple):
    """What is predicted: columns (n, q), in groups that are fitted alike."""

    values: Floats
    groups: tuple[slice, ...]


class HeldOut(NamedTuple):
    """What two models say of every row, when its fold was held out, in every repeat (repeats, n, q)."""

    first: Floats
    """What the first predicts, above the mean of the rows that it has seen."""
    second: Floats
    around_first: Floats
    """How far y is from that mean."""
    around_second: Floats
    folds: Ints
    """The fold of each row (repeats, n)."""
    flat: bool = True
    """Whether predictions may be too flat, as a penalty on columns that seem to matter little makes them."""
    levels: Ints | None = None
    """The level of x of each row, if x is a single category."""

    @property
    def errors(self) -> tuple[Floats, Floats]:
        """The errors of both models."""
        return self.around_first - self.first, self.around_second - self.second


def cross_fit(
    models: Sequence[Predictors],
    targets: Outputs,
    layout: Layout,
    keys: Floats,
    dealing: Dealing,
    seed: int,
    n_jobs: int = 1,
) -> list[HeldOut]:
    """Return what every model says, over the same folds; neighbours in a column of `keys` are dealt apart."""
    values = layout.centred(targets.values) if layout.together else targets.values
    deals = [_deal_rows(layout, keys[:, r % keys.shape[1]], dealing, seed, r) for r in range(dealing.repeats)]
    shape = (len(models), 2, dealing.repeats, *values.shape)
    found, around = np.zeros(shape), np.zeros(shape[1:])

    def fit(task: tuple[int, int]) -> None:
        repeat, fold = task
        folds, halves = deals[repeat]
        test = np.flatnonzero(folds == fold)
        for side in (0, 1):
            train = np.flatnonzero((folds != fold) & (halves[fold] == side))
            rest = values - layout.offsets(values, train)
            around[side, repeat, test] = rest[test]
            own = int(stream(seed, Purpose.HELD_OUT, 1, repeat, fold, side).integers(2**53))
            for number, model in enumerate(models):
                said = model.predict(train, test, rest, targets.groups, own)
                if layout.within and layout.together:
                    said = said - _block_means(said, layout.units[test])
                found[number, side, repeat, test] = said

    tasks = [(r, k) for r in range(dealing.repeats) for k in range(dealing.folds)]
    with one_thread():
        parallel.run(fit, tasks, n_jobs=n_jobs)
    folds = np.stack([each for each, _ in deals])
    return [
        HeldOut(each[0], each[1], around[0], around[1], folds, model.scaled, model.only_levels)
        for each, model in zip(found, models, strict=True)
    ]


def _block_means(values: Floats, blocks: Ints) -> Floats:
    own = np.unique(blocks, return_inverse=True)[1].reshape(-1)
    sums = np.column_stack([np.bincount(own, column) for column in values.T])
    return np.asarray((sums / np.bincount(own)[:, None])[own])


def _deal_rows(layout: Layout, key: Floats, dealing: Dealing, seed: int, repeat: int) -> tuple[Ints, Ints]:
    """Return the fold of each row, and its half (folds, n) when another fold is held out."""
    rng = stream(seed, Purpose.HELD_OUT, 0, repeat)
    units = layout.units
    count = int(units.max()) + 1
    place = np.bincount(units, key, count) / np.bincount(units, minlength=count)
    folds = deal(place, dealing.folds, rng)
    halves = np.zeros((dealing.folds, count), np.int64)
    for fold in range(dealing.folds):
        others = np.flatnonzero(folds != fold)
        halves[fold, others] = deal(place[others], 2, rng)
    return folds[units], halves[:, units]


def deal(key: Floats, hands: int, rng: np.random.Generator) -> Ints:
    """Deal things into hands, of every so many neighbours one to each.

    >>> deal(np.array([5.0, 1.0, 4.0, 2.0]), 2, np.random.default_rng(0)).tolist()
    [1, 1, 0, 0]
    """
    order = rng.permutation(key.size)
    order = order[np.argsort(key[order], kind="stable")]
    turns = -(-key.size // hands)
    each = rng.permuted(np.tile(np.arange(hands), (turns, 1)), axis=1).ravel()[: key.size]
    found = np.empty(key.size, np.int64)
    found[order] = each
    return found


def keys_of(x: Floats) -> Floats:
    """Return what rows are dealt by (n, columns): the ranks of each column of x.

    Classes are dealt by their codes instead, never by both: folds in which x goes with y as it does in all rows would
    tell of the rows held out.
    """
    return np.column_stack([mid_ranks(np.nan_to_num(column)) for column in x.T])
