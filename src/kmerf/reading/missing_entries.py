"""Which entries of a container are missing. This is the one place that decides it.

After it, NaN is the one mark of a missing number and None of a missing label or text. Values such as "None", "?" or 999
are values, unless the user names them; they are pointed out where they look like codes of a missing one.
"""

from __future__ import annotations

import decimal
import numbers
import re
from collections.abc import Collection, Iterable
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


_SPELLINGS = "none null nil nan -nan na n/a n.a. #n/a <na> - -- --- . ? ?? unknown unk missing"
WORDS = frozenset(re.split(" ", _SPELLINGS))
NUMBERS = frozenset(sign * number for sign in (1.0, -1.0) for number in (9, 99, 999, 9999, 99999, 999999))


def word_codes(labels: Iterable[str]) -> list[str]:
    """Return which of some different labels often stand for a missing one.

    >>> word_codes(["Low", "None", "High", "?"])
    ['None', '?']
    """
    return [label for label in labels if label.strip().lower() in WORDS]


def number_codes(values: NDArray[np.float64]) -> list[float]:
    """Return the numbers that look like codes of a missing one: 99, 999, -9 ..., several, and far from all others.

    Far is as far as the others are from each other.

    >>> number_codes(np.array([31.0, 45.0, 28.0, 999.0, 60.0, 999.0])), number_codes(np.array([98.0, 99, 99, 100, 97]))
    ([999.0], [])
    """
    distinct, counts = np.unique(values[np.isfinite(values)], return_counts=True)
    codes = []
    for end in (0, -1):
        if distinct.size < 4 or float(distinct[end]) not in NUMBERS or counts[end] < 2:
            continue
        others = np.delete(distinct, end)
        gap = abs(float(distinct[end] - others[end]))
        if gap >= float(np.ptp(others)):
            codes.append(float(distinct[end]))
    return codes


def without_codes(values: NDArray[Any], codes: Collection[object]) -> NDArray[Any]:
    """Return a column with the missing mark where it holds one of the codes: numbers by value, others by their text.

    >>> without_codes(np.array([1.0, 999.0]), ["999"]).tolist()
    [1.0, nan]
    >>> without_codes(np.array(["a", "?"], dtype=object), ["?"]).tolist()
    ['a', None]
    """
    texts = {str(code).strip() for code in codes}
    if values.dtype.kind in "iuf":
        numbers = [number for text in texts if (number := _number(text)) is not None]
        return np.where(np.isin(values, numbers), np.nan, values) if numbers else values
    if values.dtype.kind not in "OUS":
        return values
    hit = np.fromiter((str(entry).strip() in texts for entry in values), dtype=np.bool_, count=len(values))
    entries = values.astype(object)
    entries[hit] = None
    return entries


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
