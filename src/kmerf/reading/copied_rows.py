"""Rows that are copies of others: found where chance cannot have made them, and used once.

A copy says nothing new. But y changes places row by row under the null, so that copies of a row, which have the same y
as observed, get different ones. A forest that has seen one copy predicts the others, and a test rejects on noise. Each
row used once is an ordinary sample again, whichever rows were copied and however often, and not only the p-value is
right but also R2, AUC and all else that rows out of bag are predicted for.

**Are they copies?** Discrete tables have equal rows by chance: of n rows, C(n, 2) s pairs, if s is the share of pairs
that agree in all columns. It is at most

- the share of pairs that agree in one column, for every column. Pairs of equal rows do not count for it. If no others
  agree in the column, it is 1 / K with K the number of values that the column can have: those of the grid on which
  its values lie, or infinitely many. If many values have three digits or fewer, they were rounded, and K is the number
  of different ones.
- for two columns in each of which different rows agree, the larger of the share of pairs that agree in both and the
  product of their two shares. (Products of three were tried, and called rows of 60 more of 1,932 real tables copies,
  some of which are not: their columns depend on each other by more than the margin.)

The smallest of these, times ten as columns depend on each other, is how many pairs chance can make. Rows are copies if
more of the different rows are there several times, by a Poisson test at 0.001, and if they are there about equally
often: the variance of that, within classes, is at most its mean. (What is rounded or heaped is there very often in some
places.) Rows that are all there twice, or k times, were copied in any table with 20 different ones or more.

**In several groups.** If a row of x is in two groups, a tree that has seen one of the two predicts the wrong group for
the other. Where two such rows are out of bag, a leaf that holds both has predicted wrongly for both, so that they are
of one group more often than chance would have it, and identical samples seem to differ. If nearly all pairs of equal
rows are in different groups, each row is used once, in the smallest of its groups. If it does not depend on x in which
groups a row is, nor does the smallest of them, so the test is exact. If no two groups are left, they hold the same
rows, and p is 1: equal rows are a block each.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kmerf.core.arrays import read_only
from kmerf.core.errors import InputError, Note
from kmerf.data.exchangeability import mixed, row_keys, sizes
from kmerf.data.sample import FEWEST_ROWS, Response, Sample, take_rows

if TYPE_CHECKING:
    from kmerf.core.arrays import Bools, Floats, Ints
    from kmerf.data.exchangeability import Keys

MAX_COMPARED_ROWS = 20_000  # of which shares of pairs are taken
MAX_COMPARED_COLUMNS = 100  # that are looked at
FIRST_COLUMNS = 3  # that are looked at before all others
MAX_PAIRED_COLUMNS = 6  # columns of which every two are looked at
MIN_REPEATED_ROWS = 20  # different rows from which on a table may be there twice
MARGIN = 10.0  # times the equal rows that columns would have if they did not depend on each other
CHANCE = math.log(1000.0)

_MIN_EXPECTED = 0.01  # equal rows that are expected in any table
_MAX_SHARE_IN_ONE_GROUP = 0.1  # of the pairs of equal rows, at most, where groups have rows in common
_MIN_SHARE_ROUNDED = 0.2  # share of values with few digits, from which on a column was rounded


def rows_once(sample: Sample, *, grouped: bool = False) -> Sample:
    """Return a sample in which every copied row is there once, with a note; the sample itself if none is.

    `grouped` where y is the group of a row, and rows of different groups are not to be the same. Where the user says
    which rows belong together, all stay.

    >>> from kmerf.reading.samples import read_independence
    >>> x = np.random.default_rng(0).normal(size=(30, 2))
    >>> sample = read_independence(np.repeat(x, 4, axis=0), np.repeat(x[:, 0], 4))
    >>> sample.n, sample.notes[0][:40]
    (30, '90 of 120 rows are copies of other rows,')
    """
    if sample.blocks is not None:
        return sample
    first_rows = _without_copies(sample)
    if first_rows is not None:
        sample = _with_rows(sample, first_rows, grouped)
    return _in_one_group(sample) if grouped else sample


def _with_rows(sample: Sample, rows: Ints, grouped: bool) -> Sample:
    """Leave out copies, if enough is left for a test."""
    copies = f"{sample.n - rows.size} of {sample.n} rows are copies of other rows, equal in every column"
    if rows.size < FEWEST_ROWS:
        finding = f"has only {rows.size} different rows: {copies}"
        raise InputError(finding, argument="x", remedy=f"a test needs at least {FEWEST_ROWS}")
    if grouped and sample.y.codes is not None and np.bincount(sample.y.codes[rows]).min() < 2:
        kept = f"{copies}, so that the p-value may be too small. They are kept, as a group would have one row without."
        return replace(sample, notes=(Note(kept, rank="doubt"), *sample.notes))
    note = f"{copies}, and are left out: with them, the p-value would be too small."
    return replace(take_rows(sample, rows), notes=(note, *sample.notes))


def _in_one_group(sample: Sample) -> Sample:
    """Use rows of x that are in several groups once."""
    codes = sample.y.codes
    assert codes is not None
    if _all_differ(sample, with_y=False):
        return sample
    keys = _keys(sample, with_y=False)
    first, row, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)[1:]
    row, many = row.reshape(-1), np.bincount(codes)
    pairs, times = np.unique(row * many.size + codes, return_counts=True)  # rows, each with a group that it is in
    groups_of = np.bincount(pairs // many.size)
    shared = int((groups_of > 1).sum())
    if not shared:
        return sample
    same = bool((groups_of == many.size).all() and (times.reshape(-1, many.size) == times[:: many.size, None]).all())
    apart = _pairs(times) <= _MAX_SHARE_IN_ONE_GROUP * _pairs(counts)
    if not same and not (apart and _beyond_chance(keys, sample, with_y=False)):
        return sample
    by_size = np.argsort(many, kind="stable")
    place = np.full(first.size, many.size)
    np.minimum.at(place, pairs // many.size, np.argsort(by_size)[pairs % many.size])
    label = by_size[place]  # the smallest group of each row
    left = np.bincount(label, minlength=many.size)
    if same or (left > 0).sum() < 2:
        return _alike(sample, row)
    found = f"{shared} {'row is' if shared == 1 else 'rows are'} in several groups"
    if (left == 1).any():
        note = f"{found}, so that the p-value may be wrong. They are kept, as a group would have one row without."
        return replace(sample, notes=(note, *sample.notes))
    order = np.sort(first)
    part = take_rows(sample, order)
    gone = [sample.y.labels[k] for k in np.flatnonzero(left == 0)]
    note = f"{found}. Each is used once, in the smallest of its groups" + (
        f", so that group {', '.join(map(repr, gone))} has no row." if gone else "."
    )
    return replace(part, y=_regrouped(part.y, label[row[order]]), notes=(note, *sample.notes))


def _pairs(counts: Ints) -> float:
    """Return how many pairs of equal rows there are."""
    return float((counts * (counts - 1)).sum() // 2)


def _alike(sample: Sample, row: Ints) -> Sample:
    """Let rows change places with equal ones only, which leaves one arrangement; given z, nothing changes places."""
    note = "The groups hold the same rows, so they do not differ"
    if sample.z is not None:
        return replace(sample, notes=(f"{note}.", *sample.notes))
    return replace(sample, blocks=row, same_rows=True, notes=(f"{note}, and p is 1.", *sample.notes))


def _regrouped(y: Response, codes: Ints) -> Response:
    """Return groups with other codes, without those that have no row."""
    used, codes = np.unique(codes, return_inverse=True)
    codes = codes.reshape(-1).astype(np.int64)
    values = read_only(np.eye(used.size)[codes])
    return replace(y, values=values, codes=read_only(codes), labels=tuple(y.labels[k] for k in used))


def _all_differ(sample: Sample, *, with_y: bool) -> bool:
    """Return whether one of the first columns shows at once that no rows are equal: most tables have such a column."""
    first = itertools.islice(_columns(sample, with_y, slice(None)), FIRST_COLUMNS)
    return any(np.unique(values).size == sample.n for values in first)


def _keys(sample: Sample, *, with_y: bool) -> Keys:
    """Return a key for what each row holds, given columns included."""
    parts = [sample.x.values]
    if sample.z is not None:
        parts.append(sample.z.values)
    if with_y:
        parts.append(_y_values(sample.y))
    keys = np.zeros(sample.n, np.uint64)
    for part in parts:
        keys = mixed(keys) + row_keys(part)
    return keys


def _y_values(y: Response) -> Floats:
    return y.values if y.followed is None else np.column_stack(y.followed)


def _columns(sample: Sample, with_y: bool, rows: Ints | slice) -> Iterator[Floats]:
    """Yield some of the original columns, those of y first."""
    y = sample.y
    if with_y:
        yield from ([y.codes[rows].astype(np.float64)] if y.codes is not None else _y_values(y)[rows].T)
    for features in (sample.x, sample.z):
        if features is not None:
            places = np.linspace(0, features.p - 1, min(features.p, MAX_COMPARED_COLUMNS)).astype(int).tolist()
            yield from (features.column(j)[rows] for j in places)


def _without_copies(sample: Sample) -> Ints | None:
    """Return the rows to keep, or None if no row is a copy."""
    if _all_differ(sample, with_y=True):
        return None
    n, keys = sample.n, _keys(sample, with_y=True)
    first, row, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)[1:]
    if first.size == n:
        return None
    row, rows = row.reshape(-1), np.arange(n)
    each = int(np.gcd.reduce(counts)) if first.size >= MIN_REPEATED_ROWS else 1
    if each > 1:
        order = np.argsort(row, kind="stable")
        place = np.empty(n, np.int64)  # of a row among those that are equal
        place[order] = np.arange(n) - np.repeat(np.cumsum(counts) - counts, counts)
        rows = np.flatnonzero(place < (counts // each)[row])
    if rows.size > first.size and _beyond_chance(keys[rows], sample if each == 1 else take_rows(sample, rows)):
        rows = np.sort(first)
    return rows if rows.size < n else None


def _beyond_chance(keys: Keys, sample: Sample, *, with_y: bool = True) -> bool:
    """Return whether more rows are equal to others, by their keys, than chance can make."""
    n = keys.size
    first, counts = np.unique(keys, return_index=True, return_counts=True)[1:]
    classes = sample.y.codes[first] if with_y and sample.y.codes is not None else np.zeros(first.size, np.int64)
    usual = (np.bincount(classes, counts) / np.maximum(1, np.bincount(classes)))[classes]
    if ((counts - usual) ** 2).sum() > counts.sum():
        return False
    repeated, some = int((counts > 1).sum()), np.arange(0, n, -(-n // MAX_COMPARED_ROWS))
    expected = MARGIN * 0.5 * n * (n - 1) * _share(keys[some], _columns(sample, with_y, some)) + _MIN_EXPECTED
    # Chernoff's bound for a Poisson variable
    return repeated > expected and repeated * math.log(repeated / expected) - repeated + expected > CHANCE


def _share(rows: Keys, columns: Iterable[Floats]) -> float:
    """Return what share of the pairs of rows may be equal by chance."""
    equal = _agreeing(rows)
    least = 1.0
    coarse: list[tuple[float, Keys]] = []
    for values in columns:
        keys = row_keys(values[:, None])
        share = _agreeing(keys) - equal
        least = min(least, share if share > 0.0 else 1.0 / _room(values))
        if share > 0.0:
            coarse.append((share, keys))
    finest = sorted(coarse, key=lambda each: each[0])[:MAX_PAIRED_COLUMNS]
    for (a, one), (b, other) in itertools.combinations(finest, 2):
        least = min(least, max(a * b, _agreeing(mixed(one + np.uint64(1)) + other) - equal))
    return least


def _agreeing(keys: Keys) -> float:
    """Return the share of pairs of rows that are equal."""
    counts = sizes(keys).astype(np.float64)
    return float((counts * (counts - 1.0)).sum() / max(1.0, keys.size * (keys.size - 1.0)))


def _room(values: Floats) -> float:
    """Return how many values a column can have.

    >>> grid, rounded = np.arange(1.0, 5001.0), np.array([1.2, 3.4, 3.14159265])
    >>> _room(grid), _room(rounded), _room(np.sqrt(grid[1000:]))
    (5000.0, 3.0, inf)
    """
    distinct = np.unique(values[np.isfinite(values)])
    if distinct.size < 2 or np.mean(_is_short(distinct)) > _MIN_SHARE_ROUNDED:
        return float(max(1, distinct.size))
    gap = float(np.diff(distinct).min())
    for part in range(1, 7):
        steps = (distinct - distinct[0]) * (part / gap)
        if steps[-1] < 1e7 and np.abs(steps - np.round(steps)).max() < 1e-4:
            return float(np.round(steps[-1])) + 1.0
    return math.inf


def _is_short(values: Floats) -> Bools:
    """Return which values have three digits or fewer."""
    size = np.where(values == 0.0, 1.0, np.abs(values))
    scaled = size * 10.0 ** (2.0 - np.floor(np.log10(size)))
    return np.asarray((np.abs(scaled - np.round(scaled)) < 1e-6) | (values == 0.0))
