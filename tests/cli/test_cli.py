"""The command line: answers for people and programs, and one line with a remedy for everything that is refused."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import fields
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kmerf import cli
from kmerf.cli import main
from kmerf.cli.app import app
from kmerf.cli.shell_words import clean

SMALL = ["--trees", "20", "--resamples", "19", "--seed", "1", "--jobs", "1"]
N = 60


def columns(n=N, seed=0):
    rng = np.random.default_rng(seed)
    age = rng.normal(50, 10, n).round(1)
    return {
        "id": [f"p{i}" for i in range(n)],
        "age": age,
        "gene_1": rng.normal(size=n).round(3),
        "gene_2": rng.normal(size=n).round(3),
        "site": rng.choice(["rome", "bern", "oslo"], n),
        "arm": rng.choice(["a", "b"], n),
        "code": rng.integers(0, 3, n),
        "y": (0.1 * age + 0.1 * rng.normal(size=n)).round(3),
    }


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    pl.DataFrame(columns()).write_csv("t.csv")
    return tmp_path


@pytest.fixture
def ask(folder, capsys):
    def call(*argv):
        code = main([str(part) for part in argv])
        return code, *capsys.readouterr()

    return call


def put(name, content):
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return name


# --- answers ----------------------------------------------------------------------------------------------------------


def test_independence_says_how_it_read_and_what_it_found(ask):
    code, out, err = ask("independence", "t.csv", "--y", "y", "--drop", "id", *SMALL)
    assert code == 0
    assert "t.csv (text, separator: comma): 60 rows, 8 columns" in err
    assert re.search(r"site +x +categorical +3", err)
    assert re.search(r"id +dropped +text +60", err)
    assert re.search(r"y +y +numeric", err)
    lines = out.splitlines()
    assert lines[:2] == [
        "Does y depend on age, gene_1 and 4 more?",
        "There is evidence that y is related to age, gene_1 and 4 more.",
    ]
    assert lines[2] == "  p-value  p <= 0.05 (60 rows; 19 permutations, none as large)"
    assert lines[-2] == "(more: --verbose, --paragraph, --report FILE.html)"
    assert len(lines) <= 13
    assert "prediction" not in out
    _, out, _ = ask("independence", "t.csv", "--y", "y", "--drop", "id", "--verbose", *SMALL)
    assert out.splitlines()[:5] == lines[:5]
    assert "Test of independence (KMERF portfolio)" in out
    assert re.search(r"prediction +-?\d+\.\d+ +0\.\d+ +(<= )?0\.\d+  ", out)
    assert re.search(r"age +[01]\.\d+ +(<= )?\S+ +(<= )?\S+ +rises by \d+\.\d+ \(\S+ to \S+\)", out)
    assert not [line for line in out.splitlines() if line != line.rstrip()]


def test_ksample(ask):
    code, out, _ = ask("ksample", "t.csv", "--groups", "arm", "--x", "gene_*,age", *SMALL)
    assert code == 0
    assert "no clear evidence that groups a and b of arm differ in age and 2 more." in " ".join(out.split())
    assert "any difference these forests can detect has an AUC of at most 0." in out


def test_quiet_prints_the_verdict_alone(ask):
    code, out, err = ask("ksample", "t.csv", "--groups", "arm", "--x", "age", "-q", *SMALL)
    assert (code, err) == (0, "")
    assert out == "There is no clear evidence that groups a and b of arm differ in age.\n"


def test_a_margin_and_a_paragraph(ask):
    options = ["ksample", "t.csv", "--groups", "arm", "--x", "age", *SMALL]
    _, out, _ = ask(*options, "--margin", "0.95")
    assert re.search(r"margin +the effect is below AUC 0\.95 \(0\.\d+ to 0\.\d+\): equivalent", out)
    code, _, err = ask(*options, "--margin", "0.2")
    assert (code, err.splitlines()[-1]) == (
        1,
        "kmerf: --margin 0.2 must be an AUC between 0.5 and 1: 0.56, for example.",
    )
    _, out, _ = ask(*options, "--paragraph")
    assert out.startswith("We asked: Do groups a and b of arm differ in age? The data had 60 rows")
    assert "seed 1)" in " ".join(out.split())
    assert "arXiv:1812.00029" in out
    assert max(map(len, out.splitlines())) <= 88


def test_quiet_keeps_what_bears_on_the_p_value(ask):
    put("days.csv", "\n".join(["day,a,y", *(f"2021-01-{k + 1:02},{k * 7 % 11},{k // 3 + k % 2}" for k in range(24))]))
    code, out, err = ask("independence", "days.csv", "--y", "y", "-q", *SMALL)
    assert code == 0
    assert err.count("warning: Rows are in the order of the dates in 'day'.") == 1
    assert len(out.splitlines()) == 1
    code, out, err = ask("independence", "days.csv", "--y", "y", *SMALL)
    assert "warning: Rows are in the order of the dates in 'day'." in err
    assert "order of the dates" not in out


def test_completion_of_words():
    from kmerf.cli.options import Options

    options = {each.name: each.metadata.get("option") for each in fields(Options)}
    completions = [options[name].autocompletion for name in ("y_kind", "missing_y")]
    assert completions[0]("n") == ["numeric"]
    assert completions[1]("") == ["drop", "raise"]


def test_the_remedy_for_several_columns_can_be_typed(ask):
    lines = ["rownames,site code,a,y", *(f"{k},s{k},{k * 7 % 11},{k * 5 % 13}" for k in range(1, 25))]
    put("t2.csv", "\n".join(lines))
    _, _, err = ask("independence", "t2.csv", "--y", "y", *SMALL)
    assert "pass --keep 'rownames,site code' to use them" in " ".join(err.split())
    code, _, err = ask("independence", "t2.csv", "--y", "y", "--keep", "rownames,site code", *SMALL)
    assert code == 0
    assert re.search(r"site code +x +categorical +24", err)


def test_codes_of_missing_values_are_counted_once(ask):
    lines = ["a,b,y", *(f"{'none' if k % 3 else 'red'},{k * 7 % 11},{k if k % 4 else ''}" for k in range(24))]
    put("t3.csv", "\n".join(lines))
    _, out, err = ask("independence", "t3.csv", "--y", "y", *SMALL)
    assert "has 'none' in 12 rows" in " ".join(err.split())
    assert "'none'" not in out


def test_numbers_as_groups_are_labels(ask):
    code, out, err = ask("screen", "t.csv", "--groups", "code", "--x", "age,gene_1", *SMALL)
    assert code == 0
    assert "numbers as labels" in err
    assert "read as numeric" not in out


def test_pairs_of_groups_and_fewer_trees_in_every_member(ask):
    options = ["--groups", "site", "--x", "age,gene_1", "--pairwise", "--json", "-q", *SMALL]
    found = json.loads(ask("ksample", "t.csv", *options)[1])["result"]
    assert {(pair["first"], pair["second"]) for pair in found["pairwise"]} == {
        ("bern", "oslo"),
        ("bern", "rome"),
        ("oslo", "rome"),
    }
    assert found["settings"]["method"]["classes"]["prediction"]["forest"]["n_trees"] == 20
    code, out, _ = ask("ksample", "t.csv", "-v", *(option for option in options if option != "--json"))
    assert code == 0
    assert re.search(r"bern - oslo +-?\d", out)


@pytest.mark.parametrize(
    "method", ["forest", "paper", "extra-trees", "blind-trees", "dcorr", "hsic", "mgc", "hhg", "cca", "rv"]
)
def test_every_method(ask, method):
    code, out, _ = ask("independence", "t.csv", "--y", "y", "--x", "age", "--method", method, "--resamples", 19)
    assert code == 0
    assert "19 permutations" in out


@pytest.mark.parametrize(
    ("null", "says"),
    [("extrapolated", "none as large"), ("permutation", "19 permutations"), ("chi-square", "chi-square")],
)
def test_every_null(ask, null, says):
    more = [] if null == "chi-square" else ["--resamples", "19"]
    code, out, _ = ask("independence", "t.csv", "--y", "y", "--x", "age", "--null", null, "--trees", 20, *more)
    assert code == 0
    assert says in out


def test_screen_writes_its_table(ask):
    code, out, _ = ask("screen", "t.csv", "--y", "y", "--drop", "id", "--out", "found.csv", *SMALL)
    assert code == 0
    assert "Screen of 6 columns (KMERF)" in out
    table = pl.read_csv("found.csv")
    assert table.columns[:3] == ["column", "statistic", "pvalue"]
    assert table["column"].to_list() == ["age", "gene_1", "gene_2", "site", "arm", "code"]
    assert table.filter(pl.col("selected"))["column"].to_list() == ["age"]
    assert sorted(os.listdir()) == ["found.csv", "t.csv"]


def test_check_shows_columns_and_calibration(ask):
    code, out, _ = ask("check", "t.csv", "--drop", "id")
    assert code == 0
    assert re.search(r"gene_2 +x +numeric", out)
    options = ["--y", "y", "--null", "chi-square", "--null-runs", "40", "--trees", "20", "--x", "age"]
    code, out, _ = ask("check", "t.csv", *options)
    assert code == 0
    assert "Rejections of 40 true nulls" in out


def test_power_runs_and_resumes(ask):
    plan = ["power", "--simulation", "linear", "--test", "dcorr", "--test", "rv", "--n", 20, "--p", 1, "--p", 2]
    rest = ["--replicates", 25, "--store", "s.sqlite", "--jobs", 1]
    code, out, err = ask(*plan, *rest)
    assert code == 0
    assert "100 replicates computed, 0 were" in err
    assert out.count("dcorr") == 2
    again, out, err = ask(*plan, *rest, "--json")
    assert again == 0
    document = json.loads(out)
    assert document["result"]["added"] == 0
    assert len(document["result"]["cells"]) == 4
    assert {"test", "data", "power", "interval", "replicates"} <= set(document["result"]["cells"][0])


def test_screen_keeps_what_it_computed(ask):
    options = ["--x", "age,gene_*", "--y", "y", "--trees", "20", "--jobs", "1"]
    plain = ask("screen", "t.csv", *options, "--seed", "1")
    code, out, err = ask("screen", "t.csv", *options, "--seed", "1", "--store", "s.sqlite")
    assert (code, out) == plain[:2]
    assert "were in 's.sqlite' already" not in err
    code, out, err = ask("screen", "t.csv", *options, "--seed", "1", "--store", "s.sqlite")
    assert (code, out) == plain[:2]
    assert re.search(r"(\d+) of \1 parts of the work were in 's.sqlite' already", err)


def test_missing_values_and_conditions_end_to_end(ask):
    rows = [f"{i % 7},{'' if i % 5 else 'NA'},{'a' if i % 2 else 'b'},{'' if i < 3 else i % 4}" for i in range(60)]
    put("m.csv", "a,b,c,y\n" + "\n".join(rows) + "\n")
    code, out, err = ask("independence", "m.csv", "--y", "y", "--where", "a > 0", "--categorical", "y", "-v", *SMALL)
    assert code == 0
    assert "51 rows of 60 meet the condition" in err
    assert "without a value in 'y' dropped" in err
    assert "all missing" in err
    assert "y categorical, 4 classes" in out


def test_standard_input_and_separator(ask, monkeypatch):
    text = Path("t.csv").read_text().replace(",", ";")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(text.encode()))))
    code, _, err = ask("independence", "-", "--y", "y", "--x", "age", *SMALL)
    assert code == 0
    assert "standard input (text, gzip, separator: semicolon)" in err


def test_warnings_name_blocks(ask):
    rng = np.random.default_rng(0)
    frame = {"subject": [f"s{i % 20}" for i in range(60)], "a": rng.normal(size=60), "y": rng.normal(size=60)}
    pl.DataFrame(frame).write_csv("r.csv")
    code, _, err = ask("independence", "r.csv", "--y", "y", "--drop", "subject", *SMALL)
    assert code == 0
    assert "warning: Column 'subject' has 20 different values in 60 rows" in err
    assert "--blocks subject" in err
    code, _out, err = ask("independence", "r.csv", "--y", "y", "--blocks", "subject", *SMALL)
    assert code == 0
    assert "warning" not in err


def test_blocks_of_whole_groups(ask):
    frame = {"cage": [f"c{i // 3}" for i in range(60)], "a": np.arange(60) % 11, "y": [(i // 3) % 2 for i in range(60)]}
    pl.DataFrame(frame).write_csv("b.csv")
    options = ["--groups", "y", "--blocks", "cage", "--exchange", "whole", "--json", "-q"]
    code, out, _ = ask("ksample", "b.csv", *options, *SMALL)
    assert code == 0
    assert json.loads(out)["result"]["settings"]["exchange"] == "whole"


def test_many_columns_are_summarised(ask):
    pl.DataFrame(np.random.default_rng(0).normal(size=(30, 100))).write_csv("wide.csv")
    code, _, err = ask("independence", "wide.csv", "--y", "column_0", *SMALL)
    assert code == 0
    assert "... and 80 numeric (x); kmerf check lists all" in err


def test_help_and_version(ask):
    for argv in (["--help"], []):
        code, out, err = ask(*argv)
        assert (code, err) == (0, "")
        assert "independence" in out
    for command in ("independence", "ksample", "screen", "check", "power", "demo"):
        code, out, _ = ask(command, "--help")
        assert code == 0
        assert f"Example: kmerf {command}" in out
    for command in app.registered_commands:
        assert "\n" not in (command.callback.__doc__ or "").strip().replace("\n\n", "")  # or lines break in the middle
    assert ask("--version")[1].startswith("kmerf ")


# --- for programs -----------------------------------------------------------------------------------------------------


def test_json_has_the_documented_shape(ask):
    code, out, _ = ask("independence", "t.csv", "--y", "y", "--drop", "id", "--json", *SMALL)
    assert code == 0
    found = json.loads(out)
    assert list(found) == ["schema", "kmerf", "command", "data", "result", "warnings"]
    assert (found["schema"], found["command"]) == (1, "independence")
    assert list(found["data"]) == [
        "file",
        "format",
        "compression",
        "separator",
        "encoding",
        "rows_read",
        "rows_used",
        "rows_lost",
        "y",
        "columns",
        "notes",
    ]
    assert found["data"]["rows_lost"] == {"condition": 0, "condition_missing": 0, "y_missing": 0}
    assert found["data"]["columns"][0] == {
        "name": "id",
        "role": "dropped",
        "kind": "text",
        "missing": 0,
        "distinct": 60,
        "remark": "",
        "unit": "",
    }
    assert {"question", "method", "statistic", "pvalue", "null", "importances", "n", "p", "seed"} <= set(
        found["result"]
    )


def test_json_of_a_test_is_the_librarys_result(ask):
    from kmerf.results.single_result import Result

    first = json.loads(ask("independence", "t.csv", "--y", "y", "--x", "age", "--json", *SMALL)[1])
    second = json.loads(ask("independence", "t.csv", "--y", "y", "--x", "age", "--json", *SMALL)[1])
    assert first == second
    assert Result.from_dict(first["result"]).pvalue == first["result"]["pvalue"]


def test_json_has_no_nan(ask):
    put("c.csv", "a,b,y\n" + "".join(f"1,{i % 7},{i % 5}\n" for i in range(40)))
    code, out, _ = ask("screen", "c.csv", "--y", "y", "--json", *SMALL)
    assert code == 0
    assert json.loads(out, parse_constant=pytest.fail)["result"]["pvalues"][0] is None


# --- hostile names ----------------------------------------------------------------------------------------------------

HOSTILE = [
    "\x1b[31mred",
    "[bold]x[/bold]",
    "a\rb",
    "tab\there",
    "\u202eevil",
    ":smile:",
    "<b>",
    "[/]",
    "\x07bell",
    "`tick`",
]


def test_nothing_in_a_file_can_speak_to_the_terminal(ask, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    rng = np.random.default_rng(0)
    frame = {name: rng.normal(size=30) for name in HOSTILE} | {
        "\x1b]0;y": rng.choice(["[red]a", "\x1b[2Jb"], 30).tolist()
    }
    pl.DataFrame(frame).write_parquet("h.parquet")
    for argv in (
        ["ksample", "--groups", "#11"],
        ["screen", "--groups", "#11"],
        ["check"],
        ["ksample", "--groups", "\x1b[0m"],
    ):
        _, out, err = ask(argv[0], "h.parquet", *argv[1:], *(SMALL if argv[0] != "check" else []))
        printed = re.sub(r"\x1b\[[0-9;]*m", "", out + err) if "\x1b[31mred" not in out + err else "\x1b"
        assert not [c for c in printed if clean(c) != c and c != "\n"]
        if argv != ["ksample", "--groups", "\x1b[0m"]:
            for shown in (r"\x1b[31mred", "[bold]x[/bold]", ":smile:", "[/]"):
                assert shown in out + err


def test_colours_only_where_they_are_wanted(ask, monkeypatch):
    argv = ["ksample", "t.csv", "--groups", "arm", "--x", "age", *SMALL]
    assert "\x1b" not in "".join(ask(*argv)[1:])
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[1m" in ask(*argv)[1]
    monkeypatch.delenv("FORCE_COLOR")
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in "".join(ask(*argv)[1:])


def test_a_check_fits_80_columns_with_whole_heads(ask, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    rows = "".join(f"{k}.5,{'AB'[k % 2]}delie penguin\n" for k in range(30)) + ",\n"
    code, out, _ = ask("check", put("wide.csv", f"flipper_length_mm,species_of_bird\n{rows}"))
    assert code == 0
    head, *lines = out.splitlines()[1:4]
    assert head.split() == ["column", "read", "as", "missing", "distinct", "values", "(median)"]
    assert "0.5 to 29.5 (15)" in lines[0]
    assert max(map(len, [head, *lines])) <= 80


@pytest.mark.parametrize("width", [20, 40, 60, 200])
def test_narrow_terminals(ask, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    code, out, err = ask("ksample", "t.csv", "--groups", "arm", "--drop", "id", *SMALL)
    assert code == 0
    assert max(map(len, (out + err).splitlines())) <= max(width, 20)


def test_a_column_named_like_an_argument_keeps_its_name(ask):
    frame = pl.DataFrame(columns()).rename({"gene_1": "rng=", "gene_2": "n_jobs=2"})
    frame.with_columns(pl.Series("rng=", [None, *frame["rng="][1:]])).write_csv("t.csv")
    code, out, err = ask("independence", "t.csv", "--y", "rng=", "--x", "age", "--x", "n_jobs=2", *SMALL)
    assert code == 0
    assert "1 row without a value in 'rng=' dropped" in err
    assert "--seed" not in out + err
    argv = ["screen", "t.csv", "--y", "y", "--x", "n_jobs=2", "--x", "age", "--where", "rng= > 5"]
    assert_one_line(ask(*argv), 1, "--where: there is no column 'rng'")
    assert_one_line(ask("independence", "t.csv", "rng=3", "--y", "y"), 2, "(rng=3)")


@pytest.mark.parametrize(
    ("condition", "rows"), [("iso < '2019-10-01'", 9), ("iso > '2020-12-31'", 36), ("when == '05/03/2021'", 1)]
)
def test_conditions_on_dates_end_to_end(ask, condition, rows):
    months = [(2019 + i // 12, i % 12 + 1) for i in range(60)]
    lines = [f"{y}-{m}-5,05/{m:02}/{y},{i % 7},{i * i % 11}" for i, (y, m) in enumerate(months)]
    put("d.csv", "iso,when,a,y\n" + "\n".join(lines) + "\n")
    argv = ["check", "d.csv", "--y", "y", "--x", "a", "--where"]
    code, out, _ = ask(*argv, condition)
    assert (code == 0) is (rows > 1)  # one row is too few for a test
    if code == 0:
        assert f"{rows} rows of 60 meet the condition" in out
    assert_one_line(ask(*argv, "when == '2021-03-05'"), 1, "is written otherwise")
    assert_one_line(ask(*argv, "when > '2020-12-31'"), 1, "whose order is not known")


# --- refusals ---------------------------------------------------------------------------------------------------------

Y = ["--y", "y", "--x", "age"]
BAD_USAGE = {
    "no y": (["independence", "t.csv"], "needs --y"),
    "no groups": (["ksample", "t.csv"], "needs --groups"),
    "no file": (["independence"], "Missing argument"),
    "two files": (["independence", "t.csv", "u.csv", *Y], "unexpected extra argument"),
    "unknown command": (["independance", "t.csv"], "No such command"),
    "unknown option": (["independence", "t.csv", "--yy", "y"], "No such option"),
    "y of ksample": (["ksample", "t.csv", "--y", "arm"], "ksample has no option --y: --groups names the column"),
    "groups of independence": (["independence", "t.csv", "--groups", "arm"], "kmerf ksample compares groups"),
    "seed of others": (["screen", "t.csv", *Y, "--random_state", "1"], "screen has no option --random_state: --seed"),
    "permutations of others": (
        ["independence", "t.csv", *Y, "--reps", "9"],
        "--resamples sets the number of permutations",
    ),
    "option without value": (["independence", "t.csv", "--y"], "requires an argument"),
    "not a number": (["independence", "t.csv", *Y, "--trees", "many"], "valid integer"),
    "not a rate": (["screen", "t.csv", *Y, "--fdr", "lots"], "valid number"),
    "unknown method": (["independence", "t.csv", *Y, "--method", "dcor"], "did you mean 'dcorr'"),
    "unknown null": (["independence", "t.csv", *Y, "--null", "chi2"], "Options: 'sequential'"),
    "null without resamples": (["independence", "t.csv", *Y, "--null", "chi-square", "--resamples", "9"], "leave out"),
    "trees of a rival": (["independence", "t.csv", *Y, "--method", "rv", "--trees", "9"], "leave it out"),
    "y and groups": (["screen", "t.csv", *Y, "--groups", "arm"], "one of --y, --time with --event, and --groups"),
    "check y and groups": (["check", "t.csv", *Y, "--groups", "arm"], "one of --y, --time with --event, and --groups"),
    "null runs without y": (["check", "t.csv", "--null-runs", "9"], "name it with --y"),
    "power without store": (["power", "--simulation", "linear"], "needs --simulation"),
    "power of an unknown test": (["power", "--simulation", "linear", "--test", "t", "--store", "s"], "Options:"),
}

BAD_INPUT = {
    "missing file": (["independence", "no.csv", *Y], "does not exist"),
    "directory": (["independence", ".", *Y], "is a directory"),
    "unknown y": (["independence", "t.csv", "--y", "yy"], "did you mean 'y'"),
    "unknown x": (["independence", "t.csv", "--y", "y", "--x", "genes"], "no such column"),
    "no match": (["independence", "t.csv", "--y", "y", "--x", "z*"], "matches no column"),
    "y among x": (["independence", "t.csv", "--y", "y", "--x", "age,y"], "must not share columns"),
    "y dropped": (["independence", "t.csv", "--y", "y", "--drop", "y"], "--drop takes away"),
    "nothing left": (["independence", "t.csv", "--y", "y", "--x", "age", "--drop", "age"], "no columns are left"),
    "position": (["independence", "t.csv", "--y", "#99"], "from #1 to #8"),
    "unique classes": (
        ["independence", "t.csv", "--y", "id", "--x", "age"],
        "60 different texts in 60 rows, and looks like ids",
    ),
    "condition": (["independence", "t.csv", *Y, "--where", "age >"], "--where"),
    "condition on a missing column": (["independence", "t.csv", *Y, "--where", "agee > 1"], "no column 'agee'"),
    "condition met by none": (["independence", "t.csv", *Y, "--where", "age > 999"], "met by none"),
    "condition met by few": (["independence", "t.csv", *Y, "--where", "id in ('p1', 'p2')"], "at least 4"),
    "one group": (["ksample", "t.csv", "--groups", "arm", "--x", "age", "--where", "arm == 'a'"], "only one group"),
    "groups of one row": (["ksample", "t.csv", "--groups", "id", "--x", "age"], "is not a column of groups"),
    "several groups": (["ksample", "t.csv", "--groups", "gene_*"], "means 2 columns"),
    "blocks with chi-square": (
        ["independence", "t.csv", *Y, "--blocks", "site", "--null", "chi-square"],
        "permutation",
    ),
    "blocks of one row": (["independence", "t.csv", *Y, "--blocks", "id"], "different value in every row"),
    "exchange": (["independence", "t.csv", *Y, "--exchange", "all"], "Options: 'auto', 'within', 'between', 'whole'"),
    "exchange without blocks": (
        ["independence", "t.csv", *Y, "--exchange", "whole"],
        "--exchange whole needs --blocks",
    ),
    "trees": (["independence", "t.csv", *Y, "--trees", "0"], "--trees 0 must be"),
    "resamples": (["independence", "t.csv", *Y, "--resamples", "5"], "--resamples 5 must be"),
    "seed": (["independence", "t.csv", *Y, "--seed", "-1"], "--seed -1 must be"),
    "jobs": (["independence", "t.csv", *Y, "--jobs", "0", "--trees", "5"], "--jobs 0 must be"),
    "fdr": (["screen", "t.csv", *Y, "--fdr", "2"], "fdr"),
    "separator": (["independence", "t.csv", *Y, "--sep", ";"], "leave out --sep"),
    "long separator": (["independence", "t.csv", *Y, "--sep", "::"], "one character"),
    "encoding": (["independence", "t.csv", *Y, "--encoding", "klingon"], "is not known"),
    "report in no folder": (["independence", "t.csv", *Y, "--report", "no/r.html"], "make it first"),
    "report is a folder": (["independence", "t.csv", *Y, "--report", "."], "is a directory"),
    "long name": (["screen", "t.csv", *Y, "--out", "x" * 300], "not the name of a file"),
    "out in no folder": (["screen", "t.csv", *Y, "--out", "no/t.csv"], "make it first"),
    "few null runs": (["check", "t.csv", *Y, "--null-runs", "5", "--trees", "5"], "--null-runs 5 must be more"),
    "simulation": (["power", "--simulation", "liner", "--store", "s"], "did you mean 'linear'"),
    "replicates": (["power", "--simulation", "linear", "--store", "s", "--replicates", "0"], "must be a whole"),
    "few replicates": (
        ["power", "--simulation", "linear", "--store", "s", "--replicates", "2"],
        "--replicates 2 is too few for --level 0.05, which needs at least 20: pass --replicates 100",
    ),
    "replicates for a level": (
        ["power", "--simulation", "linear", "--store", "s", "--replicates", "199", "--level", "0.005"],
        "needs at least 200: pass --replicates 200",
    ),
    "level": (["power", "--simulation", "linear", "--store", "s", "--level", "7"], "between 0 and 1"),
    "store is something else": (["power", "--simulation", "linear", "--store", "t.csv"], "not the store"),
    "screen's store without a seed": (["screen", "t.csv", *Y, "--store", "s"], "--store s needs a seed"),
    "screen's store given others": (
        ["screen", "t.csv", *Y, "--store", "s", "--seed", "1", "--given", "age"],
        "leave it out",
    ),
    "screen's store is something else": (
        ["screen", "t.csv", *Y, "--store", "t.csv", "--seed", "1"],
        "--store t.csv could not be used as a store (file is not a database): it is not the store of a screen",
    ),
    "screen's store is a folder": (["screen", "t.csv", *Y, "--store", ".", "--seed", "1"], "is a directory"),
    "store in no folder": (["power", "--simulation", "linear", "--store", "no/s"], "make it first"),
}

TAIL = "".join(f"{i % 7},{i % 5}\n" for i in range(30))
BAD_FILES = {
    "empty": ("", "is empty"),
    "header only": ("a,y\n", "no rows"),
    "ragged": ("a,y\n1,2,3\n" + TAIL, "line 2"),
    "duplicate names": ("a,y,a\n1,2,3\n", "two columns named"),
    "binary": (bytes(range(256)) * 9, "binary"),
    "latin-1": ("a,y\nü,1\n".encode("latin-1"), "--encoding cp1252"),
    "open quote": ('a,y\n"1,2\n' + TAIL, "never closed"),
    "thousands": ('a,y\n"1,234",5\n' + TAIL, "pass --thousands , or --decimal ,"),
    "units": ("a,y\n" + TAIL.replace("6,", "6 kg,"), "leave only the number"),
    "a stray word": ("a,y\n" + TAIL.replace("6,", "six,"), "--na six"),
    "dates": ("a,y\n" + "".join(f"0{i % 9 + 1}/0{i % 7 + 1}/2020,{i % 5}\n" for i in range(30)), "--dates day-first"),
    "infinite": ("a,y\n1e999,1\n" + TAIL, "infinite"),
    "constant y": ("a,y\n" + "".join(f"{i},1\n" for i in range(9)), "y is constant"),
    "constant x": ("a,y\n" + "".join(f"1,{i}\n" for i in range(9)), "x is constant"),
    "missing y": ("a,y\n" + "".join(f"{i},\n" for i in range(9)), "missing in all 9 rows"),
    "few rows": ("a,y\n1,2\n2,3\n", "at least 4"),
    "only y": ("y\n1\n2\n3\n4\n5\n", "no columns are left"),
    "spaces": ("a y\n1 2\n2 3\n", "--sep ' '"),
    "spreadsheet": (b"PK\x03\x04", "zip archive"),
    "cut gzip": (gzip.compress(TAIL.encode() * 50)[:-9], "cut short"),
    "damaged parquet": (b"PAR1xxxxPAR1", "damaged"),
    "json": ("[1, 2]", "JSON"),
}


def assert_one_line(found, code, says):
    assert found[0] == code, found
    assert found[1] == ""
    assert found[2].count("\n") == 1, found[2]
    assert found[2].startswith("kmerf: ")
    assert says in found[2]
    assert re.search(r": .|must be|did you mean", found[2].removeprefix("kmerf: "))
    assert "Traceback" not in found[2]


@pytest.mark.parametrize(("argv", "says"), BAD_USAGE.values(), ids=BAD_USAGE)
def test_wrong_usage(ask, argv, says):
    assert_one_line(ask(*argv), 2, says)


@pytest.mark.parametrize(("argv", "says"), BAD_INPUT.values(), ids=BAD_INPUT)
def test_refused_input(ask, argv, says):
    quiet = [] if argv[0] in ("power",) else ["--quiet"]
    assert_one_line(ask(*argv, *quiet), 1, says)
    assert os.listdir() in (["t.csv"], ["t.csv", "s"], ["s", "t.csv"])


@pytest.mark.parametrize(("content", "says"), BAD_FILES.values(), ids=BAD_FILES)
def test_refused_files(ask, content, says):
    assert_one_line(ask("independence", put("bad.csv", content), "--y", "y", "-q", *SMALL), 1, says)


def test_a_column_of_lists(ask):
    pl.DataFrame({"a": [[1], [2, 3]] * 10, "y": range(20)}).write_parquet("lists.parquet")
    assert_one_line(ask("independence", "lists.parquet", "--y", "y", "-q"), 1, "holds List(Int64) values")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everything")
def test_permissions(ask):
    os.chmod("t.csv", 0)
    assert_one_line(ask("independence", "t.csv", *Y), 1, "chmod")


def test_permission_errors_are_told(ask, monkeypatch):
    monkeypatch.setattr(os, "stat", _raise(PermissionError))
    assert_one_line(ask("independence", "t.csv", *Y), 1, "chmod")


def test_a_report_that_cannot_be_made_is_refused_before_the_test(ask, monkeypatch):
    monkeypatch.setitem(sys.modules, "kmerf.report", None)
    assert_one_line(ask("independence", "t.csv", *Y, "--report", "r.html"), 1, "--report needs kmerf.report,")


def test_dask_is_refused_where_there_is_none(ask, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert_one_line(ask("independence", "t.csv", *Y, "--dask", "tcp://x:1", "-q"), 1, "pip install '.[dask]'")


@pytest.mark.parametrize("module", ["typer", "polars"])
def test_without_the_extra(folder, capsys, monkeypatch, module):
    for name in [name for name in sys.modules if name.startswith("kmerf.cli.") or name == "kmerf.cli.app"]:
        if module == "typer" and name != "kmerf.cli.shell_words":
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr(cli, "app", raising=False)
    monkeypatch.setitem(sys.modules, module, None)
    code = main(["independence", "t.csv", "--y", "y"])
    assert_one_line((code, *capsys.readouterr()), 1, "pip install '.[cli]'")


# --- files in place, interruption, pipes ------------------------------------------------------------------------------


def _raise(error):
    def fail(*args, **kwargs):
        raise error

    return fail


def test_interruption_says_one_line(ask, monkeypatch):
    import kmerf.questions.hypotheses

    monkeypatch.setattr(kmerf.questions.hypotheses, "independence", _raise(KeyboardInterrupt))
    assert_one_line(ask("independence", "t.csv", *Y, "-q"), 130, "stopped: nothing was written;")


def test_errors_of_our_own_say_so(ask, monkeypatch):
    import kmerf.questions.hypotheses

    monkeypatch.setattr(kmerf.questions.hypotheses, "independence", _raise(ZeroDivisionError("x\ny")))
    assert_one_line(ask("independence", "t.csv", *Y, "-q"), 70, "Please report it")
    monkeypatch.setattr(kmerf.questions.hypotheses, "independence", _raise(MemoryError))
    assert_one_line(ask("independence", "t.csv", *Y, "-q"), 1, "not enough memory")


def shell(*argv, **more):
    return subprocess.Popen(
        [sys.executable, "-m", "kmerf", *argv], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more
    )


def test_ctrl_c_and_broken_pipes_in_a_real_process(folder):
    slow = ["independence", "t.csv", "--y", "y", "--x", "age", "--resamples", "1000000", "--null", "permutation"]
    process = shell(*slow)
    while b"used as" not in (line := process.stderr.readline()):
        assert line, "it ended before it began"
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.decode().splitlines()[-1].startswith("kmerf: stopped: nothing was written")
    assert os.listdir() == ["t.csv"]

    process = shell("check", "t.csv", "--drop", "id", "-q")
    process.stdout.close()
    assert process.wait(timeout=60) == cli.PIPE
    assert process.stderr.read() == b""
    process.stderr.close()


def test_the_last_words_of_an_aborted_process():
    code = "import os; from kmerf.cli.shell_words import last_words\nwith last_words('too bad', code=1): os.abort()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "kmerf: too bad\n")


def test_help_is_quick_and_loads_nothing_heavy(folder):
    code = (
        "import sys; from kmerf.cli import main; main(['-h']); print({'numpy', 'polars', 'numba'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "set()"


# --- anything at all --------------------------------------------------------------------------------------------------

PARTS = [
    "independence",
    "ksample",
    "screen",
    "check",
    "t.csv",
    "-",
    "--y",
    "y",
    "--x",
    "age",
    "gene_*",
    "--groups",
    "arm",
]
PARTS += [
    "--where",
    "age > 40",
    "--drop",
    "id",
    "#2:4",
    "--json",
    "-q",
    "--null",
    "chi-square",
    "--blocks",
    "site",
    "--sep",
]
PARTS += [";", "--categorical", "--seed", "1", "--exchange", "whole", "--version", "--help", "", "\x1b", "--no-header"]


@settings(max_examples=60, deadline=None, suppress_health_check=[])
@given(st.lists(st.sampled_from(PARTS), max_size=9))
def test_any_command_line_ends_well(tmp_path_factory, argv):
    home = tmp_path_factory.getbasetemp() / "fuzz"
    home.mkdir(exist_ok=True)
    before, stdin = os.getcwd(), sys.stdin
    os.chdir(home)
    try:
        pl.DataFrame(columns(30)).write_csv("t.csv")
        sys.stdin = io.TextIOWrapper(io.BytesIO(b"a,b\n1,2\n"))
        assert main([*argv, *(["--trees", "5", "--jobs", "1"] if argv and argv[0] in PARTS[:4] else [])]) in (0, 1, 2)
    finally:
        os.chdir(before)
        sys.stdin = stdin
