"""Results as small HTML tables, for notebooks: plain elements, everything escaped, styles left to the notebook."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from kmerf.core.safe_text import short
from kmerf.show.text import SHOWN, TITLES, effect_text, null_text, p_text, y_text

if TYPE_CHECKING:
    from kmerf.results.parts import FeatureTests, Importances
    from kmerf.results.screen_result import Screen
    from kmerf.results.single_result import Result


def result_html(result: Result) -> str:
    """Return the answer of a test and its most important features."""
    effect = "" if result.effect is None else effect_text(result.effect)
    facts = [
        ("statistic", f"{result.statistic:.5g}"),
        ("p-value", f"{p_text(result.pvalue)} ({null_text(result.null)})"),
        *([("effect", effect)] if effect else []),
        ("data", f"{result.n} rows, {result.p} features; {y_text(result)}"),
    ]
    parts = [f"<strong>{_text(f'{TITLES[result.question]} ({result.method})')}</strong>", table((), facts)]
    if result.importances is not None:
        parts.append(_features(result.importances, result.features))
    parts += [f"<p>{_text(note)}</p>" for note in result.notes]
    return f"<div>{''.join(parts)}</div>"


def screen_html(screen: Screen) -> str:
    """Return the best columns of a screen."""
    rows = {row.name: row for row in screen}
    shown = [rows[name] for name in screen.ranking[:SHOWN]]
    what = "sets of columns" if "sets" in screen.settings else "columns"
    title = f"Screen of {len(screen)} {what} ({screen.method})"
    selected = f"{len(screen.selected)} of {screen.tested} selected at a false discovery rate of {screen.fdr:g}"
    cells = [
        (r.name, f"{r.statistic:.4g}", f"{r.pvalue:.3g}", f"{r.adjusted_bh:.2g}", "selected" if r.selected else "")
        for r in shown
    ]
    more = screen.tested - len(shown)
    rest = f"<p>... and {more} more</p>" if more > 0 else ""
    head = ("column", "statistic", "p-value", "BH", "")
    return f"<div><strong>{_text(title)}</strong><p>{_text(selected)}</p>{table(head, cells)}{rest}</div>"


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
