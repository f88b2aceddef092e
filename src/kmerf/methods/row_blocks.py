"""Forests of very many rows: the rows are dealt out at random to blocks, and each block has some of the trees.

A tree draws some thousand rows, and then all others are sent down it: with a million rows that is nearly all of the
work, and it is done for every tree. Here a tree sees the 50,000 rows of one block, or fewer. The statistic is the mean
of those of the blocks. Every row is used in every fit, once for each tree of its block, so that a fit takes as long as
one on 50,000 rows, and as much again for each further tree that the number of blocks asks for.

The blocks are the same rows of x whatever the order of y, so that the statistic is a function of x and the permuted y
as any other, and permutation tests with it are exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kmerf.core.arrays import read_only
from kmerf.core.streams import Purpose, seed_for, stream
from kmerf.data.sample_values import Features, Sample
from kmerf.forests import growing
from kmerf.forests.predictions import Predictions
from kmerf.methods.protocol import Fit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kmerf.core.arrays import Floats, Ints
    from kmerf.engine.grow import Columns
    from kmerf.forests.fitted import FittedForest
    from kmerf.methods.kmerf import SharedForestProblem
    from kmerf.methods.protocol import Part

BLOCK_ROWS = 50_000  # of a block at most; docs/performance.md


class RowBlock(NamedTuple):
    """Some of the rows, and their columns, sorted."""

    rows: Ints
    x: Features
    columns: Columns


def deal(x: Features, seed: int) -> tuple[RowBlock, ...]:
    """Deal the rows out to blocks at random; none where one block would do."""
    size = math.ceil(x.n / BLOCK_ROWS)
    if size < 2:
        return ()
    shuffled = stream(seed, Purpose.ROW_BLOCK).permutation(x.n)
    blocks = []
    for part in np.array_split(shuffled, size):
        rows = np.sort(part)
        some = replace(x, values=read_only(x.values[rows]))
        blocks.append(RowBlock(rows, some, growing.presort(some.values, some.levels)))
    return tuple(blocks)


@dataclass(frozen=True, eq=False)
class BlockedForestProblem:
    """A sample made ready for tests that read one forest, whose trees see a block of the rows each."""

    whole: SharedForestProblem
    """The same on all rows."""
    blocks: tuple[RowBlock, ...]

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.whole.n

    @property
    def learns(self) -> bool:
        """The forests are grown for every permutation."""
        return True

    def fit(self, order: Ints, refit: int, n_jobs: int = 1, reasons: bool = False) -> Fit:
        """Return the means over blocks, and what features did in all trees."""
        fits = [self._fit_block(g, order, refit, n_jobs, reasons) for g in range(len(self.blocks))]
        return Fit(tuple(self._join(parts, order, refit) for parts in zip(*(fit.parts for fit in fits), strict=True)))

    def _fit_block(self, number: int, order: Ints, refit: int, n_jobs: int, reasons: bool) -> Fit:
        rows, x, columns = self.blocks[number]
        sample = Sample(x, self.whole.problems[0].sample.y.take(order[rows]), 0, ())
        ready = []
        for problem in self.whole.problems:
            trees = max(1, round(problem.method.forest.n_trees / len(self.blocks)))
            seed = seed_for(problem.seed, Purpose.ROW_BLOCK, number)
            ready.append(problem.method.with_trees(trees).prepare(sample, seed, columns))
        return replace(self.whole, problems=tuple(ready)).fit(np.arange(rows.size), refit, n_jobs, reasons)

    def _join(self, parts: tuple[Part, ...], order: Ints, refit: int) -> Part:
        first = parts[0]
        error = math.sqrt(sum(part.error**2 for part in parts)) / len(parts)
        return first._replace(
            statistic=float(np.mean([part.statistic for part in parts])),
            error=error,
            gains=_stacked([part.gains for part in parts]),
            credits=_stacked([part.credits for part in parts]),
            forest=self._forest(parts, order) if refit == 0 else None,
        )

    def _forest(self, parts: tuple[Part, ...], order: Ints) -> FittedForest:
        """Return a forest of all rows to be looked into, with what those of the blocks predict."""
        y = self.whole.problems[0].sample.y.values[order]
        joined = Predictions(y)
        for (rows, _, _), part in zip(self.blocks, parts, strict=True):
            assert part.forest is not None
            known = part.forest.predictions(y[rows])
            away = known.total - known.times[:, None] * joined.middle
            joined.sums[rows] = np.rint(away * joined.scale).astype(np.int64)
            joined.times[rows] = known.times
        return self.whole.problems[0].grown(order, predicted=joined)

    def doubts(self) -> str | None:
        """Not asked: members of a portfolio have no null of their own."""
        return None


def _stacked(tables: Sequence[Floats | None]) -> Floats | None:
    """Put what features did in the trees of each block below each other."""
    known = [table for table in tables if table is not None]
    return np.concatenate(known) if len(known) == len(tables) else None
