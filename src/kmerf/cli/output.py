"""What a command leaves: the answer, printed for people or as JSON for programs (docs/json.md), and files.

Names and cells go through `clean` and into `Text`, so that neither markup nor escapes in them have any effect. The
places of files are looked at before anything is computed. A file that cannot be written all the same (the disk is full
by then) must not take the answer with it, so the answer is printed first.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO, cast

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from kmerf._version import __version__
from kmerf.cli.exits import UnwrittenError, UsageError
from kmerf.cli.shell_words import clean, in_shell, short
from kmerf.core.errors import InputError, installing, message_of
from kmerf.reading.formats import ShellArgument
from kmerf.show.facts import curve_facts, curve_title, facts, screen_facts, screen_title, title
from kmerf.show.numbers import PLAIN, counted
from kmerf.show.tables import curve_table, feature_table, group_table, member_table, pair_table, screen_table
from kmerf.show.text import FEATURES, PAIRS, screen_rows
from kmerf.show.verdict import curve_answer, verdict
from kmerf.show.words import y_name
from kmerf.storage.saving import SCHEMA, as_bytes, write_bytes

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

MAX_NAME_BYTES = 200  # of a file, which leaves room for those of the temporary file
PICTURES = (".png", ".pdf", ".svg")
_FORMULA = ("=", "+", "-", "@")  # with which a spreadsheet takes a cell for a formula


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


def print_result(out: Console, result: Result, y: Sequence[str], notes: Sequence[str]) -> None:
    """Print the outcome of a test of columns y."""
    _title(out, title(result))
    _facts(out, facts(result, PLAIN))
    _table(out, member_table(result, PLAIN, asks=True, statistic=False))
    _table(out, feature_table(result, PLAIN, FEATURES))
    _table(out, group_table(result.feature_groups, PLAIN))
    _table(out, pair_table(result.pairwise, PLAIN, PAIRS))
    _verdict(out, verdict(result, y_name(y), PLAIN))
    _notes(out, notes)


def print_screen(out: Console, screen: Screen, notes: Sequence[str]) -> None:
    """Print the outcome of a screen."""
    _title(out, screen_title(screen))
    _facts(out, screen_facts(screen, PLAIN))
    _table(out, screen_table(screen, PLAIN, screen_rows(screen)))
    failed = [f"{short(name)} was not tested: {in_shell(why)}" for name, why in screen.errors.items()]
    more = [f"and {len(failed) - 5} more were not tested."] if len(failed) > 5 else []
    _notes(out, [*failed[:5], *more, *notes, *filter(None, [screen.source])])


def print_plan(out: Console, curve: PowerCurve, notes: Sequence[str]) -> None:
    """Print the rows that a test needs."""
    _title(out, curve_title(curve))
    _facts(out, curve_facts(curve))
    _table(out, curve_table(curve))
    out.print(Text(curve_answer(curve), style="bold"))
    out.print()
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
    summaries = table.summaries() if values else {}
    plain = not (out.encoding or "").lower().startswith("utf")
    grid = _grid("column", "used as", "read as", ">missing", ">distinct", *(("values", "") if values else ()), "")
    width = max(10, min(40, out.width - 62))
    for fact in shown:
        missing, distinct = str(fact.missing or ""), "" if fact.distinct is None else str(fact.distinct)
        cells: list[str | Text] = [Text(short(fact.name, width)), fact.role, fact.kind, missing, distinct]
        if values:
            summary = summaries[fact.name]
            words = " ".join(filter(None, (summary.words, fact.unit)))
            cells += [Text(short(clean(words), 44)), Text("" if plain else summary.picture, style="green")]
        grid.add_row(*cells, Text(clean(fact.remark)))
    out.print(Padding(grid, (0, 0, 0, 2), expand=False))
    rest = Counter(f"{fact.kind} ({fact.role})" for fact in table.columns if fact not in shown)
    if rest:
        listed = ", ".join(f"{count} {what}" for what, count in rest.items())
        out.print(f"  ... and {listed}; kmerf check lists all")
    out.print()
    _notes(out, table.notes)


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


# --- for programs -----------------------------------------------------------------------------------------------------


def json_document(command: str, result: Any, data: Any = None, warnings: Sequence[str] = ()) -> str:
    """Return the whole document."""
    head = {"schema": SCHEMA, "kmerf": __version__, "command": command}
    return json.dumps(_plain(head | {"data": data, "result": result, "warnings": list(warnings)}), allow_nan=False)


def json_table(source: FileSource, table: RequestedTable, tested: int) -> dict[str, Any]:
    """Return how a table was read, and how many of its rows were `tested`."""
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
        "columns": [fact._asdict() for fact in table.columns],
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


def check_place(option: str, path: str) -> None:
    """Refuse a path that cannot be written to, before any work is done for it."""
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


def check_picture(option: str, path: str) -> None:
    """Refuse a picture that cannot be drawn or written, before any work is done for it."""
    if Path(path).suffix.lower() not in PICTURES:
        raise UsageError(f"--{option} {path!r} is not a picture: end it with {', '.join(PICTURES)}")
    check_place(option, path)
    try:
        import kmerf.figures.canvas  # noqa: F401
    except ModuleNotFoundError as error:
        finding = f"needs {error.name}, which is not installed"
        raise InputError(finding, argument=ShellArgument(option), remedy=installing("plot")) from None


def picture(path: str, figure: Any) -> bytes:
    """Return a figure of matplotlib as the content of a file, in the format that its name ends with."""
    content = io.BytesIO()
    figure.savefig(content, format=Path(path).suffix.lower().removeprefix("."))
    return content.getvalue()


def screen_csv(screen: Screen) -> bytes:
    """Return a screen as a table in CSV."""
    rows = list(screen)
    return as_bytes(as_csv([["column", *rows[0]._fields[1:]], *rows]))


def comparison_csv(outcome: Any) -> bytes:
    """Return the columns of a comparison, or the windows of a timeline, as a table in CSV."""
    from kmerf.results.comparison import COLUMN_KEYS, WINDOW_KEYS, Timeline

    if isinstance(outcome, Timeline):
        table = [
            [*(getattr(each, key) for key in WINDOW_KEYS), p, ";".join(each.columns)]
            for each, p in zip(outcome.windows, outcome.adjusted.tolist(), strict=True)
        ]
        return as_bytes(as_csv([[*WINDOW_KEYS, "adjusted", "columns"], *table]))
    return as_bytes(as_csv([COLUMN_KEYS, *([getattr(each, key) for key in COLUMN_KEYS] for each in outcome.columns)]))


def as_csv(rows: Sequence[Sequence[Any]]) -> str:
    """Return a table as CSV; None and NaN become empty cells, and names not formulas."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([[_cell(cell) for cell in row] for row in rows])
    return out.getvalue()


def _cell(value: Any) -> Any:
    """Return a value as it goes into a CSV file that a spreadsheet may open.

    >>> _cell("=1+1"), _cell(-0.5), _cell(None)
    ("'=1+1", -0.5, '')
    """
    if value is None or value != value:
        return ""
    if not isinstance(value, str):
        return value
    text = clean(value)
    return f"'{text}" if text.lstrip().startswith(_FORMULA) else text


def need_report() -> None:
    """Refuse a report, before any work is done for it, where none can be written."""
    try:
        import kmerf.report  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name != "kmerf.report":
            finding = f"needs {error.name}, which is not installed"
            raise InputError(finding, argument=ShellArgument("report"), remedy=installing("cli")) from None
        finding, remedy = "is not part of this version", "use --json, or install a newer kmerf"
        raise InputError(finding, argument=ShellArgument("report"), remedy=remedy) from None


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
