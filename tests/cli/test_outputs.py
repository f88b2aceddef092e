"""What a command leaves: an answer that is never lost, files in their places, tables that no spreadsheet obeys."""

from __future__ import annotations

import csv
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from kmerf import cli
from kmerf.cli import main, output

QUICK = ["--method", "rv", "--resamples", "19", "--seed", "1", "--jobs", "1", "-q"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{i},{i * i % 7},{i % 5}\n" for i in range(30))
    Path("t.csv").write_text(f"x,=cmd(),y\n{rows}", encoding="utf-8")
    return tmp_path


def test_a_report_that_cannot_be_written_does_not_take_the_answer_with_it(folder, capsys):
    code = main(["independence", "t.csv", "--y", "y", *QUICK, "--report", "/dev/full"])
    out, err = capsys.readouterr()
    assert code == cli.UNWRITTEN
    assert "evidence that y is related" in out
    assert err == "kmerf: --report /dev/full could not be written (No space left on device): choose another place.\n"


def test_one_file_does_not_keep_another_from_being_written(folder, capsys):
    code = main(["screen", "t.csv", "--y", "y", *QUICK, "--json", "--out", "/dev/full", "--report", "r.html"])
    out, err = capsys.readouterr()
    assert code == cli.UNWRITTEN
    assert out.startswith('{"schema"')
    assert err.startswith("kmerf: --out /dev/full could not be written")
    assert Path("r.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def shell(argv, **more):
    command = [sys.executable, "-m", "kmerf", *argv]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False, **more)


def test_standard_output_that_is_full(folder):
    with open("/dev/full", "w") as full:
        done = shell(["screen", "t.csv", "--y", "y", *QUICK, "--out", "s.csv"], stdout=full)
    assert done.returncode == cli.UNWRITTEN
    assert done.stderr.startswith("kmerf: the answer could not be printed (No space left on device)")
    assert len(done.stderr.splitlines()) == 1
    assert Path("s.csv").read_text().startswith("column,")


def test_a_reader_that_goes_away_does_not_cost_the_files(folder):
    process = subprocess.Popen(
        [sys.executable, "-m", "kmerf", "screen", "t.csv", "--y", "y", *QUICK, "--out", "s.csv"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=120) == cli.PIPE
    assert Path("s.csv").read_text().startswith("column,")


def test_devices_and_links_are_written_through(folder, capsys):
    Path("real.csv").touch(mode=0o600)
    os.symlink("real.csv", "link.csv")
    for place in (os.devnull, "link.csv"):
        assert main(["screen", "t.csv", "--y", "y", *QUICK, "--out", place]) == 0
    capsys.readouterr()
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    assert Path("link.csv").is_symlink()
    assert stat.S_IMODE(Path("real.csv").stat().st_mode) == 0o600


def test_a_table_holds_no_formulas(folder, capsys):
    assert main(["screen", "t.csv", "--y", "y", "--keep", "x", *QUICK, "--out", "s.csv"]) == 0
    capsys.readouterr()
    with open("s.csv", encoding="utf-8", newline="") as file:
        names = [row[0] for row in csv.reader(file)]
    assert names == ["column", "x", "'=cmd()"]


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@sum", "'@sum"),
        (" =1", "' =1"),
        ("a\x1b[31m", "a\\x1b[31m"),
        ("\t=1", "\\x09=1"),
        ("two\nlines", "two\\x0alines"),
        ("plain, with comma", '"plain, with comma"'),
        (-0.5, "-0.5"),
        (None, '""'),
        (float("nan"), '""'),
    ],
)
def test_cells(cell, written):
    assert output.as_csv([["a"], [cell]]) == f"a\n{written}\n"
