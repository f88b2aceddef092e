"""P-values that are read off the refits of a test beside its own, such as those of features and of members.

From 99 permutations on, each is taken from the first look at which it is larger than the smallest that the look can
give, or from the last. `kmerf.nulls.sequential` proves that it is then valid at every level.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats
    from kmerf.nulls.protocol import InterimLook

LATE = 99  # permutations from which such p-values are taken as they are


def take_in_turn(looks: Sequence[InterimLook], drawn: int, pvalues_at: Callable[[int], Floats]) -> Floats:
    """Return p-values beside that of the test, each from the late look that it is to be taken from.

    `pvalues_at` gives all of them from the first so many of the `drawn` permutations.

    >>> from kmerf.nulls.protocol import InterimLook
    >>> known = {99: np.array([0.01, 0.02, 0.01]), 399: np.array([0.0025, 0.03, 0.02])}
    >>> take_in_turn([InterimLook(39, 0.2), InterimLook(99, 0.1), InterimLook(399)], 399, known.__getitem__).tolist()
    [0.0025, 0.02, 0.02]
    """
    sizes = sorted({*(look.size for look in looks if LATE <= look.size < drawn), drawn})
    taken = pvalues_at(sizes[0])
    for before, size in itertools.pairwise(sizes):
        least = taken <= 1.000001 / (1 + before)
        if not least.any():
            break
        taken = np.where(least, pvalues_at(size), taken)
    return taken
