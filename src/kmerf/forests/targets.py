"""What the trees are grown to tell apart: numbers for each row, of which a split makes the means differ.

    mean       y itself. A tree sees how the mean of y moves with x, and nothing else.
    location   the ranks of y, whatever its scale and tails.
    spread     the first two Legendre polynomials of the ranks, scaled to [-1, 1]: a tree sees location and spread move.
    shape      the first four, which add skewness and the weight of the tails.
    joint      the same four, and functions of all columns of y at once: the products of the ranks of two columns, and
               waves along random directions of the ranks. If x and y depend on each other at all, the mean of some
               such wave moves with x, whatever the columns of y do one by one.
    synthetic  nothing of y: trees tell the rows of x from made-up ones (`kmerf.forests.combinations`).

Each column of y has polynomials of its own. The waves are the same for every y of as many columns. For classes, one
column for each, the means are the whole distribution, and all targets are the same.

More than `MANY_CLASSES` classes have no columns: a label for each row takes their place. What is computed is the same,
but for rounding, in a time that does not grow with the number of classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kmerf.core.arrays import Floats, Ints, mid_ranks
from kmerf.core.errors import choose
from kmerf.core.streams import Purpose

if TYPE_CHECKING:
    from kmerf.data.sample import Response

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
