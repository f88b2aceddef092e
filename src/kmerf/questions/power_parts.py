"""Parts of a pilot, tested: the score of the test on random parts of several sizes, and where nothing is to be found.

A part of m of the n rows, drawn without replacement, is what a study of m rows would have been: no row is there twice,
so nothing makes the relation look stronger than it is. (Rows drawn with replacement repeat, and a forest recognises
them.) In each part y is also permuted once; these statistics, of all parts of a size, are the null of that size. From
each statistic the null's mean is taken away, and it is divided by the null's sd, so that all sizes have one scale. The
sd is taken to be a power of the size: that of a few skewed values alone is too small more often than not, and then the
relation looks stronger than it is. Scores (`kmerf.nulls.combining`) take the null of all sizes together, which says
more of its skewness than one size can; a permuted statistic is left out of the null that it is scored by.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kmerf.core import parallel
from kmerf.core.errors import InputError
from kmerf.core.streams import Purpose, seed_for, stream
from kmerf.data.row_sample import draw_rows, untestable
from kmerf.data.sample_values import Sample, take_rows
from kmerf.methods.protocol import Method
from kmerf.nulls.combining import combine_many

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats
    from kmerf.nulls.resampling import Run

_ATTEMPTS = 50  # to draw rows that can be tested
_LEAST_SPREAD = 1e-12


class PartStatistics(NamedTuple):
    """The statistics of one part, as observed and with y permuted, and what each counts."""

    observed: Floats
    permuted: Floats
    weights: Floats


class Scores(NamedTuple):
    """Scores of the parts of one size, on the scale of their null: mean 0 and sd 1 where there is no relation."""

    size: int
    observed: Floats
    permuted: Floats
    members: int = 1
    """How many statistics there are in a score."""


@dataclass(frozen=True, eq=False)
class PartTest:
    """The test of one part, by the number of the part; a value, so that it can be sent to a worker."""

    sample: Sample
    method: Method
    seed: int
    sizes: Sequence[int]

    def __call__(self, number: int) -> PartStatistics:
        """Draw the rows of a part, and fit the method to them as they are and with y permuted."""
        rng = stream(self.seed, Purpose.PART_OF_PILOT, number)
        part = self._draw(self.sizes[number % len(self.sizes)], rng)
        problem = self.method.prepare(part, seed_for(self.seed, Purpose.PART_OF_PILOT, number))
        fit = problem.fit(np.arange(part.n), 0)
        return PartStatistics(fit.statistics, problem.fit(rng.permutation(part.n), 1).statistics, fit.weights)

    def _draw(self, size: int, rng: np.random.Generator) -> Sample:
        for _ in range(_ATTEMPTS):
            part = take_rows(self.sample, draw_rows(self.sample, size, rng))
            lack = untestable(part)
            if lack is None:
                return part
        raise InputError(f"Nearly every part of {size} rows has {lack}", remedy="collect a larger pilot")


def score_parts(sample: Sample, method: Method, sizes: Sequence[int], parts: int, run: Run) -> list[Scores]:
    """Return the scores of so many random parts of each size."""
    job = PartTest(sample, method, run.seed, tuple(sizes))
    numbers = range(parts * len(sizes))
    done = parallel.run(job, numbers, n_jobs=run.n_jobs, backend=run.backend, progress=run.progress)
    return part_scores({size: done[k :: len(sizes)] for k, size in enumerate(sizes)})


def part_scores(parts: Mapping[int, Sequence[PartStatistics]]) -> list[Scores]:
    """Return the scores of parts, by their size, on the scale of the permuted statistics of all sizes together."""
    observed = [np.array([part.observed for part in each]) for each in parts.values()]
    permuted = [np.array([part.permuted for part in each]) for each in parts.values()]
    scales = null_scales(list(parts), permuted)
    centres = [each.mean(axis=0) for each in permuted]
    observed, permuted = (
        [(each - centre) / scale for each, centre, scale in zip(rows, centres, scales, strict=True)]
        for rows in (observed, permuted)
    )
    every_null = np.concatenate(permuted)
    ends = np.cumsum([len(each) for each in permuted])
    found = []
    for own, end, each in zip(observed, ends, parts.values(), strict=True):
        scores, null = combine_many(own, every_null, each[0].weights)
        found.append((scores, null[end - len(own) : end]))
    null = np.concatenate([own for _, own in found])
    centre, spread = float(null.mean()), max(float(null.std(ddof=1)), _LEAST_SPREAD)
    members = every_null.shape[1]
    return [
        Scores(size, (own - centre) / spread, (null - centre) / spread, members)
        for size, (own, null) in zip(parts, found, strict=True)
    ]


def null_scales(sizes: Sequence[int], permuted: Sequence[Floats]) -> Floats:
    """Return the sd (S, k) of permuted statistics, S arrays (R, k), as a power of the size of the parts.

    >>> two, four = np.array([[0.0], [2.0]]), np.array([[0.0], [4.0]])
    >>> null_scales([10, 20], [two, four]).ravel().round(3).tolist()
    [1.414, 2.828]
    """
    variances = np.array([np.maximum(each.var(axis=0, ddof=1), _LEAST_SPREAD**2) for each in permuted])
    away = np.log(sizes) - np.log(sizes).mean()
    slope = away @ np.log(variances) / max(float(away @ away), _LEAST_SPREAD)
    shape = np.exp(away[:, None] * slope)
    return np.asarray(np.sqrt((variances / shape).mean(axis=0) * shape))
