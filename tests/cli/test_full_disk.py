"""A disk that is full: files that were there stay as they are, nothing half-written is left, and the exit code is 73.

The limit on the size of files that a process may set for itself stands in for a full disk. It needs no rights, and
writing fails at the same place: somewhere inside the file.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import kmerf
from kmerf.cli import UNWRITTEN, main

pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits of POSIX")

QUICK = ["--seed", "1", "--jobs", "1", "-q"]
PLAN = ["plan", "t.csv", "--y", "y", "--x", "a,b", "--method", "dcorr", *QUICK]
TEST = ["independence", "t.csv", "--y", "y", "--x", "a,b", "--method", "rv", *QUICK]
SCREEN = ["screen", "t.csv", "--y", "y", "--method", "rv", "--resamples", "99", *QUICK]
COMMANDS = {
    "curve.png": [*PLAN, "--plot", "curve.png"],
    "curve.PDF": [*PLAN, "--plot", "curve.PDF"],
    "curve.svg": [*PLAN, "--plot", "curve.svg"],
    "new.png": [*PLAN, "--plot", "new.png"],
    "test.html": [*TEST, "--report", "test.html"],
    "json.html": [*TEST, "--json", "--report", "json.html"],
    "screen.html": [*SCREEN, "--report", "screen.html"],
    "screen.csv": [*SCREEN, "--out", "screen.csv"],
}
LIMITED = """
import contextlib, io, json, os, resource, sys
import kmerf
from kmerf.cli import main

def limited(use):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        return use()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

def command(argv):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(argv)
    return [code, out.getvalue(), err.getvalue()]

def refusal(use):
    try:
        use()
    except kmerf.InputError as error:
        return str(error)

given = json.loads(sys.argv[1])
found = {name: limited(lambda: command(argv)) for name, argv in given.items()}
result = kmerf.independence(range(60), [i * i % 17 for i in range(60)], method="rv", rng=1)
found["result.json"] = limited(lambda: refusal(lambda: result.save("result.json")))
found["result.html"] = limited(lambda: refusal(lambda: result.report("result.html")))
found["result.pdf"] = limited(lambda: refusal(lambda: result.plot().savefig("result.pdf")))
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a table, and with a good file in every place but one that is written to."""
    folder = tmp_path_factory.mktemp("full")
    rng = np.random.default_rng(1)
    lines = [",".join(f"{value:.3f}" for value in row) for row in rng.normal(size=(60, 60))]
    names = ",".join(["y", "a", "b", *(f"x{k}" for k in range(57))])
    (folder / "t.csv").write_text("\n".join([names, *lines]))
    for name in PLACES:
        if name != "new.png":
            (folder / name).write_bytes(b"as it was")
    return folder


PLACES = [*COMMANDS, "result.json", "result.html", "result.pdf"]


@pytest.fixture(scope="module")
def found(folder):
    """What commands and methods do on a full disk, by the file that they were to write."""
    places = {"PYTHONPATH": str(Path(kmerf.__file__).parent.parent)}
    command = [sys.executable, "-c", LIMITED, json.dumps(COMMANDS)]
    done = subprocess.run(command, cwd=folder, env=os.environ | places, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_prints_its_answer_and_ends_with_73(found, name):
    code, out, err = found[name]
    option = next(word for word in COMMANDS[name] if word in ("--plot", "--report", "--out"))
    assert code == UNWRITTEN
    assert out.startswith(("There is", "None of", "About", "The pilot", "How many", "{"))
    assert err.splitlines()[-1] == (
        f"kmerf: {option} {name} could not be written (File too large): choose another place."
    )


@pytest.mark.parametrize("name", ["result.json", "result.html", "result.pdf"])
def test_a_method_names_the_place(found, name):
    assert f"{name!r} could not be written (File too large): choose another place." in found[name]


@pytest.mark.parametrize("name", PLACES)
def test_what_was_there_is_as_it_was(folder, found, name):
    place = folder / name
    assert place.read_bytes() == b"as it was" if name != "new.png" else not place.exists()


def test_nothing_half_written_is_left(folder, found):
    assert {each.name for each in folder.iterdir()} - set(PLACES) == {"t.csv"}


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
def test_a_power_study_keeps_its_rows_and_ends_with_73(tmp_path, monkeypatch, capsys):
    """Its store needs room too, so a full device takes the place of a full disk."""
    monkeypatch.chdir(tmp_path)
    command = ["power", "--simulation", "linear", "--test", "rv", "--replicates", "20", "--store", "s.sqlite", *QUICK]
    assert main([*command, "--report", "/dev/full"]) == UNWRITTEN
    out, err = capsys.readouterr()
    assert "linear" in out
    assert err.splitlines()[-1].startswith("kmerf: --report /dev/full could not be written (No space left on device)")
    assert main([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["result"]["added"] == 0
