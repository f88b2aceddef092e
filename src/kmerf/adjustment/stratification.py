"""Strata: rows with the same z, or with the same value of those columns of z that regressions cannot remove.

Where rows share their z, no regression is needed: the residuals are the distances from the stratum's mean, and the
statistics are compared with those of y permuted inside strata. That is exact for any number of rows and strata.

Where z also has columns that few rows share (subjects with two rows each, and age), strata are formed by the *sparse*
columns alone: categories with fewer than `SPARSE_ROWS` rows per level on average, and columns of two values of which
one has fewer rows than that. A regression cannot remove these, as it has to estimate a mean from one or two rows. Means
of strata remove them from x, from y and from functions of the other columns; the others are then removed by regressions
(`kmerf.adjustment.covariates`). If several sparse columns together would leave too few rows to compare, those with
fewer levels are left to the regressions as well.

Do residuals still depend on z? Two checks along each column of z; a small p-value says that they do.

With the rows sorted by a column of z:

Rows with the same value stand in a random order: that of a file may go by x or y.

- neighbours alike: products of residuals of neighbouring rows average to zero if nothing is left, and are positive
  where a smooth remainder is (von Neumann's ratio);
- neighbours better: half the squared difference of neighbouring targets estimates the noise and what other columns
  explain (Rice 1984). If the residuals vary more than that, a rule as simple as copying the neighbour predicts better
  than the regression did. Neither needs to know what the remainder looks like.

The p-value is the smallest of all columns, targets and checks, times their number.

Numbers may also be names: of subjects, sites or batches. `named_levels` finds such columns of z by an analysis of
variance: the residuals of rows with the same value are alike. Its level is shared by all columns and variables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kmerf.core.arrays import Bools, Floats, Ints
from kmerf.core.streams import Purpose, stream

if TYPE_CHECKING:
    from kmerf.data.sample import Features


SPARSE_ROWS = 10  # rows per level on average, below which means of strata are removed
MIN_SHARED_ROWS = 2  # rows per value of z on average, from which on all of z is strata, numbers included
MAX_ROWS_PER_CONTRAST = 4  # one in so many rows must be left to compare if one more column is to form strata


@dataclass(frozen=True, eq=False)
class Stratification:
    """The stratum of each row, and what of z is not constant inside strata."""

    codes: Ints  # (n,)
    rest: tuple[int, ...]  # columns of z that regressions have to remove

    @property
    def sizes(self) -> Ints:
        """Rows of each stratum."""
        return np.bincount(self.codes)

    @property
    def count(self) -> int:
        """Number of strata."""
        return int(self.codes.max()) + 1

    @property
    def freedom(self) -> int:
        """Rows that are left to compare: those beyond the first of each stratum."""
        return self.codes.size - self.count

    @property
    def own(self) -> Floats:
        """The share of each row in the mean of its stratum (n,)."""
        return np.asarray(1.0 / self.sizes[self.codes])


def strata_of(z: Features) -> Stratification | None:
    """Return the strata of z, missing values being a value; None if all of z is left to regressions.

    >>> from kmerf.reading.samples import read_features
    >>> strata_of(read_features([0.0, 1.0, 0.0] * 5)).codes.tolist()[:3]
    [0, 1, 0]
    """
    columns = [numbered(z.column(j)) for j in range(z.p)]
    every = np.zeros(z.n, np.int64)
    for codes in columns:
        every = _joint(every, codes)
    if MIN_SHARED_ROWS * (every.max() + 1) <= z.n:
        return Stratification(every, ())
    sparse = [j for j, codes in enumerate(columns) if _is_sparse(codes, z.kinds[j] == "categorical")]
    if not sparse:
        return None
    first, *others = sorted(sparse, key=lambda j: -int(columns[j].max()))
    strata = columns[first]
    for j in others:
        finer = _joint(strata, columns[j])
        if MAX_ROWS_PER_CONTRAST * (z.n - int(finer.max()) - 1) >= z.n:
            strata = finer
    rest = (j for j, codes in enumerate(columns) if _joint(strata, codes).max() > strata.max())
    return Stratification(strata, tuple(rest))


def _is_sparse(codes: Ints, categorical: bool) -> bool:
    sizes = np.bincount(codes)
    return codes.size < SPARSE_ROWS * sizes.size if categorical else sizes.size == 2 and int(sizes.min()) < SPARSE_ROWS


def numbered(values: Floats) -> Ints:
    """Return the number of each value among those that there are; missing is one of them, and the last."""
    return np.asarray(np.unique(np.where(np.isnan(values), np.inf, values), return_inverse=True)[1].reshape(-1))


def _joint(first: Ints, second: Ints) -> Ints:
    return np.asarray(np.unique(first * (second.max() + 1) + second, return_inverse=True)[1].reshape(-1))


def within(targets: Floats, strata: Ints) -> Floats:
    """Return targets (n, q) less the mean of their stratum."""
    return np.asarray(targets - _sums(targets, strata) / np.bincount(strata)[strata, None])


def means_of_others(targets: Floats, strata: Ints) -> Floats:
    """Return what the other rows of its stratum predict for each row of centred targets (n, q); 0 if there are none."""
    others = (np.bincount(strata)[strata] - 1.0)[:, None]
    return np.asarray(np.where(others > 0.0, (_sums(targets, strata) - targets) / np.maximum(others, 1.0), 0.0))


def _sums(targets: Floats, strata: Ints) -> Floats:
    columns = [np.bincount(strata, column)[strata] for column in targets.T]
    return np.column_stack(columns) if columns else np.empty(targets.shape)


def varies_inside(values: Floats, strata: Ints) -> Bools:
    """Return which columns (n, q) vary inside some stratum, and by more than rounding."""
    left = within(np.where(np.isnan(values), 0.0, values), strata)
    return np.asarray(left.std(axis=0) > 1e-9 * np.maximum(np.nanstd(values, axis=0), np.finfo(np.float64).tiny))


def log_arrangements(values: Floats, strata: Ints) -> float:
    """Return the logarithm of the number of different orders of rows inside strata.

    >>> values, strata = np.array([[1.0], [2.0], [2.0], [1.0], [1.0]]), np.array([0, 0, 0, 1, 1])
    >>> round(float(np.exp(log_arrangements(values, strata))))
    3
    """
    from scipy.special import gammaln

    rows = np.column_stack([strata, np.where(np.isnan(values), np.inf, values)])
    same = np.unique(rows, axis=0, return_counts=True)[1]
    return float(gammaln(np.bincount(strata) + 1.0).sum() - gammaln(same + 1.0).sum())


_MIN_VALUES = 3  # different values of a column along which neighbours mean something
_NAMES_LEVEL = 0.1  # p-value at or below which numbers are taken for names: a name taken for a number costs much more
_MAX_NAME_SHARE = 0.5  # of the rows: a value that more of them have, such as zero, is not a name


def lack_of_fit(z: Floats, residuals: Floats, prediction_errors: Floats, targets: Floats, seed: int) -> float:
    """Return the p-value of whether residuals (n, q) depend on z (n, p).

    The seed orders rows with the same value. `prediction_errors` (n, q) are those of the best prediction of the targets
    (n, q); neighbours should not have smaller ones.
    """
    from scipy.special import ndtr

    scores: list[Floats] = []
    shuffled = stream(seed, Purpose.TIED_NEIGHBOURS).permutation(len(z))
    for column in z.T:
        different = np.unique(column).size
        order = shuffled[np.argsort(column[shuffled], kind="stable")]
        if different >= _MIN_VALUES:
            scores.append(_alike(residuals[order]))
        if 2 * different >= column.size:
            scores.append(_better(prediction_errors[order], targets[order]))
    if not scores:  # columns of two values have no neighbours
        return 1.0
    every = np.concatenate(scores)
    return float(min(1.0, every.size * ndtr(-every.max())))


def named_levels(z: Features, residuals: Sequence[Floats]) -> tuple[int, ...]:
    """Return the numeric columns of z whose values are names of levels, by what is left of some variables (n, q)."""
    from scipy.special import fdtrc

    columns = [(j, numbered(z.column(j))) for j in range(z.p) if z.kinds[j] != "categorical"]
    able = [(j, codes, int(codes.max()) + 1) for j, codes in columns if _may_be_names(codes)]
    names = []
    for j, codes, levels in able:
        for each in residuals:
            inside = (within(each, codes) ** 2).sum(axis=0)
            between = ((each - each.mean(axis=0)) ** 2).sum(axis=0) - inside
            ratios = (between / (levels - 1)) / np.maximum(inside / (z.n - levels), np.finfo(np.float64).tiny)
            tests = len(able) * len(residuals) * each.shape[1]
            if tests * float(fdtrc(levels - 1, z.n - levels, ratios).min()) <= _NAMES_LEVEL:
                names.append(j)
                break
    return tuple(names)


def _may_be_names(codes: Ints) -> bool:
    """Return whether a column has enough values, and rows that share them, but not most of them one."""
    sizes = np.bincount(codes)
    if sizes.size < _MIN_VALUES or sizes.max() > _MAX_NAME_SHARE * codes.size:
        return False
    return MAX_ROWS_PER_CONTRAST * (codes.size - sizes.size) >= codes.size


def _alike(residuals: Floats) -> Floats:
    """Return how many standard errors the products of neighbours are above zero."""
    centred = residuals - residuals.mean(axis=0)
    return _score(centred[1:] * centred[:-1])


def _better(residuals: Floats, values: Floats) -> Floats:
    """Return by how many standard errors residuals vary more than half the squared differences of neighbours."""
    squares = residuals**2
    return _score((squares[1:] + squares[:-1] - np.diff(values, axis=0) ** 2) / 2.0)


def _score(terms: Floats) -> Floats:
    size = np.sqrt((terms**2).sum(axis=0))
    return np.asarray(np.divide(terms.sum(axis=0), size, out=np.zeros(terms.shape[1]), where=size > 0.0))
