"""Do rows look ordered in time, or repeated per subject? Then they cannot be exchanged freely under the null.

The signs are: a column of dates that only rises or only falls; values of y that resemble those of the row before, by
the lag-one correlation of ranks, whose n^(1/2)-fold is standard normal for rows in random order; and a column that is
called after a subject, or crossed with one of time, and holds the same value several times. A table that is merely
sorted, by y, by a group or by a column, shows the second sign too; within groups it is looked for again.
`benchmarks/studies/repeated_subjects.py` measures how often these signs are seen without reason.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from kmerf.core.arrays import mid_ranks
from kmerf.core.errors import Argument, Note

LIMIT = 3.29  # two-sided p of 0.001

_SUBJECT = re.compile(
    r"(^|[^a-z])(id|pid|subj|subject|patient|participant|person|individual|respondent|animal|mouse|mice|rat|donor|twin|"
    r"pair|family|litter|cage|household|student|user|customer|judge|rater|(child|pupil|case|hh)[^a-z]*id)s?"
    r"([^a-z]*(id|no|nr|num|number|code|name)?[^a-z]*)$",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"(^|[^a-z])(time|timestamp|date|day|week|month|year|hour|minute|second|t)s?([^a-z]|$)", re.IGNORECASE
)

NO_BLOCKS = "this question assumes independent rows; independence, ksample and screen, without given, accept "
NO_ORDER = "this question assumes independent rows; independence, ksample and screen accept "


def looks_like_subject(name: str, rows: int, distinct: int) -> bool:
    """Return whether a column seems to say which subject a row is from, and some have several rows.

    >>> looks_like_subject("patient_id", rows=60, distinct=20), looks_like_subject("patient_id", rows=60, distinct=60)
    (True, False)
    """
    return 2 < distinct <= 0.95 * rows and rows <= 200 * distinct and looks_like_subject_name(name)


def looks_like_subject_name(name: str) -> bool:
    """Return whether a column is called after a subject.

    >>> looks_like_subject_name("subjectId"), looks_like_subject_name("acid")
    (True, False)
    """
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)  # subjectId
    return bool(_SUBJECT.search(spaced))


def looks_like_time(name: str) -> bool:
    """Return whether a column is called after time.

    >>> looks_like_time("visit_day"), looks_like_time("sunday_roast")
    (True, False)
    """
    return bool(_TIME.search(name))


def is_sorted(values: NDArray[np.float64]) -> bool:
    """Return whether numbers, some of them different, only rise or only fall; missing and infinite ones apart."""
    steps = np.diff(values[np.isfinite(values)])
    return bool(steps.size and (steps != 0).any() and ((steps >= 0).all() or (steps <= 0).all()))


def is_grouped(codes: NDArray[np.float64]) -> bool:
    """Return whether equal values stand together, each in one run of rows, and most rows are beside an equal one."""
    runs = 1 + int((codes[1:] != codes[:-1]).sum())
    return runs == len(np.unique(codes)) and 1 < runs <= len(codes) / 2


def lag_correlation(values: NDArray[np.float64]) -> float:
    """Return the correlation of each row's rank with that of the row before; 0 where there is none.

    >>> round(lag_correlation(np.sin(np.arange(100) / 5)), 1)
    1.0
    """
    ranks = mid_ranks(values)
    ranks = ranks - ranks.mean()
    size = float((ranks**2).sum())
    return float((ranks[1:] * ranks[:-1]).sum() / size) if size else 0.0


def lag_is_strong(values: NDArray[np.float64]) -> bool:
    """Return whether rows resemble the row before, at a two-sided p of 0.001."""
    return len(values) >= 20 and lag_correlation(values) * math.sqrt(len(values)) >= LIMIT


MIN_ROWS = 20
MIN_TIMES = 5  # different values of a column that may be time
MIN_SECTION = 5  # rows per run of a column by which a table is sorted, on average
MIN_PIECE = 25  # rows per rising or falling piece of a y by which sections are sorted, on average


def is_time(name: str, values: NDArray[np.float64]) -> bool:
    """Return whether a column is called after time and has more than a few values."""
    return looks_like_time(name) and np.unique(values).size >= MIN_TIMES


def is_sorted_in_sections(values: NDArray[np.float64]) -> bool:
    """Return whether values rise and fall in few long pieces, as those of a table do that was sorted by them.

    >>> is_sorted_in_sections(np.tile(np.arange(50.0), 3)), is_sorted_in_sections(np.arange(60.0) * 7 % 10)
    (True, False)
    """
    steps = np.sign(np.diff(values[np.isfinite(values)]))
    steps = steps[steps != 0]
    return 1 + int((steps[1:] != steps[:-1]).sum()) <= max(2, len(values) / MIN_PIECE)


def serial(y: NDArray[np.float64], others: Iterable[tuple[str, NDArray[np.float64]]]) -> float | None:
    """Return the lag-one correlation of y if it is strong and no sorting of the table explains it, else None.

    `others` are the names and codes of the other columns, without those that count the rows. A column by which rows are
    sorted explains it, unless it is time, or rises with time. Columns that stand in long runs cut the table into
    sections; then it is what is left inside of the sections that counts.
    """
    if len(y) < 20 or is_sorted(y) or is_grouped(y):
        return None
    columns = list(others)
    ranks = mid_ranks(y)
    correlation = lag_correlation(ranks)
    if correlation * math.sqrt(len(y)) < LIMIT:
        return None
    if is_sorted_in_sections(y) and not any(is_time(*each) for each in columns):
        return None
    in_time = any(is_time(*each) and is_sorted(each[1]) for each in columns)  # then what else rises is a trend
    cuts = np.zeros(len(y) - 1, dtype=np.bool_)
    for name, values in columns:
        steps = np.diff(values) if np.isfinite(values).all() else np.array([0.0, 1.0])
        if bool((steps == steps[0]).all()) or is_time(name, values):
            continue
        changes = ~((values[1:] == values[:-1]) | (np.isnan(values[1:]) & np.isnan(values[:-1])))
        shares = np.unique(values, return_counts=True)[1] / len(y)
        by_chance = len(y) * (1.0 - float((shares**2).sum()))  # changes in random order
        if MIN_SECTION * (1 + int(changes.sum())) <= len(y) and 2 * int(changes.sum()) <= by_chance:
            if is_grouped(values) and is_grouped(_pairs(values, y)):  # sorted by this column and then by y
                return None
            cuts |= changes
        elif not in_time and (is_sorted(values) or is_grouped(values)):
            return None
    return _within_sections(ranks, np.concatenate([[0], np.cumsum(cuts)]), correlation)


def _within_sections(ranks: NDArray[np.float64], section: NDArray[np.int64], correlation: float) -> float | None:
    """Return the lag-one correlation inside of sections, if it is strong; less than a third of the rows begin one."""
    sizes = np.bincount(section)
    if sizes.size > len(ranks) / 3:
        return None
    left = within_groups(ranks, section.astype(np.float64))
    squares = float((left**2).sum())
    inside = section[1:] == section[:-1]
    if squares == 0.0:
        return None
    lost = float((np.bincount(section, left**2) / sizes).sum())  # taking means makes neighbours unlike each other
    within = (float((left[1:] * left[:-1])[inside].sum()) + lost) / squares
    return min(correlation, within) if within * math.sqrt(int(inside.sum())) >= LIMIT else None


def _pairs(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Number the different pairs of two columns."""
    codes = np.unique(np.column_stack([a, b]), axis=0, return_inverse=True)[1]
    return codes.reshape(-1).astype(np.float64)


