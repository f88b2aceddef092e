"""The one door to the threads of linear algebra libraries: sums depend on how many there are."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any


def one_thread() -> AbstractContextManager[Any]:
    """Keep linear algebra to one thread, at once and until the end of the context."""
    import scipy.linalg  # noqa: F401  # it brings a library of its own, which must be loaded to be limited
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    limits: AbstractContextManager[Any] = threadpool_limits(1)
    return limits
