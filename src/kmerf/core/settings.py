"""Settings: methods, nulls and sources are frozen dataclasses, and one walk over their fields serves every use.

`walk` yields a value of settings and all that it holds, through dataclasses, mappings and sequences. What it yields
decides whether a test holds a matrix of all rows, and on which packages a stored result depends.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

LEVEL = 0.05  # at which a test is called significant, unless another level is named


def walk(value: Any) -> Iterator[Any]:
    """Yield a value of settings and everything inside it.

    >>> from kmerf import KMERF, Portfolio
    >>> sum(isinstance(each, KMERF) for each in walk(Portfolio())) > 3
    True
    """
    yield value
    for inner in _inside(value):
        yield from walk(inner)


def _inside(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        yield from value.values()
    elif isinstance(value, list | tuple):
        yield from value
    elif is_dataclass(value) and not isinstance(value, type):
        yield from (getattr(value, each.name) for each in fields(value))


def identity(value: Any) -> Hashable:
    """Return what settings are compared and hashed by: all that they hold, and matrices by their values.

    >>> identity({"a": [1, np.zeros(2)]}) == identity({"a": [1, np.zeros(2)]})
    True
    """
    if isinstance(value, Mapping):
        return frozenset((name, identity(each)) for name, each in value.items())
    if isinstance(value, list | tuple):
        return tuple(map(identity, value))
    if isinstance(value, np.ndarray):
        numbers = value + 0.0 if value.dtype.kind in "biuf" else value  # so that 0, 0.0 and -0.0 are the same
        return value.shape, numbers.dtype.str, numbers.tobytes()
    if is_dataclass(value) and not isinstance(value, type):
        return type(value), tuple(identity(getattr(value, each.name)) for each in fields(value))
    return value if isinstance(value, Hashable) else (type(value), id(value))


class ComparedByValue:
    """Settings that can hold mappings and matrices, and are still compared and hashed by their values."""

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and identity(self) == identity(other)

    def __hash__(self) -> int:
        return hash(identity(self))


def holds_matrix(value: Any) -> bool:
    """Return whether settings hold a precomputed matrix, which belongs to the rows as they are."""
    return any(isinstance(each, np.ndarray) for each in walk(value))


def as_plain(value: Any) -> Any:
    """Return a method, a null or any other value of settings in a JSON-ready form that names its class.

    >>> from kmerf import Permutation
    >>> as_plain(Permutation(99))
    {'class': 'Permutation', 'n_resamples': 99}
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if is_dataclass(value):
        return {"class": type(value).__name__} | {f.name: as_plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): as_plain(each) for name, each in value.items()}
    if isinstance(value, np.ndarray):
        return f"array of shape {value.shape}"
    return repr(value)
