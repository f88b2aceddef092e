"""Results as small HTML tables, for notebooks: plain elements, everything escaped, styles left to the notebook.

A power curve in words: for `print`, `repr`, notebooks and the terminal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from kmerf.core.safe_text import clean, short
from kmerf.show.facts import Fact, facts, screen_facts, screen_title, title
from kmerf.show.numbers import PLAIN, TYPESET, counted
from kmerf.show.tables import (
    Share,
    ShownRow,
    ShownTable,
    feature_table,
    group_table,
    member_table,
    pair_table,
    screen_table,
)
from kmerf.show.text import FEATURES, PAIRS, fact_lines, table_lines
from kmerf.show.verdict import verdict
from kmerf.show.words import y_of

if TYPE_CHECKING:
    from kmerf.results.power_curve import PowerCurve
    from kmerf.results.screen_result import Screen
    from kmerf.results.single_result import Result


def result_html(result: Result) -> str:
    """Return the answer of a test in words and numbers, its features, and what else was asked for."""
    answer = verdict(result, y_of(result))
    tables = (
        feature_table(result, TYPESET, FEATURES),
        group_table(result.feature_groups, TYPESET),
        pair_table(result.pairwise, TYPESET, PAIRS),
    )
    members = member_table(result, TYPESET, asks=True)
    parts = [
        f"<p><strong>{_text(answer.headline)}</strong> {escape(clean(' '.join(answer.sentences)))}</p>",
        html_table((), facts(result, TYPESET)),
        *(_shown(table) for table in tables if table is not None),
        *([] if members is None else [_folded(f"What the {len(result.members)} members found", _shown(members))]),
        *(f"<p>{_text(note)}</p>" for note in result.notes),
    ]
    return _block(title(result), *parts)


def screen_html(screen: Screen) -> str:
    """Return the best columns of a screen."""
    best = screen_table(screen, TYPESET, min(FEATURES, screen.tested))
    return _block(screen_title(screen), html_table((), screen_facts(screen, TYPESET)), _shown(best))


def html_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table.

    >>> html_table((), [("a < b", "1")])
    '<table><tbody><tr><th>a &lt; b</th><td>1</td></tr></tbody></table>'
    """
    top = "".join(f"<th>{_text(cell)}</th>" for cell in head)
    body = "".join(
        f"<tr><th>{_text(first)}</th>{''.join(f'<td>{_text(cell)}</td>' for cell in rest)}</tr>"
        for first, *rest in rows
    )
    return f"<table>{f'<thead><tr>{top}</tr></thead>' if top else ''}<tbody>{body}</tbody></table>"


def _folded(head: str, content: str) -> str:
    return f"<details><summary>{_text(head)}</summary>{content}</details>"


def _block(head: str, *parts: str) -> str:
    return f"<div><strong>{_text(head)}</strong>{''.join(parts)}</div>"


def _shown(table: ShownTable) -> str:
    remarks = any(row.remark for row in table.rows)
    rows = [(" – ".join(row.names), *row.cells, *([row.remark] if remarks else [])) for row in table.rows]
    below = "".join(f"<p>{_text(text)}</p>" for text in (table.more, table.note) if text)
    return html_table((*table.heads, *([""] if remarks else [])), rows) + below


def _text(text: str) -> str:
    return escape(short(text, 200))


def curve_title(curve: PowerCurve) -> str:
    """Return what was asked, and of which test."""
    return f"How many rows for power {curve.target:g}? ({curve.method}, level {curve.level:g})"


def curve_facts(curve: PowerCurve) -> list[Fact]:
    """Return the numbers of a power curve."""
    needed = curve.needed
    pilot = counted(curve.n, "row") + ("" if curve.events is None else f", {counted(curve.events, 'event')}")
    return [
        Fact("rows needed", rows_text(needed.rows, curve), f"{curve.confidence:.0%} interval {_interval(curve)}"),
        Fact("pilot", pilot, f"{curve.subsamples} parts of each of {len(curve.tried_sizes)} sizes"),
        Fact("seed", str(curve.seed)),
    ]


def curve_table(curve: PowerCurve) -> ShownTable:
    """Return power by the number of rows."""
    cells = zip(curve.sizes, curve.power, curve.low, curve.high, strict=True)
    rows = tuple(
        ShownRow(
            (f"{size:,}",),
            (PLAIN.decimal(power, 2), f"{low:.2f} to {high:.2f}"),
            chosen=bool(power >= curve.target),
            share=Share(float(power), float(low), float(high)),
        )
        for size, power, low, high in cells
    )
    return ShownTable(("rows", "power", f"{curve.confidence:.0%} interval"), rows, longest=1.0)


def curve_answer(curve: PowerCurve) -> str:
    """Say how many rows are needed, or that the pilot is too small to tell.

    A pilot tells if even the lower end of its interval reaches the target within the rows looked at.
    """
    needed, most = curve.needed, f"{curve.furthest:,}"
    if curve.conclusive:
        return f"About {needed.rows:,.0f} rows give power {curve.target:g}; {needed.high:,.0f} to be on the safe side."
    pilot = f"The pilot of {counted(curve.n, 'row')} is too small to tell how many rows power {curve.target:g} takes: "
    if not math.isfinite(needed.low):
        return f"{pilot}more than {most}, if the relation is there at all."
    why = ", for the pilot may hold no relation at all" if curve.fine[2, -1] < 2.0 * curve.level else ""
    return f"{pilot}{needed.low:,.0f} may do, and {most} may not{why}. Collect a larger pilot first."


def rows_text(rows: float, curve: PowerCurve) -> str:
    """Write a number of rows; one beyond those looked at says so."""
    return f"{rows:,.0f}" if math.isfinite(rows) else f"> {curve.furthest:,}"


def _interval(curve: PowerCurve) -> str:
    needed = curve.needed
    if not math.isfinite(needed.high):
        return f"{rows_text(needed.low, curve)} and up" if math.isfinite(needed.low) else rows_text(needed.low, curve)
    return f"{rows_text(needed.low, curve)} to {rows_text(needed.high, curve)}"


def curve_lines(curve: PowerCurve) -> list[str]:
    """Return a power curve as lines."""
    return [
        curve_title(curve),
        "",
        *fact_lines(curve_facts(curve)),
        "",
        *table_lines(curve_table(curve)),
        "",
        curve_answer(curve),
        *(f"note: {note}" for note in curve.notes),
    ]


def curve_repr(curve: PowerCurve) -> str:
    """Return a power curve in a few lines, for `repr`."""
    needed, *_ = curve_facts(curve)
    return "\n".join(
        (
            f"<kmerf.PowerCurve: {curve_title(curve)}",
            f"  {needed.value} rows, {needed.note}; pilot of {counted(curve.n, 'row')}, seed {curve.seed}",
            "  print() shows all of it, .plot() draws it, .to_frame() is the curve>",
        )
    )


def curve_html(curve: PowerCurve) -> str:
    """Return the answer and the curve, for notebooks."""
    table = curve_table(curve)
    rows = [(*row.names, *row.cells) for row in table.rows]
    notes = "".join(f"<p>{escape(note)}</p>" for note in curve.notes)
    answer = f"<p><strong>{escape(curve_answer(curve))}</strong></p>"
    head = f"<strong>{escape(curve_title(curve))}</strong>"
    return f"<div>{head}{answer}{html_table((), curve_facts(curve))}{html_table(table.heads, rows)}{notes}</div>"
