"""Execution of a study: find what its store lacks, claim some of it, compute, write, until nothing is lacking.

Work goes in *rounds* of one source each: claim as many replicates as should take ten seconds, deal them to the
workers in batches of half a second, write what comes back every second, release. A batch that takes longer than
expected comes back unfinished; the first round of a source, whose cost is not known yet, is one such batch per worker.
Only this process touches the store; a thread of it signs that the run is alive.
"""

from __future__ import annotations

import math
import operator
import os
import threading
import time
import uuid
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kmerf.core.errors import KmerfError
from kmerf.execution.parallel import one_thread, stream, worker_count
from kmerf.execution.progress import Progress, as_progress
from kmerf.execution.stopping import signals_interrupt
from kmerf.storage.provenance import canonical
from kmerf.study.design import Batch, Item, Key, ReplicateRow, Study, StudyTest
from kmerf.study.sqlite_store import Store, open_store

if TYPE_CHECKING:
    from kmerf.study.design import Source

ROUND = 10.0  # seconds of work that a run claims at a time
BATCH = 0.5  # seconds of work that a worker gets at a time; it stops after twice as many
PROBE = 1000  # replicates for each worker in the first round of a source, or as many as it has time for
FLUSH = 1.0  # seconds of results that a kill can lose at most, besides the batches under way
POLL = 0.2  # seconds between two looks at what other runs have left
PATIENT = 10  # looks at which there is no other run, and rows are lacking all the same


def run(
    study: Study,
    path: str | os.PathLike[str],
    *,
    n_jobs: int | None = None,
    backend: str = "loky",
    progress: bool | Progress = False,
) -> int:
    """Compute what the store at `path` lacks of a study, and return the number of rows that this call added.

    Stop it as you like, Ctrl-C or kill, and run it again: it goes on where it was. Run it twice at once on one file:
    the two share the work. The rows do not depend on any of it.

    Parameters
    ----------
    study
        What to compute.
    path
        The file of the store; made if it does not exist.
    n_jobs
        Workers; all cores by default.
    backend
        "loky" for processes, any other back end of joblib by name, or "threads".
    progress
        True for a bar on standard error, or a function that is called with the rows done and the rows there were to do.
    """
    workers = worker_count(n_jobs)
    with signals_interrupt(), open_store(path, create=True) as store, _alive(path, store) as name, one_thread():
        works = _works(study, store)
        crew = _Crew(store, name, study, workers, backend, _Count(store, works, study, as_progress(progress, "study")))
        added = alone = 0
        while works:
            before = added
            added += sum(crew.exhaust(work) for work in works)
            works = [work for work in works if work.lacks(store, study.replicates)]
            if works and added == before:  # what is left is in the hands of other runs
                alone = 0 if store.has_other_runs(name) else alone + 1
                if alone > PATIENT:
                    raise store.damaged("lacks rows that it does not offer")
                time.sleep(POLL)
        crew.tally.close()
    return added


@dataclass(frozen=True)
class _Work:
    """What there is to do on one source."""

    source: Source
    tests: dict[int, StudyTest]
    codes: dict[int, str]

    @property
    def cells(self) -> tuple[int, ...]:
        return tuple(self.tests)

    def lacks(self, store: Store, replicates: int) -> bool:
        return store.count(self.cells, replicates) < len(self.cells) * replicates


def _works(study: Study, store: Store) -> list[_Work]:
    keys = study.keys()
    numbers = store.register(keys.values())
    store.discard_damaged(numbers.values(), study.replicates)

    def work(source: Source) -> _Work:
        by_label: dict[str, Key] = {label: keys[label, canonical(source)] for label in study.tests}
        tests = {numbers[key]: study.test(label) for label, key in by_label.items()}
        return _Work(source, tests, {numbers[key]: key.code for key in by_label.values()})

    return [work(source) for source in study.data]


class _Count:
    """Shows the progress: rows that were lacking at the start and are there now, whoever computed them."""

    def __init__(self, store: Store, works: list[_Work], study: Study, show: Progress) -> None:
        self._store, self._show, self._replicates = store, show, study.replicates
        self._cells = [cell for work in works for cell in work.cells]
        self._before = store.count(self._cells, study.replicates)
        self._total = len(self._cells) * study.replicates - self._before
        self._done = 0
        self._counted = time.monotonic()

    def add(self, rows: int) -> None:
        self._done += rows
        if time.monotonic() - self._counted > ROUND / 2:
            self._done = max(self._done, self._store.count(self._cells, self._replicates) - self._before)
            self._counted = time.monotonic()
        self._show(min(self._done, self._total), self._total)

    def close(self) -> None:
        if self._total and self._done < self._total:
            self._show(self._total, self._total)


@dataclass
class _Crew:
    """The workers of a run."""

    store: Store
    name: str
    study: Study
    workers: int
    backend: str
    tally: _Count

    def exhaust(self, work: _Work) -> int:
        """Compute what is free of a source, and return how many rows that gave."""
        added, limit, speed = 0, PROBE * self.workers, math.inf  # replicates per second, unknown so far
        written: set[tuple[int, int]] = set()
        while items := self.store.claim(self.name, work.cells, self.study.replicates, limit):
            if written & {(cell, item.replicate) for item in items for cell in item.cells}:
                raise self.store.damaged("does not keep the rows that are written to it")
            begun = time.monotonic()
            batches = max(self.workers, math.ceil(len(items) / speed * self.workers / BATCH))
            rows = self._round(self._batches(work, items, min(batches, len(items))))
            added += _tests(rows)
            written |= {(row.cell, row.replicate) for row in rows}
            speed = len({row.replicate for row in rows}) / (time.monotonic() - begun)
            limit = max(self.workers, int(ROUND * speed))
        return added

    def _batches(self, work: _Work, items: list[Item], number: int) -> list[Batch]:
        return [
            Batch(work.source, self.study.seed, work.tests, items[k::number], work.codes, os.getpid(), 2 * BATCH)
            for k in range(number)
        ]

    def _round(self, batches: list[Batch]) -> list[ReplicateRow]:
        """Compute batches and write their rows as they come; whatever ends it, what has come is written."""
        done, written, flushed = list[ReplicateRow](), 0, time.monotonic()
        try:
            with closing(stream(operator.call, batches, n_jobs=self.workers, backend=self.backend)) as results:
                for rows in results:
                    done += rows
                    if time.monotonic() - flushed > FLUSH:
                        self.store.write(done[written:])
                        written, flushed = len(done), time.monotonic()
                    self.tally.add(_tests(rows))
        finally:
            self.store.write(done[written:], release=self.name)
        return done


def _tests(rows: Iterable[ReplicateRow]) -> int:
    """Count the tests, whatever the number of statistics that each of them has."""
    return sum(row.part == 0 for row in rows)


@contextmanager
def _alive(path: str | os.PathLike[str], store: Store) -> Iterator[str]:
    """Give the run a name, and sign for it until it ends."""
    name, ended = uuid.uuid4().hex, threading.Event()

    def sign() -> None:
        with open_store(path) as of_thread:
            while not ended.wait(pause):
                with suppress(KmerfError):  # the main thread will meet the same fault, and raise it
                    of_thread.sign(name)

    pause = store.sign(name)
    thread = threading.Thread(target=sign, name="kmerf-study", daemon=True)
    thread.start()
    try:
        yield name
    finally:
        ended.set()
        thread.join()
        with suppress(KmerfError):  # the leases end by themselves
            store.leave(name)
