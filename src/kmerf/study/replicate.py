"""One replicate: a data set, and what each test finds on it.

All randomness comes from the seed of the study, the source of the data and the number of the replicate; none of it
from the test, so that all tests see the same data, and the same permutation of y. What a replicate gives is
therefore the same in whatever order, company, process or back end it is computed.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kmerf.core.errors import KmerfError
from kmerf.data.exchangeability import exchange
from kmerf.execution import parallel
from kmerf.execution.parallel import one_thread
from kmerf.methods.protocol import check_chi_square, observe
from kmerf.nulls.judging import Run, judge_fit
from kmerf.storage.provenance import canonical
from kmerf.study.design import StudyTest

if TYPE_CHECKING:
    from kmerf.data.sample import Sample
    from kmerf.study.sources import Source


class ReplicateStreams(NamedTuple):
    """The seeds of a replicate's data, of its permutation, and of the tests' own random choices."""

    data: int
    order: int
    method: int


class ReplicateRow(NamedTuple):
    """What one test found in one replicate: one of its statistics, numbered by its part, if it combines several."""

    cell: int
    replicate: int
    part: int
    weight: float
    """How much the part counts (`kmerf.nulls.combining`)."""
    statistic: float
    permuted: float
    pvalue: float | None
    seconds: float


class Item(NamedTuple):
    """A replicate to compute: which tests, by their cells, do not have it yet."""

    replicate: int
    cells: tuple[int, ...]


def streams(seed: int, source: str, replicate: int) -> ReplicateStreams:
    """Return the seeds of a replicate; `source` is the canonical form of the source.

    >>> streams(1, "a", 0) == streams(1, "a", 0), streams(1, "a", 0) == streams(1, "a", 1)
    (True, False)
    """
    digest = hashlib.blake2b(f"{seed}\n{source}\n{replicate}".encode(), digest_size=40).digest()
    data, order, method = (int.from_bytes(digest[k : k + 16], "big") for k in (0, 16, 32))
    return ReplicateStreams(data, order, method >> 11)  # below 2^53, as every seed of a method


@dataclass(frozen=True)
class Batch:
    """Some replicates of one source; a value, so that it can be sent to a worker."""

    source: Source
    seed: int
    tests: dict[int, StudyTest]
    """The tests by their cells."""
    items: Sequence[Item]
    codes: dict[int, str]
    """The code of each test, as it stands in the store."""
    parent: int
    """The process that writes."""
    seconds: float
    """The time after which to come back with what there is; at least one replicate is computed."""

    def __call__(self) -> list[ReplicateRow]:
        """Return the rows of all replicates that there was time for."""
        if os.getpid() != self.parent:
            one_thread()  # for good: this process is a worker
            self._same_code()
        key = canonical(self.source)
        rows, end = list[ReplicateRow](), time.monotonic() + self.seconds
        for item in self.items:
            parallel.checkpoint()
            if rows and time.monotonic() > end:
                break
            try:
                rows += self._replicate(key, item)
            except Exception as error:
                error.add_note(f"in replicate {item.replicate} of {self.source}, with seed {self.seed}")
                raise
        return rows

    def _replicate(self, key: str, item: Item) -> list[ReplicateRow]:
        seeds = streams(self.seed, key, item.replicate)
        sample = self.source.draw(np.random.default_rng(seeds.data))
        order = np.random.default_rng(seeds.order).permutation(sample.n)
        tested = [_rows(self.tests[cell], cell, item.replicate, sample, order, seeds.method) for cell in item.cells]
        return [row for rows in tested for row in rows]

    def _same_code(self) -> None:
        # Workers that start late import what the files say by then.
        for cell, test in self.tests.items():
            if not test.is_current(self.codes[cell]):
                raise KmerfError("The source code has changed since this run began: run it again to go on.")


def _rows(
    test: StudyTest,
    cell: int,
    replicate: int,
    sample: Sample,
    order: np.ndarray[tuple[int], np.dtype[np.int64]],
    seed: int,
) -> list[ReplicateRow]:
    begun = time.perf_counter()
    problem = test.method.prepare(sample, seed)
    observed = observe(problem)
    permuted = problem.fit(order, 1)
    pvalue = None
    if test.null is not None:
        if test.null.needs_unbiased:
            check_chi_square(problem)  # raises if there is no chi-square null; a caveat is what a study is for
        allowed = exchange(None, "within", sample.y, x=sample.x)
        pvalue = judge_fit(test.null, problem, observed, Run(seed, exchange=allowed)).pvalue
    parts = zip(observed.weights.tolist(), observed.statistics.tolist(), permuted.statistics.tolist(), strict=True)
    seconds = time.perf_counter() - begun
    return [ReplicateRow(cell, replicate, part, *values, pvalue, seconds) for part, values in enumerate(parts)]
