"""How a command computes: with how many workers, with a bar or without, here or on a Dask cluster."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from kmerf.cli.words import in_shell
from kmerf.core.errors import InputError, installing
from kmerf.execution.progress import Forecast, Progress, as_progress, no_progress
from kmerf.questions.setup import speed_advice

if TYPE_CHECKING:
    from kmerf.cli.options import Output


@contextmanager
def running(output: Output, rows: int | None = None, *, forests: bool = True) -> Iterator[dict[str, Any]]:
    """Give the options that say how to compute, for a test of so many rows; for Dask, hold a connection."""
    bar = not output.quiet and sys.stderr.isatty()
    watched = bar if rows is None else no_progress if output.quiet else _watching(output, bar, rows, forests)
    how: dict[str, Any] = {"n_jobs": output.jobs, "progress": watched}
    if output.dask is None:
        yield how
        return
    try:
        from distributed import Client
    except ImportError:
        raise InputError(f"--dask needs Dask, which is not installed: {installing('dask')}.") from None
    connect: Any = Client  # it has no types
    try:
        client = connect(output.dask, timeout=10)
    except (OSError, ValueError, TypeError) as error:
        finding = f"--dask {output.dask!r}: no scheduler answers there ({type(error).__name__})"
        raise InputError(finding, remedy="start one with dask scheduler, and pass its address") from None
    with client:
        yield how | {"backend": "dask"}


def _watching(output: Output, bar: bool, rows: int, forests: bool) -> Progress:
    """Return what shows the progress of a test, and says what would be quicker than more than a minute."""
    advice = in_shell(speed_advice(rows, forests=forests))
    if output.command == "screen" and output.store is None:
        advice = f"{advice} With --store screen.sqlite and --seed 1 you can stop it, and go on later.".lstrip()
    return Forecast(as_progress(bar, output.command), advice)
