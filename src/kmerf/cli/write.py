"""Files that a command writes: their places are looked at first, and they are there whole or not at all."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from kmerf.core.errors import InputError
from kmerf.core.saving import in_place, write_text

LONGEST = 200  # bytes of a name, which leaves room for those of the temporary file


def check_place(option: str, path: str) -> None:
    """Refuse a path that cannot be written to, before any work is done for it."""
    place = Path(path)
    if not path or "\0" in path or len(os.fsencode(place.name)) > LONGEST:
        raise InputError(f"{option} {path!r} is no name of a file: name one, such as out.html.")
    folder = place.absolute().parent
    try:
        folder.is_dir()
    except OSError as error:
        raise InputError(f"{option} {path[:40]!r}... cannot be a file ({error.strerror}): choose another.") from None
    if place.is_dir():
        raise InputError(f"{option} {path!r} is a directory: name a file in it.")
    if not folder.is_dir():
        raise InputError(f"{option} {path!r}: the folder {str(folder)!r} does not exist: make it first.")
    if not os.access(folder, os.W_OK) or (place.exists() and not os.access(place, os.W_OK)):
        raise InputError(f"{option} {path!r} may not be written: choose another folder, or change its permissions.")


def text_file(option: str, path: str, text: str) -> None:
    """Write a text as UTF-8."""
    write_text(path, text, name=f"{option} ")


def as_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table as CSV; None and NaN become empty cells."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([["" if cell is None or cell != cell else cell for cell in row] for row in rows])
    return out.getvalue()


def need_report() -> None:
    """Refuse a report, before any work is done for it, where none can be written."""
    try:
        import kmerf.report  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name != "kmerf.report":
            raise InputError(
                f"--report needs {error.name}, which is not installed: pip install 'kmerf[cli]'."
            ) from None
        raise InputError("--report is not part of this version: use --json, or install a newer kmerf.") from None


def write_report(path: str, outcome: Any, **details: Any) -> None:
    """Write an outcome as an HTML page."""
    from kmerf.report import write

    in_place(path, lambda temporary: write(outcome, temporary, **details), name="--report ")
