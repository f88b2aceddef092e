"""What the commands accept: each option once, as a field of `Options`, and the groups of them that commands share.

Lists of methods, nulls, formats and the like come from their registries: completion and help look them up only when a
user asks, as that takes time.
"""

# ruff: noqa: RUF009 - each default is a call that declares an option
from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from kmerf.cli.shell_words import UsageError, choose_option

if TYPE_CHECKING:
    from kmerf.reading.roles import TableRequest

Y_KINDS = ("auto", "numeric", "categorical")
MISSING_Y = ("drop", "raise")
WEIGHTS = ("auto", "frequencies", "sampling")  # kmerf.reading.sample_building, which loads numpy
FAIL_ON = ("different", "any-difference", "unknown")  # kmerf.results.comparison_result, which loads numpy
DATES = ("auto", "elapsed", "drop", "day-first", "month-first")  # kmerf.reading.dates, which loads numpy
COMPLETING = "_KMERF_COMPLETE"  # the variable with which a shell asks what may follow
_COLUMNS, _TEST, _FILE, _OUTPUT = "Columns and rows", "The test", "The file", "Running and output"


def registered_names() -> dict[str, str]:
    """Return the lists that help texts name in braces, each from its registry."""
    from kmerf.data.block_parts import KINDS
    from kmerf.methods.registry import FORESTS, METHODS, PRESETS
    from kmerf.nulls.judging import NULLS
    from kmerf.reading.formats import format_words

    forests = [name for name in FORESTS if name not in ("kmerf", *PRESETS)]
    return {
        "exchange": "|".join(KINDS),
        "forests": ", ".join(forests),
        "formats": _listed(format_words()),
        "nulls": _listed(NULLS),
        "others": _listed([name for name in METHODS if name not in FORESTS], "and"),
        "published": _listed(PRESETS, "and"),
    }


def _listed(names: Iterable[str], word: str = "or") -> str:
    *first, last = names
    return f"{', '.join(first)} {word} {last}" if first else last


