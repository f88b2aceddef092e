"""The commands, each with the options that it has. Whatever is slow to import is imported when a command runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from inspect import cleandoc
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from kmerf._version import __version__
from kmerf.cli.options import (
    BLOCKS,
    COMPLETING,
    FEATURES,
    FILE,
    RUNNING,
    SERIES,
    TEST,
    WEIGHTED,
    Y_READING,
    Options,
    Y,
    registered_names,
    signature,
)
from kmerf.cli.shell_words import UsageError, known_elsewhere

# typer brings click along in some versions and within itself in others; both derive their errors alike
_Usage: Any = typer.BadParameter.__bases__[0]
Usage: tuple[Any, ...] = (_Usage.__bases__[0], UsageError)
Abort = typer.Abort

app = typer.Typer(
    name="kmerf",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def run(argv: list[str]) -> int:
    """Run a command line; errors are left to the caller."""
    if not argv:
        argv = ["--help"]
    try:
        code = app(args=argv, prog_name="kmerf", standalone_mode=False)
    except SystemExit as answered:
        if COMPLETING not in os.environ:
            raise
        code = answered.code  # a shell asks what may follow, and fish goes by the code
    return code if isinstance(code, int) else 0


_ELSEWHERE = {
    "describe": "kmerf check FILE shows how a table is read",
    "conditional": "kmerf independence FILE --y COLUMN --given COLUMNS adjusts for other columns",
    "read_table": "kmerf check FILE shows how a table is read",
    "power_curve": "kmerf plan PILOT --y COLUMN estimates how many rows a test needs",
    "test": "kmerf independence FILE --y COLUMN, or kmerf ksample FILE --groups COLUMN",
}


def usage_text(error: Any, argv: Sequence[str]) -> str:
    """Say on one line what is wrong with a command line, and where to look."""
    text = error.format_message() if hasattr(error, "format_message") else str(error)
    names = {command.name or getattr(command.callback, "__name__", "") for command in app.registered_commands}
    command = f"kmerf {argv[0]}" if argv and argv[0] in names else "kmerf"
    meant = _ELSEWHERE.get(argv[0]) if argv else None
    if meant is not None:
        return f"there is no command {argv[0]}: {meant}."
    option = getattr(error, "option_name", None)  # of an option that does not exist
    here = None if option is None or not argv else known_elsewhere(argv[0], option)
    if here is not None:
        return f"{argv[0]} has no option {option}: {here}; see {command} --help."
    return f"{text.strip().rstrip('.')}: see {command} --help."


class _Command(TyperCommand):
    """A command whose help names what is registered."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        names = registered_names()
        for option in self.params:
            for text in ("help", "metavar"):
                words = getattr(option, text, None)
                if words and "{" in words:
                    setattr(option, text, words.format_map(names))
        super().format_help(ctx, formatter)


def _command(*names: str, **defaults: Any) -> Callable[[Callable[[Options], None]], Callable[[Options], None]]:
    """Make a command that has the options of these names, some with other defaults."""

    def declare(answer: Callable[[Options], None]) -> Callable[[Options], None]:
        def call(**values: Any) -> None:
            answer(Options(command=answer.__name__, **values))

        declared: Any = call
        paragraphs = cleandoc(answer.__doc__ or "").split("\n\n")
        declared.__doc__ = "\n\n".join(" ".join(each.splitlines()) for each in paragraphs)  # typer keeps line ends
        declared.__name__ = answer.__name__
        declared.__signature__ = signature(names, defaults)
        declared.__annotations__ = {each.name: each.annotation for each in declared.__signature__.parameters.values()}
        app.command(cls=_Command)(declared)
        return answer

    return declare


