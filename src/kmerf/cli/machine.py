"""Output for programs: one JSON document, as docs/json.md describes. Its `SCHEMA` counts changes of meaning."""

from __future__ import annotations

import json
import math
import shlex
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kmerf._version import __version__
from kmerf.storage.saving import SCHEMA

if TYPE_CHECKING:
    from kmerf.reading.roles import RequestedTable
    from kmerf.reading.typed_table import FileSource
    from kmerf.study import Calibration, Power


def document(command: str, result: Any, data: Any = None, warnings: Sequence[str] = ()) -> str:
    """Return the whole document."""
    head = {"schema": SCHEMA, "kmerf": __version__, "command": command}
    return json.dumps(plain(head | {"data": data, "result": result, "warnings": list(warnings)}), allow_nan=False)


def data(source: FileSource, intake: RequestedTable, tested: int | None = None) -> dict[str, Any]:
    """Return how a table was read, and how many of its rows were `tested`, where a sample of them was."""
    lost = {name.replace(" ", "_"): count for name, count in intake.lost.items()}
    if tested is not None and tested < intake.rows:
        lost["not_sampled"] = intake.rows - tested
    return {
        "file": source.name,
        "format": source.form,
        "compression": source.packed,
        "separator": source.separator,
        "encoding": source.encoding,
        "rows_read": source.rows,
        "rows_used": intake.rows if tested is None else tested,
        "rows_lost": lost,
        "y": list(intake.y),
        "columns": [fact._asdict() for fact in intake.columns],
        "notes": list(intake.notes),
    }


def cell(outcome: Power) -> dict[str, Any]:
    """Return the power of one test on one source."""
    source = {"class": type(outcome.data).__name__} | vars(outcome.data)
    names = ("test", "rule", "level", "replicates", "rejections", "power", "standard_error", "interval", "cutoff")
    return {"data": source} | {name: getattr(outcome, name) for name in names}


def calibration(outcome: Calibration) -> dict[str, Any]:
    """Return how often true nulls were rejected."""
    names = ("levels", "rates", "intervals", "pvalues", "seed")
    return {name: getattr(outcome, name) for name in names}


def command() -> str:
    """Return the command line that was given, for the record."""
    return shlex.join(["kmerf", *sys.argv[1:]])


def plain(value: Any) -> Any:
    """Return a value that JSON has: no arrays, no tuples, and null where there is no finite number.

    >>> plain({"a": (1, float("nan"))})
    {'a': [1, None]}
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    return value
