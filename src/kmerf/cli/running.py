"""How a command computes: with how many workers, with a bar or without, here or on a Dask cluster."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from kmerf.core.errors import InputError

if TYPE_CHECKING:
    from kmerf.cli.options import Output


@contextmanager
def running(output: Output) -> Iterator[dict[str, Any]]:
    """Give the options that say how to compute; for Dask, hold a connection to the scheduler."""
    how: dict[str, Any] = {"n_jobs": output.jobs, "progress": not output.quiet and sys.stderr.isatty()}
    if output.dask is None:
        yield how
        return
    try:
        from distributed import Client
    except ImportError:
        raise InputError("--dask needs Dask, which is not installed: pip install 'kmerf[dask]'.") from None
    connect: Any = Client  # it has no types
    try:
        client = connect(output.dask, timeout=10)
    except (OSError, ValueError, TypeError) as error:
        finding = f"--dask {output.dask!r}: no scheduler answers there ({type(error).__name__})"
        raise InputError(finding, remedy="start one with dask scheduler, and pass its address") from None
    with client:
        yield how | {"backend": "dask"}
