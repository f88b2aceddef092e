"""Progress of long work: a callable that is told how much is done. Nothing is shown unless the user asks."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

Progress = Callable[[int, int], None]
"""Called as `progress(done, total)` after each piece of work, in the thread that waits for it."""


def no_progress(done: int, total: int) -> None:
    """Show nothing."""


def as_progress(progress: bool | Progress, title: str = "") -> Progress:
    """Return what to call: True means a bar on standard error, False nothing, a callable itself."""
    if callable(progress):
        return progress
    return bar(title) if progress else no_progress


def bar(title: str) -> Progress:
    """Return a progress bar with the time left, drawn on standard error at most ten times a second."""
    begun = time.monotonic()
    drawn = -1.0

    def draw(done: int, total: int) -> None:
        nonlocal drawn
        now = time.monotonic() - begun
        if now - drawn < 0.1 and done < total:
            return
        drawn = now
        full = int(30 * done / total)
        left = now / done * (total - done)
        end = f"{now:.1f} s\n" if done == total else f"{left:.0f} s left "
        sys.stderr.write(f"\r{title} [{'#' * full}{'.' * (30 - full)}] {done}/{total}  {end}")
        sys.stderr.flush()

    return draw
