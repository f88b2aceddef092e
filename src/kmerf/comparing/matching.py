"""Two tables side by side: what each holds, which columns both have, and the rows of both one below the other.

Of a table with more rows than asked for, a random sample is taken; which rows is fixed by the seed and the number of
rows. Columns are read by the rules of `kmerf.reading.rulings`, which see the rows of both tables together. Dates, and
columns that only number the rows, are left out: new rows have new ones.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kmerf.core.arrays import read_only
from kmerf.core.errors import Argument, InputError, Message, listed
from kmerf.core.streams import Purpose, stream
from kmerf.data.exchangeability import row_keys
from kmerf.data.sample import Response, Sample
from kmerf.reading.containers import Column, find, is_table, row_count, rows_of
from kmerf.reading.files import read_sampled
from kmerf.reading.named_columns import read_marks
from kmerf.reading.rulings import code_notes, counts_rows, judge, trimmed, typed_columns
from kmerf.reading.sample_building import build_features
from kmerf.reading.samples import columns_of, joined
from kmerf.reading.typed_table import Table
from kmerf.results.comparison_result import SchemaChanges

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kmerf.core.arrays import Bools, Floats, Ints

MAX_ROWS = 10_000  # of each table, that are compared
MIN_ROWS = 4
MIN_DISTINCT = 0.98  # share of the rows of one table that differ, where copies in the other one are pointed out
MIN_REPEATED = 5
SHOWN_LEVELS = 20


class OneTable(NamedTuple):
    """One of two tables, read."""

    columns: tuple[Column, ...]
    total: int
    """Rows of the table."""
    rows: NDArray[np.int64]
    """Which of them these are."""
    reading: tuple[str, ...] = ()
    """How the file was read, if it comes from one."""

    @property
    def n(self) -> int:
        """Rows that are compared."""
        return self.columns[0].n

    def named(self, name: str) -> Column | None:
        """Return the column of a name, if there is one."""
        return next((each for each in self.columns if each.name == name), None)

    def some(self, keep: Bools) -> OneTable:
        """Return some of the rows."""
        columns = tuple(replace(each, values=each.values[keep]) for each in self.columns)
        return OneTable(columns, int(keep.sum()), self.rows[keep], self.reading)


class ReadingOptions(NamedTuple):
    """How tables are read."""

    drop: Collection[str] = ()
    keep: Collection[str] = ()
    categorical: Collection[str] = ()
    na: Any = ()


def read_side(argument: str, data: Any, most: int, seed: int, options: ReadingOptions) -> OneTable:
    """Read a table: a container, a table that was read, or the path of a file."""

    def draw(total: int) -> Ints:
        rng = stream(seed, Purpose.COMPARED_SAMPLE, total)
        return np.sort(rng.choice(total, most, replace=False))

    tabular = True
    if isinstance(data, str | os.PathLike):
        table, total, rows = read_sampled(os.fspath(data), most, draw, na=_marks(options.na))
    else:
        total = data.rows if isinstance(data, Table) else _rows_in(argument, data)
        rows = draw(total) if total > most else np.arange(total)
        if total <= most:
            table = data
        else:
            table = replace(data, frame=data.frame[rows]) if isinstance(data, Table) else rows_of(data, rows)
        tabular = isinstance(data, Table) or is_table(data)
    columns = columns_of(argument, table, strict=False, na=read_marks(options.na))
    columns = typed_columns([trimmed(each) for each in columns], numbers_as_text=not tabular)
    declared = set(options.categorical)
    columns = [replace(c, fault=None).labelled if c.name in declared else c for c in columns]
    side = OneTable(tuple(each for each in columns if each.name not in set(options.drop)), total, rows)
    return side._replace(reading=_reading(table, side)) if isinstance(table, Table) else side


def _reading(table: Table, side: OneTable) -> tuple[str, ...]:
    """Say how a file was read: its format, its size, and which numbers were not written plainly."""
    columns = f"{len(side.columns)} column{'s' if len(side.columns) > 1 else ''}"
    first = f"{table.source.name} ({table.source.spoken}): {side.total:,} rows, {columns}"
    written = [f"{each.name!r} ({each.remark})" for each in side.columns if each.remark and each.kind == "numeric"]
    more = f" and {len(written) - 8} more" if len(written) > 8 else ""
    return (first, *table.notes, *([f"Read as numbers: {', '.join(written[:8])}{more}."] if written else []))


def _rows_in(argument: str, data: Any) -> int:
    try:
        return row_count(data)
    except TypeError:
        remedy = "pass a dataframe, an array, a dictionary of columns or the path of a file"
        raise InputError(f"is of type {type(data).__name__}", argument=argument, remedy=remedy) from None


def _marks(na: Any) -> list[str]:
    if isinstance(na, Mapping):
        return [f"{name}={value}" for name, values in na.items() for value in np.atleast_1d(values).tolist()]
    return [str(each) for each in np.atleast_1d(na).tolist()]


class Matched(NamedTuple):
    """Both tables as one sample, old rows first: class 0 is old, class 1 new."""

    sample: Sample
    schema: SchemaChanges
    notes: tuple[str, ...]


def match(old: OneTable, new: OneTable, options: ReadingOptions, blocks: str | None = None) -> Matched:
    """Put the rows of two tables one below the other, by the columns that both have."""
    names = [each.name for each in old.columns], [each.name for each in new.columns]
    for argument, named in (("drop", ()), ("keep", options.keep), ("categorical", options.categorical)):
        unknown = [name for name in named if name not in names[0] and name not in names[1]]
        if unknown:
            find(argument, unknown[0], list({each.name: each for each in (*old.columns, *new.columns)}.values()))
    both = [name for name in names[0] if name in names[1]]
    types = {name: kinds for name in both if (kinds := _kinds(old, new, name)) is not None}
    units = {name: pair for name in both if (pair := _units(old, new, name)) is not None}
    pairs = [(name, old.named(name), new.named(name)) for name in both if name not in types and name != blocks]
    pooled = [joined([a, b], options.categorical) for _, a, b in pairs if a is not None and b is not None]
    left_out = {}
    used: list[Column] = []
    numbers_rows = {
        name
        for name, a, b in pairs
        if a is not None and b is not None and name not in options.keep and counts_rows(a) and counts_rows(b)
    }
    for ruling in judge(pooled, options.keep, options.categorical, "drop"):
        name = ruling.column.name
        if name in numbers_rows and len(pooled) > 1:
            left_out[name] = "counts the rows"
        elif ruling.use and ruling.error is None:
            used.append(ruling.column)
        else:
            left_out[name] = ruling.remark or "cannot be read"
    for side, argument in ((old, "reference"), (new, "current")):
        if side.n < MIN_ROWS:
            finding = f"has only {side.n} rows"
            raise InputError(finding, argument=argument, remedy=f"a comparison needs at least {MIN_ROWS} of each")
    if not used:
        why = "; ".join(f"{name!r} {remark}" for name, remark in left_out.items()) or "they have none in common"
        raise InputError(f": no columns are left to compare, {why}", argument="current", remedy=_keeping(left_out))
    schema = SchemaChanges(
        gone=tuple(name for name in names[0] if name not in names[1]),
        new=tuple(name for name in names[1] if name not in names[0]),
        types=types,
        units=units,
        new_levels=_new_levels(pairs, {each.name for each in used if each.kind == "categorical"}),
        left_out=left_out,
    )
    codes = np.repeat(np.array([0, 1]), [old.n, new.n])
    response = Response(
        read_only(np.eye(2)[codes]), ("rows",), "categorical", read_only(codes), ("reference", "current")
    )
    sample = Sample(build_features(used), response, 0, (), blocks=_blocks(old, new, blocks), tabular=True)
    notes = (*_respelled(schema.new_levels, old), *code_notes(used), *_repeated(sample.x.values, old.n))
    return Matched(sample, schema, notes)


def _respelled(new_levels: Mapping[str, tuple[str, ...]], old: OneTable) -> Iterator[str]:
    """Say which new levels are old ones in other letters."""
    for name, levels in new_levels.items():
        column = old.named(name)
        assert column is not None
        known = {_plain(level): level for level in set(column.labelled.values) - {None}}
        same = [(level, known[_plain(level)]) for level in levels if _plain(level) in known]
        if same:
            differ = "1 new level differs" if len(same) == 1 else f"{len(same)} new levels differ"
            new, before = same[0]
            yield f"{name!r}: {differ} from old ones only in case or spaces, such as {new!r} from {before!r}."


def _plain(level: str) -> str:
    return "".join(level.casefold().split())


def _repeated(values: Floats, old: int) -> Iterator[str]:
    """Say how many rows of a table are copies of others in it, if rows are hardly ever equal otherwise."""
    number = row_keys(values)
    sides = number[:old], number[old:]
    shares = [np.unique(side).size / side.size for side in sides]
    if max(shares) < MIN_DISTINCT:
        return
    for word, side, other in (("old", *sides), ("new", *sides[::-1])):
        counts = np.unique(side, return_counts=True)[1]
        copies = int(side.size - counts.size)
        across = int(np.isin(side, other).sum())
        if copies >= max(MIN_REPEATED, 0.01 * side.size) and copies > 2 * across:
            of = f"{copies:,} of the {side.size:,} {word} rows are copies of other {word} rows"
            yield f"{of}, which makes p too small."


def _keeping(left_out: Mapping[str, str]) -> str:
    if not left_out:
        return "give both tables the same names of columns"
    return Message("pass ", Argument("keep", list(left_out)[:8]), " to use them")


def _kinds(old: OneTable, new: OneTable, name: str) -> tuple[str, ...] | None:
    """Return what a column holds in both tables, if that cannot be compared."""
    a, b = old.named(name), new.named(name)
    assert a is not None
    assert b is not None
    if a.missing.all() or b.missing.all():
        return None
    kinds = _kind(a), _kind(b)
    return None if kinds[0] == kinds[1] else kinds


def _kind(column: Column) -> str:
    if column.kind in ("numeric", "boolean"):
        return "numbers"
    if column.kind == "other" or (column.fault is not None and column.kind != "date"):
        return "text" if column.kind == "text" else "values that cannot be read"
    if column.kind == "date":
        return "dates with a time zone" if _is_zoned(column) else "dates"
    return "labels"


def _is_zoned(column: Column) -> bool:
    """Return whether the first date has a time zone, as an object or in its text."""
    first = next((each for each in column.values if each is not None), None)
    if isinstance(first, str):
        return re.search(r":\d\d\S*\s*(Z|[+-]\d\d:?\d\d)$", first) is not None
    return getattr(first, "tzinfo", None) is not None


def _units(old: OneTable, new: OneTable, name: str) -> tuple[str, ...] | None:
    a, b = old.named(name), new.named(name)
    assert a is not None
    assert b is not None
    return (a.unit or "none", b.unit or "none") if a.unit != b.unit and a.kind == b.kind == "numeric" else None


def _new_levels(
    pairs: Sequence[tuple[str, Column | None, Column | None]], categories: Collection[str]
) -> dict[str, tuple[str, ...]]:
    found = {}
    for name, a, b in pairs:
        if name in categories and a is not None and b is not None:
            fresh = sorted(set(b.labelled.values) - set(a.labelled.values) - {None})
            if fresh:
                found[name] = tuple(fresh[:SHOWN_LEVELS])
    return found


def _blocks(old: OneTable, new: OneTable, name: str | None) -> Ints | None:
    """Number the blocks; no block may have rows of both tables, as then its rows could not change places together."""
    if name is None:
        return None
    columns = [find("blocks", name, list(side.columns)) for side in (old, new)]
    for column in columns:
        if column.missing.any():
            finding = f": {name!r} is missing in {int(column.missing.sum())} rows"
            raise InputError(finding, argument="blocks", remedy="give every row a block")
    labels = [np.array([str(each) for each in column.values], dtype=object) for column in columns]
    both = sorted(set(labels[0]) & set(labels[1]))
    if both:
        finding = f": {len(both)} blocks of {name!r} have rows in both tables, such as {listed(both[:3])}"
        raise InputError(finding, argument="blocks", remedy="name a column whose blocks are in one table each")
    sizes = [len(set(each)) for each in labels]
    if min(sizes) < 2 or sum(sizes) < 6:
        finding = f": there are {sizes[0]} and {sizes[1]} blocks of {name!r}"
        raise InputError(finding, argument="blocks", remedy="at least two of each and six in all are needed")
    return np.unique(np.concatenate(labels).astype(str), return_inverse=True)[1].reshape(-1)
