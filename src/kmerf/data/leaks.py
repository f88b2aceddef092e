"""Columns of x that alone determine y: copies of it in another unit, or what y was made from.

For a numeric y that is a column whose ranks are those of y, up or down, or categories inside of which y is constant.
For classes it is a column of numbers that has each class in one range of its own, or categories that each are of one
class. A column counts only if chance would hardly make one such column in a thousand tables.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kmerf.core.arrays import mid_ranks, read_only

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints
    from kmerf.data.sample_values import Features, Response, Sample

COPY = 0.9995  # rank correlation from which a column is a copy
MOST_COLUMNS = 2000  # of x that are looked at
CHANCE = math.log(1000.0)

_PRESENT = 0.9  # share of rows in which a column must have a value


def find_leaks(sample: Sample) -> tuple[str, ...]:
    """Return the names of columns that determine y alone; none where x has one column, or y several.

    >>> from kmerf.data.read_sample import read_independence
    >>> wage = np.random.default_rng(0).lognormal(size=30)
    >>> find_leaks(read_independence({"logwage": np.log(wage), "age": np.arange(30.0) % 7}, wage))
    ('logwage',)
    """
    x, y = sample.x, sample.y
    if not 1 < x.p <= MOST_COLUMNS or len(y.names) > 1:
        return ()
    return tuple(name for j, name in enumerate(x.names) if _determines(x, j, y))


def _determines(x: Features, j: int, y: Response) -> bool:
    values = x.column(j)
    rows = ~np.isnan(values)
    if rows.sum() < _PRESENT * len(rows):
        return False
    categories, values = len(x.categories[j]) > 1, values[rows]
    bound = CHANCE + math.log(x.p)
    if y.codes is None:
        return _determines_numbers(values, y.values[rows, 0], categories, bound)
    return _determines_classes(values, y.codes[rows], categories, bound)


def _determines_numbers(values: Floats, y: Floats, categories: bool, bound: float) -> bool:
    if categories:
        return np.unique(values).size <= len(y) / 3 and _constant_within(values, y) and len(y) >= 20
    ranks, other = mid_ranks(values), mid_ranks(y)
    ranks, other = ranks - ranks.mean(), other - other.mean()
    size = math.sqrt(float((ranks**2).sum() * (other**2).sum()))
    distinct = min(np.unique(values).size, np.unique(y).size)
    if size == 0.0 or math.lgamma(distinct + 1) - math.log(2) < bound:
        return False
    return abs(float((ranks * other).sum())) >= COPY * size


def _determines_classes(values: Floats, codes: Ints, categories: bool, bound: float) -> bool:
    sizes = np.unique(codes, return_counts=True)[1]
    arrangements = math.lgamma(len(codes) + 1) - sum(math.lgamma(size + 1) for size in sizes.tolist())
    if len(sizes) < 2 or arrangements - math.lgamma(len(sizes) + 1) < bound or not _constant_within(values, codes):
        return False
    if categories:
        return np.unique(values).size <= len(codes) / 3
    ordered = codes[np.argsort(values, kind="stable")]
    return 1 + int((ordered[1:] != ordered[:-1]).sum()) == len(sizes)


def _constant_within(values: Floats, y: Floats | Ints) -> bool:
    """Tell whether rows with the same value have the same y."""
    order = np.lexsort((y, values))
    same = values[order][1:] == values[order][:-1]
    return not bool((same & (y[order][1:] != y[order][:-1])).any())


def without_columns(sample: Sample, names: tuple[str, ...]) -> Sample:
    """Return a sample without some of the columns of x."""
    x = sample.x
    kept = [j for j, name in enumerate(x.names) if name not in names]
    features = replace(
        x,
        values=read_only(x.values[:, np.isin(x.column_of, kept)]),
        names=tuple(x.names[j] for j in kept),
        kinds=tuple(x.kinds[j] for j in kept),
        column_of=read_only(np.searchsorted(kept, x.column_of[np.isin(x.column_of, kept)])),
        missing=tuple(x.missing[j] for j in kept),
        categories=tuple(x.categories[j] for j in kept),
        shown=None if x.shown is None else x.shown[:, kept],
    )
    return replace(sample, x=features)
