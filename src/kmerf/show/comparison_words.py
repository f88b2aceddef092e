"""A comparison of two tables in words: the question, the verdict with its numbers, what changed, one line for logs."""

from __future__ import annotations

import math
import re
from collections import Counter
from html import escape
from typing import TYPE_CHECKING

from kmerf.core.safe_text import clean, short
from kmerf.results.comparison_result import DIFFERENT, EQUIVALENT, SMALL, Comparison, Timeline
from kmerf.show.head import wrapped
from kmerf.show.numbers import PLAIN, TYPESET, counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kmerf.results.comparison_result import ColumnChange, PairChange, SchemaChanges, Window
    from kmerf.show.numbers import Notation

MOST_LINES = 12
NOTE_LINES = 3
_NAME = 28  # letters of a name


def question(c: Comparison) -> str:
    """Return what was asked."""
    return f"Do {c.rows_after:,} new rows differ from {counted(c.rows_before, 'old one')}?"


def p_is(c: Comparison, notation: Notation = PLAIN) -> str:
    """Write the joint p-value."""
    return notation.p_is(c.pvalue, c.smallest)


def headline(c: Comparison, notation: Notation = PLAIN) -> str:
    """Return the verdict with the numbers behind it."""
    p, auc, top = p_is(c, notation), f"{c.auc:.2f}", f"{max(c.auc_high, 0.5):.2f}"  # none does worse than guessing
    if c.verdict == DIFFERENT:
        return f"Different: {p}, and a forest separates new rows from old ones with AUC {auc}."
    if c.verdict == SMALL:
        return f"Different but small: {p}, but AUC is at most {top}, within the margin of {c.margin:g}."
    if c.verdict == EQUIVALENT:
        where = f" in {counted(len(c.columns), 'column')} of both" if c.schema_changes.breaks else ""
        return f"Equivalent for practical purposes{where}: {p}, and AUC is at most {top} (margin {c.margin:g})."
    if c.auc_high > c.margin:
        return f"Too few rows to tell: {p}, but AUC may be up to {top}, above the margin of {c.margin:g}."
    interval, side = f"{c.auc_low:.2f} to {c.auc_high:.2f}", 1.0 - c.margin  # below 0.5 by chance, and wide
    return f"Too few rows to tell: {p}, but AUC, {interval}, is not surely between {side:.3g} and {c.margin:g}."


def size_of(c: Comparison) -> str:
    """Return the AUC with its interval, and the bound of the share of rows."""
    text = f"AUC {c.auc:.2f} ({c.auc_low:.2f} to {c.auc_high:.2f}; 0.5 is guessing)"
    if c.share_bound >= 0.001:
        text += f"; at least {at_least(c.share_bound)} of the new rows are unlike the old"
    return text


def percent(share: float) -> str:
    """Write a share.

    >>> percent(0.123), percent(0.004)
    ('12 %', '0.4 %')
    """
    return f"{100 * share:.0f} %" if share >= 0.095 else f"{100 * share:.1f} %"


def at_least(share: float) -> str:
    """Write a lower bound, which is never rounded up.

    >>> at_least(0.997), at_least(0.0129)
    ('99 %', '1.2 %')
    """
    return percent(math.floor(100.0 * share + 1e-9) / 100.0 if share >= 0.1 else math.floor(1000.0 * share) / 1000.0)


def schema_words(schema: SchemaChanges) -> list[str]:
    """Return what differs between the columns themselves, one sentence each."""
    found = []
    for word, names in (("gone", schema.gone), ("new", schema.new)):
        if names:
            found.append(f"{'columns' if len(names) > 1 else 'column'} {word}: {_listed(names)}")
    found += [f"{short(name, _NAME)} holds {after}, before {before}" for name, (before, after) in schema.types.items()]
    found += [
        f"{short(name, _NAME)} has unit {after}, before {before}" for name, (before, after) in schema.units.items()
    ]
    found += [f"new levels of {short(name, _NAME)}: {_listed(levels)}" for name, levels in schema.new_levels.items()]
    return found


