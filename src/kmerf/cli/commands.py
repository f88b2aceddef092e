"""What a command does: read the file, say how, ask the library, show the answer."""

from __future__ import annotations

import math
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from kmerf.cli import output
from kmerf.cli.options import DATES, FILE
from kmerf.cli.output import OutputFile
from kmerf.cli.shell_words import Stopped, UsageError, choose_option, in_shell, last_words, one_line, resumable
from kmerf.core.errors import InputError, KmerfWarning, Note, StoreWarning, installing, message_of, rank_of, share
from kmerf.execution.progress import Forecast, Progress, as_progress, no_progress
from kmerf.methods.portfolio import Portfolio
from kmerf.methods.registry import FORESTS, LEARNERS, METHODS, choose_method, named_method, screening_forest
from kmerf.nulls.judging import FEW_ROWS, NULLS
from kmerf.questions.answer import speed_advice
from kmerf.questions.describe import described
from kmerf.reading.files import read
from kmerf.reading.formats import ShellArgument
from kmerf.reading.roles import RequestedTable, read_request
from kmerf.results.views import Description

if TYPE_CHECKING:
    from kmerf.cli.options import Options
    from kmerf.reading.typed_table import FileSource, Table
    from kmerf.results.single_result import Result

Value = TypeVar("Value")


def run_test(options: Options, question: Callable[..., Result]) -> None:
    """Ask a question of a file: a function of its sample and of the options that say how to test."""
    y_kind = options.read_y_as()
    test_for = check_test(options)
    series = options.series()
    loaded = load(options)
    sample = loaded.table.sample(y_kind, once=options.permutations is None)
    with running(options, sample.n) as how:
        result = with_warnings(
            lambda: question(
                sample,
                **test_for(loaded.table.rows),
                **series,
                blocks=options.blocks,
                exchange=options.exchange,
                pairwise=options.pairwise,
                details=options.report is not None,
                rows=options.rows,
                margin=options.margin,
                rng=options.seed,
                **how,
            )
        )
    notes = loaded.new_notes(result.notes, quiet=options.quiet)
    shown = partial(output.print_result, result=result, notes=notes, how=output.Detail.asked_for(options))
    deliver(options, loaded, result.to_dict(), result, shown)


def run_screen(options: Options) -> None:
    """Screen the columns of a file."""
    from kmerf.screening.screen_store import check_store
    from kmerf.screening.screening import screen

    y_kind = options.read_y_as()
    test_for = check_test(options)
    if options.store is not None:
        check_store(options.store, options.seed, given=bool(options.given))
    series = options.series()
    loaded = load(options)
    sample = loaded.table.sample(y_kind, once=options.permutations is None)
    with running(options, sample.n) as how, resumable(options.store):
        result = with_warnings(
            lambda: screen(
                sample,
                None,
                fdr=options.fdr,
                **test_for(loaded.table.rows),
                **series,
                blocks=options.blocks,
                exchange=options.exchange,
                rows=options.rows,
                rng=options.seed,
                store=options.store,
                **how,
            )
        )
    notes = loaded.new_notes(result.notes, quiet=options.quiet)
    shown = partial(output.print_screen, screen=result, notes=notes, how=output.Detail.asked_for(options))
    deliver(options, loaded, result.to_dict(), result, shown)
    if result.interrupted:
        kept = "" if options.store is None else f" What was computed is in {options.store!r}: run the command again."
        raise Stopped(f"stopped: {result.tested} of {len(result)} columns were tested.{kept}")


def run_associations(options: Options) -> None:
    """Compare every two columns of a file."""
    from kmerf.screening.associations import associations

    choose_option("--dates", options.dates, DATES)
    output.check_files(options)
    loaded = load(options)
    sample = loaded.table.without_y()
    with running(options, sample.n) as how:
        result = with_warnings(
            lambda: associations(sample, fdr=options.fdr, rows=options.rows, rng=options.seed, **how)
        )
    notes = loaded.new_notes(result.notes, quiet=options.quiet)
    shown = partial(output.print_associations, result=result, notes=notes, how=output.Detail.asked_for(options))
    deliver(options, loaded, result.to_dict(), result, shown)
    if result.interrupted:
        raise Stopped(f"stopped: {result.tested} of {len(result)} pairs were tested.")


