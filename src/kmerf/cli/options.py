"""What the commands accept, each option once, and the values that they are turned into."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated

import typer

from kmerf.cli.stops import UsageError, pick
from kmerf.reading.roles import TableRequest

Y_KINDS = ("auto", "numeric", "categorical")
_COLUMNS, _TEST, _FILE, _OUTPUT = "Columns and rows", "The test", "The file", "Running and output"


def _complete(names: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """Return what a shell asks for the ends of a word; the names are looked up only then, for that takes time."""
    return lambda incomplete: [name for name in names() if name.startswith(incomplete)]  # typer wants that word


def _methods() -> Iterable[str]:
    from kmerf.methods.registry import METHODS

    return METHODS


def _nulls() -> Iterable[str]:
    from kmerf.nulls.registry import NULLS

    return NULLS


def complete_column(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the columns of the file on the command line that begin so."""
    from kmerf.reading.files import column_names

    return [name for name in column_names(str(ctx.params.get("file") or "-")) if name.startswith(incomplete)]


File = Annotated[
    str,
    typer.Argument(metavar="FILE", help="CSV, TSV, Parquet, Feather, JSON lines, Excel, Stata or SPSS; - is stdin."),
]
Ys = Annotated[
    list[str] | None,
    typer.Option(
        "--y",
        metavar="COLUMN",
        help="What may depend on x; may be repeated.",
        rich_help_panel=_COLUMNS,
        autocompletion=complete_column,
    ),
]
Time = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="With --event, in place of --y: how long each row was followed.",
        rich_help_panel=_COLUMNS,
        autocompletion=complete_column,
    ),
]
Event = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN[=VALUE]",
        help="Whether that ended in an event (1, true) or was censored (0, false); status=2 if 2 is the event.",
        rich_help_panel=_COLUMNS,
        autocompletion=complete_column,
    ),
]
Groups = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="The column that tells the groups.",
        rich_help_panel=_COLUMNS,
        autocompletion=complete_column,
    ),
]
Xs = Annotated[
    list[str] | None,
    typer.Option(
        "--x",
        metavar="COLUMNS",
        help="The features: a name, a pattern ('gene_*') or positions (#3, #3:7). All others by default.",
        rich_help_panel=_COLUMNS,
        autocompletion=complete_column,
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMNS", help="Columns to leave out.", rich_help_panel=_COLUMNS, autocompletion=complete_column
    ),
]
Where = Annotated[
    str | None,
    typer.Option(
        metavar="CONDITION", help="Rows to keep: \"age > 40 and arm != 'control'\".", rich_help_panel=_COLUMNS
    ),
]
Categorical = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMNS",
        help="Columns to read as categories, or classes.",
        rich_help_panel=_COLUMNS,
        autocompletion=complete_column,
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMNS",
        help="Columns to use though they look like ids.",
        rich_help_panel=_COLUMNS,
        autocompletion=complete_column,
    ),
]
YKind = Annotated[
    str,
    typer.Option(
        metavar="|".join(Y_KINDS),
        help="How to read y; two values are classes by default. For a censored y, --time and --event.",
        rich_help_panel=_COLUMNS,
        autocompletion=_complete(lambda: Y_KINDS),
    ),
]
MissingY = Annotated[
    str,
    typer.Option(
        metavar="drop|raise",
        help="Rows without y: leave them out, or refuse.",
        rich_help_panel=_COLUMNS,
        autocompletion=_complete(lambda: ("drop", "raise")),
    ),
]
Blocks = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMNS",
        help="Rows that belong together have the same value; 'site,plot' for plots inside sites.",
        rich_help_panel=_COLUMNS,
        autocompletion=complete_column,
    ),
]
Given = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMNS",
        help="Compare given these: 'age,sex,batch_*'; may be repeated.",
        rich_help_panel=_COLUMNS,
        autocompletion=complete_column,
    ),
]
Exchange = Annotated[
    str,
    typer.Option(
        metavar="within|between|whole",
        help="Test the relation inside blocks, compare blocks by their means, or move whole blocks; chosen by what x "
        "and y do inside blocks.",
        rich_help_panel=_COLUMNS,
        autocompletion=_complete(lambda: ("auto", "within", "between", "whole")),
    ),
]
MethodName = Annotated[
    str,
    typer.Option(
        "--method",
        metavar="NAME",
        help="kmerf (the default) combines forests and other tests; forest is one forest, paper the published one; "
        "extra-trees, oblique-trees, blind-trees and synthetic-trees are other forests; dcorr, hsic, mgc, hhg, cca and "
        "rv are others.",
        rich_help_panel=_TEST,
        autocompletion=_complete(_methods),
    ),
]
NullName = Annotated[
    str | None,
    typer.Option(
        "--null",
        metavar="NAME",
        help="Where the p-value comes from: sequential, extrapolated, permutation or chi-square.",
        rich_help_panel=_TEST,
        autocompletion=_complete(_nulls),
    ),
]
Resamples = Annotated[int | None, typer.Option(metavar="N", help="Permutations of y.", rich_help_panel=_TEST)]
Trees = Annotated[int | None, typer.Option(metavar="N", help="Trees in each forest.", rich_help_panel=_TEST)]
Rows = Annotated[
    int | None,
    typer.Option("--rows", metavar="N", help="Test a random sample of N rows.", rich_help_panel=_COLUMNS),
]
Seed = Annotated[
    int | None,
    typer.Option(metavar="N", help="Makes a run repeatable; drawn and shown if not given.", rich_help_panel=_TEST),
]
Pairwise = Annotated[bool, typer.Option("--pairwise", help="Also compare every two groups.", rich_help_panel=_TEST)]
Fdr = Annotated[float, typer.Option(metavar="RATE", help="False discovery rate.", rich_help_panel=_TEST)]
Target = Annotated[float, typer.Option("--power", metavar="POWER", help="The power to reach.", rich_help_panel=_TEST)]
Level = Annotated[float, typer.Option(metavar="LEVEL", help="Level of the test.", rich_help_panel=_TEST)]
Confidence = Annotated[float, typer.Option(metavar="SHARE", help="Confidence of the interval.", rich_help_panel=_TEST)]
Sizes = Annotated[
    list[str] | None,
    typer.Option("--size", metavar="N,...", help="Numbers of rows to give the power for; may be repeated."),
]
Parts = Annotated[
    int, typer.Option(metavar="N", help="Random parts of each of five sizes that are tested.", rich_help_panel=_TEST)
]
Plot = Annotated[
    str | None, typer.Option(metavar="FILE.png", help="Draw it: png, pdf or svg.", rich_help_panel=_OUTPUT)
]
Sep = Annotated[
    str | None, typer.Option(metavar="CHAR", help="Separator of fields; found by itself.", rich_help_panel=_FILE)
]
Encoding = Annotated[str | None, typer.Option(metavar="NAME", help="If not UTF-8: cp1252, ...", rich_help_panel=_FILE)]
Na = Annotated[
    list[str] | None,
    typer.Option(
        "--na",
        "--missing",
        metavar="TEXT",
        help="Also means missing, besides empty cells and NA; age=999 for one column.",
        rich_help_panel=_FILE,
    ),
]
NoHeader = Annotated[bool, typer.Option("--no-header", help="The first line is data.", rich_help_panel=_FILE)]
Jobs = Annotated[int | None, typer.Option(metavar="N", help="Workers; all cores by default.", rich_help_panel=_OUTPUT)]
Dask = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="Run on this Dask scheduler.", rich_help_panel=_OUTPUT)
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print the result alone.", rich_help_panel=_OUTPUT)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, as docs/json.md describes.", rich_help_panel=_OUTPUT)]
Report = Annotated[
    str | None, typer.Option(metavar="FILE.html", help="Write a page to read and to send.", rich_help_panel=_OUTPUT)
]
ScreenStore = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="FILE.sqlite",
        help="Where what is computed is kept; run again to go on. Needs --seed.",
        rich_help_panel=_OUTPUT,
    ),
]
Out = Annotated[str | None, typer.Option(metavar="FILE.csv", help="Write the whole table.", rich_help_panel=_OUTPUT)]


