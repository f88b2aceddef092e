"""Samples, one below the other: columns are matched by name, and the group of each row is y."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kmerf.core.errors import Argument, InputError, Message, listed
from kmerf.data import table_rules
from kmerf.data.containers import Column, is_table, labelled, read
from kmerf.data.named_columns import block_names, split_blocks, split_given
from kmerf.data.reading_rules import ReadingRules, SampleParts, declared_names
from kmerf.data.usable_columns import judged, usable


def stacked(samples: Mapping[Any, Any], reading: ReadingRules, blocks: Any, given: Any) -> SampleParts:
    """Read samples, one below the other, and the group of each row."""
    tabular = all(is_table(part) for part in samples.values())
    tables = _matched(samples, tabular, reading)
    tables, block_columns = _without_blocks(tables, blocks)
    if not tables[0]:
        raise InputError(Message(": they have no columns besides ", Argument("blocks")), argument="samples")
    _, z_columns = split_given(tables[0], given)
    declared = declared_names(reading.categorical, tables[0], z_columns)
    kept = declared_names(reading.keep, tables[0], argument="keep")
    tables = tables if tabular else [usable(table, declared) for table in tables]
    names = np.array([str(name) for name in samples], dtype=object)
    labels = np.repeat(names, [table[0].n for table in tables])
    x_columns, notes = [_joined(parts, declared) for parts in zip(*tables, strict=True)], list[str]()
    if z_columns and all(column.name in {c.name for c in x_columns} for column in z_columns):
        x_columns, z_columns = split_given(x_columns, [column.name for column in z_columns])
    if tabular:
        x_columns, notes = judged([table_rules.trimmed(c) for c in x_columns], kept, declared, [])
        notes += table_rules.code_notes(x_columns)
        if z_columns:
            z_columns, more = judged(z_columns, {c.name for c in z_columns}, declared, [])
            notes += more
    else:
        z_columns = usable(z_columns, declared)
    group = Column("samples", "group", "categorical", labels)
    return SampleParts(x_columns, [group], block_columns, reading.missing_y == "drop", notes, z_columns)


def _without_blocks(tables: list[list[Column]], blocks: Any) -> tuple[list[list[Column]], list[Column]]:
    """Read the blocks of all rows, and leave the columns that they name, if they name some, out of the tables."""
    named = block_names(blocks, tables[0])
    if not named:
        return tables, split_blocks([], blocks)[1]
    split = [split_blocks(table, named) for table in tables]
    each = zip(*(columns for _, columns in split), strict=True)
    return [rest for rest, _ in split], [_joined(parts) for parts in each]


def _matched(samples: Mapping[Any, Any], tabular: bool, reading: ReadingRules) -> list[list[Column]]:
    """Read two or more samples, with the columns of the first in its order."""
    names = [str(name) for name in samples]
    if len(names) < 2:
        remedy = "pass two or more, or one table with groups= a column"
        raise InputError(f": {len(names)} given", argument="samples", remedy=remedy)
    if len(set(names)) < len(names):
        finding = f": two groups have the same name in {listed(names)}"
        raise InputError(finding, argument="samples", remedy="rename one")
    tables = [
        read(f"sample {name!r}", part, strict=not tabular, na=reading.na)
        for name, part in zip(names, samples.values(), strict=True)
    ]
    # series such as t["before"] and t["after"] are one variable, whatever their names
    flat = all(len(getattr(part, "shape", (0,))) == 1 for part in samples.values())
    if flat and all(len(table) == 1 for table in tables) and len({table[0].name for table in tables}) > 1:
        tables = [[replace(table[0], name="x1")] for table in tables]
    first = [c.name for c in tables[0]]
    return [in_order_of(table, first, "the first sample") for table in tables]


def in_order_of(columns: Sequence[Column], names: Sequence[str], other: str) -> list[Column]:
    """Return columns in the order of names that another table has; both must have the same."""
    have = {c.name: c for c in columns}
    if set(have) != set(names):
        counts, odd = f"{len(have)} and {len(names)} columns", sorted(set(have) ^ set(names))
        finding = f"and {other} have {counts}, {listed(odd)} not in both"
        raise InputError(finding, argument=columns[0].argument, remedy="give both the same")
    return [have[name] for name in names]


def _joined(parts: Sequence[Column], declared: Collection[str] = ()) -> Column:
    """One column from one of each sample; what is all missing in a sample takes the kind it has elsewhere."""
    name = parts[0].name
    kinds = {c.kind: c.argument for c in parts if not c.missing.all()}
    if len(kinds) > 1 and name in declared and "other" not in kinds:
        kinds, parts = {"categorical": "x"}, [labelled(replace(c, fault=None)) for c in parts]
    if len(kinds) > 1 and not kinds.keys() <= {"numeric", "boolean"}:
        each = ", ".join(f"{kind} in {argument}" for kind, argument in kinds.items())
        remedy = Message("convert it, or pass ", Argument("categorical", [name]))
        raise InputError(f": column {name!r} is {each}", argument="samples", remedy=remedy)
    kind = next(iter(kinds)) if len(kinds) == 1 else "numeric"
    if kind in ("text", "categorical") or any(c.kind == "categorical" for c in parts):
        text = kind == "text" and all(c.kind == "text" or c.missing.all() for c in parts)
        kind, parts = "text" if text else "categorical", [labelled(c) for c in parts]
    fault = next((c.fault for c in parts if c.fault is not None), None)
    return Column("x", name, kind, np.concatenate([c.values for c in parts]), fault)
