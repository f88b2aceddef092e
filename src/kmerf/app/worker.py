"""The process that holds the table and computes, so that the page stays quick and work can be stopped.

The server sends requests through a pipe, one at a time, and gets progress and an answer. A thread of the process
listens meanwhile: "stop" interrupts the work as Ctrl-C does in the shell, and a pipe that is closed, however the server
ended, ends the process.
"""

from __future__ import annotations

import _thread
import inspect
import itertools
import math
import os
import queue
import shutil
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager
from dataclasses import replace
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path, PurePosixPath
from types import FrameType
from typing import Any

from kmerf.app.calls import Asked, Failure, WorkProgress
from kmerf.core.errors import KmerfError

PREVIEW_ROWS = 8
PREVIEW_COLUMNS = 40
MAX_TEXT = 60  # letters of a cell
BUDGET = 3.0  # seconds of the pieces from which the rest is estimated
PATIENCE = 15.0  # seconds within which they are seen, or not
LONG = 60.0  # seconds from which a sample of the rows is offered
SAMPLE = 300
TAIL = 1.5  # a test takes so many times its refits, with the closer look that follows them
SIZES = 1_000, 4_000, 16_000, 64_000  # rows that are tried if not even the beginning is seen on all of them
LIMIT = 2_000  # rows up to which nothing else is tried


class Enough(Exception):  # noqa: N818 - not an error
    """Ends a call of which only the beginning is wanted."""


SUBJECTS = {
    "x": "The table",
    "table": "The table",
    "y": "The outcome",
    "groups": "The column of groups",
    "given": "What is given",
    "blocks": "The column of rows that belong together",
    "order": "The column of the order in time",
}


def pieces_of(message: Any) -> list[Any]:
    """Return a message as texts and, where it names an argument with a value, what that argument is.

    >>> from kmerf.core.errors import Argument, Message
    >>> pieces_of(Message("pass ", Argument("keep", ["id"]), "."))
    ['pass ', {'name': 'keep', 'value': ['id'], 'text': "keep=['id']"}, '.']
    >>> "".join(pieces_of(Message(Argument("y"), " has a single value.")))
    'The outcome has a single value.'
    """
    pieces: list[Any] = []
    for part in getattr(message, "parts", (str(message),)):
        if not pieces and not isinstance(part, str) and not part.has_value:
            pieces.append(SUBJECTS.get(part.name, part.name))
            continue
        value = getattr(part, "value", ...)
        plain = isinstance(value, str | int | float) or (
            isinstance(value, list) and all(isinstance(each, str) for each in value)
        )
        if type(part).__name__ == "EventValue":
            pieces.append({"name": "event_value", "value": f"{value}", "text": f"{value}"})
        elif isinstance(part, str) or not plain or type(part).__name__ not in ("Argument", "FileOption"):
            pieces.append(str(part))
        else:
            pieces.append({"name": part.name, "value": value, "text": str(part)})
    return pieces


# --- in the process ---------------------------------------------------------------------------------------------------


