"""The unbiased correlation of two kernels of the same kind (`kmerf.engine.pairs` has the formula).

Permuting y moves the entries of its centred kernel and changes none, so both kernels are centred once, and a permuted
statistic is one sum of products over pairs. The two triangles take as much memory as one matrix (n, n). Above
`MOST_STORED` rows they are not kept: entries are made again each time, in memory that grows as n.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kmerf.execution.parallel import row_blocks

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints
    from kmerf.forests.growing import Labels
    from kmerf.methods.protocol import PermutableStatistic

MOST_STORED = 4096

_NEGLIGIBLE = 1e-12  # a centred kernel's share of the sum of squares, below which it is rounding


@dataclass(frozen=True, eq=False)
class StoredPairs:
    """Centred kernels, stored; x (n (n - 1) / 2,) and y."""

    n: int
    x: Floats
    y: Floats
    norm: float

    def __call__(self, order: Ints) -> float:  # noqa: D102 - see PermutableStatistic
        from kmerf.engine.pairs import dot

        return float(dot(self.x, self.y, order)) / self.norm if self.norm > 0.0 else 0.0


@dataclass(frozen=True, eq=False)
class StreamedMatrix:
    """A kernel known by the data's columns (p, n), its scale and the row sums of its matrix without the diagonal."""

    columns: Floats
    kind: int
    scale: float
    rows: Floats
    square: float

    @classmethod
    def of(cls, columns: Floats, kind: int, scale: float) -> StreamedMatrix:
        """Take the sums in O(n^2) time and O(n) memory."""
        from kmerf.engine.pairs import add_row_sums

        n = columns.shape[1]
        rows = np.zeros(n)
        square = sum(add_row_sums(columns, kind, scale, start, stop, rows) for start, stop in row_blocks(n))
        return cls(columns, kind, scale, rows, float(square))

    def reorder(self, order: Ints) -> StreamedMatrix:
        """Return the kernel of the rows in another order."""
        columns = np.ascontiguousarray(self.columns[:, order])
        return StreamedMatrix(columns, self.kind, self.scale, self.rows[order], self.square)

    def dot(self, other: StreamedMatrix) -> float:
        """Return the sum of products of centred entries over pairs."""
        from kmerf.engine.pairs import centred_dot

        args = self.columns, self.kind, self.scale, self.rows, other.columns, other.scale, other.rows
        return float(sum(centred_dot(*args, start, stop) for start, stop in row_blocks(self.rows.size)))

    @property
    def root(self) -> float:
        """Root of the sum of squares of centred entries over pairs."""
        return spread(self.square, self.dot(self))


@dataclass(frozen=True, eq=False)
class StreamedPairs:
    """Kernels whose entries are made when they are needed."""

    x: StreamedMatrix
    y: StreamedMatrix
    norm: float

    def __call__(self, order: Ints) -> float:  # noqa: D102
        return self.x.dot(self.y.reorder(order)) / self.norm if self.norm > 0.0 else 0.0


def correlation(x: Floats, y: Floats, kind: int, scales: tuple[float, float] = (0.0, 0.0)) -> PermutableStatistic:
    """Return the unbiased correlation of the kernels of x and y, ready to be permuted."""
    n = len(x)
    tables = transposed(x), transposed(y)
    if n > MOST_STORED:
        streams = [StreamedMatrix.of(table, kind, scale) for table, scale in zip(tables, scales, strict=True)]
        return StreamedPairs(streams[0], streams[1], streams[0].root * streams[1].root)
    parts = [_centred_triangle(table, kind, scale) for table, scale in zip(tables, scales, strict=True)]
    return StoredPairs(n, parts[0][0], parts[1][0], parts[0][1] * parts[1][1])


def distance_correlation(x: Floats, y: Floats, labels: Labels | None) -> PermutableStatistic:
    """Return the same of the distances of x and y; those of many classes are taken from their labels."""
    from kmerf.engine.pairs import DISTANCE, LABELS

    if labels is None:
        return correlation(x, y, DISTANCE)
    return correlation(x, labels.codes[:, None].astype(np.float64), DISTANCE, (0.0, LABELS))


