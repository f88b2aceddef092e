"""Last words: compiled code that gives up ends the process at once, and the user should still learn why.

A damaged file can ask a reader for exabytes, which its memory allocator answers by abort(). No exception reaches Python
then, but a handler of the signal does run before the end.
"""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager


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