def run_check(options: Options) -> None:
    """Show how a file is read and, if asked, whether a test keeps its level on it."""
    from kmerf.study.calibration import check_calibration

    y_kind = options.read_y_as()
    test_for = check_test(options)
    loaded = LoadedTable.read(options)
    shown = partial(output.print_check, source=loaded.source, table=loaded.table)
    description = loaded.described()
    if loaded.table.problems:
        deliver(options, loaded, None, description, shown)
    sample = loaded.table.sample(y_kind) if options.tested or loaded.table.problems else None
    if options.null_runs is None:
        deliver(options, loaded, None, description, shown)
        return
    replicates = options.null_runs
    with running(options, loaded.table.rows) as how:
        rates = with_warnings(
            lambda: check_calibration(
                sample,
                None,
                **test_for(loaded.table.rows),
                replicates=replicates,
                exchange=options.exchange,
                rng=options.seed,
                **how,
            )
        )
    result = output.json_calibration(rates)
    deliver(options, loaded, result, description, partial(shown, rates=rates), rates=rates)


def run_compare(options: Options) -> bool:
    """Compare two files, and return whether that is to be a failure."""
    from kmerf.results.comparison_result import FAIL_ON

    if options.fail_on is not None:
        choose_option("--fail-on", options.fail_on, FAIL_ON)
    output.check_files(options)
    outcome = with_warnings(lambda: _compared(options))
    worded = _in_shell_words(outcome)
    if not options.quiet:
        output.print_reading(output.console(sys.stderr), outcome)
    if options.windows is not None:
        outcome.save(options.windows)

    def show() -> None:
        if options.json:
            print(output.json_document(outcome.question, outcome.to_dict()))
        else:
            print(outcome.summary if options.quiet else output.comparison_text(worded))

    files = _files(options, outcome, output.comparison_csv)
    output.write_all(show, [*files, *_report(options, worded, command=output.command_line())])
    return options.fail_on is not None and outcome.fails(options.fail_on)


def _compared(options: Options) -> Any:
    """Compare as the options say, with a kept reference or a new one, at once or as one more window."""
    from kmerf.comparing.comparing import Reference, append, compare
    from kmerf.results.comparison_result import Timeline

    names = {name: columns_named(getattr(options, name)) for name in ("drop", "keep", "categorical")}
    reading: dict[str, Any] = names | {"na": list(options.na or ())}
    sampled = reading if options.rows is None else reading | {"rows": options.rows}
    label, path = options.label or os.path.basename(options.current), options.windows
    old: Any = options.reference
    new: Any = options.current
    said = [name for name in FILE if name != "na" and getattr(options, name) not in (None, False)]
    if said:  # how both files are read, codes of missing cells too
        reading.pop("na")
        sampled.pop("na", None)
        old = old if _is_reference(old) else read_file(replace(options, file=old))
        new = read_file(replace(options, file=new))
    if isinstance(old, str) and _is_reference(old):
        old = Reference.load(old)
    elif options.save_reference is not None or path is not None:
        old = Reference.of(old, **sampled, rng=options.seed)
    if options.save_reference is not None:
        old.save(options.save_reference)
    if path is not None and os.path.exists(path):
        return append(Timeline.load(path), old, new, label, n_jobs=options.jobs, **reading)
    outcome = compare(
        old,
        new,
        margin=0.6 if options.margin is None else options.margin,
        level=options.level,
        blocks=options.block,
        by=options.by,
        time=options.dated,
        window=options.window if path is None else 10**9,
        expected_windows=options.expected_windows if path is None else options.expected_windows or 200.0,
        **sampled,
        rng=options.seed,
        n_jobs=options.jobs,
        progress=not options.quiet and sys.stderr.isatty(),
    )
    return outcome if path is None else replace(outcome, windows=(replace(outcome.windows[0], label=label),))


