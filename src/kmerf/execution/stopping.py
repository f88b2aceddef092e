"""SIGTERM and SIGHUP end work as Ctrl-C does.

`timeout`, systemd, SLURM and `docker stop` send SIGTERM, and a terminal that is closed sends SIGHUP. Python ends at
once then, and its worker processes wait for more work for minutes. Here the signal first becomes an interruption, which
ends workers, keeps what is computed and gives back leases; then the process ends as the signal would have ended it.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


class Terminated(KeyboardInterrupt):
    """The process was asked to end."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


def raise_terminated(number: int, frame: FrameType | None) -> None:
    """Handle a signal."""
    raise Terminated(number)


def end_workers() -> None:
    """End the processes that joblib keeps for more work, as it would at the end of the program."""
    if "multiprocessing" not in sys.modules:
        return
    from multiprocessing import active_children

    for worker in active_children():
        if type(worker).__module__.startswith("joblib.") and worker.pid is not None:
            with suppress(ProcessLookupError):  # it may have ended by itself
                os.kill(worker.pid, getattr(signal, "SIGKILL", signal.SIGTERM))


@contextmanager
def signals_interrupt() -> Iterator[None]:
    """Interrupt what runs inside when such a signal comes; one that the program handles or ignores is left alone."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ours = [number for number in SIGNALS if signal.getsignal(number) == signal.SIG_DFL]
    for number in ours:
        signal.signal(number, raise_terminated)
    try:
        yield
    except Terminated as error:
        end_workers()
        signal.signal(error.number, signal.SIG_DFL)
        os.kill(os.getpid(), error.number)
        raise
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)
