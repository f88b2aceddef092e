"""Forests without y: what takes its place.

- A *blind* forest (`ForestSpec(splits="blind")`) splits random columns at random rows.
- A *synthetic second class* (Breiman 2003): made-up rows are added, each of whose values comes from another row, and
  the trees tell the rows from them. Only how columns go together does that, so that is what the kernel learns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kmerf.core.streams import Purpose, stream
from kmerf.forests.growing import Recipe, presort

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints
    from kmerf.engine.grow import Columns
    from kmerf.forests.combinations import Combinations
    from kmerf.forests.spec import ForestSpec


def add_made_up_rows(x: Floats, seed: int) -> tuple[Floats, Floats]:
    """Return the rows with as many made-up ones below them, and which is which: one column for each class."""
    rng = stream(seed, Purpose.SECOND_CLASS)
    made_up = np.column_stack([column[rng.permutation(len(x))] for column in x.T])
    return np.vstack([x, made_up]), np.repeat(np.eye(2), len(x), axis=0)


def blind(spec: ForestSpec, columns: Columns, seed: int) -> Recipe:
    """Return the recipe of a forest with random splits."""
    return Recipe(spec, columns, np.zeros((columns.x.shape[0], 1)), False, seed)


def contrast(spec: ForestSpec, x: Floats, levels: Ints, combined: Combinations | None, seed: int) -> Recipe:
    """Return the recipe of a forest that tells the rows of x from made-up ones, which come after them."""
    rows, classes = add_made_up_rows(x, seed)
    columns = presort(rows, levels)
    return Recipe(spec, columns if combined is None else combined.widen_columns(columns), classes, True, seed)
