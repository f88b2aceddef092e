"""Do our powers agree with published ones? A test of each pair, and of all of them together.

Two estimates of one power, ours of R1 replicates and theirs of R2, differ by chance with variance

    p (1 - p) f (1 / R1 + 1 / R2),

where p is the pooled estimate and f >= 1 says how much the estimated cutoff adds to the binomial variance. The
bootstrap of our replicates measures f; theirs had the same kind of cutoff, so it serves both. Near a power of 1 the
pooled p hides what the cutoff does, so the variance is at least the bootstrap's own, scaled to theirs. With 500 normal
replicates of ours this rejects at most 5 % of equal powers at 0.05 (0 to 0.049); fewer than 100 are too few.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from kmerf.core.errors import InputError
from kmerf.nulls.multiplicity import holm
from kmerf.study.estimate import Interval, wilson

if TYPE_CHECKING:
    from kmerf.study.estimate import Power


@dataclass(frozen=True)
class Published:
    """A power from a table, (1 + rejections) / (1 + replicates), and the replicates it was made of."""

    power: float
    replicates: int

    @property
    def rejections(self) -> float:
        """The rejections that give this power."""
        return min(max(self.power * (1 + self.replicates) - 1, 0.0), float(self.replicates))


@dataclass(frozen=True)
class Agreement:
    """One of our powers and the published one."""

    ours: Power
    published: Published
    z: float
    """Ours minus theirs, in standard errors."""
    pvalue: float
    """Two-sided, of this pair alone."""
    holm: float
    """The same, adjusted by Holm for all pairs: to list those at most 0.05 names no false exception 95 times in 100."""
    interval: Interval
    """The published power's own score interval."""

    @property
    def difference(self) -> float:
        """Ours minus theirs."""
        return self.ours.power - self.published.power


def agreement(ours: Sequence[Power], published: Sequence[Published]) -> list[Agreement]:
    """Compare powers with published ones, pair by pair.

    >>> from kmerf.study import Power, Simulated
    >>> mine = Power("Dcorr", Simulated("linear"), "pvalue", 0.05, 500, 250, 0.0224, (0.46, 0.54), (0.46, 0.54))
    >>> [(round(a.z, 2), a.holm < 0.05) for a in agreement([mine, mine], [Published(0.52, 2305), Published(0.4, 2305)])]
    [(-0.8, False), (4.06, True)]
    """
    if len(ours) != len(published):
        finding = f"has {len(published)} entries for {len(ours)} of ours"
        raise InputError(finding, argument="published", remedy="pass one for each")
    scores = [_score(mine, theirs) for mine, theirs in zip(ours, published, strict=True)]
    pvalues = [2 * NormalDist().cdf(-abs(z)) for z in scores]
    adjusted = holm(np.array(pvalues)).tolist()
    rows = zip(ours, published, scores, pvalues, adjusted, strict=True)
    return [Agreement(*row, wilson(row[1].rejections, row[1].replicates)) for row in rows]


def _score(mine: Power, theirs: Published) -> float:
    pooled = (mine.rejections + theirs.rejections) / (mine.replicates + theirs.replicates)
    spread = pooled * (1 - pooled) * (1 / mine.replicates + 1 / theirs.replicates)
    if spread <= 0:
        return 0.0
    binomial = mine.rate * (1 - mine.rate) / mine.replicates
    factor = max(1.0, mine.standard_error**2 / binomial) if binomial > 0 else 1.0
    variance = max(factor * spread, mine.standard_error**2 * (1 + mine.replicates / theirs.replicates))
    return (mine.rate - theirs.rejections / theirs.replicates) / math.sqrt(variance)
