"""The members of a combined test, one by one: what each found, and which of them carried the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from kmerf.explain.feature_tests import rank
from kmerf.nulls.combining import FEWEST, scores, shares
from kmerf.nulls.late_looks import take_in_turn
from kmerf.results.parts import Member

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats
    from kmerf.methods.protocol import Fit
    from kmerf.nulls.protocol import InterimLook
    from kmerf.results.parts import Importances


def find_members(
    fit: Fit,
    permuted: Floats,
    importances: Mapping[str, Importances],
    fewest: float = 0.0,
    looks: Sequence[InterimLook] = (),
) -> tuple[Member, ...]:
    """Return the members of a test with several, from its fit and its permuted statistics (B, k) up to these looks.

    `importances` are those of its forests, by name. No p-value is below `fewest`.
    """
    if len(fit.parts) < 2 or len(permuted) < FEWEST:
        return ()
    scaled = scores(np.vstack([fit.statistics, permuted]))[0]
    parts = shares(scaled, fit.weights)
    alone = take_in_turn(looks, len(permuted), lambda size: rank(np.vstack([fit.statistics, permuted[:size]])))
    members = []
    for k, part in enumerate(fit.parts):
        numbers = part.statistic, float(scaled[k]), part.error, max(float(alone[k]), fewest)
        words = part.wording._asdict()
        members.append(Member(part.name, *numbers, importances.get(part.name), share=float(parts[k]), **words))
    return tuple(members)
