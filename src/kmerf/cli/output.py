"""What a command leaves: the answer, printed for people or as JSON for programs (docs/json.md), and files.

Names and cells go through `clean` and into `Text`, so that neither markup nor escapes in them have any effect. The
places of files are looked at before anything is computed. A file that cannot be written all the same (the disk is full
by then) must not take the answer with it, so the answer is printed first.
"""

from __future__ import annotations

import io
import json
import math
import os
import re
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO, cast

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from kmerf._version import __version__
from kmerf.cli.shell_words import UnwrittenError, UsageError, clean, in_shell, short
from kmerf.core.errors import InputError, installing, message_of, of_rank, rank_of
from kmerf.core.safe_text import as_csv
from kmerf.reading.formats import ShellArgument
from kmerf.reading.summaries import BINS
from kmerf.results.question import QUESTIONS
from kmerf.show.comparison_words import IN_SHELL, lines
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
    title,
)
from kmerf.show.head import ALL_LINES, MOST_LINES, head, head_lines
from kmerf.show.numbers import PLAIN, counted
from kmerf.show.tables import (
    associations_table,
    curve_table,
    feature_table,
    group_table,
    member_table,
    pair_table,
    screen_table,
)
from kmerf.show.text import ASSOCIATIONS, FEATURES, NARROW, PAIRS, screen_rows
from kmerf.show.verdict import curve_answer, verdict
from kmerf.show.words import untested
from kmerf.storage.saving import SCHEMA, as_bytes, write_bytes

if TYPE_CHECKING:
    from kmerf.cli.options import Options
    from kmerf.reading.roles import RequestedTable
    from kmerf.reading.rulings import ColumnFacts
    from kmerf.reading.typed_table import FileSource
    from kmerf.results.comparison_result import Comparison, Timeline
    from kmerf.results.power_curve import PowerCurve
    from kmerf.results.screen_result import Associations, Screen
    from kmerf.results.single_result import Result
    from kmerf.show.facts import Fact
    from kmerf.show.tables import ShownTable
    from kmerf.study import Calibration, Power

_MORE = "(more: --verbose, --paragraph, --report FILE.html)"
MAX_NAME_BYTES = 200  # of a file, which leaves room for those of the temporary file
PICTURES = (".png", ".pdf", ".svg")


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


# --- for people -------------------------------------------------------------------------------------------------------


class Detail(NamedTuple):
    """How much is printed: the first lines, or the verdict alone, or all, or a paragraph."""

    quiet: bool = False
    verbose: bool = False
    paragraph: bool = False

    @classmethod
    def asked_for(cls, options: Options) -> Detail:
        """Return what the options ask for."""
        return cls(options.quiet and not options.verbose, options.verbose, options.paragraph)


def print_result(out: Console, result: Result, notes: Sequence[str], how: Detail) -> None:
    """Print the outcome of a test."""
    if how.paragraph:
        out.print(Text(result.paragraph()), soft_wrap=True)
        return
    first = replace(head(result), doubts=())
    if how.quiet:
        _verdict(out, first.headline, notes)
        return
    more = "" if how.verbose else _MORE
    lines = ALL_LINES if how.verbose else MOST_LINES
    shown, bold = head_lines(first, more, width=out.width, lines=lines), len(first.answer_lines())
    out.print(Text("\n".join(shown[:bold]), style="bold"), soft_wrap=True)
    out.print(Text("\n".join(shown[bold:])), soft_wrap=True)
    out.print()
    if how.verbose:
        out.print(Text(" ".join(verdict(result, notation=PLAIN).sentences)))
        out.print()
        _title(out, title(result))
        _facts(out, facts(result, PLAIN))
        _table(out, member_table(result, PLAIN, question=True, statistic=False))
        _table(out, feature_table(result, PLAIN, FEATURES, ways=True))
        _table(out, group_table(result.feature_groups, PLAIN))
        _table(out, pair_table(result.pairwise, PLAIN, PAIRS))
    _notes(out, [*of_rank("doubt", notes), *(note for note in notes if rank_of(note) != "doubt")])


