"""Progress of long work: a callable that gets how much is done. Nothing is shown unless the user asks.

What shows progress may also have `begin(total)`, which starts its clock, `interrupt()`, called if the work is given up,
and `say(text)`. The functions of these names call them where they are there.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

Progress = Callable[[int, int], None]
"""Called as `progress(done, total)` after each piece of work, in the thread that waits for it."""

_muted = [False]  # whether `announce` is silent


def no_progress(done: int, total: int) -> None:
    """Show nothing."""


def as_progress(progress: bool | Progress, title: str = "") -> Progress:
    """Return what to call: True means a bar on standard error, False nothing, a callable itself.

    A callable that cannot `say` anything also keeps `announce` from writing: its owner decides what is shown.
    """
    _muted[0] = callable(progress) and not hasattr(progress, "say")
    if callable(progress):
        return progress
    return (NotebookBar(title) if in_notebook() else Bar(title)) if progress else no_progress


def begin(progress: Progress, total: int) -> None:
    """Start the clock of what has one."""
    if isinstance(progress, Bar | Forecast | Stretch):
        progress.begin(total)


def interrupt(progress: Progress) -> None:
    """Report that the work was given up, if that is of interest."""
    getattr(progress, "interrupt", lambda: None)()


def say(progress: Progress, text: str) -> None:
    """Say something about the work, where what shows its progress can."""
    getattr(progress, "say", lambda text: None)(text)


def announce(text: str) -> None:
    """Write a line on standard error, unless the caller shows progress in another way or wants none."""
    if not _muted[0]:
        _write(f"{text}\n")


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def in_notebook() -> bool:
    """Return whether this is a notebook that can show widgets; nothing is imported to find out."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell" and all(map(find_spec, ("tqdm", "ipywidgets")))


class Bar:
    """A progress bar with the time left, drawn on standard error at most ten times a second.

    The clock starts with the pieces: what went before, such as compiling, says nothing about how long they will take.
    """

    def __init__(self, title: str) -> None:
        self.title = title
        self._start = time.monotonic()
        self._last = -1.0
        self._open = False

    def begin(self, total: int) -> None:
        """Start the clock."""
        self._start = time.monotonic()
        self._draw(0, total, "")

    def __call__(self, done: int, total: int) -> None:
        """Show how much is done."""
        now = time.monotonic() - self._start
        if now - self._last < 0.1 and done < total:
            return
        self._last = now
        left = now / done * (total - done)
        self._draw(done, total, f"{now:.1f} s\n" if done == total else f"{duration(left)} left ")

    def interrupt(self) -> None:
        """End the line of a bar that was not finished, so that the next text begins on a new line."""
        if self._open:
            _write("\n")
            self._open = False

    def _draw(self, done: int, total: int, end: str) -> None:
        full = int(30 * done / total)
        _write(f"\r{self.title} [{'#' * full}{'.' * (30 - full)}] {done}/{total}  {end}")
        self._open = not end.endswith("\n")


class NotebookBar(Bar):
    """The same as a widget of tqdm's, with the time left."""

    _widget: Any = None

    def interrupt(self) -> None:
        """Leave the widget as it is, marked as stopped."""
        if self._widget is not None:
            self._widget.close()

    def _draw(self, done: int, total: int, end: str) -> None:
        if self._widget is None:
            from tqdm.notebook import tqdm

            self._widget = tqdm(total=total, desc=self.title)
        self._widget.total = total  # less than at first, where the work ends early
        self._widget.update(done - self._widget.n)
        self._widget.set_postfix_str(end.strip(), refresh=False)
        if done == total:
            self._widget.close()


class Forecast:
    """Says once how long the work may take, if that is more than a minute, from how long its first pieces took."""

    LONG = 60.0
    _MIN_PIECES = 3  # from which to forecast, or
    _MIN_SECONDS = 5.0

    def __init__(self, progress: Progress, advice: str, say: Callable[[str], None] | None = None) -> None:
        self._progress = progress
        self._advice = advice
        self.say = say or (lambda text: _write(f"\n{text}\n"))
        self._start, self._before = time.monotonic(), 0
        self._is_done = False

    def begin(self, total: int) -> None:
        """Start the clock."""
        self._start, self._before = time.monotonic(), 0
        begin(self._progress, total)

    def interrupt(self) -> None:
        """Pass it on."""
        interrupt(self._progress)

    def __call__(self, done: int, total: int) -> None:
        """Show how much is done, and say what is to come."""
        seconds, pieces = time.monotonic() - self._start, done - self._before
        if not self._is_done and (pieces >= self._MIN_PIECES or seconds >= self._MIN_SECONDS):
            self._is_done = True
            if seconds / pieces * total >= self.LONG:
                self.say(f"This may take up to {duration(seconds / pieces * (total - done))}. {self._advice}".rstrip())
        elif not self._is_done and self._before == 0:
            self._start, self._before = time.monotonic(), done  # a quick first piece: most of it was loading code
        self._progress(done, total)


class Stretch:
    """A stretch of some longer work, shown as a part of it: `before` pieces are done, of `total`.

    Where the stretch counts pieces of another size than the whole, `size` is how many of the whole's it stands for.
    """

    def __init__(self, progress: Progress, before: int, total: int, size: int | None = None) -> None:
        self._progress = progress
        self._before = before
        self._total = total
        self._size = size

    def begin(self, total: int) -> None:
        """Start the clock with the first stretch."""
        if self._before == 0:
            begin(self._progress, self._total)

    def interrupt(self) -> None:
        """Pass it on."""
        interrupt(self._progress)

    def __call__(self, done: int, total: int) -> None:
        """Show how much of the whole is done."""
        self._progress(self._before + (done if self._size is None else self._size * done // total), self._total)


def duration(seconds: float) -> str:
    """Return a time as people say it.

    >>> duration(7.2), duration(200), duration(9000)
    ('7 s', '3 min', '2.5 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
