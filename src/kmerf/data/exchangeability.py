"""Which rows of y may change places under the null. By default any; with blocks, fewer.

What of x and y is compared with blocks is decided before (`kmerf.data.block_parts`).

- Exchange *within* blocks: rows change places with rows of their own block. For matched or paired designs, and for
  anything (a site, a batch, a subject) that x and y both depend on.
- Exchange of *whole* blocks: blocks of one size change places as they are, the first row of one for the first of the
  other and so on; where y is constant inside every block (a treatment given to a whole litter), the sizes may differ,
  and it is y's value that moves.

Blocks may lie inside others, as plots do inside sites. Then whole blocks change places inside their outer block only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kmerf.core.errors import Argument, InputError, Message, choose
from kmerf.data.equal_rows import log_arrangements

if TYPE_CHECKING:
    from kmerf.core.arrays import Ints
    from kmerf.data.sample import Features, Response


@dataclass(frozen=True, eq=False)
class Exchange:
    """How to draw an order of the rows of y.

    `units` are arrays (k, size) of rows, of which the k lines may change places with one another; without any, all rows
    may. Where whole blocks of different sizes do, a block is a line of one row, its first, and `first` names it for
    every row.
    """

    units: tuple[Ints, ...] = ()
    first: Ints | None = None
    log_arrangements: float = math.inf
    """Logarithm of one over the smallest p-value that such orders can give (`kmerf.data.equal_rows`)."""

    @property
    def keeps_rows(self) -> bool:
        """Whether every row of y appears exactly once in every order."""
        return self.first is None

    def order(self, n: int, rng: np.random.Generator) -> Ints:
        """Return, for each row of x, the row of y that stands beside it."""
        if not self.units:
            return rng.permutation(n)
        order = np.arange(n)
        for rows in self.units:
            order[rows] = rows[rng.permutation(len(rows))]
        return order if self.first is None else order[self.first]


def exchange(
    blocks: Ints | None, kind: str, y: Response, inside: Ints | None = None, x: Features | None = None
) -> Exchange:
    """Return how rows may be exchanged, given the block of each row, and the outer block that it lies inside.

    Without x, its rows are taken to be all different where arrangements are counted.

    >>> from kmerf.reading.samples import read_independence
    >>> y = read_independence([1, 2, 3, 4], [1, 2, 3, 4]).y
    >>> within = exchange(np.array([0, 0, 1, 1]), "within", y)
    >>> sorted({tuple(within.order(4, np.random.default_rng(seed)).tolist()) for seed in range(50)})
    [(0, 1, 2, 3), (0, 1, 3, 2), (1, 0, 2, 3), (1, 0, 3, 2)]
    """
    allowed = _allowed(blocks, kind, y, inside)
    values = np.arange(y.n, dtype=np.float64)[:, None] if x is None else x.values
    return replace(allowed, log_arrangements=log_arrangements(values, y.values, allowed))


def _allowed(blocks: Ints | None, kind: str, y: Response, inside: Ints | None) -> Exchange:
    choose("exchange", kind, ["within", "whole"])
    if blocks is None:
        if kind == "whole":
            raise InputError(
                Message("needs ", Argument("blocks")),
                argument=Argument("exchange", "whole"),
                remedy="a label for each row, or the name of a column",
            )
        return Exchange()
    rows = [np.flatnonzero(blocks == block) for block in np.unique(blocks)]
    return _within(rows, y) if kind == "within" else _whole(rows, y, inside)


def _within(rows: list[Ints], y: Response) -> Exchange:
    """Let rows change places inside their block."""
    units = [block[:, None] for block in rows if block.size > 1]
    if not units:
        remedy = "leave it out, or give labels that repeat"
        raise InputError("has a different value in every row", argument="blocks", remedy=remedy)
    if all(_is_constant(y, block[:, 0]) for block in units):
        raise InputError(
            "is constant within every block, so exchanging rows within blocks changes nothing",
            argument="y",
            remedy=Message("use ", Argument("exchange", "between")),
        )
    return Exchange(tuple(units))


def _whole(rows: list[Ints], y: Response, inside: Ints | None) -> Exchange:
    """Let whole blocks change places, with those of the same outer block where there are outer ones."""
    outer = np.zeros(len(rows), np.int64) if inside is None else inside[[block[0] for block in rows]]
    families = [[rows[k] for k in np.flatnonzero(outer == each)] for each in np.unique(outer)]
    families = [family for family in families if len(family) > 1]
    if not families:
        finding = "has a single value" if inside is None else "has one inner block in every outer one"
        remedy = "whole blocks can be exchanged only if there are two or more"
        raise InputError(finding, argument="blocks", remedy=remedy)
    if inside is not None and all(_are_alike(y, family) for family in families):
        raise InputError(
            "is the same in all blocks of an outer block, so exchanging them changes nothing",
            argument="y",
            remedy=Message("name the outer column alone as ", Argument("blocks")),
        )
    sizes = [{block.size for block in family} for family in families]
    if all(len(each) == 1 for each in sizes):
        return Exchange(tuple(np.stack(family) for family in families))
    if not all(_is_constant(y, block) for block in rows):
        every = set().union(*sizes)
        raise InputError(
            f"have {len(every)} different sizes ({min(every)} to {max(every)} rows) and y varies inside them, "
            "so whole blocks cannot change places",
            argument="blocks",
            remedy=Message("use ", Argument("exchange", "between"), ", which compares their means"),
        )
    heads = tuple(np.array([block[0] for block in family])[:, None] for family in families)
    return Exchange(heads, _first_rows(rows, y.n))


def _first_rows(rows: list[Ints], n: int) -> Ints:
    """Return the first row of the block of each row."""
    first = np.empty(n, np.int64)
    for block in rows:
        first[block] = block[0]
    return first


def _is_constant(y: Response, rows: Ints) -> bool:
    return bool((y.values[rows] == y.values[rows[0]]).all())


def _are_alike(y: Response, family: list[Ints]) -> bool:
    """Whether exchanging the blocks of a family leaves y as it is."""
    first = y.values[family[0]]
    if len({block.size for block in family}) == 1:
        return all(bool((y.values[block] == first).all()) for block in family)
    return _is_constant(y, np.concatenate(family))