def _is_reference(path: str) -> bool:
    """Return whether a file is what --save-reference wrote, by its first bytes."""
    try:
        with open(path, "rb") as file:
            return file.read(40).startswith(b'{"format": "kmerf reference"')
    except OSError:
        return False


def columns_named(given: Sequence[str] | None) -> list[str]:
    """Return names of columns, repeated or with commas between them.

    >>> columns_named(["a,b", "c"])
    ['a', 'b', 'c']
    """
    return [name.strip() for text in given or () for name in text.split(",") if name.strip()]


def run_plan(options: Options) -> None:
    """Say how many rows are needed to find what a pilot in a file shows."""
    from kmerf.planning.planning import power_curve

    y_kind, sizes = options.read_y_as(), options.sizes()
    test_for = check_test(options)
    loaded = load(options)
    sample = loaded.table.sample(y_kind)
    with running(options, sample.n) as how:
        curve = with_warnings(
            lambda: power_curve(
                sample,
                None,
                sizes=sizes or None,
                target=options.target,
                level=options.level,
                confidence=options.confidence,
                parts=options.parts,
                method=test_for(sample.n)["method"],
                rng=options.seed,
                **how,
            )
        )
    notes = loaded.new_notes(curve.notes, quiet=options.quiet)
    shown = partial(output.print_plan, curve=curve, notes=notes, how=output.Detail.asked_for(options))
    deliver(options, loaded, curve.to_dict(), curve, shown)


def run_power(options: Options, store: str) -> None:
    """Study the power of tests on simulations: run what the store lacks, and show the power of every cell."""
    from kmerf.study.design import Simulated, Study
    from kmerf.study.estimate import power as read_power
    from kmerf.study.execute import run as run_study

    tests, replicates, level = options.test or ["kmerf"], options.replicates, options.level
    share("level", level)
    _check_replicates(replicates, level)
    for test in tests:
        choose_option("--test", test, METHODS)
    if options.trees is not None and not set(FORESTS) & set(tests):
        raise UsageError("--trees is for tests that grow forests: leave it out")
    trees = {test: options.trees if test in FORESTS else None for test in tests}
    methods = {test: make_method(test, trees[test], Portfolio()) for test in tests}
    sizes = [(n, p) for n in options.n or [100] for p in options.p or [3]]
    names, (kappa, definition) = options.simulation or (), (options.kappa, options.definition)
    data = [Simulated(name, n, p, kappa, definition) for name in names for n, p in sizes]
    study = Study(methods, data, replicates=replicates, seed=cast("int", options.seed))
    output.check_files(options)
    with running(options) as how, resumable(store):
        added = run_study(study, store, **how)
    powers = read_power(study, store, level=level)

    def show() -> None:
        if options.json:
            cells = [output.json_power(each) for each in powers]
            print(output.json_document("power", {"store": store, "added": added, "cells": cells}))
            return
        if not options.quiet:
            stored = len(study.cells) * study.replicates - added
            output.console(sys.stderr).print(f"{added} replicates computed, {stored} were in {store!r} already.")
        output.print_power(output.console(sys.stdout), powers)

    output.write_all(show, _report(options, powers, command=output.command_line()))


def _check_replicates(replicates: int, level: float) -> None:
    """Refuse so few replicates that there is no cutoff among their permuted statistics (`kmerf.study.estimate`)."""
    need = math.ceil(round(1 / level, 6))
    if replicates < 1:
        finding = "must be a whole number of at least 1"
        raise InputError(finding, argument=ShellArgument("replicates", replicates), remedy="pass 100, for example")
    if replicates < need:
        finding = f"is too few for --level {level:g}, which needs at least {need}"
        remedy = f"pass --replicates {max(need, 100)}, for example"
        raise InputError(finding, argument=ShellArgument("replicates", replicates), remedy=remedy)


# --- the table --------------------------------------------------------------------------------------------------------


