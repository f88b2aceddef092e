"""Do rows look ordered in time, or repeated per subject? Then they cannot be exchanged freely under the null.

The signs are: a column of dates that only rises or only falls; values of y that resemble those of the row before, by
the lag-one correlation of ranks, whose n^(1/2)-fold is standard normal for rows in random order; and a column that is
called after a subject and holds the same one several times. A table that is merely sorted, by y, by a group or by a
column, shows the second sign too, and is let pass.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from kmerf.core.arrays import mid_ranks

LIMIT = 3.29  # two-sided p of 0.001

_SUBJECT = re.compile(
    r"(^|[^a-z])(id|pid|subj|subject|patient|participant|person|individual|respondent|animal|mouse|mice|rat|donor|twin|pair|"
    r"family|litter|cage|household|student|user|customer)s?([^a-z]|$)",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"(^|[^a-z])(time|timestamp|date|day|week|month|year|hour|minute|second|t)s?([^a-z]|$)", re.IGNORECASE
)

REMEDY = "name what belongs together with --blocks (and see --exchange)"


def looks_like_subject(name: str, rows: int, distinct: int) -> bool:
    """Tell whether a column seems to say which subject a row is from, and some have several rows.

    >>> looks_like_subject("patient_id", rows=60, distinct=20), looks_like_subject("patient_id", rows=60, distinct=60)
    (True, False)
    """
    return 2 < distinct < rows and looks_like_subject_name(name)


def looks_like_subject_name(name: str) -> bool:
    """Tell whether a column is called after a subject.

    >>> looks_like_subject_name("subjectId"), looks_like_subject_name("acid")
    (True, False)
    """
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)  # subjectId
    return bool(_SUBJECT.search(spaced))


def looks_like_time(name: str) -> bool:
    """Tell whether a column is called after time.

    >>> looks_like_time("visit_day"), looks_like_time("sunday_roast")
    (True, False)
    """
    return bool(_TIME.search(name))


def is_sorted(values: NDArray[np.float64]) -> bool:
    """Tell whether numbers, some of them different, only rise or only fall; missing and infinite ones apart."""
    steps = np.diff(values[np.isfinite(values)])
    return bool(steps.size and (steps != 0).any() and ((steps >= 0).all() or (steps <= 0).all()))


def is_grouped(codes: NDArray[np.float64]) -> bool:
    """Tell whether equal values stand together, each in one run of rows, and most rows are beside an equal one."""
    runs = 1 + int((codes[1:] != codes[:-1]).sum())
    return runs == len(np.unique(codes)) and 1 < runs <= len(codes) / 2


def lag_correlation(values: NDArray[np.float64]) -> float:
    """Return the correlation of each row's rank with that of the row before; 0 where there is none.

    >>> round(lag_correlation(np.sin(np.arange(100) / 5)), 1)
    1.0
    """
    ranks = mid_ranks(values)
    ranks = ranks - ranks.mean()
    size = float((ranks**2).sum())
    return float((ranks[1:] * ranks[:-1]).sum() / size) if size else 0.0


def serial(y: NDArray[np.float64], others: Iterable[tuple[str, NDArray[np.float64]]]) -> float | None:
    """Return the lag-one correlation of y if it is strong and no sorting of the table explains it, else None.

    `others` are the names and codes of the other columns.
    """
    if len(y) < 20 or is_sorted(y) or is_grouped(y):
        return None
    correlation = lag_correlation(y)
    if correlation * math.sqrt(len(y)) < LIMIT:
        return None
    for name, values in others:
        steps = np.diff(values) if np.isfinite(values).all() else np.array([0.0, 1.0])
        counts_rows = bool((steps == steps[0]).all())
        if not counts_rows and not looks_like_time(name) and (is_sorted(values) or is_grouped(values)):
            return None
    return correlation
