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
from kmerf.show.text import effect_text, null_text, p_text

if TYPE_CHECKING:
    from kmerf.files.roles import ColumnFacts, RequestedTable
    from kmerf.files.typed_table import FileSource
    from kmerf.results.screen_result import Screen
    from kmerf.results.single_result import Result
    from kmerf.study import Calibration, Power

LEVEL = 0.05  # that the sentence is about
FEATURES = 10


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


def result(out: Console, outcome: Result, intake: RequestedTable) -> None:
    """Print the outcome of a test."""
    titles = {"independence": "Test of independence", "ksample": "Test of k samples"}
    out.print(Text(f"{titles.get(outcome.question, outcome.question)} ({outcome.method})", style="bold"))
    out.print()
    _answer(out, outcome)
    _members(out, outcome)
    _features(out, outcome)
    _pairs(out, outcome)
    _sentence(out, outcome, intake)
    _notes(out, [in_shell(note) for note in outcome.notes])


def screen(out: Console, outcome: Screen) -> None:
    """Print the outcome of a screen."""
    out.print(Text(f"Screen of {len(outcome)} columns ({outcome.method})", style="bold"))
    out.print()
    chosen = f"{len(outcome.selected)} at a false discovery rate of {outcome.fdr:g} (Benjamini-Hochberg)"
    untested = f"; {len(outcome.errors)} could not be" if outcome.errors else ""
    _facts(out, [("selected", chosen), ("tested", f"{outcome.tested}{untested}"), ("rows", str(outcome.n))])
    _facts(out, [("seed", str(outcome.seed))])
    out.print()
    rows = {row.name: row for row in outcome}
    shown = [rows[name] for name in outcome.ranking[: max(10, min(30, len(outcome.selected)))]]
    grid = _grid("column", ">statistic", ">p-value", ">adjusted", "")
    for row in shown:
        mark = "*" if row.extrapolated else " "
        cells = (f"{row.statistic:.4f}", f"{p_text(row.pvalue)}{mark}", f"{row.adjusted_bh:.2g}")
        grid.add_row(
            Text(short(row.name, max(10, min(40, out.width - 48)))), *cells, "selected" if row.selected else ""
        )
    out.print(Padding(grid, (0, 0, 0, 2), expand=False))
    if outcome.tested > len(shown):
        out.print(f"  ... and {outcome.tested - len(shown)} more")
    if any(row.extrapolated for row in shown):
        out.print("  * none of the permuted statistics is as large: from a model of the tail")
    out.print()
    failed = [f"{short(name)} was not tested: {in_shell(why)}" for name, why in outcome.errors.items()]
    more = [f"and {len(failed) - 5} more were not tested."] if len(failed) > 5 else []
    _notes(out, [*failed[:5], *more, *map(in_shell, outcome.notes)])


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


def check(out: Console, source: FileSource, intake: RequestedTable, outcome: Calibration | None) -> None:
    """Print how a table was read, warnings with it, and how often true nulls were rejected."""
    data(out, source, intake, most=None)
    for text in intake.warnings:
        warning(out, text)
    if outcome is not None:
        out.print(Text(str(outcome)))
        out.print()


def data(out: Console, source: FileSource, intake: RequestedTable, most: int | None) -> None:
    """Print how a table was read: every column, or the `most` that one should know of."""
    rows = f"{intake.rows} rows" if intake.rows == source.rows else f"{intake.rows} of {source.rows} rows"
    out.print(Text(f"{clean(source.name)} ({source.spoken}): {rows}, {len(intake.columns)} columns"))
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
    _notes(out, intake.notes)


def warning(out: Console, text: str) -> None:
    """Print a warning."""
    out.print(Text.assemble(("warning: ", "yellow bold"), clean(text)), soft_wrap=True)
    out.print()


# --- parts ------------------------------------------------------------------------------------------------------------


def _answer(out: Console, result: Result) -> None:
    p_value = f"{p_text(result.pvalue)}   ({null_text(result.null)})"
    rows = [("statistic", f"{result.statistic:.5g}"), ("p-value", p_value)]
    if result.effect is not None and (text := effect_text(result.effect)):
        rows.append(("effect", text))
    size = f"{result.n} rows, {result.p} features; {_y_text(result)}"
    _facts(out, [*rows, ("data", size), ("seed", str(result.seed))])
    out.print()


