"""The score interval of a proportion (Wilson 1927).

Power, with its Monte Carlo error: how often does a test reject, and how well do R replicates know it?

Two rules say when a replicate counts as rejected.

- "published", that of the published tables: the permuted statistics of all R replicates are the null; the cutoff is
  entry ceil((1 - level) R), counted from 0, of them in order, and a statistic at or above it rejects. Fewer than
  1 / level replicates have no such entry, and reject nothing.
- "pvalue": the test's own p-value is at most the level.

Either way power = (1 + rejections) / (1 + R), as published. On data without dependence it is the type-I error.

Under the second rule rejections are binomial, and the Wilson score interval tells all. Under the first the cutoff is
an estimate too, which at the null doubles the variance: replicates are drawn again, observed and permuted statistic
together, and the cutoff is found anew each time. The interval given is the wider of that and Wilson's on each side,
for the bootstrap of a power of 1 has no width.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from kmerf.core.errors import Argument, InputError, share, whole
from kmerf.core.settings import LEVEL
from kmerf.study.read import Cell, cells

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats
    from kmerf.study.design import Study
    from kmerf.study.sources import Source

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


_BLOCK = 2_000_000  # numbers drawn at a time


@dataclass(frozen=True)
class Power:
    """How often one test rejects on one source of data, by one rule."""

    test: str
    data: Source
    rule: str
    """"published" or "pvalue"."""
    level: float
    replicates: int
    rejections: int
    standard_error: float
    interval: Interval
    """Of the power, with the error of the cutoff."""
    wilson: Interval
    """Of the power, were the cutoff known."""
    cutoff: float | None = None

    @property
    def power(self) -> float:
        """The estimate, as published."""
        return (1 + self.rejections) / (1 + self.replicates)

    @property
    def rate(self) -> float:
        """The plain share of rejections."""
        return self.rejections / self.replicates


def power(
    study: Study,
    path: str | os.PathLike[str],
    *,
    level: float = LEVEL,
    confidence: float = 0.95,
    n_bootstrap: int = 1000,
) -> list[Power]:
    """Return the power of every test on every source, from what the store holds; cells without rows are left out.

    Every cell has an entry by the rule "published"; those with p-values of their own have another, by "pvalue".
    """
    share("level", level)
    share("confidence", confidence)
    whole("n_bootstrap", n_bootstrap)
    filled = [cell for cell in cells(study, path) if cell.replicate.size]
    if not filled:
        finding = "has no rows of this study by this version of the code"
        raise InputError(finding, argument=Argument("path", str(path)), remedy="kmerf.study.run(study, path)")
    found = []
    for cell in filled:
        found.append(_by_cutoff(cell, level, confidence, n_bootstrap))
        if cell.pvalue is not None:
            found.append(_by_pvalue(cell, cell.pvalue, level, confidence))
    return found


def _by_cutoff(cell: Cell, level: float, confidence: float, n_bootstrap: int) -> Power:
    total = cell.statistic.size
    limit = cutoff(cell.permuted, level)
    rejections = int((cell.statistic >= limit).sum())
    exact = wilson(rejections, total, confidence)
    rates = bootstrap(cell.statistic, cell.permuted, level, n_bootstrap)
    low, high = np.quantile(rates, [(1 - confidence) / 2, (1 + confidence) / 2]).tolist()
    widest = min(low, exact[0]), max(high, exact[1])
    return Power(cell.test, cell.data, "published", level, total, rejections, float(rates.std()), widest, exact, limit)


def _by_pvalue(cell: Cell, pvalue: Floats, level: float, confidence: float) -> Power:
    total, rejections = pvalue.size, int((pvalue <= level).sum())
    exact = wilson(rejections, total, confidence)
    error = math.sqrt(rejections * (total - rejections) / total**3)
    return Power(cell.test, cell.data, "pvalue", level, total, rejections, error, exact, exact)


def cutoff(permuted: Floats, level: float = LEVEL) -> float:
    """Return the published cutoff; infinite where there are too few replicates for one.

    >>> cutoff(np.arange(100.0))
    95.0
    >>> cutoff(np.arange(10.0))
    inf
    """
    k = _rank(permuted.size, level)
    return float(np.sort(permuted)[k]) if k < permuted.size else math.inf


def bootstrap(statistic: Floats, permuted: Floats, level: float, n_bootstrap: int, seed: int = 0) -> Floats:
    """Return the share of rejections in bootstrap samples of the replicates, each with a cutoff of its own."""
    total = statistic.size
    k = _rank(total, level)
    if k >= total:
        return np.zeros(n_bootstrap)
    rng = np.random.default_rng(seed)
    found = []
    for begin in range(0, n_bootstrap, max(1, _BLOCK // total)):
        size = min(n_bootstrap - begin, max(1, _BLOCK // total))
        drawn = rng.integers(0, total, size=(size, total))
        limits = np.partition(permuted[drawn], k, axis=1)[:, k : k + 1]
        found.append((statistic[drawn] >= limits).mean(axis=1))
    return np.concatenate(found)


def _rank(total: int, level: float) -> int:
    return math.ceil(round((1 - level) * total, 9))  # rounded, lest 0.95 * 20 come out above 19
