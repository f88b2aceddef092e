"""The page of `associations`: a heat map of all pairs of columns, and the pairs in a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kmerf.core.errors import of_rank
from kmerf.pictures import of_studies
from kmerf.report import page
from kmerf.report.svg import draw
from kmerf.results.question import QUESTIONS
from kmerf.show.facts import associations_facts, associations_headline, associations_title
from kmerf.show.numbers import TYPESET
from kmerf.show.tables import associations_table

if TYPE_CHECKING:
    from kmerf.results.associations_result import Associations

MAX_DRAWN = 40  # columns of the heat map
SHOWN = 30  # pairs before the fold
MAX_LISTED = 200  # pairs of the table


def context(result: Associations, data: Mapping[str, Any] | None, command: str | None) -> dict[str, Any]:
    """Return the values of the template."""
    again, remark = page.call(result, command, given=False, censored=False)
    asked = QUESTIONS[result.question]
    table = associations_table(result, TYPESET, MAX_LISTED)
    picture = of_studies.heat_map(result, MAX_DRAWN)
    failed = [(f"{row.first} and {row.second}", row.error) for row in result if row.error is not None]
    return {
        "title": asked.asks,
        "limit": asked.limit,
        "result": result,
        "kicker": associations_title(result),
        "headline": associations_headline(result),
        "figures": [fact for fact in associations_facts(result, TYPESET) if fact.name != "seed"],
        "warnings": list(dict.fromkeys([*((data or {}).get("warnings") or ()), *of_rank("doubt", result.notes)])),
        "remarks": page.decided(result.notes, data),
        "plot": draw(picture, "chart wide heat"),
        "entries": [(f"c{group}", label) for group, label in picture.entries],
        "left_out": picture.note,
        "table": table._replace(rows=table.rows[:SHOWN], more=""),
        "rest": table._replace(rows=table.rows[SHOWN:]),
        "errors": failed[:20],
        "more_errors": max(0, len(failed) - 20),
        "again": again,
        "remark": remark,
        "settings": "\n".join(page.settings_lines(result.settings)),
        **page.data_section(data),
    }
