"""The kernel correlation as the size of an effect: at most 1, about 0 without dependence; its interval, if asked for.

The interval is from half-samples: rows are drawn without replacement (a bootstrap would put copies of a row in and out
of bag), and the forest is grown on each half. The sd over half-samples estimates the sd over new samples of n rows: the
variance goes as 1/n, so half the rows double it, and halves of the same rows share half of it (the delete-half
jackknife, Shao and Wu 1989). Then correlation -+ t sd, cut at 1, aims at the expected correlation of samples of this
size: a forest of more rows would see more. What is a mean over pairs of rows, not over rows, has a variance that goes
as 1/n^2, of which halves have three times as much, so it holds that value at least as often as its level says:
docs/importance.md. R2 and AUC are in `kmerf.explain.effects`.

Classes are halved one by one, and with blocks, whole blocks are drawn. A half on which there is nothing to correlate,
of fewer than four rows or of one value of y, is drawn again.
"""

from __future__ import annotations

import numbers
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kmerf.core.errors import InputError
from kmerf.core.settings import holds_matrix
from kmerf.core.streams import Purpose, half_sample_seed, stream
from kmerf.data.sample import FEWEST_ROWS, Sample, take_rows
from kmerf.execution import parallel
from kmerf.execution.progress import no_progress
from kmerf.methods.protocol import Fit, Method, observe
from kmerf.nulls.judging import FEW_ROWS

if TYPE_CHECKING:
    from kmerf.core.arrays import Ints
    from kmerf.nulls.judging import Run
    from kmerf.results.parts import Effect

HALVES = 60
FEWEST_BLOCKS = 4  # with fewer, two of them are no half

_TRIES = 200  # at a half on which there is something to correlate


def correlation(fit: Fit) -> float | None:
    """Return the kernel correlation that a method found: the largest of its forests, or else of others, or None."""
    known = [part for part in fit.parts if part.correlation]
    forests = [part for part in known if part.forest is not None]
    return max((part.statistic for part in forests or known), default=None)


def check_interval(level: Any, sample: Sample, method: Method | None) -> None:
    """Raise unless rows can be halved to find an interval of this level."""
    if isinstance(level, bool) or not isinstance(level, numbers.Real) or not 0.0 < float(level) < 1.0:
        raise InputError(f"interval={level!r} must be a number between 0 and 1, such as 0.95, or None.")
    if sample.n < FEW_ROWS:
        raise InputError(
            f"interval={level:g} needs {FEW_ROWS} rows or more to halve, and there are {sample.n}: leave it out."
        )
    n_blocks = sample.n if sample.blocks is None else np.unique(sample.blocks).size
    if n_blocks < FEWEST_BLOCKS:
        raise InputError(
            f"interval={level:g} needs {FEWEST_BLOCKS} blocks or more to halve, and there are {n_blocks}: leave it out."
        )
    half_of(sample, np.random.default_rng(int(Purpose.HALF_SAMPLE)))
    if holds_matrix(method):
        raise InputError("interval cannot be found with a precomputed y_kernel: name a kernel.")


def check_correlation(level: float, fit: Fit) -> None:
    """Raise unless there is a correlation that an interval could be of."""
    if correlation(fit) is None:
        names = " and ".join(part.name for part in fit.parts)
        raise InputError(
            f"interval={level:g} is of a correlation, and the statistic of {names} is none: leave it out, or use "
            "method=KMERF() or method=Dcorr()."
        )


def with_interval(effect: Effect, level: float, method: Method, sample: Sample, run: Run) -> Effect:
    """Add the interval, from the test's statistic on halves of the rows."""
    from scipy.special import stdtrit

    job = _Half(method, sample, run.seed)
    found = parallel.run(job, range(HALVES), n_jobs=run.n_jobs, backend=run.backend, progress=no_progress)
    assert effect.correlation is not None  # `check_correlation` saw to that
    half = float(np.std(found, ddof=1) * stdtrit(HALVES - 1, (1.0 + level) / 2.0))
    low, high = (min(1.0, effect.correlation + side) for side in (-half, half))
    return replace(effect, low=low, high=high, level=float(level))


@dataclass(frozen=True, eq=False)
class _Half:
    """The statistic of the half-sample of a given number; a value, so that it can be sent to a worker."""

    method: Method
    sample: Sample
    seed: int

    def __call__(self, number: int) -> float:
        rows = half_of(self.sample, stream(self.seed, Purpose.HALF_SAMPLE, number))
        part = take_rows(self.sample, rows)
        found = correlation(observe(self.method.prepare(part, half_sample_seed(self.seed, number))))
        assert found is not None  # `check_correlation` saw to that
        return found


def half_of(sample: Sample, rng: np.random.Generator) -> Ints:
    """Draw half of the rows: of each class, or of the blocks."""
    for _ in range(_TRIES):
        rows = _draw(sample, rng)
        if rows.size >= FEWEST_ROWS and (sample.y.values[rows] != sample.y.values[rows[0]]).any():
            return rows
    units = "rows" if sample.blocks is None else "blocks"
    raise InputError(
        f"interval: nearly every half of the {units} has fewer than {FEWEST_ROWS} rows or a single value of y, so that "
        "nothing can be said of it: leave it out."
    )


def _draw(sample: Sample, rng: np.random.Generator) -> Ints:
    if sample.blocks is not None:
        drawn = _some(np.unique(sample.blocks), rng)
        return np.flatnonzero(np.isin(sample.blocks, drawn))
    codes = np.zeros(sample.n, np.int64) if sample.y.codes is None else sample.y.codes
    parts = [_some(np.flatnonzero(codes == code), rng) for code in np.unique(codes)]
    return np.sort(np.concatenate(parts))


def _some(units: Ints, rng: np.random.Generator) -> Ints:
    """Draw half of some units, an odd one by the toss of a coin; two or more of them if there are."""
    size = (units.size + int(rng.integers(2))) // 2
    return rng.permutation(units)[: max(size, min(2, units.size))]
