"""What all questions given z share: checks, and how p-values and classes are written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kmerf.core.errors import Argument, InputError, Message

if TYPE_CHECKING:
    from kmerf.adjustment.testing import Given
    from kmerf.data.sample_values import Sample

METHOD = "residuals given z"
_BLOCKS = ", whose test takes rows to be independent of each other, not in blocks"
FEWEST_ROWS = 30  # for regressions on z; strata need fewer


def refuse(**options: Any) -> None:
    """Raise if an option was set that has no meaning given z."""
    for name, value in options.items():
        if value:
            why = _BLOCKS if name == "blocks" else ", which has a test of its own"
            finding = Message("was passed together with ", Argument("given"), why)
            raise InputError(finding, argument=name, remedy="leave one out")


def check_rows(given: Given, n: int) -> None:
    """Raise unless there are rows enough to remove z."""
    if given.strata is None and n < FEWEST_ROWS:
        finding = f"has many different values, so it is removed by regressions, and {n} rows are too few for them"
        remedy = f"collect {FEWEST_ROWS} or more, or pass one with few different values"
        raise InputError(finding, argument="given", remedy=remedy)


def normal_score(pvalue: float) -> float:
    """Return the standard normal quantile that a p-value stands for.

    >>> round(normal_score(0.05), 3)
    1.645
    """
    from scipy.special import ndtri

    return float(-ndtri(pvalue))


def class_sizes(sample: Sample) -> dict[str, int]:
    """Return the rows in each class of y."""
    y = sample.y
    return {} if y.codes is None else dict(zip(y.labels, np.bincount(y.codes).tolist(), strict=True))