def _version(wanted: bool) -> None:
    if wanted:
        print(f"kmerf {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Does y depend on x? Do these groups differ? Did the table change? Statistical tests for tables in files.

    Example: kmerf ksample wine.csv --groups cultivar
    """


_SHARED = (*TEST, "rows", "seed", *FILE, *RUNNING, "report")
_ANSWER = (*_SHARED, "verbose", "paragraph")
_TABLE = ("verbose", "paragraph", "out", "store")


@_command("file", *Y, *FEATURES, *Y_READING, *BLOCKS, "given", *SERIES, *WEIGHTED, "margin", *_ANSWER)
def independence(options: Options) -> None:
    """Does y depend on x?

    Example: kmerf independence patients.csv --y outcome --x 'gene_*' --where "age > 40"
    """
    from kmerf.cli import commands
    from kmerf.questions.hypotheses import independence as ask

    if not options.tested and options.event is None:
        raise UsageError("independence needs --y, or --time and --event: name what may depend on the other columns")
    commands.run_test(options, lambda sample, **how: ask(sample, None, **how))


@_command(
    "file", "groups", *FEATURES, "missing_y", *BLOCKS, "given", *SERIES, "pairwise", *WEIGHTED, "margin", *_ANSWER
)
def ksample(options: Options) -> None:
    """Do two or more groups come from the same distribution?

    Example: kmerf ksample wine.csv --groups cultivar
    """
    from kmerf.cli import commands
    from kmerf.questions.hypotheses import ksample as ask

    if options.groups is None:
        raise UsageError("ksample needs --groups: name the column that holds the groups")
    commands.run_test(options, ask)


@_command("file", *Y, "groups", *FEATURES, "given", *SERIES, *Y_READING, *BLOCKS, "fdr", *WEIGHTED, *_SHARED, *_TABLE)
def screen(options: Options) -> None:
    """Which columns does y depend on, or in which do groups differ? One test per column.

    The default test scans each column for lines, steps and curves; --method names another. Columns are selected by the
    false discovery rate (Benjamini-Hochberg). Ctrl-C prints the finished columns. With --store, you can stop at any
    time: the same command continues where it stopped.

    Example: kmerf screen genes.parquet --groups arm --x 'gene_*' --fdr 0.05 --out table.csv
    """
    from kmerf.cli import commands

    _need_one_outcome(options)
    commands.run_screen(options)


@_command("file", *FEATURES, "fdr", "rows", "seed", *FILE, *RUNNING, "report", "out", "plot")
def associations(options: Options) -> None:
    """Which columns are related to each other? One test per pair of columns, with effects from 0 to 1.

    Example: kmerf associations patients.csv --drop id --report pairs.html --out pairs.csv --plot pairs.png
    """
    from kmerf.cli import commands

    commands.run_associations(options)


@_command(
    "file",
    *Y,
    "groups",
    *FEATURES,
    *Y_READING,
    *BLOCKS,
    *WEIGHTED,
    "null_runs",
    *TEST,
    "seed",
    *FILE,
    *RUNNING,
    "report",
)
def check(options: Options) -> None:
    """How does kmerf read a table? Does a test keep its significance level on it?

    Example: kmerf check patients.csv --y outcome --null chi-square --null-runs 500
    """
    from kmerf.cli import commands

    if options.groups is not None and (options.y or options.time):
        raise UsageError("check takes one of --y, --time with --event, and --groups")
    if options.null_runs is not None and not options.tested:
        raise UsageError("--null-runs permutes y: name it with --y, --time and --event, or --groups")
    commands.run_check(options)


_COMPARED = ("margin", "level", "block", "by", "dated", "window", "expected_windows", "drop", "keep", "categorical")
_KEPT = ("report", "out", "plot", "fail_on", "save_reference", "windows", "label")


@_command("reference", "current", *_COMPARED, "rows", "seed", *FILE, "jobs", "quiet", "json", *_KEPT, seed=0)
def compare(options: Options) -> None:
    """Do new rows differ from old ones, does it matter, and where? Two files with the same columns.

    Exit status: 0 compared, 3 if --fail-on applies, 1 input error, 2 wrong usage.

    Example: kmerf compare last_month.parquet this_month.parquet --fail-on different
    """
    from kmerf.cli import commands

    if options.by is not None and options.window is not None:
        raise UsageError("--by and --window are two ways to cut the rows: leave out one")
    if options.windows is not None and (options.by is not None or options.window is not None):
        raise UsageError("--windows appends all new rows as one window: leave out --by and --window")
    if commands.run_compare(options):
        raise typer.Exit(3)


_PLAN = ("target", "level", "confidence", "size", "parts", "plot")


@_command("file", *Y, "groups", *_PLAN, *FEATURES, *Y_READING, "method", "trees", "seed", *FILE, *RUNNING, "report")
def plan(options: Options) -> None:
    """How many rows do I need? Estimate the power of a test by the number of rows, from a pilot.

    Example: kmerf plan pilot.csv --y outcome --power 0.8 --plot power.png
    """
    from kmerf.cli import commands

    _need_one_outcome(options)
    commands.run_plan(options)


def _need_one_outcome(options: Options) -> None:
    if bool(options.y or options.time) == (options.groups is not None):
        needed = "one of --y, --time with --event, and --groups: name what the columns are tested against"
        raise UsageError(f"{options.command} needs {needed}")


_STUDY = ("simulation", "test", "n", "p", "kappa", "definition", "replicates", "level", "trees", "seed", "store")


@_command(*_STUDY, *RUNNING, "report", seed=0)
def power(options: Options) -> None:
    """How often do tests detect a true relation? Stop at any time: the same command continues where it stopped.

    Example: kmerf power --simulation linear --simulation spiral --test kmerf --test dcorr --store study.sqlite
    """
    from kmerf.cli import commands

    if not options.simulation or options.store is None:
        raise UsageError("power needs --simulation, such as linear, and --store, such as study.sqlite")
    commands.run_power(options, options.store)


@app.command()
def demo() -> None:
    """Run two tests on data that come with scikit-learn.

    Example: kmerf demo
    """
    from kmerf.demo import main

    main()
    sys.stdout.flush()


@app.command("app")
def open_app(
    file: Annotated[str | None, typer.Argument(metavar="[FILE]", help="A table to start with.")] = None,
    port: Annotated[int, typer.Option(help="Port to listen on, on this computer only; 0 for a free port.")] = 0,
    browser: Annotated[bool, typer.Option(help="Open the page in the default browser.")] = True,
) -> None:
    """Open kmerf as a page in the browser, on this computer only.

    Example: kmerf app patients.csv
    """
    from kmerf.app import serve

    serve(file, port=port, browser=browser)
