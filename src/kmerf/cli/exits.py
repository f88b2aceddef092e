"""Why a command ends early, and its last words where compiled code ends the process at once.

A damaged file can ask a reader for exabytes, which its memory allocator answers by abort(). No exception reaches Python
then, but a handler of the signal does run before the end.
"""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from kmerf.core.errors import InputError, KmerfError, choose


class UsageError(KmerfError):
    """Options that do not go together."""


class Stopped(KmerfError):  # noqa: N818 - it is not an error
    """Ctrl-C, where there is more to say than that it was pressed."""


class UnwrittenError(KmerfError):
    """There is an answer, and it cannot be written where it was to go."""


def choose_option(option: str, value: str, options: Iterable[str]) -> None:
    """Refuse a value that is not an option, as wrong usage."""
    try:
        choose(option, value, options)
    except InputError as error:
        raise UsageError(str(error)) from None


@contextmanager
def resumable(store: str | None) -> Iterator[None]:
    """On Ctrl-C, say that the store has what was computed, if there is one."""
    try:
        yield
    except KeyboardInterrupt:
        if store is None:
            raise
        text = f"stopped: what was computed is in {store!r}; the same command goes on from there."
        raise Stopped(text) from None


@contextmanager
def last_words(text: str, code: int) -> Iterator[None]:
    """If the process is aborted from within, write `text` to standard error and end with `code`."""
    if os.name != "posix":
        yield
        return
    err = os.dup(2)

    def speak(_: int) -> None:
        os.write(err, f"kmerf: {text}\n".encode(errors="backslashreplace"))
        os._exit(code)

    handler = ctypes.CFUNCTYPE(None, ctypes.c_int)(speak)
    install = ctypes.CDLL(None).signal
    install.argtypes, install.restype = [ctypes.c_int, ctypes.c_void_p], ctypes.c_void_p
    before = install(signal.SIGABRT, ctypes.cast(handler, ctypes.c_void_p))
    try:
        yield
    finally:
        install(signal.SIGABRT, before)
        os.close(err)
