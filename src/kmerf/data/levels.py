"""Categories with many levels as columns of numbers, for what cannot use their codes: all that is not a tree of ours.

Trees order the levels by what they see of y (`kmerf.engine.grow`). Nothing here looks at y, so nothing has to be done
again when it is permuted: a category has a column of zeros and ones for each of its commonest levels, and one for all
others together. That a category with few levels is spread so from the start, `kmerf.reading.samples` sees to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kmerf.core.arrays import read_only
from kmerf.core.errors import InputError

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats
    from kmerf.data.sample import Features

FEW_LEVELS = 32  # of a category that are spread over columns of their own; one with more is a column of codes
MOST_CELLS = 500_000_000  # that categories may be spread over; four gigabytes


def common_levels(x: Features) -> Features:
    """Spread each category that is still codes over its commonest levels, of equals the first, and the rest as one.

    >>> from kmerf.reading.samples import read_features
    >>> names = [f"town {i}" for i in range(40)]
    >>> x = common_levels(read_features({"town": [*names, *names[9:]]}, categorical="town"))
    >>> x.values.shape, x.values.sum(axis=0)[[0, 30, 31]].tolist()
    ((71, 32), [2.0, 2.0, 9.0])
    """
    return _spread(x, FEW_LEVELS - 1)


def all_levels(x: Features, argument: str = "x") -> Features:
    """Spread each category that is still codes over all of its levels.

    >>> from kmerf.reading.samples import read_features
    >>> x = all_levels(read_features({"town": [f"town {i}" for i in range(40)]}, categorical="town"))
    >>> x.values.shape
    (40, 40)
    """
    cells = x.n * int(x.levels.sum())
    if cells > MOST_CELLS:
        size = f"{int(x.levels.sum())} categories in {x.n} rows are {8e-9 * cells:.0f} GB of numbers here"
        raise InputError(f": {size}", argument=argument, remedy="merge rare categories, or leave out such columns")
    return _spread(x, None)


def as_categories(x: Features, columns: Sequence[int]) -> Features:
    """Read some numeric columns, by position, as categories: each value is a level.

    >>> from kmerf.reading.samples import read_features
    >>> x = as_categories(read_features([[7.0, 1.0], [9.0, 2.0], [7.0, 3.0]]), [0])
    >>> x.values.tolist(), x.kinds, x.categories[0]
    ([[1.0, 0.0, 1.0], [0.0, 1.0, 2.0], [1.0, 0.0, 3.0]], ('categorical', 'numeric'), ('7.0', '9.0'))
    """
    blocks, kinds, categories = [], list(x.kinds), list(x.categories)
    for j in range(x.p):
        block = x.values[:, x.column_of == j]
        if j in columns:
            values, codes = np.unique(block[:, 0], return_inverse=True)  # NaN is last, and there once
            known = values[~np.isnan(values)]
            whole = np.where(np.isnan(block[:, 0]), np.nan, codes.reshape(-1))
            block = whole[:, None] if known.size > FEW_LEVELS else _zeros_and_ones(whole, known.size, None)
            kinds[j], categories[j] = "categorical", tuple(map(str, known.tolist()))
        blocks.append(block)
    column_of = read_only(np.repeat(np.arange(x.p), [block.shape[1] for block in blocks]))
    values = read_only(np.concatenate(blocks, axis=1))
    return replace(x, values=values, column_of=column_of, kinds=tuple(kinds), categories=tuple(categories))


def _spread(x: Features, most: int | None) -> Features:
    if not x.levels.any():
        return x
    known = zip(x.values.T, x.levels.tolist(), strict=True)
    blocks = [_zeros_and_ones(column, levels, most) if levels else column[:, None] for column, levels in known]
    widths = [block.shape[1] for block in blocks]
    column_of = read_only(np.repeat(x.column_of, widths))
    return replace(x, values=read_only(np.concatenate(blocks, axis=1)), column_of=column_of)


def _zeros_and_ones(codes: Floats, levels: int, most: int | None) -> Floats:
    present = ~np.isnan(codes)
    whole = codes[present].astype(np.int64)
    commonest = np.argsort(-np.bincount(whole, minlength=levels), kind="stable")
    kept = np.arange(levels) if most is None else commonest[:most]
    place = np.full(levels, kept.size)
    place[kept] = np.arange(kept.size)
    out = np.full((codes.size, kept.size + (kept.size < levels)), np.nan)
    out[present] = place[whole, None] == np.arange(out.shape[1])
    return out
