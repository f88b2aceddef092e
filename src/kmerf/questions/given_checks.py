"""What all questions given z share: checks, and how p-values and classes are written."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from kmerf.core.errors import Argument, InputError, Message

if TYPE_CHECKING:
    from kmerf.adjustment.testing import Given
    from kmerf.data.sample_values import Sample

METHOD = "residuals given z"
FEWEST_ROWS = 30  # for regressions on z
FEWEST_INSIDE = 15  # rows beyond the first of each stratum, for regressions inside strata
FEWEST_ORDERS = 20  # of rows inside strata: with fewer, no p-value can be 0.05

_BLOCKS = ", whose test takes rows to be independent of each other, not in blocks"
_DEFAULTS = {"exchange": "auto", "importances": "marginal", "backend": "threads"}


def refuse(**options: Any) -> None:
    """Raise if an option was set that has no meaning given z."""
    for name, value in options.items():
        if value and value != _DEFAULTS.get(name):
            why = _BLOCKS if name == "blocks" else ", which has a test of its own"
            finding = Message("was passed together with ", Argument("given"), why)
            raise InputError(finding, argument=name, remedy="leave one out")


def check_rows(given: Given, n: int) -> None:
    """Raise unless there are rows enough to remove z."""
    found = too_few(given, n)
    if found is not None:
        raise InputError(found[0], argument="given", remedy=found[1])


def too_few(given: Given, n: int) -> tuple[str, str] | None:
    """Say why there are too few rows to remove z, and what to do; None if there are enough."""
    strata = given.strata
    if strata is None:
        finding = f"has many different values, so it is removed by regressions, and {n} rows are too few for them"
        remedy = f"collect {FEWEST_ROWS} or more, or pass one with few different values"
        return (finding, remedy) if n < FEWEST_ROWS else None
    several = f"has {strata.count:,} different values in {n:,} rows"
    if sum(math.lgamma(size + 1) for size in strata.sizes.tolist()) < math.log(FEWEST_ORDERS):
        alone = int((strata.sizes == 1).sum())
        finding = f"{several}, {alone:,} of them in one row only, so that there is almost nothing to compare"
        return finding, "collect more rows with the same value, or merge values"
    left = strata.freedom - (given.covariates.straight.shape[1] if strata.rest else 0)
    if strata.rest and left < FEWEST_INSIDE:
        finding = f"{several}, and {max(0, left)} rows are left to compare once its other columns are removed as well"
        return finding, f"collect rows until {FEWEST_INSIDE} are left, merge categories, or leave out columns"
    return None


def named_note(given: Given, sample: Sample) -> str:
    """Say which numbers are taken for names of levels, if any are."""
    assert sample.z is not None
    assert given.z is not None
    kinds = zip(sample.z.names, sample.z.kinds, given.z.kinds, strict=True)
    names = ", ".join(repr(name) for name, before, after in kinds if before != after)
    why = "rows with the same value are more alike than a function of the number explains"
    return f" Read as categories: {names}, as {why}." if names else ""


def normal_score(pvalue: float) -> float:
    """Return the standard normal quantile that a p-value stands for; 0 for 1, where nothing was left to compare.

    >>> round(normal_score(0.05), 3), normal_score(1.0)
    (1.645, 0.0)
    """
    from scipy.special import ndtri

    return float(-ndtri(pvalue)) if pvalue < 1.0 else 0.0


def class_sizes(sample: Sample) -> dict[str, int]:
    """Return the rows in each class of y."""
    y = sample.y
    return {} if y.codes is None else dict(zip(y.labels, np.bincount(y.codes).tolist(), strict=True))
