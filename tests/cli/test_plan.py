"""The shell's plan."""

import json
import sys

import numpy as np
import polars as pl
import pytest

import kmerf
from kmerf.cli import main

SMALL = ["--method", "dcorr", "--seed", "1", "--jobs", "1"]


@pytest.fixture
def ask(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    rng = np.random.default_rng(1)
    x = rng.normal(size=(60, 2))
    arm = np.where(x[:, 0] + rng.normal(size=60) > 0, "drug", "placebo")
    pl.DataFrame({"a": x[:, 0], "b": x[:, 1], "out": x[:, 0] + rng.normal(size=60), "arm": arm}).write_csv("t.csv")

    def call(*argv):
        code = main([str(part) for part in argv])
        return code, *capsys.readouterr()

    return call


def test_the_answer_is_that_of_the_library(ask):
    code, out, _ = ask("plan", "t.csv", "--y", "out", "--x", "a,b", "--power", "0.9", "--json", *SMALL)
    assert code == 0
    document = json.loads(out)
    expected = kmerf.power_curve(pl.read_csv("t.csv").drop("arm"), "out", method="dcorr", target=0.9, rng=1)
    assert document["command"] == "plan"
    assert document["result"]["power"] == expected.power.tolist()
    assert document["result"]["target"] == 0.9


def test_json_can_be_loaded(ask, tmp_path):
    sizes = ["--size", "50,100", "--size", "70"]
    _, out, _ = ask(
        "plan", "t.csv", "--groups", "arm", *sizes, "--parts", "20", "--confidence", "0.9", "--json", *SMALL
    )
    (tmp_path / "curve.json").write_text(out)
    curve = kmerf.PowerCurve.load(tmp_path / "curve.json")
    assert curve.sizes.tolist() == [50, 70, 100]
    assert (curve.subsamples, curve.confidence) == (20, 0.9)


def test_people_get_a_table_an_answer_and_a_picture(ask, tmp_path):
    files = ["--plot", "curve.png", "--report", "plan.html"]
    code, out, _ = ask("plan", "t.csv", "--y", "out", "--drop", "arm", *files, *SMALL)
    assert code == 0
    asked = "How many rows are needed to detect a relation of out to x with power 0.8?"
    assert f"{asked}\nAbout " in out
    assert "\nPlan for power 0.8 (Dcorr, level 0.05)\n" in out
    assert "rows give power 0.8;" in out
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    page = (tmp_path / "plan.html").read_text(encoding="utf-8")
    assert asked in page
    alone = ask("plan", "t.csv", "--y", "out", "--drop", "arm", "-q", *SMALL)[1].splitlines()
    assert len(alone) == 1
    assert alone[0] in out
    assert "t.csv" in page  # how the table was read


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "plan needs one of --y, --time with --event, and --groups"),
        (["--y", "out", "--groups", "arm"], "plan needs one of --y, --time with --event, and --groups"),
        (["--y", "out", "--power", "2"], "--power 2.0 must be a number between 0 and 1"),
        (["--y", "out", "--size", "3"], "--size 3 must be a whole number of at least 10"),
        (["--y", "out", "--size", "50,many"], "--size 'many' is not a whole number: write --size 50,100, for example"),
        (["--y", "out", "--parts", "3"], "--parts 3 must be a whole number of at least 20"),
        (["--y", "out", "--confidence", "95"], "--confidence 95.0 must be a number between 0 and 1"),
        (["--y", "out", "--plot", "curve.txt"], "--plot 'curve.txt' is not a picture: end it with .png, .pdf, .svg"),
        (["--y", "out", "--plot", "none/curve.png"], "does not exist: make it first"),
    ],
)
def test_messages(ask, options, message):
    code, _, err = ask("plan", "t.csv", "--x", "a,b", *options, "-q", *SMALL)
    assert code in (1, 2)
    assert message in err


def test_a_picture_that_cannot_be_written_does_not_cost_the_answer(ask, monkeypatch):
    from kmerf.figures.canvas import NotebookFigure

    def full(self, path, **_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(NotebookFigure, "savefig", full)
    code, out, err = ask("plan", "t.csv", "--y", "out", "--x", "a,b", "--plot", "curve.png", "-q", *SMALL)
    assert code == 73
    assert "rows give power 0.8" in out
    assert "--plot curve.png could not be written (No space left on device)" in err


def test_what_a_picture_needs_is_named_with_how_to_install_it(ask, monkeypatch):
    monkeypatch.delitem(sys.modules, "kmerf.figures.canvas", raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    code, _, err = ask("plan", "t.csv", "--y", "out", "--plot", "curve.png", "-q", *SMALL)
    assert code == 1
    assert "--plot needs matplotlib.figure, which is not installed: pip install '.[plot]' in the folder of" in err
