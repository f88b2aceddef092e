"""Texts of the library in the words of the command line, fit for a terminal (`kmerf.core.safe_text`).

Options that people know by another name, from other commands or libraries, get an error that says what they are here.

Why a command ends early, and its last words where compiled code ends the process at once.

A damaged file can ask a reader for exabytes, which its memory allocator answers by abort(). No exception reaches Python
then, but a handler of the signal does run before the end.
"""

from __future__ import annotations

import ctypes
import os
import re
import shlex
import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from kmerf.core.errors import Argument, Call, EventValue, InputError, KmerfError, Message, RowsBut, choose
from kmerf.core.safe_text import clean as clean
from kmerf.core.safe_text import short as short
from kmerf.reading.formats import ShellArgument


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
        text = f"stopped: what was computed is in {store!r}; the same command continues from there."
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


# The option for each argument of the library; an argument without one keeps its name.
OPTIONS = {
    "blocks": "--blocks",
    "categorical": "--categorical",
    "definition": "--definition",
    "exchange": "--exchange",
    "fdr": "--fdr",
    "given": "--given",
    "groups": "--groups",
    "keep": "--keep",
    "label": "--label",
    "lags": "--lags",
    "kappa": "--kappa",
    "level": "--level",
    "by": "--by",
    "expected_windows": "--expected-windows",
    "time": "--time",
    "window": "--window",
    "method": "--method",
    "missing_y": "--missing-y",
    "margin": "--margin",
    "n": "--n",
    "n_jobs": "--jobs",
    "n_resamples": "--resamples",
    "n_trees": "--trees",
    "na": "--na",
    "name": "--simulation",
    "null": "--null",
    "p": "--p",
    "order": "--order",
    "out": "--out",
    "pairwise": "--pairwise",
    "path": "--store",
    "permutations": "--permutations",
    "plot": "--plot",
    "replicates": "--null-runs",
    "report": "--report",
    "rng": "--seed",
    "rows": "--rows",
    "seed": "--seed",
    "sizes": "--size",
    "confidence": "--confidence",
    "comment": "--comment",
    "dates": "--dates",
    "decimal": "--decimal",
    "footer": "--footer",
    "header": "--header",
    "sheet": "--sheet",
    "skip": "--skip",
    "thousands": "--thousands",
    "weights": "--weights",
    "weights_kind": "--weights-kind",
    "parts": "--parts",
    "store": "--store",
    "target": "--power",
    "y_kind": "--y-kind",
}
_COLUMN_OPTIONS = ("--categorical", "--given", "--keep")
# Values that the command line asks for in another way.
_PHRASES = {
    ("proximity", "oob"): "--method forest",
    ("y_kind", "censored"): "--time and --event",
    ("order", "True"): "--order rows",
}
_CALLS = {"ChiSquare": "chi-square", "KMERF": "forest", "Permutation": "permutation"}


def one_line(text: str) -> str:
    """Return a message on one line."""
    return clean(re.sub(r"\s*\n\s*", " ", text.strip()))


def in_shell(text: str) -> str:
    """Say what the library says in the words of the command line.

    >>> in_shell(Message("use ", Argument("null", Call("Permutation", (99,))), "."))
    'use --null permutation --resamples 99.'
    """
    return text.worded(_option) if isinstance(text, Message) else text


def _option(argument: Argument) -> str:
    if isinstance(argument, EventValue):
        return f"--event {shlex.quote(f'{argument.name}={argument.value}')}"
    if isinstance(argument, ShellArgument):
        return str(argument)
    if isinstance(argument, RowsBut):
        column = argument.name if argument.name.isidentifier() else f"`{argument.name}`"
        return f" with --where {shlex.quote(f'{column} != {argument.value!r}')}"
    phrase = _PHRASES.get((argument.name, str(argument.value)))
    if phrase is not None:
        return phrase
    option = OPTIONS.get(argument.name)
    if option is None:
        return str(argument)
    if not argument.has_value or argument.value is True:
        return option
    if isinstance(argument.value, list):
        return _several(option, [str(value) for value in argument.value])
    return f"{option} {_value(argument.value)}"


def _several(option: str, values: list[str]) -> str:
    """Give several columns with commas between them where they can be, else each with its option.

    >>> _several("--keep", ["id", "site code"]), _several("--na", ["?", "-"])
    ("--keep 'id,site code'", "--na '?' --na -")
    """
    if option in _COLUMN_OPTIONS and not any("," in value for value in values):
        return f"{option} {shlex.quote(','.join(values))}"
    return " ".join(f"{option} {shlex.quote(value)}" for value in values)


def _value(value: object) -> str:
    if isinstance(value, Call):
        name = _CALLS.get(value.name.removeprefix("kmerf."), value.name)
        return name if not value.arguments else f"{name} {OPTIONS['n_resamples']} {value.arguments[0]}"
    return shlex.quote(value) if isinstance(value, str) else repr(value)


_SEED = "--seed makes a run repeatable"
_PERMUTATIONS = "--resamples sets the number of permutations"
_WORKERS = "--jobs is the number of workers"
_GROUPS = "--groups names the column that holds the groups"
_TREES = "--trees sets the number of trees in a forest"
KNOWN_ELSEWHERE = {
    "--random-state": _SEED,
    "--rng": _SEED,
    "--n-resamples": _PERMUTATIONS,
    "--reps": _PERMUTATIONS,
    "--workers": _WORKERS,
    "--n-jobs": _WORKERS,
    "--n-trees": _TREES,
    "--n-estimators": _TREES,
    "--target": "--y names what may depend on the others",
    "--group": _GROUPS,
    "--by": _GROUPS,
    "--covariates": "--given names what to adjust for",
    "--sample": "--rows tests a random sample of the rows",
}
_TIMES = "for times until an event, use kmerf independence FILE --x GROUPS --time TIME --event EVENT"
_OF_COMMANDS = {
    ("ksample", "--time"): _TIMES,
    ("ksample", "--event"): _TIMES,
    ("ksample", "--y"): _GROUPS,
    ("independence", "--groups"): "--y names what may depend on the others; kmerf ksample compares groups",
}


def known_elsewhere(command: str, option: str) -> str | None:
    """Say what an option that a command does not have is called here; None where that is not known.

    >>> known_elsewhere("ksample", "--y")
    '--groups names the column that holds the groups'
    >>> known_elsewhere("screen", "--random_state")
    '--seed makes a run repeatable'
    """
    name = option.replace("_", "-").lower()
    return _OF_COMMANDS.get((command, name)) or KNOWN_ELSEWHERE.get(name)
