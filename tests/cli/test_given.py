"""The shell's --given."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from kmerf.cli import main


@pytest.fixture
def ask(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    rng = np.random.default_rng(1)
    age, batch = rng.normal(size=80), rng.choice(["one", "two"], 80)
    gene = rng.normal(size=(80, 2)) + age[:, None]
    table = {"age": age, "batch_a": batch, "gene_1": gene[:, 0], "gene_2": gene[:, 1], "y": age + rng.normal(size=80)}
    pl.DataFrame(table | {"arm": rng.choice(["a", "b"], 80)}).write_csv("t.csv")

    def call(*argv):
        code = main([*argv, "--seed", "1", "--jobs", "1"])
        return code, *capsys.readouterr()

    return call


def test_columns_are_given_by_names_and_patterns(ask):
    code, out, _ = ask("independence", "t.csv", "--y", "y", "--x", "gene_*", "--given", "age,batch_*", "--json")
    result = json.loads(out)["result"]
    assert code == 0
    assert result["adjustment"]["names"] == ["age", "batch_a"]
    assert result["features"]["names"] == ["gene_1", "gene_2"]


def test_the_answer_says_what_was_given(ask):
    code, out, err = ask("ksample", "t.csv", "--groups", "arm", "--x", "gene_1", "--given", "age")
    assert code == 0
    assert "z explains" in out
    assert "given" in err  # the role of the column


def test_a_screen_takes_it_too(ask):
    code, out, _ = ask("screen", "t.csv", "--y", "y", "--x", "gene_*", "--given", "age", "--json")
    assert code == 0
    assert json.loads(out)["result"]["settings"]["given"] == ["age"]
    _, out, _ = ask("screen", "t.csv", "--y", "y", "--x", "gene_*", "--given", "age,batch_a")
    assert out.startswith("Which columns are related to y, given age and batch_a?\n")
    assert "\nScreen of 2 columns, given age and batch_a (" in out


def test_a_report_can_be_written(ask, tmp_path):
    code, _, _ = ask("independence", "t.csv", "--y", "y", "--x", "gene_*", "--given", "age", "--report", "out.html")
    assert code == 0
    page = (tmp_path / "out.html").read_text()
    assert "z explains" in page


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--given", "agee"], "--given 'agee': there is no such column"),
        (["--given", "y"], "--y and --given both name 'y': they must not share columns."),
        (["--given", "age", "--null", "permutation"], "--null was passed together with --given"),
    ],
)
def test_what_is_refused(ask, options, message):
    code, _, err = ask("independence", "t.csv", "--y", "y", *options)
    assert code != 0
    assert message in " ".join(err.split())
