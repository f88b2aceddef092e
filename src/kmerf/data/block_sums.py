"""Arithmetic in blocks of rows: where columns vary, values less the mean of their block, and one value per block.

The mean of a small block is less certain than that of a large one. So where sizes differ, means are drawn towards the
mean of all, the more the smaller the block: with s_b the variance between blocks, s_w that within, and n rows,

    centre + sqrt(w / max(w)) (mean - centre),    w = n / (n s_b + s_w).

A mixed model weighs blocks by w, one over the variance of their mean. With its root, all values have the same variance,
so that their spread does not tell how large a block is, and most of what the weights gain is kept. The two variances
are estimated from the same column alone (one-way analysis of variance), so this cannot make a test invalid.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kmerf.core.arrays import Floats, Ints

_DIGITS = 40  # binary digits of the largest value that are kept, so that equal values stay equal


@dataclass(frozen=True, eq=False)
class Blocks:
    """Rows in blocks that are numbered from 0 on, in the order in which they appear."""

    labels: Ints
    order: Ints
    """The rows, block by block."""
    first: Ints
    """The first row of each block, in that order."""
    starts: Ints
    sizes: Ints

    @classmethod
    def of(cls, labels: Ints) -> Blocks:
        """Sort the rows by their block.

        >>> Blocks.of(np.array([7, 3, 7])).sizes.tolist()
        [2, 1]
        """
        _, first, places = np.unique(labels, return_index=True, return_inverse=True)
        numbers = np.argsort(np.argsort(first))[places.reshape(-1)]
        order = np.argsort(numbers, kind="stable")
        sizes = np.bincount(numbers)
        starts = np.cumsum(sizes) - sizes
        return cls(numbers, order, order[starts], starts, sizes)

    @property
    def count(self) -> int:
        """Number of blocks."""
        return int(self.sizes.size)

    @property
    def of_one_size(self) -> bool:
        """Whether all blocks have as many rows."""
        return bool((self.sizes == self.sizes[0]).all())

    def vary(self, values: Floats) -> NDArray[np.bool_]:
        """Tell in which blocks each column varies (blocks, columns); a missing value differs from all others.

        >>> Blocks.of(np.array([0, 0, 1, 1])).vary(np.array([[1.0, 2], [1, 2], [1, 3], [1, np.nan]])).tolist()
        [[False, False], [False, True]]
        """
        holes = self._sum(np.isnan(values).astype(np.float64))
        low, high = self._reduce(np.fmin, values), self._reduce(np.fmax, values)
        mixed = (holes > 0) & (holes < self.sizes[:, None])
        return mixed | (low < high)

    def centred(self, values: Floats) -> Floats:
        """Return values less the mean of their block; missing ones stay missing.

        >>> Blocks.of(np.array([0, 0, 1, 1])).centred(np.array([[1.0], [2.0], [7.0], [np.nan]])).ravel()
        array([-0.5,  0.5,  0. ,  nan])
        """
        low = self._reduce(np.fmin, values)
        above = values - low[self.labels]  # so that a block of equal values has zeros, and not what rounding leaves
        known = np.maximum(self._sum((~np.isnan(above)).astype(np.float64)), 1.0)
        middle = self._sum(np.nan_to_num(above)) / known
        found: Floats = above - middle[self.labels]
        return _rounded(found, values)

    def means(self, values: Floats) -> Floats:
        """Return one value per block of each column (blocks, columns): its mean, drawn to that of all if sizes differ.

        >>> Blocks.of(np.array([0, 0, 1, 1])).means(np.array([[1.0], [2.0], [7.0], [9.0]])).ravel()
        array([1.5, 8. ])
        """
        low = self._reduce(np.fmin, values)
        present = self._sum((~np.isnan(values)).astype(np.float64))
        above = values - low[self.labels]
        means = low + self._sum(np.nan_to_num(above)) / np.maximum(present, 1.0)
        for k in range(values.shape[1]):
            known = present[:, k] > 0
            if known.any():
                means[known, k] = self._drawn(values[:, k], means[known, k], present[known, k])
        return _rounded(means, values)

    def _drawn(self, values: Floats, means: Floats, sizes: Floats) -> Floats:
        """Draw the means of small blocks towards the mean of all."""
        count, n = sizes.size, sizes.sum()
        if count < 2 or n == count or (sizes == sizes[0]).all():
            return means
        inside = float(np.nansum(self.centred(values[:, None]) ** 2)) / (n - count)
        around = float((sizes * (means - (sizes * means).sum() / n) ** 2).sum()) / (count - 1)
        usual = (n - (sizes**2).sum() / n) / (count - 1)
        between = max(0.0, (around - inside) / usual)
        if inside == 0.0 or not np.isfinite(inside + between):
            return means
        weights = sizes / (sizes * between + inside)
        centre = (weights * means).sum() / weights.sum()
        drawn: Floats = centre + np.sqrt(weights / weights.max()) * (means - centre)
        return drawn

    def _sum(self, values: Floats) -> Floats:
        return self._reduce(np.add, values)

    def _reduce(self, how: np.ufunc, values: Floats) -> Floats:
        found: Floats = how.reduceat(values[self.order], self.starts, axis=0)
        return found


def _rounded(found: Floats, values: Floats) -> Floats:
    """Round to what is certain, so that values that are equal but for rounding are equal."""
    scale, size = _largest(found), _largest(values)
    step = np.exp2(np.maximum(np.floor(np.log2(scale)) - _DIGITS, np.floor(np.log2(size)) - _DIGITS - 10))
    rounded: Floats = np.round(found / step) * step
    return rounded


def _largest(values: Floats) -> Floats:
    sizes = np.where(np.isfinite(values), np.abs(values), 0.0).max(axis=0)
    return np.where(sizes > 0.0, sizes, 1.0)
