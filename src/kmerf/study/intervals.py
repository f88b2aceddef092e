"""The score interval of a proportion (Wilson 1927)."""

from __future__ import annotations

import math
from statistics import NormalDist

Interval = tuple[float, float]


def wilson(successes: float, total: float, confidence: float = 0.95) -> Interval:
    """Return the Wilson score interval of a proportion.

    >>> [round(end, 4) for end in wilson(10, 10)]
    [0.7225, 1.0]
    """
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share, weight = successes / total, z * z / total
    middle = (share + weight / 2) / (1 + weight)
    half = z / (1 + weight) * math.sqrt(share * (1 - share) / total + weight / (4 * total))
    return max(0.0, middle - half), min(1.0, middle + half)
