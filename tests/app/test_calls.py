"""The page computes what its command and its program compute."""

from __future__ import annotations

import contextlib
import io
import json
import shlex

import pytest

import kmerf
from app_pages import small_table
from kmerf.app.calls import Asked, option
from kmerf.cli import main

QUICK = {"method": "dcorr", "seed": 7}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    small_table().to_csv(tmp_path / "t.csv", index=False)
    followed = small_table().assign(days=lambda t: abs(t["y"]), died=lambda t: (t["dose"] > 0).astype(int))
    followed.to_csv(tmp_path / "times.csv", index=False)
    followed.assign(died=followed["died"] + 1).to_csv(tmp_path / "codes.csv", index=False)
    small_table(80).to_csv(tmp_path / "old.csv", index=False)
    text = small_table().to_csv(index=False, sep=";", decimal=",")
    (tmp_path / "comma.csv").write_text(text)
    (tmp_path / "old_comma.csv").write_text(small_table(80).to_csv(index=False, sep=";", decimal=","))
    monkeypatch.chdir(tmp_path)
    return tmp_path


CASES = {
    "independence": Asked("independence", "t.csv", y="y", **QUICK),
    "chosen columns": Asked("independence", "t.csv", y="y", x=("id", "dose"), keep=("id",), **QUICK),
    "labels": Asked("independence", "t.csv", y="y", categorical=("batch",), drop=("arm",), **QUICK),
    "fewer permutations": Asked("independence", "t.csv", y="y", permutations=39, **QUICK),
    "times until an event": Asked("independence", "times.csv", y="days", event="died", x=("dose", "batch"), **QUICK),
    "a code for the event": Asked(
        "independence", "codes.csv", y="days", event="died", event_value=2, x=("dose", "batch"), **QUICK
    ),
    "screen of times": Asked("screen", "times.csv", y="days", event="died", drop=("arm",), seed=7),
    "a sample": Asked("independence", "t.csv", y="y", rows=40, **QUICK),
    "given": Asked("independence", "t.csv", y="y", x=("dose",), given=("batch", "arm"), seed=7),
    "blocks": Asked("independence", "t.csv", y="y", x=("dose",), blocks="batch", **QUICK),
    "groups": Asked("ksample", "t.csv", y="arm", keep=("id",), **QUICK),
    "every two": Asked("ksample", "t.csv", y="batch", pairwise=True, **QUICK),
    "screen": Asked("screen", "t.csv", y="y", seed=7),
    "screen given": Asked("screen", "t.csv", y="y", given=("batch",), seed=7),
    "plan": Asked("plan", "t.csv", y="y", target=0.9, **QUICK),
    "decimal comma": Asked("independence", "comma.csv", {"sep": ";", "decimal": ","}, y="y", **QUICK),
    "in time": Asked("independence", "t.csv", y="y", x=("dose",), order="id", **QUICK),
    "compare": Asked("compare", "t.csv", other="old.csv", drop=("id",), categorical=("batch",), seed=7),
    "compare decimal commas": Asked(
        "compare", "comma.csv", {"sep": ";", "decimal": ",", "na": ["3"]}, other="old_comma.csv", drop=("id",), seed=7
    ),
    "missing codes": Asked("screen", "t.csv", {"na": ["3"]}, y="y", seed=7),
}


@pytest.mark.parametrize("asked", CASES.values(), ids=CASES)
@pytest.mark.filterwarnings("ignore::kmerf.KmerfWarning")
def test_page_shell_and_python_agree(folder, asked, capsys):
    table = kmerf.read_table(asked.file, **asked.reading)
    positional, named = asked.call(table, kmerf.read_table(asked.other, **asked.reading) if asked.other else None)
    page = getattr(kmerf, asked.function)(*positional, **named)

    assert main([*shlex.split(asked.shell())[1:], "--json", "--quiet"]) == 0
    shell = json.loads(capsys.readouterr().out)["result"]

    space: dict[str, object] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(asked.python(table.names), space)
    program = space["result"]

    # the closer look of a report is not part of the shell's answer without one
    ours, theirs = page.to_dict(), program.to_dict()
    assert ours == theirs
    for key in ("pvalue", "statistic", "pvalues", "power", "auc", "n"):
        if key in ours:
            assert shell[key] == ours[key], key


def test_options_have_the_words_of_the_shell():
    assert option("thousands", "") == ["--thousands", ""]
    assert option("details", True) == []
    assert option("y_kind", "numeric") == ["--y-kind", "numeric"]
    assert Asked("ksample", "a b.csv", y="g").shell() == "kmerf ksample 'a b.csv' --groups g --seed 0"


def test_the_shell_has_every_option_that_the_page_writes():
    from kmerf.cli.app import app
    from kmerf.cli.options import Options

    full = {"given": ("a",), "blocks": "b", "keep": ("c",), "categorical": ("d",), "dates": "drop", "y_kind": "numeric"}
    asked = Asked("independence", "t.csv", {"sep": ";", "header": False}, y="y", rows=3, pairwise=True, **full)
    words = [word for word in shlex.split(asked.shell()) if word.startswith("--")]
    flags = {f"--{name.replace('_', '-')}" for name in Options.__dataclass_fields__}
    assert {*words} <= flags
    assert "app" in {command.name for command in app.registered_commands}
