"""Oblique splits: random combinations of columns stand beside the columns themselves, and trees split on both.

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

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kmerf.core.arrays import Floats, Ints, read_only
from kmerf.core.streams import Purpose, stream
from kmerf.forests.growing import Forest, presort

if TYPE_CHECKING:
    from kmerf.engine.workspace import Columns
    from kmerf.forests.spec import ForestSpec

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
