"""Every null by the name that users write, in Python and in the shell, and the default.

`NULLS` is the one list: names, help texts, completion and checks are made from it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from kmerf.core.errors import Argument, InputError, choose
from kmerf.core.settings import LEVEL
from kmerf.nulls.definitions import ChiSquare, Extrapolated, Permutation, Sequential
from kmerf.nulls.judging import refits_take_time

if TYPE_CHECKING:
    from kmerf.methods.protocol import Problem
    from kmerf.nulls.definitions import Null

REFITS = (999, 399, 99)  # of the default, from the most that are affordable
MAX_WORK = 5e8  # visits of trees to cells of x: 3 to 5 seconds on one core; benchmarks/studies/seeds.py
PAIR_RESOLUTIONS = (5, 2)  # how many times the smallest p-value of a pair fits into Holm's smallest level
MAX_PAIR_REFITS = 9999
MAX_PAIR_WORK = 20 * MAX_WORK


class NullEntry(NamedTuple):
    """What users may choose: a name, what it makes, and what help texts and checks need to know about it."""

    name: str
    make: type[Null]
    help: str
    """One line for the shell and the docs."""

    def __call__(self) -> Null:
        """Return the null with its usual settings."""
        return self.make()

    @property
    def permutes(self) -> bool:
        """Whether y is permuted, and what has seen it is fitted again: only then `n_resamples` has a meaning."""
        return self.make().n_resamples > 0

    @property
    def needs_unbiased(self) -> bool:
        """Whether it is for a single unbiased kernel correlation of rows that may all be exchanged."""
        return self.make().needs_unbiased


NULLS = {
    entry.name: entry
    for entry in (
        NullEntry("sequential", Sequential, "exact, from permutations; stops early if there is no effect"),
        NullEntry("extrapolated", Extrapolated, "few permutations, and a model of the tail for smaller p-values"),
        NullEntry("permutation", Permutation, "exact, from a fixed number of permutations"),
        NullEntry("chi-square", ChiSquare, "the paper's: no permutations, for one unbiased statistic, approximate"),
    )
}


def needs_single(null: Null | None) -> bool:
    """Return whether a null is for a single unbiased statistic, which a portfolio of tests does not have."""
    return null is not None and null.needs_unbiased


def choose_null(null: Null | str | None) -> Null | None:
    """Return the null itself, or the one of that name; None for the default.

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
    """Return the default null, with at most so many permutations.

    Early stopping pays off only if refits take time. If nothing is fitted again, or below 20 rows, all permutations
    are drawn.
    """
    return Sequential(affordable_refits(problem, most)) if refits_take_time(problem) else Permutation()


def affordable_refits(problem: Problem, most: int) -> int:
    """Return how many refits take about two seconds on two cores: 999, 399 or 99, by n, p and the number of trees.

    The rule looks at the size of the data and not at the clock, so the result does not depend on the machine.
    """
    work = problem.work
    for size in REFITS:
        if size <= most and work is not None and size * work <= MAX_WORK:
            return size
    return REFITS[-1]


def refits_for_pairs(problem: Problem, pairs: int) -> int:
    """Return how many permutations each of so many pairs of groups needs at most.

    Holm's smallest level is LEVEL / pairs. The smallest p-value is to be a fifth of it, or half of it if refits take
    long, so that it does not depend on a few permutations which pairs are significant.
    """
    work = problem.work if problem.learns else 0.0
    enough, fewest = (math.ceil(finer * pairs / LEVEL) - 1 for finer in PAIR_RESOLUTIONS)
    many = min(MAX_PAIR_REFITS, max(enough, REFITS[0]))
    if work is not None and pairs * many * work <= MAX_PAIR_WORK:
        return many
    return min(MAX_PAIR_REFITS, max(fewest, REFITS[-1]))
