"""What a command does: read the file, say how, ask the library, show the answer."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from kmerf.cli import choices, guard, machine, show, write
from kmerf.cli.options import FileOptions, MethodOptions, Output, PlanOptions
from kmerf.cli.running import running
from kmerf.cli.stops import Stopped, UsageError, going_on, pick
from kmerf.cli.words import in_shell, one_line
from kmerf.core.errors import KmerfWarning, StoreWarning
from kmerf.methods.registry import choose_method, screening_method
from kmerf.nulls.judging import FEW_ROWS
from kmerf.nulls.registry import NULLS
from kmerf.reading.files import read
from kmerf.reading.roles import RequestedTable, read_request
from kmerf.storage.saving import as_bytes

if TYPE_CHECKING:
    from kmerf.reading.roles import TableRequest
    from kmerf.reading.typed_table import FileSource

Value = TypeVar("Value")


class Loaded(NamedTuple):
    """A table that was read, and what of it is tested."""

    source: FileSource
    intake: RequestedTable


def test(reading: FileOptions, wish: TableRequest, test: MethodOptions, exchange: str, output: Output) -> None:
    """Ask one of the two questions of a file."""
    from kmerf.questions.independence import independence
    from kmerf.questions.ksample import ksample

    chosen = _settled(test, output)
    loaded = load(reading, wish, output)
    intake = loaded.intake
    sample = intake.sample(test.y_kind)
    question = partial(ksample, sample) if intake.grouped else partial(independence, sample, None)
    with running(output, loaded.intake.rows, forests=test.method == "kmerf") as how:
        result = _heard(
            lambda: question(
                **chosen(intake.rows),
                blocks=wish.blocks,
                exchange=exchange,
                pairwise=test.pairwise,
                details=output.report is not None,
                rows=test.rows,
                rng=test.seed,
                **how,
            )
        )
    # what was said of the table; with --quiet nothing was, and what bears on the p-value comes with the result
    said = intake.notes if output.quiet else (*intake.warnings, *intake.notes)
    unsaid = [warning for warning in intake.warnings if output.quiet and warning not in result.notes]
    shown = partial(show.result, outcome=result, intake=intake, said=said, unsaid=unsaid)
    _give(output, loaded, result.to_dict(), result, shown, sampled=test.rows is not None)


def screening(
    reading: FileOptions, wish: TableRequest, test: MethodOptions, fdr: float, exchange: str, output: Output
) -> None:
    """Screen the columns of a file."""
    from kmerf.screening.screen_store import check_store
    from kmerf.screening.screening import screen

    chosen = _settled(test, output)
    if output.out is not None:
        write.check_place("--out", output.out)
    if output.store is not None:
        write.check_place("--store", output.store)
        check_store(output.store, test.seed, given=bool(wish.given))
    loaded = load(reading, wish, output)
    intake = loaded.intake
    sample = intake.sample("categorical" if intake.grouped else test.y_kind)
    with running(output, loaded.intake.rows, forests=False) as how, _resumable(output.store):
        result = _heard(
            lambda: screen(
                sample,
                None,
                fdr=fdr,
                **chosen(intake.rows),
                blocks=wish.blocks,
                exchange=exchange,
                rows=test.rows,
                rng=test.seed,
                store=output.store,
                **how,
            )
        )
    shown = partial(show.screen, outcome=result)
    _give(output, loaded, result.to_dict(), result, shown, sampled=test.rows is not None)


@contextmanager
def _resumable(store: str | None) -> Iterator[None]:
    """Say on Ctrl-C that nothing is lost, where that is so."""
    try:
        yield
    except KeyboardInterrupt:
        if store is None:
            raise
        raise Stopped(going_on(store)) from None


def checking(
    reading: FileOptions, wish: TableRequest, test: MethodOptions, exchange: str, runs: int | None, output: Output
) -> None:
    """Show how a file is read and, if asked, whether a test keeps its level on it."""
    from kmerf.study.calibration import check_calibration

    chosen = _settled(test, output)
    table = read_table(reading)
    loaded = Loaded(table.source, read_request(table, wish))
    intake, calibration = loaded.intake, None
    if intake.problems:
        _give(output, loaded, None, None, lambda console: show.check(console, loaded.source, intake, None))
    sample = intake.sample(test.y_kind) if intake.y or intake.problems else None
    if runs is not None:
        with running(output, loaded.intake.rows, forests=test.method == "kmerf") as how:
            calibration = _heard(
                lambda: check_calibration(
                    sample,
                    None,
                    **chosen(intake.rows),
                    replicates=runs,
                    exchange=exchange,
                    rng=test.seed,
                    **how,
                )
            )
    result = None if calibration is None else machine.calibration(calibration)
    _give(output, loaded, result, calibration, lambda console: show.check(console, loaded.source, intake, calibration))


def planning(
    reading: FileOptions, wish: TableRequest, test: MethodOptions, wanted: PlanOptions, output: Output
) -> None:
    """Say how many rows are needed to find what a pilot in a file shows."""
    from kmerf.planning.planning import power_curve

    chosen = _settled(test, output)
    if wanted.plot is not None:
        write.check_picture("--plot", wanted.plot)
    loaded = load(reading, wish, output)
    intake = loaded.intake
    sample = intake.sample("categorical" if intake.grouped else test.y_kind)
    with running(output, intake.rows, forests=test.method == "kmerf") as how:
        curve = _heard(
            lambda: power_curve(
                sample,
                None,
                sizes=wanted.sizes or None,
                target=wanted.target,
                level=wanted.level,
                confidence=wanted.confidence,
                parts=wanted.parts,
                method=chosen(intake.rows)["method"],
                rng=test.seed,
                **how,
            )
        )
    files = []
    if wanted.plot is not None:
        place = wanted.plot
        files.append(write.OutputFile("--plot", place, lambda: write.picture(place, curve.plot())))
    _give(output, loaded, curve.to_dict(), curve, lambda console: show.plan(console, curve), files)


def load(reading: FileOptions, wish: TableRequest, output: Output) -> Loaded:
    """Read a file, choose from it, and tell how, on standard error."""
    table = read_table(reading)
    loaded = Loaded(table.source, read_request(table, wish))
    console = show.console(sys.stderr)
    if not output.quiet:
        show.data(console, loaded.source, loaded.intake, most=24)
        for warning in loaded.intake.warnings:
            show.warning(console, in_shell(warning))
    return loaded


def read_table(reading: FileOptions) -> Any:
    """Read a file as the options say."""
    how: dict[str, Any] = {"sep": reading.sep, "encoding": reading.encoding, "header": reading.header}
    damaged = (
        f"{reading.file!r} is damaged, or too large for this computer's memory: write it again, or make it smaller."
    )
    with guard.last_words(one_line(damaged), code=1):
        return read(reading.file, na=reading.na, **how)


def _settled(test: MethodOptions, output: Output) -> Callable[[int], dict[str, Any]]:
    """Check the options before anything is read, and return what gives method and null for a number of rows."""
    one_column = output.command == "screen"
    default = screening_method() if one_column else choose_method(None, single=test.null == "chi-square")
    method = choices.make_method(test.method, test.trees, default)
    if test.null is not None:
        pick("--null", test.null, tuple(NULLS))
        if test.resamples is not None and not NULLS[test.null]().n_resamples:
            raise UsageError(f"--null {test.null} permutes nothing: leave out --resamples")
    if output.report is not None:
        write.check_place("--report", output.report)
        write.need_report()
    usual = "extrapolated" if one_column else "sequential"  # to adjust for many columns takes smaller p-values
    choices.make_null(test, FEW_ROWS, usual)
    return lambda rows: {"method": method, "null": choices.make_null(test, rows, usual)}


def _heard(ask: Callable[[], Value]) -> Value:
    """Ask, without warnings on the way: those of kmerf are among the notes of what is returned.

    Others, such as one about the computer or the store, are shown as those about the data are.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KmerfWarning)
        warnings.simplefilter("always", StoreWarning)
        warnings.showwarning = lambda message, *_: show.warning(show.console(sys.stderr), str(message))
        return ask()


