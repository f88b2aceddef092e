"""Results from a Dask cluster, watched: one that is gone raises an error, where the wait for it would never end.

The results are drawn in a thread. While none comes, the thread that waits asks whether the scheduler answers and has
workers. A cluster may well begin without workers, as those of a queue do; only one that has lost all of them, and gets
no new one for a while, is given up.
"""

from __future__ import annotations

import contextvars
import queue
import threading
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import CancelledError
from typing import Any, TypeVar

Value = TypeVar("Value")

GRACE = 30.0  # seconds without any worker
LOOK = 1.0  # seconds without a result, after which to ask


class LostClusterError(Exception):
    """A cluster that will give no more results, and what to do."""


def watched(draw: Callable[[], Iterator[Value]], client: Any) -> Generator[Value, None, None]:
    """Yield what `draw()` yields, as long as the cluster of a client can go on."""
    results: queue.Queue[tuple[str, Any]] = queue.Queue()
    ended = threading.Event()

    def pull() -> None:
        try:
            for value in draw():
                results.put(("value", value))
                if ended.is_set():
                    return
            results.put(("end", None))
        except BaseException as error:
            results.put(("error", error))

    context = contextvars.copy_context()  # it tells which client is meant
    threading.Thread(target=context.run, args=(pull,), name="kmerf-dask", daemon=True).start()
    watch = _Watch(client)
    try:
        while True:
            try:
                kind, value = results.get(timeout=LOOK)
            except queue.Empty:
                watch.look()
                continue
            if kind == "end":
                return
            if kind == "error":
                raise watch.explained(value) from value
            yield value
    finally:
        ended.set()


class _Watch:
    """Knows for how long a cluster has had no workers."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._had_workers = False
        self._since = time.monotonic()

    def look(self) -> None:
        """Raise if there is nothing left to wait for."""
        if self._has_workers():
            self._had_workers, self._since = True, time.monotonic()
        elif self._had_workers and time.monotonic() - self._since > GRACE:
            raise LostClusterError(_NO_WORKERS)

    def explained(self, error: BaseException) -> BaseException:
        """Return the error itself, or what it means where it is the cluster's."""
        ours = type(error).__module__.split(".")[0] != "distributed"
        if ours and not isinstance(error, CancelledError | OSError):
            return error
        try:
            lost = not self._has_workers()
        except LostClusterError as gone:
            return gone
        return LostClusterError(
            _NO_WORKERS if lost else f"The Dask cluster has given up the work ({error}): ask again."
        )

    def _has_workers(self) -> bool:
        try:
            return bool(self._client.scheduler_info()["workers"])
        except Exception as error:  # of many kinds, by what it was doing when the connection ended
            raise LostClusterError(_NO_SCHEDULER) from error


_NO_WORKERS = "The Dask cluster has lost all its workers: start some (dask worker ADDRESS), and ask again."
_NO_SCHEDULER = "The Dask scheduler is gone: start one (dask scheduler), connect to it, and ask again."