class LoadedTable(NamedTuple):
    """A table that was read, and what of it is tested."""

    source: FileSource
    table: RequestedTable

    @classmethod
    def read(cls, options: Options) -> LoadedTable:
        """Read a file, and choose from it."""
        file = read_file(options)
        return cls(file.source, read_request(file, options.request()))

    def described(self) -> Description:
        """Return how each column is read and what it holds."""
        summaries, table = self.table.summaries(), self.table
        columns = tuple(described(fact, summaries[fact.name]) for fact in table.columns)
        problems = tuple(message_of(error) for error in table.problems)
        return Description(table.rows, columns, tuple(table.notes), problems)

    def new_notes(self, notes: Sequence[str], *, quiet: bool) -> list[str]:
        """Return the notes that were not shown with the table; with `quiet`, what bears on the p-value comes now."""
        unsaid = [warning for warning in self.table.warnings if warning not in notes] if quiet else []
        said = (*self.table.notes, *(() if quiet else self.table.warnings))
        return [*unsaid, *(note for note in notes if note not in said)]


def load(options: Options) -> LoadedTable:
    """Read a file, choose from it, and say how, on standard error."""
    loaded = LoadedTable.read(options)
    if options.past and any(column.name == "past" for column in loaded.table.all_columns):
        raise UsageError("--given past is the past of y, and the file has a column 'past': rename it")
    if not options.quiet:
        console = output.console(sys.stderr)
        output.print_table(console, loaded.source, loaded.table, most=24)
        for warning in loaded.table.warnings:
            output.print_warning(console, in_shell(warning))
    return loaded


def read_file(options: Options) -> Table:
    """Read a file as the options say."""
    damaged = (
        f"{options.file!r} is damaged, or too large for this computer's memory: write it again, or make it smaller."
    )
    with last_words(one_line(damaged), code=1):
        return read(
            options.file,
            sep=options.sep,
            encoding=options.encoding,
            header=_header(options),
            na=tuple(options.na or ()),
            skip=options.skip,
            footer=options.footer,
            comment=options.comment,
            sheet=options.sheet,
            decimal=options.decimal,
            thousands=options.thousands,
        )


def _header(options: Options) -> str | bool | None:
    if options.no_header and options.header is not None:
        raise UsageError("--header and --no-header contradict each other: leave out one")
    return False if options.no_header else options.header


# --- the test ---------------------------------------------------------------------------------------------------------


def check_test(options: Options) -> Callable[[int], dict[str, Any]]:
    """Check the options before anything is read, and return what gives method and null for a number of rows."""
    one_column = options.command == "screen"
    default = screening_forest() if one_column else choose_method(None, single=options.null == "chi-square")
    method = make_method(options.method, options.trees, default)
    if options.null is not None:
        choose_option("--null", options.null, NULLS)
        if options.resamples is not None and not NULLS[options.null]().n_resamples:
            raise UsageError(f"--null {options.null} permutes nothing: leave out --resamples")
    output.check_files(options)
    make_null(options, FEW_ROWS)
    return lambda rows: {"method": method, "null": make_null(options, rows)}


def make_method(name: str | None, trees: int | None, default: Any) -> Any:
    """Return the method of a name; without one, None, or the default if it is to have another number of trees."""
    if name is None and trees is None:
        return None
    if name is not None:
        choose_option("--method", name, METHODS)
    method: Any = default if name is None else named_method(name)
    if trees is None:
        return method
    if not hasattr(method, "with_trees"):
        raise UsageError(f"--trees is for forests, and {name} grows none: leave it out")
    return method.with_trees(trees)


def make_null(options: Options, rows: int) -> Any:
    """Return the null that the options name, for a number of rows; None for the default.

    Where only the number of permutations is given, a screen extrapolates, as many columns need small p-values.
    """
    if options.null is None and options.resamples is None:
        return None
    few = rows < FEW_ROWS or (options.method is not None and options.method not in LEARNERS)
    usual = "permutation" if few else "extrapolated" if options.command == "screen" else "sequential"
    null: Any = NULLS[options.null or usual]()
    return null if options.resamples is None else replace(null, n_resamples=options.resamples)


