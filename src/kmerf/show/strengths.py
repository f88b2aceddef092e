"""How strong a relation is, in one word: none, faint, moderate or strong.

The steps are those of Cohen (1988) for differences between groups. For two groups they are d = 0.2, 0.5 and 0.8, which
come to an AUC of 0.556, 0.638 and 0.714. Between two groups of one size these explain 1, 6 and 14 % of the variance
(his eta squared), the steps of R2. For more than two groups, whose means are spread normally, such shares come to a
mean AUC over pairs of 1/2 + arctan(sqrt(R2 / (1 - R2))) / pi: 0.532, 0.579 and 0.622. So a relation has one word,
whichever measure it is in. For numbers, R2 of ranks counts, as one outlier can spoil the other. Where R2 and AUC are
both known, the larger word counts: a small group can differ much and explain little.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kmerf.results.parts import Effect

STEPS = {"R2": (0.01, 0.06, 0.14), "AUC": (0.556, 0.638, 0.714), "mean AUC": (0.532, 0.579, 0.622)}
LEAST = {"R2": 0.0, "AUC": 0.5, "mean AUC": 0.5}  # what no relation is: less is noise, and shown as this
STRENGTHS = ("none", "faint", "moderate", "strong")


def strength(effect: Effect | None) -> str | None:
    """Return how strong the relation is; None where nothing was predicted, or for what x adds to the AUC of z.

    >>> from kmerf.results.parts import Effect
    >>> strength(Effect(measure="R2", score=-0.02, rank_score=0.5))
    'strong'
    """
    if effect is None or effect.robust is None or effect.measure not in STEPS:
        return None
    if effect.about == "beyond z" and effect.measure != "R2":
        return None
    known = {"R2": effect.rank_score, effect.measure: effect.robust}
    known |= {effect.auc_measure: effect.auc} if effect.auc is not None else {}
    steps = [sum(value >= step for step in STEPS[name]) for name, value in known.items() if value is not None]
    return STRENGTHS[max(steps)]


def shown(effect: Effect, value: float, measure: str) -> float:
    """Return a value as readers see it: no share below 0, and no AUC below that of guessing."""
    return max(value, 0.0 if effect.about == "beyond z" else LEAST.get(measure, value))
