"""What becomes of each column of a table, whether it comes from a file or as a dataframe: the one place that decides.

A column of x is used, left out with a note, or asked about: an error that says what to do, raised together with all
others. What the user names (`keep`, `categorical`) is used if it can be. `docs/reading.md` has the rules as a table.
Columns of arrays are used as they are (`usable`).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kmerf.core.errors import Argument, InputError, Message, Note, listed
from kmerf.core.safe_text import is_number
from kmerf.reading.containers import Column, word_codes
from kmerf.reading.dates import date_parts, digits_as_dates
from kmerf.reading.number_cells import WrittenNumbers, hold_several, may_hold_numbers, stray_texts, written_numbers
from kmerf.reading.row_order import looks_like_subject_name, looks_like_time
from kmerf.reading.text_cells import Fault, StrayCells, are_dates, are_times, mixed_dates, number_fault

MAX_CATEGORIES_OF_TEXT = 20  # text with no more levels than this, each twice on average, is read as categories
MIN_ROWS_PER_LEVEL = 10  # with more levels, each has so many rows on average, or
MIN_LEVEL_ROWS = 5  # those with fewer rows are pooled,
MAX_POOLED = 0.2  # and have no more than this share of the rows
POOLED = "(other levels)"
SEVERAL = "has several numbers in a cell"  # which have to be split before they can be used
MIN_COUNTED_ROWS = 20  # rows from which a column that counts them is a counter, whatever its name

_COUNTER = re.compile(
    r"^(unnamed.*|rownames?|rows?|row_?(id|no|num|number|index|names?)|index|idx|obs|observation|case|record|no|nr|"
    r"num|number|seq|seqn|sequence|serial|x\.?1?)$",
    re.IGNORECASE,
)


class ColumnRuling(NamedTuple):
    """What becomes of a column of x."""

    column: Column
    """As it is used: text as categories."""
    use: bool = True
    remark: str = ""
    """Why it is left out, or what to know of it."""
    error: InputError | None = None
    """Why it cannot be used, where the user has to decide."""
    times: tuple[Column, ...] = ()
    """What a column of dates or times becomes."""

    @property
    def parts(self) -> tuple[Column, ...]:
        """The columns that it is used as."""
        return self.times or (self.column,)


def judge(
    columns: Sequence[Column], keep: Collection[str] = (), declared: Collection[str] = (), dates: str = "auto"
) -> list[ColumnRuling]:
    """Decide what becomes of the columns of x, each of which is `typed`; the only one is used in any case.

    >>> from kmerf.reading.containers import read
    >>> table = {"id": [1, 2, 3, 4], "sex": ["f", "m", "f", "m"]}
    >>> [(each.column.name, each.use, each.remark) for each in judge(read("x", table, strict=False))]
    [('id', False, 'counts the rows'), ('sex', True, 'as categories')]
    """
    alone = len(columns) == 1
    return [_ruling(c, alone or c.name in keep or c.name in declared, c.name in declared, dates) for c in columns]


def trimmed(column: Column) -> Column:
    """Return a column of text without blanks around its cells, as in files; a blank cell is missing.

    >>> from kmerf.reading.containers import read
    >>> trimmed(read("x", {"sex": [" Male", "Female", " "]})[0]).values.tolist()
    ['Male', 'Female', None]
    """
    if column.kind not in ("text", "categorical"):
        return column
    texts = {entry: entry.strip() or None for entry in column.tally if isinstance(entry, str)}
    if all(entry == text for entry, text in texts.items()):
        return column
    values = column.values.copy()
    values[:] = [texts.get(entry, entry) if isinstance(entry, str) else entry for entry in values]
    if column.kind == "text" and all(entry is None for entry in values):  # nothing tells what it would have held
        return replace(column, kind="numeric", values=np.full(len(values), np.nan))
    return replace(column, values=values)


def typed(column: Column) -> Column:
    """Return a column of text as numbers or dates, or with a fault, where that is what it holds."""
    return typed_columns([column])[0]


def typed_columns(columns: Sequence[Column], *, numbers_as_text: bool = False) -> list[Column]:
    """Return columns of text as numbers or dates, or with a fault, where that is what they hold.

    Where one column tells whether commas are decimal, it tells so for those that do not. `numbers_as_text`: whether
    plain numbers are text only because the container has one type.

    >>> from kmerf.reading.containers import read
    >>> [(c.values.tolist(), c.unit) for c in typed_columns(read("x", {"fat": ["12.3%", "8%"]}))]
    [([12.3, 8.0], '%')]
    """
    read = [_typed(column, None, numbers_as_text) for column in columns]
    hints = {decimal for _, decimal in read if decimal}
    if len(hints) == 1:
        (hint,) = hints
        again = [c.fault is not None and c.fault.ambiguous for c, _ in read]
        return [
            _typed(raw, hint, numbers_as_text)[0] if a else c
            for raw, (c, _), a in zip(columns, read, again, strict=True)
        ]
    return [column for column, _ in read]


def _typed(column: Column, hint: str | None, numbers_as_text: bool) -> tuple[Column, str | None]:
    """Type one column; with it, the decimal mark that its cells show."""
    if column.kind == "numeric" and (days := digits_as_dates(column)) is not None:
        return days, None
    if column.kind != "text" or column.fault is not None:
        return column, None
    texts = list(dict.fromkeys(map(str, column.tally)))
    if not texts:
        return column, None
    first = texts[0]
    if are_dates(texts) or are_times(texts):
        return replace(column, kind="date"), None
    mixed = mixed_dates(texts)
    if mixed is not None:
        return replace(column, fault=mixed), None
    if all(map(is_number, texts)):
        if numbers_as_text:
            return as_numbers_of(column, {text: float(text) for text in texts}), None
        declare = Message("convert it to numbers, or pass ", Argument("categorical", [column.name]), " for labels")
        return replace(column, fault=Fault(f"holds numbers as text, such as {first!r}", declare)), None
    written = written_numbers(texts, hint=hint) if may_hold_numbers(texts) else None
    if isinstance(written, WrittenNumbers):
        numbers = as_numbers_of(column, written.numbers)
        decimal = (written.marks.decimal or ".") if written.decisive else None
        return replace(numbers, unit=written.unit, remark=written.words), decimal
    fault = written or _stray_fault(column, texts)
    return column if fault is None else replace(column, fault=fault), None


def as_numbers_of(column: Column, numbers: Mapping[str, float]) -> Column:
    """Return a column of text as the numbers that its texts stand for."""
    values = np.array([math.nan if entry is None else numbers[str(entry)] for entry in column.values])
    return replace(column, kind="numeric", values=values, fault=None)


def _stray_fault(column: Column, texts: Sequence[str]) -> Fault | None:
    """Say which cells of a column that seems to hold numbers are none."""
    stray = stray_texts(texts)
    if not stray:
        return None
    wrong = [entry for entry in column.tally if str(entry) in stray]
    count, present = sum(column.tally[entry] for entry in wrong), sum(column.tally.values())
    row = column.values.tolist().index(wrong[0]) + 1
    return number_fault(StrayCells(column.name, stray, count, present, str(wrong[0]), row))


def _ruling(column: Column, named: bool, declared: bool, dates: str) -> ColumnRuling:
    if column.kind == "other":
        fault = column.fault or Fault("cannot be read", "leave it out")
        return ColumnRuling(column, False, fault.finding, column.refused(fault) if named else None)
    if column.kind == "date" and not declared:
        return _times(column, named, dates)
    if declared:
        return _categories(replace(column, fault=None), noted=False)
    if column.fault is not None:
        return ColumnRuling(column, False, column.fault.finding, column.refused(column.fault))
    if column.kind in ("text", "categorical"):
        ranks = ordered_ranks(column) if column.ordered else None
        if ranks is not None:
            return ColumnRuling(ranks, True, ranks.remark)
        remark = "" if named else _too_many(column)
        ruling = _pooled(column, remark) if remark else _categories(column)
        texts = [] if ruling.use else sorted(distinct_labels(column))
        return (
            ruling._replace(remark=f"{SEVERAL}, such as {texts[0]!r}, to be split") if hold_several(texts) else ruling
        )
    remark = "" if named else counts_rows(column)
    return ColumnRuling(column, not remark, remark)


def _times(column: Column, named: bool, dates: str) -> ColumnRuling:
    """Rule on a column of dates or times."""
    if column.missing.all():
        return ColumnRuling(replace(column, kind="numeric", values=np.full(column.n, np.nan), fault=None))
    if dates == "drop":
        return ColumnRuling(column, False, "holds dates or times")
    parts = date_parts(column, dates)
    if isinstance(parts, Fault):
        return ColumnRuling(column, False, parts.finding, column.refused(parts) if named else None)
    return ColumnRuling(column, True, "as " + ", ".join(_part_name(column, part) for part in parts), times=tuple(parts))


def _part_name(column: Column, part: Column) -> str:
    """Return what a part of a date is, without the name of the column."""
    name = part.name.removeprefix(column.name).strip(" ()")
    unit = "" if name == "hour" else part.unit
    return " ".join(filter(None, (name, unit)))


def _categories(column: Column, *, noted: bool = True) -> ColumnRuling:
    texts = noted and column.kind != "categorical"
    return ColumnRuling(column.labelled, True, "as categories" if texts else "")


def _too_many(column: Column) -> str:
    """Say why text is not taken for categories; those of a column that is declared by its type may be many."""
    present, different = int((~column.missing).sum()), len(distinct_labels(column))
    if 3 < present == different:
        return "has a different text in every row"
    few = different <= MAX_CATEGORIES_OF_TEXT and 2 * different <= max(present, 2)
    return "" if few or column.kind == "categorical" else f"is text with {different} different values"


def _pooled(column: Column, remark: str) -> ColumnRuling:
    """Use text with many levels if those have rows enough, without rare ones; else leave it out for a reason."""
    counts = column.tally
    present = sum(counts.values())
    rare = {label for label, rows in counts.items() if rows < MIN_LEVEL_ROWS}
    pooled = sum(counts[label] for label in rare)
    enough = MIN_ROWS_PER_LEVEL * (len(counts) - len(rare) + bool(rare)) <= present
    if not enough or pooled > MAX_POOLED * present or len(counts) - len(rare) < 2:
        return ColumnRuling(column, False, remark)
    if len(rare) < 2:
        return _categories(column)
    label = POOLED
    while label in counts:
        label += "'"
    values = column.values.copy()
    values[:] = [label if entry in rare else entry for entry in values]
    ruling = _categories(replace(column, values=values))
    return ruling._replace(remark=f"as categories, {len(rare)} rare levels ({pooled} rows) as one")


def counts_rows(column: Column) -> str:
    """Say why numbers are not taken for a feature, if they only tell rows apart."""
    values = column.values
    if (
        column.kind != "numeric"
        or len(values) < 3
        or not np.isfinite(values).all()
        or (values != np.round(values)).any()
    ):
        return ""
    counter = _COUNTER.match(column.name) is not None
    if bool((np.diff(values) == 1.0).all()) and not looks_like_time(column.name):
        is_counter = counter or looks_like_subject_name(column.name) or len(values) >= MIN_COUNTED_ROWS
        return "counts the rows" if is_counter else ""
    if (counter or looks_like_subject_name(column.name)) and np.unique(values).size == len(values):
        return "has a different number in every row, as its name suggests"
    return ""


def distinct_labels(column: Column) -> set[str]:
    """Return the different labels or texts of a column."""
    return set(map(str, column.tally))


def refuse(rulings: Iterable[ColumnRuling]) -> list[InputError]:
    """Return what the user has to decide."""
    return [ruling.error for ruling in rulings if ruling.error is not None]


def notes(rulings: Sequence[ColumnRuling], y: Sequence[Column] = ()) -> list[str]:
    """Say which columns were left out, and which text was read as categories."""
    out = [ruling for ruling in rulings if not ruling.use and ruling.error is None]
    remarks: list[str] = []
    if out:
        names = [ruling.column.name for ruling in out]
        reasons = ", ".join(f"{ruling.column.name!r} ({ruling.remark})" for ruling in out[:8])
        more = f" and {len(out) - 8} more" if len(out) > 8 else ""
        labels = [r.column for r in out if not r.remark.startswith(SEVERAL)]
        usable = [column.name for column in labels if column.kind not in ("date", "other")]
        remedy = Message("; pass ", Argument("keep", usable[:8]), " to use them" if len(names) > 1 else " to use it")
        remarks.append(Message(f"Left out of x: {reasons}{more}", *([remedy] if usable else []), "."))
    used = [ruling for ruling in rulings if ruling.use]
    numbers = [r.column for r in used if not r.column.order] + [column for column in y if not column.order]
    written = [f"{c.name!r} ({c.remark})" for c in numbers if c.remark and c.kind == "numeric"]
    ranked = [f"{r.column.name!r} ({r.remark})" for r in used if r.column.order and r.column.kind == "numeric"]
    if ranked:
        remarks.append(f"Ordered categories read as numbers: {_several(ranked)}.")
    if written:
        remarks.append(f"Read as numbers: {_several(written)}.")
    times = [f"{r.column.name!r} {r.remark}" for r in used if r.times]
    if times:
        remarks.append(Message(f"Dates and times read as numbers: {_several(times, '; ')}; pass ", _DROP))
    pooled = [f"{r.column.name!r} {r.remark}" for r in used if "rare levels" in r.remark]
    if pooled:
        remarks.append(f"Rare levels, with fewer than {MIN_LEVEL_ROWS} rows, are pooled: {_several(pooled, '; ')}.")
    texts = [r.column.name for r in used if r.remark.startswith("as categories")]
    if texts:
        remarks.append(Note(f"Text read as categories: {listed(texts)}.", rank="detail"))
    return remarks


_DROP = Message(Argument("dates", "drop"), " to leave them out.")


def _several(parts: Sequence[str], between: str = ", ") -> str:
    more = f" and {len(parts) - 8} more" if len(parts) > 8 else ""
    return between.join(parts[:8]) + more


def ordered_ranks(column: Column) -> Column | None:
    """Return the places of categories in their order, from 1, as numbers; None where fewer than three of them occur.

    >>> from kmerf.reading.containers import read
    >>> import pandas as pd
    >>> sizes = pd.Categorical(["M", "S", "L", "M"], ["S", "M", "L"], ordered=True)
    >>> ordered_ranks(read("x", {"size": pd.Series(sizes)})[0]).values.tolist()
    [2.0, 1.0, 3.0, 2.0]
    """
    if not column.order:
        return None
    occurring = set(column.tally)
    order = [label for label in (label.strip() for label in column.order) if label in occurring]
    if len(order) < 3 or set(order) != occurring:
        return None
    place = {label: float(rank) for rank, label in enumerate(order, 1)}
    values = np.array([place.get(label, np.nan) for label in column.values])
    listing = " < ".join(order) if len(order) <= MAX_LISTED else f"{order[0]} < ... < {order[-1]}"
    remark = f"ordered, {listing}, as 1 to {len(order)}"
    return replace(column, kind="numeric", values=values, order=tuple(order), remark=remark)


MAX_LISTED = 7  # categories that are named


def case_notes(columns: Iterable[Column]) -> list[str]:
    """Point out labels that differ only in case, in blanks or in accents of the keyboard.

    >>> from kmerf.reading.containers import read
    >>> case_notes(read("x", {"arm": ["A", "a", "B", "A"]}))
    ["Column 'arm' has labels that differ only in case: 'A' (2 rows) and 'a' (1 row). They are read as different."]
    """
    notes = []
    for column in columns:
        if column.kind not in ("text", "categorical"):
            continue
        counts: Counter[str] = Counter()
        for entry, rows in column.tally.items():
            counts[str(entry)] += rows
        alike: dict[str, list[str]] = {}
        for label in sorted(counts):
            alike.setdefault(" ".join(label.casefold().split()), []).append(label)
        pairs = [labels for labels in alike.values() if len(labels) > 1]
        if pairs:
            shown = " and ".join(f"{each!r} ({_rows(counts[each])})" for each in pairs[0])
            more = f", and {len(pairs) - 1} more" if len(pairs) > 1 else ""
            reading = f"Column {column.name!r} has labels that differ only in case: {shown}{more}."
            notes.append(f"{reading} They are read as different.")
    return notes


def _rows(count: int) -> str:
    return f"{count} row{'' if count == 1 else 's'}"


_COUNT_NAME = re.compile(
    r"^(freq|freqs|frequency|frequencies|n|count|counts|n_?obs|weight_?n|number|n?_?(cases|controls|deaths|events))$",
    re.IGNORECASE,
)


def count_notes(rulings: Sequence[ColumnRuling], y: Sequence[Column]) -> list[str]:
    """Ask about a column of counts beside categories: rows of a table of counts are not observations."""
    used = [ruling.column for ruling in rulings if ruling.use]
    counts = [c for c in (*used, *y) if _COUNT_NAME.match(c.name) and _holds_counts(c)]
    others = [c for c in (*used, *y) if not any(c is count for count in counts)]
    if not counts:
        return []
    if not others or not all(c.kind != "numeric" or np.unique(c.values).size <= MAX_CODED for c in others):
        return []
    rows = list(zip(*(c.values.tolist() for c in others), strict=True))
    if len(set(rows)) < len(rows):
        return []
    name = counts[0].name
    if len(counts) > 1:
        names = " and ".join(repr(count.name) for count in counts)
        finding = (
            f"Columns {names} seem to count observations, and each row counts once; put the counts into one column,"
        )
        what = " with another that says what was counted, and pass "
        return [Note(finding, what, Argument("weights", "count"), ".", rank="doubt")]
    finding = f"Column {name!r} seems to hold frequencies, but each row counts once; pass "
    return [Note(finding, Argument("weights", name), " to count them.", rank="doubt")]


MAX_CODED = 12  # different numbers of a column that may be categories


def _holds_counts(column: Column) -> bool:
    values = column.values
    return column.kind == "numeric" and bool(
        np.isfinite(values).all() and (values >= 0).all() and (values == np.round(values)).all()
    )


def code_notes(columns: Iterable[Column]) -> list[str]:
    """Point out values that look like codes of missing ones."""
    notes: list[str] = []
    for column in columns:
        codes: list[str] = []
        if column.kind in ("text", "categorical"):
            codes = word_codes(sorted(distinct_labels(column)))
            rows = sum(str(entry) in codes for entry in column.values if entry is not None) if codes else 0
        elif column.kind == "numeric":
            numbers = column.number_codes
            codes, rows = [f"{code:.0f}" for code in numbers], int(np.isin(column.values, numbers).sum())
        if codes:
            counted = f"{rows} row{'s' if rows > 1 else ''}"
            listing = " and ".join(map(repr, codes))
            finding = f"Column {column.name!r} has {listing} in {counted}, read as a value; pass "
            value: object = codes[0] if len(codes) == 1 else codes
            notes.append(Message(finding, Argument("na", value), " if that means missing."))
    return notes


def same_values(a: Column, b: Column) -> bool:
    """Return whether two columns hold the same in every row."""
    if a.n != b.n:
        return False
    if a.values.dtype.kind == b.values.dtype.kind == "f":
        return np.array_equal(a.values, b.values, equal_nan=True)
    readable = {"text", "categorical"}
    return {a.kind, b.kind} <= readable and list(a.labelled.values) == list(b.labelled.values)


def copies_of_y(columns: Iterable[Column], y: Sequence[Column], kept: Collection[str] = ()) -> list[InputError]:
    """Refuse columns of x that are y itself, unless they are kept by name."""
    remedy = "leave it out of x, or name y as a column of the table"
    return [
        column.error("is y itself, the same in every row", remedy)
        for column in columns
        if column.name not in kept and any(same_values(column, each) for each in y)
    ]


def lost_groups(columns: Iterable[Column], lost: NDArray[np.bool_]) -> str:
    """Say which categories lose more than half of their rows, as the end of a sentence; empty where none does."""
    losses = []
    for column in columns:
        if column.kind != "categorical":
            continue
        sizes, gone_of = Counter(column.values.tolist()), Counter(column.values[lost].tolist())
        for label in sorted(set(gone_of) - {None}):
            gone, size = gone_of[label], sizes[label]
            if 2 * gone > size:
                losses.append(f"{gone} of {size} with {column.name} {label!r}")
    return f", among them {', '.join(losses[:6])}{' ...' if len(losses) > 6 else ''}" if losses else ""


def none_left(rulings: Sequence[ColumnRuling]) -> list[InputError]:
    """Refuse a table of which no column is used."""
    if not rulings or any(ruling.use for ruling in rulings):
        return []
    reasons = "; ".join(f"{ruling.column.name!r} {ruling.remark}" for ruling in rulings[:8])
    remedy = Message("pass ", Argument("keep", [ruling.column.name for ruling in rulings[:8]]), " to use them")
    return [InputError(f": no columns are left, {reasons}", argument="x", remedy=remedy)]


def usable(columns: Sequence[Column], declared: Collection[str]) -> list[Column]:
    """Columns of x with the declared ones as categories; text that is not declared is refused."""
    out = [c.labelled if c.name in declared else c for c in columns]
    for column in out:
        if column.kind == "text":
            row, entry = next((i, e) for i, e in enumerate(column.values) if isinstance(e, str))
            declare = Argument("categorical", [column.name])
            raise column.error(
                f"holds text, {entry!r} in row {row} (counted from 0)",
                Message("pass ", declare, " if it holds categories, or convert it to numbers"),
            )
    return out


class ColumnFacts(NamedTuple):
    """How a column was read, and what it is used for."""

    name: str
    role: str
    """"x", "y", "groups", "blocks", "left out", "dropped" or "not used"."""
    kind: str
    missing: int
    distinct: int | None
    remark: str = ""
    unit: str = ""


def facts_of(column: Column, role: str, ruling: ColumnRuling | None = None) -> ColumnFacts:
    """Return the facts of a column; `ruling` where it is one of x.

    >>> from kmerf.reading.containers import read
    >>> facts_of(read("x", {"a": [1.0, 1.0, None]})[0], "x")
    ColumnFacts(name='a', role='x', kind='numeric', missing=1, distinct=1, remark='', unit='')
    """
    labels = role in ("groups", "blocks") and column.kind in ("numeric", "boolean", "text", "date")
    kind = "categorical" if labels else (column if ruling is None else ruling.column).kind
    if role == "y" and kind == "text":
        kind = "categorical"
    if ruling is not None and ruling.times:
        kind = "date"
    missing, distinct = int(column.missing.sum()), column.distinct
    facts = ColumnFacts(column.name, role, kind, missing, distinct, unit=column.unit)
    if ruling is not None and not ruling.use:
        return facts._replace(role="left out", remark=ruling.remark)
    if missing == column.n:
        return facts._replace(remark="all missing")
    if distinct == 1 and not missing:
        return facts._replace(remark="the same in every row")
    if kind == "categorical" and role != "blocks" and column.kind == "numeric":
        return facts._replace(remark="numbers as labels")
    used = "" if ruling is None or ruling.remark == "as categories" else ruling.remark
    return facts._replace(remark=used or (column if ruling is None else ruling.column).remark)
