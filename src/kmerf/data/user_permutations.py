"""Permutations that a user supplies, for designs that only the user knows: places on a map, a tree of species.

They are an array (B, n) of row orders, counted from 0, or a function that draws one with a random generator. Row i of x
then stands beside row `order[i]` of y. The p-value is valid if the data are as likely in every such order as in the
observed one when x and y are independent: so if the orders are drawn at random from those that the design allows.

An array is taken from its first row on, and a null draws at most as many as it has. The identity among them counts like
any other: it makes the p-value larger, never too small.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kmerf.core.arrays import Ints, read_only
from kmerf.core.errors import InputError

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
