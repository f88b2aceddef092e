"""How strong the relation is, whatever n: a p-value gets small for any relation if there are rows enough.

- The kernel correlation, at most 1 and about 0 without dependence, with an interval if asked for. The interval is from
  half-samples: rows are drawn without replacement (a bootstrap would put copies of a row in and out of bag), and the
  forest is grown on each half. The sd over half-samples estimates the sd over new samples of n rows: the variance goes
  as 1/n, so half the rows double it, and halves of the same rows share half of it (the delete-half jackknife, Shao and
  Wu 1989). Then correlation -+ t sd, cut at 1, aims at the expected correlation of samples of this size: a forest of
  more rows would see more. It is conservative: docs/importance.md.
- How well the forest predicts out of bag: R2 for numbers, the area under the ROC curve for classes (`kmerf.oob`).

Classes are halved one by one, and with blocks, whole blocks are drawn.
"""

from __future__ import annotations

import numbers
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kmerf import parallel
from kmerf.errors import InputError
from kmerf.method import Fit, Method, observe
from kmerf.null import FEW_ROWS, Run
from kmerf.progress import no_progress
from kmerf.tables import Sample

Ints = NDArray[np.int64]

HALVES = 60

_HALF = 19  # keeps the streams that draw halves apart from others


@dataclass(frozen=True)
class Effect:
    """The size of an effect."""

    correlation: float
    """Kernel correlation; of a method that combines several, the largest."""
    low: float | None = None
    high: float | None = None
    """The interval of the correlation, where it was asked for."""
    level: float | None = None
    """How often such intervals are meant to hold the expected correlation."""
    measure: str = ""
    """"R2" or "AUC": how out-of-bag predictions are scored; empty where there are none."""
    score: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Effect:
        """Rebuild what `to_dict` gave."""
        return cls(**data)


def correlation(fit: Fit) -> float:
    """Return the kernel correlation that a method found: the largest of its forests, or else its statistic."""
    forests = [part.statistic for part in fit.parts if part.forest is not None]
    return max(forests, default=fit.parts[0].statistic)


def check_level(level: Any) -> float:
    """Read the level of an interval."""
    if isinstance(level, bool) or not isinstance(level, numbers.Real) or not 0.0 < float(level) < 1.0:
        raise InputError(f"interval={level!r} must be a number between 0 and 1, such as 0.95, or None.")
    return float(level)


def with_interval(effect: Effect, level: float, method: Method, sample: Sample, run: Run) -> Effect:
    """Add the interval, from the test's statistic on halves of the rows."""
    from scipy.special import stdtrit

    if sample.n < FEW_ROWS:
        raise InputError(f"interval={level:g} needs {FEW_ROWS} rows or more to halve, and there are {sample.n}.")
    if any(isinstance(value, np.ndarray) for value in vars(method).values()):
        raise InputError("interval cannot be found with a precomputed y_kernel: name a kernel.")
    job = _Half(method, sample, run.seed)
    found = parallel.run(job, range(HALVES), n_jobs=run.n_jobs, backend=run.backend, progress=no_progress)
    half = float(np.std(found, ddof=1) * stdtrit(HALVES - 1, (1.0 + level) / 2.0))
    low, high = effect.correlation - half, min(1.0, effect.correlation + half)
    return replace(effect, low=low, high=high, level=level)


@dataclass(frozen=True, eq=False)
class _Half:
    """The statistic of the half-sample of a given number; a value, so that it can be sent to a worker."""

    method: Method
    sample: Sample
    seed: int

    def __call__(self, number: int) -> float:
        rows = half_of(self.sample, np.random.default_rng([self.seed, _HALF, number]))
        part = take(self.sample, rows)
        return correlation(observe(self.method.prepare(part, (self.seed + 1 + number) % 2**64)))


def half_of(sample: Sample, rng: np.random.Generator) -> Ints:
    """Draw half of the rows: of each class, or of the blocks."""
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


def take(sample: Sample, rows: Ints) -> Sample:
    """Return some of the rows of a sample."""
    values = np.ascontiguousarray(sample.x.values[rows])
    values.flags.writeable = False
    x = replace(sample.x, values=values)
    blocks = None if sample.blocks is None else np.unique(sample.blocks[rows], return_inverse=True)[1].reshape(-1)
    return replace(sample, x=x, y=sample.y.take(rows), blocks=blocks)
