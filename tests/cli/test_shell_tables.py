"""Tables that were read otherwise than their owners meant, from the shell; and the same answers as in Python."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import kmerf
from kmerf.cli import main

RNG = np.random.default_rng(0)
QUICK = ("--method", "dcorr", "--resamples", "19", "--seed", "1", "--jobs", "1")


@pytest.fixture
def ask(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def call(table, *argv, code=0):
        table.to_csv("t.csv", index=False)
        command, *options = argv
        assert main([command, "t.csv", *options]) == code
        return capsys.readouterr()

    return call


def warpbreaks():
    tension = np.array(["None", "Low", "High"] * 18)
    return pd.DataFrame({"breaks": RNG.normal(size=54) + 3 * (tension == "None"), "tension": tension})


def test_a_category_called_none_stays(ask):
    found = ask(warpbreaks(), "independence", "--y", "breaks", *QUICK)
    assert "54 rows" in found.out
    assert "note" not in found.out  # it was said before
    assert "Column 'tension' has 'None' in 18 rows, read as a value; pass --na None if that means missing." in found.err
    found = ask(warpbreaks(), "ksample", "--groups", "tension", "--na", "tension=None", *QUICK)
    assert "18 rows without a value in 'tension' dropped" in found.err
    refused = ask(
        warpbreaks(), "ksample", "--groups", "tension", "--na", "None", "--missing-y", "raise", *QUICK, code=1
    )
    assert "--groups is missing in 18 rows: fill in, or pass --missing-y drop to drop them." in refused.err


def cars():
    return pd.DataFrame(
        {
            "Make": [f"m{i}" for i in range(30)],
            "Price": ["12.5", "n.a.", "14"] * 10,
            "Weight": ["1,200", "950", "1,100"] * 10,
            "low": [0, 1] * 15,
            "y": RNG.normal(size=30),
        }
    )


def test_check_shows_the_whole_table_and_all_problems(ask):
    found = ask(cars(), "check", "--y", "y", code=1)
    for name in cars():
        assert name in found.out
    assert "column 'Price' holds numbers, but 10 cells are not" in found.err
    assert "column 'Weight' holds '1,200', which is 1200" in found.err
    assert "has a different text in every row" in found.out
    assert found.err.count("\n") == 1


def test_a_column_is_kept_by_name(ask):
    table = cars()[["Make", "low", "y"]].assign(id=range(1, 31))
    for options, names in ((), ["low"]), (("--keep", "id"), ["low", "id"]), (("--x", "id,low"), ["low", "id"]):
        out = ask(
            table, "independence", "--y", "y", "--method", "forest", "--trees", "5", *QUICK[2:], "--json", *options
        )
        assert json.loads(out.out)["result"]["importances"]["names"] == names


def test_two_values_are_classes_with_a_note(ask):
    table = cars()[["low", "y"]]
    found = ask(table, "independence", "--y", "low", *QUICK)
    note = "note: y has two values, 0 and 1, and is read as classes; pass --y-kind numeric"
    assert note in found.out
    numeric = json.loads(ask(table, "independence", "--y", "low", "--y-kind", "numeric", "--json", *QUICK).out)
    assert numeric["result"]["y_kind"] == "numeric"


def test_a_sample_of_the_rows(ask):
    asked = "independence", "--y", "breaks", "--rows", "20", "--json", "--report", "out.html", *QUICK
    found = json.loads(ask(warpbreaks(), *asked).out)
    result = found["result"]
    assert result["n"] == 20
    assert "A random sample of 20 of 54 rows was tested." in result["notes"]
    assert (found["data"]["rows_read"], found["data"]["rows_used"]) == (54, 20)
    assert found["data"]["rows_lost"]["not_sampled"] == 34
    page = Path("out.html").read_text()
    assert "34 were not drawn into the random sample that was tested" in page
    assert "Rows are numbered as in the file" not in page


def test_leaks_and_subjects_are_named(ask):
    wage = RNG.lognormal(size=40)
    table = pd.DataFrame({"wage": wage, "logwage": np.log(wage), "age": RNG.normal(size=40)})
    assert "Column 'logwage' alone determines y. Without it, p = " in " ".join(
        ask(table, "independence", "--y", "wage", *QUICK).out.split()
    )
    table["Chick"], table["Time"] = np.repeat(np.arange(8), 5), np.tile(np.arange(5), 8)
    found = ask(table, "independence", "--y", "wage", "--drop", "logwage", *QUICK)
    assert "Column 'Chick' has 8 different values in 40 rows." in found.err
    assert "--blocks Chick" in found.err
    assert "Chick' has 8" not in found.out  # it was said


def test_the_same_answer_as_in_python(ask):
    table = warpbreaks().assign(rownames=range(1, 55), wool=["A", "B"] * 27, when=["2020-01-01", "2020-02-01"] * 27)
    table.loc[3:5, "breaks"] = np.nan
    shell = json.loads(ask(table, "independence", "--y", "breaks", "--json", *QUICK).out)["result"]
    python = kmerf.independence(table, "breaks", method="dcorr", null=kmerf.Permutation(19), rng=1, n_jobs=1)
    assert (shell["statistic"], shell["pvalue"], shell["n"]) == (python.statistic, python.pvalue, python.n)
    assert python.n == 51


def restaurant():
    rng = np.random.default_rng(5)
    return pd.DataFrame(
        {
            "total_bill": [f"${v:.2f}" for v in rng.uniform(3, 50, 80)],
            "tip": rng.uniform(1, 10, 80).round(2),
            "sex": rng.choice(["Female", "Male"], 80),
            "table": 7,
        }
    )


def test_check_shows_what_columns_hold(ask, monkeypatch):
    found = ask(restaurant(), "check", "--y", "tip")
    assert "median" in found.out
    assert "█" in found.out
    monkeypatch.setenv("COLUMNS", "80")
    narrow = ask(restaurant(), "check", "--y", "tip").out
    assert max(map(len, narrow.splitlines())) <= 80
    assert "values (median)" in narrow
    assert "█" in narrow
    columns = {each["name"]: each for each in json.loads(ask(restaurant(), "check", "--json").out)["data"]["columns"]}
    bill = columns["total_bill"]
    assert (bill["unit"], len(bill["quantiles"]), sum(bill["bars"])) == ("$", 5, 80)
    assert bill["quantiles"] == sorted(bill["quantiles"])
    assert (sorted(columns["sex"]["levels"]), sum(columns["sex"]["counts"])) == (["Female", "Male"], 80)


def test_messages_say_what_there_is(ask, capsys):
    where = ask(restaurant(), "independence", "--y", "tip", "--where", "sex == 'male'", *QUICK, code=1).err
    assert "sex is 'male' in no row; its values are 'Female', 'Male'" in where
    groups = ask(restaurant(), "ksample", "--groups", "total_bill", *QUICK, code=1).err
    assert "'total_bill' has 80 different numbers in 80 rows, and is not a column of groups" in groups
    for command, instead in {"describe": "kmerf check FILE", "conditional": "--given COLUMNS"}.items():
        assert main([command, "t.csv"]) == 2
        assert instead in capsys.readouterr().err
