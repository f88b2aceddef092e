"""Dataframes to give back: pandas, polars or pyarrow, whichever the user has."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from typing import Any

from kmerf.core.errors import InputError, choose

LIBRARIES = ("pandas", "polars", "pyarrow")


def frame(columns: Mapping[str, Sequence[Any]], library: str | None = None) -> Any:
    """Return columns as a dataframe of a library; without a name, of the first that is installed.

    >>> frame({"a": [1, 2]}, "polars").shape
    (2, 1)
    """
    import narwhals as nw

    if library is None:
        library = next((name for name in LIBRARIES if importlib.util.find_spec(name)), None)
        if library is None:
            raise InputError("to_frame() needs a dataframe library, and none is installed: pip install pandas.")
    choose("library", library, LIBRARIES)
    if importlib.util.find_spec(library) is None:
        raise InputError(f"library={library!r} is not installed: pip install {library}.")
    table = {name: list(values) for name, values in columns.items()}
    backend: Any = library
    return nw.from_dict(table, backend=backend).to_native()
