"""Files that are there whole or not at all, and results kept in them.

A file is written beside its place, and then moved there. Results are kept as the JSON that the command line prints with
`--json` (docs/json.md), so that either can be loaded.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from kmerf._version import __version__
from kmerf.core.errors import Argument, InputError

Value = TypeVar("Value")
FilePath = str | os.PathLike[str]

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
SCHEMA = 1  # of docs/json.md


def write_text(path: FilePath, text: str) -> None:
    """Write a text as UTF-8.

    A regular file is replaced when the new one is complete, and keeps its mode; behind a symbolic link, the file that
    it leads to. What is not a regular file (a device, a pipe) is written into, and never replaced.
    """
    write_bytes(path, as_bytes(text))


def as_bytes(text: str) -> bytes:
    """Return a text as UTF-8; what UTF-8 has no letter for, such as half a surrogate pair, is written as its code."""
    return text.encode("utf-8", errors="backslashreplace")


def write_bytes(path: FilePath, content: bytes, argument: str = "path") -> None:
    """Write bytes in the way of `write_text`; messages name the path by `argument`."""
    check_path(path)
    try:
        place = Path(path).absolute()
        if replaceable(place):
            _replace(Path(os.path.realpath(place)), content)
        else:
            with open(place, "wb") as file:
                file.write(content)
    except OSError as error:
        finding = f"could not be written ({error.strerror or error})"
        raise InputError(finding, argument=Argument(argument, str(path)), remedy="choose another place") from None


def check_path(path: object, argument: str = "path") -> None:
    """Raise unless a value can be the path of a file.

    >>> check_path(5)
    Traceback (most recent call last):
    kmerf.core.errors.InputError: path=5 is not the name of a file: pass a text, or a pathlib.Path.
    """
    name = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if not isinstance(name, str) or "\0" in name:
        finding = "holds a null character, and no file can" if isinstance(name, str) else "is not the name of a file"
        remedy = "pass another name" if isinstance(name, str) else "pass a text, or a pathlib.Path"
        raise InputError(finding, argument=Argument(argument, path), remedy=remedy)


def replaceable(place: Path) -> bool:
    """Return whether a file can be put in this place; if not, what is there can only be written into."""
    if place.exists() and not place.is_file():
        return False
    # a file of one's own in a folder of others
    return not place.exists() or os.access(Path(os.path.realpath(place)).parent, os.W_OK)


def _replace(place: Path, content: bytes) -> None:
    """Write beside the place, and move it there.

    The system takes the umask away from the mode of a new file. To read the umask, a process would have to change it,
    for all of its threads.
    """
    old = stat.S_IMODE(place.stat().st_mode) if place.exists() else None
    temporary = place.parent / f".{place.name[:40]}.{uuid.uuid4().hex[:12]}"
    # a file that others may not read is not readable by them while it is being written either
    handle = os.open(temporary, _NEW, 0o666 if old is None else 0o600)
    try:
        with open(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # some file systems notice only here that there is no room
        if old is not None:
            os.chmod(temporary, old)
        os.replace(temporary, place)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def save(path: FilePath, asked: str, result: dict[str, Any]) -> None:
    """Write a result, with what was asked."""
    head = {"schema": SCHEMA, "kmerf": __version__, "command": asked, "data": None}
    try:
        text = json.dumps(head | {"result": result, "warnings": []}, allow_nan=False)
    except ValueError:
        finding = "was not written: the result holds an infinite number or a NaN, which JSON does not have"
        raise _fault(path, finding, "look for it in to_dict(), and put None there") from None
    write_text(path, text + "\n")


def load(path: FilePath, kind: str, kinds: Mapping[str, str]) -> dict[str, Any]:
    """Read a result of a kind that `save` or `--json` wrote; `kinds` has the kind of each question."""
    check_path(path)
    other_file = "pass a file that `save` or --json wrote"
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"), parse_constant=_refuse)
    except OSError as error:
        raise _fault(path, f"could not be read ({error.strerror})", "look for the file") from None
    except (ValueError, RecursionError):
        raise _fault(path, "holds no JSON", other_file) from None
    asked = document.get("command") if isinstance(document, dict) else None
    saved = kinds.get(str(asked))
    if saved is None or not isinstance(document.get("result"), dict):
        raise _fault(path, "holds no result of kmerf", other_file)
    if saved != kind:
        raise _fault(path, f"holds the outcome of {asked}", f"use kmerf.{saved}.load")
    if document.get("schema") != SCHEMA:
        raise _fault(path, f"was written by kmerf {document.get('kmerf')}", "load it with that version")
    result: dict[str, Any] = document["result"]
    return result


def load_as(rebuild: Callable[[dict[str, Any]], Value], path: FilePath, kind: str, kinds: Mapping[str, str]) -> Value:
    """Read a result, and rebuild it."""
    saved = load(path, kind, kinds)
    try:
        return rebuild(saved)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        finding = f"holds a result of kmerf that was changed or damaged ({type(error).__name__})"
        raise _fault(path, finding, "save it again, or load a copy") from None


def _fault(path: FilePath, finding: str, remedy: str) -> InputError:
    return InputError(finding, argument=Argument("path", str(path)), remedy=remedy)


def _refuse(constant: str) -> float:
    """Refuse NaN and the infinities, which JSON does not have and `save` never writes."""
    raise ValueError(constant)
