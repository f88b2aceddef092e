"""What the machine offers: memory, and threads of linear algebra.

A test whose need of memory is known in advance is refused before it runs out of it: systems lend more memory than they
have and end the process that uses it, so waiting for a MemoryError is not enough. Linear algebra is kept to one thread,
since sums depend on how many there are.
"""

from __future__ import annotations

import math
import os
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from kmerf.core.errors import Argument, InputError, Message

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
