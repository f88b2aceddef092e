"""Results as small HTML tables, for notebooks: plain elements, everything escaped, styles left to the notebook."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from kmerf.core.safe_text import short
from kmerf.results.parts import FeatureTests, Importances
from kmerf.show.text import SHOWN, p_text


def result(
    title: str,
    facts: Sequence[tuple[str, str]],
    importances: Importances | None,
    tests: FeatureTests | None,
    notes: Sequence[str],
) -> str:
    """Return the answer of a test and its most important features."""
    parts = [f"<strong>{_text(title)}</strong>", table((), facts)]
    if importances is not None:
        parts.append(_features(importances, tests))
    parts += [f"<p>{_text(note)}</p>" for note in notes]
    return f"<div>{''.join(parts)}</div>"


def screen(title: str, found: str, cells: Sequence[Sequence[str]], more: int) -> str:
    """Return the best columns of a screen."""
    head = ("column", "statistic", "p-value", "BH", "")
    rest = f"<p>... and {more} more</p>" if more > 0 else ""
    return f"<div><strong>{_text(title)}</strong><p>{_text(found)}</p>{table(head, cells)}{rest}</div>"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table.

    >>> table((), [("a < b", "1")])
    '<table><tbody><tr><th>a &lt; b</th><td>1</td></tr></tbody></table>'
    """
    top = "".join(f"<th>{_text(cell)}</th>" for cell in head)
    body = "".join(
        f"<tr><th>{_text(first)}</th>{''.join(f'<td>{_text(cell)}</td>' for cell in rest)}</tr>"
        for first, *rest in rows
    )
    return f"<table>{f'<thead><tr>{top}</tr></thead>' if top else ''}<tbody>{body}</tbody></table>"


def _features(importances: Importances, tests: FeatureTests | None) -> str:
    place = {name: i for i, name in enumerate(importances.names)}
    rows = []
    for name in importances.ranking[:SHOWN]:
        i = place[name]
        known = [] if tests is None else [p_text(float(tests.pvalues[i])), p_text(float(tests.adjusted_fwer[i]))]
        rows.append([name, f"{importances.mean[i]:.3f}", *known])
    more = len(importances.names) - len(rows)
    rest = f"<p>... and {more} more features</p>" if more else ""
    return table(("feature", "importance", *(("p", "p, family") if tests is not None else ())), rows) + rest


def _text(text: str) -> str:
    return escape(short(text, 200))