class Bench:
    """What the process holds: the tables that were read, and what to do with them."""

    def __init__(self, folder: Path, tell: Callable[[str, Any], None]) -> None:
        self.folder = folder
        self.tell = tell
        self.tables: dict[str, Any] = {}
        self.reading_seconds = 0.0  # that a question takes to look at every cell

    def open(self, role: str, path: str, options: dict[str, Any]) -> dict[str, Any]:
        """Read a file, and say how it was read; `path` is a name in the folder of uploads, or a path."""
        import kmerf

        folder = self.folder / role
        with chdir(folder) if PurePosixPath(path).name == path and (folder / path).exists() else _here():
            table = kmerf.read_table(path, **options)
        self.tables[role] = table
        source = table.source
        shown = table.frame.select(table.names[:PREVIEW_COLUMNS]).head(PREVIEW_ROWS)
        return {
            "names": table.names,
            "rows": table.rows,
            "form": source.form,
            "packed": source.packed,
            "separator": source.separator,
            "encoding": source.encoding,
            "sheet": source.sheet,
            "sheets": source.sheets,
            "kinds": dict(table.kinds),
            "units": dict(table.units),
            "written": dict(table.written),
            "notes": [pieces_of(note) for note in table.notes],
            "heads": table.names[:PREVIEW_COLUMNS],
            "preview": [[_cell(cell) for cell in row] for row in shown.rows()],
        }

    def describe(self, y: str, options: dict[str, Any]) -> dict[str, Any]:
        """Say how each column is read, and what is to be decided."""
        import kmerf

        start = time.monotonic()
        described = kmerf.describe(self.tables["table"], y or (), **options)
        self.reading_seconds = time.monotonic() - start
        return {
            "columns": [column.to_dict() for column in described.columns],
            "notes": [(pieces_of(note), getattr(note, "rank", "decision")) for note in described.notes],
            "problems": [pieces_of(problem) for problem in described.problems],
        }

    def estimate(self, asked: Asked) -> dict[str, Any]:
        """Say how long a question takes, from how long its first pieces take."""
        seconds = self._first_pieces(asked, self.tables)
        if seconds is None:  # the first time may have gone by in loading code
            seconds = self._first_pieces(asked, self.tables, 2 * PATIENCE)
        largest = max(table.rows for table in self._tables_of(asked).values())
        if asked.kind == "plan" or largest <= LIMIT or (seconds is not None and seconds <= LONG):
            return {"seconds": seconds}
        rows = min(asked.rows or largest, self._most_rows(asked))
        times = self._times_by_rows(asked, rows, SIZES if seconds is None else ())
        if not times:  # a question that some of the rows cannot answer
            return {"seconds": seconds}
        if seconds is None:
            (before, few), (last, more) = times[-2:] if len(times) > 1 else (times[0], times[0])
            power = 1.0 if last == before else min(1.5, max(0.8, math.log(more / few) / math.log(last / before)))
            seconds = self.reading_seconds + more * (rows / last) ** power
        estimate: dict[str, Any] = {"seconds": seconds}
        sampled = self.reading_seconds + times[0][1]
        if rows > 2 * SAMPLE and sampled < seconds / 2:
            estimate["sample"] = {"rows": SAMPLE, "seconds": sampled}
        return estimate

    def _tables_of(self, asked: Asked) -> dict[str, Any]:
        return self.tables if asked.kind == "compare" else {"table": self.tables["table"]}

    def _most_rows(self, asked: Asked) -> int:
        """Return how many rows of a table a question looks at: a comparison takes a sample of a long one."""
        import kmerf

        default = inspect.signature(getattr(kmerf, asked.function)).parameters.get("rows")
        return default.default if default is not None and isinstance(default.default, int) else sys.maxsize

    def _times_by_rows(self, asked: Asked, rows: int, sizes: Sequence[int]) -> list[tuple[int, float]]:
        """Return how long a question takes on a few of its rows, and on more, as long as that is quickly seen."""
        times: list[tuple[int, float]] = []
        start = time.monotonic()
        for size in (min(SAMPLE, rows), *sizes):
            if times and (size >= rows or time.monotonic() - start > 2 * BUDGET):
                break
            try:
                seconds = self._first_pieces(replace(asked, rows=None), self._some_rows(size, asked))
            except KmerfError:  # it may lack what the whole table has
                continue
            if seconds is None:
                break
            times.append((size, seconds))
        return times

    def _some_rows(self, size: int, asked: Asked) -> dict[str, Any]:
        """Return the tables with so many of their rows: neighbours, if they belong together or follow each other."""
        near = bool(asked.blocks or asked.order)
        some = {}
        for role, table in self._tables_of(asked).items():
            few = min(size, table.rows)
            frame = table.frame.head(few) if near else table.frame.sample(few, seed=asked.seed)
            some[role] = replace(table, frame=frame)
        return some

    def _first_pieces(self, asked: Asked, tables: Mapping[str, Any], patience: float = PATIENCE) -> float | None:
        """Begin a question, and return how long all of it would take; None if that is not seen."""
        times: list[tuple[float, int, int]] = []
        start = time.monotonic()

        def watch(done: int, total: int) -> None:
            now = time.monotonic() - start
            times.append((now, done, total))
            since = now - times[0][0]  # the first piece may have waited for code to be loaded
            if since > BUDGET or (len(times) > 20 and since > BUDGET / 2) or stop_asked.is_set():
                raise Enough

        timer = threading.Timer(patience, _thread.interrupt_main)
        timer.start()
        try:
            self._compute(asked, tables, watch)
            return time.monotonic() - start
        except (Enough, KeyboardInterrupt):
            if stop_asked.is_set():
                raise KeyboardInterrupt from None
        finally:
            timer.cancel()
        if len(times) < 2:
            return None
        (first, done, _), (last, more, total) = times[0], times[-1]
        if more == total:  # it was in the closer look, which has no pieces
            return TAIL * (time.monotonic() - start)
        rate = (last - first) / max(1, more - done)
        return (first + rate * (total - done)) * (TAIL if "details" in asked.arguments() else 1.0)

    def run(self, asked: Asked, data: dict[str, Any]) -> Any:
        """Answer a question."""
        from kmerf.app import answers

        outcome = self._compute(asked, self.tables, lambda done, total: self.tell("progress", (done, total)))
        self.tell("progress", (1, 1))
        return answers.show(outcome, asked, self._read_as(data, outcome))

    def _compute(self, asked: Asked, tables: Mapping[str, Any], progress: Callable[[int, int], None]) -> Any:
        import kmerf

        positional, named = asked.call(tables["table"], tables.get("other"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they are among the notes of the result
            return getattr(kmerf, asked.function)(*positional, **named, progress=progress)

    def _read_as(self, data: dict[str, Any], outcome: Any) -> dict[str, Any]:
        """Complete what the report says of the table."""
        table, n = self.tables["table"], getattr(outcome, "n", None)
        lost = {} if n is None or n >= table.rows else {"other": table.rows - n}
        missing = sum(c["missing"] for c in data["columns"] if c["role"] in ("y", "groups"))
        if lost and missing:
            lost = {"y_missing": missing} | ({"other": lost["other"] - missing} if lost["other"] > missing else {})
        if "other" in lost:
            lost["were not used, by the settings of the question"] = lost.pop("other")
        return data | {"rows_read": table.rows, "rows_used": n, "rows_lost": lost}


@contextmanager
def _here() -> Iterator[None]:
    yield


def _cell(value: Any) -> str | None:
    if value is None:
        return None
    text = f"{value:.10g}" if isinstance(value, float) else str(value)
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"


stop_asked = threading.Event()
_work = [0]  # the number of the request that is being answered, or 0


def work(connection: Connection, folder: str) -> None:
    """Answer requests until the pipe is closed."""
    signal.signal(signal.SIGINT, _interrupt)
    requests: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(connection, requests, folder), daemon=True).start()
    bench = Bench(Path(folder), lambda kind, value: connection.send((kind, value)))
    for number in itertools.count(1):
        name, arguments = _next(requests)
        stop_asked.clear()
        try:
            try:
                _work[0] = number
                value = getattr(bench, name)(**arguments)
            finally:
                _work[0] = 0
            reply = ("done", value)
        except KeyboardInterrupt:
            reply = ("failed", Failure([["Stopped."]], stopped=True))
        except MemoryError:
            reply = ("failed", Failure([["There is not enough memory: use fewer columns, or a sample of the rows."]]))
        except Exception as error:
            reply = ("failed", _refusal(error))
        connection.send(reply)


def _refusal(error: Exception) -> Failure:
    problems = getattr(error, "problems", None)
    if problems:
        return Failure([pieces_of(problem.message) for problem in problems])
    if isinstance(error, KmerfError):
        return Failure([pieces_of(error.args[0] if error.args else error)])
    return Failure([[f"An internal error, {type(error).__name__}: {error}. Please report it."]])


def _next(requests: queue.SimpleQueue[Any]) -> Any:
    """Wait for a request, and look up now and then, as a wait without end would not let signals through."""
    while True:
        try:
            return requests.get(timeout=0.5)
        except queue.Empty:
            continue


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Stop the work, if there is any; what comes while an answer is sent has no effect."""
    if not _work[0]:
        return
    if _is_importing(frame):  # a module of which half was loaded would fail from then on
        threading.Timer(0.05, _interrupt_again, [_work[0]]).start()
        return
    raise KeyboardInterrupt


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_globals.get("__name__") == "importlib._bootstrap":
            return True
        frame = frame.f_back
    return False


def _interrupt_again(work: int) -> None:
    if _work[0] == work:
        _thread.interrupt_main()


def _listen(connection: Connection, requests: queue.SimpleQueue[Any], folder: str) -> None:
    while True:
        try:
            request = connection.recv()
        except (EOFError, OSError):
            shutil.rmtree(folder, ignore_errors=True)
            os._exit(0)
        if request == "stop":
            stop_asked.set()
            _thread.interrupt_main()
        else:
            requests.put(request)


# --- in the server ----------------------------------------------------------------------------------------------------


class Worker:
    """The process as the server sees it. One request at a time; `stop` may come from another thread."""

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="kmerf-")  # for files that are dropped on the page
        for role in ("table", "other"):
            Path(self.folder.name, role).mkdir()
        self._lock = threading.Lock()
        self._ended = False
        self._start()

    def _start(self) -> None:
        context = get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=work, args=(theirs, self.folder.name), daemon=True)
        self._process.start()
        theirs.close()

    def ask(self, name: str, told: Callable[[WorkProgress], None] = lambda progress: None, **arguments: Any) -> Any:
        """Send a request, and wait for its answer; raise `Failure` if it was refused or stopped."""
        with self._lock:
            start = time.monotonic()
            try:
                self._connection.send((name, arguments))
                while True:
                    kind, value = self._connection.recv()
                    if kind == "progress":
                        done, total = value
                        told(WorkProgress(done, total, time.monotonic() - start))
                        continue
                    break
            except (EOFError, OSError):
                self._process.join(5)
                if not self._ended:
                    self._start()
                text = "The computation was ended before it had an answer. If you did not stop it, memory ran out."
                raise Failure([[text]], lost=True) from None
        if kind == "failed":
            raise value
        return value

    def stop(self) -> None:
        """Interrupt the work."""
        try:
            self._connection.send("stop")
        except OSError:
            return

    def kill(self) -> None:
        """End the process, whatever it does; a request that waits gets another one, without tables."""
        self._process.kill()

    def end(self) -> None:
        """End the process, and remove the files that were dropped."""
        self._ended = True
        self._process.kill()
        self._process.join(5)
        self.folder.cleanup()
