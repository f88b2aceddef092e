"""A random sample of the rows, for a quicker answer: seeded, and named among the notes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kmerf.core.errors import Argument, InputError, whole
from kmerf.core.streams import Purpose, Seed, as_seed, stream
from kmerf.data.censoring import FEWEST_EVENTS
from kmerf.data.sample_values import FEWEST_ROWS, Sample, take_rows

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints


def some_rows(sample: Sample, rows: int | None, rng: Seed) -> tuple[Sample, Seed]:
    """Return a sample of so many rows, and the seed that drew it; the sample itself if it has no more.

    Classes keep their shares, and two rows each or more.

    >>> from kmerf.data.read_sample import read_independence
    >>> part, _ = some_rows(read_independence(list(range(100)), list(range(100))), 10, 1)
    >>> part.n, part.notes
    (10, ('A random sample of 10 of 100 rows was tested.',))
    """
    if rows is None:
        return sample, rng
    size = whole("rows", rows, FEWEST_ROWS)
    if size >= sample.n:
        return sample, rng
    if sample.blocks is not None:
        remedy = "leave one of them out, or sample blocks yourself"
        raise InputError("would tear blocks apart", argument=Argument("rows", rows), remedy=remedy)
    seed = as_seed(rng)
    part = take_rows(sample, draw_rows(sample, size, stream(seed, Purpose.SAMPLED_ROWS)))
    lack = untestable(part)
    if lack is not None:
        raise InputError(f"drew {lack}", argument=Argument("rows", rows), remedy="ask for more rows")
    note = f"A random sample of {part.n} of {sample.n} rows was tested."
    return replace(part, notes=(*sample.notes, note)), seed


def untestable(part: Sample) -> str | None:
    """Say why some rows of a sample cannot be tested although the whole sample can, or return None if they can.

    These are the checks of `kmerf.data.sample_building` that a part can fail: x, y and z vary, and there are events.
    """
    events = part.y.events
    if events is not None and events < FEWEST_EVENTS:
        return f"{events or 'no'} event{'s' * (events != 1)}, and a test needs {FEWEST_EVENTS}"
    if not _varies(part.y.values):
        return "a single value of y"
    if not _varies(part.x.values):
        return "a single value of every column of x"
    if part.z is not None and not _varies(part.z.values):
        return "a single value of every column of given"
    return None


def _varies(values: Floats) -> bool:
    """Return whether two rows differ; a missing cell differs from a number."""
    same = (values == values[0]) | (np.isnan(values) & np.isnan(values[0]))
    return not bool(same.all())


def draw_rows(sample: Sample, size: int, rng: np.random.Generator) -> Ints:
    """Return about so many rows at random; classes keep their shares, and two rows each or more."""
    codes = np.zeros(sample.n, np.int64) if sample.y.codes is None else sample.y.codes
    drawn = []
    for code in np.unique(codes):
        rows = np.flatnonzero(codes == code)
        share = max(round(size * rows.size / sample.n), min(2, rows.size))
        drawn.append(rng.permutation(rows)[:share])
    return np.sort(np.concatenate(drawn))