@dataclass(frozen=True)
class MethodOptions:
    """The options of a test."""

    method: str = "kmerf"
    null: str | None = None
    resamples: int | None = None
    trees: int | None = None
    seed: int | None = None
    pairwise: bool = False
    y_kind: str = "auto"
    rows: int | None = None


@dataclass(frozen=True)
class FileOptions:
    """The options of reading a file."""

    file: str
    sep: str | None = None
    encoding: str | None = None
    na: tuple[str, ...] = ()
    header: bool = True


@dataclass(frozen=True)
class Output:
    """The options of running and showing."""

    command: str
    jobs: int | None = None
    dask: str | None = None
    quiet: bool = False
    json: bool = False
    report: str | None = None
    out: str | None = None
    store: str | None = None


@dataclass(frozen=True)
class PlanOptions:
    """The options of planning a study."""

    target: float
    level: float
    confidence: float
    sizes: tuple[int, ...]
    parts: int
    plot: str | None


def whole_numbers(option: str, values: list[str] | None) -> tuple[int, ...]:
    """Return the whole numbers of a repeated option, or with commas between them.

    >>> whole_numbers("--size", ["20,30", "50"])
    (20, 30, 50)
    """
    parts = [part.strip() for value in values or () for part in value.split(",")]
    wrong = [part for part in parts if not part.isdecimal()]
    if wrong:
        raise UsageError(f"{option} {wrong[0]!r} is no whole number: write {option} 50,100, for example")
    return tuple(map(int, parts))


def several(values: list[str] | None) -> tuple[str, ...]:
    """Return a repeated option's values."""
    return tuple(values or ())


def request(
    y: list[str] | None,
    groups: str | None,
    x: list[str] | None,
    drop: list[str] | None,
    blocks: str | None,
    categorical: list[str] | None,
    keep: list[str] | None,
    where: str | None,
    missing_y: str,
    given: list[str] | None = None,
    time: str | None = None,
    event: str | None = None,
    takes_blocks: bool = True,
    compares_groups: bool = False,
) -> TableRequest:
    """Return what the options ask of a table."""
    named = several(y), groups, several(x), several(drop), blocks, several(categorical), several(keep)
    return TableRequest(*named, where, missing_y, several(given), time, event, takes_blocks, compares_groups)


def outcome_kind(y: list[str] | None, time: str | None, event: str | None, y_kind: str) -> str:
    """Check that the options that name y go together, and return how it is read."""
    if y_kind == "censored":
        raise UsageError("--y-kind censored is not needed: --time and --event name the columns of a censored y")
    pick("--y-kind", y_kind, Y_KINDS)
    if time is None and event is None:
        return y_kind
    if time is None or event is None:
        raise UsageError("--time and --event go together: name both columns")
    if y:
        raise UsageError("--time and --event stand in place of --y: leave it out")
    if y_kind != "auto":
        raise UsageError(f"--y-kind {y_kind} is not for --time and --event, a censored y: leave it out")
    return "censored"
