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
    method, null = kmerf.Portfolio().with_trees(10), kmerf.Sequential(19)
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
        (["--time", "days", "--event", "ended", "--y", "a"], "replace --y: leave it out"),
        (["--time", "?", "--event", "ended"], "--time '?' means 2 columns, 'a', 'b': name one"),
        (["--time", "Days", "--event", "ended"], "--time 'Days': there is no such column; did you mean 'days'?"),
        (["--time", "days", "--event", "end"], "--event 'end': there is no such column; did you mean 'ended'?"),
        (["--time", "days", "--event", "end=1"], "--event 'end': there is no such column; did you mean 'ended'?"),
        (["--time", "days", "--event", "days=1"], "--time and --event both name 'days': name two columns"),
        (["--time", "days", "--event", "ended=2"], "--event 'ended=2': 'ended' is '2' in no row. Values: '0', '1'."),
        (["--time", "days", "--event", "ended=yes"], "--event 'ended=yes': 'ended' is 'yes' in no row"),
        (["--time", "ended", "--event", "days"], "pass the time first, then the event"),
        (["--time", "days", "--event", "ended", "--drop", "days"], "'days', which --time names"),
        ([*BOTH[1:], "--blocks", "ended"], "--event and --blocks both name 'ended'"),
        ([*BOTH[1:], "--y-kind", "numeric"], "--y-kind numeric is not for --time and --event"),
        ([*BOTH[1:], "--y-kind", "censored"], "--y-kind censored is not needed: --time and --event name"),
        (["--y", "days", "--y", "ended", "--y-kind", "censored"], "--time and --event name the columns of a censored"),
        (["--y", "days", "--y-kind", "numbers"], "is not an option; did you mean 'numeric'?"),
        ([], "independence needs --y, or --time and --event"),
    ],
)
def test_messages(ask, options, message):
    code, _, err = ask("independence", "t.csv", *options, "-q", *SMALL)
    assert code != 0
    assert message in err


def test_a_status_of_one_and_two_is_answered_with_the_option(ask):
    table = pl.read_csv("t.csv").with_columns(ended=pl.col("ended") + 1)
    table.write_csv("t.csv")
    code, _, err = ask("independence", *BOTH, "-q", *SMALL)
    assert code == 1
    assert "column 'ended' holds 2" in err
    assert "say which value is the event, such as --event ended=2." in err


def test_groups_are_compared_by_independence(ask):
    code, _, err = ask("ksample", "t.csv", "--groups", "ended", "--time", "days")
    assert code == 2
    assert "use kmerf independence FILE --x GROUPS --time TIME --event EVENT" in err


def test_the_answer_counts_events_and_names_the_time_first(ask):
    events = int(pl.read_csv("t.csv")["ended"].sum())
    code, out, err = ask("independence", *BOTH, *SMALL)
    assert code == 0
    assert "that days until ended is related to a and b" in out
    assert "events come sooner with a: hazard times " in out
    assert "the time" in err
    _, out, _ = ask("independence", *BOTH, "--verbose", *SMALL)
    assert f"y time-to-event: {events} events, {80 - events} censored" in out
    _, out, _ = ask("independence", *BOTH, "--json", "--quiet", *SMALL)
    document = json.loads(out)
    assert document["result"]["events"] == events
    assert document["data"]["y"] == ["days", "ended"]
    _, out, _ = ask("check", *BOTH)
    assert "the event" in out


def test_screens_say_which_way(ask):
    code, out, _ = ask("screen", *BOTH, "--method", "dcorr", "--seed", "1")
    assert code == 0
    assert "sooner" in next(line for line in out.splitlines() if line.startswith("  a "))


def test_only_columns_with_missing_cells_are_named(ask):
    table = pl.read_csv("t.csv").with_columns(days=pl.when(pl.int_range(80) > 9).then("days"))
    table.write_csv("t.csv")
    _, _, err = ask("independence", *BOTH, *SMALL)
    assert "10 rows without a value in 'days' dropped." in err


@pytest.mark.parametrize("command", ["independence", "screen", "plan"])
@pytest.mark.parametrize(("dead", "alive", "value"), [(2, 1, "2"), ("dead", "alive", "dead"), (True, False, "True")])
def test_a_value_stands_for_the_event(ask, command, dead, alive, value):
    options = ["--method", "dcorr", "--seed", "1", "--json"]
    _, expected, _ = ask(command, *BOTH, *options)
    table = pl.read_csv("t.csv")
    table = table.with_columns(ended=pl.Series([dead if ended else alive for ended in table["ended"]]))
    table.write_csv("t.csv")
    code, found, err = ask(command, "t.csv", "--time", "days", "--event", f"ended={value}", *options)
    assert code == 0
    assert f"the event: {value}" in err
    assert f"note: Event: 'ended' is {value}; rows with another value are censored." in err
    found, expected = (json.loads(text)["result"] for text in (found, expected))
    assert {**found, "notes": []} == {**expected, "notes": []}
