"""Every null by the name that users write, in Python and in the shell, and the one for those who name none."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from kmerf.core.errors import Argument, InputError, choose
from kmerf.core.settings import LEVEL
from kmerf.methods.protocol import work_of
from kmerf.nulls.definitions import ChiSquare, Extrapolated, Permutation, Sequential
from kmerf.nulls.judging import refits_take_time

if TYPE_CHECKING:
    from kmerf.methods.protocol import Problem
    from kmerf.nulls.definitions import Null

REFITS = (999, 399, 99)  # of the default, from the most that are affordable
WORK = 5e8  # visits of trees to cells of x: 3 to 5 seconds on one core; benchmarks/studies/seeds.py
FINER = (5, 2)  # how many times the smallest p-value of a pair fits into Holm's smallest level
MOST_FOR_PAIRS = 9999
WORK_FOR_PAIRS = 20 * WORK

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


def default_null(problem: Problem, most: int = REFITS[0]) -> Null:
    """Return the null that is used where none is asked for, with at most so many permutations.

    To stop early is for refits that take time. If nothing is fitted again, or below 20 rows, all permutations are
    drawn.
    """
    return Sequential(affordable_refits(problem, most)) if refits_take_time(problem) else Permutation()


def affordable_refits(problem: Problem, most: int = REFITS[0]) -> int:
    """Return how many refits take about two seconds on two cores: 999, 399 or 99, by n, p and the number of trees.

    The rule looks at the size of the data and not at the clock, so the result does not depend on the machine.
    """
    work = work_of(problem)
    for size in REFITS:
        if size <= most and work is not None and size * work <= WORK:
            return size
    return REFITS[-1]


def refits_for_pairs(problem: Problem, pairs: int) -> int:
    """Return how many permutations each of so many pairs of groups needs at most.

    Holm's smallest level is LEVEL / pairs. The smallest p-value is to be a fifth of it, or half of it if refits take
    long, so that it does not depend on a few permutations which pairs are significant.
    """
    work = work_of(problem) if problem.learns else 0.0
    enough, fewest = (math.ceil(finer * pairs / LEVEL) - 1 for finer in FINER)
    many = min(MOST_FOR_PAIRS, max(enough, REFITS[0]))
    if work is not None and pairs * many * work <= WORK_FOR_PAIRS:
        return many
    return min(MOST_FOR_PAIRS, max(fewest, REFITS[-1]))