@contextmanager
def running(options: Options, rows: int | None = None) -> Iterator[dict[str, Any]]:
    """Give the arguments that say how to compute, for a test of so many rows; for Dask, hold a connection."""
    bar = not options.quiet and sys.stderr.isatty()
    progress = bar if rows is None else no_progress if options.quiet else _forecast(options, bar, rows)
    how: dict[str, Any] = {"n_jobs": options.jobs, "progress": progress}
    if options.dask is None:
        yield how
        return
    try:
        from distributed import Client
    except ImportError:
        finding = "needs Dask, which is not installed"
        raise InputError(finding, argument=ShellArgument("dask"), remedy=installing("dask")) from None
    connect: Any = Client  # it has no types
    try:
        client = connect(options.dask, timeout=10)
    except (OSError, ValueError, TypeError) as error:
        finding = f": no scheduler answers there ({type(error).__name__})"
        remedy = "start one with dask scheduler, and pass its address"
        raise InputError(finding, argument=ShellArgument("dask", options.dask), remedy=remedy) from None
    with client:
        yield how | {"backend": "dask"}


def _forecast(options: Options, bar: bool, rows: int) -> Progress:
    """Return what shows the progress of a test, and advises what is quicker than more than a minute."""
    forests = options.method in (None, "kmerf") and options.command not in ("screen", "associations")
    advice = in_shell(speed_advice(rows, forests=forests))
    if options.command == "associations":
        advice = f"{advice} Ctrl-C keeps what is done.".lstrip()
    if options.command == "screen" and options.store is None:
        advice = f"{advice} With --store screen.sqlite and --seed 1 you can stop it, and continue later.".lstrip()
    return Forecast(as_progress(bar, options.command), advice)


def with_warnings(ask: Callable[[], Value]) -> Value:
    """Ask, without the warnings of kmerf, which are among the notes of the result; others are shown at once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KmerfWarning)
        warnings.simplefilter("always", StoreWarning)
        warnings.showwarning = lambda message, *_: output.print_warning(output.console(sys.stderr), str(message))
        return ask()


# --- the answer -------------------------------------------------------------------------------------------------------


def deliver(
    options: Options,
    loaded: LoadedTable,
    result: Any,
    outcome: Any,
    print_it: Callable[[Any], None],
    **page: Any,
) -> None:
    """Print the answer for people or for programs, and write the report, the table and the pictures."""
    table = loaded.table
    tested = outcome.n if options.rows is not None else table.rows
    data = output.json_table(loaded.source, table, tested, values=options.command == "check" and options.json)

    def show() -> None:
        if options.json:
            print(output.json_document(options.command, result, data=data, warnings=table.warnings))
        else:
            print_it(output.console(sys.stdout))

    words = {"notes": table.notes, "warnings": table.warnings}
    facts = data | {name: [in_shell(text) for text in texts] for name, texts in words.items()}
    facts["row_numbers"] = None if tested < table.rows else table.row_numbers
    in_words = None if options.report is None else _in_shell_words(outcome)
    files = _files(options, outcome, output.rows_csv)
    output.write_all(show, [*files, *_report(options, in_words, data=facts, command=output.command_line(), **page)])
    if options.report is not None and not (options.quiet or options.json):
        output.console(sys.stderr).print(f"Report: {options.report}")


def _files(options: Options, outcome: Any, as_table: Callable[[Any], bytes]) -> list[OutputFile]:
    """Return the table and the picture of an outcome as files to write, as far as they were asked for."""
    files, place = [], options.plot
    if options.out is not None:
        files.append(OutputFile("out", options.out, partial(as_table, outcome)))
    if place is not None:
        files.append(OutputFile("plot", place, lambda: output.picture(place, outcome.plot())))
    return files


def _report(options: Options, outcome: Any, **details: Any) -> list[OutputFile]:
    """Return the report as a file to write, if there is to be one."""
    if options.report is None:
        return []
    return [OutputFile("report", options.report, lambda: output.report(outcome, **details))]


def _in_shell_words(outcome: Any) -> Any:
    """Return an outcome whose notes name options of the command line, for a reader who used it."""
    notes = tuple(Note(in_shell(note), rank=rank_of(note)) for note in outcome.notes)
    problems = {"problems": tuple(map(in_shell, outcome.problems))} if hasattr(outcome, "problems") else {}
    return replace(outcome, notes=notes, **problems)
