"""Workers, memory and threads: what a machine offers, and the only package that imports more than one core.

**Limits.** A test whose need of memory is known in advance is refused before it runs out of it: systems lend more
memory than they have and end the process that uses it, so waiting for a MemoryError is not enough. Linear algebra is
kept to one thread, since sums depend on how many there are.

**Workers.** `run` gives results in the order of the tasks, `stream` as they come. Threads serve almost everything here:
the compiled kernels release the lock. Where one call of a kernel can take long, it is given `stop_flag()` to look at,
and runs apart from the main thread, which is the one that receives Ctrl-C.

Any other back end is joblib's: "loky" for processes; "dask" for a cluster, with a `dask.distributed.Client`. A
cluster that is gone would be waited for without end, so it is watched: while no result comes, the thread that waits
asks whether the scheduler answers and has workers. A cluster may begin without workers, as those of a queue do; only
one that has lost all of them, and gets no new one for a while, is given up.
"""

from __future__ import annotations

import contextvars
import math
import os
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, Queue, SimpleQueue
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from kmerf.core.errors import Argument, InputError, KmerfError, Message, installing
from kmerf.core.streams import Seed
from kmerf.execution.progress import Progress, begin, interrupt, no_progress
from kmerf.execution.stopping import signals_interrupt

_CGROUP = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
MIN_ADVISED_ROWS = 100


def check_pairs(method: str, rows: int, each: float) -> None:
    """Refuse a test that keeps numbers for all pairs of rows, `each` bytes per pair, if the memory is too small.

    >>> check_pairs("MGC", 1000, 8)
    >>> check_pairs("MGC", 10**9, 8)
    Traceback (most recent call last):
    kmerf.core.errors.InputError: x has 1,000,000,000 rows, for which MGC needs 8,000,000,000.0 GB of memory, and ...
    """
    free = free_memory()
    if each * rows**2 <= free:
        return
    most = max(MIN_ADVISED_ROWS, int(math.sqrt(free / each) / 2))  # half of them, and with it a quarter of the memory
    fewer = int(str(most)[0]) * 10 ** (len(str(most)) - 1)  # rounded down to one digit
    need = f"has {rows:,} rows, for which {method} needs {each * rows**2 / 1e9:,.1f} GB of memory"
    remedy = Message("pass ", Argument("rows", fewer), " to test a random sample of them, or choose another method")
    raise InputError(f"{need}, and {free / 1e9:,.1f} GB are free", argument="x", remedy=remedy)


def free_memory() -> float:
    """Return how many bytes this process may still take; infinite where that is not known."""
    return min(_free_on_machine(), _cgroup_limit(), _free_of_limit())


def _free_on_machine() -> float:
    try:
        lines = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
        return 1024.0 * float(lines["MemAvailable"].split()[0])
    except (OSError, ValueError, KeyError):
        return math.inf


def _cgroup_limit() -> float:
    """Return the limit of a container; what is used of it may be a cache, which makes room."""
    for place in _CGROUP:
        try:
            return float(Path(place).read_text())
        except (OSError, ValueError):  # no such file, or "max"
            continue
    return math.inf


