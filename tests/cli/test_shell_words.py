"""The words of the library in those of the command line."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest
from typer.main import get_command

import kmerf
from kmerf.cli import main
from kmerf.cli.app import app
from kmerf.cli.commands import make_null
from kmerf.cli.options import Options
from kmerf.cli.shell_words import OPTIONS, in_shell
from kmerf.core.errors import Argument, Call, EventValue, InputError, Message, message_of
from kmerf.core.settings import LEVEL
from kmerf.data.block_parts import KINDS
from kmerf.methods.registry import METHODS
from kmerf.nulls.judging import NULLS
from kmerf.reading.formats import FORMATS, format_words


@pytest.fixture
def ask(tmp_path, monkeypatch, capsys):
    """Run a command in a folder with a table, and return what it prints as one line, or its error."""
    monkeypatch.chdir(tmp_path)
    rows = range(40)
    codes = {"y": [i % 4 for i in rows], "a": [i * 7 % 11 for i in rows], "b": [i * 5 % 13 for i in rows]}
    pl.DataFrame(
        codes | {"rare": ["p", *["q"] * 39], "holes": [None, *rows[1:]], "site": [i // 8 for i in rows]}
    ).write_csv("codes.csv")

    def call(*argv):
        code = main([str(part) for part in argv])
        out, err = capsys.readouterr()
        return " ".join((err if code else out).split())

    return call


@pytest.mark.parametrize(
    ("argument", "words"),
    [
        (Argument("null", Call("ChiSquare")), "--null chi-square"),
        (Argument("null", Call("Permutation")), "--null permutation"),
        (Argument("null", Call("Permutation", (99,))), "--null permutation --resamples 99"),
        (Argument("method", Call("KMERF")), "--method forest"),
        (Argument("method", Call("kmerf.KMERF")), "--method forest"),
        (Argument("proximity", "oob"), "--method forest"),
        (Argument("categorical", ["it's"]), "--categorical 'it'\"'\"'s'"),
        (Argument("categorical", ["a", "b c"]), "--categorical 'a,b c'"),
        (Argument("keep", ["a", "b,c"]), "--keep a --keep b,c"),
        (Argument("na", ["?", "-"]), "--na '?' --na -"),
        (Argument("y_kind", "categorical"), "--y-kind categorical"),
        (Argument("y_kind", "numeric"), "--y-kind numeric"),
        (Argument("y_kind", "censored"), "--time and --event"),
        (EventValue("status", 2), "--event status=2"),
        (EventValue("vital status", "dead"), "--event 'vital status=dead'"),
        (Argument("exchange", "whole"), "--exchange whole"),
        (Argument("exchange", "a b"), "--exchange 'a b'"),
        (Argument("rng", -1), "--seed -1"),
        (Argument("replicates", 5), "--null-runs 5"),
        (Argument("blocks"), "--blocks"),
        (Argument("statistic", "prediction"), "statistic='prediction'"),
        (Argument("x"), "x"),
    ],
)
def test_arguments_of_the_library_become_options(argument, words):
    assert in_shell(Message("use ", argument, ".")) == f"use {words}."


def test_every_option_in_the_table_exists():
    offered = {option for command in get_command(app).commands.values() for p in command.params for option in p.opts}
    assert set(OPTIONS.values()) <= offered


@pytest.mark.parametrize("name", ["rng=3", "n_jobs=", "it's rng=3", 'a "fdr=" b', "\\' rng=", "null=ChiSquare()"])
def test_names_are_not_taken_for_words_of_the_library(name):
    text = f"column {name!r} isn't there: use rng=1, or {name!r}."
    assert in_shell(text) == in_shell(Message(text)) == text
    error = InputError("is missing", argument=Argument("rng", 1), remedy=f"look at {name!r}")
    assert in_shell(message_of(error)) == f"--seed 1 is missing: look at {name!r}."


SMALL = ("--trees", "5", "--seed", "1", "--jobs", "1", "-q")


def test_notes_are_in_the_words_of_the_command_line(ask):
    data = ("codes.csv", "--y", "y", "--x", "a", "--x", "b")
    screened = ask("screen", *data, "--null", "permutation", "--resamples", "19", "-v", *SMALL)
    assert "pass --y-kind categorical if they are class codes." in screened
    assert "pass --null permutation --resamples 40 if that matters." in screened
    tested = ask("independence", *data, "--null", "chi-square", "--method", "paper", "-v", *SMALL)
    assert "Use another null, or --method forest." in tested


def test_programs_get_the_notes_in_the_words_of_the_library(ask):
    document = json.loads(ask("independence", "codes.csv", "--y", "y", "--x", "a", "--method", "rv", "--json", "-q"))
    assert "pass y_kind='categorical' if they are class codes" in document["result"]["notes"][0]


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("--y", "y", "--x", "holes", "--method", "rv"), "or use --method forest, which can."),
        (
            ("--y", "y", "--x", "a", "--method", "rv", "--null", "chi-square"),
            "use --null permutation, or --method forest.",
        ),
        (
            ("--y", "y", "--x", "a", "--null", "chi-square", "--blocks", "site"),
            "with --blocks, use --null permutation.",
        ),
        (("--y", "a", "--x", "b", "--exchange", "whole"), "kmerf: --exchange whole needs --blocks: a label"),
        (
            ("--y", "a", "--x", "b", "--exchange", "hole"),
            "kmerf: --exchange hole is not an option; did you mean 'whole'?",
        ),
        (("--y", "a", "--x", "b", "--resamples", "3"), "kmerf: --resamples 3 must be a whole number of at least"),
    ],
)
def test_errors_of_a_test(ask, argv, words):
    assert words in ask("independence", "codes.csv", *argv, "-q")


def test_other_errors(ask):
    assert "kmerf: --groups: group 'p' has one row: give it" in ask("ksample", "codes.csv", "--groups", "rare", "-q")
    assert "kmerf: --fdr 2.0 must be a number" in ask("screen", "codes.csv", "--y", "y", "--fdr", "2", "-q")
    power = ("power", "--store", "s.sqlite", "--simulation")
    assert "kmerf: --simulation liner is not an option; did you mean 'linear'?" in ask(*power, "liner")
    assert "kmerf: --n 2 is too few: the statistics need" in ask(*power, "linear", "--n", "2")
    assert "kmerf: --p 0 must be a whole number of at least 1." in ask(*power, "linear", "--p", "0")
    assert "kmerf: --definition ours is not an option" in ask(*power, "linear", "--definition", "ours")
    assert "kmerf: --seed -1 must be a whole number of at least 0." in ask(*power, "linear", "--seed", "-1")


def test_pairwise(ask):
    (Path("few.csv")).write_text("g,x\n" + "".join(f"{i % 2},{i * i % 7}\n" for i in range(20)))
    assert "kmerf: --pairwise compares the groups two by two, and there are 2: leave it out" in ask(
        "ksample", "few.csv", "--groups", "g", "--pairwise", "--method", "rv", "-q"
    )


# arguments that have an option of the same meaning, whoever names them
NAMED = (
    "blocks|categorical|exchange|fdr|given|groups|keep|method|missing_y|na|n_jobs|null|pairwise|rng|rows|store|y_kind"
)
ROOMS = ("adjustment", "cli", "data", "explain", "reading", "forests", "methods", "nulls", "questions")
WITHOUT_OPTION = {"effect_size.py"}  # interval= can be passed in Python alone


def test_no_message_names_an_argument_as_plain_text():
    """The shell can word an `Argument`, and not what is written out."""
    found = []
    for file in (each for room in ROOMS for each in (Path(kmerf.__file__).parent / room).rglob("*.py")):
        calls = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call)]
        raising = [node for node in calls if getattr(node.func, "id", getattr(node.func, "attr", "")) in RAISING]
        texts = {part.value for node in raising for part in ast.walk(node) if isinstance(part, ast.Constant)}
        wrong = [text for text in texts if isinstance(text, str) and re.search(rf"\b({NAMED})=", text)]
        found += [(file.name, text) for text in wrong if file.name not in WITHOUT_OPTION]
    assert found == []


@pytest.mark.parametrize("room", ["cli", "data", "reading"])
def test_every_input_error_has_fields(room):
    """The argument that it is about, and what to do; a package that is not installed is nobody's argument."""
    for file in (Path(kmerf.__file__).parent / room).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "InputError":
                fields = {keyword.arg for keyword in node.keywords}
                missing = {"argument", "remedy"} - fields
                assert not missing or (missing == {"argument"} and "finding" in ast.unparse(node)), ast.unparse(node)


