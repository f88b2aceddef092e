"""The command line: `kmerf independence table.csv --y outcome`.

`app` has the commands and `options` what they accept, `commands` does what a command says, `output` prints and writes
the answer, and `shell_words` puts texts of the library into the words of the shell. Exit codes: 0 done, 1 refused with
a one-line reason, 2 wrong usage, 70 an internal error, 73 an answer that could not be written where it was to go,
130 stopped by Ctrl-C (143 by SIGTERM).
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import warnings
from collections.abc import Sequence
from types import FrameType, ModuleType
from typing import NoReturn

from kmerf.cli.shell_words import Stopped, UnwrittenError, in_shell, one_line
from kmerf.core.errors import KmerfError, installing, message_of
from kmerf.execution.stopping import SIGNALS, end_workers

_signals: list[int] = []  # signals that asked to stop

DONE, REFUSED, USAGE, BROKEN, UNWRITTEN, INTERRUPTED, PIPE = 0, 1, 2, 70, 73, 130, 141
STOPPED = "stopped: nothing was written; run the command again to get a result."


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line, and return its exit code."""
    # Workers that are ended leave folders to joblib's tracker, which removes them and then complains of it.
    os.environ.setdefault("PYTHONWARNINGS", "ignore:resource_tracker:UserWarning")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # not every terminal has every letter
    given = list(sys.argv[1:] if argv is None else argv)
    try:
        app = _commands()
    except KeyboardInterrupt:
        return _stop(STOPPED, INTERRUPTED)
    except KmerfError as error:
        return _stop(str(error), REFUSED)
    try:
        code = app.run(given)
        sys.stdout.flush()
        return code if code != INTERRUPTED else _stop(STOPPED, INTERRUPTED)
    except app.Usage as error:
        return _stop(app.usage_text(error, given), USAGE)
    except Stopped as error:
        return _stop(str(error), INTERRUPTED)
    except UnwrittenError as error:
        _discard_output()
        return _stop(str(error), UNWRITTEN)
    except KmerfError as error:
        return _stop(in_shell(message_of(error)), REFUSED)
    except (BrokenPipeError, SystemExit):  # which is how rich and typer take a broken pipe
        _discard_output()
        return PIPE
    except (KeyboardInterrupt, app.Abort):
        return _stop(STOPPED, INTERRUPTED)
    except MemoryError:
        return _stop("there is not enough memory: choose fewer columns with --x, or fewer rows with --where.", REFUSED)
    except Exception as error:
        if _signals:  # an interruption inside compiled code can come out of it as anything
            return _stop(STOPPED, INTERRUPTED)
        if os.environ.get("KMERF_TRACEBACK"):
            raise
        fault = f"{type(error).__name__}: {error}"
        return _stop(f"an internal error, {fault}. Please report it; KMERF_TRACEBACK=1 shows more.", BROKEN)


def _commands() -> ModuleType:
    """Load the commands."""
    try:
        from kmerf.cli import app
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich", "click"):
            raise
        needed = f"the command line needs {error.name}, which is not installed: {installing('cli')}."
        raise KmerfError(needed) from None
    return app


def console() -> NoReturn:
    """Run the command line as a process of its own, which SIGTERM and SIGHUP end as Ctrl-C does."""
    for number in (signal.SIGINT, *SIGNALS):
        if signal.getsignal(number) != signal.SIG_IGN:  # as nohup wants it
            signal.signal(number, _interrupt)
    code = main()
    if code != INTERRUPTED:
        sys.exit(code)
    end_workers()
    sys.stderr.flush()
    os._exit(128 + (_signals[0] if _signals else signal.SIGINT))  # now: a thread that is compiling cannot be stopped


def _interrupt(number: int, frame: FrameType | None) -> None:
    _signals.append(number)
    threading.excepthook = lambda _: None  # threads that are torn from their work have nothing to say,
    sys.unraisablehook = lambda _: None  # nor have imports
    warnings.simplefilter("ignore")
    raise KeyboardInterrupt


def _discard_output() -> None:
    """Let what could not be printed go, at exit too."""
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
        return
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _stop(reason: str, code: int) -> int:
    print(f"kmerf: {one_line(reason)}", file=sys.stderr)
    return code