def print_screen(out: Console, screen: Screen, notes: Sequence[str], how: Detail) -> None:
    """Print the outcome of a screen."""
    if how.paragraph:
        out.print(Text(screen.paragraph()), soft_wrap=True)
        return
    if how.quiet:
        _verdict(out, screen_headline(screen), notes)
        return
    _title(out, f"{screen_question(screen)}\n{screen_headline(screen)}\n{screen_title(screen)}")
    _facts(out, screen_facts(screen, PLAIN))
    shown = screen.tested if how.verbose else screen_rows(screen)
    _table(out, screen_table(screen, PLAIN, shown, changes=True))
    failed = [f"not tested: {names}: {in_shell(why)}" for names, why in untested(screen)]
    _notes(out, [*failed, *notes, *filter(None, [screen.source])])


def print_associations(out: Console, result: Associations, notes: Sequence[str], how: Detail) -> None:
    """Print the pairs of columns that are related."""
    if how.quiet:
        _verdict(out, associations_headline(result), notes)
        return
    _title(out, f"{QUESTIONS[result.question].asks}\n{associations_headline(result)}\n{associations_title(result)}")
    _facts(out, associations_facts(result))
    narrow = out.width < 100
    _table(out, associations_table(result, PLAIN, ASSOCIATIONS, NARROW if narrow else 24, narrow=narrow))
    failed = [f"{short(row.first)} and {short(row.second)}: {in_shell(row.error)}" for row in result if row.error]
    more = [f"and {len(failed) - 3} more pairs were not tested."] if len(failed) > 3 else []
    _notes(out, [*failed[:3], *more, *notes, result.source])


def print_plan(out: Console, curve: PowerCurve, notes: Sequence[str], how: Detail) -> None:
    """Print the rows that a test needs."""
    if how.quiet:
        _verdict(out, curve_answer(curve), notes)
        return
    _title(out, f"{curve_question(curve)}\n{curve_answer(curve)}\n{curve_title(curve)}")
    _facts(out, curve_facts(curve))
    _table(out, curve_table(curve))
    _notes(out, notes)


def print_power(out: Console, cells: Sequence[Power]) -> None:
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


def print_check(out: Console, source: FileSource, table: RequestedTable, rates: Calibration | None = None) -> None:
    """Print how a table was read, warnings with it, and how often true nulls were rejected."""
    print_table(out, source, table, most=None, values=True)
    for text in table.warnings:
        print_warning(out, in_shell(text))
    if rates is not None:
        out.print(Text(str(rates)))
        out.print()


