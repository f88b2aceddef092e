"""Which rows of y may change places under the null, which rows are equal, and the smallest p-value that this allows.

**Keys.** Each row has a key of 64 bits, which equal rows share. Two different rows share one with a probability of
2^-64, so among a million rows no two do. Keys take one pass over the values, where sorting the rows takes long and much
memory.

**The smallest p-value.** Let the rows of y change places by the elements of a group G, drawn at random. Those that
leave y as it is are a subgroup Y, those that leave x as it is a subgroup X, and those that leave both their
intersection. An element that is one of Y followed by one of X gives the data as observed, with rows in another order.
There are |X| |Y| / |X and Y| of these elements, and each gives a statistic that is distributed as the observed one. So
no p-value can be below

    |X| |Y| / (|G| |X and Y|),

the probability that a random arrangement is the observed one. Without blocks, with a_i rows of each value of x, b_j of
each value of y and c_ij of each pair, that is

    prod a_i! prod b_j! / (n! prod c_ij!),

as in Fisher's exact test. If all rows of x differ, it is one over the number of arrangements of y, and the other way
round. A p-value that is a rank respects the bound by itself, but for chance; one from a model of the tail does not.

**Exchange.** By default any rows may change places; with blocks, fewer may. What of x and y is compared with blocks is
decided before (`kmerf.data.block_parts`).

- Exchange *within* blocks: rows change places with rows of their own block. For matched or paired designs, and for
  anything (a site, a batch, a subject) that x and y both depend on.
- Exchange of *whole* blocks: blocks of one size change places as they are, the first row of one for the first of the
  other and so on; where y is constant inside every block (a treatment given to a whole litter), the sizes may differ,
  and it is y's value that moves.

Blocks may lie inside others, as plots do inside sites. Then whole blocks change places inside their outer block only.

- Exchange of *runs*: rows in the order of time are cut into runs of one length, from a random row on, and runs change
  places inside their series (`kmerf.data.series`).
- *Permutations* of the user (`kmerf.data.exchangeability`) are taken as they are.

Permutations that a user supplies, for designs that only the user knows: places on a map, a tree of species.

They are an array (B, n) of row orders, counted from 0, or a function that draws one with a random generator. Row i of x
then stands beside row `order[i]` of y. The p-value is valid if the data are as likely in every such order as in the
observed one when x and y are independent: so if the orders are drawn at random from those that the design allows.

An array is taken from its first row on, and a null draws at most as many as it has. The identity among them counts like
any other: it makes the p-value larger, never too small.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kmerf.core.arrays import Ints, read_only
from kmerf.core.errors import Argument, InputError, Message, choose

if TYPE_CHECKING:
    from kmerf.core.arrays import Ints
    from kmerf.data.sample import Features, Response, Sample


FEWEST = 19  # row orders, for a p-value of 0.05


@dataclass(frozen=True, eq=False)
class UserPermutations:
    """Row orders as an array, or the function that draws them."""

    orders: Ints | None = None
    function: Callable[[np.random.Generator], Any] | None = None
    digest: str = ""
    """Of the array: the first 16 digits of its SHA-256; of a function, its name."""

    @property
    def count(self) -> int | None:
        """How many there are; None for a function."""
        return None if self.orders is None else len(self.orders)

    def draw(self, n: int, rng: np.random.Generator, number: int) -> Ints:
        """Return the order of this number, from 1 on."""
        if self.orders is not None:
            return np.asarray(self.orders[number - 1])
        assert self.function is not None
        order = np.asarray(self.function(rng))
        orders = _checked(order[None] if order.ndim == 1 else order, n, f"order {number}, which the function drew,")
        return np.asarray(orders[0])


def read_permutations(permutations: Any, n: int) -> UserPermutations:
    """Check the permutations of n rows.

    >>> rng = np.random.default_rng(0)
    >>> read_permutations([rng.permutation(5) for _ in range(19)], 5).count
    19
    >>> read_permutations(lambda rng: rng.permutation(5), 5).draw(5, rng, 1).size
    5
    """
    if callable(permutations):
        name = getattr(permutations, "__qualname__", type(permutations).__name__)
        found = UserPermutations(function=permutations, digest=str(name))
        found.draw(n, np.random.default_rng(0), 1)  # or raise
        return found
    try:
        array = np.asarray(permutations)
    except ValueError:
        array = np.empty(0)
    if array.ndim != 2:
        finding = f"must be an array (B, n) of row orders or a function, and has {array.ndim} dimension(s)"
        raise InputError(finding, argument="permutations", remedy="pass one row order per line")
    if len(array) < FEWEST:
        finding = f"has {len(array)} row orders, and p can then not be below {1 / (1 + len(array)):.2g}"
        raise InputError(finding, argument="permutations", remedy=f"pass {FEWEST} or more, best 999")
    orders = _checked(array, n, "")
    if (orders == np.arange(n)).all():
        raise InputError("leaves every row where it is", argument="permutations", remedy="pass other orders")
    digest = hashlib.sha256(np.ascontiguousarray(orders, dtype="<i8").tobytes()).hexdigest()[:16]
    return UserPermutations(read_only(orders), None, digest)


def _checked(array: Any, n: int, which: str) -> Ints:
    """Return orders (B, n) as whole numbers, or raise unless each has every row once."""
    if array.ndim != 2 or array.shape[1] != n:
        size = array.shape[-1] if array.ndim else 0
        finding = f": {which or 'each order'} has {size} entries, and {n} rows are tested"
        raise InputError(finding, argument="permutations", remedy="leave no row out of x and y, and pass one per row")
    if array.dtype.kind not in "iuf" or not (array == np.rint(array)).all():
        raise InputError("must hold whole numbers", argument="permutations", remedy="pass row numbers from 0 to n - 1")
    orders: Ints = array.astype(np.int64)
    wrong = np.flatnonzero((np.sort(orders, axis=1) != np.arange(n)).any(axis=1))
    if wrong.size:
        k = int(wrong[0])
        if (np.sort(orders[k]) == np.arange(1, n + 1)).all():
            finding, remedy = "counts rows from 1, as R does", "subtract 1"
        else:
            finding = f": {which or f'order {k + 1}'} does not have every row from 0 to {n - 1} once"
            remedy = "pass permutations of the rows"
        raise InputError(finding, argument="permutations", remedy=remedy)
    return orders


Keys = NDArray[np.uint64]

_CELLS = 1 << 20  # that are mixed at a time
_MIX = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(32)
_ROUNDING = 1e-12


def row_keys(values: NDArray[Any]) -> Keys:
    """Return a key for each row of an array (n, p); missing cells are equal to each other.

    >>> keys = row_keys(np.array([[1.0, np.nan], [1.0, 2.0], [1.0, np.nan], [0.0, 0.0], [-0.0, 0.0]]))
    >>> bool(keys[0] == keys[2]), bool(keys[0] == keys[1]), bool(keys[3] == keys[4])
    (True, False, True)
    """
    n, p = values.shape
    keys = np.zeros(n, np.uint64)
    wide = max(1, _CELLS // max(n, 1))
    for start in range(0, p, wide):
        part = values[:, start : start + wide].astype(np.float64) + 0.0  # -0.0 becomes 0.0
        part[np.isnan(part)] = np.nan  # of which there are many
        weights = mixed(np.arange(start + 1, start + 1 + part.shape[1], dtype=np.uint64)) | np.uint64(1)
        keys += mixed(mixed(part.view(np.uint64)) + weights).sum(axis=1, dtype=np.uint64)
    return keys


def mixed(keys: Keys) -> Keys:
    """Spread keys over all 64 bits, different ones to different ones."""
    keys = (keys ^ (keys >> _SHIFT)) * _MIX
    keys = (keys ^ (keys >> _SHIFT)) * _MIX
    return keys ^ (keys >> _SHIFT)


def sizes(keys: Keys) -> Ints:
    """Return how many rows there are of each key."""
    return np.unique(keys, return_counts=True)[1].astype(np.int64)


def log_orders(keys: Keys) -> float:
    """Return the logarithm of the number of ways in which rows can change places so that each key stays where it is.

    >>> round(math.exp(log_orders(np.array([1, 1, 1, 2, 2], dtype=np.uint64))))
    12
    """
    counts, times = np.unique(sizes(keys), return_counts=True)
    pairs = zip(counts.tolist(), times.tolist(), strict=True)
    return float(sum(many * math.lgamma(size + 1) for size, many in pairs))


def log_arrangements(
    x: NDArray[Any], y: NDArray[Any], exchange: Exchange | None = None, *, paired: bool = True
) -> float:
    """Return the logarithm of one over the smallest p-value, of rows of x (n, p) and y (n, q).

    By default all rows change places. Without `paired`, it is a bound for every pairing of these rows of x and y, and
    not only for theirs.

    >>> y = np.arange(40.0)[:, None]
    >>> round(math.exp(log_arrangements(y == 7.0, y))), round(math.exp(log_arrangements(y >= 38.0, y)))
    (40, 780)
    """
    first = None if exchange is None else exchange.first
    units = (exchange.units if exchange is not None else ()) or (np.arange(len(y))[:, None],)
    x_keys, y_keys = row_keys(x), row_keys(y)
    if first is not None:  # a line stands for its block, whose rows of x have no order
        inside = np.zeros(len(x), np.uint64)
        np.add.at(inside, first, mixed(x_keys))
        x_keys = inside
    total = sum(math.lgamma(len(rows) + 1) for rows in units)
    alike = np.zeros(3)
    for size in sorted({rows.shape[1] for rows in units}):
        of_size = [rows for rows in units if rows.shape[1] == size]
        lines = np.concatenate(of_size)
        unit = mixed(np.repeat(np.arange(len(of_size), dtype=np.uint64), [len(rows) for rows in of_size]))
        of_x, of_y = (mixed(_line_keys(keys, lines) + unit) for keys in (x_keys, y_keys))
        both = mixed(of_x + np.uint64(1)) + of_y
        alike += [log_orders(of_x), log_orders(of_y), log_orders(both)]
    if not paired:
        return float(total - max(alike[0], alike[1]))
    log = float(total - alike[0] - alike[1] + alike[2])
    return log if log > _ROUNDING * total else 0.0


def _line_keys(keys: Keys, lines: Ints) -> Keys:
    """Return a key for each line (k, size) of rows, from those of its rows in their order."""
    places = mixed(np.arange(1, lines.shape[1] + 1, dtype=np.uint64))
    return np.asarray(mixed(keys[lines] + places).sum(axis=1, dtype=np.uint64))


@dataclass(frozen=True, eq=False)
class Exchange:
    """How to draw an order of the rows of y.

    `units` are arrays (k, size) of rows, of which the k lines may change places with one another; without any, all rows
    may. Where whole blocks of different sizes do, a block is a line of one row, its first, and `first` names it for
    every row.
    """

    units: tuple[Ints, ...] = ()
    first: Ints | None = None
    series: tuple[Ints, ...] = ()
    """The rows of each series in the order of time, if runs of rows change places."""
    run: int = 1
    permutations: UserPermutations | None = None
    log_arrangements: float = math.inf
    """Logarithm of one over the smallest p-value that such orders can give (`kmerf.data.exchangeability`)."""

    @property
    def keeps_rows(self) -> bool:
        """Whether every row of y appears exactly once in every order."""
        return self.first is None

    @property
    def free(self) -> bool:
        """Whether any two rows may change places."""
        return not self.units and not self.series and self.permutations is None

    def order(self, n: int, rng: np.random.Generator, number: int = 1) -> Ints:
        """Return, for each row of x, the row of y that stands beside it; `number` counts draws, from 1 on."""
        if self.permutations is not None:
            return self.permutations.draw(n, rng, number)
        if self.series:
            order = np.arange(n)
            for rows in self.series:
                order[rows] = _runs_exchanged(rows, self.run, rng)
            return order
        if not self.units:
            return rng.permutation(n)
        order = np.arange(n)
        for rows in self.units:
            order[rows] = rows[rng.permutation(len(rows))]
        return order if self.first is None else order[self.first]


def exchange_of(sample: Sample, kind: str) -> Exchange:
    """Return how rows of a sample may be exchanged."""
    if sample.permutations is not None:
        return Exchange(
            permutations=sample.permutations, log_arrangements=log_arrangements(sample.x.values, sample.y.values)
        )
    found = exchange(sample.blocks, kind, sample.y, sample.inside, sample.x)
    if sample.run == 1:
        return found
    labels = np.zeros(sample.n, np.int64) if sample.blocks is None else sample.blocks
    series = tuple(np.flatnonzero(labels == each) for each in np.unique(labels))
    runs = [math.ceil(rows.size / sample.run) for rows in series]
    log = sum(
        math.lgamma(many + 1) + math.log(min(sample.run, rows.size)) for many, rows in zip(runs, series, strict=True)
    )
    return Exchange(series=series, run=sample.run, log_arrangements=min(log, found.log_arrangements))


def _runs_exchanged(rows: Ints, run: int, rng: np.random.Generator) -> Ints:
    """Return rows with their runs in another order; runs start at a random row, and the last goes on at the first.

    >>> _runs_exchanged(np.arange(6), 2, np.random.default_rng(0)).tolist()
    [3, 4, 5, 0, 1, 2]
    """
    turned = np.roll(rows, -int(rng.integers(rows.size)))
    starts = np.arange(0, rows.size, run)
    return np.concatenate([turned[start : start + run] for start in rng.permutation(starts)])


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
            "is constant within every block, so permuting rows within blocks changes nothing",
            argument="y",
            remedy="",  # `block_part` adds a call that works
        )
    return Exchange(tuple(units))


def _whole(rows: list[Ints], y: Response, inside: Ints | None) -> Exchange:
    """Let whole blocks change places, with those of the same outer block where there are outer ones."""
    outer = np.zeros(len(rows), np.int64) if inside is None else inside[[block[0] for block in rows]]
    families = [[rows[k] for k in np.flatnonzero(outer == each)] for each in np.unique(outer)]
    families = [family for family in families if len(family) > 1]
    if not families:
        finding = "has a single value" if inside is None else "has one inner block in every outer one"
        raise InputError(f"{finding}, and permuting whole blocks takes two or more", argument="blocks", remedy="")
    if all(_are_alike(y, family) for family in families):
        where = "every block" if inside is None else "all blocks of an outer block"
        raise InputError(
            f"is the same in {where}, so permuting them changes nothing",
            argument="y",
            remedy="" if inside is None else Message("name the outer column alone as ", Argument("blocks")),
        )
    sizes = [{block.size for block in family} for family in families]
    if all(len(each) == 1 for each in sizes):
        return Exchange(tuple(np.stack(family) for family in families))
    if not all(_is_constant(y, block) for block in rows):
        every = set().union(*sizes)
        raise InputError(
            f"have {len(every)} different sizes ({min(every)} to {max(every)} rows) and y varies inside them, "
            "so whole blocks cannot be permuted",
            argument="blocks",
            remedy="",
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