def _complete(names: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """Return what a shell asks for the ends of a word."""
    return lambda incomplete: [name for name in names() if name.startswith(incomplete)]  # typer wants that word


def _methods() -> Iterable[str]:
    from kmerf.methods.registry import METHODS

    return METHODS


def _nulls() -> Iterable[str]:
    from kmerf.nulls.judging import NULLS

    return NULLS


def _exchange_kinds() -> Iterable[str]:
    from kmerf.data.block_parts import KINDS

    return KINDS


def complete_column(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the columns of the file on the command line that begin so; after a comma, those that follow it.

    While an option has no value yet, the file is among what is left of the command line.
    """
    from kmerf.reading.files import column_names

    words = [ctx.params.get("file"), *ctx.args]
    names = next((names for word in words if word and (names := column_names(str(word)))), [])
    several, comma, begun = incomplete.rpartition(",")
    if not comma or any(name.startswith(incomplete) for name in names):
        several, begun = "", incomplete
    named = several.split(",") if several else []
    return [_escaped(several + comma * bool(several) + n) for n in names if n.startswith(begun) and n not in named]


class _EscapedWord(str):
    """A word with the backslashes that bash, unlike zsh and fish, wants before blanks and quotes.

    Typer compares words with what was typed, which has none by then; only words that begin so come here.
    """

    __slots__ = ()

    def startswith(self, *_: Any) -> bool:
        return True


def _escaped(word: str) -> str:
    """Return a word as it is typed, without quotes around it if none are open."""
    open_quote = len(re.findall("[\"']", os.environ.get("COMP_WORDS", ""))) % 2
    if os.environ.get(COMPLETING) != "complete_bash" or open_quote:
        return word
    return _EscapedWord(re.sub(r"([^\w.,:/@%+=-])", r"\\\1", word))


def _option(
    panel: str | None,
    metavar: str | None,
    help: str,
    *flags: str,
    default: Any = None,
    complete: Callable[..., list[str]] | None = None,
) -> Any:
    """Return a field that is an option of the shell."""
    option = typer.Option(*flags, metavar=metavar, help=help, rich_help_panel=panel, autocompletion=complete)
    return field(default=default, metadata={"option": option})


def _columns(metavar: str, help: str, *flags: str) -> Any:
    return _option(_COLUMNS, metavar, help, *flags, complete=complete_column)


@dataclass(frozen=True)
class Options:
    """What a command line says. A command has some of these options; the others have their defaults."""

    command: str = ""
    file: str = field(default="-", metadata={"option": typer.Argument(metavar="FILE", help="{formats}; - is stdin.")})

    current: str = field(default="-", metadata={"option": typer.Argument(metavar="NEW", help="The new rows.")})
    reference: str = field(
        default="-",
        metadata={"option": typer.Argument(metavar="OLD", help="The old rows, or what --save-reference wrote.")},
    )
    fail_on: str | None = _option(
        _OUTPUT,
        "|".join(FAIL_ON),
        "Exit with status 3 on this verdict or a worse one, or if columns are missing or changed their type.",
        complete=_complete(lambda: FAIL_ON),
    )
    by: str | None = _columns("PERIOD|COLUMN", "One comparison per day, week, month, quarter, year or value.", "--by")
    dated: str | None = _columns(
        "COLUMN", "The column that holds the dates of the new rows; detected if there is only one.", "--time"
    )
    window: int | None = _option(_COLUMNS, "N", "One comparison per N rows, in file order.")
    expected_windows: float | None = _option(
        _TEST, "N", "For an endless stream: at most one false alarm per N windows on average."
    )
    block: str | None = _columns("COLUMN", "Rows that belong together, such as the rows of one day.", "--blocks")
    save_reference: str | None = _option(_OUTPUT, "FILE.json", "Save a sample of the old rows for later comparisons.")
    windows: str | None = _option(
        _OUTPUT, "FILE.json", "Append the new rows as one more window to this file; created if it does not exist."
    )
    label: str | None = _option(_OUTPUT, "TEXT", "The name of that window; by default the name of the file.")

    y: list[str] | None = _columns("COLUMN", "The outcome, which may depend on x; may be repeated.", "--y")
    time: str | None = _columns("COLUMN", "With --event, instead of --y: the follow-up time of each row.")
    event: str | None = _columns(
        "COLUMN[=VALUE]",
        "Whether it ended in an event (1, true) or was censored (0, false); status=2 if 2 means an event.",
    )
    groups: str | None = _columns("COLUMN", "The column that holds the groups.")
    x: list[str] | None = _columns(
        "COLUMNS", "The features: a name, a pattern ('gene_*') or positions (#3, #3:7). All others by default.", "--x"
    )
    drop: list[str] | None = _columns("COLUMNS", "Columns to leave out.")
    where: str | None = _option(_COLUMNS, "CONDITION", "Rows to keep: \"age > 40 and arm != 'control'\".")
    categorical: list[str] | None = _columns("COLUMNS", "Columns to read as categories or classes.")
    keep: list[str] | None = _columns("COLUMNS", "Columns to use even if they look like ids.")
    y_kind: str = _option(
        _COLUMNS,
        "|".join(Y_KINDS),
        "How to read y; by default two values are classes. For a censored y, use --time and --event.",
        default="auto",
        complete=_complete(lambda: Y_KINDS),
    )
    missing_y: str = _option(
        _COLUMNS,
        "|".join(MISSING_Y),
        "Rows without y: leave them out, or stop with an error.",
        default="drop",
        complete=_complete(lambda: MISSING_Y),
    )
    blocks: str | None = _columns(
        "COLUMNS", "Rows with the same value belong together; 'site,plot' for plots inside sites."
    )
    exchange: str = _option(
        _COLUMNS,
        "{exchange}",
        "Permute rows inside blocks, compare blocks by their means, or permute whole blocks; default: depends on how "
        "x and y vary inside blocks.",
        default="auto",
        complete=_complete(_exchange_kinds),
    )
    given: list[str] | None = _columns("COLUMNS", "Adjust for these columns: 'age,sex,batch_*'; may be repeated.")
    order: str | None = _columns(
        "COLUMN",
        "For time series: the time or date of rows, or 'rows' for file order. With --blocks, one series per block.",
    )
    lags: str | None = _option(_TEST, "N|LIST", "With --order: x now and up to N steps ago, or at these lags: 0,1,7.")
    permutations: str | None = _option(
        _TEST, "FILE.npy|csv", "Your own row orders, from 0, one per line, instead of random permutations."
    )
    rows: int | None = _option(_COLUMNS, "N", "Test a random sample of N rows.", "--rows")

    method: str | None = _option(
        _TEST,
        "NAME",
        "kmerf combines forests and other tests, and is the default; in screens, scan is. {published} is the published "
        "test. Single forests: {forests}. Other tests: {others}.",
        complete=_complete(_methods),
    )
    null: str | None = _option(
        _TEST, "NAME", "How to compute the p-value: {nulls}.", "--null", complete=_complete(_nulls)
    )
    resamples: int | None = _option(_TEST, "N", "Number of permutations.")
    trees: int | None = _option(_TEST, "N", "Trees per forest.")
    seed: int | None = _option(_TEST, "N", "Seed, which makes a run repeatable; drawn and printed if not given.")
    margin: float | None = _option(
        _TEST,
        "EFFECT",
        "The smallest effect that matters (R2 of ranks, or AUC): is the effect below it, above it, or undecided? For "
        "compare, an AUC, 0.6 by default.",
    )
    pairwise: bool = _option(_TEST, None, "Also compare each pair of groups.", "--pairwise", default=False)
    fdr: float = _option(_TEST, "RATE", "False discovery rate.", default=0.05)
    null_runs: int | None = _option(_TEST, "N", "Permute y N times and count rejections.")
    target: float = _option(_TEST, "POWER", "The power to reach.", "--power", default=0.8)
    level: float = _option(
        _TEST, "LEVEL", "Significance level.", default=0.05
    )  # core.settings.LEVEL, which loads numpy
    confidence: float = _option(_TEST, "SHARE", "Confidence level of the interval.", default=0.95)
    size: list[str] | None = _option(
        None, "N,...", "Numbers of rows for which to report the power; may be repeated.", "--size"
    )
    parts: int = _option(_TEST, "N", "Random subsamples to test of each of five sizes.", default=60)

    simulation: list[str] | None = _option(None, "NAME", "A relation of kmerf.simulations; may be repeated.")
    test: list[str] | None = _option(
        None, "NAME", "A test, named as for --method; may be repeated.", complete=_complete(_methods)
    )
    n: list[int] | None = _option(None, "N", "Rows (100); may be repeated.", "--n")
    p: list[int] | None = _option(None, "P", "Dimension (3); may be repeated.", "--p")
    kappa: float = _option(None, "K", "Amount of noise.", default=1.0)
    definition: str = _option(None, "paper|published", "Whose formulas.", default="paper")
    replicates: int = _option(None, "N", "Data sets per setting.", default=100)

    weights: str | None = _columns("COLUMN", "The frequency of each row, or its sampling weight.")
    weights_kind: str = _option(
        _COLUMNS,
        "|".join(WEIGHTS),
        "By default, whole numbers are frequencies and others sampling weights.",
        default="auto",
        complete=_complete(lambda: WEIGHTS),
    )
    dates: str = _option(
        _COLUMNS,
        "|".join(DATES),
        "Use dates as elapsed time, month, weekday and hour, as elapsed time alone, or not at all.",
        default="auto",
        complete=_complete(lambda: DATES),
    )

    sep: str | None = _option(_FILE, "CHAR", "Field separator; detected by default.")
    decimal: str | None = _option(_FILE, "CHAR", "Decimal mark, . or a comma; detected by default.")
    thousands: str | None = _option(_FILE, "CHAR", "Thousands separator; detected by default.")
    skip: int | None = _option(_FILE, "N", "Lines to skip at the beginning; titles are detected.")
    footer: int | None = _option(_FILE, "N", "Rows to skip at the end; totals and footnotes are detected.")
    header: str | None = _option(_FILE, "LINE", "The line that holds the column names; 2,3 for two lines, or none.")
    comment: str | None = _option(_FILE, "CHAR", "Skip lines that start with this; # is detected.")
    sheet: str | None = _option(_FILE, "NAME|N", "The sheet of an Excel file; by default the first with a table.")
    encoding: str | None = _option(_FILE, "NAME", "If not UTF-8: cp1252, ...")
    na: list[str] | None = _option(
        _FILE,
        "TEXT",
        "Text that means missing, besides empty cells and NA; age=999 for one column.",
        "--na",
        "--missing",
    )
    no_header: bool = _option(_FILE, None, "The first line is data.", "--no-header", default=False)

    jobs: int | None = _option(_OUTPUT, "N", "Number of workers; all cores by default.")
    dask: str | None = _option(_OUTPUT, "ADDRESS", "Run on this Dask scheduler.")
    quiet: bool = _option(_OUTPUT, None, "Print the verdict alone.", "--quiet", "-q", default=False)
    verbose: bool = _option(
        _OUTPUT,
        None,
        "Print every number: members, features, pairs, all columns of a screen.",
        "--verbose",
        "-v",
        default=False,
    )
    paragraph: bool = _option(
        _OUTPUT, None, "Print methods and result as a paragraph for a paper.", "--paragraph", default=False
    )
    json: bool = _option(_OUTPUT, None, "Print JSON, as docs/json.md describes.", "--json", default=False)
    report: str | None = _option(_OUTPUT, "FILE.html", "Write a report that you can read and share.")
    out: str | None = _option(_OUTPUT, "FILE.csv", "Write the whole table.")
    plot: str | None = _option(_OUTPUT, "FILE.png", "Save a figure: png, pdf or svg.")
    store: str | None = _option(
        _OUTPUT, "FILE.sqlite", "Keep finished work here; run again to continue. A screen then needs --seed."
    )

    @property
    def tested(self) -> bool:
        """Whether the options say what the columns are tested against."""
        return bool(self.y) or self.time is not None or self.groups is not None

    @property
    def past(self) -> bool:
        """Whether y is compared with x given its own past."""
        return self.order is not None and self.given == ["past"]

    def series(self) -> dict[str, Any]:
        """Return the arguments for rows in time, and for permutations of the user."""
        given = {"given": "past"} if self.past else {}
        permutations = None if self.permutations is None else _row_orders(self.permutations)
        return {"lags": _lags(self.lags), "permutations": permutations, **given}

    def request(self) -> TableRequest:
        """Return what the options ask of a table."""
        from kmerf.reading.roles import TableRequest

        several = (self.y, self.x, self.drop, self.categorical, self.keep, self.given)
        y, x, drop, categorical, keep, given = (tuple(values or ()) for values in several)
        given = () if self.past else given
        return TableRequest(
            y=y,
            groups=self.groups,
            x=x,
            drop=drop,
            blocks=self.blocks,
            categorical=categorical,
            keep=keep,
            where=self.where,
            missing_y=self.missing_y,
            given=given,
            time=self.time,
            event=self.event,
            weights=self.weights,
            order=self.order,
            weights_kind=self.weights_kind,
            dates=self.dates,
            takes_blocks=self.command != "plan",
            compares_groups=self.groups is not None and self.command in ("ksample", "check"),
        )

    def read_y_as(self) -> str:
        """Check that the options that name y go together, and return how it is read."""
        if self.y_kind == "censored":
            raise UsageError("--y-kind censored is not needed: --time and --event name the columns of a censored y")
        choose_option("--y-kind", self.y_kind, Y_KINDS)
        choose_option("--missing-y", self.missing_y, MISSING_Y)
        choose_option("--dates", self.dates, DATES)
        choose_option("--weights-kind", self.weights_kind, WEIGHTS)
        if self.time is None and self.event is None:
            return "categorical" if self.groups is not None else self.y_kind
        if self.time is None or self.event is None:
            raise UsageError("--time and --event go together: name both columns")
        if self.y:
            raise UsageError("--time and --event replace --y: leave it out")
        if self.y_kind != "auto":
            raise UsageError(f"--y-kind {self.y_kind} is not for --time and --event, a censored y: leave it out")
        return "censored"

    def sizes(self) -> tuple[int, ...]:
        """Return the whole numbers of --size, repeated or with commas between them.

        >>> Options(size=["20,30", "50"]).sizes()
        (20, 30, 50)
        """
        parts = [part.strip() for value in self.size or () for part in value.split(",")]
        wrong = [part for part in parts if not part.isdecimal()]
        if wrong:
            raise UsageError(f"--size {wrong[0]!r} is not a whole number: write --size 50,100, for example")
        return tuple(map(int, parts))


def _lags(text: str | None) -> int | list[int] | None:
    """Return the lags that an option names.

    >>> _lags("3"), _lags("0,7"), _lags("7,")
    (3, [0, 7], [7])
    """
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts or not all(part.isdecimal() for part in parts):
        raise UsageError(f"--lags {text!r} is not a whole number: write --lags 3, or --lags 0,1,7")
    return [int(part) for part in parts] if "," in text else int(text)


def _row_orders(path: str) -> Any:
    """Read row orders from a file of numpy, or of numbers with commas or blanks between them."""
    import numpy as np

    try:
        if path.endswith(".npy"):
            return np.load(path, allow_pickle=False)
        with open(path, encoding="utf-8") as file:
            return np.array([line.replace(",", " ").split() for line in file if line.strip()], dtype=np.float64)
    except OSError as error:
        raise UsageError(f"--permutations {path!r} cannot be read: {error.strerror or error}") from None
    except ValueError:
        raise UsageError(
            f"--permutations {path!r} must hold row numbers, one order per line, all of one length"
        ) from None


Y = ("y", "time", "event")
SERIES = ("order", "lags", "permutations")
FEATURES = ("x", "drop", "where", "categorical", "keep", "dates")
WEIGHTED = ("weights", "weights_kind")
Y_READING = ("y_kind", "missing_y")
BLOCKS = ("blocks", "exchange")
TEST = ("method", "null", "resamples", "trees")
FILE = ("sep", "encoding", "na", "no_header", "decimal", "thousands", "skip", "footer", "header", "comment", "sheet")
RUNNING = ("jobs", "dask", "quiet", "json")


def signature(names: Iterable[str], defaults: dict[str, Any]) -> inspect.Signature:
    """Return the parameters of a command that has these options, as typer reads them."""
    hints, options = get_type_hints(Options), {each.name: each for each in fields(Options)}
    annotated: Any = Annotated
    parameters = []
    for name in names:
        default = (
            inspect.Parameter.empty
            if name in ("file", "reference", "current")
            else defaults.get(name, options[name].default)
        )
        kind = annotated[hints[name], options[name].metadata["option"]]
        parameters.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind))
    return inspect.Signature(parameters)