def print_table(
    out: Console, source: FileSource, table: RequestedTable, most: int | None, *, values: bool = False
) -> None:
    """Print how a table was read: every column, or the `most` that one should know of."""
    every = counted(source.rows, "row")
    rows = every if table.rows == source.rows else f"{table.rows:,} of {every}"
    columns = counted(len(table.columns), "column")
    out.print(Text(f"{clean(source.name)} ({source.spoken}): {rows}, {columns}"))
    shown = _worth_showing(table.columns, most)
    heads = ["column", "used as", "read as", ">missing", ">distinct"]
    width = max(10, min(40, out.width - 62)) if not values else max(10, min(40, out.width // 4))
    cells = [
        [short(fact.name, width), fact.role, fact.kind, *(_number(n) for n in (fact.missing or None, fact.distinct))]
        for fact in shown
    ]
    if values and not any(fact.missing for fact in shown):
        heads, cells = [*heads[:3], heads[4]], [[*line[:3], line[4]] for line in cells]
    remarks = [clean(fact.remark) for fact in shown]
    if values:
        summaries = table.summaries()
        room = _room(out, heads, cells) - BINS - 2
        if room < MIN_BRIEF and all(fact.role == "x" for fact in shown):  # what all are used as says least,
            heads, cells = [heads[0], *heads[2:]], [[line[0], *line[2:]] for line in cells]
            room = _room(out, heads, cells) - BINS - 2
        plain = room < MIN_BRIEF or not (out.encoding or "").lower().startswith("utf")  # and then shapes
        room += (BINS + 2) * plain
        with_remarks = room >= MIN_VALUES + max(map(len, remarks), default=0)
        room = max(12, room)
        heads = [*heads, *(["shape"] * (not plain)), "values" if room >= MIN_VALUES else "values (median)"]
        for line, fact in zip(cells, shown, strict=True):
            summary = summaries[fact.name]
            words = clean(" ".join(filter(None, (summary.words if room >= MIN_VALUES else summary.brief, fact.unit))))
            line += [*([summary.picture] * (not plain)), words if len(words) <= room else f"{words[: room - 1]}…"]
        remarks = remarks if with_remarks else [""] * len(remarks)  # notes say the same
    grid = _grid(*heads, "")
    for line, remark in zip(cells, remarks, strict=True):
        grid.add_row(*map(Text, line), Text(remark))
    out.print(Padding(grid, (0, 0, 0, 2), expand=False))
    rest = Counter(f"{fact.kind} ({fact.role})" for fact in table.columns if fact not in shown)
    if rest:
        listed = ", ".join(f"{count} {what}" for what, count in rest.items())
        out.print(f"  ... and {listed}; kmerf check lists all")
    out.print()
    _notes(out, table.notes)


MIN_VALUES = 36  # letters of what a column holds that come before any remark,
MIN_BRIEF = 20  # and that it takes beside other columns


def _room(out: Console, heads: Sequence[str], cells: Sequence[Sequence[str]]) -> int:
    """Return how many letters are left beside some columns of a table."""
    return out.width - sum(max(map(len, column)) + 2 for column in zip(heads, *cells, strict=True)) - 4


def _number(count: int | None) -> str:
    return "" if count is None else str(count)


def print_reading(out: Console, outcome: Comparison | Timeline) -> None:
    """Print how the files of a comparison were read, and why columns are not compared."""
    from kmerf.results.comparison_result import Comparison

    lines = list(outcome.reading)
    if isinstance(outcome, Comparison) and outcome.schema_changes.left_out:
        reasons = [f"{short(name, 28)!r} ({why})" for name, why in outcome.schema_changes.left_out.items()]
        more = f" and {len(reasons) - 8} more" if len(reasons) > 8 else ""
        lines.append(f"Not compared: {', '.join(reasons[:8])}{more}.")
    for line in lines:
        out.print(Text(clean(in_shell(line))))
    if lines:
        out.print()


def print_warning(out: Console, text: str) -> None:
    """Print a warning."""
    out.print(Text.assemble(("warning: ", "yellow bold"), clean(text)), soft_wrap=True)
    out.print()


def _title(out: Console, text: str) -> None:
    out.print(Text(text, style="bold"))
    out.print()


def _facts(out: Console, shown: Sequence[Fact]) -> None:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column()
    for fact in shown:
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
    grid = _grid(table.heads[0], *(f">{head}" for head in table.heads[1:]), "", last=table.remarks)
    for k, (row, name) in enumerate(zip(table.rows, names, strict=True), start=1):
        end = Text(row.remark) if row.share is None else _bar(row.share.mean, table.peak, bars, out)
        grid.add_row(Text(name), *(column[k] for column in columns), end)
    out.print(Padding(grid, (0, 0, 0, 2), expand=False))
    for text in (table.more, table.note):
        if text:
            out.print(Padding(Text(text), (0, 0, 0, 2)))
    out.print()


def _verdict(out: Console, headline: str, notes: Sequence[str]) -> None:
    """Print the verdict alone; what makes it doubtful goes to standard error."""
    out.print(Text(clean(headline)))
    for note in of_rank("doubt", notes):
        print_warning(console(sys.stderr), in_shell(note))


def _notes(out: Console, notes: Sequence[str]) -> None:
    """Print notes, in the words of the command line."""
    for note in notes:
        out.print(Text.assemble(("note: ", "cyan"), clean(in_shell(note))))
    if notes:
        out.print()


def _worth_showing(facts: Sequence[ColumnFacts], most: int | None) -> list[ColumnFacts]:
    """Return the columns that are not plain numbers of x first, if there are too many for all."""
    if most is None or len(facts) <= most:
        return list(facts)
    roles = ("y", "groups", "blocks")
    ranked = sorted(facts, key=lambda f: (f.role not in roles, not f.remark, f.kind == "numeric", -f.missing))
    first = ranked[: most - 4]
    return [fact for fact in facts if fact in first]


def _grid(*heads: str, last: str = "") -> Table:
    """Return an empty table without lines; a head that begins with ">" is over numbers, the `last` over what wraps."""
    grid = Table(box=None, pad_edge=False, header_style="cyan", padding=(0, 2, 0, 0))
    for name in heads:
        right = name.startswith(">")
        head = name.removeprefix(">") if name else last
        grid.add_column(Text(head), justify="right" if right else "left", no_wrap=name != "")
    return grid


def _bar(value: float, peak: float, width: int, out: Console) -> Text:
    mark = "█" if (out.encoding or "").lower().startswith("utf") else "#"
    return Text(mark * round(width * value / peak) if peak > 0.0 else "", style="green")


# --- for programs -----------------------------------------------------------------------------------------------------


def json_document(command: str, result: Any, data: Any = None, warnings: Sequence[str] = ()) -> str:
    """Return the whole document."""
    head = {"schema": SCHEMA, "kmerf": __version__, "command": command}
    return json.dumps(_plain(head | {"data": data, "result": result, "warnings": list(warnings)}), allow_nan=False)


def json_table(source: FileSource, table: RequestedTable, tested: int, *, values: bool = False) -> dict[str, Any]:
    """Return how a table was read, how many of its rows were `tested` and, if asked, what its columns hold."""
    summaries = table.summaries() if values else {}
    held = {
        name: {"quantiles": each.quantiles, "levels": each.levels, "counts": each.rows, "bars": each.bars}
        for name, each in summaries.items()
    }
    lost = {name.replace(" ", "_"): count for name, count in table.lost.items()}
    if tested < table.rows:
        lost["not_sampled"] = table.rows - tested
    return {
        "file": source.name,
        "format": source.form,
        "compression": source.packed,
        "separator": source.separator,
        "encoding": source.encoding,
        "rows_read": source.rows,
        "rows_used": tested,
        "rows_lost": lost,
        "y": list(table.y),
        "columns": [fact._asdict() | held.get(fact.name, {}) for fact in table.columns],
        "notes": list(table.notes),
    }


def json_power(outcome: Power) -> dict[str, Any]:
    """Return the power of one test on one source."""
    source = {"class": type(outcome.data).__name__} | vars(outcome.data)
    names = ("test", "rule", "level", "replicates", "rejections", "power", "standard_error", "interval", "cutoff")
    return {"data": source} | {name: getattr(outcome, name) for name in names}


def json_calibration(outcome: Calibration) -> dict[str, Any]:
    """Return how often true nulls were rejected."""
    names = ("levels", "rates", "intervals", "pvalues", "seed")
    return {name: getattr(outcome, name) for name in names}


def command_line() -> str:
    """Return the command line that was given, for the record."""
    return shlex.join(["kmerf", *sys.argv[1:]])


def _plain(value: Any) -> Any:
    """Return a value that JSON has: no arrays, no tuples, and null where there is no finite number.

    >>> _plain({"a": (1, float("nan"))})
    {'a': [1, None]}
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return value


# --- files ------------------------------------------------------------------------------------------------------------


class OutputFile(NamedTuple):
    """A file that a command leaves: the option and the path that name it, and what makes its content."""

    option: str
    path: str
    content: Callable[[], bytes]


def _error(option: str, path: str, finding: str, remedy: str) -> InputError:
    return InputError(finding, argument=ShellArgument(option, path), remedy=remedy)


def check_files(options: Options) -> None:
    """Refuse files that cannot be written, before any work is done for them."""
    for name in ("out", "store", "save_reference", "windows", "report"):
        path = getattr(options, name)
        if path is not None:
            _check_place(name.replace("_", "-"), path)
    if options.plot is not None:
        if Path(options.plot).suffix.lower() not in PICTURES:
            raise UsageError(f"--plot {options.plot!r} is not a picture: end it with {', '.join(PICTURES)}")
        _check_place("plot", options.plot)
        with _needs("plot", "plot"):
            import kmerf.figures.canvas
    if options.report is not None:
        with _needs("report", "cli"):
            import kmerf.report  # noqa: F401


@contextmanager
def _needs(option: str, extra: str) -> Iterator[None]:
    """Refuse an option whose packages are not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        finding = f"needs {error.name}, which is not installed"
        raise InputError(finding, argument=ShellArgument(option), remedy=installing(extra)) from None


def _check_place(option: str, path: str) -> None:
    """Refuse a path that cannot be written to."""
    place = Path(path)
    if not path or "\0" in path or len(os.fsencode(place.name)) > MAX_NAME_BYTES:
        raise _error(option, path, "is not the name of a file", "name one, such as out.html")
    folder = Path(os.path.realpath(path)).parent  # of the file, or of what a link leads to
    try:
        folder.is_dir()
    except OSError as error:
        raise _error(option, path[:40], f"... cannot be a file ({error.strerror})", "choose another") from None
    if place.is_dir():
        raise _error(option, path, "is a directory", "name a file in it")
    if not folder.is_dir():
        raise _error(option, path, f": the folder {str(folder)!r} does not exist", "make it first")
    if not os.access(place if place.exists() else folder, os.W_OK):
        raise _error(option, path, "may not be written", "choose another folder, or change its permissions")


def picture(path: str, figure: Any) -> bytes:
    """Return a figure of matplotlib as the content of a file, in the format that its name ends with."""
    content = io.BytesIO()
    figure.savefig(content, format=Path(path).suffix.lower().removeprefix("."))
    return content.getvalue()


def rows_csv(outcome: Screen | Associations) -> bytes:
    """Return a screen, or pairs of columns, as a table in CSV."""
    rows: list[Any] = list(outcome)
    heads = ["column" if name == "name" else name for name in rows[0]._fields]
    return as_bytes(as_csv([heads, *rows]))


def comparison_text(outcome: Comparison | Timeline) -> str:
    """Return a comparison for people, in the words of the command line."""
    from kmerf.results.comparison_result import Comparison

    return "\n".join(lines(outcome, IN_SHELL)) if isinstance(outcome, Comparison) else str(outcome)


def comparison_csv(outcome: Any) -> bytes:
    """Return the columns of a comparison, or the windows of a timeline, as a table in CSV."""
    from kmerf.results.comparison_result import COLUMN_KEYS, WINDOW_KEYS, Timeline

    if isinstance(outcome, Timeline):
        table = [
            [*(getattr(each, key) for key in WINDOW_KEYS), p, ";".join(each.columns), "; ".join(each.breaks)]
            for each, p in zip(outcome.windows, outcome.adjusted.tolist(), strict=True)
        ]
        return as_bytes(as_csv([[*WINDOW_KEYS, "adjusted", "columns", "breaks"], *table]))
    return as_bytes(as_csv([COLUMN_KEYS, *([getattr(each, key) for key in COLUMN_KEYS] for each in outcome.columns)]))


def report(outcome: Any, **details: Any) -> bytes:
    """Return an outcome as an HTML page."""
    from kmerf.report import html

    return as_bytes(html(outcome, **details))


def write_all(print_it: Callable[[], None], files: Sequence[OutputFile]) -> None:
    """Print the answer, and then write each file; report those that cannot be written.

    Neither a reader that goes away nor one file keeps the other files from being written.
    """
    faults = []
    try:
        print_it()
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        faults.append(f"the answer could not be printed ({error.strerror}): make room, and run the command again.")
    finally:
        for option, path, content in files:
            try:
                write_bytes(path, content(), option)
            except InputError as error:
                faults.append(in_shell(message_of(error)))
            except OSError as error:  # what makes the content may need room on the disk too
                faults.append(
                    f"--{option} {shlex.quote(path)} could not be written ({error.strerror}): choose another place."
                )
    if faults:
        raise UnwrittenError(" ".join(faults))