def _listed(names: Sequence[str], most: int = 4) -> str:
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(short(name, _NAME) for name in names[:most]) + rest


def effect_words(column: ColumnChange, notation: Notation = PLAIN, *, named: bool = False) -> str:
    """Return the effect of a column with its interval, in the unit of its kind.

    `named`: say that what is in parentheses is a 95 % interval.
    """
    values, said = (column.effect, column.low, column.high), "95 %: " * named
    if column.measure.startswith("ratio"):
        effect, low, high = (f"{value:.3g}" for value in values)
        return f"times {effect} ({said}{low} to {high})"
    if column.measure.startswith("difference of means"):
        effect, low, high = (notation.signed(value, 2) for value in values)
        return f"{effect} sd ({said}{low} to {high})"
    effect, low, high = (notation.signed(100 * value, int(abs(column.effect) < 0.095)) for value in values)
    return f"{effect} points ({said}{low} to {high})"


def column_words(column: ColumnChange, notation: Notation = PLAIN, *, named: bool = False) -> str:
    """Return what changed in a column."""
    name = short(column.name, _NAME)
    if column.kind == "only jointly":
        return f"{name}: only jointly with another column"
    change, effect = before_after(column, notation), effect_words(column, notation, named=named)
    return f"{name}: {column.kind}, {change}, {effect}, {notation.p_is(column.adjusted)}"


def before_after(column: ColumnChange, notation: Notation = PLAIN) -> str:
    """Return the old and the new value; the words before both are written once."""
    words = re.sub(r"(over )?\S+( %)?$", "", column.before)
    return f"{column.before} {notation.arrow} {column.after.removeprefix(words)}"


def pair_words(pair: PairChange, notation: Notation = PLAIN) -> str:
    """Return how the relation of two columns changed."""
    names = f"{short(pair.first, _NAME)} and {short(pair.second, _NAME)}"
    before, after = (notation.decimal(r, 2) for r in (pair.before, pair.after))
    return f"{names}: correlation {before} {notation.arrow} {after}, {notation.p_is(pair.adjusted)}"


IN_PYTHON = "see .columns and .pairs", ".report(path) writes a page"
IN_SHELL = "see --json or --report", "--report FILE.html writes a page"


def lines(c: Comparison, where: tuple[str, str] = IN_PYTHON) -> list[str]:
    """Return the comparison in at most 12 lines of 80 letters; `where` says how to see more."""
    first = [question(c), *_wrapped(headline(c), ""), *_wrapped(f"  {size_of(c)}", "  ")]
    schema = schema_words(c.schema_changes)
    if schema:
        first += _wrapped(f"  Schema: {'; '.join(schema)}", "    ")[:3]
    changed = [each for each in c.columns if each.adjusted <= c.level]
    items = [_wrapped(f"  - {column_words(each, named=k == 0)}", "    ") for k, each in enumerate(changed)]
    items += [_wrapped(f"  - {pair_words(each)}", "    ") for each in c.changed_pairs[:3]]
    if c.differs and not items:
        items.append(["  - no single column and no pair stands out: the rows differ as a whole"])
    notes: list[str] = []
    unread = 0
    for note in c.notes:
        more = _wrapped(f"  Note: {note}", "    ")
        fits = len(notes) + len(more) <= NOTE_LINES
        notes += more if fits else []
        unread += not fits
    left = c.schema_changes.left_out
    note = f"not compared: {_listed(list(left))}; " if left else ""
    note += f"{counted(unread, 'more note')}; " if unread else ""
    last = _wrapped(f"({note}{counted(len(c.columns), 'column')}, seed {c.seed}; {where[1]})", " ")
    room = MOST_LINES - len(first) - len(notes) - len(last)
    total = max(len(items), len(changed) + len(c.changed_pairs))
    shown: list[str] = []
    told = 0
    for item in items:
        if len(shown) + len(item) > room - (total - told > 1):
            break
        shown += item
        told += 1
    if total > told:
        shown.append(f"  - and {counted(total - told, 'more change')}: {where[0]}")
    if c.differs and c.share_bound > 0.0 and c.unlike_rows and c.unlike_rows[0].because:
        row = c.unlike_rows[0]
        example = _wrapped(f"  - least like the old rows: row {row.row} ({', '.join(row.because)})", "    ")
        shown += example if len(shown) + len(example) <= room else []
    return [*first, *shown, *notes, *last][:MOST_LINES]


