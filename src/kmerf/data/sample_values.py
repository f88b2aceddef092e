"""A sample: features and a response whose rows belong together. What a test is given, checked and read-only.

`Features` are numeric columns that remember which original column each is a part of, and a `Response` is a numeric
matrix or one-hot classes. Rows pair by position, only x may have missing cells, and both vary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kmerf.core.arrays import Ints, read_only
from kmerf.data.censoring import Followed

Kind = Literal["numeric", "boolean", "categorical"]

FEWEST_ROWS = 4  # the unbiased statistic divides by n (n - 3)


@dataclass(frozen=True, eq=False)
class Features:
    """The columns of x: numbers, with each category spread over one-hot columns, or as codes if its levels are many."""

    values: NDArray[np.float64]  # (n, expanded columns), NaN = missing
    names: tuple[str, ...]  # original columns
    kinds: tuple[Kind, ...]
    column_of: NDArray[np.int64]  # expanded column -> its original column
    missing: tuple[int, ...]  # missing cells per original column
    categories: tuple[tuple[str, ...], ...]  # per original column, in one-hot order; () if not categorical
    shown: NDArray[np.float64] | None = None  # (n, p), what `column` returns where `values` are no longer one-hot

    @property
    def levels(self) -> Ints:
        """Of how many levels each expanded column has the codes; 0 for numbers, and for what is spread."""
        widths = np.bincount(self.column_of, minlength=self.p)
        counts = np.array([len(labels) for labels in self.categories], np.int64)
        return np.where((widths == 1) & (counts > 1), counts, 0)[self.column_of]

    def column(self, j: int) -> NDArray[np.float64]:
        """Return the values of an original column: numbers, or the number of the category."""
        if self.shown is not None:
            return np.asarray(self.shown[:, j])
        start, end = np.searchsorted(self.column_of, (j, j + 1))
        values = self.values[:, start:end]
        if values.shape[1] == 1 and len(self.categories[j]) != 1:
            return values[:, 0]
        return np.where(np.isnan(values[:, 0]), np.nan, np.nan_to_num(values).argmax(axis=1))

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.values)

    @property
    def p(self) -> int:
        """Number of original columns."""
        return len(self.names)


@dataclass(frozen=True, eq=False)
class Response:
    """What x is tested against: a numeric matrix, one column of classes, one-hot, or scores of times and events."""

    values: NDArray[np.float64]  # (n, q)
    names: tuple[str, ...]
    kind: Literal["numeric", "categorical", "censored"]
    codes: NDArray[np.int64] | None  # class of each row, if categorical
    labels: tuple[str, ...]  # of the classes, in the order of the codes
    followed: Followed | None = None  # times and events, if censored
    columns: tuple[str, ...] = ()  # those of the times and of the events, if censored; `names` are of the scores

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.values)

    @property
    def events(self) -> int | None:
        """Number of events; None if y is not censored."""
        return None if self.followed is None else int(self.followed.event.sum())

    @property
    def q(self) -> int:
        """Number of columns of `values`."""
        return int(self.values.shape[1])

    def take(self, order: NDArray[np.int64]) -> Response:
        """Return the rows in another order."""
        codes = None if self.codes is None else self.codes[order]
        followed = None if self.followed is None else self.followed.take(order)
        return replace(self, values=self.values[order], codes=codes, followed=followed)


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows of x and y that belong together, checked."""

    x: Features
    y: Response
    dropped: int  # rows dropped for a missing y
    notes: tuple[str, ...]  # what the user should know
    blocks: NDArray[np.int64] | None = None  # the block of each row, where rows may not be exchanged freely
    z: Features | None = None  # what x and y are compared given
    tabular: bool = False  # whether it comes from a table, whose columns nobody chose one by one
    inside: NDArray[np.int64] | None = None  # the outer block of each row, where blocks lie inside others
    same_rows: bool = False  # whether every group holds the same rows, each of which is a block
    units: int | None = None  # with blocks: how many of its rows vary independently of each other

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.x.n


def take_rows(sample: Sample, rows: Ints) -> Sample:
    """Return some of the rows of a sample."""
    values = read_only(sample.x.values[rows])
    holes = np.isnan(values).sum(axis=0)
    first = np.searchsorted(sample.x.column_of, np.arange(sample.x.p))  # all parts of a column are missing together
    shown = None if sample.x.shown is None else sample.x.shown[rows]
    x = replace(sample.x, values=values, missing=tuple(holes[first].tolist()), shown=shown)
    z = None if sample.z is None else replace(sample.z, values=read_only(sample.z.values[rows]))
    blocks = None if sample.blocks is None else np.unique(sample.blocks[rows], return_inverse=True)[1].reshape(-1)
    inside = None if sample.inside is None else sample.inside[rows]
    units = None if sample.units is None else max(1, round(sample.units * len(rows) / sample.n))
    return replace(sample, x=x, y=sample.y.take(rows), blocks=blocks, z=z, inside=inside, units=units)


def column_part(x: Features, columns: Sequence[int]) -> Features:
    """Return some of the original columns."""
    ends = np.searchsorted(x.column_of, [(j, j + 1) for j in columns])
    blocks = [x.values[:, start:end] for start, end in ends]
    return Features(
        values=read_only(np.concatenate(blocks, axis=1)),
        names=tuple(x.names[j] for j in columns),
        kinds=tuple(x.kinds[j] for j in columns),
        column_of=np.repeat(np.arange(len(blocks)), [block.shape[1] for block in blocks]),
        missing=tuple(x.missing[j] for j in columns),
        categories=tuple(x.categories[j] for j in columns),
        shown=None if x.shown is None else x.shown[:, list(columns)],
    )