def _give(
    output: Output,
    loaded: Loaded,
    result: Any,
    outcome: Any,
    print_it: Callable[[Any], None],
    pictures: Sequence[write.OutputFile] = (),
    *,
    sampled: bool = False,
) -> None:
    """Print the answer for people or for programs, and write the report, the table and the pictures."""
    data = machine.data(loaded.source, loaded.intake, outcome.n if sampled else None)
    words = {"notes": loaded.intake.notes, "warnings": loaded.intake.warnings}
    facts = data | {name: [in_shell(text) for text in texts] for name, texts in words.items()}
    facts["row_numbers"] = None if data["rows_used"] < loaded.intake.rows else loaded.intake.row_numbers

    def show_it() -> None:
        if output.json:
            print(machine.document(output.command, result, data=data, warnings=loaded.intake.warnings))
        else:
            print_it(show.console(sys.stdout))

    files = list(pictures)
    if output.out is not None:
        files.append(write.OutputFile("--out", output.out, lambda: as_bytes(_table(outcome))))
    if output.report is not None:
        details = {"data": facts, "command": machine.command()}
        page = write.OutputFile("--report", output.report, lambda: write.report(_in_shell_words(outcome), **details))
        files.append(page)
    write.deliver(show_it, files)
    if output.report is not None and not (output.quiet or output.json):
        show.console(sys.stderr).print(f"Report: {output.report}")


def _in_shell_words(outcome: Any) -> Any:
    """Return an outcome whose notes name options of the command line, for a reader who used it."""
    return replace(outcome, notes=tuple(in_shell(note) for note in outcome.notes))


def _table(outcome: Any) -> str:
    rows = list(outcome)
    return write.as_csv(["column", *rows[0]._fields[1:]], rows)
