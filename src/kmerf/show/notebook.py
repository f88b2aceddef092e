"""Results as small HTML tables, for notebooks: plain elements, everything escaped, styles left to the notebook."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from html import escape
from typing import TYPE_CHECKING

from kmerf.core.errors import rank_of
from kmerf.core.safe_text import clean, short
from kmerf.results.comparison_result import Comparison, Timeline
from kmerf.results.power_curve import PowerCurve
from kmerf.results.question import QUESTIONS
from kmerf.results.screen_result import Associations, Screen
from kmerf.results.single_result import Result
from kmerf.results.views import Description
from kmerf.show import comparison_words
from kmerf.show.facts import (
    associations_facts,
    associations_headline,
    curve_facts,
    curve_question,
    facts,
    screen_facts,
    screen_headline,
    screen_question,
)
from kmerf.show.head import head
from kmerf.show.numbers import TYPESET
from kmerf.show.tables import (
    associations_table,
    curve_table,
    feature_table,
    group_table,
    member_table,
    members_table,
    pair_table,
    screen_table,
)
from kmerf.show.text import ASSOCIATIONS, FEATURES, PAIRS, screen_rows
from kmerf.show.verdict import curve_answer, verdict
from kmerf.show.words import untested, y_of

if TYPE_CHECKING:
    from kmerf.results.parts import Members
    from kmerf.show.head import Head
    from kmerf.show.tables import ShownTable
    from kmerf.show.verdict import Verdict


@singledispatch
def html(outcome: object) -> str:
    """Return an outcome in words, numbers and tables."""
    raise TypeError(outcome)


@html.register(Result)
def _result_html(result: Result) -> str:
    first = head(result, notation=TYPESET)
    answer = verdict(result, y_of(result))
    tables = (
        feature_table(result, TYPESET, FEATURES, ways=True),
        group_table(result.feature_groups, TYPESET),
        pair_table(result.pairwise, TYPESET, PAIRS),
    )
    members = member_table(result, TYPESET, question=True)
    parts = [
        f"<p><strong>{_text(first.headline)}</strong></p>",
        *(_note(f"Warning: {doubt}") for doubt in first.doubts),
        html_table((), first.facts),
        _changes(first),
        *(_shown(table) for table in tables if table is not None),
        _folded("What that means, and all numbers", _meaning(answer) + html_table((), facts(result, TYPESET))),
        *([] if members is None else [_folded(f"What the {len(result.members)} members found", _shown(members))]),
        *(_note(note) for note in result.notes if rank_of(note) != "doubt"),
    ]
    return _block(first.question, *parts)


def _note(text: str) -> str:
    return f"<p>{escape(clean(text))}</p>"


def _meaning(answer: Verdict) -> str:
    return f"<p>{escape(clean(' '.join(answer.sentences)))}</p>"


def _changes(first: Head) -> str:
    """Return what changes as a list."""
    items = (
        f"<li>{escape(clean(text))}{f'<br><small>{escape(clean(groups))}</small>' if groups else ''}</li>"
        for text, groups in first.changes
    )
    return f"<ul>{''.join(items)}</ul>" if first.changes else ""


def members_html(members: Members) -> str:
    """Return the members of a test as a table."""
    table = members_table(members, TYPESET)
    return "" if table is None else _shown(table)


@html.register(Screen)
def _screen_html(screen: Screen) -> str:
    best = screen_table(screen, TYPESET, screen_rows(screen), changes=True)
    answer = f"<p><strong>{escape(clean(screen_headline(screen)))}</strong></p>"
    doubts = (_note(f"Warning: {note}") for note in screen.notes if rank_of(note) == "doubt")
    failed = (f"Not tested: {names}: {why}" for names, why in untested(screen))
    notes = (note for note in screen.notes if rank_of(note) != "doubt")
    return _block(
        screen_question(screen),
        answer,
        *doubts,
        html_table((), screen_facts(screen, TYPESET)),
        _shown(best),
        *map(_note, filter(None, (*failed, *notes, screen.source))),
    )


@html.register(Associations)
def _associations_html(result: Associations) -> str:
    answer = f"<p><strong>{escape(clean(associations_headline(result)))}</strong></p>"
    notes = map(_note, result.notes)
    best = associations_table(result, TYPESET, ASSOCIATIONS)
    return _block(
        QUESTIONS[result.question].asks, answer, html_table((), associations_facts(result)), _shown(best), *notes
    )


@html.register(PowerCurve)
def _curve_html(curve: PowerCurve) -> str:
    answer = f"<p><strong>{escape(clean(curve_answer(curve)))}</strong></p>"
    notes = map(_note, curve.notes)
    return _block(curve_question(curve), answer, html_table((), curve_facts(curve)), _shown(curve_table(curve)), *notes)


@html.register(Description)
def _description_html(table: Description) -> str:
    heads = ("column", "used as", "read as", "missing", "distinct", "values", "", "remark")
    rows = [
        (
            c.name,
            c.role,
            c.kind,
            str(c.missing or ""),
            "" if c.distinct is None else str(c.distinct),
            " ".join(filter(None, (c.values, c.unit))),
            c.picture,
            c.remark,
        )
        for c in table.columns
    ]
    below = [_note(note) for note in table.notes]
    below += [f"<p><strong>To decide:</strong> {escape(clean(problem))}</p>" for problem in table.problems]
    head = QUESTIONS["describe"].title.format(rows=table.rows, columns=len(table.columns))
    return _block(head, html_table(heads, rows), *below)


html.register(Comparison)(comparison_words.html)
html.register(Timeline)(comparison_words.timeline_html)


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
    return html_table((*table.heads, *([table.remarks] if remarks else [])), rows) + below


def _text(text: str) -> str:
    return escape(short(text, 200))
