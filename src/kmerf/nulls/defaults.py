"""The null that is used where none is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kmerf.nulls.extrapolated import Extrapolated
from kmerf.nulls.judging import FEW_ROWS
from kmerf.nulls.permutation import Permutation

if TYPE_CHECKING:
    from kmerf.methods.protocol import Problem
    from kmerf.nulls.protocol import Null


def default_null(problem: Problem) -> Null:
    """Return the null that is used where none is asked for.

    A model of the tail is for refits that are dear. Where nothing is fitted again, or below 20 rows, the p-value is the
    exact one, from many permutations.
    """
    return Extrapolated() if problem.learns and problem.n >= FEW_ROWS else Permutation()
