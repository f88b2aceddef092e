"""The page of a table: how every column is read, what it holds, and whether a test keeps its level on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from kmerf.pictures import of_data, of_studies
from kmerf.report import page
from kmerf.report.svg import draw
from kmerf.results.question import QUESTIONS
from kmerf.show.numbers import counted

if TYPE_CHECKING:
    from kmerf.results.views import DescribedColumn, Description
    from kmerf.study import Calibration

MAX_COLUMNS = 500  # in the table
MIN_LEVEL = 1e-3  # at the left end of the picture of rates


def context(
    table: Description, data: Mapping[str, Any] | None, command: str | None, rates: Calibration | None
) -> dict[str, Any]:
    """Return the values of the template."""
    asked = QUESTIONS["describe"]
    shown = table.columns[:MAX_COLUMNS]
    return {
        "title": asked.asks,
        "kicker": "Check of a table" if data is None else str(data.get("file") or "Check of a table"),
        "table": table,
        "headline": _headline(table),
        "columns_shown": [(column, _bars(column), _values(column)) for column in shown],
        "unlisted_columns": len(table.columns) - len(shown),
        "any_gaps": any(column.missing for column in shown),
        "warnings": [*table.problems, *((data or {}).get("warnings") or ())],
        "remarks": page.decided(table.notes, data),
        "rates": None if rates is None else _rates(rates),
        "data": None if data is None else page.data_facts(data),
        "column_counts": "" if data is None else page.column_counts(data),
        "data_notes": [] if data is None else list(data.get("notes") or ()),
        "columns": [],
        "again": command or asked.python.format(options=""),
        "remark": "" if command else f"In the shell, with the data in a file: {asked.shell}",
    }


def _headline(table: Description) -> str:
    size = f"{counted(table.rows, 'row')}, {counted(len(table.columns), 'column')}"
    if table.problems:
        return f"{size}: {counted(len(table.problems), 'thing')} to decide before it can be tested."
    out = sum(column.role == "left out" for column in table.columns)
    left = f", of which {out} {'is' if out == 1 else 'are'} left out" if out else ""
    return f"{size}{left}."


def _bars(column: DescribedColumn) -> Any:
    picture = of_data.column_bars(column)
    return "" if picture is None else draw(picture, "cell")


def _values(column: DescribedColumn) -> str:
    return " ".join(filter(None, (column.values, column.unit)))


def _rates(rates: Calibration) -> dict[str, Any]:
    """Return how often true nulls were rejected at each level, and the picture of their p-values."""
    count = rates.pvalues.size
    rows = [
        (f"{level:g}", f"{rate:.3f}", f"{low:.3f} to {high:.3f}", verdict)
        for level, rate, (low, high), verdict in zip(
            rates.levels, rates.rates, rates.intervals, rates.verdicts, strict=True
        )
    ]
    picture = of_studies.tail({"this test": np.asarray(rates.pvalues)}, max(MIN_LEVEL, 1.0 / count), "")
    return {"count": count, "rows": rows, "chart": draw(picture), "caption": picture.caption}
