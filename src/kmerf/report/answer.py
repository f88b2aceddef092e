"""The page of `independence` and `ksample`: what each of its sections shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from kmerf.core.level import LEVEL
from kmerf.report import charts, records
from kmerf.show.facts import facts, title
from kmerf.show.numbers import TYPESET
from kmerf.show.tables import feature_table, group_table, measures_text, member_table, pair_table
from kmerf.show.verdict import question, verdict
from kmerf.show.y_words import y_name

if TYPE_CHECKING:
    from kmerf.results.single_result import Result

SHOWN = 12  # features before the fold
MOST = 200  # features at all; of 20,000, the rest say nothing
PAIRS = 60
ROWS = 5  # that drive the statistic most, and least


def context(result: Result, data: Mapping[str, Any] | None, command: str | None) -> dict[str, Any]:
    """Return the values of the template."""
    y = y_name(records.y_columns(data))
    again, remark = records.call(result.question, result.seed, command)
    return {
        "title": question(result, y),
        "kicker": title(result),
        "result": result,
        "verdict": verdict(result, y),
        "figures": [fact for fact in facts(result, TYPESET, names=False) if fact.name != "seed"],
        "warnings": [*((data or {}).get("warnings") or ()), *result.notes],
        "null": null_section(result),
        "members": member_table(result, TYPESET, asks=True),
        "measures": measures_text(result.members),
        "features": feature_section(result),
        "together": group_table(result.feature_groups, TYPESET),
        "profiles": profile_section(result),
        "map": map_section(result),
        "rows": row_section(result),
        "pairs": pair_table(result.pairwise, TYPESET, PAIRS),
        "level": LEVEL,
        "again": again,
        "remark": remark,
        "settings": "\n".join(records.settings_lines(result.settings)),
        **data_section(data),
    }


def data_section(data: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what was done to the data; nothing where no table was read."""
    if data is None:
        return {"data": None}
    listed, unlisted = records.columns(data)
    return {
        "data": records.data_facts(data),
        "columns": listed,
        "unlisted": unlisted,
        "column_counts": records.column_counts(data),
        "data_notes": list(data.get("notes") or ()),
    }


def null_section(result: Result) -> Any:
    """Draw the null distribution, where there is one."""
    values = result.null.distribution
    return None if values is None else charts.null_histogram(values, result.statistic, result.pvalue)


def feature_section(result: Result) -> dict[str, Any] | None:
    """Return the features by importance, with bars: the first, and those below the fold."""
    table = feature_table(result, TYPESET, MOST, spread=False, lost=True)
    if table is None:
        return None
    shares = [row.share for row in table.rows if row.share is not None]
    peak = charts.peak_of([share.high for share in shares])
    bars = [charts.bar(*row.share, peak, row.chosen) for row in table.rows if row.share is not None]
    return {
        "first": (table._replace(rows=table.rows[:SHOWN], more=""), bars[:SHOWN]),
        "rest": (table._replace(rows=table.rows[SHOWN:]), bars[SHOWN:]),
        "tested": result.features is not None,
        "shuffled": "lost if shuffled" in table.heads,
    }


def profile_section(result: Result) -> dict[str, Any] | None:
    """Draw how y moves with the most important features."""
    profiles = () if result.details is None else result.details.profiles
    if not profiles:
        return None
    labels = list(result.groups)
    limits = charts.profile_limits(profiles, labels)
    drawn = charts.DRAWN_GROUPS
    return {
        "charts": [charts.profile_chart(each, labels, limits) for each in profiles],
        "legend": legend(labels) if labels else [],
        "beyond": max(0, len(labels) - drawn),
        "first_of": result.q if not labels and result.q > 1 else 0,
    }


def legend(labels: list[str]) -> list[tuple[str, str]]:
    """Return the colour and the name of each group, those that share a colour together."""
    last = charts.COLOURS - 1
    own = [(f"c{k}", label) for k, label in enumerate(labels[:last])]
    rest = labels[last:]
    if not rest:
        return own
    return [*own, (f"c{last}", rest[0] if len(rest) == 1 else f"{len(rest)} more")]


def map_section(result: Result) -> dict[str, Any] | None:
    """Draw the map of rows."""
    embedding = None if result.details is None else result.details.embedding
    if embedding is None or not np.ptp(embedding.points):
        return None
    labels = list(result.groups)
    return {
        "chart": charts.map_chart(embedding, labels),
        "legend": legend(labels) if labels else [],
        "low": TYPESET.general(float(embedding.y.min()), 4),
        "high": TYPESET.general(float(embedding.y.max()), 4),
        "some": embedding.rows.size if embedding.rows.size < result.n else 0,
        "share": f"{100 * sum(embedding.shares):.0f}",
    }


def row_section(result: Result) -> dict[str, Any] | None:
    """Say how the statistic is spread over rows, and which have most and least of it."""
    scores = None if result.details is None else result.details.rows
    if scores is None or scores.sum() <= 0.0:
        return None
    order = np.argsort(-scores, kind="stable")
    half = int(np.searchsorted(np.cumsum(scores[order]), scores.sum() / 2.0)) + 1
    listed = [(int(i) + 1, float(scores[i] / scores.sum())) for i in order]
    least = [entry for entry in listed[-ROWS:][::-1] if entry[1] < 0.0]
    return {
        "half": f"{100 * half / scores.size:.0f}",
        "against": f"{100 * float((scores < 0.0).mean()):.0f}",
        "most": listed[:ROWS],
        "least": least,
    }
