"""Files that are there whole or not at all, and results kept in them.

A file is written beside its place, and then moved there. Results are kept as the JSON that the
command line prints with `--json` (docs/json.md), so that either can be loaded.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kmerf._version import __version__
from kmerf.core.errors import InputError

SCHEMA = 1  # of docs/json.md

_ASKED = {"independence": "Result", "ksample": "Result", "screen": "Screen"}


def write_text(path: str | os.PathLike[str], text: str, name: str = "path=") -> None:
    """Write a text as UTF-8; `name` is what messages call the path."""
    in_place(path, lambda temporary: _fill(temporary, text), name)


def in_place(path: str | os.PathLike[str], write: Callable[[str], None], name: str = "path=") -> None:
    """Let `write` fill a temporary file, and move it to `path` when it is complete."""
    place = Path(path).absolute()
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{place.name[:40]}.", suffix=place.suffix[:20], dir=place.parent)
        os.close(handle)
        try:
            write(temporary)
            os.chmod(temporary, 0o666 & ~_umask())  # temporary files are made for their owner alone
            os.replace(temporary, place)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
    except OSError as error:
        why = error.strerror or str(error)
        raise InputError(f"{name}{str(path)!r} could not be written ({why}): choose another place.") from None


def save(path: str | os.PathLike[str], asked: str, result: dict[str, Any]) -> None:
    """Write a result, with what was asked: "independence", "ksample" or "screen"."""
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
    """Read a result of a kind, "Result" or "Screen", that `save` or `--json` wrote."""
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"path={str(path)!r} could not be read ({error.strerror}): look for the file.") from None
    except ValueError:
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


def _fill(path: str, text: str) -> None:
    Path(path).write_text(text, encoding="utf-8", newline="")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