def _wrapped(text: str, indent: str) -> list[str]:
    return wrapped(clean(text), indent)


def one_line(outcome: Comparison | Timeline) -> str:
    """Return the outcome on one line, as key=value pairs after the verdict."""
    if isinstance(outcome, Timeline):
        alarms = outcome.alarms
        last = outcome.windows[-1] if outcome.windows else None
        verdict = "no windows" if last is None else last.verdict
        began = f" began={outcome.began!r}" if outcome.began is not None else ""
        schema = " schema=changed" if any(each.breaks for each in outcome.windows) else ""
        return clean(
            f"kmerf: {verdict} | windows={len(outcome.windows)} alarms={len(alarms)}{began}{schema}"
            + (f" last={last.label!r} p={last.pvalue:.3g} auc={last.auc:.3f}" if last is not None else "")
        )
    c = outcome
    schema = " schema=changed" if c.schema_changes.breaks else ""
    changed = f" changed={','.join(c.changed[:8])}" if c.changed else ""
    pairs = f" pairs={len(c.changed_pairs)}" if c.changed_pairs else ""
    unlike = math.floor(1000.0 * c.share_bound) / 1000.0
    return clean(
        f"kmerf: {c.verdict} | p={c.pvalue:.3g} auc={c.auc:.3f} ({c.auc_low:.3f}-{c.auc_high:.3f}) margin={c.margin:g} "
        f"unlike>={unlike:.3f} rows={c.rows_before}+{c.rows_after}{schema}{changed}{pairs}"
    )


def summary(outcome: Comparison | Timeline) -> str:
    """Return an outcome in a few lines, for `repr`."""
    if isinstance(outcome, Timeline):
        return f"<kmerf.Timeline: {timeline_headline(outcome)}\n  print() shows all windows, .plot() draws them>"
    return f"""<kmerf.Comparison: {headline(outcome)}
  {len(outcome.changed)} of {len(outcome.columns)} columns changed: {_listed(outcome.changed) or "none"}
  print() shows more, .plot() draws it, .report(path) writes a page>"""


def html(c: Comparison) -> str:
    """Return the comparison for notebooks."""
    rows = [
        [each.name, change, each.before, each.after, effect_words(each, TYPESET), TYPESET.p(each.adjusted)]
        for each in c.columns[: max(10, len(c.changed))]
        for change in [each.kind if each.adjusted <= c.level or each.kind == "only jointly" else ""]
    ]
    heads = ("column", "change", "before", "now", "effect (95 % interval)", "p, adjusted")
    table = _html_table(heads, rows)
    items = [*schema_words(c.schema_changes), *(pair_words(each, TYPESET) for each in c.changed_pairs)]
    listed = f"<ul>{''.join(f'<li>{escape(clean(item))}</li>' for item in items)}</ul>" if items else ""
    texts = "".join(f"<p>{escape(clean(text))}</p>" for text in (size_of(c), *c.notes))
    return (
        f"<div><strong>{escape(question(c))}</strong><p><strong>{escape(headline(c, TYPESET))}</strong></p>"
        f"{texts}{listed}{table}</div>"
    )


