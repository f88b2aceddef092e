"""What a command leaves: the answer, printed, and files.

The places of files are looked at before anything is computed. A file that cannot be written all the same (the disk is
full by then) must not take the answer with it, so the answer is printed first.
"""

from __future__ import annotations

import csv
import io
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kmerf.cli.stops import UnwrittenError, UsageError
from kmerf.cli.words import in_shell
from kmerf.core.errors import InputError, installing, message_of
from kmerf.core.safe_text import clean
from kmerf.storage.saving import as_bytes, write_bytes

_FORMULA = ("=", "+", "-", "@")  # with which a spreadsheet takes a cell for a formula
PICTURES = (".png", ".pdf", ".svg")
LONGEST = 200  # bytes of a name, which leaves room for those of the temporary file


class OutputFile(NamedTuple):
    """A file that a command leaves: the option and the path that name it, and what makes its content."""

    option: str
    path: str
    content: Callable[[], bytes]


def check_place(option: str, path: str) -> None:
    """Refuse a path that cannot be written to, before any work is done for it."""
    place = Path(path)
    if not path or "\0" in path or len(os.fsencode(place.name)) > LONGEST:
        raise InputError(f"{option} {path!r} is no name of a file: name one, such as out.html.")
    folder = Path(os.path.realpath(path)).parent  # of the file, or of what a link leads to
    try:
        folder.is_dir()
    except OSError as error:
        raise InputError(f"{option} {path[:40]!r}... cannot be a file ({error.strerror}): choose another.") from None
    if place.is_dir():
        raise InputError(f"{option} {path!r} is a directory: name a file in it.")
    if not folder.is_dir():
        raise InputError(f"{option} {path!r}: the folder {str(folder)!r} does not exist: make it first.")
    if not os.access(place if place.exists() else folder, os.W_OK):
        raise InputError(f"{option} {path!r} may not be written: choose another folder, or change its permissions.")


def check_picture(option: str, path: str) -> None:
    """Refuse a picture that cannot be drawn or written, before any work is done for it."""
    if Path(path).suffix.lower() not in PICTURES:
        raise UsageError(f"{option} {path!r} is no picture: end it with {', '.join(PICTURES)}")
    check_place(option, path)
    try:
        import kmerf.figures.canvas  # noqa: F401
    except ModuleNotFoundError as error:
        raise InputError(f"{option} needs {error.name}, which is not installed", remedy=installing("plot")) from None


def picture(path: str, figure: Any) -> bytes:
    """Return a figure of matplotlib as the content of a file, in the format that its name ends with."""
    content = io.BytesIO()
    figure.savefig(content, format=Path(path).suffix.lower().removeprefix("."))
    return content.getvalue()


def as_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table as CSV; None and NaN become empty cells, and names no formulas."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([[_cell(cell) for cell in row] for row in rows])
    return out.getvalue()


def _cell(value: Any) -> Any:
    """Return a value as it goes into a CSV file that a spreadsheet may open.

    >>> _cell("=1+1"), _cell(-0.5), _cell(None)
    ("'=1+1", -0.5, '')
    """
    if value is None or value != value:
        return ""
    if not isinstance(value, str):
        return value
    text = clean(value)
    return f"'{text}" if text.lstrip().startswith(_FORMULA) else text


def need_report() -> None:
    """Refuse a report, before any work is done for it, where none can be written."""
    try:
        import kmerf.report  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name != "kmerf.report":
            raise InputError(f"--report needs {error.name}, which is not installed: {installing('cli')}.") from None
        raise InputError("--report is not part of this version: use --json, or install a newer kmerf.") from None


def report(outcome: Any, **details: Any) -> bytes:
    """Return an outcome as an HTML page."""
    from kmerf.report import html

    return as_bytes(html(outcome, **details))


def deliver(print_it: Callable[[], None], files: Sequence[OutputFile]) -> None:
    """Print the answer, and then write each file; report those that cannot be written.

    Neither a reader that goes away nor one file keeps the other files from being written.
    """
    faults = []
    try:
        print_it()
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        faults.append(f"the answer could not be printed ({error.strerror}): make room, and run the command again.")
    finally:
        for option, path, content in files:
            try:
                write_bytes(path, content(), option)
            except InputError as error:
                faults.append(in_shell(message_of(error)))
            except OSError as error:  # what makes the content may need room on the disk too
                faults.append(f"{option} {path!r} could not be written ({error.strerror}): choose another place.")
    if faults:
        raise UnwrittenError(" ".join(faults))
