"""Pages of tables: how one is read and whether a test keeps its level on it, and how two, or windows, differ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from kmerf.pictures import of_data, of_studies
from kmerf.pictures.of_answers import NEW, OLD, overlay, timeline
from kmerf.report import page
from kmerf.report.svg import draw
from kmerf.results.comparison_result import EQUIVALENT, UNKNOWN, Comparison
from kmerf.results.parts import FIRST_CHANGES
from kmerf.results.question import QUESTIONS
from kmerf.show.comparison_words import (
    at_least,
    before_after,
    broken_words,
    column_words,
    effect_words,
    headline,
    often_changed,
    p_is,
    pair_words,
    percent,
    question,
    rule_words,
    schema_words,
    timeline_headline,
)
from kmerf.show.numbers import TYPESET, counted

if TYPE_CHECKING:
    from kmerf.results.comparison_result import ColumnChange, Timeline
    from kmerf.results.views import DescribedColumn, Description
    from kmerf.study import Calibration

MAX_COMPARED = 60  # columns of a comparison that are listed
MAX_COLUMNS = 500  # of one table
MIN_LEVEL = 1e-3  # at the left end of the picture of rates
LEGEND = [(f"c{OLD}", "old rows"), (f"c{NEW}", "new rows")]
_MEANS = {
    "different": "The tables differ, and a forest separates new rows from old ones better than the margin allows.",
    "different but small": "The tables differ, but a forest can hardly separate new rows from old ones.",
    EQUIVALENT: "No difference was found, and one that matters would have been.",
    UNKNOWN: "No difference was found, but one that matters may be there: compare more rows.",
}
_BREAKS = " But columns are gone, or hold another type or unit, which fails a pipeline."


def context(outcome: Comparison | Timeline, command: str | None) -> dict[str, Any]:
    """Return the values of the template."""
    shared = {"again": command or _call(outcome), "data": None, "notes": outcome.notes, "seed": outcome.seed}
    shared["reading"] = outcome.reading
    return shared | (_comparison(outcome) if isinstance(outcome, Comparison) else _windows(outcome))


def _call(outcome: Comparison | Timeline) -> str:
    by = "" if isinstance(outcome, Comparison) else ', by="week"'
    return f"kmerf.compare(reference, current, margin={outcome.margin:g}{by}, rng={outcome.seed})"


def _comparison(c: Comparison) -> dict[str, Any]:
    columns = c.columns[: max(MAX_COMPARED, len(c.changed))]
    bound = f"at least {at_least(c.share_bound)}" if c.share_bound >= 0.001 else "no bound above 0"
    return {
        "kicker": "Comparison of two tables",
        "title": question(c),
        "headline": headline(c, TYPESET),
        "meaning": _MEANS[c.verdict] + (_BREAKS if c.schema_changes.breaks else ""),
        "changes": [
            (column_words(each, TYPESET, named=k == 0), "")
            for k, each in enumerate(c.columns[:FIRST_CHANGES])
            if each.adjusted <= c.level
        ],
        "found": c.differs or c.schema_changes.breaks,
        "figures": [
            ("Joint test", p_is(c, TYPESET).removeprefix("p = ").removeprefix("p "), "p-value, all columns together"),
            ("AUC", f"{c.auc:.2f}", f"{c.auc_low:.2f} to {c.auc_high:.2f}; margin {c.margin:g}"),
            ("New rows unlike the old", bound, "95 % confidence"),
            ("Columns changed", f"{len(c.changed)} of {len(c.columns)}", f"false discovery rate {c.level:g}"),
        ],
        "legend": LEGEND,
        "schema": schema_words(c.schema_changes),
        "left_out": [*c.schema_changes.left_out.items()],
        "columns": [
            {
                "name": each.name,
                "chosen": each.adjusted <= c.level,
                "kind": each.kind if each.adjusted <= c.level or each.kind == "only jointly" else "",
                "picture": draw(overlay(each, small=True)),
                "change": before_after(each, TYPESET),
                "effect": effect_words(each, TYPESET),
                "measure": each.measure,
                "p": TYPESET.p(each.adjusted),
                "missing": _missing(each),
            }
            for each in columns
        ],
        "more": len(c.columns) - len(columns),
        "gaps": any(each.missing_before or each.missing_after for each in columns),
        "pairs": [pair_words(each, TYPESET) for each in c.changed_pairs],
        "rows": [(each.row, f"{each.score:.2f}", ", ".join(each.because)) for each in c.unlike_rows if c.differs],
        "windows": [],
        "chart": None,
    }


def _missing(column: ColumnChange) -> str:
    shares = column.missing_before, column.missing_after
    return " → ".join(map(percent, shares)) if any(shares) else ""


def _windows(line: Timeline) -> dict[str, Any]:
    adjusted = line.adjusted.tolist()
    began = line.began
    return {
        "kicker": "Windows of new rows",
        "title": f"Do {counted(len(line.windows), 'window')} of new rows differ from the reference?",
        "headline": timeline_headline(line),
        "meaning": rule_words(line),
        "changes": [(words.rstrip("."), "") for words in [often_changed(line)] if words],
        "found": bool(line.alarms) or bool(broken_words(line)),
        "figures": [
            ("Windows", str(len(line.windows)), f"{line.n:,} rows"),
            ("Alarms", str(len(line.alarms)), "windows that differ"),
            ("Began", began or "–", "by least squares" if began else ""),
            ("Reference", f"{line.rows_before:,}", "rows"),
        ],
        "legend": [],
        "schema": broken_words(line),
        "left_out": [],
        "columns": [],
        "more": 0,
        "gaps": False,
        "pairs": [],
        "rows": [],
        "chart": draw(timeline(line), "chart wide") if line.windows else None,
        "caption": timeline(line).caption if line.windows else "",
        "windows": [
            {
                "label": w.label,
                "alarm": p <= line.threshold,
                "rows": f"{w.rows:,}",
                "p": TYPESET.p(w.pvalue, w.smallest),
                "adjusted": TYPESET.p(p),
                "auc": f"{w.auc:.2f}",
                "interval": f"{w.auc_low:.2f} to {w.auc_high:.2f}",
                "verdict": w.verdict,
                "columns": ", ".join(w.columns[:6]) if p <= line.threshold else "",
            }
            for w, p in zip(line.windows, adjusted, strict=True)
        ],
    }


def description_context(
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
