"""Which columns of a table y, blocks, what is given, and a formula name."""

from __future__ import annotations

from collections.abc import Hashable, Sequence, Sized
from dataclasses import replace
from typing import Any

import numpy as np

from kmerf.core.errors import Argument, InputError, Message
from kmerf.data.containers import Column, as_text, find, is_table, labelled, read
from kmerf.data.formula import read_formula
from kmerf.data.reading_rules import ReadingRules, several


def by_formula(formula: str, table: Any, reading: ReadingRules) -> tuple[Any, list[str], list[str], ReadingRules]:
    """Return the table of a formula, the names of y, the columns that it leaves out, and what to keep."""
    if not is_table(table):
        raise InputError(f"x is the formula {formula!r}: pass the table whose columns it names as y.")
    columns = read("y", table, strict=False)
    chosen = read_formula(formula, [c.name for c in columns])
    out = [c.name for c in columns if c.name not in (*chosen.x, *chosen.y)]
    keep = [*several(reading.keep), *chosen.named]
    return table, list(chosen.y), out, reading._replace(keep=keep)


def split_blocks(table: list[Column], blocks: Any) -> tuple[list[Column], list[Column]]:
    """Read the blocks, outermost first, and leave the columns that they name, if they name some, out of the table."""
    if blocks is None:
        return table, []
    named = block_names(blocks, table)
    if not named:
        return table, [labelled(column) for column in read("blocks", blocks, "block")]
    chosen = [find("blocks", key, table) for key in named]
    rest = [column for column in table if column.name not in {each.name for each in chosen}]
    return rest, [labelled(replace(column, argument="blocks")) for column in chosen]


def block_names(blocks: Any, table: Sequence[Column]) -> list[str]:
    """Tell which columns hold the blocks, if it is columns that are named: a text, or a list of names of columns."""
    if isinstance(blocks, str):
        return [blocks]
    texts = isinstance(blocks, list | tuple) and all(isinstance(each, str) for each in blocks)
    return list(blocks) if texts and {column.name for column in table}.issuperset(blocks) else []


def split_given(table: list[Column], given: Any) -> tuple[list[Column], list[Column]]:
    """Read what is given, and leave the columns that it names, if it names some, out of the table."""
    if given is None:
        return table, []
    named = named_by(given, table)
    if not named:
        return table, read("given", given, "z")
    chosen = [find("given", key, table) for key in named]
    inside = {column.name for column in chosen}
    rest = [column for column in table if column.name not in inside]
    if not rest:
        finding = Message("names every column of ", Argument("x"))
        raise InputError(finding, argument="given", remedy="leave one or more to be tested")
    return rest, [replace(column, argument="given") for column in chosen]


def named_by(y: Any, columns: Sequence[Column]) -> list[Any]:
    """Tell which columns of x y names, if any; what does not name columns is data, one entry a row.

    A list of text may be either, and of numbers too if numbers name the columns. So two signs of three decide: it is
    text or a single value, there is not one a row, there are such columns.
    """
    scalar = isinstance(y, str) or (isinstance(y, Hashable) and not isinstance(y, Sized))
    keys = [y] if scalar else list(y) if isinstance(y, list | tuple) else []
    texts = [as_text(key) for key in keys]
    if len(set(texts)) < len(texts):
        return []
    signs = (
        np.isscalar(y) or all(isinstance(key, str) for key in keys),
        len(keys) != columns[0].n,
        {c.name for c in columns}.issuperset(texts),
    )
    return keys if sum(signs) >= 2 else []