RAISING = {"InputError", "KmerfError", "Message", "Fault", "error", "warn"}


@pytest.mark.parametrize("name", list(NULLS))
@pytest.mark.parametrize("resamples", [None, 39])
def test_every_null_has_its_name_in_the_shell(name, resamples):
    options = Options(null=name, resamples=None if name == "chi-square" else resamples)
    null = make_null(options, rows=100)
    assert type(null) is type(NULLS[name]())
    if resamples is not None and name != "chi-square":
        assert null.n_resamples == 39


def test_a_null_that_was_added_is_the_one_that_is_named(monkeypatch):
    @dataclass(frozen=True)
    class Other:
        n_resamples: int = 5

    monkeypatch.setitem(NULLS, "other", Other)
    assert make_null(Options(null="other"), rows=100) == Other()
    assert make_null(Options(null="other", resamples=7), rows=100) == Other(7)


def test_help_names_what_is_registered(ask):
    text = ask("independence", "--help")
    for names in (METHODS, NULLS, KINDS, format_words()):
        assert all(name in text for name in names)


def test_the_pages_name_what_is_registered():
    docs = Path(__file__).parents[2] / "docs"
    methods = [f"`{name}`" for name in METHODS if name != "kmerf"]  # which is the default, and named otherwise
    nulls = [f"`{name}`" for name in NULLS if name != "sequential"]
    listed = {"cli.md": [*methods, *nulls, *format_words()], "json.md": [f"`{name}`" for name in FORMATS]}
    for page, names in listed.items():
        text = (docs / page).read_text(encoding="utf-8")
        assert [name for name in names if name not in text] == [], f"docs/{page} does not name these"


def test_rows_without_y_are_dropped_or_refused_and_nothing_else(ask):
    assert "--missing-y 'keep' is not an option" in ask("independence", "codes.csv", "--y", "y", "--missing-y", "keep")


def test_defaults_are_those_of_the_library():
    assert Options().level == LEVEL