def _free_of_limit() -> float:
    """Return what is left of a limit of the address space (`ulimit -v`)."""
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit == resource.RLIM_INFINITY:
            return math.inf
        return float(limit - int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE"))
    except (ImportError, OSError, ValueError):
        return math.inf


def one_thread() -> AbstractContextManager[Any]:
    """Keep linear algebra to one thread, at once and until the end of the context."""
    import scipy.linalg  # noqa: F401  # it brings another library, which must be loaded to be limited
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    limits: AbstractContextManager[Any] = threadpool_limits(1)
    return limits


Task = TypeVar("Task")
Value = TypeVar("Value")

GRACE = 30.0  # seconds without any worker of a cluster, after which it is given up
LOOK = 1.0  # seconds without a result, after which to ask a cluster
_ATTENTION = 0.1  # seconds between looks whether somebody pressed Ctrl-C
_PER_CALL = 2**23  # pairs of rows that a compiled loop takes before it comes back to look for Ctrl-C
_NO_WORKERS = "The Dask cluster has lost all its workers: start some (dask worker ADDRESS), and ask again."
_NO_SCHEDULER = "The Dask scheduler is gone: start one (dask scheduler), connect to it, and ask again."

_local = threading.local()
_NEVER = np.zeros(1, np.uint8)


class Cancelled(BaseException):
    """Ends a worker thread whose pool was given up; never reaches the user."""


class Spares(Generic[Value]):
    """Things that workers borrow, made when none is free: as many as there are workers, however many tasks.

    >>> lists = Spares(list)
    >>> for k in range(3):
    ...     with lists.borrow() as one:
    ...         one.append(k)
    >>> lists.made
    [[0, 1, 2]]
    """

    def __init__(self, make: Callable[[], Value]) -> None:
        self.make = make
        self.made: list[Value] = []
        self._free: list[Value] = []

    @contextmanager
    def borrow(self) -> Iterator[Value]:
        """Lend one out; it comes back at the end of the block."""
        try:
            thing = self._free.pop()
        except IndexError:
            thing = self.make()
            self.made.append(thing)
        try:
            yield thing
        finally:
            self._free.append(thing)


def worker_count(n_jobs: int | None) -> int:
    """Return how many workers `n_jobs` asks for: None or -1 means every core that this process may use.

    >>> worker_count(3)
    3
    """
    if n_jobs is None or n_jobs == -1:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if isinstance(n_jobs, bool) or not hasattr(n_jobs, "__index__") or n_jobs < 1:
        finding = "must be a whole number of at least 1, or -1 for all cores"
        raise InputError(finding, argument=Argument("n_jobs", n_jobs))
    return int(n_jobs)


def checkpoint() -> None:
    """End this thread's work if its pool was interrupted. Long work calls it several times a second."""
    event = getattr(_local, "cancelled", None)
    if event is not None and event.is_set():
        raise Cancelled


def stop_flag() -> NDArray[np.uint8]:
    """Return what this thread's compiled work should look at: one number, no longer zero once the work is given up."""
    flag: NDArray[np.uint8] = getattr(_local, "flag", _NEVER)
    return flag


def run(
    function: Callable[[Task], Value],
    tasks: Iterable[Task],
    *,
    n_jobs: int = 1,
    backend: str = "threads",
    progress: Progress = no_progress,
    apart: bool = False,
    arrived: Callable[[int, Value], None] | None = None,
) -> list[Value]:
    """Return `[function(task) for task in tasks]`, computed by `n_jobs` workers.

    With `apart`, a single worker is no longer the main thread itself. `arrived` is called with the number of a task and
    its value as soon as it is there, in the thread that waits.

    >>> run(abs, [-1, 2, -3], n_jobs=2)
    [1, 2, 3]
    """
    todo = list(enumerate(tasks))
    done: dict[int, Value] = {}
    begin(progress, len(todo))
    work = stream(_Numbered(function), todo, n_jobs=n_jobs, backend=backend, apart=apart)
    with nullcontext() if backend == "threads" else signals_interrupt(), closing(work) as results:
        try:
            for number, value in results:
                done[number] = value
                if arrived is not None:
                    arrived(number, value)
                progress(len(done), len(todo))
        except BaseException:
            interrupt(progress)
            raise
    return [done[number] for number, _ in todo]


def stream(
    function: Callable[[Task], Value],
    tasks: Iterable[Task],
    *,
    n_jobs: int = 1,
    backend: str = "threads",
    apart: bool = False,
) -> Generator[Value, None, None]:
    """Yield `function(task)` for every task as soon as it is done, in no particular order.

    Close the iterator, or let it go, and the work that is left is given up.

    >>> sorted(stream(abs, [-1, 2, -3], n_jobs=2))
    [1, 2, 3]
    """
    todo = list(tasks)
    n_jobs = min(n_jobs, len(todo))
    if not todo:
        return
    if backend != "threads":
        yield from _joblib(function, todo, n_jobs, backend)
    elif n_jobs > 1 or (apart and threading.current_thread() is threading.main_thread()):
        yield from _threads(function, todo, n_jobs)
    else:
        yield from map(function, todo)


@dataclass(frozen=True)
class _Numbered(Generic[Task, Value]):
    """A function that takes and returns the number of its task as well, so that results can be put in order."""

    function: Callable[[Task], Value]

    def __call__(self, task: tuple[int, Task]) -> tuple[int, Value]:
        return task[0], self.function(task[1])


def _threads(function: Callable[[Task], Value], todo: list[Task], n_jobs: int) -> Iterator[Value]:
    cancelled = threading.Event()
    flag = np.zeros(1, np.uint8)

    def begin() -> None:
        _local.cancelled = cancelled
        _local.flag = flag

    wait = True
    done: SimpleQueue[Future[Value]] = SimpleQueue()
    pool = ThreadPoolExecutor(n_jobs, thread_name_prefix="kmerf", initializer=begin)
    try:
        for task in todo:
            pool.submit(function, task).add_done_callback(done.put)
        for _ in todo:
            yield _next(done).result()
    except KeyboardInterrupt:
        wait = False  # for a worker that is compiling, which takes long and has no checkpoint
        raise
    finally:  # reached early on Ctrl-C or an error: workers stop at their next checkpoint
        cancelled.set()
        flag[0] = 1
        pool.shutdown(wait=wait, cancel_futures=True)


def _next(done: SimpleQueue[Future[Value]]) -> Future[Value]:
    """Wait for the next task to be done, and look up now and then.

    A signal may reach a worker's thread. The main one, which has to act on it, would not wake from a wait without end.
    """
    while True:
        with suppress(Empty):
            return done.get(timeout=_ATTENTION)


def _joblib(function: Callable[[Task], Value], todo: list[Task], n_jobs: int, backend: str) -> Iterator[Value]:
    import joblib

    if backend == "dask":
        yield from _dask(function, todo)
        return
    remedy = "use 'threads', 'loky' (processes), 'dask' (a cluster) or a registered joblib back end"
    argument = Argument("backend", backend)
    if not isinstance(backend, str):
        raise InputError("must be a name", argument=argument, remedy=remedy)
    try:
        with joblib.parallel_config(backend=backend):  # which, unlike Parallel, loads the back ends of others
            pool = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    except ValueError as error:
        raise InputError("is not known", argument=argument, remedy=remedy) from error
    try:
        yield from pool(joblib.delayed(function)(task) for task in todo)
    except BrokenExecutor:
        advice = Message("use fewer with ", Argument("n_jobs"), ", or choose fewer rows or columns.")
        raise KmerfError(Message("A worker was killed, or there was no memory for it: ", advice)) from None


def _dask(function: Callable[[Task], Value], todo: list[Task]) -> Iterator[Value]:
    """Send the function, with the data it holds, to every worker of the cluster once, and then only tasks.

    A worker that is lost takes nothing with it: its tasks go to the others, which have the data too.
    """
    import joblib

    try:  # the client that joblib will take
        from distributed import get_client

        client = get_client()
    except (ImportError, ValueError) as error:
        raise InputError(
            "needs a cluster",
            argument=Argument("backend", "dask"),
            remedy=f"{installing('dask')}, and make a dask.distributed.Client before the test",
        ) from error

    def draw() -> Iterator[Value]:
        with joblib.parallel_config(backend="dask", scatter=[function]):
            pool = joblib.Parallel(return_as="generator_unordered")
            results: Iterator[Value] = pool(joblib.delayed(_call)(function, task) for task in todo)
        return results

    yield from watched(draw, client)


def _call(function: Callable[[Task], Value], task: Task) -> Value:
    return function(task)


class LostClusterError(KmerfError):
    """A cluster that will give no more results, and what to do."""


def watched(draw: Callable[[], Iterator[Value]], client: Any) -> Generator[Value, None, None]:
    """Yield what `draw()` yields in its own thread, as long as the cluster of a client can go on."""
    results: Queue[tuple[str, Any]] = Queue()
    closed = threading.Event()

    def pull() -> None:
        try:
            for value in draw():
                results.put(("value", value))
                if closed.is_set():
                    return
            results.put(("end", None))
        except BaseException as error:
            results.put(("error", error))

    context = contextvars.copy_context()  # it says which client is meant
    threading.Thread(target=context.run, args=(pull,), name="kmerf-dask", daemon=True).start()
    last_seen = None  # when there were workers, once there were any
    try:
        while True:
            try:
                kind, value = results.get(timeout=LOOK)
            except Empty:
                if _has_workers(client):
                    last_seen = time.monotonic()
                elif last_seen is not None and time.monotonic() - last_seen > GRACE:
                    raise LostClusterError(_NO_WORKERS) from None
                continue
            if kind == "end":
                return
            if kind == "error":
                _explain(value, client)
            yield value
    finally:
        closed.set()


def _explain(error: BaseException, client: Any) -> None:
    """Raise the error of a task itself, or what an error of the cluster means."""
    if type(error).__module__.split(".")[0] != "distributed" and not isinstance(error, CancelledError | OSError):
        raise error
    if not _has_workers(client):
        raise LostClusterError(_NO_WORKERS) from error
    raise LostClusterError(f"The Dask cluster has given up the work ({error}): ask again.") from error


def _has_workers(client: Any) -> bool:
    try:
        return bool(client.scheduler_info()["workers"])
    except Exception as error:  # of many kinds, by what it was doing when the connection ended
        raise LostClusterError(_NO_SCHEDULER) from error


def row_blocks(n: int, *, cost: int = 1) -> Iterator[tuple[int, int]]:
    """Part n rows so that each part has few enough pairs with all rows, at so much a pair, for one compiled call.

    >>> list(row_blocks(100))
    [(0, 100)]
    """
    size = max(1, _PER_CALL // (n * cost))
    for start in range(0, n, size):
        yield start, min(n, start + size)


class Execution(NamedTuple):
    """The options that say how to compute, not what."""

    rng: Seed
    n_jobs: int | None
    backend: str
    progress: bool | Progress
