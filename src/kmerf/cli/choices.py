"""The method and the null that the options name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from kmerf.cli.stops import UsageError, pick
from kmerf.methods.registry import LEARNERS, METHODS, named_method
from kmerf.nulls.judging import FEW_ROWS
from kmerf.nulls.registry import NULLS

if TYPE_CHECKING:
    from kmerf.cli.options import MethodOptions


def make_method(name: str, trees: int | None, default: Any) -> Any:
    """Return the method of a name, or None for the default, unless that is to have another number of trees."""
    pick("--method", name, tuple(METHODS))
    if name == "kmerf" and trees is None:
        return None
    method: Any = default if name == "kmerf" else named_method(name)
    if trees is None:
        return method
    if not hasattr(method, "with_trees"):
        raise UsageError(f"--trees is for forests, and {name} grows none: leave it out")
    return method.with_trees(trees)


def make_null(test: MethodOptions, rows: int, usual: str = "sequential") -> Any:
    """Return the null that the options name, for a number of rows; None for the default.

    `usual` is the one that is meant where only the number of permutations is given.
    """
    if test.null is None and test.resamples is None:
        return None
    few = rows < FEW_ROWS or test.method not in LEARNERS
    null = NULLS[test.null or ("permutation" if few else usual)]()
    return null if test.resamples is None else replace(cast("Any", null), n_resamples=test.resamples)
