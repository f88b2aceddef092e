"""The commands and their options. Whatever is slow to import is imported when a command runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from kmerf._version import __version__
from kmerf.cli import options as o
from kmerf.cli.options import FileOptions, MethodOptions, Output, PlanOptions, several
from kmerf.cli.other_names import known_elsewhere
from kmerf.cli.stops import UsageError
from kmerf.core.settings import LEVEL

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
    code = app(args=argv, prog_name="kmerf", standalone_mode=False)
    return code if isinstance(code, int) else 0


def usage_text(error: Any, argv: Sequence[str]) -> str:
    """Say on one line what is wrong with a command line, and where to look."""
    text = error.format_message() if hasattr(error, "format_message") else str(error)
    known = {command.name or getattr(command.callback, "__name__", "") for command in app.registered_commands}
    command = f"kmerf {argv[0]}" if argv and argv[0] in known else "kmerf"
    option = getattr(error, "option_name", None)  # of an option that there is not
    here = None if option is None or not argv else known_elsewhere(argv[0], option)
    if here is not None:
        return f"{argv[0]} has no option {option}: {here}; see {command} --help."
    return f"{text.strip().rstrip('.')}: see {command} --help."


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
    """Does y depend on x? Do these groups differ? Tests with decision forests, for tables in files.

    Example: kmerf ksample wine.csv --groups cultivar
    """


@app.command()
def independence(
    file: o.File,
    y: o.Ys = None,
    time: o.Time = None,
    event: o.Event = None,
    x: o.Xs = None,
    drop: o.Drop = None,
    where: o.Where = None,
    categorical: o.Categorical = None,
    keep: o.Keep = None,
    y_kind: o.YKind = "auto",
    missing_y: o.MissingY = "drop",
    blocks: o.Blocks = None,
    exchange: o.Exchange = "auto",
    given: o.Given = None,
    method: o.MethodName = "kmerf",
    null: o.NullName = None,
    resamples: o.Resamples = None,
    trees: o.Trees = None,
    rows: o.Rows = None,
    seed: o.Seed = None,
    sep: o.Sep = None,
    encoding: o.Encoding = None,
    na: o.Na = None,
    no_header: o.NoHeader = False,
    jobs: o.Jobs = None,
    dask: o.Dask = None,
    quiet: o.Quiet = False,
    json: o.Json = False,
    report: o.Report = None,
) -> None:
    """Does y depend on x?

    Example: kmerf independence patients.csv --y outcome --x 'gene_*' --where "age > 40"
    """
    from kmerf.cli import ask

    y_kind = o.outcome_kind(y, time, event, y_kind)
    if not y and time is None:
        raise UsageError("independence needs --y, or --time and --event: name what may depend on the other columns")
    ask.test(
        FileOptions(file, sep, encoding, several(na), not no_header),
        o.request(y, None, x, drop, blocks, categorical, keep, where, missing_y, given, time, event),
        MethodOptions(method, null, resamples, trees, seed, y_kind=y_kind, rows=rows),
        exchange,
        Output("independence", jobs, dask, quiet, json, report),
    )


@app.command()
def ksample(
    file: o.File,
    groups: o.Groups = None,
    x: o.Xs = None,
    drop: o.Drop = None,
    where: o.Where = None,
    categorical: o.Categorical = None,
    keep: o.Keep = None,
    missing_y: o.MissingY = "drop",
    blocks: o.Blocks = None,
    exchange: o.Exchange = "auto",
    given: o.Given = None,
    method: o.MethodName = "kmerf",
    null: o.NullName = None,
    resamples: o.Resamples = None,
    trees: o.Trees = None,
    pairwise: o.Pairwise = False,
    rows: o.Rows = None,
    seed: o.Seed = None,
    sep: o.Sep = None,
    encoding: o.Encoding = None,
    na: o.Na = None,
    no_header: o.NoHeader = False,
    jobs: o.Jobs = None,
    dask: o.Dask = None,
    quiet: o.Quiet = False,
    json: o.Json = False,
    report: o.Report = None,
) -> None:
    """Do two or more groups come from the same distribution?

    Example: kmerf ksample wine.csv --groups cultivar
    """
    from kmerf.cli import ask

    if groups is None:
        raise UsageError("ksample needs --groups: name the column that tells the groups")
    ask.test(
        FileOptions(file, sep, encoding, several(na), not no_header),
        o.request(None, groups, x, drop, blocks, categorical, keep, where, missing_y, given, compares_groups=True),
        MethodOptions(method, null, resamples, trees, seed, pairwise, rows=rows),
        exchange,
        Output("ksample", jobs, dask, quiet, json, report),
    )


@app.command()
def screen(
    file: o.File,
    y: o.Ys = None,
    time: o.Time = None,
    event: o.Event = None,
    groups: o.Groups = None,
    x: o.Xs = None,
    drop: o.Drop = None,
    where: o.Where = None,
    categorical: o.Categorical = None,
    given: o.Given = None,
    keep: o.Keep = None,
    y_kind: o.YKind = "auto",
    missing_y: o.MissingY = "drop",
    blocks: o.Blocks = None,
    exchange: o.Exchange = "auto",
    fdr: o.Fdr = 0.05,
    method: o.MethodName = "kmerf",
    null: o.NullName = None,
    resamples: o.Resamples = None,
    trees: o.Trees = None,
    rows: o.Rows = None,
    seed: o.Seed = None,
    sep: o.Sep = None,
    encoding: o.Encoding = None,
    na: o.Na = None,
    no_header: o.NoHeader = False,
    jobs: o.Jobs = None,
    dask: o.Dask = None,
    quiet: o.Quiet = False,
    json: o.Json = False,
    report: o.Report = None,
    out: o.Out = None,
    store: o.ScreenStore = None,
) -> None:
    """Which columns does y depend on, or in which do groups differ? One test for each column.

    The test is KMERF, one forest a column, unless --method names another; columns are selected by the false
    discovery rate (Benjamini-Hochberg). With --store, stop it as you like: the same command goes on where it was.

    Example: kmerf screen genes.parquet --groups arm --x 'gene_*' --fdr 0.05 --out table.csv
    """
    from kmerf.cli import ask

    y_kind = o.outcome_kind(y, time, event, y_kind)
    if bool(y or time) == (groups is not None):
        raise UsageError(
            "screen needs one of --y, --time with --event, and --groups: name what the columns are tested against"
        )
    ask.screening(
        FileOptions(file, sep, encoding, several(na), not no_header),
        o.request(y, groups, x, drop, blocks, categorical, keep, where, missing_y, given, time, event),
        MethodOptions(method, null, resamples, trees, seed, y_kind=y_kind, rows=rows),
        fdr,
        exchange,
        Output("screen", jobs, dask, quiet, json, report, out, store),
    )


@app.command()
def check(
    file: o.File,
    y: o.Ys = None,
    time: o.Time = None,
    event: o.Event = None,
    groups: o.Groups = None,
    x: o.Xs = None,
    drop: o.Drop = None,
    where: o.Where = None,
    categorical: o.Categorical = None,
    keep: o.Keep = None,
    y_kind: o.YKind = "auto",
    missing_y: o.MissingY = "drop",
    blocks: o.Blocks = None,
    exchange: o.Exchange = "auto",
    null_runs: Annotated[
        int | None,
        typer.Option(metavar="N", help="Permute y N times, and count rejections.", rich_help_panel="The test"),
    ] = None,
    method: o.MethodName = "kmerf",
    null: o.NullName = None,
    resamples: o.Resamples = None,
    trees: o.Trees = None,
    seed: o.Seed = None,
    sep: o.Sep = None,
    encoding: o.Encoding = None,
    na: o.Na = None,
    no_header: o.NoHeader = False,
    jobs: o.Jobs = None,
    dask: o.Dask = None,
    quiet: o.Quiet = False,
    json: o.Json = False,
) -> None:
    """How is a table read? And does a test keep its level on it?

    Example: kmerf check patients.csv --y outcome --null chi-square --null-runs 500
    """
    from kmerf.cli import ask

    y_kind = o.outcome_kind(y, time, event, y_kind)
    if (y or time) and groups is not None:
        raise UsageError("check takes one of --y, --time with --event, and --groups")
    if null_runs is not None and not y and time is None and groups is None:
        raise UsageError("--null-runs permutes y: name it with --y, --time and --event, or --groups")
    ask.checking(
        FileOptions(file, sep, encoding, several(na), not no_header),
        o.request(
            y,
            groups,
            x,
            drop,
            blocks,
            categorical,
            keep,
            where,
            missing_y,
            time=time,
            event=event,
            compares_groups=groups is not None,
        ),
        MethodOptions(method, null, resamples, trees, seed, y_kind=y_kind),
        exchange,
        null_runs,
        Output("check", jobs, dask, quiet, json),
    )


@app.command()
def plan(
    file: o.File,
    y: o.Ys = None,
    time: o.Time = None,
    event: o.Event = None,
    groups: o.Groups = None,
    target: o.Target = 0.8,
    level: o.Level = LEVEL,
    confidence: o.Confidence = 0.95,
    size: o.Sizes = None,
    parts: o.Parts = 60,
    x: o.Xs = None,
    drop: o.Drop = None,
    where: o.Where = None,
    categorical: o.Categorical = None,
    keep: o.Keep = None,
    y_kind: o.YKind = "auto",
    missing_y: o.MissingY = "drop",
    method: o.MethodName = "kmerf",
    trees: o.Trees = None,
    seed: o.Seed = None,
    sep: o.Sep = None,
    encoding: o.Encoding = None,
    na: o.Na = None,
    no_header: o.NoHeader = False,
    jobs: o.Jobs = None,
    dask: o.Dask = None,
    quiet: o.Quiet = False,
    json: o.Json = False,
    plot: o.Plot = None,
) -> None:
    """How many rows do I need? From a pilot: the power of a test by the number of rows.

    Example: kmerf plan pilot.csv --y outcome --power 0.8 --plot power.png
    """
    from kmerf.cli import ask

    y_kind = o.outcome_kind(y, time, event, y_kind)
    if bool(y or time) == (groups is not None):
        raise UsageError(
            "plan needs one of --y, --time with --event, and --groups: name what the columns are tested against"
        )
    ask.planning(
        FileOptions(file, sep, encoding, several(na), not no_header),
        o.request(
            y, groups, x, drop, None, categorical, keep, where, missing_y, time=time, event=event, takes_blocks=False
        ),
        MethodOptions(method, None, None, trees, seed, y_kind=y_kind),
        PlanOptions(target, level, confidence, o.whole_numbers("--size", size), parts, plot),
        Output("plan", jobs, dask, quiet, json),
    )


@app.command()
def power(
    simulation: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A relation of kmerf.simulations; may be repeated.")
    ] = None,
    test: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A test, named as for --method; may be repeated.")
    ] = None,
    n: Annotated[list[int] | None, typer.Option("--n", metavar="N", help="Rows (100); may be repeated.")] = None,
    p: Annotated[list[int] | None, typer.Option("--p", metavar="P", help="Dimension (3); may be repeated.")] = None,
    kappa: Annotated[float, typer.Option(metavar="K", help="How much noise.")] = 1.0,
    definition: Annotated[str, typer.Option(metavar="paper|published", help="Whose formulas.")] = "paper",
    replicates: Annotated[int, typer.Option(metavar="N", help="Data sets for each.")] = 100,
    level: Annotated[float, typer.Option(metavar="LEVEL", help="Level of the test.")] = LEVEL,
    trees: o.Trees = None,
    seed: Annotated[int, typer.Option(metavar="N")] = 0,
    store: Annotated[
        str | None, typer.Option(metavar="FILE.sqlite", help="Where results are kept; run again to go on.")
    ] = None,
    jobs: o.Jobs = None,
    dask: o.Dask = None,
    quiet: o.Quiet = False,
    json: o.Json = False,
    report: o.Report = None,
) -> None:
    """How often do tests find a relation that is there? Stop it as you like: the same command goes on where it was.

    Example: kmerf power --simulation linear --simulation spiral --test kmerf --test dcorr --store study.sqlite
    """
    from kmerf.cli import power_command as study

    if not simulation or store is None:
        raise UsageError("power needs --simulation, such as linear, and --store, such as study.sqlite")
    plan = study.plan(simulation, test or ["kmerf"], n or [100], p or [3], kappa, definition, replicates, trees, seed)
    study.power(plan, store, level, Output("power", jobs, dask, quiet, json, report))


@app.command()
def demo() -> None:
    """Run two tests on data that come with scikit-learn.

    Example: kmerf demo
    """
    from kmerf.demo import main

    main()
    sys.stdout.flush()
