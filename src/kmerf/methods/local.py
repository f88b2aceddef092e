"""Differences in regions of x, small or large: cells of several sizes, which are made without a look at y.

Trees part the rows into cells (`kmerf.engine.cells`). With z_i what stands for y in row i, centred, the statistic of
the cells of one size is the mean over trees of

    sum over cells, over pairs of rows in the cell, of  z_i . z_j / (rows in the cell),

the variance between cells but for the terms i = j, which say nothing. Cells of 8, 32 and 128 rows are looked at, each
made in two ways. Random cuts of random columns suit many columns and long tails: a cell of size s has s to 2 s - 1
rows. Boxes of equal volume, at random places, suit small regions of few columns: of a box that holds all rows, halved
in its columns in turn, those parts are taken in which a row has about as many others as in random cells. Each of the
statistics is put on the scale of its values for 199 random orders of y, by mean, sd and skewness (Wilson and
Hilferty, as in `nulls.definitions`), and the largest is the test's statistic: a counterpart of kernel tests that
aggregate over bandwidths (Schrab et al. 2023).

Nothing is fitted to y, so a permutation costs one sum over the cells. The orders that give the scales are drawn again
from the seed, whatever the order of y, so that ranks among permutations stay exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kmerf.core.errors import Argument, InputError
from kmerf.core.streams import Purpose, seed_for, stream
from kmerf.forests.growing import coordinates
from kmerf.methods.protocol import PermutableMethod, Wording

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kmerf.core.arrays import Floats, Ints
    from kmerf.data.sample import Sample

SIZES = (128, 32, 8)
TREES = 50  # of each way
HALVINGS = 62  # of a box, at most
OTHERS = 1.4  # that a row has in its random cell, on average, divided by the size of the cells
ORDERS = 199  # from which the scales are taken
MAX_ROWS = 10_000  # beyond, a random part of them is looked at
_MIN_SKEWNESS, _MAX_SKEWNESS = 1e-3, 2.5


@dataclass(frozen=True)
class Local(PermutableMethod):
    """A test for differences of y between regions of x, small or large.

    Parameters
    ----------
    target
        The functions of a numeric y whose means are compared: "location", "spread", "shape" or "joint"
        (`kmerf.forests.growing`). Of classes it takes their shares.

    >>> import kmerf
    >>> rng = np.random.default_rng(0)
    >>> x = rng.random((300, 2))
    >>> groups = np.where((x * 4).astype(int).sum(axis=1) % 2 == 0, "black", "white")  # squares of a chessboard
    >>> kmerf.ksample(x, groups=groups, method=Local(), null=kmerf.Permutation(99), rng=1).pvalue
    0.01

    """

    target: str = "spread"

    name: ClassVar[str] = "Local"

    def __post_init__(self) -> None:
        if self.target not in ("location", "spread", "shape", "joint"):
            finding = "must be one of 'location', 'spread', 'shape', 'joint'"
            raise InputError(finding, argument=Argument("target", self.target))

    def wording(self, classes: bool) -> Wording:
        """Return the question that it answers, in words."""
        measures = "the largest of the scores for regions of several sizes"
        if classes:
            question = "Is one group more common in some regions of x, small or large?"
            return Wording(
                question, "some regions of x, small or large, hold more of one group than of another", measures
            )
        question = "Does the level or the spread of y differ between regions of x, small or large?"
        return Wording(question, "{y} differs between regions of x, small or large", measures)

    def statistic(self, x: Floats, y: Floats, sample: Sample, seed: int) -> LargestScore:
        """Make the cells, and find the scale of each of their statistics."""
        n = sample.n
        part = np.arange(n)
        if n > MAX_ROWS:
            part = np.sort(stream(seed, Purpose.MEMBER_ROWS).choice(n, MAX_ROWS, replace=False))
        ways = RandomCells.random, RandomCells.boxes
        cells = tuple(make(x[part], seed_for(seed, Purpose.LOCAL_CELLS, k)) for k, make in enumerate(ways))
        codes = sample.y.codes
        if codes is None or sample.y.q == 2:  # of two classes, one says everything
            target = coordinates(sample.y, self.target) if codes is None else sample.y.values[:, :1]
            raw = RawStatistics(cells, part, target - target.mean(axis=0), None)
        else:
            raw = RawStatistics(cells, part, np.bincount(codes) / n, codes.astype(np.int32))
        rng = stream(seed, Purpose.LOCAL_SCALES)
        return LargestScore(raw, *_scales(np.array([raw(rng.permutation(n)) for _ in range(ORDERS)])))


@dataclass(frozen=True, eq=False)
class RandomCells:
    """The cells of several sizes of some trees, the largest first."""

    rows: NDArray[np.int32]
    ends: NDArray[np.int32]
    n_cells: NDArray[np.int32]

    @classmethod
    def random(cls, x: Floats, seed: int) -> RandomCells:
        """Cut the rows of x at random."""
        from kmerf.engine.cells import grow_cells

        cells = cls.empty(len(x), len(sizes := _sizes(len(x))))
        grow_cells(np.ascontiguousarray(x), sizes, np.uint64(seed), *vars(cells).values())
        return cells

    @classmethod
    def boxes(cls, x: Floats, seed: int) -> RandomCells:
        """Halve a box twice as large as the rows need, which lies at random around them."""
        from kmerf.engine.cells import halve_boxes

        n, p = x.shape
        rng = np.random.default_rng(seed)
        half = x / 2.0  # a difference of two values may be too large
        low, width = half.min(axis=0), np.ptp(half, axis=0)
        place = (half - low) / np.where(width > 0.0, width, 1.0) / 2.0
        turns = rng.random((TREES, p)).argsort(axis=1)[:, :HALVINGS]
        shifts = rng.random(turns.shape) / 2.0
        rows, parted = np.empty((TREES, n), np.int32), np.empty((TREES, n), np.int32)
        halve_boxes(place, turns, shifts, HALVINGS, rows, parted)
        depths = _depths(parted, _sizes(n))
        cells = cls.empty(n, len(depths))
        cells.rows[:] = rows
        for s, t in np.ndindex(len(depths), TREES):
            ends = np.flatnonzero(parted[t] <= depths[s]) + 1
            cells.ends[s, t, : ends.size], cells.n_cells[s, t] = ends, ends.size
        return cells

    @classmethod
    def empty(cls, n: int, sizes: int) -> RandomCells:
        """Return room for the cells of so many sizes."""
        shape = sizes, TREES
        return cls(np.empty((TREES, n), np.int32), np.empty((*shape, n), np.int32), np.empty(shape, np.int32))


def _sizes(n: int) -> Ints:
    """Return the sizes of cells; those that would leave n rows whole are left out, but for the smallest."""
    return np.array([size for size in SIZES[:-1] if n >= 4 * size] + [min(SIZES[-1], max(1, n // 4))])


def _depths(parted: NDArray[np.int32], sizes: Ints) -> Ints:
    """Return after how many halvings a row has about as many others in its box as in random cells of some sizes."""
    found: list[float] = []
    wanted = OTHERS * sizes
    while len(found) <= HALVINGS and (not found or found[-1] > wanted.min()):
        rows = np.diff(np.flatnonzero(parted <= len(found)), prepend=-1).astype(np.float64)
        found.append(float((rows * (rows - 1.0)).sum() / parted.size))
    away = np.log(np.maximum(found, 1e-9) / wanted[:, None])
    return np.unique(np.abs(away).argmin(axis=1))


@dataclass(frozen=True, eq=False)
class RawStatistics:
    """The statistics of all sizes and ways, for the rows of y in an order."""

    cells: tuple[RandomCells, ...]
    part: Ints
    values: Floats
    """What stands for a numeric y or two classes (n, q), centred, or how common each class is (classes,)."""
    codes: NDArray[np.int32] | None

    def __call__(self, order: Ints) -> Floats:
        """Return the statistics with row i of x beside row `order[i]` of y."""
        from kmerf.engine.cells import class_products, number_products

        order = order[self.part]
        found = []
        for cells in self.cells:
            out = np.empty(len(cells.ends))
            if self.codes is None:
                number_products(cells.rows, cells.ends, cells.n_cells, self.values[order], out)
            else:
                class_products(cells.rows, cells.ends, cells.n_cells, self.codes[order], self.values, out)
            found.append(out)
        return np.concatenate(found)


@dataclass(frozen=True, eq=False)
class LargestScore:
    """The largest of several statistics, each on its own scale."""

    raw: RawStatistics
    mean: Floats
    sd: Floats
    skewness: Floats

    def __call__(self, order: Ints) -> float:  # noqa: D102
        z = (self.raw(order) - self.mean) / self.sd
        g = self.skewness
        return float((6.0 / g * (np.cbrt(np.maximum(1.0 + g * z / 2.0, 0.0)) - 1.0) + g / 6.0).max())


def _scales(values: Floats) -> tuple[Floats, Floats, Floats]:
    """Return mean, sd and skewness of each column; those of a column that does not vary make its score 0."""
    mean = values.mean(axis=0)
    sd = values.std(axis=0)
    varies = sd > 1e-12 * np.maximum(np.abs(values).max(axis=0), 1e-300)
    z = np.divide(values - mean, sd, out=np.zeros_like(values), where=varies)
    return mean, np.where(varies, sd, np.inf), np.clip((z**3).mean(axis=0), _MIN_SKEWNESS, _MAX_SKEWNESS)
