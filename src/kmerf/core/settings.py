"""Settings: methods, nulls and sources are frozen dataclasses, and one walk over their fields serves every use.

`walk` yields a value of settings and all that it holds, through dataclasses, mappings and sequences. What it yields
decides whether a test holds a matrix of all rows, and which code a stored result rests on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np


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


def holds_matrix(value: Any) -> bool:
    """Tell whether settings hold a precomputed matrix, which belongs to the rows as they are."""
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
