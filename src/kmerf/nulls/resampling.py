"""Permuted statistics: the method is applied again with the rows of y in other orders, by as many workers as wanted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kmerf.core import parallel
from kmerf.core.progress import Progress, no_progress
from kmerf.core.streams import Purpose, stream
from kmerf.data.exchangeability import Exchange

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints
    from kmerf.methods.protocol import Problem


@dataclass(frozen=True)
class Run:
    """Where the randomness comes from, which rows may change places, and who does the work."""

    seed: int
    n_jobs: int = 1
    backend: str = "threads"
    progress: Progress = no_progress
    exchange: Exchange = field(default_factory=Exchange)


class PermutedFits(NamedTuple):
    """Statistics with y permuted, in the order of the permutations."""

    statistics: Floats
    """All statistics (permutations, k)."""
    shares: Floats | None
    """How much each feature did for each forest (permutations, forests, features), where forests tell."""


def resample(problem: Problem, size: int, run: Run, reasons: bool = False) -> PermutedFits:
    """Return the statistics with the permutations numbered 1 to `size`."""
    job = Resample(problem, run.seed, run.exchange, reasons)
    fits = parallel.run(job, range(1, size + 1), n_jobs=run.n_jobs, backend=run.backend, progress=run.progress)
    statistics = np.array([each for each, _ in fits]) if fits else np.empty((0, 1))
    shares = [share for _, share in fits if share is not None]
    return PermutedFits(statistics, np.array(shares) if shares else None)


@dataclass(frozen=True, eq=False)
class Resample:
    """The statistics with the permutation of a given number, from 1 on; a value, so that it can be sent to a worker."""

    problem: Problem
    seed: int
    exchange: Exchange = field(default_factory=Exchange)
    reasons: bool = False

    def order(self, number: int) -> Ints:
        """Return the permutation."""
        return self.exchange.order(self.problem.n, stream(self.seed, Purpose.PERMUTATION, number))

    def __call__(self, number: int) -> tuple[Floats, Floats | None]:
        """Permute y and return the statistics (k,), and what each feature did for them."""
        fit = self.problem.fit(self.order(number), number, reasons=self.reasons)
        return fit.statistics, fit.shares() if self.reasons else None
