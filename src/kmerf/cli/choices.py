"""The method and the null that the options name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kmerf.cli.stops import UsageError, pick
from kmerf.methods.registry import LEARNERS, METHODS, named_method
from kmerf.nulls.judging import FEW_ROWS

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
    from kmerf.nulls.chi_square import ChiSquare
    from kmerf.nulls.extrapolated import Extrapolated
    from kmerf.nulls.permutation import Permutation
    from kmerf.nulls.sequential import Sequential

    if test.null == "chi-square":
        return ChiSquare()
    if test.null is None and test.resamples is None:
        return None
    few = test.null is None and (rows < FEW_ROWS or test.method not in LEARNERS)
    by_name = {"permutation": Permutation, "extrapolated": Extrapolated}
    kind = Permutation if few else by_name.get(test.null or usual, Sequential)
    return kind() if test.resamples is None else kind(test.resamples)
