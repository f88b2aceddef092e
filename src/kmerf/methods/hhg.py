"""The test of Heller, Heller and Gorfine (2013): Pearson's statistic, summed over two-by-two tables of neighbourhoods.

Each ordered pair of rows (i, j) parts the others by whether they are within the distance from i to j, in x and in y;
`kmerf.engine.pairs` has the formula. Only the ranks of distances matter, so they are all that is kept:
8 n^2 bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from kmerf.core.errors import choose
from kmerf.execution.parallel import check_pairs, row_blocks
from kmerf.methods.pair_matrices import transposed
from kmerf.methods.protocol import SCALES, PermutableMethod, Wording

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints
    from kmerf.data.sample import Sample

    Block = tuple[int, int, Floats]  # where some rows start and stop, and the distances from them


@dataclass(frozen=True)
class HHG(PermutableMethod):
    """The sum of Pearson statistics of Heller, Heller and Gorfine, on Euclidean distances, in O(n^2 log n).

    It equals `hyppo.independence.HHG` where no distances are tied. Ties here are exact, as distances come from
    differences; hyppo's are rounded, which breaks some.

    Parameters
    ----------
    scale
        How columns are scaled before they are compared: "standard", to variance 1, so that units do not matter (the
        columns of a category have it together); "ranks", their ranks, so that neither do outliers and skew; "units",
        not at all, as in hyppo.

    >>> import kmerf
    >>> result = kmerf.independence(range(8), range(8), method=HHG(), null=kmerf.Permutation(99), rng=0)
    >>> round(result.statistic, 6), result.pvalue
    (276.0, 0.01)

    """

    scale: str = "standard"

    name: ClassVar[str] = "HHG"
    most_rows: ClassVar[int] = 500  # it sorts all pairs

    def __post_init__(self) -> None:
        choose("scale", self.scale, SCALES)

    def wording(self, classes: bool) -> Wording:
        """Say what it asks."""
        return Wording(
            "Are the nearest rows in x, at any distance, also nearer in y?",
            "rows near each other in these columns are also near in {y}, in ways that its average may not show",
            "a sum over all pairs of rows, on a scale of its own",
        )

    def statistic(self, x: Floats, y: Floats, sample: Sample, seed: int) -> Neighbourhoods:
        """Rank the distances from each row."""
        check_pairs(self.name, len(x), 8.0)
        return Neighbourhoods.of(x, y)


@dataclass(frozen=True, eq=False)
class Neighbourhoods:
    """The neighbours of each row of x by distance, and the ranks of the distances from each row of y."""

    neighbours: NDArray[np.int32]
    ranks: NDArray[np.int32]

    @classmethod
    def of(cls, x: Floats, y: Floats) -> Neighbourhoods:
        """Sort the distances from each row, some rows at a time."""
        return cls._of(len(x), _distances(x), _distances(y))

    @classmethod
    def of_distances(cls, x: Floats, y: Floats) -> Neighbourhoods:
        """Take matrices (n, n) of distances instead of the rows themselves."""
        return cls._of(len(x), _given(x), _given(y))

    @classmethod
    def _of(cls, n: int, x: Iterator[Block], y: Iterator[Block]) -> Neighbourhoods:
        from kmerf.engine import pairs

        neighbours, ranks = np.empty((n, n - 1), np.int32), np.empty((n, n), np.int32)
        for start, stop, distances, order in map(_sorted, x):
            pairs.neighbours(distances, order, neighbours[start:stop])
        for start, stop, distances, order in map(_sorted, y):
            pairs.ranks(distances, order, start, ranks[start:stop])
        return cls(neighbours, ranks)

    def __call__(self, order: Ints) -> float:  # noqa: D102
        from kmerf.engine.pairs import tables

        rows = row_blocks(len(self.ranks), cost=8)
        return float(sum(tables(self.neighbours, self.ranks, order, start, stop) for start, stop in rows))


def _distances(values: Floats) -> Iterator[Block]:
    """Yield the distances from each row, in blocks of rows."""
    from kmerf.engine.pairs import DISTANCE, square

    n = len(values)
    columns = transposed(values)
    for start, stop in row_blocks(n):
        distances = np.empty((stop - start, n))
        square(columns, DISTANCE, 0.0, start, stop, distances)
        yield start, stop, distances


def _given(distances: Floats) -> Iterator[Block]:
    """Yield the rows of a matrix of distances in blocks."""
    for start, stop in row_blocks(len(distances)):
        yield start, stop, distances[start:stop].copy()


def _sorted(block: Block) -> tuple[int, int, Floats, Ints]:
    """Add to a block what sorts the distances from each of its rows, the row itself first."""
    start, stop, distances = block
    distances[np.arange(stop - start), np.arange(start, stop)] = -np.inf  # below whatever stands for a distance
    return start, stop, distances, np.argsort(distances, axis=1)
