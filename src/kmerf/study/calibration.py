"""Does a test keep its level on the user's own x? y is permuted, so that nothing depends on anything, and tested.

Each of R permutations of y gives a statistic, the forest grown again. Under `ChiSquare` each has a p-value of its own.
Under a null that permutes, statistics of permuted data are exchangeable with those of their own permutations, so no
more are needed: each takes its turn as the observed one, against the next ones in a circle.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kmerf import exchange as exchanges
from kmerf import parallel, tables
from kmerf.errors import InputError, whole
from kmerf.kmerf import KMERF
from kmerf.method import Method
from kmerf.null import Null, Run, default_null, resample
from kmerf.progress import Progress, as_progress
from kmerf.questions import Seed, as_seed
from kmerf.study.estimate import Interval, wilson

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Calibration:
    """How often a test rejected where there was nothing to find."""

    pvalues: Floats
    levels: tuple[float, ...]
    seed: int

    @property
    def rates(self) -> tuple[float, ...]:
        """Share of rejections at each level."""
        return tuple(float(np.mean(self.pvalues <= level)) for level in self.levels)

    @property
    def intervals(self) -> tuple[Interval, ...]:
        """95 % score interval of each rate."""
        n = self.pvalues.size
        return tuple(wilson(rate * n, n) for rate in self.rates)

    def __str__(self) -> str:
        lines = [
            f"Rejections of {self.pvalues.size} true nulls, made by permuting y",
            "",
            "  level   rejected   95 % interval",
        ]
        for level, rate, (low, high) in zip(self.levels, self.rates, self.intervals, strict=True):
            verdict = "too many" if low > level else "fewer than allowed" if high < level else "as it should be"
            lines.append(f"  {level:<7g} {rate:8.3f}   {low:.3f} to {high:.3f}   {verdict}")
        return "\n".join(lines)


def check_calibration(
    x: Any,
    y: Any,
    *,
    method: Method | None = None,
    null: Null | None = None,
    replicates: int = 500,
    levels: Iterable[float] = (0.05, 0.01),
    categorical: Iterable[str | int] = (),
    y_kind: str = "auto",
    missing_y: str = "raise",
    blocks: Any = None,
    exchange: str = "within",
    rng: Seed = None,
    n_jobs: int | None = None,
    backend: str = "threads",
    progress: bool | Progress = False,
) -> Calibration:
    """Find how often the chosen test rejects at the levels, on this x and with y permuted.

    Parameters
    ----------
    replicates
        How many times y is permuted and the method fitted; no more fits are needed, whatever the null.
    levels
        The levels to check.
    x, y, method, null, categorical, y_kind, missing_y, blocks, exchange, rng, n_jobs, backend, progress
        As in `independence`.

    Returns
    -------
    Calibration
        Rates of rejection with their intervals, and the p-values; `kmerf.figures.calibration.plot_tail` draws them.

    Examples
    --------
    >>> import kmerf
    >>> x = np.random.default_rng(0).normal(size=(40, 3))
    >>> paper = kmerf.KMERF(kmerf.ForestSpec(n_trees=50), proximity="all")
    >>> check = check_calibration(x, x[:, 0] > 0, method=paper, null=kmerf.ChiSquare(), replicates=100, rng=1)
    >>> check.rates
    (1.0, 0.97)
    """
    sample = tables.read_independence(x, y, categorical=categorical, y_kind=y_kind, missing_y=missing_y, blocks=blocks)
    method = KMERF() if method is None else method
    null = default_null(sample.n) if null is None else null
    if whole("replicates", replicates) <= null.n_resamples:
        raise InputError(f"replicates={replicates} must be more than the {null.n_resamples} resamples of the null.")
    seed = as_seed(rng)
    allowed = exchanges.exchange(sample.blocks, exchange, sample.y)
    run = Run(seed, parallel.worker_count(n_jobs), backend, as_progress(progress, "calibration"), allowed)
    problem = method.prepare(sample, seed)
    statistics = resample(problem, replicates, run)
    return Calibration(_pvalues(null, statistics, sample.n), tuple(levels), seed)


def _pvalues(null: Null, statistics: Floats, n: int) -> Floats:
    size = int(null.n_resamples)
    circle = np.concatenate([statistics, statistics])
    return np.array([null.judge(value, circle[i + 1 : i + 1 + size], n).pvalue for i, value in enumerate(statistics)])
