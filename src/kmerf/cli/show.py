"""Output for people: one function for each section, each of which prints what is there and nothing where it is not.

Names and cells go through `clean` and into `Text`, so that neither markup nor escapes in them have any effect.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TextIO, cast

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from kmerf.cli.words import clean, in_shell, short
from kmerf.show.facts import curve_facts, curve_title, facts, screen_facts, screen_title, title
from kmerf.show.numbers import PLAIN, counted
from kmerf.show.tables import curve_table, feature_table, group_table, member_table, pair_table, screen_table
from kmerf.show.text import FEATURES, PAIRS, screen_rows
from kmerf.show.verdict import curve_answer, verdict
from kmerf.show.words import y_name

if TYPE_CHECKING:
    from kmerf.reading.roles import RequestedTable
    from kmerf.reading.rulings import ColumnFacts
    from kmerf.reading.typed_table import FileSource
    from kmerf.results.power_curve import PowerCurve
    from kmerf.results.screen_result import Screen
    from kmerf.results.single_result import Result
    from kmerf.show.facts import Fact
    from kmerf.show.tables import ShownTable
    from kmerf.show.verdict import Verdict
    from kmerf.study import Calibration, Power


def console(stream: TextIO) -> Console:
    """Return a console that writes text as it is; colours only for a terminal, and not where NO_COLOR is set."""
    return Console(file=cast(TextIO, _Trimmed(stream)), markup=False, highlight=False, emoji=False)


class _Trimmed:
    """A stream without the blanks with which tables are padded at the end of lines."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write(re.sub(r" +(?=\n)", "", text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


# --- sections ---------------------------------------------------------------------------------------------------------


def result(
    out: Console, outcome: Result, intake: RequestedTable, said: Sequence[str] = (), unsaid: Sequence[str] = ()
) -> None:
    """Print the outcome of a test, without the notes that were `said` before, and with those that were not."""
    out.print(Text(title(outcome), style="bold"))
    out.print()
    _facts(out, facts(outcome, PLAIN))
    _table(out, member_table(outcome, PLAIN, asks=True, statistic=False))
    _table(out, feature_table(outcome, PLAIN, FEATURES))
    _table(out, group_table(outcome.feature_groups, PLAIN))
    _table(out, pair_table(outcome.pairwise, PLAIN, PAIRS))
    _verdict(out, verdict(outcome, y_name(intake.y), PLAIN))
    _notes(out, [in_shell(note) for note in (*unsaid, *outcome.notes) if note not in said])


def screen(out: Console, outcome: Screen) -> None:
    """Print the outcome of a screen."""
    out.print(Text(screen_title(outcome), style="bold"))
    out.print()
    _facts(out, screen_facts(outcome, PLAIN))
    _table(out, screen_table(outcome, PLAIN, screen_rows(outcome)))
    failed = [f"{short(name)} was not tested: {in_shell(why)}" for name, why in outcome.errors.items()]
    more = [f"and {len(failed) - 5} more were not tested."] if len(failed) > 5 else []
    _notes(out, [*failed[:5], *more, *map(in_shell, outcome.notes), *filter(None, [outcome.source])])


def power(out: Console, cells: Sequence[Power]) -> None:
    """Print the power of tests on simulations."""
    grid = _grid("simulation", ">n", ">p", "test", ">power", "95 % interval", ">data sets", "")
    for cell in cells:
        low, high = cell.interval
        size = (str(cell.data.n), str(cell.data.p))
        interval = f"{low:.3f} to {high:.3f}"
        bar = _bar(cell.power, 1.0, 15, out)
        grid.add_row(
            Text(short(cell.data.name)), *size, cell.test, f"{cell.power:.3f}", interval, str(cell.replicates), bar
        )
    out.print(grid)


def plan(out: Console, curve: PowerCurve) -> None:
    """Print how many rows are needed, and the power by the number of rows."""
    out.print(Text(curve_title(curve), style="bold"))
    out.print()
    _facts(out, curve_facts(curve))
    _table(out, curve_table(curve))
    out.print(Text(curve_answer(curve), style="bold"))
    out.print()
    _notes(out, [in_shell(note) for note in curve.notes])


def check(out: Console, source: FileSource, intake: RequestedTable, rates: Calibration | None) -> None:
    """Print how a table was read, warnings with it, and how often true nulls were rejected."""
    data(out, source, intake, most=None)
    for text in intake.warnings:
        warning(out, in_shell(text))
    if rates is not None:
        out.print(Text(str(rates)))
        out.print()


