"""x and y side by side, rows paired by position or by their labels; y may name columns of x."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kmerf.core.errors import Argument, InputError, Message
from kmerf.data import table_rules
from kmerf.data.censored_columns import followed_note, in_columns
from kmerf.data.containers import Column, find, is_table, labelled, raise_faults, read
from kmerf.data.formula import is_formula
from kmerf.data.index_labels import align, aligned_columns
from kmerf.data.named_columns import by_formula, named_by, split_blocks, split_given
from kmerf.data.order_notes import order_notes, unordered_dates
from kmerf.data.reading_rules import ReadingRules, SampleParts, declared_names
from kmerf.data.usable_columns import judged, usable
from kmerf.data.y_column import order_note, read_y_column, two_values_note


def paired(
    argument: Literal["y", "groups"], x: Any, y: Any, reading: ReadingRules, blocks: Any, given: Any
) -> SampleParts:
    """Read x and what it is tested against, which may be columns of x; say all that is wrong at once."""
    tabular = is_table(x) or is_formula(x)
    unused: list[str] = []
    if is_formula(x):
        x, y, unused, reading = by_formula(x, y, reading)
    y = in_columns(y) if reading.y_kind == "censored" else y
    x = aligned_columns(x)
    table = read("x", x, strict=not tabular, na=reading.na)
    table = [table_rules.trimmed(c) for c in table] if tabular else table
    table, block_columns = split_blocks(table, align(x, blocks, "blocks")[0])
    table = [c for c in table if c.name not in unused]
    if not table:
        raise InputError("is empty", argument="x", remedy=Message("it has no columns besides ", Argument("blocks")))
    table, z_columns = split_given(table, given)
    raw, inside, notes = _read_y(argument, x, y, table, reading)
    declared = declared_names(reading.categorical, table, (*raw, *z_columns))
    kept = declared_names(reading.keep, table, argument="keep")
    x_columns = [c for c in table if c.name not in inside]
    y_declared = declared - {c.name for c in x_columns}  # a name that both have is x's
    y_columns = [replace(labelled(c), order=(), ordered=False) if c.name in y_declared else c for c in raw]
    y_columns = [read_y_column(c, reading.y_kind, alone=len(raw) == 1) for c in y_columns]
    notes += [note for c in y_columns for note in order_note(c, argument, reading.y_kind)]
    if len(raw) == 1 and raw[0].kind == "numeric" and not y_declared and reading.y_kind == "auto":
        notes += two_values_note(y_columns[0])
    censored = reading.y_kind == "censored"
    notes += followed_note(raw) if reading.y_kind == "auto" else []
    drop = reading.missing_y == "drop" or (reading.missing_y == "auto" and (tabular or is_table(y)))
    if not tabular:
        x_columns, z_columns = usable(x_columns, declared), usable(z_columns, declared)
        return SampleParts(x_columns, y_columns, block_columns, drop, notes, z_columns, censored=censored)
    others = x_columns
    x_columns, more = judged(others, kept, declared, raw)
    notes += more
    if z_columns:  # each was named, so each is used
        z_columns, more = judged(z_columns, {c.name for c in z_columns}, declared, [])
        notes += more
    if not block_columns:
        takes_blocks = reading.takes_blocks and not z_columns
        notes += [*order_notes(others, raw, ~_missing(raw), takes_blocks=takes_blocks), *unordered_dates(others)]
    return SampleParts(x_columns, y_columns, block_columns, drop, notes, z_columns, True, censored)


class _Y(NamedTuple):
    columns: list[Column]
    inside: set[str]  # those that are columns of the table
    notes: list[str]


def _read_y(argument: Literal["y", "groups"], x: Any, y: Any, table: list[Column], reading: ReadingRules) -> _Y:
    """Read y, or find the columns of the table that it names."""
    notes: list[str] = []
    named = named_by(y, table)
    if named:
        columns = [replace(find(argument, key, table), argument=argument) for key in named]
        raise_faults(columns)
        inside = {c.name for c in columns}
    else:
        y, moved = align(x, y, argument)
        notes += [f"The rows of {argument} were put in the order of the index of x."] if moved else []
        columns, inside = read(argument, y, argument.removesuffix("s"), na=reading.na), set()
        columns = [table_rules.trimmed(c) for c in columns] if is_table(y) else columns
    if argument == "groups" and len(columns) > 1:
        raise InputError(f"has {len(columns)} columns", argument="groups", remedy="pass one label a row")
    return _Y(columns, inside, notes)


def _missing(columns: Sequence[Column]) -> NDArray[np.bool_]:
    """Tell which rows miss one of these columns."""
    lost: NDArray[np.bool_] = np.any([c.missing for c in columns], axis=0)
    return lost
