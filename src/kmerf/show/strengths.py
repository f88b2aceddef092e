"""How strong a relation is, in one word: none, faint, moderate or strong.

The steps are those of Cohen (1988): R2 of 0.02, 0.13 and 0.26, and for classes the AUC that d = 0.2, 0.5 and 0.8 come
to. For numbers it is the R2 of ranks that counts, as one outlier can spoil the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kmerf.results.parts import Effect

STEPS = {"R2": (0.02, 0.13, 0.26), "AUC": (0.556, 0.638, 0.714)}
STRENGTHS = ("none", "faint", "moderate", "strong")


def strength(effect: Effect | None) -> str | None:
    """Return how strong the relation is, by what the forests predict out of bag; None where they predict nothing.

    >>> from kmerf.results.parts import Effect
    >>> strength(Effect(measure="R2", score=-0.02, rank_score=0.5))
    'strong'
    """
    if effect is None or effect.robust is None or effect.measure not in STEPS:
        return None
    return STRENGTHS[sum(effect.robust >= step for step in STEPS[effect.measure])]