def _html_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    top = "".join(f"<th>{head}</th>" for head in heads)
    body = "".join(f"<tr>{''.join(f'<td>{escape(short(cell, 60))}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


# --- windows ----------------------------------------------------------------------------------------------------------


def rule_words(line: Timeline) -> str:
    """Return the rule by which windows are judged."""
    if line.rule == "family":
        return f"If nothing changes, the probability of any alarm in these windows is at most {line.level:g} (Holm)."
    return (
        f"A window is an alarm if p <= {line.threshold:.3g}: if nothing changes, at most one false alarm in "
        f"{line.expected_windows:g} windows on average."
    )


def timeline_headline(line: Timeline) -> str:
    """Return how many windows differ, and since when."""
    alarms, windows = len(line.alarms), counted(len(line.windows), "window")
    if not alarms:
        return f"No alarm in {windows}."
    verb = "differs" if alarms == 1 else "differ"
    return f"{alarms} of {windows} {verb} from the reference; the change began around {clean(str(line.began))}."


def often_changed(line: Timeline) -> str:
    """Return the columns that changed in most of the windows that differ; empty if none did."""
    differ = [each for each in line.windows if each.label in line.alarms]
    found = Counter(name for each in differ for name in each.columns).most_common(3)
    names = ", ".join(f"{short(name, _NAME)} (in {count} of {len(differ)})" for name, count in found)
    return f"Changed most often: {names}." if found else ""


def broken_words(line: Timeline) -> list[str]:
    """Return in which windows columns are gone, or hold another type or unit: one sentence for each such finding."""
    found: dict[str, list[str]] = {}
    for each in line.windows:
        for words in each.breaks:
            found.setdefault(words, []).append(each.label)
    return [f"{words}, in {_listed(labels)}." for words, labels in found.items()]


def timeline_lines(line: Timeline) -> list[str]:
    """Return a line per window, after the answer."""
    wide = max([6, *(len(short(each.label, 24)) for each in line.windows)])
    head = f"  {'window':<{wide}}  {'rows':>7}  {'p':>8}  {'AUC':>4}  {'interval':>12}  changed"
    rows = [_window_line(each, line, k, wide) for k, each in enumerate(line.windows)]
    broken = [text for words in broken_words(line)[:MOST_LINES] for text in _wrapped(f"  Schema: {words}", "    ")]
    said = (timeline_headline(line), often_changed(line), rule_words(line))
    return [*(text for words in said for text in _wrapped(words, "")), *broken, head, *rows]


def _window_line(window: Window, line: Timeline, k: int, wide: int) -> str:
    alarm = line.adjusted[k] <= line.threshold
    p = PLAIN.p(window.pvalue, window.smallest) + ("*" if alarm else " ")
    interval = f"{window.auc_low:.2f} to {window.auc_high:.2f}"
    names = _listed(window.columns, 3) if alarm else ""
    text = (
        f"  {short(window.label, 24):<{wide}}  {window.rows:>7,}  {p:>8}  {window.auc:>4.2f}  {interval:>12}  {names}"
    )
    return text.rstrip()


def timeline_html(line: Timeline) -> str:
    """Return the windows for notebooks."""
    heads = ("window", "rows", "p", "p, adjusted", "AUC", "interval", "verdict", "changed")
    rows = []
    for w, p in zip(line.windows, line.adjusted.tolist(), strict=True):
        numbers = [f"{w.rows:,}", TYPESET.p(w.pvalue, w.smallest), TYPESET.p(p), f"{w.auc:.2f}"]
        rows.append([w.label, *numbers, f"{w.auc_low:.2f} to {w.auc_high:.2f}", w.verdict, ", ".join(w.columns)])
    table = _html_table(heads, rows)
    said = [*filter(None, [often_changed(line)]), rule_words(line), *broken_words(line)]
    texts = "".join(f"<p>{escape(clean(words))}</p>" for words in said)
    return f"<div><strong>{escape(timeline_headline(line))}</strong>{texts}{table}</div>"