def matrix_correlation(x: Floats, y: Floats) -> StoredPairs:
    """Return the same of two matrices (n, n) of distances or similarities, whatever stands on their diagonals."""
    from kmerf.engine.pairs import centre

    n = len(x)
    below = np.tril_indices(n, -1)
    entries = [np.ascontiguousarray(matrix[below]) for matrix in (x, y)]
    roots = [spread(*centre(each, n)) for each in entries]
    return StoredPairs(n, entries[0], entries[1], roots[0] * roots[1])


def transposed(values: Floats) -> Floats:
    """Return the columns as lines (p, n), in memory of their own: compiled code is made for arrays it may write to."""
    return np.array(values.T, dtype=np.float64, order="C")


def spread(square: float, centred: float) -> float:
    """Return the root of the sum of centred squares; 0 where it is nothing but the rounding of `square`."""
    return float(np.sqrt(centred)) if centred > _NEGLIGIBLE * square else 0.0


def distances(values: Floats) -> Floats:
    """Return the Euclidean distances (n, n), from differences: equal ones are equal, and those of a row to itself 0."""
    from kmerf.engine.pairs import DISTANCE, square

    n = len(values)
    columns = transposed(values)
    result = np.empty((n, n))
    for start, stop in row_blocks(n):
        square(columns, DISTANCE, 0.0, start, stop, result[start:stop])
    return result


def median_distance(values: Floats) -> float:
    """Return the median distance between different rows, exactly.

    >>> median_distance(np.array([[0.0], [1.0], [3.0], [10.0]]))
    5.0
    """
    from kmerf.engine.pairs import DISTANCE, triangle

    n = len(values)
    columns = transposed(values)
    pairs = n * (n - 1) // 2
    middle = [(pairs - 1) // 2, pairs // 2]
    if n > MOST_STORED:
        return sum(_order_statistics(columns, middle)) / 2.0
    entries = np.empty(pairs)
    triangle(columns, DISTANCE, 0.0, entries)
    entries, skipped = _around_median(entries)
    middle = [rank - skipped for rank in middle]
    entries.partition(middle)
    return float(entries[middle].sum()) / 2.0


def _centred_triangle(columns: Floats, kind: int, scale: float) -> tuple[Floats, float]:
    from kmerf.engine.pairs import centre, triangle

    n = columns.shape[1]
    entries = np.empty(n * (n - 1) // 2)
    triangle(columns, kind, scale, entries)
    before, after = centre(entries, n)
    return entries, spread(before, after)


def _around_median(values: Floats) -> tuple[Floats, int]:
    """Return those of many values that lie about the median, with both middle ones, and how many smaller there are.

    The values change places. A sample says where the middle is; should it be so unlike the rest that it misses, all of
    them are returned.
    """
    from kmerf.engine.pairs import bring_forward

    if values.size < 2**16:
        return values, 0
    sample = np.sort(values[:: values.size // 2**14])
    low, high = sample[int(0.47 * sample.size)], sample[int(0.53 * sample.size)]
    skipped, inside = bring_forward(values, low, high)
    if skipped <= (values.size - 1) // 2 and values.size // 2 < skipped + inside:
        return values[:inside], int(skipped)
    return values, 0


def _order_statistics(columns: Floats, ranks: list[int]) -> list[float]:
    """Return the distances with the given ranks, from 0 on, in passes that count digits of their binary form."""
    from kmerf.engine.pairs import DIGIT

    leading = [0 for _ in ranks]  # bits
    for shift in range(64 - DIGIT, -1, -DIGIT):
        counts = {bits: _count_digits(columns, bits, shift) for bits in set(leading)}
        ends = {bits: np.cumsum(count) for bits, count in counts.items()}
        digits = [
            int(np.searchsorted(ends[bits], rank, side="right")) for bits, rank in zip(leading, ranks, strict=True)
        ]
        before = [int((ends[bits] - counts[bits])[digit]) for bits, digit in zip(leading, digits, strict=True)]
        ranks = [rank - skipped for rank, skipped in zip(ranks, before, strict=True)]
        leading = [(bits << DIGIT) | digit for bits, digit in zip(leading, digits, strict=True)]
    return [float(value) for value in np.array(leading, np.int64).view(np.float64)]


def _count_digits(columns: Floats, prefix: int, shift: int) -> Ints:
    from kmerf.engine.pairs import DIGIT, count_digits

    counts = np.zeros(1 << DIGIT, np.int64)
    for start, stop in row_blocks(columns.shape[1]):
        count_digits(columns, prefix, shift, start, stop, counts)
    return counts
