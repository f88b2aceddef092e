"""Is the effect below a margin, so that it does not matter in practice, or above it?

The margin is in the measure of the effect: a share of the variance of ranks (R2), or an AUC between 0.5 and 1. It is
"below" if the 95 % interval of the effect ends below it, and "above" if the interval begins above it. Each of the two
is a one-sided test at 0.025, as two one-sided tests are (Schuirmann 1987). How often it is wrong, and how often it
decides: docs/changes.md.

What forests cannot see is not in the effect: an effect below a margin does not show that there is no relation of
another kind.
"""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any

from kmerf.core.errors import Argument, InputError
from kmerf.results.changes import Margin

if TYPE_CHECKING:
    from kmerf.data.sample import Sample
    from kmerf.results.parts import Effect


def check_margin(margin: Any, sample: Sample) -> None:
    """Raise unless the margin is one that the effect can be compared with."""
    if margin is None:
        return
    area = sample.y.codes is not None and sample.z is None
    least, what = (0.5, "an AUC between 0.5 and 1") if area else (0.0, "a share of the variance between 0 and 1")
    if sample.y.codes is not None and sample.z is not None:
        what = "what x adds to the AUC, between 0 and 1"
    real = isinstance(margin, numbers.Real) and not isinstance(margin, bool)
    if not real or not least < float(margin) < 1.0:
        example = "0.56, for example" if area else "0.01, for example"
        raise InputError(f"must be {what}", argument=Argument("margin", margin), remedy=example)


def decide(margin: float | None, effect: Effect | None) -> Margin | None:
    """Compare an effect with a margin; None if there is no margin, or no effect with an interval.

    >>> from kmerf.results.parts import Effect
    >>> decide(0.06, Effect(measure="R2", score=0.01, score_low=0.0, score_high=0.05)).decision
    'below'
    """
    if margin is None or effect is None:
        return None
    ranked = effect.measure == "R2" and effect.rank_score is not None
    ends = (effect.rank_score, effect.rank_low, effect.rank_high)
    value, low, high = ends if ranked else (effect.score, effect.score_low, effect.score_high)
    if value is None or low is None or high is None:
        return None
    decision = "below" if high < margin else "above" if low > margin else "undecided"
    added = "added " if effect.about == "beyond z" else ""
    measure = f"{added}{effect.measure}{' of ranks' if ranked else ''}"
    return Margin(float(margin), measure, decision, value, low, high)