def _facts(out: Console, rows: Sequence[tuple[str, str]]) -> None:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(width=9, no_wrap=True)
    grid.add_column()
    for name, text in rows:
        grid.add_row(Text(name, style="cyan"), Text(text))
    out.print(Padding(grid, (0, 0, 0, 2), expand=False))


def _y_text(result: Result) -> str:
    labels = [f"{short(name, 20)} ({size})" for name, size in result.groups.items()]
    listed = ", ".join(labels[:6]) + (f" and {len(labels) - 6} more" if len(labels) > 6 else "")
    if result.question == "ksample":
        return f"{len(labels)} groups: {listed}"
    if labels:
        return f"y categorical, {len(labels)} classes: {listed}"
    return "y numeric" + (f", {result.q} columns" if result.q > 1 else "")


def _members(out: Console, result: Result) -> None:
    """Print what each member of a combined test says."""
    if not result.members:
        return
    grid = _grid("member", ">statistic", ">score", ">p")
    for member in result.members:
        numbers = (f"{member.statistic:.5g}", f"{member.score:.2f}", p_text(member.pvalue))
        grid.add_row(Text(short(member.name)), *numbers)
    out.print(Padding(grid, (0, 0, 0, 2), expand=False))
    out.print()


def _features(out: Console, result: Result) -> None:
    """Print the most important features, with the p-values of their importances where there are any."""
    table, tests = result.importances, result.features
    if table is None:
        return
    place = {name: i for i, name in enumerate(table.names)}
    top = [place[name] for name in table.ranking[:FEATURES]]
    taken = 34 if tests is None else 53
    name_width = max(10, min(30, out.width - taken - 11))
    width = max(4, min(24, out.width - taken - max(len(short(table.names[i], name_width)) for i in top)))
    grid = _grid("feature", ">importance", "95 % of trees", *((">p", ">p, family") if tests else ()), "")
    peak = float(table.mean[top[0]])
    for i in top:
        mean, low, high = float(table.mean[i]), float(table.low[i]), float(table.high[i])
        known = () if tests is None else (p_text(float(tests.pvalues[i])), p_text(float(tests.adjusted_fwer[i])))
        cells = (f"{mean:.3f}", f"{low:.3f} to {high:.3f}", *known)
        grid.add_row(Text(short(table.names[i], name_width)), *cells, _bar(mean, peak, width, out))
    out.print(Padding(grid, (0, 0, 0, 2), expand=False))
    if len(table.names) > FEATURES:
        out.print(f"  ... and {len(table.names) - FEATURES} more features")
    out.print()


def _pairs(out: Console, result: Result) -> None:
    """Print every two groups that were compared, smallest p-values first."""
    if not result.pairwise:
        return
    pairs = sorted(result.pairwise, key=lambda pair: pair.pvalue)
    grid = _grid("groups", ">statistic", ">p", ">p, Holm")
    for pair in pairs[: 2 * FEATURES]:
        names = f"{short(pair.first, 20)} - {short(pair.second, 20)}"
        grid.add_row(Text(names), f"{pair.statistic:.5g}", p_text(pair.pvalue), p_text(pair.adjusted))
    out.print(Padding(grid, (0, 0, 0, 2), expand=False))
    if len(pairs) > 2 * FEATURES:
        out.print(f"  ... and {len(pairs) - 2 * FEATURES} more pairs")
    out.print()


def _sentence(out: Console, result: Result, intake: RequestedTable) -> None:
    """Say what the p-value supports, and what it does not."""
    names = ", ".join(short(name) for name in intake.y[:3]) + (", ..." if len(intake.y) > 3 else "")
    small, p = result.pvalue <= LEVEL, f"p = {p_text(result.pvalue)}"
    if result.null.extrapolated and result.null.distribution is not None:
        p = f"p below {1 / (1 + result.null.distribution.size):.2g}; how far below rests on a model"
    if result.question == "ksample":
        subject = f"the groups of {names} differ in these columns"
        limit = "why" if result.pairwise or len(result.groups) < 3 else "which of them do, or why"
    else:
        subject = f"{names} is related to these columns"
        limit = "what causes what"
    if small:
        text = f"There is evidence that {subject} ({p}). The test does not tell {limit}."
    else:
        text = f"There is no clear evidence that {subject} ({p}). That does not prove the opposite."
    out.print(Text(text, style="bold"))
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
    return Text(mark * round(width * value / max(peak, 1e-300)), style="green")