def within_groups(values: NDArray[np.float64], groups: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return values less the mean of their group.

    >>> within_groups(np.array([1.0, 3.0, 10.0, 10.0]), np.array([0.0, 0.0, 1.0, 1.0])).tolist()
    [-1.0, 1.0, 0.0, 0.0]
    """
    codes = np.unique(groups, return_inverse=True)[1].reshape(-1)
    means = np.bincount(codes, values) / np.bincount(codes)
    return np.asarray(values - means[codes])


def subjects(columns: Mapping[str, NDArray[np.float64]], labels: Collection[str]) -> list[str]:
    """Return the columns that seem to say which subject a row is from, some of whom have several rows.

    Such a column is called after a subject; or it is crossed with a column of time: no value of it has the same time
    twice, and there is a row for at least half of all pairs of the two. `labels` are the columns that hold labels.

    >>> who, when = np.repeat([0.0, 1, 2, 3, 4], 3), np.tile([1.0, 2, 3], 5)
    >>> subjects({"Chick": who, "Time": when, "weight": who * when}, ["Chick"])
    ['Chick']
    """
    rows = len(next(iter(columns.values()))) if columns else 0
    sizes = {name: len(np.unique(codes)) for name, codes in columns.items()}
    # times of measurement are few and whole; a duration is something else
    times = [
        name for name in columns if looks_like_time(name) and 3 <= sizes[name] <= rows / 2 and _whole(columns[name])
    ]
    named = []
    for name, codes in columns.items():
        whole = name in labels or _whole(codes)
        if looks_like_subject(name, rows, sizes[name]) and whole:
            named.append(name)
        elif whole and name not in times and 5 <= sizes[name] <= rows / 2:
            crossed = (_crossed(codes, columns[time], sizes[name] * sizes[time]) for time in times)
            named += [name] if any(crossed) else []
    return named


def _whole(codes: NDArray[np.float64]) -> bool:
    return bool((codes == np.round(codes)).all())  # NaN is no whole number


def _crossed(codes: NDArray[np.float64], time: NDArray[np.float64], cells: int) -> bool:
    if not len(codes) <= cells <= 2 * len(codes):  # then some pair occurs twice, or too few of them occur
        return False
    pairs = np.unique(np.column_stack([codes, time]), axis=0)
    return len(pairs) == len(codes)


def repeated_note(name: str, distinct: int, rows: int, *, takes_blocks: bool = True) -> Note:
    """Say that rows of a column seem to belong together."""
    finding = (
        f"Column {name!r} has {distinct} different values in {rows} rows. If rows with the same one belong together, "
    )
    if not takes_blocks:
        doubt = f"the p-value may be too small: {NO_BLOCKS}"
        return Note(finding, doubt, Argument("blocks", name), ".", rank="doubt")
    return Note(finding, "name what belongs together: ", Argument("blocks", name), ".", rank="doubt")


def dates_note(name: str, *, takes_blocks: bool = True, rank: str = "doubt") -> Note:
    """Say that rows are in the order of a column of dates."""
    finding = f"Rows are in the order of the dates in {name!r}. If neighbouring rows may depend on each other, "
    return Note(finding, "the p-value may be too small: ", *_remedy(takes_blocks, name), ".", rank=rank)


def serial_note(name: str, correlation: float, *, takes_blocks: bool = True, rank: str = "doubt") -> Note:
    """Say that neighbouring rows are alike."""
    finding = f"Neighbouring rows have similar values of {name!r} (lag-one rank correlation {correlation:.2f}). "
    where = "If rows are in the order of time or place, the p-value may be too small: "
    return Note(finding, where, *_remedy(takes_blocks, True), ".", rank=rank)


def inner_note(name: str, correlation: float, rank: str) -> Note:
    """Say that neighbouring rows are alike inside blocks."""
    finding = f"Neighbouring rows inside blocks have similar values of {name!r} (lag-one rank correlation "
    where = f"{correlation:.2f}). If they are in the order of time, the p-value may be too small: pass the column of "
    parts = finding, where, "time as ", Argument("order"), ", or ", Argument("order", True), "."
    return Note(*parts, rank=rank, about="within blocks")  # whole blocks may have any order inside


def serial_inside(
    y: NDArray[np.float64], blocks: NDArray[np.int64], others: Iterable[NDArray[np.float64]] = ()
) -> float | None:
    """Return the lag-one correlation of y inside of blocks, whose rows are in the order of the table, if it is strong.

    Each value of a column of `others` that stands in one run per block cuts blocks into sections.

    >>> wave = np.sin(np.arange(120) / 3)
    >>> serial_inside(wave, np.repeat(np.arange(4), 30)) > 0.8, serial_inside(wave * 0.0, np.repeat(np.arange(4), 30))
    (True, None)
    >>> arm = np.tile(np.repeat([0.0, 1.0], 15), 4)
    >>> noise = np.random.default_rng(0).normal(size=120)
    >>> serial_inside(3 * arm + noise, np.repeat(np.arange(4), 30), [arm]) is None
    True
    """
    if len(y) < MIN_ROWS:
        return None
    order = np.argsort(blocks, kind="stable")
    section = np.unique(blocks[order], return_inverse=True)[1].reshape(-1)
    cuts = section[1:] != section[:-1]
    inner = cuts.copy()
    for values in (column[order] for column in others):
        changes = cuts | ~((values[1:] == values[:-1]) | (np.isnan(values[1:]) & np.isnan(values[:-1])))
        pairs = _pairs(section.astype(np.float64), np.nan_to_num(values, nan=np.inf))
        runs = 1 + int(changes.sum())
        if runs == np.unique(pairs).size and 2 * runs <= len(y):
            inner |= changes
    inner = inner if 3 * (1 + int(inner.sum())) <= len(y) else cuts  # else nothing is left inside of sections
    return _within_sections(mid_ranks(y)[order], np.concatenate([[0], np.cumsum(inner)]), 1.0)


def rises_inside(values: NDArray[np.float64], blocks: NDArray[np.int64]) -> bool:
    """Return whether numbers only rise from row to row of every block, as those of time do."""
    order = np.argsort(blocks, kind="stable")
    inside = blocks[order][1:] == blocks[order][:-1]
    return bool(inside.any() and (np.diff(values[order])[inside] > 0).all())


def _remedy(takes_blocks: bool, order: str | bool) -> tuple[str | Argument, ...]:
    return ("pass " if takes_blocks else NO_ORDER, Argument("order", order))