def data(out: Console, source: FileSource, intake: RequestedTable, most: int | None) -> None:
    """Print how a table was read: every column, or the `most` that one should know of."""
    every = counted(source.rows, "row")
    rows = every if intake.rows == source.rows else f"{intake.rows:,} of {every}"
    columns = counted(len(intake.columns), "column")
    out.print(Text(f"{clean(source.name)} ({source.spoken}): {rows}, {columns}"))
    shown = _worth_showing(intake.columns, most)
    grid = _grid("column", "used as", "read as", ">missing", ">distinct", "")
    width = max(10, min(40, out.width - 62))
    for fact in shown:
        missing, distinct = str(fact.missing or ""), "" if fact.distinct is None else str(fact.distinct)
        grid.add_row(Text(short(fact.name, width)), fact.role, fact.kind, missing, distinct, Text(clean(fact.remark)))
    out.print(Padding(grid, (0, 0, 0, 2), expand=False))
    rest = Counter(f"{fact.kind} ({fact.role})" for fact in intake.columns if fact not in shown)
    if rest:
        listed = ", ".join(f"{count} {what}" for what, count in rest.items())
        out.print(f"  ... and {listed}; kmerf check lists all")
    out.print()
    _notes(out, [in_shell(note) for note in intake.notes])


def warning(out: Console, text: str) -> None:
    """Print a warning."""
    out.print(Text.assemble(("warning: ", "yellow bold"), clean(text)), soft_wrap=True)
    out.print()


# --- parts ------------------------------------------------------------------------------------------------------------


def _facts(out: Console, known: Sequence[Fact]) -> None:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column()
    for fact in known:
        grid.add_row(Text(fact.name, style="cyan"), Text(fact.value), Text(fact.note))
    out.print(Padding(grid, (0, 0, 0, 2), expand=False))
    out.print()


def _table(out: Console, table: ShownTable | None) -> None:
    """Print a table, with bars where its rows have shares."""
    if table is None:
        return
    columns = table.columns()
    numbers = sum(max(map(len, column)) + 2 for column in columns)
    widest = max(10, min(40, out.width - numbers - 12))
    names = [" - ".join(short(name, widest // len(row.names)) for name in row.names) for row in table.rows]
    bars = max(4, min(24, out.width - numbers - max(map(len, (table.heads[0], *names))) - 4))
    grid = _grid(table.heads[0], *(f">{head}" for head in table.heads[1:]), "")
    for k, (row, name) in enumerate(zip(table.rows, names, strict=True), start=1):
        end = Text(row.remark) if row.share is None else _bar(row.share.mean, table.peak, bars, out)
        grid.add_row(Text(name), *(column[k] for column in columns), end)
    out.print(Padding(grid, (0, 0, 0, 2), expand=False))
    for text in (table.more, table.note):
        if text:
            out.print(Text(f"  {text}"))
    out.print()


def _verdict(out: Console, answer: Verdict) -> None:
    """Print what was found, and what that does and does not mean."""
    out.print(Text(answer.headline, style="bold"))
    out.print(Text(" ".join(answer.sentences)))
    out.print()


def _notes(out: Console, notes: Sequence[str]) -> None:
    """Print notes that are in the words of the command line."""
    for note in notes:
        out.print(Text.assemble(("note: ", "cyan"), clean(note)))
    if notes:
        out.print()


def _worth_showing(facts: Sequence[ColumnFacts], most: int | None) -> list[ColumnFacts]:
    """Return the columns that are not plain numbers of x first, if there are too many for all."""
    if most is None or len(facts) <= most:
        return list(facts)
    roles = ("y", "groups", "blocks")
    ranked = sorted(facts, key=lambda f: (f.role not in roles, not f.remark, f.kind == "numeric", -f.missing))
    chosen = ranked[: most - 4]
    return [fact for fact in facts if fact in chosen]


def _grid(*heads: str) -> Table:
    """Return an empty table without lines; a head that begins with ">" is over numbers."""
    grid = Table(box=None, pad_edge=False, header_style="cyan", padding=(0, 2, 0, 0))
    for head in heads:
        right = head.startswith(">")
        grid.add_column(Text(head.removeprefix(">")), justify="right" if right else "left", no_wrap=head != "")
    return grid


def _bar(value: float, peak: float, width: int, out: Console) -> Text:
    mark = "█" if (out.encoding or "").lower().startswith("utf") else "#"
    return Text(mark * round(width * value / peak) if peak > 0.0 else "", style="green")
