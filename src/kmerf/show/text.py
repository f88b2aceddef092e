"""Results in plain text: what `print(result)` and `repr(result)` show."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from functools import singledispatch
from typing import TYPE_CHECKING

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
    associations_title,
    curve_facts,
    curve_question,
    curve_title,
    facts,
    screen_facts,
    screen_headline,
    screen_question,
    screen_title,
    size_text,
    title,
)
from kmerf.show.head import ALL_LINES, head, head_lines, wrapped
from kmerf.show.numbers import PLAIN, counted
from kmerf.show.tables import (
    associations_table,
    curve_table,
    feature_table,
    group_table,
    importances_table,
    member_table,
    members_table,
    pair_table,
    screen_table,
    tests_table,
)
from kmerf.show.verdict import curve_answer, verdict
from kmerf.show.words import WIDTH, untested

if TYPE_CHECKING:
    from kmerf.results.parts import FeatureTests, Importances, Members
    from kmerf.show.facts import Fact
    from kmerf.show.tables import ShownRow, ShownTable

FEATURES = 10  # lines of the table of features
PAIRS = 20
SELECTED = 50  # selected columns of a screen
ASSOCIATIONS = 20  # pairs of columns that are listed
NARROW = 16  # letters of their names; if fewer fit, a table has adjusted p-values alone
_MORE = "(more: print(result.in_full()), .paragraph(){notes})"
_BAR = 20  # letters of the longest bar
_REMARK = 20  # letters of what stands behind a row; of more, it has several lines
_NAME = 28  # letters of a name in a table


@singledispatch
def lines(outcome: object) -> list[str]:
    """Return an outcome as lines of text."""
    raise TypeError(outcome)


@lines.register(Result)
def _result_lines(result: Result) -> list[str]:
    return head_lines(head(result), _MORE, result.notes)


def full_lines(result: Result) -> list[str]:
    """Return the first lines, and then all numbers and tables."""
    tables = (
        member_table(result, PLAIN, question=True, statistic=False),
        feature_table(result, PLAIN, FEATURES, ways=True),
        group_table(result.feature_groups, PLAIN),
        pair_table(result.pairwise, PLAIN, PAIRS),
    )
    below = _stacked(title(result), facts(result, PLAIN), tables, result.notes)
    return [*head_lines(head(result), lines=ALL_LINES), "", *verdict_lines(result), "", *below]


def verdict_lines(result: Result) -> list[str]:
    """Return what the answer means, at length."""
    return textwrap.wrap(clean(" ".join(verdict(result, notation=PLAIN).sentences)), WIDTH)


def members_text(members: Members) -> str:
    """Return the members of a test as a table."""
    table = members_table(members, PLAIN)
    return "()" if table is None else "\n".join(table_lines(table))


def features_text(tests: FeatureTests) -> str:
    """Return the tests of features as a table."""
    table = tests_table(tests, PLAIN)
    return "()" if table is None else "\n".join(table_lines(table))


def importances_text(table: Importances) -> str:
    """Return importances as a table."""
    return "\n".join(table_lines(importances_table(table, PLAIN)))


@lines.register(Screen)
def _screen_lines(screen: Screen) -> list[str]:
    notes = [f"not tested: {names}: {why}" for names, why in untested(screen)]
    table = screen_table(screen, PLAIN, screen_rows(screen), changes=True)
    notes += filter(None, (*screen.notes, screen.source))
    first = [*wrapped(screen_question(screen), ""), *wrapped(screen_headline(screen), ""), screen_title(screen)]
    return _stacked("\n".join(first), screen_facts(screen, PLAIN), [table], notes)


@lines.register(Associations)
def _associations_lines(result: Associations) -> list[str]:
    failed = [
        f"not tested: {short(row.first, 24)} and {short(row.second, 24)}: {row.error}" for row in result if row.error
    ]
    failed[3:] = [f"and {len(failed) - 3} more pairs were not tested, see `errors`."] if len(failed) > 3 else []
    head = [QUESTIONS[result.question].asks, *wrapped(associations_headline(result), ""), associations_title(result)]
    widths = [(letters, False) for letters in range(40, NARROW, -1)] + [(letters, True) for letters in range(40, 8, -1)]
    best = next(filter(None, (_fitting(result, *each) for each in widths)), None)
    table = best or table_lines(associations_table(result, PLAIN, ASSOCIATIONS, 8, narrow=True))
    notes = [
        line for note in (*failed, *result.notes, result.source) for line in wrapped(f"note: {clean(note)}", "      ")
    ]
    return [*head, "", *fact_lines(associations_facts(result)), "", *table, "", *notes]


def _fitting(result: Associations, letters: int, narrow: bool) -> list[str] | None:
    """Return the table of pairs with names of so many letters, if it is not too wide."""
    table = table_lines(associations_table(result, PLAIN, ASSOCIATIONS, letters, narrow=narrow))
    return table if max(map(len, table)) <= WIDTH else None


@lines.register(PowerCurve)
def _curve_lines(curve: PowerCurve) -> list[str]:
    first = [*wrapped(curve_question(curve), ""), *wrapped(curve_answer(curve), ""), curve_title(curve)]
    return _stacked("\n".join(first), curve_facts(curve), [curve_table(curve)], curve.notes)


lines.register(Comparison)(comparison_words.lines)
lines.register(Timeline)(comparison_words.timeline_lines)


def screen_rows(screen: Screen) -> int:
    """Return how many columns of a screen to list: those selected, but 10 at least and `SELECTED` at most."""
    return min(screen.tested, max(10, min(SELECTED, len(screen.selected))))


def _stacked(
    head: str, numbers: Sequence[Fact], tables: Sequence[ShownTable | None], notes: Sequence[str]
) -> list[str]:
    below = [line for table in tables if table is not None for line in (*table_lines(table), "")]
    said = (textwrap.wrap(f"note: {clean(note)}", WIDTH, subsequent_indent="      ") for note in notes)
    return [head, "", *fact_lines(numbers), "", *below, *(line for lines in said for line in lines)]


@singledispatch
def summary(outcome: object) -> str:
    """Return an outcome in a few lines, for `repr`."""
    raise TypeError(outcome)


@summary.register(Result)
def _result_summary(result: Result) -> str:
    p, *rest = facts(result, PLAIN)
    effects = [f"effect {fact.value} ({fact.note})" for fact in rest if fact.name == "effect"]
    size = f"{size_text(result)}, {counted(result.p, 'feature')}; seed {result.seed}"
    return f"""<kmerf.Result: {head(result).headline}
  p-value {p.value} ({p.note})
  {effects[0] if effects else "no effect size"}
  {title(result)}; {size}
  print() shows all of it, .plot() draws it, .report(path) writes a page>"""


@summary.register(Screen)
def _screen_summary(screen: Screen) -> str:
    return f"""<kmerf.Screen: {screen_title(screen)}
  {len(screen.selected):,} of {screen.tested:,} tested are selected, p up to {PLAIN.p(screen.threshold)}
  best: {", ".join(short(name, 16) for name in screen.ranking[:4])}
  {screen.n:,} rows, seed {screen.seed}
  print() shows all of it, .plot() draws it, .report(path) writes a page>"""


@summary.register(Associations)
def _associations_summary(result: Associations) -> str:
    return f"""<kmerf.Associations: {associations_title(result)}
  {associations_headline(result)}
  {result.n:,} rows, seed {result.seed}
  print() shows the strongest, .matrix() and .to_frame() all, .plot() draws them, .report(path) writes a page>"""


@summary.register(PowerCurve)
def _curve_summary(curve: PowerCurve) -> str:
    needed, *_ = curve_facts(curve)
    return f"""<kmerf.PowerCurve: {curve_title(curve)}
  {needed.value} rows, {needed.note}; pilot of {counted(curve.n, "row")}, seed {curve.seed}
  print() shows all of it, .plot() draws it, .to_frame() is the curve>"""


summary.register(Comparison)(comparison_words.summary)
summary.register(Timeline)(comparison_words.summary)


def fact_lines(facts_shown: Sequence[Fact]) -> list[str]:
    """Return facts as lines, their values under each other.

    >>> from kmerf.show.facts import Fact
    >>> fact_lines([Fact("p-value", "0.01", "99 permutations"), Fact("seed", "1")])
    ['  p-value  0.01   99 permutations', '  seed        1']
    """
    wide, long = max(len(fact.name) for fact in facts_shown), max(len(fact.value) for fact in facts_shown)
    indent = " " * (wide + long + 7)
    texts = (f"  {fact.name:<{wide}}  {fact.value:>{long}}   {fact.note}".rstrip() for fact in facts_shown)
    return [
        line for text in texts for line in textwrap.wrap(text, WIDTH, subsequent_indent=indent, break_on_hyphens=False)
    ]


def table_lines(table: ShownTable) -> list[str]:
    """Return a table as lines, with bars where its rows have shares."""
    numbers = [[f"{cell:>{max(map(len, column))}}" for cell in column] for column in table.columns()]
    ends_wide = max((min(len(row.remark), _REMARK) for row in table.rows if row.share is None), default=0)
    room = WIDTH - 4 - ends_wide - sum(len(column[0]) + 2 for column in numbers)
    most = max(12, min(_NAME, room))
    names = [table.heads[0], *(" - ".join(short(name, most) for name in row.names) for row in table.rows)]
    lines = ["  ".join(cells) for cells in zip(_padded(names), *numbers, strict=True)]
    ends = [_bar(row, table.peak, WIDTH - 4 - len(lines[0])) or row.remark for row in table.rows]
    room = max(_REMARK, WIDTH - 4 - len(lines[0]))
    wrapped = [textwrap.wrap(end, room) or [""] for end in ends]
    lines[0] += f"  {table.remarks}" * bool(table.remarks)
    empty = " " * len(lines[-1])
    rule = "-" * max(len(lines[0]), *(len(empty) + len(end) + 2 * bool(end) for parts in wrapped for end in parts))
    body = [
        f"{line if k == 0 else empty}  {end}"
        for line, parts in zip(lines[1:], wrapped, strict=True)
        for k, end in enumerate(parts)
    ]
    below = [line for text in (table.more, table.note) for line in textwrap.wrap(text, WIDTH - 2)]
    return [f"  {line}".rstrip() for line in (lines[0], rule, *body, *below)]


def _padded(texts: Sequence[str]) -> list[str]:
    return [f"{text:<{max(map(len, texts))}}" for text in texts]


def _bar(row: ShownRow, peak: float, room: int) -> str:
    if row.share is None or peak <= 0.0:  # losses that are all negative have no bars
        return ""
    return "█" * round(max(0, min(_BAR, room)) * row.share.mean / peak)


_HEADS = ("column", "used as", "read as", "missing", "distinct", "values", "")
_NUMBERS = ("missing", "distinct")


@lines.register(Description)
def _description_lines(table: Description) -> list[str]:
    cells = [
        (
            short(column.name),
            column.role,
            column.kind,
            str(column.missing or ""),
            "" if column.distinct is None else str(column.distinct),
            short(" ".join(filter(None, (column.values, column.unit))), 44),
            column.picture,
        )
        for column in table.columns
    ]
    widths = [max(map(len, parts)) for parts in zip(_HEADS, *cells, strict=True)]
    remarks = ["", *(clean(column.remark) for column in table.columns)]
    lines = [
        "  ".join(
            f"{cell:>{wide}}" if head in _NUMBERS else f"{cell:<{wide}}"
            for head, cell, wide in zip(_HEADS, row, widths, strict=True)
        )
        for row in (_HEADS, *cells)
    ]
    return [
        QUESTIONS["describe"].title.format(rows=table.rows, columns=len(table.columns)),
        *(f"  {line}  {remark}".rstrip() for line, remark in zip(lines, remarks, strict=True)),
        *(f"note: {clean(note)}" for note in table.notes),
        *(f"to decide: {clean(problem)}" for problem in table.problems),
    ]
