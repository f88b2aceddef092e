"""A p-value as what it is: known, or known to be at most a bound, with what a model of the tail suggests beyond.

With B permutations, none of which came as far as the observed statistic, p is at most 1 / (1 + B). That is what is
written in its place, on every surface. What a model of the tail suggests changes with the seed, so it is written as a
power of ten, and in words that say where it comes from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kmerf.results.parts import NullResult
    from kmerf.show.numbers import Notation


def p_text(null: NullResult, notation: Notation) -> str:
    """Return the p-value, or what it is at most."""
    return notation.p(null.pvalue, null.bound or 0.0)


def p_is_text(null: NullResult, notation: Notation) -> str:
    """Return what the p-value is: "p = 0.2" or "p <= 0.001"."""
    return notation.p_is(null.pvalue, null.bound or 0.0)


def tail_text(null: NullResult, notation: Notation) -> str:
    """Return what a model of the tail suggests below the bound; empty where there is none, or it suggests no less."""
    if null.bound is None or null.modelled is None or null.modelled > 0.1 * null.bound:
        return ""
    return f"the tail model suggests about {notation.magnitude(null.modelled)} or less"
