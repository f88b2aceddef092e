"""Sets of columns that the user names: `{"blood": ["sodium", "iron"]}`, each a list of names or positions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from kmerf.core.errors import Argument, InputError
from kmerf.data.containers import Column, as_text, find

if TYPE_CHECKING:
    from kmerf.data.sample_values import Features


def read_sets(argument: str, sets: Any, x: Features) -> dict[str, list[int]]:
    """Return the numbers of the columns of x in each set.

    >>> from kmerf.data.read_sample import read_features
    >>> read_sets("sets", {"both": ["x2", 0], "one": "x1"}, read_features([[1, 2], [3, 5]]))
    {'both': [1, 0], 'one': [0]}
    """
    if not isinstance(sets, Mapping) or not sets:
        finding = "must name sets of columns, such as {'first': ['x1', 'x2']}"
        raise InputError(finding, argument=Argument(argument, sets))
    named = {str(name): columns for name, columns in sets.items()}
    if len(named) < len(sets):
        raise InputError(": two sets have the same name", argument=argument, remedy="rename one")
    return {name: _members(f"{argument}[{name!r}]", columns, x) for name, columns in named.items()}


def _members(where: str, columns: Any, x: Features) -> list[int]:
    """Return the numbers of the columns that a set lists."""
    several = isinstance(columns, Iterable) and not isinstance(columns, str)
    place: dict[Any, int] = {column: j for j, column in enumerate(x.names)}
    members = [place.get(as_text(entry), entry) for entry in (columns if several else [columns])]
    for entry in members:
        if isinstance(entry, bool) or not hasattr(entry, "__index__") or not 0 <= int(entry) < x.p:  # then raise
            find(where, entry, [Column("x", column, "numeric", np.empty(0)) for column in x.names])
    if not members or len(set(members)) < len(members):
        finding = "lists a column twice" if members else "has no columns"
        remedy = "pass one or more different columns of x, by name or position"
        raise InputError(finding, argument=where, remedy=remedy)
    return [int(entry) for entry in members]
