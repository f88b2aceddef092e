"""What the user says about how to read the data, and the columns that come of it on their way to a sample."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np

from kmerf.data.containers import Column, as_text, find

Declared: TypeAlias = str | int | Iterable[str | int]


class ReadingRules(NamedTuple):
    """What the user says about how to read the data."""

    categorical: Declared
    keep: Declared
    na: dict[str, list[object]]
    y_kind: str
    missing_y: str
    takes_blocks: bool = True  # whether the question can be told which rows belong together


class SampleParts(NamedTuple):
    """The columns of x and of y, and the blocks; whether rows without y are dropped; what was decided."""

    x: list[Column]
    y: list[Column]
    blocks: list[Column]  # outermost first, none if rows may be exchanged freely
    drop: bool
    notes: list[str]
    given: list[Column]  # empty if nothing is
    tabular: bool = False
    censored: bool = False  # whether y is times and events


def read_marks(na: Any) -> dict[str, list[object]]:
    """Return the values that mean missing, those for all columns under "".

    >>> read_marks("?"), read_marks({"age": [999, -9]})
    ({'': ['?']}, {'age': [999, -9]})
    """
    if isinstance(na, Mapping):
        return {str(name): several(codes) for name, codes in na.items()}
    codes = several(na)
    return {"": codes} if codes else {}


def several(value: Any) -> list[Any]:
    """Return one or more values as a list."""
    return list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]


def declared_names(
    categorical: Declared, x: Sequence[Column], y: Sequence[Column] = (), argument: str = "categorical"
) -> set[str]:
    """Names of the columns that `categorical` lists by name, or by position in x."""
    columns, declared = {c.name: c for c in (*x, *y)}, set()
    several = isinstance(categorical, Iterable) and not isinstance(categorical, str)
    entries: Iterable[Any] = cast("Iterable[Any]", categorical) if several else [categorical]
    for entry in entries:
        whole = hasattr(entry, "__index__") and not isinstance(entry, bool | np.bool_)
        if whole and as_text(entry) not in columns and 0 <= int(entry) < len(x):
            entry = x[int(entry)].name
        known = as_text(entry)  # looked up here, as a file may declare every one of its columns
        declared.add(known if known in columns else find(argument, entry, list(columns.values())).name)
    return declared
