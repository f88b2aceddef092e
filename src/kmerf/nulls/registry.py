"""Every null by the name that users write, in Python and in the shell, and the one for those who name none."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kmerf.core.errors import Argument, InputError, choose
from kmerf.nulls.chi_square import ChiSquare
from kmerf.nulls.extrapolated import Extrapolated
from kmerf.nulls.judging import FEW_ROWS
from kmerf.nulls.permutation import Permutation
from kmerf.nulls.sequential import Sequential

if TYPE_CHECKING:
    from kmerf.methods.protocol import Problem
    from kmerf.nulls.protocol import Null

NULLS: dict[str, Callable[[], Null]] = {
    "sequential": Sequential,
    "extrapolated": Extrapolated,
    "permutation": Permutation,
    "chi-square": ChiSquare,
}


def needs_single(null: Null | None) -> bool:
    """Tell whether a null is for a single unbiased statistic, which a portfolio of tests does not have."""
    return null is not None and null.needs_unbiased


def choose_null(null: Null | str | None) -> Null | None:
    """Return the null given, or the one that a name stands for; None where none is asked for.

    >>> choose_null("permutation")
    Permutation(n_resamples=999)
    """
    if isinstance(null, str):
        return NULLS[choose("null", null, NULLS)]()
    if null is not None and (isinstance(null, type) or not hasattr(null, "judge")):
        remedy = "pass a value such as kmerf.Permutation()"
        raise InputError("cannot be used", argument=Argument("null", null), remedy=remedy)
    return null


def default_null(problem: Problem) -> Null:
    """Return the null that is used where none is asked for.

    To stop early and to model the tail is for refits that are dear. Where nothing is fitted again, or below 20 rows,
    the p-value is the exact one, from many permutations.
    """
    return Sequential() if problem.learns and problem.n >= FEW_ROWS else Permutation()
