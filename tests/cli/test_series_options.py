"""The shell's --order, --lags and --permutations."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy.signal import lfilter

from kmerf.cli import main


@pytest.fixture
def ask(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    rng = np.random.default_rng(1)
    rain = lfilter([1.0], [1.0, -0.6], rng.normal(size=60))
    river = np.concatenate([[0.0], rain[:-1]]) + 0.4 * rng.normal(size=60)
    table = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=60), "rain": rain, "river": river})
    table.assign(half=np.repeat(["one", "two"], 30)).to_csv("t.csv", index=False)

    def call(*argv):
        code = main([*argv, "--seed", "1", "--jobs", "1"])
        return code, *capsys.readouterr()

    return call


Y = ("--y", "river", "--x", "rain", "--method", "dcorr")


def test_order_and_lags_are_as_in_python(ask):
    code, out, err = ask("independence", "t.csv", *Y, "--order", "day", "--lags", "1", "--json")
    assert code == 0, err
    settings = json.loads(out)["result"]["settings"]
    assert settings["order"]["lags"] == [0, 1]
    assert json.loads(out)["result"]["pvalue"] <= 0.01
    _, out, _ = ask("independence", "t.csv", *Y, "--order", "rows", "--lags", "0,1", "--json")
    assert json.loads(out)["result"]["settings"] == settings


def test_a_screen_and_groups_take_an_order(ask):
    code, out, _ = ask("screen", "t.csv", "--y", "river", "--x", "rain", "--order", "day", "--lags", "2", "--json")
    assert code == 0
    settings = json.loads(out)["result"]["settings"]
    assert settings["order"]["lags"] == [0, 1, 2]
    code, _, err = ask("ksample", "t.csv", "--groups", "half", "--x", "rain", "--order", "day", "--method", "dcorr")
    assert code == 0, err


def test_given_past_is_the_past_of_y(ask):
    code, out, err = ask(
        "independence", "t.csv", "--y", "river", "--x", "rain", "--order", "day", "--given", "past", "--json"
    )
    assert code == 0, err
    assert json.loads(out)["result"]["settings"]["order"]["past"] is True


def test_permutations_come_from_a_file(ask, tmp_path):
    orders = np.array([np.roll(np.arange(60), k) for k in range(1, 60)])
    np.save(tmp_path / "orders.npy", orders)
    np.savetxt(tmp_path / "orders.csv", orders, fmt="%d", delimiter=",")
    both = [ask("independence", "t.csv", *Y, "--permutations", f"orders.{end}", "--json") for end in ("npy", "csv")]
    results = [json.loads(out)["result"] for _, out, _ in both]
    assert results[0]["settings"]["permutations"]["count"] == 59
    assert results[0] == results[1]


@pytest.mark.parametrize(
    ("argv", "finding"),
    [
        (("--order", "dya"), "dya"),
        (("--order", "river"), "both name"),
        (("--order", "day", "--lags", "soon"), "--lags"),
        (("--lags", "1"), "needs --order"),
        (("--permutations", "none.npy"), "cannot be read"),
        (("--permutations", "t.csv"), "must hold row numbers"),
    ],
)
def test_mistakes_are_named_in_the_words_of_the_shell(ask, argv, finding):
    code, _, err = ask("independence", "t.csv", *Y, *argv)
    assert code != 0
    assert finding in err
