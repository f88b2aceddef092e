"""Times and events from the shell."""

import json

import numpy as np
import polars as pl
import pytest

import kmerf
from kmerf.cli import main

BOTH = ["t.csv", "--time", "days", "--event", "ended"]
SMALL = ["--trees", "10", "--resamples", "19", "--seed", "1", "--jobs", "1"]


@pytest.fixture
def ask(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 80))
    until, cut = rng.exponential(size=80) * np.exp(-1.5 * a), rng.exponential(2.0, size=80)
    ended = (until <= cut).astype(int)
    # the event stands before the time: the order of the table must not matter
    pl.DataFrame({"ended": ended, "a": a, "days": np.minimum(until, cut), "b": b}).write_csv("t.csv")

    def call(*argv):
        code = main([str(part) for part in argv])
        return code, *capsys.readouterr()

    return call


def test_independence_is_that_of_the_library(ask, tmp_path):
    code, out, _ = ask(
        "independence", "t.csv", "--time", "days", "--event", "ended", "--json", "--report", "r.html", *SMALL
    )
    assert code == 0
    found = json.loads(out)["result"]
    method, null = kmerf.Portfolio().with_trees(10), kmerf.Extrapolated(19)
    expected = kmerf.independence(
        pl.read_csv("t.csv"), ["days", "ended"], y_kind="censored", method=method, null=null, rng=1
    )
    assert (found["statistic"], found["pvalue"]) == (expected.statistic, expected.pvalue)
    assert found["p"] == 2
    assert "share without an event" in (tmp_path / "r.html").read_text()


def test_screen_and_plan_take_them_too(ask):
    code, out, _ = ask(
        "screen", "t.csv", "--time", "days", "--event", "ended", "--json", "--method", "dcorr", "--seed", "1"
    )
    assert code == 0
    found = json.loads(out)["result"]
    assert found["names"] == ["a", "b"]
    assert found["pvalues"][0] < found["pvalues"][1]
    code, out, _ = ask("plan", *BOTH, "--method", "dcorr", "--seed", "1", "-q")
    assert code == 0
    assert "rows give power 0.8" in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--time", "days"], "--time and --event go together: name both columns"),
        (["--event", "ended"], "--time and --event go together: name both columns"),
        (["--time", "days", "--event", "ended", "--y", "a"], "stand in place of --y: leave it out"),
        (["--time", "d*", "--event", "ended"], "take the name of one column each"),
        (["--time", "ended", "--event", "days"], "an event is 1 or true"),
        ([], "independence needs --y"),
    ],
)
def test_messages(ask, options, message):
    code, _, err = ask("independence", "t.csv", *options, "-q", *SMALL)
    assert code != 0
    assert message in err
