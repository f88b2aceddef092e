"""Files that are there whole or not at all, and results kept in them.

A file is written beside its place, and then moved there. Results are kept as the JSON that the
command line prints with `--json` (docs/json.md), so that either can be loaded.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from kmerf._version import __version__
from kmerf.core.errors import InputError

Value = TypeVar("Value")

SCHEMA = 1  # of docs/json.md

_ASKED = {
    "independence": "Result",
    "ksample": "Result",
    "conditional": "Result",
    "screen": "Screen",
    "plan": "PowerCurve",
}


def write_text(path: str | os.PathLike[str], text: str, name: str = "path=") -> None:
    """Write a text as UTF-8; `name` is what messages call the path.

    A regular file is replaced when the new one is complete, and keeps its mode; behind a symbolic link, the file that
    it leads to. What is no regular file (a device, a pipe) is written into, and never replaced.
    """
    content = text.encode("utf-8", errors="backslashreplace")
    try:
        place = Path(path).absolute()
        if replaceable(place):
            _replace(Path(os.path.realpath(place)), content)
        else:
            with open(place, "wb") as file:
                file.write(content)
    except OSError as error:
        why = error.strerror or str(error)
        raise InputError(f"{name}{str(path)!r} could not be written ({why}): choose another place.") from None


def replaceable(place: Path) -> bool:
    """Return whether a file can be put in this place; if not, what is there can only be written into."""
    if place.exists() and not place.is_file():
        return False
    # a file of one's own in a folder of others
    return not place.exists() or os.access(Path(os.path.realpath(place)).parent, os.W_OK)


def _replace(place: Path, content: bytes) -> None:
    """Write beside the place, and move it there."""
    mode = stat.S_IMODE(place.stat().st_mode) if place.exists() else 0o666 & ~_umask()
    handle, temporary = tempfile.mkstemp(prefix=f".{place.name[:40]}.", dir=place.parent)
    try:
        with open(handle, "wb") as file:
            file.write(content)
        os.chmod(temporary, mode)  # temporary files are made for their owner alone
        os.replace(temporary, place)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def save(path: str | os.PathLike[str], asked: str, result: dict[str, Any]) -> None:
    """Write a result, with what was asked: "independence", "ksample", "conditional", "screen" or "plan"."""
    head = {"schema": SCHEMA, "kmerf": __version__, "command": asked, "data": None}
    try:
        text = json.dumps(head | {"result": result, "warnings": []}, allow_nan=False)
    except ValueError:
        raise InputError(
            f"path={str(path)!r} was not written: the result holds a number that is infinite or not a number, which "
            "JSON has no word for: look for it in to_dict(), and put None there."
        ) from None
    write_text(path, text + "\n")


def load(path: str | os.PathLike[str], kind: str) -> dict[str, Any]:
    """Read a result of a kind, "Result", "Screen" or "PowerCurve", that `save` or `--json` wrote."""
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"path={str(path)!r} could not be read ({error.strerror}): look for the file.") from None
    except (ValueError, RecursionError):
        raise InputError(f"path={str(path)!r} holds no JSON: pass a file that `save` or --json wrote.") from None
    asked = document.get("command") if isinstance(document, dict) else None
    held = _ASKED.get(str(asked))
    if held is None or not isinstance(document.get("result"), dict):
        raise InputError(f"path={str(path)!r} holds no result of kmerf: pass a file that `save` or --json wrote.")
    if held != kind:
        raise InputError(f"path={str(path)!r} holds the outcome of {asked}: use kmerf.{held}.load.")
    if document.get("schema") != SCHEMA:
        raise InputError(f"path={str(path)!r} was written by kmerf {document.get('kmerf')}: load it with that version.")
    result: dict[str, Any] = document["result"]
    return result


def load_as(rebuild: Callable[[dict[str, Any]], Value], path: str | os.PathLike[str], kind: str) -> Value:
    """Read a result, and rebuild it."""
    saved = load(path, kind)
    try:
        return rebuild(saved)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        finding = f"path={str(path)!r} holds a result of kmerf that was changed or damaged ({type(error).__name__})"
        raise InputError(finding, remedy="save it again, or load a copy") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
