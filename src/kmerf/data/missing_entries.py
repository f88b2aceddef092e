"""Which entries of a container are missing. This is the one place that decides it.

After it, NaN is the one mark of a missing number and None of a missing label or text.
"""

from __future__ import annotations

import decimal
import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray


def is_missing(entry: Any) -> bool:
    """Say whether one entry is missing: None, NaN of any type of number, or pandas' NA and NaT.

    >>> [is_missing(entry) for entry in (None, float("nan"), "", "NA", 0)]
    [True, True, False, False, False]
    """
    # by the names of their types, for pandas may not be installed
    if entry is None or type(entry).__name__ in ("NAType", "NaTType"):
        return True
    number = isinstance(entry, numbers.Real | decimal.Decimal) and not isinstance(entry, np.timedelta64)
    return number and bool(entry != entry)


def missing_rows(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which rows of a column are missing: NaN among floats, None among objects.

    >>> missing_rows(np.array([1.0, np.nan])).tolist(), missing_rows(np.array(["a", None], dtype=object)).tolist()
    ([False, True], [False, True])
    """
    if values.dtype == object:
        return np.fromiter((entry is None for entry in values), dtype=np.bool_, count=len(values))
    return np.asarray(np.isnan(values))


def without_mask(data: np.ma.MaskedArray[Any, Any]) -> NDArray[np.object_]:
    """Return a masked array as objects with None where it is masked.

    >>> without_mask(np.ma.array([1.0, 2.0], mask=[False, True])).tolist()
    [1.0, None]
    """
    entries: NDArray[np.object_] = data.data.astype(object)  # np.asarray would uncover what is masked
    entries[np.ma.getmaskarray(data)] = None
    return entries
