"""Progress of long work: a callable that gets how much is done. Nothing is shown unless the user asks."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

Progress = Callable[[int, int], None]
"""Called as `progress(done, total)` after each piece of work, in the thread that waits for it."""


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


def in_notebook() -> bool:
    """Tell whether this is a notebook that can show widgets; nothing is imported to find out."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell" and all(map(find_spec, ("tqdm", "ipywidgets")))


class Bar:
    """A progress bar with the time left, drawn on standard error at most ten times a second.

    The clock starts with the pieces: what went before, such as compiling, says nothing about how long they will take.
    """

    def __init__(self, title: str) -> None:
        self.title = title
        self._begun = time.monotonic()
        self._drawn = -1.0
        self._open = False

    def begin(self, total: int) -> None:
        """Start the clock."""
        self._begun = time.monotonic()
        self._draw(0, total, "")

    def __call__(self, done: int, total: int) -> None:
        """Show how much is done."""
        now = time.monotonic() - self._begun
        if now - self._drawn < 0.1 and done < total:
            return
        self._drawn = now
        left = now / done * (total - done)
        self._draw(done, total, f"{now:.1f} s\n" if done == total else f"{duration(left)} left ")

    def interrupt(self) -> None:
        """End the line of a bar that was not finished, so that what is said next has a line of its own."""
        if self._open:
            sys.stderr.write("\n")
            self._open = False

    def _draw(self, done: int, total: int, end: str) -> None:
        full = int(30 * done / total)
        sys.stderr.write(f"\r{self.title} [{'#' * full}{'.' * (30 - full)}] {done}/{total}  {end}")
        sys.stderr.flush()
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
    _ENOUGH = 3  # pieces, or
    _SECONDS = 5.0  # from which to tell

    def __init__(self, progress: Progress, advice: str, say: Callable[[str], None] | None = None) -> None:
        self._progress = progress
        self._advice = advice
        self._say = say or _on_standard_error
        self._begun, self._before = time.monotonic(), 0
        self._told = False

    def begin(self, total: int) -> None:
        """Start the clock."""
        self._begun, self._before = time.monotonic(), 0
        begin(self._progress, total)

    def say(self, text: str) -> None:
        """Say something else about the work."""
        self._say(text)

    def interrupt(self) -> None:
        """Pass it on."""
        interrupt(self._progress)

    def __call__(self, done: int, total: int) -> None:
        """Show how much is done, and say what is to come."""
        taken, counted = time.monotonic() - self._begun, done - self._before
        if not self._told and (counted >= self._ENOUGH or taken >= self._SECONDS):
            self._told = True
            if taken / counted * total >= self.LONG:
                self._say(f"This may take up to {duration(taken / counted * (total - done))}. {self._advice}".rstrip())
        elif not self._told and self._before == 0:
            self._begun, self._before = time.monotonic(), done  # a quick first piece: most of it was loading code
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


_muted = [False]


def announce(text: str) -> None:
    """Write a line on standard error, unless whoever asked shows progress in a way of their own or wants none."""
    if not _muted[0]:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


def say(progress: Progress, text: str) -> None:
    """Say something about the work, where what shows its progress can."""
    speak = getattr(progress, "say", None)
    if speak is not None:
        speak(text)


def interrupt(progress: Progress) -> None:
    """Tell what shows progress that the work was given up, if it wants to know."""
    wants = getattr(progress, "interrupt", None)
    if wants is not None:
        wants()


def begin(progress: Progress, total: int) -> None:
    """Start the clock of what has one."""
    if isinstance(progress, Bar | Forecast | Stretch):
        progress.begin(total)


def _on_standard_error(text: str) -> None:
    sys.stderr.write(f"\n{text}\n")
    sys.stderr.flush()


def duration(seconds: float) -> str:
    """Return a time as people say it.

    >>> duration(7.2), duration(200), duration(9000)
    ('7 s', '3 min', '2.5 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
