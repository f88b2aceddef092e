"""What a screen has computed, kept in a file, so that the same screen goes on where it was stopped.

A screen is many small tasks: a few statistics of a pattern, or the test of one column. A task's value is kept under a
digest of all that it depends on: the code and the settings of the method, y, and what the task itself holds (values,
seed, numbers and orders). So nothing is used for another screen than its own, and two screens may share a file, also at
the same time. Values are kept as JSON, which gives back every bit of a number, and with a checksum. A value that does
not fit its checksum, or its task, was not written by this code: it is not used, and is computed again.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, is_dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from kmerf.core.errors import Argument, InputError, Message, StoreWarning, warn
from kmerf.execution import parallel
from kmerf.execution.progress import Progress, say
from kmerf.storage.provenance import canonical, code_version, home
from kmerf.storage.saving import check_path
from kmerf.storage.sqlite_file import FileKind, SqliteFile, checksum, open_file

if TYPE_CHECKING:
    from kmerf.core.streams import Seed
    from kmerf.nulls.judging import Run

Task = TypeVar("Task")
Value = TypeVar("Value")
StorePath = str | os.PathLike[str]

FLUSH = 1.0  # seconds after which what has come is written

KIND = FileKind(
    name="the store of a screen",
    argument="store",
    example="screen.sqlite",
    maker="kmerf.screen(..., store=path)",
    number=0x6B6D7273,  # "kmrs"
    format=2,
    tables=("CREATE TABLE task (key BLOB PRIMARY KEY, value TEXT NOT NULL, checksum BLOB NOT NULL) WITHOUT ROWID",),
)


@dataclass(frozen=True)
class Job(Generic[Task, Value]):
    """What is done with a task, what its value depends on, and how to write that value as JSON and read it again."""

    function: Callable[[Task], Value]
    rests_on: Callable[[Task], Any]
    pack: Callable[[Value], Any]  # None for a value that is not kept
    unpack: Callable[[Task, Any], Value]  # which raises a ValueError if it cannot be the value of the task


def check_store(store: StorePath | None, rng: Seed, given: bool) -> None:
    """Refuse a store that would be of no use."""
    if store is None:
        return
    check_path(store, "store")
    argument = Argument("store", os.fspath(store))
    if given:
        raise InputError(
            "stores tests of single columns, not tests given covariates", argument=argument, remedy="leave it out"
        )
    if rng is None:
        raise InputError(
            "needs a seed, which identifies the screen when it continues",
            argument=argument,
            remedy=Message("pass ", Argument("rng", 1)),
        )


@contextmanager
def kept_tasks(store: StorePath | None, settings: tuple[Any, ...], data: Any, module: str) -> Iterator[KeptTasks]:
    """Open the file, if there is one, for tasks with these settings and data that a module computes."""
    if store is None:
        yield KeptTasks()
        return
    named = [None if each is None else f"{home(type(each))} {canonical(each)}" for each in settings]
    shared = fingerprint((code_version(settings), module, named, data))
    with open_file(store, KIND, create=True) as file:
        yield KeptTasks(file, os.fspath(store), shared)


@dataclass
class KeptTasks:
    """The tasks of a screen; without a file, none is kept."""

    file: SqliteFile | None = None
    path: str = ""  # as the user named it
    shared: bytes = b""
    waiting: list[tuple[bytes, str, bytes]] = field(default_factory=list)
    written: float = field(default_factory=time.monotonic)
    warned: bool = False

    def run(
        self,
        job: Job[Task, Value],
        tasks: Sequence[Task],
        how: Run,
        shown: Callable[[Sequence[Task]], Progress],
        arrived: Callable[[int, Value], None] = lambda number, value: None,
    ) -> list[Value]:
        """Return the value of each task: what the file has, and what is computed now; `shown` is given the latter.

        `arrived` is called with the number of a task and its value as soon as it is there.
        """
        keys = [b"" if self.file is None else self._key(job.rests_on(task)) for task in tasks]
        values = self._found(job, tasks, keys)
        if values:
            say(how.progress, f"{len(values):,} of {len(tasks):,} parts of the work were in {self.path!r} already.")
        for k, value in values.items():
            arrived(k, value)
        lacking = [k for k in range(len(tasks)) if k not in values]
        todo = [tasks[k] for k in lacking]
        progress = shown(todo)
        if not todo:
            return [values[k] for k in range(len(tasks))]

        def keep(number: int, value: Value) -> None:
            arrived(lacking[number], value)
            if self.file is not None:
                self._keep(keys[lacking[number]], job.pack(value))

        try:
            computed = parallel.run(
                job.function, todo, n_jobs=how.n_jobs, backend=how.backend, progress=progress, arrived=keep
            )
        finally:  # whatever ended it, what has come is written
            self._write()
        values |= dict(zip(lacking, computed, strict=True))
        return [values[k] for k in range(len(tasks))]

    def _key(self, parts: Any) -> bytes:
        return fingerprint((self.shared, parts))

    def _found(self, job: Job[Task, Value], tasks: Sequence[Task], keys: Sequence[bytes]) -> dict[int, Value]:
        if self.file is None:
            return {}
        values, damaged = dict[int, Value](), 0
        for k, key in enumerate(keys):
            for value, check in self.file.query("SELECT value, checksum FROM task WHERE key = ?", (key,)):
                try:
                    if check != checksum(key, value):
                        raise ValueError
                    values[k] = job.unpack(tasks[k], json.loads(value))
                except (ValueError, TypeError):
                    damaged += 1
        if damaged and not self.warned:
            self.warned = True
            parts = "1 part of the work is" if damaged == 1 else f"{damaged} parts of the work are"
            warn(
                f"The store {self.path!r} is damaged: {parts} not as kmerf wrote it, and computed again.", StoreWarning
            )
        return values

    def _keep(self, key: bytes, value: Any) -> None:
        if value is not None:
            text = json.dumps(value, separators=(",", ":"))
            self.waiting.append((key, text, checksum(key, text)))
        if time.monotonic() - self.written > FLUSH:
            self._write()

    def _write(self) -> None:
        if self.file is not None and self.waiting:
            with self.file.transaction() as write:
                write.executemany("INSERT OR REPLACE INTO task VALUES (?, ?, ?)", self.waiting)
            self.waiting.clear()
        self.written = time.monotonic()


def fingerprint(value: Any) -> bytes:
    """Return a digest of arrays, numbers and texts, and of tuples, lists and dataclasses of them.

    >>> fingerprint((1, np.zeros(2))) == fingerprint((1, np.zeros(2)))
    True
    >>> fingerprint((1, np.zeros(2))) == fingerprint((1, np.zeros((2, 1))))
    False
    """
    hashed = hashlib.blake2b(digest_size=16)
    for part in _flat(value):
        hashed.update(len(part).to_bytes(8, "little") + part)
    return hashed.digest()


def _flat(value: Any) -> Iterator[bytes]:
    if isinstance(value, np.ndarray):
        yield f"{value.dtype.str} {value.shape}".encode()
        yield np.ascontiguousarray(value).tobytes()
    elif isinstance(value, tuple | list):
        yield f"{len(value)} values".encode()
        for each in value:
            yield from _flat(each)
    elif is_dataclass(value) and not isinstance(value, type):
        yield from _flat([(each.name, getattr(value, each.name)) for each in fields(value)])
    else:
        yield value if isinstance(value, bytes) else f"{type(value).__name__} {value!r}".encode()
